// Replica groups, meshes and shardings (grammar.md 5.7 to 5.10, 10.10).
#include <fmt/format.h>

#include "printer/print_value.h"

namespace hlo {
namespace {

void PrintBracketed(PrintContext& context, const IntList& dims) {
  PrintSeparated(context, "[", ",", "]", dims, [&](int64_t dim) { context.AppendInt(dim); });
}

void PrintAxis(PrintContext& context, const Mesh& mesh, const AxisRef& axis) {
  PrintVerbatim(context, '\'', mesh.axes[static_cast<size_t>(axis.axis)].name);
  if (axis.IsWhole()) return;
  context.Append(":(");
  context.AppendInt(axis.pre_size);
  context.Append(')');
  context.AppendInt(axis.size);
}

// The device assignment behind `devices=[...]`.
void PrintTileDevices(PrintContext& context, const ShardingLeaf& leaf) {
  switch (leaf.order) {
    case DeviceOrder::kNone:
      break;
    case DeviceOrder::kList:
      PrintSeparated(context, "", ",", "", leaf.device_list,
                     [&](int64_t device) { context.AppendInt(device); });
      break;
    case DeviceOrder::kIota:
      context.Append("<=");
      PrintIota(context, leaf.device_iota);
      break;
  }
}

void PrintTiles(PrintContext& context, const ShardingLeaf& leaf) {
  context.Append("devices=");
  PrintBracketed(context, leaf.tile_dims);
  PrintTileDevices(context, leaf);
  if (leaf.last_tile_dim_replicate) context.Append(" last_tile_dim_replicate");
  if (!leaf.last_tile_dims.empty()) {
    PrintSeparated(context, " last_tile_dims={", ", ", "}", leaf.last_tile_dims,
                   [&](SubgroupType type) { PrintValue(context, type); });
  }
}

void PrintShardGroup(PrintContext& context, const ShardingLeaf& leaf) {
  switch (leaf.group) {
    case ShardGroup::kNone:
      return;
    case ShardGroup::kAs:
      context.Append(" shard_as ");
      break;
    case ShardGroup::kLike:
      context.Append(" shard_like ");
      break;
  }
  context.AppendInt(leaf.group_id);
}

// One record prints bare, several as a list; a named sharding always has the list.
void PrintShardingMetadata(PrintContext& context, const ShardingLeaf& leaf,
                           std::string_view separator) {
  if (leaf.metadata.empty() || !context.options().metadata) return;
  context.Append(separator);
  context.Append("metadata=");
  const bool as_list = leaf.metadata.size() > 1 || leaf.kind == ShardingLeaf::Kind::kNamed;
  PrintSeparated(context, as_list ? "{" : "", ", ", as_list ? "}" : "", leaf.metadata,
                 [&](const Metadata& metadata) { PrintValue(context, metadata); });
}

void PrintDimension(PrintContext& context, const Mesh& mesh, const DimensionSharding& dimension) {
  context.Append('{');
  bool first = true;
  for (const AxisRef& axis : dimension.axes) {
    if (!first) context.Append(", ");
    first = false;
    PrintAxis(context, mesh, axis);
  }
  if (dimension.is_open) context.Append(first ? "?" : ", ?");
  context.Append('}');
}

void PrintReductionPrefix(PrintContext& context, const ShardingLeaf& leaf) {
  if (leaf.reduction != ShardingReduction::kSum) PrintValue(context, leaf.reduction);
}

void PrintNamedDimensions(PrintContext& context, const ShardingLeaf& leaf) {
  PrintSeparated(context, "[", ", ", "]", leaf.dimensions, [&](const DimensionSharding& dimension) {
    PrintDimension(context, leaf.mesh, dimension);
  });
  if (!leaf.replicated_axes.empty()) {
    context.Append(", replicated=");
    PrintAxes(context, leaf.mesh, leaf.replicated_axes, ", ");
  }
  if (!leaf.unreduced_axes.empty()) {
    context.Append(", unreduced=");
    PrintReductionPrefix(context, leaf);
    PrintAxes(context, leaf.mesh, leaf.unreduced_axes, ", ");
  }
  if (!leaf.manual_axes.empty()) {
    context.Append(", manual=");
    PrintAxes(context, leaf.mesh, leaf.manual_axes, ", ");
  }
}

void PrintNamed(PrintContext& context, const ShardingLeaf& leaf) {
  PrintMesh(context, leaf.mesh);
  if (leaf.mesh.is_maximal) return;
  context.Append(", ");
  switch (leaf.whole) {
    case ShardingLeaf::Whole::kNone:
      return PrintNamedDimensions(context, leaf);
    case ShardingLeaf::Whole::kReplicated:
      return context.Append("replicated");
    case ShardingLeaf::Whole::kManual:
      return context.Append("manual");
    case ShardingLeaf::Whole::kUnreduced:
      if (leaf.reduction == ShardingReduction::kSum && leaf.unreduced_axes.empty()) {
        return context.Append("unreduced");
      }
      context.Append("unreduced=");
      PrintValue(context, leaf.reduction);
      if (leaf.unreduced_axes.empty()) return;
      context.Append(' ');
      return PrintAxes(context, leaf.mesh, leaf.unreduced_axes, ",");
  }
}

void PrintKind(PrintContext& context, const ShardingLeaf& leaf) {
  switch (leaf.kind) {
    case ShardingLeaf::Kind::kReplicated:
      return context.Append("replicated");
    case ShardingLeaf::Kind::kMaximal:
      context.Append("maximal device=");
      return context.AppendInt(leaf.maximal_device);
    case ShardingLeaf::Kind::kManual:
      return context.Append("manual");
    case ShardingLeaf::Kind::kUnknown:
      return context.Append("unknown");
    case ShardingLeaf::Kind::kUnreduced:
      return context.Append("unreduced");
    case ShardingLeaf::Kind::kTiled:
      return PrintTiles(context, leaf);
    case ShardingLeaf::Kind::kNamed:
      return PrintNamed(context, leaf);
  }
}

}  // namespace

void PrintIota(PrintContext& context, const IotaDevices& iota) {
  PrintBracketed(context, iota.dims);
  if (iota.permutation.empty() || iota.dims.size() == 1) return;  // one dimension has one order
  PrintSeparated(context, "T(", ",", ")", iota.permutation,
                 [&](int64_t dim) { context.AppendInt(dim); });
}

void PrintMesh(PrintContext& context, const Mesh& mesh) {
  if (mesh.is_maximal) {
    context.Append("maximal_mesh[device_id=");
    context.AppendInt(mesh.maximal_device);
    return context.Append(']');
  }
  PrintSeparated(context, "mesh[", ",", "]", mesh.axes, [&](const MeshAxis& axis) {
    PrintVerbatim(context, '\'', axis.name);
    context.Append('=');
    context.AppendInt(axis.size);
  });
  switch (mesh.order) {
    case DeviceOrder::kNone:
      break;
    case DeviceOrder::kList:
      PrintSeparated(context, ", device_ids=(", ",", ")", mesh.device_list,
                     [&](int64_t device) { context.AppendInt(device); });
      break;
    case DeviceOrder::kIota:
      context.Append(", device_ids=(");
      PrintIota(context, mesh.device_iota);
      context.Append(')');
      break;
  }
}

void PrintAxes(PrintContext& context, const Mesh& mesh, const List<AxisRef>& axes,
               std::string_view separator) {
  PrintSeparated(context, "{", separator, "}", axes,
                 [&](const AxisRef& axis) { PrintAxis(context, mesh, axis); });
}

void PrintValue(PrintContext& context, const ReplicaGroups& value) {
  switch (value.form) {
    case ReplicaGroups::Form::kExplicit:
      return PrintValue(context, value.groups);
    case ReplicaGroups::Form::kIota:
      PrintBracketed(context, value.tile_dims);
      context.Append("<=");
      return PrintIota(context, value.iota);
    case ReplicaGroups::Form::kMesh:
      PrintMesh(context, value.mesh);
      context.Append(' ');
      return PrintAxes(context, value.mesh, value.mesh_axes, ",");
  }
}

void PrintValue(PrintContext& context, const ShardingLeaf& value) {
  context.Append('{');
  PrintKind(context, value);
  PrintShardGroup(context, value);
  PrintShardingMetadata(context, value, value.kind == ShardingLeaf::Kind::kNamed ? ", " : " ");
  context.Append('}');
}

void PrintValue(PrintContext& context, const Sharding& value) {
  if (!value.is_tuple) return PrintValue(context, value.leaves.front());
  context.Append('{');
  for (size_t i = 0; i < value.leaves.size(); ++i) {
    if (i > 0) context.Append(", ");
    if (i > 0 && i % 5 == 0) context.Append(fmt::format("/*index={}*/", i));
    PrintValue(context, value.leaves[i]);
  }
  context.Append('}');
}

void PrintValue(PrintContext& context, const DomainValue& value) {
  context.Append("{kind=\"sharding\", entry=");
  PrintValue(context, value.entry);
  context.Append(", exit=");
  PrintValue(context, value.exit);
  context.Append('}');
}

}  // namespace hlo

// Device lists, meshes and replica groups (grammar.md 5.7, 5.8).
#include <algorithm>
#include <string>
#include <vector>

#include "parser/parse_value.h"
#include "support/checked_math.h"
#include "support/number_text.h"
#include "support/permutation.h"

namespace hlo {
namespace {

std::optional<int64_t> AxisProduct(const List<MeshAxis>& axes) {
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  return CheckedProduct(sizes);
}

// Real meshes have a handful; axes are found by going through all.
constexpr size_t kMaxMeshAxes = 256;

bool ParseMeshAxis(ParseContext& context, std::vector<MeshAxis>& axes) {
  Cursor& cursor = context.cursor;
  const SourceRange name_range = cursor.token().range;
  MeshAxis axis;
  if (!ParseValue(context, axis.name)) return false;
  for (const MeshAxis& other : axes) {
    if (other.name != axis.name) continue;
    return context.sink.Error(Rule::kShardingMeshAxes, name_range, "mesh axis `{}` is given twice",
                              axis.name);
  }
  if (!cursor.Expect(TokenKind::kEqual)) return false;
  const SourceRange size_range = cursor.token().range;
  if (!ParseValue(context, axis.size)) return false;
  if (axis.size < 0) {
    return context.sink.Error(Rule::kShardingMeshAxes, size_range, "mesh axis of size {}",
                              axis.size);
  }
  axes.push_back(axis);
  return true;
}

// device_ids=( iota | ids )
bool ParseDeviceIds(ParseContext& context, Mesh& value, int64_t device_count) {
  Cursor& cursor = context.cursor;
  const uint32_t begin = cursor.token().range.begin;
  cursor.Advance();
  if (!cursor.Is(TokenKind::kLeftParen)) return cursor.FailExpecting("`(` and device ids");
  if (cursor.PeekByte() == '[') {
    cursor.Advance();
    value.order = DeviceOrder::kIota;
    if (!ParseIota(context, {}, value.device_iota) || !cursor.Expect(TokenKind::kRightParen)) {
      return false;
    }
    if (CheckedProduct(value.device_iota.dims) == device_count) return true;
    return context.sink.Error(Rule::kShardingMeshDeviceIds, cursor.RangeFrom(begin),
                              "`device_ids` do not count the {} devices of the mesh", device_count);
  }
  value.order = DeviceOrder::kList;
  if (!ParseIntegers(context, TokenKind::kLeftParen, TokenKind::kRightParen, value.device_list)) {
    return false;
  }
  const IntList& ids = value.device_list;
  if (static_cast<int64_t>(ids.size()) != device_count) {
    return context.sink.Error(Rule::kShardingMeshDeviceIds, cursor.RangeFrom(begin),
                              "{} device ids for the {} devices of the mesh", ids.size(),
                              device_count);
  }
  if (!IsPermutation(ids, device_count)) {
    return context.sink.Error(Rule::kShardingMeshDeviceIds, cursor.RangeFrom(begin),
                              "the device ids are not a permutation of 0 ... {}", device_count - 1);
  }
  if (std::is_sorted(ids.begin(), ids.end())) {
    return context.sink.Error(Rule::kShardingMeshDeviceIds, cursor.RangeFrom(begin),
                              "the device ids are in their natural order, which is written "
                              "without `device_ids`");
  }
  return true;
}

// The index of the axis called `name`; a name that no axis has is read as an index.
std::optional<int64_t> FindAxis(const Mesh& mesh, std::string_view name) {
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return static_cast<int64_t>(i);
  }
  std::optional<int64_t> index = ParseInteger(name);
  if (index && *index >= 0 && *index < static_cast<int64_t>(mesh.axes.size())) return index;
  return std::nullopt;
}

bool CheckSubAxis(ParseContext& context, const Mesh& mesh, const AxisRef& ref, SourceRange range) {
  const int64_t axis_size = mesh.axes[ref.axis].size;
  std::optional<int64_t> product = CheckedMul(ref.pre_size, ref.size);
  if (ref.pre_size >= 1 && ref.size > 1 && ref.size < axis_size && product && *product > 0 &&
      axis_size % *product == 0) {
    return true;
  }
  return context.sink.Error(Rule::kShardingMeshSubAxis, range,
                            "sub-axis `({}){}` does not divide the axis of size {}", ref.pre_size,
                            ref.size, axis_size);
}

// "[" int,* "]" "<=" iota
bool ParseIotaGroups(ParseContext& context, ReplicaGroups& value) {
  Cursor& cursor = context.cursor;
  const uint32_t begin = cursor.token().range.begin;
  value.form = ReplicaGroups::Form::kIota;
  if (!ParseIntegers(context, TokenKind::kLeftBracket, TokenKind::kRightBracket, value.tile_dims) ||
      !cursor.Expect(TokenKind::kLessEqual) ||
      !ParseIota(context, {Rule::kCollectiveIotaSize, Rule::kCollectiveIotaSize}, value.iota)) {
    return false;
  }
  if (value.tile_dims.size() != 2) {
    return context.sink.Error(Rule::kCollectiveIotaSize, cursor.RangeFrom(begin),
                              "iota replica groups have 2 dimensions, groups and group size; "
                              "here are {}",
                              value.tile_dims.size());
  }
  std::optional<int64_t> tiles = CheckedProduct(value.tile_dims);
  std::optional<int64_t> devices = CheckedProduct(value.iota.dims);
  if (!tiles || !devices || *tiles != *devices) {
    return context.sink.Error(Rule::kCollectiveIotaSize, cursor.RangeFrom(begin),
                              "`[{}]` and `[{}]` hold different numbers of devices{}",
                              fmt::join(value.tile_dims, ","), fmt::join(value.iota.dims, ","),
                              tiles && devices ? fmt::format(", {} and {}", *tiles, *devices) : "");
  }
  return true;
}

}  // namespace

bool ParseIota(ParseContext& context, const IotaRules& rules, IotaDevices& value) {
  Cursor& cursor = context.cursor;
  const uint32_t begin = cursor.token().range.begin;
  if (!ParseIntegers(context, TokenKind::kLeftBracket, TokenKind::kRightBracket, value.dims)) {
    return false;
  }
  for (int64_t size : value.dims) {
    if (size > 0) continue;
    return context.sink.Error(rules.size, cursor.RangeFrom(begin), "iota dimension of size {}",
                              size);
  }
  if (value.dims.empty()) {
    return context.sink.Error(rules.size, cursor.RangeFrom(begin), "iota without dimensions");
  }
  if (value.dims.size() == 1) return true;
  if (!cursor.IsIdent("T")) {
    return cursor.FailExpecting(rules.permutation, "`T` and a permutation of the dimensions");
  }
  const uint32_t permutation_begin = cursor.token().range.begin;
  cursor.Advance();
  if (!ParseIntegers(context, TokenKind::kLeftParen, TokenKind::kRightParen, value.permutation)) {
    return false;
  }
  if (IsPermutation(value.permutation, static_cast<int64_t>(value.dims.size()))) {
    return true;
  }
  return context.sink.Error(rules.permutation, cursor.RangeFrom(permutation_begin),
                            "`T({})` is not a permutation of {} dimensions",
                            fmt::join(value.permutation, ","), value.dims.size());
}

bool ParseMesh(ParseContext& context, Mesh& value) {
  Cursor& cursor = context.cursor;
  const uint32_t begin = cursor.token().range.begin;
  if (cursor.IsIdent("maximal_mesh")) {
    cursor.Advance();
    value.is_maximal = true;
    if (!cursor.Expect(TokenKind::kLeftBracket)) return false;
    if (!cursor.Is(TokenKind::kAttr) || cursor.token().text != "device_id") {
      return cursor.FailExpecting("`device_id=`");
    }
    cursor.Advance();
    return ParseValue(context, value.maximal_device) && cursor.Expect(TokenKind::kRightBracket);
  }
  if (!cursor.IsIdent("mesh")) return cursor.FailExpecting("`mesh` or `maximal_mesh`");
  cursor.Advance();
  std::vector<MeshAxis> axes;
  if (!ParseList(context, TokenKind::kLeftBracket, TokenKind::kRightBracket,
                 [&] { return axes.size() > kMaxMeshAxes || ParseMeshAxis(context, axes); })) {
    return false;
  }
  if (axes.size() > kMaxMeshAxes) {
    return context.sink.Error(Rule::kShardingMeshAxes, cursor.RangeFrom(begin),
                              "a mesh of {} axes, more than {}", axes.size(), kMaxMeshAxes);
  }
  value.axes = context.Store(axes);
  std::optional<int64_t> device_count = AxisProduct(value.axes);
  if (!device_count) {
    return context.sink.Error(Rule::kShardingMeshAxes, cursor.RangeFrom(begin),
                              "the axis sizes multiply to more than 64 bits");
  }
  if (!cursor.Is(TokenKind::kComma)) return true;
  const char* next = cursor.SkipBlanksAndComments(cursor.token_begin() + 1);
  constexpr std::string_view kKey = "device_ids=";
  const std::string_view rest(next, static_cast<size_t>(cursor.text_end() - next));
  if (!rest.starts_with(kKey)) return true;
  cursor.Advance();
  return ParseDeviceIds(context, value, *device_count);
}

bool ParseAxisRef(ParseContext& context, const Mesh& mesh, AxisRef& value) {
  Cursor& cursor = context.cursor;
  const SourceRange range = cursor.token().range;
  std::string_view name;
  if (!ParseValue(context, name)) return false;
  std::optional<int64_t> axis = FindAxis(mesh, name);
  if (!axis) {
    std::vector<std::string_view> names;
    for (const MeshAxis& known : mesh.axes) names.push_back(known.name);
    return context.sink.Error(Rule::kShardingMeshAxisRef, range, "the mesh has no axis `{}`{}",
                              name, DidYouMean(name, names));
  }
  value.axis = *axis;
  if (!cursor.Consume(TokenKind::kColon)) return true;
  if (!cursor.Expect(TokenKind::kLeftParen) || !ParseValue(context, value.pre_size) ||
      !cursor.Expect(TokenKind::kRightParen) || !ParseValue(context, value.size)) {
    return false;
  }
  return CheckSubAxis(context, mesh, value, cursor.RangeFrom(range.begin));
}

bool ParseAxisList(ParseContext& context, const Mesh& mesh, List<AxisRef>& value) {
  std::vector<AxisRef> refs;
  const bool parsed =
      ParseBraced(context, [&] { return ParseAxisRef(context, mesh, refs.emplace_back()); });
  value = context.Store(refs);
  return parsed;
}

bool ParseValue(ParseContext& context, ReplicaGroups& value) {
  Cursor& cursor = context.cursor;
  if (cursor.Is(TokenKind::kLeftBracket)) return ParseIotaGroups(context, value);
  if (cursor.IsIdent("mesh") || cursor.IsIdent("maximal_mesh")) {
    value.form = ReplicaGroups::Form::kMesh;
    return ParseMesh(context, value.mesh) && ParseAxisList(context, value.mesh, value.mesh_axes);
  }
  if (!cursor.Is(TokenKind::kLeftBrace)) {
    return cursor.FailExpecting(Rule::kAttrValueKind,
                                "replica groups: `{{0,1},{2,3}}`, `[2,2]<=[4]` or `mesh[...]`");
  }
  return ParseValue(context, value.groups);
}

}  // namespace hlo

// A mesh axis may be cut into sub-axes, "x":(pre)size: of an axis of n devices, the part that
// strides over pre * size of them. Two parts of one axis overlap when their intervals
// [pre, pre * size) do.
#include "verifier/sharding_mesh.h"

#include <algorithm>
#include <vector>

#include "support/checked_math.h"
#include "verifier/device_lists.h"

namespace hlo {
namespace {

class MeshChecker {
 public:
  MeshChecker(const RuleContext& context, SourceRange range, const ShardingLeaf& leaf)
      : context_(context), range_(range), leaf_(leaf) {}

  void Check(int64_t partition_count) {
    CheckTotal(partition_count);
    for (const DimensionSharding& dimension : leaf_.dimensions) AddList(dimension.axes);
    AddSortedList(leaf_.replicated_axes, "replicated");
    AddSortedList(leaf_.unreduced_axes, "unreduced");
    AddSortedList(leaf_.manual_axes, "manual");
    CheckDisjoint();
  }

 private:
  // The interval of an axis that a reference takes: products of the devices below and up to it.
  struct Part {
    int64_t axis;
    int64_t from;
    int64_t to;
  };

  void CheckTotal(int64_t partition_count) const {
    if (leaf_.mesh.is_maximal || leaf_.mesh.axes.empty() || partition_count <= 1) return;
    std::vector<int64_t> sizes;
    for (const MeshAxis& axis : leaf_.mesh.axes) sizes.push_back(axis.size);
    std::optional<int64_t> total = CheckedProduct(sizes);
    if (!total || *total == partition_count) return;
    context_.Report(Rule::kShardingMeshDeviceTotal, range_,
                    "a mesh of {} devices for {} partitions", *total, partition_count);
  }

  void AddList(const List<AxisRef>& axes) {
    for (size_t i = 0; i < axes.size(); ++i) {
      Add(axes[i]);
      if (i > 0) CheckMerged(axes[i - 1], axes[i]);
    }
  }

  void AddSortedList(const List<AxisRef>& axes, std::string_view what) {
    AddList(axes);
    for (size_t i = 1; i < axes.size(); ++i) {
      if (std::pair(axes[i - 1].axis, axes[i - 1].pre_size) <=
          std::pair(axes[i].axis, axes[i].pre_size)) {
        continue;
      }
      context_.Report(Rule::kShardingMeshSorted, range_,
                      "among the {} axes `\"{}\"` stands behind `\"{}\"`, which the mesh has later",
                      what, leaf_.mesh.axes[axes[i].axis].name,
                      leaf_.mesh.axes[axes[i - 1].axis].name);
      return;
    }
  }

  void Add(const AxisRef& ref) {
    const bool is_whole = ref.IsWhole();
    parts_.push_back({ref.axis, is_whole ? 1 : ref.pre_size,
                      is_whole ? leaf_.mesh.axes[ref.axis].size : ref.pre_size * ref.size});
  }

  // Neighbours that continue each other must be written as one.
  void CheckMerged(const AxisRef& first, const AxisRef& second) const {
    if (first.axis != second.axis || first.IsWhole() || second.IsWhole()) return;
    if (first.pre_size * first.size != second.pre_size) return;
    context_.Report(Rule::kShardingMeshDisjoint, range_,
                    "two neighbouring parts of axis `\"{}\"` that make one",
                    leaf_.mesh.axes[first.axis].name);
  }

  void CheckDisjoint() {
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return std::pair(a.axis, a.from) < std::pair(b.axis, b.from);
    });
    for (size_t i = 1; i < parts_.size(); ++i) {
      const Part& previous = parts_[i - 1];
      if (previous.axis != parts_[i].axis || parts_[i].from >= previous.to) continue;
      context_.Report(Rule::kShardingMeshDisjoint, range_, "axis `\"{}\"` is used twice",
                      leaf_.mesh.axes[previous.axis].name);
      return;
    }
  }

  const RuleContext& context_;
  SourceRange range_;
  const ShardingLeaf& leaf_;
  std::vector<Part> parts_;
};

}  // namespace

bool CheckMeshForm(const RuleContext& context, SourceRange range, const ShardingLeaf& leaf) {
  if (!CheckMeshDevices(context, range, leaf.mesh)) return false;
  const auto are_parts = [&](const List<AxisRef>& axes) {
    return std::all_of(axes.begin(), axes.end(), [&](const AxisRef& ref) {
      return CheckAxisRef(context, range, leaf.mesh, ref);
    });
  };
  return std::all_of(
             leaf.dimensions.begin(), leaf.dimensions.end(),
             [&](const DimensionSharding& dimension) { return are_parts(dimension.axes); }) &&
         are_parts(leaf.replicated_axes) && are_parts(leaf.unreduced_axes) &&
         are_parts(leaf.manual_axes);
}

void CheckMesh(const RuleContext& context, SourceRange range, const ShardingLeaf& leaf,
               int64_t partition_count) {
  MeshChecker(context, range, leaf).Check(partition_count);
}

}  // namespace hlo

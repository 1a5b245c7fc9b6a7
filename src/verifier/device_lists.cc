// What comes from programs may say anything: products are checked, and a list is counted before it
// is looked through. The first mistake is reported and ends the check. Meshes have the rules of
// verifier.md 1.13, an iota those that the caller names.
#include "verifier/device_lists.h"

#include <algorithm>

#include "support/checked_math.h"
#include "support/permutation.h"

namespace hlo {
namespace {

bool ArePositive(const IntList& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 1; });
}

bool CheckAxes(const RuleContext& context, SourceRange range, const List<MeshAxis>& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].size < 0) {
      return context.Report(Rule::kShardingMeshAxes, range, "mesh axis `{}` has the size {}",
                            axes[i].name, axes[i].size);
    }
    for (size_t j = 0; j < i; ++j) {
      if (axes[j].name != axes[i].name) continue;
      return context.Report(Rule::kShardingMeshAxes, range, "two mesh axes are called `{}`",
                            axes[i].name);
    }
  }
  return true;
}

std::optional<int64_t> DeviceCount(const List<MeshAxis>& axes) {
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  return CheckedProduct(sizes);
}

}  // namespace

bool CheckIota(const RuleContext& context, SourceRange range, const IotaDevices& iota,
               const IotaRules& rules) {
  if (iota.dims.empty() || !ArePositive(iota.dims)) {
    return context.Report(rules.size, range, "devices are counted over an array of sizes [{}]",
                          fmt::join(iota.dims, ","));
  }
  const auto rank = static_cast<int64_t>(iota.dims.size());
  const bool is_in_order = iota.permutation.empty() && rank == 1;
  if (is_in_order || IsPermutation(iota.permutation, rank)) return true;
  return context.Report(rules.permutation, range, "`T({})` is not a permutation of {} dimensions",
                        fmt::join(iota.permutation, ","), rank);
}

bool CheckMeshDevices(const RuleContext& context, SourceRange range, const Mesh& mesh) {
  if (!CheckAxes(context, range, mesh.axes)) return false;
  const std::optional<int64_t> count = DeviceCount(mesh.axes);
  if (!count) {
    return context.Report(Rule::kShardingMeshAxes, range,
                          "the axes of the mesh have more than 2^63 - 1 devices");
  }
  constexpr Rule kIds = Rule::kShardingMeshDeviceIds;
  switch (mesh.order) {
    case DeviceOrder::kNone:
      return true;
    case DeviceOrder::kIota:
      if (!CheckIota(context, range, mesh.device_iota, {kIds, kIds})) return false;
      if (CheckedProduct(mesh.device_iota.dims) == *count) return true;
      return context.Report(kIds, range, "`device_ids` do not count the {} devices of the mesh",
                            *count);
    case DeviceOrder::kList:
      if (IsPermutation(mesh.device_list, *count)) return true;
      return context.Report(kIds, range, "the device ids are not a permutation of the {} devices",
                            *count);
  }
  return true;
}

bool CheckAxisRef(const RuleContext& context, SourceRange range, const Mesh& mesh,
                  const AxisRef& ref) {
  const auto axis_count = static_cast<int64_t>(mesh.axes.size());
  if (ref.axis < 0 || ref.axis >= axis_count) {
    return context.Report(Rule::kShardingMeshAxisRef, range, "axis {} of a mesh of {}", ref.axis,
                          axis_count);
  }
  if (ref.IsWhole()) return true;
  const MeshAxis& axis = mesh.axes[ref.axis];
  const std::optional<int64_t> end = CheckedMul(ref.pre_size, ref.size);
  if (ref.pre_size >= 1 && ref.size >= 1 && end && axis.size % *end == 0 && ref.size < axis.size) {
    return true;
  }
  return context.Report(Rule::kShardingMeshSubAxis, range,
                        "`\"{}\":({}){}` is no part of an axis of {}", axis.name, ref.pre_size,
                        ref.size, axis.size);
}

}  // namespace hlo

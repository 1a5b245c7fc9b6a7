// The lists stay as the caller wrote them and are checked later; semantics.md 14.2 says what the
// forms mean. So group_size may be asked of nonsense: axes that the mesh does not have count for
// nothing, and a product beyond 64 bits is as unknown as groups of different sizes.
#include "builder/device_groups.h"

#include <algorithm>
#include <numeric>

#include "support/checked_math.h"

namespace hlo::ops {

DeviceGroups DeviceGroups::Iota(int64_t group_count, int64_t group_size, std::vector<int64_t> dims,
                                std::vector<int64_t> permutation) {
  DeviceGroups groups;
  groups.form_ = ReplicaGroups::Form::kIota;
  groups.tile_dims_ = {group_count, group_size};
  groups.dims_ = std::move(dims);
  groups.permutation_ = std::move(permutation);
  if (groups.permutation_.empty() && groups.dims_.size() > 1) {  // text wants one
    groups.permutation_.resize(groups.dims_.size());
    std::iota(groups.permutation_.begin(), groups.permutation_.end(), 0);
  }
  return groups;
}

DeviceGroups DeviceGroups::Mesh(MeshAxes mesh, std::vector<std::string> axes) {
  DeviceGroups groups;
  groups.form_ = ReplicaGroups::Form::kMesh;
  groups.mesh_ = std::move(mesh);
  groups.axes_ = std::move(axes);
  return groups;
}

std::optional<int64_t> DeviceGroups::group_size() const {
  if (form_ == ReplicaGroups::Form::kIota) return tile_dims_[1];
  if (form_ == ReplicaGroups::Form::kMesh) {
    std::vector<int64_t> sizes;
    for (const auto& [name, axis_size] : mesh_) {
      if (std::ranges::count(axes_, name) > 0) sizes.push_back(axis_size);
    }
    return CheckedProduct(sizes);
  }
  if (groups_.empty()) return std::nullopt;
  const size_t size = groups_[0].size();
  const bool is_uniform = std::ranges::all_of(
      groups_, [&](const std::vector<int64_t>& group) { return group.size() == size; });
  if (!is_uniform) return std::nullopt;
  return static_cast<int64_t>(size);
}

}  // namespace hlo::ops

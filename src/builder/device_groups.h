// Which devices exchange data in a collective operation, in one of the three forms that HLO has.
#ifndef HLOKIT_BUILDER_DEVICE_GROUPS_H_
#define HLOKIT_BUILDER_DEVICE_GROUPS_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/attribute_values.h"

namespace hlo::ops {

class DeviceGroups {
 public:
  // One group of all devices.
  DeviceGroups() = default;
  // The members of each group: {{0, 1}, {2, 3}}.
  DeviceGroups(std::initializer_list<std::vector<int64_t>> groups) : groups_(groups) {}
  explicit DeviceGroups(std::vector<std::vector<int64_t>> groups) : groups_(std::move(groups)) {}

  // [groups, members]<=[dims]T(permutation): the devices 0, 1, 2 ... as an array of `dims`,
  // transposed (empty: not), in row-major order cut into groups.
  static DeviceGroups Iota(int64_t group_count, int64_t group_size, std::vector<int64_t> dims,
                           std::vector<int64_t> permutation = {});
  // Devices that differ in their place along `axes`, names of the mesh's axes, are in one group.
  // The devices of the mesh are 0, 1, 2 ... in row-major order.
  using MeshAxes = std::vector<std::pair<std::string, int64_t>>;  // name, size
  static DeviceGroups Mesh(MeshAxes mesh, std::vector<std::string> axes);

  // How many members a group has; nothing for the one group of all, or where groups differ.
  std::optional<int64_t> group_size() const;

  // Calls `use(const ReplicaGroups&)`: the attribute, which shows the lists of this.
  template <typename Use>
  void WithAttribute(const Use& use) const;

 private:
  ReplicaGroups::Form form_ = ReplicaGroups::Form::kExplicit;
  std::vector<std::vector<int64_t>> groups_;
  std::vector<int64_t> tile_dims_, dims_, permutation_;
  MeshAxes mesh_;
  std::vector<std::string> axes_;
};

template <typename Use>
void DeviceGroups::WithAttribute(const Use& use) const {
  ReplicaGroups value;
  value.form = form_;
  std::vector<IntList> groups(groups_.begin(), groups_.end());
  value.groups = groups;
  value.tile_dims = tile_dims_;
  value.iota = {dims_, permutation_};
  std::vector<MeshAxis> mesh;
  for (const auto& [name, size] : mesh_) mesh.push_back({name, size});
  value.mesh.axes = mesh;
  std::vector<AxisRef> axes;
  for (const std::string& axis : axes_) {
    const auto place = std::find_if(mesh.begin(), mesh.end(),
                                    [&](const MeshAxis& other) { return other.name == axis; });
    axes.push_back({place - mesh.begin()});
  }
  value.mesh_axes = axes;
  use(value);
}

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_DEVICE_GROUPS_H_

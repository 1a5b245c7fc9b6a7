// Meetings as kernels hold them: with the other members of a group, or alone.
#ifndef HLOKIT_INTERP_REFERENCE_MEET_H_
#define HLOKIT_INTERP_REFERENCE_MEET_H_

#include <cstddef>
#include <memory>

#include "interp/kernel/device.h"
#include "interp/kernel/transport.h"

namespace hlo::reference {

// The group that the device of `e` is in; no members: in none.
absl::StatusOr<GroupPlace> FindGroup(Evaluation& e);

// What kernels that meet keep from run to run: the device's group.
struct GroupState : KernelState {
  GroupPlace place;
};
// Fails when the groups make no sense.
absl::StatusOr<std::unique_ptr<KernelState>> PrepareGroup(Evaluation& e);

// Has `work` done for every member of the device's group, who all have come here then.
// `result_count` results from the first one on are what it makes. Fails when the device is in no
// group.
absl::Status Meet(Evaluation& e, const GroupPlace& place, size_t first_result, size_t result_count,
                  MeetingWork work);
// The same for the group that the kernel prepared, and for all results.
absl::Status Meet(Evaluation& e, size_t first_result, size_t result_count, MeetingWork work);
absl::Status Meet(Evaluation& e, MeetingWork work);

// The number that result leaf i of a meeting's member has among all results of `e`.
inline size_t ResultNumber(const Evaluation& e, const Meeting& meeting, size_t i) {
  return static_cast<size_t>(meeting.me().results.data() - e.results().data()) + i;
}

// Sets all bits to zero.
void Zero(const MutableArrayRef& array);
void ZeroResults(Evaluation& e, size_t first, size_t count);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_MEET_H_

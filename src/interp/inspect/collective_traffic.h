// How much participants bring to the collectives of a program.
#ifndef HLOKIT_INTERP_INSPECT_COLLECTIVE_TRAFFIC_H_
#define HLOKIT_INTERP_INSPECT_COLLECTIVE_TRAFFIC_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/kernel/evaluation.h"
#include "ir/device_groups.h"
#include "ir/module.h"

namespace hlo {

// What one participant brought to one collective in all of its calls.
struct CollectiveTraffic {
  InstructionId instruction;
  int64_t count = 0;      // calls
  int64_t byte_size = 0;  // of the operands

  bool operator==(const CollectiveTraffic&) const = default;
};

// Whether arrays of other participants meet or get the operands of `instruction`.
bool IsTraffic(const Instruction& instruction);

// Adds a call to the list of one participant.
void AddTraffic(const Evaluation& evaluation, std::vector<CollectiveTraffic>& traffic);

// A table with a row for each collective and participant, or one where all bring the same.
std::string TrafficText(const Module& module, const DeviceCounts& counts,
                        std::span<const std::vector<CollectiveTraffic>> by_participant);

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_COLLECTIVE_TRAFFIC_H_

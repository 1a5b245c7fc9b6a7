// The ends of transfers that do not list their pairs: a channel whose one send and whose one recv
// are each placed on a device by `sharding={maximal device=N}` (semantics.md 14.4).
#ifndef HLOKIT_IR_TRANSFER_ENDS_H_
#define HLOKIT_IR_TRANSFER_ENDS_H_

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace hlo {

// The device that all of `instruction` is placed on; nothing: no one device.
std::optional<int64_t> MaximalDevice(const Instruction& instruction);

// The partitions between which the channel carries data, in every replica.
struct TransferEnds {
  int64_t source = 0;
  int64_t target = 0;
};
// Nothing when the channel has no or several ends of one kind, or one without a device.
std::optional<TransferEnds> FindTransferEnds(const Module& module, int64_t channel);

}  // namespace hlo

#endif  // HLOKIT_IR_TRANSFER_ENDS_H_

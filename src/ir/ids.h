// Ids of the things a module holds: dense, starting at 0, typed so that they cannot be confused.
#ifndef HLOKIT_IR_IDS_H_
#define HLOKIT_IR_IDS_H_

#include <compare>
#include <cstdint>
#include <utility>

namespace hlo {

template <typename Tag>
struct Id {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}
  constexpr bool valid() const { return value != kNone; }
  auto operator<=>(const Id&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value);
  }
};

using InstructionId = Id<struct InstructionTag>;
using ComputationId = Id<struct ComputationTag>;

}  // namespace hlo

#endif  // HLOKIT_IR_IDS_H_

// What two members of a meeting have that does not fit together.
#ifndef HLOKIT_INTERP_REPLICA_MEMBER_DIFFERENCE_H_
#define HLOKIT_INTERP_REPLICA_MEMBER_DIFFERENCE_H_

#include <cstdint>
#include <span>
#include <string>

#include "interp/kernel/array_view.h"
#include "ir/op_view.h"

namespace hlo {

// An instruction with the operands it has at run time.
struct MetOperation {
  OpView op;
  std::span<const ArrayRef> operands;
};

struct MemberDifference {
  std::string first;  // what the first one has; empty: they do not differ in what matters
  std::string second;
};

// Members may share a channel and come to different instructions, or have other sizes at run time.
MemberDifference FindDifference(const MetOperation& a, const MetOperation& b);

// Equal for operands of the same element types and sizes.
uint64_t OperandSignature(std::span<const ArrayRef> operands);

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_MEMBER_DIFFERENCE_H_

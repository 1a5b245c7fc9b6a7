// Addresses are worked out once. What moves is found by the few calls that read it.
#include "interp/simd/block/repeated_calls.h"

#include <algorithm>

#include "interp/reference/element_size.h"
#include "interp/simd/block/element_loops.h"

namespace hlo::simd {

bool Block::RepeatedCalls::Suit(const Block& block) {
  using Kind = Call::Kind;
  return !block.calls_.empty() && std::ranges::all_of(block.calls_, [](const Call& call) {
    return call.kind == Kind::kLoop || call.kind == Kind::kCopyScalar ||
           call.kind == Kind::kCopyRun || call.kind == Kind::kReadScalar ||
           call.kind == Kind::kFill;
  });
}

int64_t Block::RepeatedCalls::ByteSize(const Block& block) {
  return static_cast<int64_t>(block.calls_.size() *
                              (sizeof(BoundCall) + kUsesOfCall * sizeof(Use)));
}

Block::RepeatedCalls::RepeatedCalls(const Block& block, std::span<const ArrayRef> operands,
                                    std::span<const MutableArrayRef> results, std::byte* registers,
                                    ScratchPool& pool)
    : calls_(pool), uses_(pool) {
  std::byte* bases[kMaxBases];
  FindBases(registers, operands, results, bases);
  calls_.reserve(block.calls_.size());
  uses_.reserve(kUsesOfCall * block.calls_.size());
  for (const Call& call : block.calls_) {
    const auto address = [&](size_t k) { return bases[call.bases[k]] + call.offsets[k]; };
    BoundCall bound = {.loop = call.loop,
                       .operands = {address(0), address(1), address(2)},
                       .result = address(Call::kPlaceCount - 1),
                       .count = call.number};
    if (call.kind != Call::Kind::kLoop) {
      const Action& action = block.ActionAt(call.number);
      const bool is_fill = call.kind == Call::Kind::kFill;
      // Of what does not move.
      const bool is_read = is_fill || call.kind == Call::Kind::kReadScalar;
      if (is_read) bound.operands[0] = SourceOf(action, operands);
      bound.count = block.CountOf(action);
      reference::DispatchElementSize(action.result.element_size, [&]<typename T>() {
        bound.loop = is_fill            ? FillWithElement<T>
                     : bound.count == 1 ? CopyElement<T>
                                        : CopyElements<T>;
      });
      if (is_read) {
        calls_.push_back(bound);
        continue;
      }
    }
    for (size_t k = 0; k < kUsesOfCall; ++k) {
      const size_t operand = call.bases[k] - kFirstOperand;
      if (call.bases[k] >= kFirstOperand && operand < operands.size()) {
        uses_.push_back({operand, calls_.size(), k, call.offsets[k]});
      }
    }
    calls_.push_back(bound);
  }
}

}  // namespace hlo::simd

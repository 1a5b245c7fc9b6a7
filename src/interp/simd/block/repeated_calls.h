// The calls of a small block (small_block.cc) for those who run it again and again, from arrays
// that come to lie elsewhere each time.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_REPEATED_CALLS_H_
#define HLOKIT_INTERP_SIMD_BLOCK_REPEATED_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/simd/block/block.h"

namespace hlo::simd {

class Block::RepeatedCalls {
 public:
  // Whether `block` has calls, and all of them are such as need nothing but addresses, of arrays
  // that move or of constants.
  static bool Suit(const Block& block);
  // The bytes they take at most.
  static int64_t ByteSize(const Block& block);

  // `registers`: register_byte_size() bytes, aligned to 64.
  RepeatedCalls(const Block& block, std::span<const ArrayRef> operands,
                std::span<const MutableArrayRef> results, std::byte* registers, ScratchPool& pool);

  // The operand lies there from now on.
  void Move(size_t operand, const std::byte* bytes) {
    for (const Use& use : uses_) {
      if (use.operand == operand) calls_[use.call].operands[use.place] = bytes + use.offset;
    }
  }
  void Run() const {
    for (const BoundCall& call : calls_) {
      call.loop(call.operands[0], call.operands[1], call.operands[2], call.result, call.count);
    }
  }

  // The same, and has each operand lie so many bytes behind from then on.
  void RunAlong(std::span<const int64_t> strides) {
    Run();
    for (const Use& use : uses_) calls_[use.call].operands[use.place] += strides[use.operand];
  }

 private:
  static constexpr size_t kUsesOfCall = Call::kPlaceCount - 1;

  struct BoundCall {
    TileLoop loop;
    const std::byte* operands[3];
    std::byte* result;
    int64_t count;
  };
  // Of an operand of the block, by a call.
  struct Use {
    size_t operand, call, place;
    int64_t offset;  // bytes
  };

  absl::InlinedVector<BoundCall, 16, ScratchAllocator<BoundCall>> calls_;
  absl::InlinedVector<Use, 16, ScratchAllocator<Use>> uses_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_REPEATED_CALLS_H_

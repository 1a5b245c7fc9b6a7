// The calls of a small block, for an executor.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_BOUND_CALLS_H_
#define HLOKIT_INTERP_SIMD_BLOCK_BOUND_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/simd/block/block.h"

namespace hlo::simd {

class Block::BoundCalls final : public KernelState {
 public:
  BoundCalls(const Block& block, Evaluation& e);

  // Whether there are calls for where everything lies now.
  bool IsBound(const Evaluation& e) {
    if (calls_.empty()) return false;
    if (e.placement() == placement_ && placement_ != 0) return true;
    placement_ = e.placement();
    return IsWhereItWas(e);
  }
  // Whether everything lies where it lay when this was asked last.
  bool Stays(const Evaluation& e);
  // Makes the calls for where everything lies now.
  void Bind(Evaluation& e);
  void Run(const Evaluation& e) const;

 private:
  // Without a loop: what `block_` does by the call of the same number.
  struct BoundCall {
    TileLoop loop;
    const void* operands[3];
    std::byte* result;
    int64_t count;
  };
  // What a run says the place of: the operand of loops that read there.
  struct BoundRead {
    const Action* action;
    std::span<const ArrayRef> operands;

    const std::byte* Source() const { return SourceOf(*action, operands); }
  };
  struct BoundReduction {
    RowLoop loop;
    int64_t row_length;
  };
  struct Movable {
    size_t operand;
    const std::byte* bytes;  // where it was last
  };

  bool IsWhereItWas(const Evaluation& e) const {
    for (const Movable& m : movable_) {
      if (e.operand(m.operand).bytes != m.bytes) return false;
    }
    return true;
  }
  BoundCall Bound(const Call& call, std::span<const ArrayRef> operands);
  void BindOther(const Call& call, std::span<const ArrayRef> operands, BoundCall& bound);
  const BoundRead* AddRead(const Action& action, std::span<const ArrayRef> operands) {
    reads_.push_back({&action, operands});
    return &reads_.back();
  }
  template <TileLoop kLoop>
  void BindRead(const Action& action, std::span<const ArrayRef> operands, BoundCall& bound);

  template <TileLoop kLoop>
  static void AtRunTime(const void* read, const void*, const void*, void* to, int64_t count) {
    kLoop(static_cast<const BoundRead*>(read)->Source(), nullptr, nullptr, to, count);
  }
  static void CountAtRunTime(const void* read, const void*, const void*, void* to, int64_t count);
  template <typename T>
  static void ReadRuns(const void* read, const void*, const void*, void* to, int64_t count);
  template <typename T>
  static void ReadAllPieces(const void* read, const void*, const void*, void* to, int64_t count);
  static void ReduceRows(const void* values, const void* init, const void* reduction, void* to,
                         int64_t row_count);

  // What a run looks at comes first.
  uint64_t placement_ = 0;  // where `movable_` were found where they were last
  std::vector<BoundCall> calls_;
  const Block& block_;
  bool is_known_ = false;  // where everything was last
  std::vector<Movable> movable_;
  std::vector<std::byte*> bases_;
  std::vector<BoundRead> reads_;
  std::vector<BoundReduction> reductions_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_BOUND_CALLS_H_

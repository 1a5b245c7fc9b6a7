// One array reduced over some of its dimensions by an opcode of which the order does not matter.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_REDUCTION_H_
#define HLOKIT_INTERP_SIMD_REDUCE_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"

namespace hlo::simd {

inline bool IsRealOrComplex(ElementType type) { return IsFloat(type) || IsComplex(type); }

// What sums by `opcode` of elements of `type` are.
inline ElementType SumType(Opcode opcode, ElementType type) {
  if (opcode != Opcode::kAdd) return TileType(type);
  if (IsComplex(type)) return ElementType::kC128;
  return IsFloat(type) ? ElementType::kF64 : TileType(type);
}

struct ReductionDimension {
  int64_t size;
  int64_t stride;  // elements
};

// Dimensions as one, outermost first; neighbours that are one in memory are joined.
class ReductionDimensions {
 public:
  void Add(ReductionDimension dimension) {
    count_ *= dimension.size;
    if (dimension.size == 1) return;
    if (!list_.empty() && list_.back().stride == dimension.size * dimension.stride) {
      list_.back() = {list_.back().size * dimension.size, dimension.stride};
      return;
    }
    list_.push_back(dimension);
  }
  int64_t count() const { return count_; }
  // The size of the innermost one if its elements lie side by side, else 1.
  int64_t run() const { return !list_.empty() && list_.back().stride == 1 ? list_.back().size : 1; }
  // The innermost one.
  ReductionDimension last() const {
    return list_.empty() ? ReductionDimension{1, 0} : list_.back();
  }
  int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (size_t d = list_.size(); d-- > 0;) {
      offset += index % list_[d].size * list_[d].stride;
      index /= list_[d].size;
    }
    return offset;
  }

 private:
  std::vector<ReductionDimension> list_;
  int64_t count_ = 1;
};

class Reduction {
 public:
  explicit Reduction(Evaluation& e)
      : Reduction(e.op(), 0, e.operand(0).element_type, e.Function(Attr::kToApply).form().opcode) {}
  // Of array `array`, whose input is of `type`, which may be converted to the written one.
  Reduction(const OpView& op, size_t array, ElementType type, Opcode opcode);

  absl::Status Run(Evaluation& e) const;
  // What that takes: a sum for each result and each piece of terms, and rounded ones.
  double ScratchByteSize() const;

 private:
  static constexpr int64_t kLeastRow = 32;  // of pairs that are worth columns

  // Some neighbouring results and some neighbouring terms of each.
  struct Piece {
    int64_t kept_begin, kept_end;
    int64_t term_begin, term_end;
  };

  // `count` elements of `type` at `from` as accumulators, at `tile` or where they are.
  const void* Load(ElementType type, const std::byte* from, int64_t count, std::byte* tile) const;
  void ReduceRows(const std::byte* input, const Piece& piece, std::byte* sums) const;
  void ReduceRuns(const std::byte* from, int64_t stride, int64_t row_count, int64_t count,
                  std::byte* sums) const;
  void ReduceRun(const std::byte* from, int64_t count, std::byte* sum) const;
  void SumPairs(const std::byte* from, int64_t count, double* sum) const;
  int64_t LeastKept() const;  // results of a piece
  void ReduceColumns(const std::byte* input, const Piece& piece, std::byte* sums) const;
  int64_t ReduceShortRows(const std::byte* from, int64_t count, int64_t rows, std::byte* sum) const;
  int64_t SumShortRows(const std::byte* from, int64_t count, int64_t rows, double* sum) const;
  void Store(std::byte* sums, int64_t count, const std::byte* init, std::byte* results) const;
  std::byte* At(std::byte* sums, int64_t i) const { return sums + i * sum_size_; }

  size_t array_;
  ElementType type_;         // of the input
  ElementType result_type_;  // and of the initial value
  ElementType sum_type_;     // f64, c128, or the tile's
  int64_t element_size_, sum_size_;
  int64_t part_count_;  // of an element: 2 of complex numbers
  ReductionDimensions kept_, terms_;
  int64_t fold_ = 1;  // sums of a result: of the terms that lie side by side
  bool has_rows_;     // runs are terms of one sum
  TileLoop combine_;
  RowLoop combine_row_;
  SumTerms sum_terms_ = nullptr;  // sums of floats, where values need not become f64 first
  SumRows sum_rows_ = nullptr;
  SumPairRows sum_pairs_ = nullptr;  // of complex numbers
  Opcode opcode_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_REDUCTION_H_

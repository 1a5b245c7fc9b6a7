// Reading arrays through broadcasts, slices, transposes, concatenations and counters, without a
// copy of them.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_INDEXED_READ_H_
#define HLOKIT_INTERP_SIMD_BLOCK_INDEXED_READ_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "interp/plan/plan.h"

namespace hlo::simd {

// How an array is read through broadcasts, slices and the like: the element of an index of the
// shape `dims` lies at `offset` plus the sum of index times stride.
struct IndexedRead {
  SlotId source;  // invalid where there is no array, or more than one
  int64_t offset = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  bool is_counter = false;  // there is no array: the element is the offset itself (iota)
  // Neighbours lie far apart: for products only, which go through them in an order of their own.
  bool is_far = false;
  // Of a dynamic-slice: what is added to the offset in a run, a start clamped to [0, last] times
  // the stride.
  struct Start {
    SlotId slot;
    int64_t element = 0;  // which of the slot's
    int64_t last = 0;
    int64_t stride = 0;
  };
  std::vector<Start> starts;
  // Of a concatenation: its operands, whose rows follow each other in every row of the result. A
  // row is what one index of the dimensions before the concatenated one has.
  std::vector<IndexedRead> pieces;
  std::vector<int64_t> piece_row_lengths;  // elements
  bool is_negated = false;  // of a piece: what is wanted is the negative of its elements

  bool IsUniform() const;  // one element for all
  // Whether offset and strides alone say where elements of `source` lie.
  bool IsStrided() const { return !is_counter && starts.empty() && pieces.empty(); }
  // Whether they lie side by side in `source`, at a place that the plan knows.
  bool IsPart() const;
  // How many neighbours are the same element at least.
  int64_t RepeatedLength() const;
  // Whether the outermost dimension repeats all that the others have.
  bool RepeatsAsWhole() const;
  // What is read for each row of so many elements where that is one element; else nothing.
  std::optional<IndexedRead> RowsOf(int64_t row_length) const;
  // Whether element r of `source` is wanted for all elements of row r, of so many elements.
  bool RepeatsRows(int64_t row_length) const;
};

// The read of an array as it lies in memory.
IndexedRead ReadInMemory(const Plan& plan, SlotId slot);

// Strides of an array of `shape` that lies in memory by itself.
std::vector<int64_t> DenseStridesOf(const Shape& shape);

// The starts of a box of sizes `box` in an array of sizes `array`, which `slots` are: scalars, or
// one vector of all. None where there is but one place.
std::vector<IndexedRead::Start> StartsOf(const Plan& plan, std::span<const SlotId> slots,
                                         std::span<const int64_t> array,
                                         std::span<const int64_t> box,
                                         std::span<const int64_t> strides);

// The read of an operand; null: it lies in memory.
using ReadOfSlot = absl::FunctionRef<const IndexedRead*(SlotId)>;

// What `step` amounts to for those who read its result; null when that is no IndexedRead.
std::unique_ptr<IndexedRead> MakeIndexedRead(const Plan& plan, const Step& step,
                                             ReadOfSlot read_of);

// The same elements in the same order under other dimensions; null where these split what no
// stride splits.
std::unique_ptr<IndexedRead> Reshaped(const IndexedRead& read, std::span<const int64_t> dims);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_INDEXED_READ_H_

// Reading an array through broadcasts, slices, transposes and counters, without a copy of it.
#ifndef HLOKIT_INTERP_SIMD_INDEXED_READ_H_
#define HLOKIT_INTERP_SIMD_INDEXED_READ_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "interp/plan/plan.h"

namespace hlo::simd {

// How an array is read through broadcasts, slices and the like: the element of an index of the
// shape `dims` lies at `offset` plus the sum of index times stride.
struct IndexedRead {
  SlotId source;
  int64_t offset = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  bool is_counter = false;  // there is no array: the element is the offset itself (iota)
  // Neighbours lie far apart: for products only, which go through them in an order of their own.
  bool is_far = false;

  bool IsUniform() const;  // one element for all
};

// Strides of an array of `shape` that lies in memory by itself.
std::vector<int64_t> DenseStridesOf(const Shape& shape);

// What `step` amounts to for those who read its result; null when that is no IndexedRead.
// `of_operand` is that of the step's only operand; null: it lies in memory.
std::unique_ptr<IndexedRead> MakeIndexedRead(const Plan& plan, const Step& step,
                                             const IndexedRead* of_operand);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_INDEXED_READ_H_

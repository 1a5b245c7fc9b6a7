// How blocks that reduce columns go through their elements.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_COLUMN_PIECES_H_
#define HLOKIT_INTERP_SIMD_BLOCK_COLUMN_PIECES_H_

#include <algorithm>
#include <cstdint>

#include "support/checked_math.h"

namespace hlo::simd {

// The elements are the entries of a batch, one behind the other, whose columns are reduced each by
// itself. An entry is cut into pieces with results of their own, which are combined at the end; its
// last piece is what is left.
class ColumnPieces {
 public:
  // Sizes are elements; `most` of a piece, whole tiles.
  ColumnPieces(int64_t count, int64_t entry_size, int64_t most)
      : entry_size_(entry_size),
        size_(std::min(entry_size, most)),
        per_entry_(CeilDiv(entry_size, size_)),
        piece_count_(count / entry_size * per_entry_) {}

  int64_t size() const { return size_; }
  int64_t piece_count() const { return piece_count_; }

  // The first element of a piece; of number piece_count(): that behind the last one.
  int64_t BeginOf(int64_t piece) const {
    return piece / per_entry_ * entry_size_ + piece % per_entry_ * size_;
  }
  // Which piece the element is in.
  int64_t NumberAt(int64_t element) const {
    return element / entry_size_ * per_entry_ + element % entry_size_ / size_;
  }

 private:
  int64_t entry_size_, size_, per_entry_, piece_count_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_COLUMN_PIECES_H_

// Columns of a product that lie in lines of some side by side, as the pixels of images do: vectors
// of them are loaded from one line, or put together from the end of one and the begin of the next.
// They are copied as they are: Bits are uint32_t or uint64_t, of the elements' size.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_LINE_COLUMNS_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_LINE_COLUMNS_H_

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"

namespace hlo::simd {

// Lanes [lane, end) of a vector of columns: lane l is at `offset` + l.
struct LinePiece {
  int64_t offset;
  int16_t lane, end;
  bool is_whole;  // all lanes of the vector are elements of the array, though not of the line
};

// A panel's columns of some terms, which go to to[term * width + column]; columns up to whole
// vectors are 0.
template <typename Bits>
struct LinePanel {
  const Bits* columns;  // of the first term
  int64_t term_count, term_stride;
  std::span<const LinePiece> pieces;  // a vector begins with lane 0
  int64_t width;
  Bits* to;
};

template <typename Bits>
struct LineKernels {
  void (*pack)(const LinePanel<Bits>&);
};

template <typename Bits>
const LineKernels<Bits>& GetLineKernels();

// The pieces of some panels.
class LineColumns {
 public:
  // Columns begin at `offsets`, of which there is at least one, and which ascend. What lies between
  // the first and the last is part of the array, for each term.
  LineColumns(std::span<const int64_t> offsets, int64_t panel_width, int64_t vector_width);

  // Whether lines are long enough for what pieces cost.
  bool pays() const { return pays_; }
  // Of the panel that begins at a column.
  std::span<const LinePiece> PiecesOfPanel(int64_t column_begin) const;

 private:
  int64_t panel_width_;
  bool pays_;
  absl::InlinedVector<LinePiece, 64> pieces_;
  absl::InlinedVector<int64_t, 16> panel_begins_;  // and the end of the last one
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_LINE_COLUMNS_H_

// What a vector reads beyond its line is overwritten by the next piece. It must not leave the
// array, of which no more is known than that it reaches from the first column to the last.
#include "interp/simd/product/line_columns.h"

#include <algorithm>

// The file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/product/line_columns.cc"
#include "interp/simd/vector/targets.h"
// After targets.h, which says for which.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes that are not the piece's are anything, or 0.
template <typename D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadPiece(D d, const T* columns, const LinePiece& piece) {
  if (piece.is_whole) return hn::LoadU(d, columns + piece.offset);
  HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
  for (int16_t l = piece.lane; l < piece.end; ++l) lanes[l] = columns[piece.offset + l];
  return hn::Load(d, lanes);
}

template <typename T>
void Pack(const LinePanel<T>& panel) {
  const hn::ScalableTag<T> d;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  const T* from = panel.columns;
  T* to = panel.to;
  const LinePiece* const end = panel.pieces.data() + panel.pieces.size();
  for (int64_t k = 0; k < panel.term_count; ++k, from += panel.term_stride, to += panel.width) {
    T* vector = to;
    for (const LinePiece* piece = panel.pieces.data(); piece != end; vector += width) {
      auto columns = LoadPiece(d, from, *piece++);
      for (; piece != end && piece->lane > 0; ++piece) {
        const auto before = hn::FirstN(d, static_cast<size_t>(piece->lane));
        columns = hn::IfThenElse(before, columns, LoadPiece(d, from, *piece));
      }
      hn::StoreU(columns, d, vector);
    }
  }
}

template <typename T>
LineKernels<T> Kernels() {
  return {Pack<T>};
}
LineKernels<uint32_t> Of32Bits() { return Kernels<uint32_t>(); }
LineKernels<uint64_t> Of64Bits() { return Kernels<uint64_t>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(Of32Bits);
HWY_EXPORT(Of64Bits);

template <>
const LineKernels<uint32_t>& GetLineKernels() {
  static const LineKernels<uint32_t> kernels = HWY_DYNAMIC_DISPATCH(Of32Bits)();
  return kernels;
}
template <>
const LineKernels<uint64_t>& GetLineKernels() {
  static const LineKernels<uint64_t> kernels = HWY_DYNAMIC_DISPATCH(Of64Bits)();
  return kernels;
}

LineColumns::LineColumns(std::span<const int64_t> offsets, int64_t panel_width,
                         int64_t vector_width)
    : panel_width_(panel_width) {
  constexpr int64_t kLeastColumnsOfPiece = 3;
  const int64_t count = std::ssize(offsets), last = offsets.back();
  for (int64_t c = 0; c < count;) {
    if (c % panel_width == 0) panel_begins_.push_back(std::ssize(pieces_));
    const int64_t lane = c % panel_width % vector_width;
    int64_t end = c + 1;
    const auto continues = [&] {
      return offsets[static_cast<size_t>(end)] == offsets[static_cast<size_t>(end - 1)] + 1;
    };
    const int64_t most = std::min(count, c + vector_width - lane);
    while (end < most && continues()) ++end;
    const int64_t offset = offsets[static_cast<size_t>(c)] - lane;
    pieces_.push_back({offset, static_cast<int16_t>(lane), static_cast<int16_t>(lane + end - c),
                       offset >= offsets[0] && offset + vector_width - 1 <= last});
    c = end;
  }
  if (const int16_t lane = pieces_.back().end; lane < vector_width) {
    pieces_.push_back({0, lane, lane, false});  // zeros
  }
  panel_begins_.push_back(std::ssize(pieces_));
  pays_ = count >= kLeastColumnsOfPiece * std::ssize(pieces_);
}

std::span<const LinePiece> LineColumns::PiecesOfPanel(int64_t column_begin) const {
  const auto panel = static_cast<size_t>(column_begin / panel_width_);
  const int64_t begin = panel_begins_[panel];
  return std::span(pieces_).subspan(static_cast<size_t>(begin),
                                    static_cast<size_t>(panel_begins_[panel + 1] - begin));
}

}  // namespace hlo::simd
#endif

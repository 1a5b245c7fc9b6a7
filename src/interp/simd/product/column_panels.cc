// Columns that lie side by side are read line by line, in the order they have in memory, though
// each line goes to several panels: memory gives long runs faster than pieces of them.
#include "interp/simd/product/column_panels.h"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>

#include "interp/simd/product/line_columns.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

// Columns of one term; they begin at `offsets`.
template <typename T, typename S>
void PackLine(const S* from, std::span<const int64_t> offsets, T* to) {
  for (size_t c = 0; c < offsets.size(); ++c) to[c] = Widened(from[offsets[c]]);
}

}  // namespace

template <typename T>
int64_t ColumnPanels<T>::PanelCount() const {
  return CeilDiv(columns_.count(), kernels_.panel_width);
}

template <typename T>
typename ColumnPanels<T>::Block ColumnPanels<T>::PanelAt(int64_t number) const {
  const int64_t begin = number * kernels_.panel_width;
  return {begin, std::min(begin + kernels_.panel_width, columns_.count()), 0, sum_.count()};
}

template <typename T>
int64_t ColumnPanels<T>::PackedSize(int64_t column_count, int64_t term_count, int64_t gap) const {
  return Times(WidthOf(column_count), term_count) + column_count / kernels_.panel_width * gap;
}

// In whole vectors.
template <typename T>
int64_t ColumnPanels<T>::WidthOf(int64_t column_count) const {
  return CeilDiv(column_count, kernels_.vector_width) * kernels_.vector_width;
}

template <typename T>
int64_t ColumnPanels<T>::RunSize() const {
  const auto& sum = sum_.dimensions();
  return sum.empty() ? 1 : sum.back().size;
}

template <typename T>
void ColumnPanels<T>::Pack(ProductData<T> columns, const Block& block, T* packed) const {
  const int64_t column_count = block.column_end - block.column_begin;
  const int64_t term_count = block.term_end - block.term_begin;
  int64_t offsets[kMostBlockColumns];
  columns_.Offsets(block.column_begin, column_count, kInColumns, offsets);
  const bool is_ascending = std::is_sorted(offsets, offsets + column_count);
  const bool is_dense = is_ascending && offsets[column_count - 1] - offsets[0] == column_count - 1;
  const auto& sum = sum_.dimensions();
  const int64_t stride = sum.empty() ? 0 : sum.back().column_stride;
  const int64_t run_size = RunSize();
  const int64_t pitch = kernels_.panel_width * term_count + block.gap;
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::optional<LineColumns> lines;
  if (!is_dense && columns.carriers != nullptr && is_ascending) {
    lines.emplace(std::span<const int64_t>(offsets, static_cast<size_t>(column_count)),
                  kernels_.panel_width, kernels_.vector_width);
    if (!lines->pays()) lines.reset();
  }
  for (int64_t k = block.term_begin; k < block.term_end;) {
    const int64_t length = std::min(run_size - k % run_size, block.term_end - k);
    const ProductData<T> run = columns + sum_.Offset(k, kInColumns);
    // Calls function(where columns begin, where their terms go, the panel's width).
    const auto for_each_panel = [&](const auto& function) {
      for (int64_t c = 0; c < column_count; c += kernels_.panel_width) {
        const int64_t count = std::min(kernels_.panel_width, column_count - c);
        const int64_t width = WidthOf(count);
        function(std::span<const int64_t>(offsets + c, static_cast<size_t>(count)),
                 packed + c / kernels_.panel_width * pitch + (k - block.term_begin) * width, width);
      }
    };
    if (lines) {
      for_each_panel([&](std::span<const int64_t> begins, T* to, int64_t width) {
        const int64_t column = begins.data() - offsets;
        GetLineKernels<Bits>().pack({reinterpret_cast<const Bits*>(run.carriers), length, stride,
                                     lines->PiecesOfPanel(column), width,
                                     reinterpret_cast<Bits*>(to)});
      });
    } else if (!is_dense && stride == 1) {
      for_each_panel([&](std::span<const int64_t> begins, T* to, int64_t width) {
        kernels_.turn_panel({run, begins, length, to, width});
      });
    } else if (is_dense) {
      kernels_.pack_lines({run + offsets[0], stride, length, k - block.term_begin, column_count,
                           packed, pitch, WidthOf(column_count % kernels_.panel_width)});
    } else {
      WithElements(run, [&](const auto* elements) {
        for (int64_t i = 0; i < length; ++i) {
          for_each_panel([&](std::span<const int64_t> begins, T* to, int64_t width) {
            PackLine<T>(elements + i * stride, begins, to + i * width);
            std::fill(to + i * width + std::ssize(begins), to + (i + 1) * width, T{});
          });
        }
      });
    }
    k += length;
  }
}

template <typename T>
void ColumnPanels<T>::PackPanel(ProductData<T> columns, int64_t number, T* packed) const {
  const Block panel = PanelAt(number);
  Pack(columns, panel, packed + panel.column_begin * sum_.count());
}

template class ColumnPanels<float>;
template class ColumnPanels<double>;
template class ColumnPanels<uint32_t>;
template class ColumnPanels<uint64_t>;

}  // namespace hlo::simd

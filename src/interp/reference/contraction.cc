// Blocks keep the accumulators of a few rows in the first-level cache while the rows of `columns`
// stream by; which elements share a block has no influence on any element's own sum.
#include "interp/reference/contraction.h"

#include <algorithm>
#include <complex>

namespace hlo::reference {
namespace {

constexpr int64_t kRowBlock = 4;
constexpr int64_t kColumnBlock = 256;

}  // namespace

template <typename C>
void MultiplyInOrder(int64_t row_count, int64_t sum_count, int64_t column_count, const C* rows,
                     const C* columns, C* out) {
  C block[kRowBlock][kColumnBlock];
  for (int64_t column = 0; column < column_count; column += kColumnBlock) {
    const int64_t width = std::min(kColumnBlock, column_count - column);
    for (int64_t row = 0; row < row_count; row += kRowBlock) {
      const int64_t height = std::min(kRowBlock, row_count - row);
      for (int64_t r = 0; r < height; ++r) std::fill_n(block[r], width, C{});
      for (int64_t k = 0; k < sum_count; ++k) {
        const C* values = columns + k * column_count + column;
        for (int64_t r = 0; r < height; ++r) {
          AddScaled(rows[(row + r) * sum_count + k], values, width, block[r]);
        }
      }
      for (int64_t r = 0; r < height; ++r) {
        std::copy_n(block[r], width, out + (row + r) * column_count + column);
      }
    }
  }
}

template void MultiplyInOrder(int64_t, int64_t, int64_t, const uint32_t*, const uint32_t*,
                              uint32_t*);
template void MultiplyInOrder(int64_t, int64_t, int64_t, const uint64_t*, const uint64_t*,
                              uint64_t*);
template void MultiplyInOrder(int64_t, int64_t, int64_t, const float*, const float*, float*);
template void MultiplyInOrder(int64_t, int64_t, int64_t, const double*, const double*, double*);
template void MultiplyInOrder(int64_t, int64_t, int64_t, const std::complex<float>*,
                              const std::complex<float>*, std::complex<float>*);
template void MultiplyInOrder(int64_t, int64_t, int64_t, const std::complex<double>*,
                              const std::complex<double>*, std::complex<double>*);

}  // namespace hlo::reference

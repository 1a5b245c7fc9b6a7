// Which elements of a dilated, padded dimension a window covers (semantics.md 9.2, 10.4).
#ifndef HLOKIT_INTERP_REFERENCE_WINDOW_POSITIONS_H_
#define HLOKIT_INTERP_REFERENCE_WINDOW_POSITIONS_H_

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ir/window_dimension.h"

namespace hlo::reference {

// The window positions of one output coordinate that fall on elements, neither on padding nor on
// holes: window index `window_first + i * window_step` covers element
// `base_first + i * base_step`, i = 0 ... count-1.
struct WindowRun {
  int64_t count = 0;
  int64_t window_first = 0;
  int64_t window_step = 1;
  int64_t base_first = 0;
  int64_t base_step = 0;
};

// x with a * x = 1 (mod modulus), for a without a common divisor with it; extended Euclid.
inline int64_t InverseModulo(int64_t a, int64_t modulus) {
  int64_t r = modulus, next_r = a % modulus;
  int64_t x = 0, next_x = 1;
  while (next_r != 0) {
    const int64_t quotient = r / next_r;
    r = std::exchange(next_r, r - quotient * next_r);
    x = std::exchange(next_x, x - quotient * next_x);
  }
  return modulus == 1 ? 0 : x;
}

// Window index j stands at p = output * stride + j * window_dilation - padding_low of the dilated
// base, whose element q is at q * base_dilation.
//
// The first j that meets an element is the smallest solution of start + j * w = 0 (mod b), which
// there is when gcd(b, w) divides start. Dilations may be as large as numbers get: products take
// 128 bits, and nothing is searched for.
inline WindowRun FindWindowRun(const WindowDimension& window, int64_t output, int64_t base_size) {
  using Wide = __int128;
  const int64_t b = window.base_dilation;
  const int64_t w = window.window_dilation;
  const Wide start = Wide{output} * window.stride - window.padding_low;
  const int64_t divisor = std::gcd(b, w);
  WindowRun run;
  run.window_step = b / divisor;
  run.base_step = w / divisor;
  if (start % divisor != 0) return run;
  Wide j = (-(start / divisor)) % run.window_step * InverseModulo(w / divisor, run.window_step) %
           run.window_step;
  if (j < 0) j += run.window_step;
  Wide q = (start + j * w) / b;
  if (q < 0) {
    const Wide skipped = (-q + run.base_step - 1) / run.base_step;
    j += skipped * run.window_step;
    q += skipped * run.base_step;
  }
  if (j >= window.size || q >= base_size) return run;
  const int64_t in_window = static_cast<int64_t>((window.size - 1 - j) / run.window_step) + 1;
  const int64_t in_base = static_cast<int64_t>((base_size - 1 - q) / run.base_step) + 1;
  run.count = in_window < in_base ? in_window : in_base;
  run.window_first = static_cast<int64_t>(j);
  run.base_first = static_cast<int64_t>(q);
  return run;
}

// The runs of all `output_size` coordinates, looked up while they fit a table of moderate size and
// found again each time otherwise.
class WindowRuns {
 public:
  WindowRuns(const WindowDimension& window, int64_t output_size, int64_t base_size)
      : window_(window), base_size_(base_size) {
    if (output_size > kMaxTableSize) return;
    table_.reserve(static_cast<size_t>(output_size));
    for (int64_t o = 0; o < output_size; ++o) table_.push_back(FindWindowRun(window, o, base_size));
  }

  WindowRun operator[](int64_t output) const {
    return table_.empty() ? FindWindowRun(window_, output, base_size_)
                          : table_[static_cast<size_t>(output)];
  }

  // The bytes of the tables for all dimensions of an array of sizes `dims`.
  static double ByteSize(const Window& window, std::span<const int64_t> dims);

 private:
  static constexpr int64_t kMaxTableSize = int64_t{1} << 16;

  WindowDimension window_;
  int64_t base_size_;
  std::vector<WindowRun> table_;
};

// The number of window placements over a dimension of `base_size` elements.
inline int64_t WindowOutputSize(const WindowDimension& window, int64_t base_size) {
  using Wide = __int128;
  const Wide dilated = base_size == 0 ? 0 : Wide{base_size - 1} * window.base_dilation + 1;
  const Wide total = dilated + window.padding_low + window.padding_high;
  const Wide effective = Wide{window.size - 1} * window.window_dilation + 1;
  return total < effective ? 0 : static_cast<int64_t>((total - effective) / window.stride + 1);
}

inline double WindowRuns::ByteSize(const Window& window, std::span<const int64_t> dims) {
  double byte_size = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    const int64_t count = WindowOutputSize(dimension, dims[d]);
    if (count <= kMaxTableSize) byte_size += static_cast<double>(count) * sizeof(WindowRun);
  }
  return byte_size;
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_WINDOW_POSITIONS_H_

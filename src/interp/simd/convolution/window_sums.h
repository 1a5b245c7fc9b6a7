// The innermost loops of convolutions whose channels stand alone, in the instruction set that this
// processor has (instruction_set.h).
#ifndef HLOKIT_INTERP_SIMD_CONVOLUTION_WINDOW_SUMS_H_
#define HLOKIT_INTERP_SIMD_CONVOLUTION_WINDOW_SUMS_H_

#include <cstdint>
#include <span>

namespace hlo::simd {

// Where some terms of a sum begin, from the window's first element and from the kernel's.
struct TermRun {
  int64_t input_offset;
  int64_t kernel_offset;
};

// out[p, l] = sum over the terms t of input[p, l, t] * kernel[t], or kernel[l, t]: `lanes` l lie
// side by side in `input`, in `out` and, where it has them, in `kernel`.
template <typename T>
struct WindowSums {
  const T* input = nullptr;
  const T* kernel = nullptr;
  // Terms in their order: of each run `term_count`, evenly spaced.
  std::span<const TermRun> runs;
  int64_t term_count = 1;
  int64_t input_step = 0, kernel_step = 0;
  bool has_kernel_lanes = false;
  int64_t position_count = 1;
  int64_t position_stride = 0;  // in `input`
  int64_t out_stride = 0;       // from position to position
  // Of fewer than a vector holds one is read as a whole.
  int64_t lane_count = 0;
  T* out = nullptr;
};

template <typename T>
struct WindowSumKernels {
  int64_t vector_width;  // elements
  // Products are rounded before they are added, one term after the other: the bits are those of the
  // reference kernel.
  void (*sum)(const WindowSums<T>&);
  // to[l * features + k] = from[k * stride + l] for l below `count`.
  void (*interleave)(const T* from, int64_t stride, int64_t features, int64_t count, T* to);
};

// T: float, double, uint32_t, uint64_t.
template <typename T>
const WindowSumKernels<T>& GetWindowSumKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CONVOLUTION_WINDOW_SUMS_H_

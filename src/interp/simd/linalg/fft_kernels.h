// The inner loops of Fourier transforms. Lines are transformed eight at a time, side by side:
// element i of all of them is eight real parts followed by eight imaginary ones, as doubles.
#ifndef HLOKIT_INTERP_SIMD_LINALG_FFT_KERNELS_H_
#define HLOKIT_INTERP_SIMD_LINALG_FFT_KERNELS_H_

#include <complex>
#include <cstddef>
#include <cstdint>

namespace hlo::simd {

inline constexpr int64_t kFftLanes = 8;
constexpr int64_t RoundToLanes(int64_t n) { return (n + kFftLanes - 1) / kFftLanes * kFftLanes; }
inline constexpr int64_t kMaxFftRadix = 31;  // beyond, a prime's square of steps costs too much

// to[q + stride (radix p + j)] = root(p, j) * sum over k of from[q + stride (p + parts k)] *
// exp(-2 pi i j k / radix), for q below `stride` and p below `parts`.
struct FftStage {
  int64_t radix;  // 2, 4, 8 or odd
  int64_t parts;
  int64_t stride;
  const std::complex<double>* roots;  // [parts, radix - 1], from j = 1 on
  // Odd radices: cosine and sine of -2 pi j k / radix, for j and k up to radix / 2.
  const double* waves;
};

// One row of lanes as it lies in an array: complex numbers or, for real ones, parts without
// imaginary ones.
enum class LineType : uint8_t { kC64, kC128, kF32, kF64 };

struct FftKernels {
  void (*stage)(const FftStage& stage, const double* from, double* to);
  // data[i] *= factors[i], conjugated after that if it `conjugates`.
  void (*multiply)(const std::complex<double>* factors, int64_t count, bool conjugates,
                   double* data);
  void (*conjugate)(int64_t count, double* data);
  // Rows of eight elements, `stride` bytes apart, to lanes and back. `swaps` takes real parts for
  // imaginary ones and back, which turns a transform into its inverse.
  void (*load)(LineType type, const std::byte* from, int64_t stride, int64_t count, bool swaps,
               double* to);
  void (*store)(LineType type, const double* from, int64_t count, bool swaps, double scale,
                std::byte* to, int64_t stride);
  // Row i of lanes times the complex numbers at i * pitch of the arrays of roots, to i * pitch of
  // the arrays of results.
  void (*turn)(const double* from, int64_t count, const double* root_reals,
               const double* root_imaginaries, int64_t pitch, double* reals, double* imaginaries);
};

// Those for the processor.
const FftKernels& GetFftKernels();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_FFT_KERNELS_H_

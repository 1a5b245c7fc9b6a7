// What a discrete Fourier transform of one length needs, whatever the data: how it is cut into
// passes, and the roots of unity they multiply by.
#ifndef HLOKIT_INTERP_SIMD_LINALG_FFT_PLAN_H_
#define HLOKIT_INTERP_SIMD_LINALG_FFT_PLAN_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interp/simd/linalg/fft_kernels.h"

namespace hlo::simd {

// A transform of lines that lie side by side in lanes (fft_kernels.h), by radices of up to 31 or,
// where a prime factor is larger, as a convolution (Bluestein's algorithm).
class LaneFft {
 public:
  static constexpr int64_t kMaxLength = 8192;  // passes stay in the second cache

  // Whether there is a plan for the length: 1 ... kMaxLength, half as much for large primes.
  static bool IsSupported(int64_t length);
  // The bytes of a plan, at most.
  static int64_t ByteSize(int64_t length);

  explicit LaneFft(int64_t length);

  int64_t length() const { return length_; }
  // Elements of each of the two buffers that Run works in: not less than the length.
  int64_t buffer_length() const { return convolution_ ? convolution_->length() : length_; }
  static int64_t BufferLength(int64_t length);

  // Transforms the lines at `data`; `other` is a second buffer. Returns the one the result is in.
  double* Run(double* data, double* other) const;

 private:
  void AddStage(int64_t radix, int64_t rest, int64_t stride);
  double* RunConvolution(double* data, double* other) const;

  int64_t length_;
  std::vector<FftStage> stages_;
  std::vector<std::vector<std::complex<double>>> roots_;  // of the stages
  std::vector<std::vector<double>> waves_;                // of stages of odd radix
  // Bluestein's algorithm: the transform of the convolution, and what it multiplies by.
  std::unique_ptr<LaneFft> convolution_;
  std::vector<std::complex<double>> chirp_, kernel_;
};

// A long line as a matrix: lines down its columns, each element turned by a root of unity, then
// lines along its rows. All lie in lanes.
struct LongFft {
  // Both factors of `length`, or nothing where no two of them have a LaneFft.
  struct Factors {
    int64_t columns_length, rows_length;
  };
  static std::optional<Factors> Factor(int64_t length);
  static int64_t ByteSize(const Factors& factors);

  explicit LongFft(const Factors& factors);

  int64_t length() const { return columns.length() * rows.length(); }

  LaneFft columns, rows;
  int64_t pitch;  // of rows of the matrix and of the roots: a multiple of the lanes
  std::vector<double> root_reals, root_imaginaries;  // [columns.length(), pitch]
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_FFT_PLAN_H_

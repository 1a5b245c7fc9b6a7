// Fourier transforms along one axis of an array, on all threads.
#ifndef HLOKIT_INTERP_SIMD_LINALG_FFT_LINES_H_
#define HLOKIT_INTERP_SIMD_LINALG_FFT_LINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/simd/linalg/fft_kernels.h"
#include "interp/simd/linalg/fft_plan.h"

namespace hlo::simd {

// The bytes of one element.
constexpr int64_t LineElementSize(LineType type) {
  return type == LineType::kC128 ? 16 : type == LineType::kF32 ? 4 : 8;
}

// Lines of an array [outer, length, inner].
struct LineArray {
  LineType type = LineType::kC64;
  int64_t length = 0;  // what there is of each line
};

class FftLines {
 public:
  // Where an axis lies: `line_count` is that of all lines the transform is run on, about.
  struct Axis {
    int64_t length, inner, line_count;
  };

  // Whether there is a way to transform such lines.
  static bool IsSupported(const Axis& axis);
  // The bytes that a transform keeps, and those it takes while it runs.
  static int64_t StateByteSize(const Axis& axis);
  static int64_t ScratchByteSize(const Axis& axis, LineArray from, LineArray to, bool mirrors);

  // Where `mirrors`, lines are read as far as their first half and the element behind it; element
  // length - k of the rest is the conjugate of element k. Inverse transforms divide by the length.
  FftLines(const Axis& axis, LineArray from, LineArray to, bool inverse, bool mirrors);

  absl::Status Run(const DeviceContext& device, int64_t line_count, const std::byte* from,
                   std::byte* to) const;

 private:
  struct Matrix;  // of a long line

  static std::optional<LongFft::Factors> FactorsOf(const Axis& axis);
  // Whether long lines are copied before and after they are transformed.
  static bool CopiesIn(const Axis& axis, const LongFft::Factors& factors, bool mirrors) {
    return axis.inner != 1 || mirrors || factors.rows_length % kFftLanes != 0;
  }
  static bool CopiesOut(const Axis& axis, LineArray to) {
    return axis.inner != 1 || to.length < axis.length;
  }
  // Elements there is room for in such a copy: lanes beyond the last column are read, too.
  static int64_t CopyLength(const Axis& axis) { return axis.length + kFftLanes; }

  // Lanes: lines first ... first + kFftLanes - 1, as far as there are so many.
  void TransformLanes(int64_t first, int64_t line_count, const std::byte* from, std::byte* to,
                      double* data, double* other) const;
  void LoadLanes(int64_t first, int64_t count, const std::byte* from, double* data) const;
  void StoreLanes(int64_t first, int64_t count, const double* data, std::byte* to) const;
  void Mirror(double* data) const;

  // Long lines.
  absl::Status TransformLong(const DeviceContext& device, int64_t line_count, const std::byte* from,
                             std::byte* to) const;
  Matrix MakeMatrix(const DeviceContext& device) const;
  const std::byte* Gather(int64_t line, const std::byte* from, std::byte* copy) const;
  void Spread(int64_t line, const std::byte* copy, std::byte* to) const;
  void TransformColumns(int64_t group, const std::byte* line, const Matrix& matrix, double* data,
                        double* other) const;
  void TransformRows(int64_t group, const Matrix& matrix, std::byte* line, double* data,
                     double* other) const;

  // Where a line begins, in elements; its elements are `inner` apart.
  int64_t BeginOf(int64_t line, int64_t length) const {
    return line / axis_.inner * length * axis_.inner + line % axis_.inner;
  }
  int64_t buffer_size() const {  // doubles
    const int64_t length =
        lane_fft_ ? lane_fft_->buffer_length()
                  : std::max(long_fft_->columns.buffer_length(), long_fft_->rows.buffer_length());
    return 2 * kFftLanes * length;
  }

  Axis axis_;
  LineArray from_, to_;
  bool inverse_, mirrors_;
  double scale_;
  bool copies_in_ = false, copies_out_ = false;  // long lines
  std::optional<LaneFft> lane_fft_;              // one of these
  std::optional<LongFft> long_fft_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_LINALG_FFT_LINES_H_

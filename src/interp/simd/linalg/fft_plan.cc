// Mixed radix after Stockham: every stage reads one buffer and writes the other, so that the result
// is in order without a pass of its own. With k n = (k^2 + n^2 - (k - n)^2) / 2 a transform of any
// length is a convolution with the chirp exp(i pi n^2 / length), which transforms of a larger
// length compute (Bluestein).
#include "interp/simd/linalg/fft_plan.h"

#include <algorithm>
#include <utility>

#include "interp/reference/fft.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using Complex = std::complex<double>;
using reference::UnitRoot;

// The radices of a length, the largest powers of two first; none where a prime factor is too large.
std::vector<int64_t> RadicesOf(int64_t length) {
  std::vector<int64_t> radices;
  for (const int64_t radix : {8, 4, 2}) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  }
  for (int64_t radix = 3; radix <= kMaxFftRadix; radix += 2) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  }
  if (length > 1) radices.clear();
  return radices;
}

// The smallest length of small radices from `least` on.
int64_t ConvolutionLength(int64_t least) {
  int64_t best = INT64_MAX;
  for (const int64_t factor : {1, 3, 5, 9, 15}) {
    int64_t length = factor;
    while (length < least) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

bool IsSmooth(int64_t length) { return length == 1 || !RadicesOf(length).empty(); }

}  // namespace

bool LaneFft::IsSupported(int64_t length) {
  if (length < 1 || length > kMaxLength) return false;
  return IsSmooth(length) || ConvolutionLength(2 * length - 1) <= kMaxLength;
}

int64_t LaneFft::BufferLength(int64_t length) {
  return IsSmooth(length) ? length : ConvolutionLength(2 * length - 1);
}

int64_t LaneFft::ByteSize(int64_t length) {
  constexpr int64_t kSize = sizeof(Complex);
  if (IsSmooth(length)) return 2 * kSize * length;
  const int64_t convolution = ConvolutionLength(2 * length - 1);
  return kSize * (length + convolution) + ByteSize(convolution);
}

LaneFft::LaneFft(int64_t length) : length_(length) {
  if (IsSmooth(length)) {
    int64_t rest = length, stride = 1;
    for (const int64_t radix : RadicesOf(length)) {
      AddStage(radix, rest, stride);
      rest /= radix;
      stride *= radix;
    }
    return;
  }
  convolution_ = std::make_unique<LaneFft>(ConvolutionLength(2 * length - 1));
  const int64_t size = convolution_->length();
  std::vector<double> data(static_cast<size_t>(2 * kFftLanes * size)), other = data;
  for (int64_t k = 0; k < length; ++k) {
    // k^2 modulo 2 * length keeps the angle small.
    chirp_.push_back(UnitRoot(k * k % (2 * length), 2 * length));
    for (const int64_t place : {k, k == 0 ? 0 : size - k}) {
      double* element = data.data() + 2 * kFftLanes * place;
      element[0] = chirp_.back().real();
      element[kFftLanes] = -chirp_.back().imag();
    }
  }
  const double* transformed = convolution_->Run(data.data(), other.data());
  // The way back divides by the length.
  for (int64_t k = 0; k < size; ++k) {
    const double* element = transformed + 2 * kFftLanes * k;
    kernel_.push_back(Complex(element[0], element[kFftLanes]) / static_cast<double>(size));
  }
}

void LaneFft::AddStage(int64_t radix, int64_t rest, int64_t stride) {
  const int64_t parts = rest / radix;
  std::vector<Complex>& roots = roots_.emplace_back();
  for (int64_t p = 0; p < parts; ++p) {
    for (int64_t j = 1; j < radix; ++j) roots.push_back(UnitRoot(p * j, rest));
  }
  std::vector<double>& waves = waves_.emplace_back();
  if (radix % 2 == 1) {
    for (int64_t j = 1; j <= radix / 2; ++j) {
      for (int64_t k = 1; k <= radix / 2; ++k) {
        const Complex root = UnitRoot(j * k, radix);
        waves.push_back(root.real());
        waves.push_back(root.imag());
      }
    }
  }
  stages_.push_back({radix, parts, stride, roots.data(), waves.data()});
}

double* LaneFft::Run(double* data, double* other) const {
  if (convolution_ != nullptr) return RunConvolution(data, other);
  const FftKernels& kernels = GetFftKernels();
  for (const FftStage& stage : stages_) {
    kernels.stage(stage, data, other);
    std::swap(data, other);
  }
  return data;
}

double* LaneFft::RunConvolution(double* data, double* other) const {
  const FftKernels& kernels = GetFftKernels();
  const int64_t size = convolution_->length();
  kernels.multiply(chirp_.data(), length_, /*conjugates=*/false, data);
  std::fill(data + 2 * kFftLanes * length_, data + 2 * kFftLanes * size, 0.0);
  double* transformed = convolution_->Run(data, other);
  // The transform back is that of the conjugates, conjugated.
  kernels.multiply(kernel_.data(), size, /*conjugates=*/true, transformed);
  double* result = convolution_->Run(transformed, transformed == data ? other : data);
  kernels.conjugate(length_, result);
  kernels.multiply(chirp_.data(), length_, /*conjugates=*/false, result);
  return result;
}

std::optional<LongFft::Factors> LongFft::Factor(int64_t length) {
  if (length < 2 * kFftLanes || length > LaneFft::kMaxLength * LaneFft::kMaxLength) {
    return std::nullopt;
  }
  std::vector<int64_t> radices = RadicesOf(length);
  std::ranges::sort(radices, std::ranges::greater());
  int64_t first = 1, second = 1;
  for (const int64_t radix : radices) (first <= second ? first : second) *= radix;
  if (first > second) std::swap(first, second);
  if (radices.empty() || first < kFftLanes || second > LaneFft::kMaxLength) return std::nullopt;
  return Factors{first, second};
}

int64_t LongFft::ByteSize(const Factors& factors) {
  return LaneFft::ByteSize(factors.columns_length) + LaneFft::ByteSize(factors.rows_length) +
         static_cast<int64_t>(sizeof(Complex)) * factors.columns_length *
             RoundToLanes(factors.rows_length);
}

LongFft::LongFft(const Factors& factors)
    : columns(factors.columns_length),
      rows(factors.rows_length),
      pitch(RoundToLanes(factors.rows_length)),
      root_reals(static_cast<size_t>(columns.length() * pitch)),
      root_imaginaries(root_reals.size()) {
  for (int64_t k = 0; k < columns.length(); ++k) {
    for (int64_t j = 0; j < rows.length(); ++j) {
      const Complex root = UnitRoot(k * j, length());
      root_reals[static_cast<size_t>(k * pitch + j)] = root.real();
      root_imaginaries[static_cast<size_t>(k * pitch + j)] = root.imag();
    }
  }
}

}  // namespace hlo::simd

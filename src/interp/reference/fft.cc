// Mixed radix: a transform of length p * m is p transforms of length m over every p-th element,
// joined by m transforms of length p over their results, each turned by a root of unity.
// Bluestein: with k n = (k^2 + n^2 - (k - n)^2) / 2 the transform is a convolution with the chirp
// exp(i pi n^2 / length), computed by transforms of a power of two.
#include "interp/reference/fft.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>

namespace hlo::reference {
namespace {

// Beyond all memory, and far enough below what 64 bits hold.
constexpr int64_t kMaxLength = int64_t{1} << 60;

using Complex = std::complex<double>;

// Above this prime the p^2 steps of a butterfly cost more than the detour by Bluestein.
constexpr int64_t kMaxRadix = 31;

// The product without the library's recovery of infinities, which transforms do not need.
Complex Multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The radices of a mixed-radix transform, or none where a prime factor is too large.
std::vector<int64_t> Radices(int64_t n) {
  std::vector<int64_t> radices;
  for (int64_t radix : {int64_t{4}, int64_t{2}}) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  for (int64_t radix = 3; radix <= kMaxRadix; radix += 2) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  if (n > 1) radices.clear();
  return radices;
}

int64_t PowerOfTwoFrom(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

}  // namespace

Complex UnitRoot(int64_t k, int64_t n) {
  k %= n;
  if (k < 0) k += n;
  // The angle is quadrant * 90 degrees + rest / n * 90 degrees; `rest` fits where n < 2^61.
  const int64_t quadrant = 4 * k / n;
  const int64_t rest = 4 * k % n;
  const double angle = std::numbers::pi / 2 * (static_cast<double>(rest) / static_cast<double>(n));
  const Complex root = rest == 0 ? Complex(1, 0) : Complex(std::cos(angle), -std::sin(angle));
  switch (quadrant) {
    case 0:
      return root;
    case 1:
      return {root.imag(), -root.real()};
    case 2:
      return {-root.real(), -root.imag()};
  }
  return {-root.imag(), root.real()};
}

struct FftPlan::Bluestein {
  explicit Bluestein(int64_t length)
      : convolution(PowerOfTwoFrom(2 * length - 1)),
        chirp(static_cast<size_t>(length)),
        kernel(static_cast<size_t>(convolution.length())) {
    for (int64_t k = 0; k < length; ++k) {
      // exp(-i pi k^2 / length): k^2 modulo 2 * length keeps the angle small.
      const auto square = static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k);
      chirp[k] =
          UnitRoot(static_cast<int64_t>(square % static_cast<uint64_t>(2 * length)), 2 * length);
      kernel[k] = std::conj(chirp[k]);
      if (k > 0) kernel[kernel.size() - k] = kernel[k];
    }
    std::vector<Complex> scratch(static_cast<size_t>(convolution.scratch_count()));
    convolution.Forward(kernel.data(), scratch.data());
  }

  void Run(Complex* data, Complex* scratch) const {
    Complex* buffer = scratch;
    scratch += kernel.size();
    std::fill_n(buffer, kernel.size(), Complex());
    for (size_t k = 0; k < chirp.size(); ++k) buffer[k] = Multiply(data[k], chirp[k]);
    convolution.Forward(buffer, scratch);
    for (size_t k = 0; k < kernel.size(); ++k) buffer[k] = Multiply(buffer[k], kernel[k]);
    convolution.Inverse(buffer, scratch);
    for (size_t k = 0; k < chirp.size(); ++k) data[k] = Multiply(buffer[k], chirp[k]);
  }

  FftPlan convolution;
  std::vector<Complex> chirp, kernel;
};

FftPlan::FftPlan(int64_t length)
    : length_(length), radices_(Radices(std::max<int64_t>(length, 1))) {
  if (length > kMaxLength) throw std::bad_alloc();
  if (length <= 1) return;
  if (radices_.empty()) {
    bluestein_ = std::make_unique<const Bluestein>(length);
    return;
  }
  roots_.reserve(static_cast<size_t>(length));
  for (int64_t k = 0; k < length; ++k) roots_.push_back(UnitRoot(k, length));
}

namespace {

// The length of the convolution that stands for a transform.
double ConvolutionLength(int64_t length) {
  if (length > kMaxLength) return 4 * static_cast<double>(length);
  return static_cast<double>(PowerOfTwoFrom(2 * length - 1));
}

}  // namespace

double FftPlan::ByteSize(int64_t length) {
  if (length <= 1) return 0;
  const double line = sizeof(Complex) * static_cast<double>(length);
  if (!Radices(length).empty()) return line;  // roots
  // The chirp, the kernel and the roots of its transform.
  return line + 2 * sizeof(Complex) * ConvolutionLength(length);
}

double FftPlan::ScratchCount(int64_t length) {
  if (length <= 1) return 0;
  if (!Radices(length).empty()) return static_cast<double>(length);
  return 2 * ConvolutionLength(length);
}

FftPlan::~FftPlan() = default;
FftPlan::FftPlan(FftPlan&&) noexcept = default;

// `to` gets the transform of the `length` elements at `from`, `stride` apart; length * stride is
// the length of the whole.
void FftPlan::MixedRadix(int64_t length, int64_t stride, size_t level, const Complex* from,
                         Complex* to) const {
  if (length == 1) {
    *to = *from;
    return;
  }
  const int64_t radix = radices_[level];
  const int64_t part = length / radix;
  for (int64_t q = 0; q < radix; ++q) {
    MixedRadix(part, stride * radix, level + 1, from + q * stride, to + q * part);
  }
  Complex turned[kMaxRadix];
  for (int64_t k = 0; k < part; ++k) {
    for (int64_t q = 0; q < radix; ++q)
      turned[q] = Multiply(to[q * part + k], roots_[q * k * stride]);
    if (radix == 2) {
      to[k] = turned[0] + turned[1];
      to[part + k] = turned[0] - turned[1];
      continue;
    }
    for (int64_t j = 0; j < radix; ++j) {
      Complex sum = turned[0];
      for (int64_t q = 1; q < radix; ++q) {
        sum += Multiply(turned[q], roots_[q * j % radix * part * stride]);
      }
      to[j * part + k] = sum;
    }
  }
}

void FftPlan::Forward(Complex* data, Complex* scratch) const {
  if (length_ <= 1) return;
  if (bluestein_ != nullptr) return bluestein_->Run(data, scratch);
  std::copy_n(data, length_, scratch);
  MixedRadix(length_, 1, 0, scratch, data);
}

// Frequencies run backwards: bin k of the forward transform is bin -k of the inverse one.
void FftPlan::Inverse(Complex* data, Complex* scratch) const {
  if (length_ <= 1) return;
  Forward(data, scratch);
  std::reverse(data + 1, data + length_);
  const double scale = 1.0 / static_cast<double>(length_);
  for (int64_t i = 0; i < length_; ++i) data[i] *= scale;
}

}  // namespace hlo::reference

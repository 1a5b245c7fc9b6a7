// Discrete Fourier transforms of any length, in complex<double>.
#ifndef HLOKIT_INTERP_REFERENCE_FFT_H_
#define HLOKIT_INTERP_REFERENCE_FFT_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace hlo::reference {

// exp(-2 pi i k / n), exact at multiples of a quarter turn. n > 0.
std::complex<double> UnitRoot(int64_t k, int64_t n);

// The transform of one length: everything that does not depend on the data. Lengths whose prime
// factors are small take O(n log n) by mixed radix, all others by Bluestein's algorithm.
class FftPlan {
 public:
  // Throws std::bad_alloc, also for lengths that no memory holds.
  explicit FftPlan(int64_t length);
  ~FftPlan();
  FftPlan(FftPlan&&) noexcept;

  // The bytes that the plan of a length holds.
  static double ByteSize(int64_t length);
  // The numbers that its transforms need room for besides the data.
  static double ScratchCount(int64_t length);
  int64_t scratch_count() const { return static_cast<int64_t>(ScratchCount(length_)); }

  int64_t length() const { return length_; }

  // data[k] becomes sum over n of data[n] * exp(-2 pi i k n / length).
  void Forward(std::complex<double>* data, std::complex<double>* scratch) const;
  // data[n] becomes (1 / length) * sum over k of data[k] * exp(+2 pi i k n / length).
  void Inverse(std::complex<double>* data, std::complex<double>* scratch) const;

 private:
  struct Bluestein;

  void MixedRadix(int64_t length, int64_t stride, size_t level, const std::complex<double>* from,
                  std::complex<double>* to) const;

  int64_t length_;
  std::vector<int64_t> radices_;             // empty when Bluestein's algorithm is used
  std::vector<std::complex<double>> roots_;  // UnitRoot(k, length) for mixed radix
  std::unique_ptr<const Bluestein> bluestein_;
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_FFT_H_

// Arrays of bf16 as f32, for processors on which oneDNN does not multiply bf16 (AVX2), or f32
// faster. The results are as good: products of bf16 are exact in f32, and sums are f32 in any case.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_WIDE_ARRAYS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_WIDE_ARRAYS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"

namespace hlo::simd::onednn {

// The bytes of an array as f32, as blocks of scratch memory count them; 0: it is f32.
int64_t WideByteSize(const Shape& shape);

// Where the elements of `array` are f32: itself, or `memory`, where they are then put. Fails when
// the run is to stop.
absl::StatusOr<const std::byte*> Widened(const DeviceContext& device, const ArrayRef& array,
                                         std::byte* memory);

// A result that is made as f32.
class WideResult {
 public:
  // `memory` for what is not f32.
  WideResult(const MutableArrayRef& result, std::byte* memory);

  std::byte* bytes() const { return bytes_; }
  // Rounds elements [begin, end), or all of them, to the result's type.
  void Round(int64_t begin, int64_t end) const;
  absl::Status RoundAll(const DeviceContext& device) const;

 private:
  const MutableArrayRef& result_;
  std::byte* bytes_;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_WIDE_ARRAYS_H_

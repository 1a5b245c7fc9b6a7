// The primitives of a convolution (convolution_form.h), compiled, and their work memory.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_CALLS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_CALLS_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "interp/simd/onednn/convolution_form.h"
#include "interp/simd/onednn/primitive.h"

namespace hlo::simd::onednn {

// Of one piece or part; reorders are there where the forms have them.
struct ConvolutionCalls {
  static absl::StatusOr<ConvolutionCalls> Make(const ConvolutionSpec& spec,
                                               const ConvolutionForms& forms);
  // For another part, at the same time.
  absl::StatusOr<ConvolutionCalls> Again() const;

  std::optional<Call> convolution, input_reorder, kernel_reorder, result_reorder;
};

// Adds room for the array that is `argument` of `reorder`, where there is one, to a block of
// `byte_size` bytes; returns where it begins.
int64_t AddRoom(const std::shared_ptr<const Form>& reorder, int argument, int64_t& byte_size);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_CALLS_H_

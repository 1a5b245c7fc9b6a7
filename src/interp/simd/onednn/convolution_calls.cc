// The array of a reorder that is not the convolution's own lies in work memory: what goes in is
// written there first, what comes out last.
#include "interp/simd/onednn/convolution_calls.h"

#include <array>
#include <span>

#include "interp/simd/base/aligned_memory.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {

absl::StatusOr<ConvolutionCalls> ConvolutionCalls::Make(const ConvolutionSpec& spec,
                                                        const ConvolutionForms& forms) {
  const auto compile = [](const std::shared_ptr<const Form>& form, std::span<const int> arguments,
                          std::optional<Call>& call) -> absl::Status {
    if (form == nullptr) return absl::OkStatus();
    HLO_ASSIGN_OR_RETURN(call, Call::Make(*form, arguments));
    return absl::OkStatus();
  };
  const std::array arrays = {spec.input_argument(), spec.kernel_argument(), spec.result_argument()};
  constexpr std::array kReordered = {DNNL_ARG_FROM, DNNL_ARG_TO};
  ConvolutionCalls calls;
  HLO_RETURN_IF_ERROR(compile(forms.convolution, arrays, calls.convolution));
  HLO_RETURN_IF_ERROR(compile(forms.input_reorder, kReordered, calls.input_reorder));
  HLO_RETURN_IF_ERROR(compile(forms.kernel_reorder, kReordered, calls.kernel_reorder));
  HLO_RETURN_IF_ERROR(compile(forms.result_reorder, kReordered, calls.result_reorder));
  return calls;
}

absl::StatusOr<ConvolutionCalls> ConvolutionCalls::Again() const {
  using Calls = ConvolutionCalls;
  Calls calls;
  for (std::optional<Call> Calls::*member : {&Calls::convolution, &Calls::input_reorder,
                                             &Calls::kernel_reorder, &Calls::result_reorder}) {
    if (!(this->*member)) continue;
    HLO_ASSIGN_OR_RETURN(calls.*member, (this->*member)->Again());
  }
  return calls;
}

int64_t AddRoom(const std::shared_ptr<const Form>& reorder, int argument, int64_t& byte_size) {
  const int64_t begin = byte_size;
  if (reorder != nullptr) byte_size += Aligned(ByteSizeOf(reorder->layout(argument)));
  return begin;
}

}  // namespace hlo::simd::onednn

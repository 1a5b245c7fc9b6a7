// A convolution that is the gradient of one by its kernel (semantics.md 10.4, convolution_form.h),
// by oneDNN. The library's threads wait for each other in the middle of it, and would do so forever
// where there are fewer than a primitive was made for: so each part is left to one thread.
#include "interp/simd/onednn/kernel_gradient.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/simd/are_finite.h"
#include "interp/simd/onednn/aligned_memory.h"
#include "interp/simd/onednn/convolution_calls.h"
#include "interp/simd/onednn/one_thread.h"
#include "interp/simd/reference_memory.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

// Where the arrays of a part are in its work memory; images that all parts share have their own.
struct PartMemory {
  PartMemory(const ConvolutionSpec& spec, const ConvolutionForms& forms) {
    shares_input = spec.input_part_size == 0 && forms.input_reorder != nullptr;
    input = AddRoom(forms.input_reorder, DNNL_ARG_TO, shares_input ? shared_byte_size : byte_size);
    kernel = AddRoom(forms.kernel_reorder, DNNL_ARG_TO, byte_size);
    result = AddRoom(forms.result_reorder, DNNL_ARG_FROM, byte_size);
    primitive = byte_size;
    byte_size += Aligned(forms.scratch_byte_size());
    shared_primitive = shared_byte_size;
    if (shares_input) shared_byte_size += Aligned(forms.input_reorder->scratch_byte_size());
  }

  bool shares_input = false;
  int64_t input = 0, kernel = 0, result = 0, primitive = 0;
  int64_t byte_size = 0;
  int64_t shared_primitive = 0, shared_byte_size = 0;
};

class KernelGradient final : public StepProgram {
 public:
  KernelGradient(const OpView& op, ConvolutionSpec spec, ConvolutionForms forms)
      : op_(op), spec_(std::move(spec)), forms_(std::move(forms)), memory_(spec_, forms_) {}

  const ConvolutionSpec& spec() const { return spec_; }
  const ConvolutionForms& forms() const { return forms_; }
  const PartMemory& memory() const { return memory_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override {
    const int64_t own =
        memory_.shared_byte_size + PartsAtOnce(spec_.part_count) * memory_.byte_size;
    return spec_.has_padding() ? ScratchWithReference(op_, own) : own;
  }
  int64_t StateByteSize(IsFixedOperand is_fixed) const override {
    return spec_.has_padding() ? StateWithReference(op_, is_fixed, 0) : 0;
  }
  std::string Text() const override { return forms_.Text(); }

 private:
  OpView op_;
  ConvolutionSpec spec_;
  ConvolutionForms forms_;
  PartMemory memory_;
};

class KernelGradientState final : public KernelState {
 public:
  static absl::StatusOr<std::unique_ptr<KernelState>> Make(Evaluation& e);

  explicit KernelGradientState(const KernelGradient& program)
      : spec_(program.spec()), memory_(program.memory()) {}

  absl::Status Run(Evaluation& e) const;

 private:
  absl::Status Compile(const ConvolutionForms& forms);
  absl::StatusOr<bool> IsGradientFine(Evaluation& e) const;
  absl::Status RunPart(Evaluation& e, int64_t part, const std::byte* shared_input) const;

  const ConvolutionSpec& spec_;
  const PartMemory& memory_;
  Stream stream_;
  std::vector<ConvolutionCalls> parts_;
};

absl::StatusOr<std::unique_ptr<KernelState>> KernelGradientState::Make(Evaluation& e) {
  const auto& program = static_cast<const KernelGradient&>(*e.program());
  auto state = std::make_unique<KernelGradientState>(program);
  absl::Status status;
  WithOneThread(*FindLibrary(), [&] { status = state->Compile(program.forms()); });
  HLO_RETURN_IF_ERROR(status);
  return state;
}

absl::Status KernelGradientState::Compile(const ConvolutionForms& forms) {
  HLO_ASSIGN_OR_RETURN(ConvolutionCalls first, ConvolutionCalls::Make(spec_, forms));
  parts_.push_back(std::move(first));
  while (std::ssize(parts_) < spec_.part_count) {
    HLO_ASSIGN_OR_RETURN(ConvolutionCalls part, parts_.front().Again());
    parts_.push_back(std::move(part));
  }
  return absl::OkStatus();
}

// Padding must not meet infinities or NaN (see convolution.cc).
absl::StatusOr<bool> KernelGradientState::IsGradientFine(Evaluation& e) const {
  if (!spec_.has_padding()) return true;
  return AreFiniteInParts(e.device(), e.operand(1));
}

absl::Status KernelGradientState::Run(Evaluation& e) const {
  HLO_ASSIGN_OR_RETURN(const bool is_fine, IsGradientFine(e));
  if (!is_fine) return e.RunInstead(reference::FindKernel(Opcode::kConvolution));
  const ScratchArray<std::byte> shared(e.device().scratch(), memory_.shared_byte_size);
  if (memory_.shares_input) {
    HLO_RETURN_IF_ERROR(ForEachOnOneThread(e.device(), 1, [&](int64_t) {
      return parts_[0].input_reorder->Run(stream_, Arrays(e.operand(0).bytes, shared.get()),
                                          shared.get() + memory_.shared_primitive);
    }));
  }
  return ForEachOnOneThread(e.device(), spec_.part_count,
                            [&](int64_t part) { return RunPart(e, part, shared.get()); });
}

absl::Status KernelGradientState::RunPart(Evaluation& e, int64_t part,
                                          const std::byte* shared_input) const {
  const ConvolutionCalls& calls = parts_[static_cast<size_t>(part)];
  const ScratchArray<std::byte> memory(e.device().scratch(), memory_.byte_size);
  std::byte* const work = memory.get() + memory_.primitive;
  const auto reordered = [&](const std::optional<Call>& reorder, const std::byte* array,
                             int64_t place) -> absl::StatusOr<const std::byte*> {
    if (!reorder) return array;
    HLO_RETURN_IF_ERROR(reorder->Run(stream_, Arrays(array, memory.get() + place), work));
    return memory.get() + place;
  };
  const std::byte* input = shared_input;
  if (!memory_.shares_input) {
    HLO_ASSIGN_OR_RETURN(
        input, reordered(calls.input_reorder, e.operand(0).bytes + part * spec_.input_part_size,
                         memory_.input));
  }
  HLO_ASSIGN_OR_RETURN(
      const std::byte* gradient,
      reordered(calls.kernel_reorder, e.operand(1).bytes + part * spec_.kernel_part_size,
                memory_.kernel));
  std::byte* const result = e.result().bytes + part * spec_.result_part_size;
  const std::byte* const made = calls.result_reorder ? memory.get() + memory_.result : result;
  HLO_RETURN_IF_ERROR(calls.convolution->Run(stream_, Arrays(input, gradient, made), work));
  if (!calls.result_reorder) return absl::OkStatus();
  return calls.result_reorder->Run(stream_, Arrays(made, result), work);
}

const Kernel& KernelGradient::kernel() const {
  static constexpr Kernel kKernel = {
      .run = [](Evaluation& e) { return e.state<KernelGradientState>().Run(e); },
      .prepare = KernelGradientState::Make};
  return kKernel;
}

}  // namespace

std::shared_ptr<const StepProgram> MakeKernelGradientProgram(const OpView& op, ConvolutionSpec spec,
                                                             ConvolutionForms forms) {
  return std::make_shared<KernelGradient>(op, std::move(spec), std::move(forms));
}

}  // namespace hlo::simd::onednn

// A convolution that is the gradient of one by its kernel (semantics.md 10.4, convolution_form.h),
// by oneDNN. The library's threads wait for each other in the middle of it, and would do so forever
// where there are fewer than a primitive was made for: so each part is left to one thread.
#include "interp/simd/onednn/kernel_gradient.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/onednn/convolution_calls.h"
#include "interp/simd/onednn/one_thread.h"
#include "interp/simd/onednn/wide_arrays.h"
#include "interp/simd/product/are_finite.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

// Where the arrays of a part are in its work memory; images that all parts share have their own,
// and so have arrays that are f32 to the library.
struct PartMemory {
  PartMemory(const OpView& op, const ConvolutionSpec& spec, const ConvolutionForms& forms) {
    shares_input =
        spec.input_part_size == 0 && spec.sum_count == 1 && forms.input_reorder != nullptr;
    input = AddRoom(forms.input_reorder, DNNL_ARG_TO, shares_input ? shared_byte_size : byte_size);
    kernel = AddRoom(forms.kernel_reorder, DNNL_ARG_TO, byte_size);
    sum_byte_size = ByteSizeOf(forms.convolution->layout(spec.result_argument()));
    if (spec.sum_count == 1) result = AddRoom(forms.result_reorder, DNNL_ARG_FROM, byte_size);
    primitive = byte_size;
    byte_size += Aligned(forms.scratch_byte_size());
    shared_primitive = shared_byte_size;
    if (shares_input) shared_byte_size += Aligned(forms.input_reorder->scratch_byte_size());
    if (spec.sum_count > 1) {
      sums = shared_byte_size;
      shared_byte_size += spec.sum_count * Aligned(sum_byte_size);
    }
    if (spec.is_widened) {
      const auto add = [&](const Shape& shape, int64_t& place) {
        place = shared_byte_size;
        shared_byte_size += WideByteSize(shape);
      };
      add(op.operand_shape(0), wide_input);
      add(op.operand_shape(1), wide_kernel);
      add(*op.written_shape(), wide_result);
    }
  }

  bool shares_input = false;
  int64_t input = 0, kernel = 0, result = 0, primitive = 0;
  int64_t byte_size = 0;
  int64_t shared_primitive = 0, shared_byte_size = 0;
  // Of some images each, where there are several.
  int64_t sums = 0, sum_byte_size = 0;
  int64_t wide_input = 0, wide_kernel = 0, wide_result = 0;
};

// Where the arrays are, as the library takes them.
struct StepArrays {
  const std::byte *input, *gradient;
  std::byte* result;
};

class KernelGradient final : public StepProgram {
 public:
  KernelGradient(const OpView& op, ConvolutionSpec spec, ConvolutionForms forms)
      : op_(op), spec_(std::move(spec)), forms_(std::move(forms)), memory_(op, spec_, forms_) {}

  const ConvolutionSpec& spec() const { return spec_; }
  const ConvolutionForms& forms() const { return forms_; }
  const PartMemory& memory() const { return memory_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override {
    const int64_t parts = PartsAtOnce(spec_.part_count * spec_.sum_count);
    const int64_t own = memory_.shared_byte_size + parts * memory_.byte_size;
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
  absl::Status RunParts(Evaluation& e, const StepArrays& arrays, std::byte* shared) const;
  // Part `number` of the features, or sum `number`.
  absl::Status RunPart(Evaluation& e, const StepArrays& arrays, int64_t number,
                       std::byte* shared) const;
  std::byte* SumAt(std::byte* shared, int64_t sum) const {
    return shared + memory_.sums + sum * Aligned(memory_.sum_byte_size);
  }
  absl::Status AddSums(Evaluation& e, std::byte* shared, std::byte* result) const;

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
  while (std::ssize(parts_) < spec_.part_count * spec_.sum_count) {
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
  const ScratchArray<std::byte> memory(e.device().scratch(), memory_.shared_byte_size);
  std::byte* const shared = memory.get();
  if (!spec_.is_widened) {
    return RunParts(e, {e.operand(0).bytes, e.operand(1).bytes, e.result().bytes}, shared);
  }
  StepArrays wide = {};
  HLO_ASSIGN_OR_RETURN(wide.input, Widened(e.device(), e.operand(0), shared + memory_.wide_input));
  HLO_ASSIGN_OR_RETURN(wide.gradient,
                       Widened(e.device(), e.operand(1), shared + memory_.wide_kernel));
  const WideResult result(e.result(), shared + memory_.wide_result);
  wide.result = result.bytes();
  HLO_RETURN_IF_ERROR(RunParts(e, wide, shared));
  return result.RoundAll(e.device());
}

absl::Status KernelGradientState::RunParts(Evaluation& e, const StepArrays& arrays,
                                           std::byte* shared) const {
  if (memory_.shares_input) {
    HLO_RETURN_IF_ERROR(ForEachOnOneThread(e.device(), 1, [&](int64_t) {
      return parts_[0].input_reorder->Run(stream_, Arrays(arrays.input, shared),
                                          shared + memory_.shared_primitive);
    }));
  }
  HLO_RETURN_IF_ERROR(
      ForEachOnOneThread(e.device(), spec_.part_count * spec_.sum_count,
                         [&](int64_t number) { return RunPart(e, arrays, number, shared); }));
  return spec_.sum_count == 1 ? absl::OkStatus() : AddSums(e, shared, arrays.result);
}

// In order.
absl::Status KernelGradientState::AddSums(Evaluation& e, std::byte* shared,
                                          std::byte* result) const {
  constexpr int64_t kPiece = int64_t{1} << 14;
  const int64_t count = memory_.sum_byte_size / static_cast<int64_t>(sizeof(float));
  HLO_RETURN_IF_ERROR(ForEachPart(e.device(), CeilDiv(count, kPiece), [&](int64_t piece) {
    const auto at = [&](int64_t sum) {
      return reinterpret_cast<float*>(SumAt(shared, sum)) + piece * kPiece;
    };
    const int64_t size = std::min(kPiece, count - piece * kPiece);
    float* const all = at(0);
    for (int64_t sum = 1; sum < spec_.sum_count; ++sum) {
      const float* const more = at(sum);
      for (int64_t i = 0; i < size; ++i) all[i] += more[i];
    }
  }));
  const std::byte* const made = SumAt(shared, 0);
  const std::optional<Call>& reorder = parts_[0].result_reorder;
  if (!reorder) {
    std::memcpy(result, made, static_cast<size_t>(memory_.sum_byte_size));
    return absl::OkStatus();
  }
  return ForEachOnOneThread(e.device(), 1, [&](int64_t) {
    const ScratchArray<std::byte> memory(e.device().scratch(), memory_.byte_size);
    return reorder->Run(stream_, Arrays(made, result), memory.get() + memory_.primitive);
  });
}

absl::Status KernelGradientState::RunPart(Evaluation& e, const StepArrays& arrays, int64_t number,
                                          std::byte* shared) const {
  const bool is_sum = spec_.sum_count > 1;
  const ConvolutionCalls& calls = parts_[static_cast<size_t>(number)];
  const ScratchArray<std::byte> memory(e.device().scratch(), memory_.byte_size);
  std::byte* const work = memory.get() + memory_.primitive;
  const auto reordered = [&](const std::optional<Call>& reorder, const std::byte* array,
                             int64_t place) -> absl::StatusOr<const std::byte*> {
    if (!reorder) return array;
    HLO_RETURN_IF_ERROR(reorder->Run(stream_, Arrays(array, memory.get() + place), work));
    return memory.get() + place;
  };
  const std::byte* input = shared;
  if (!memory_.shares_input) {
    const int64_t begin = number * (is_sum ? spec_.input_sum_size : spec_.input_part_size);
    HLO_ASSIGN_OR_RETURN(input,
                         reordered(calls.input_reorder, arrays.input + begin, memory_.input));
  }
  const int64_t begin = number * (is_sum ? spec_.kernel_sum_size : spec_.kernel_part_size);
  HLO_ASSIGN_OR_RETURN(const std::byte* gradient,
                       reordered(calls.kernel_reorder, arrays.gradient + begin, memory_.kernel));
  if (is_sum) {
    return calls.convolution->Run(stream_, Arrays(input, gradient, SumAt(shared, number)), work);
  }
  std::byte* const result = arrays.result + number * spec_.result_part_size;
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

// convolution (semantics.md 10.4) by oneDNN. A kernel that is the same in all runs is brought into
// the library's layout once. Padding there is no element, or a zero that is multiplied: the
// implementations differ, so as in our own kernels it must not meet infinities or NaN in the
// kernel.
//
// To make a primitive takes about a millisecond, which a single run does not win back unless it
// is long: so it matters how often a step will run.
#include "interp/simd/onednn/convolution.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/reference/strided_copy.h"
#include "interp/simd/are_finite.h"
#include "interp/simd/onednn/aligned_memory.h"
#include "interp/simd/onednn/convolution_calls.h"
#include "interp/simd/onednn/convolution_form.h"
#include "interp/simd/onednn/kernel_gradient.h"
#include "interp/simd/onednn/written_types.h"
#include "interp/simd/reach.h"
#include "interp/simd/reference_memory.h"
#include "interp/simd/tile_kernels.h"
#include "support/status_macros.h"
#include "support/thread_pool.h"

namespace hlo::simd::onednn {
namespace {

int64_t ThreadCount(const DeviceContext& device) {
  return device.thread_pool() == nullptr ? 1 : device.thread_pool()->thread_count();
}

// The work memory of a run: one block, in which each array has its place.
struct Scratch {
  Scratch(const ConvolutionSpec& spec, const ConvolutionForms& forms, bool is_kernel_fixed) {
    input = AddRoom(forms.input_reorder, DNNL_ARG_TO, byte_size);
    kernel = byte_size;
    if (!is_kernel_fixed) {
      AddRoom(forms.kernel_reorder, DNNL_ARG_TO, byte_size);
      flipped = byte_size;
      if (spec.flips_kernel()) byte_size += Aligned(ByteSizeOf(spec.kernel));
    }
    result = AddRoom(forms.result_reorder, DNNL_ARG_FROM, byte_size);
    primitive = byte_size;  // they run one after the other
    byte_size += Aligned(forms.scratch_byte_size());
  }

  int64_t input = 0, kernel = 0, flipped = 0, result = 0, primitive = 0;
  int64_t byte_size = 0;
};

class ConvolutionProgram final : public StepProgram {
 public:
  ConvolutionProgram(const OpView& op, ConvolutionSpec spec, ConvolutionForms forms,
                     bool is_kernel_fixed)
      : op_(op),
        spec_(std::move(spec)),
        forms_(std::move(forms)),
        scratch_byte_size_(std::max(Scratch(spec_, forms_, is_kernel_fixed).byte_size,
                                    is_kernel_fixed ? PackingByteSize() : 0)) {
    if (spec_.has_padding()) scratch_byte_size_ = ScratchWithReference(op, scratch_byte_size_);
  }

  const ConvolutionSpec& spec() const { return spec_; }
  const ConvolutionForms& forms() const { return forms_; }

  // Of a kernel as the library wants it; 0: as it lies.
  int64_t PackedByteSize() const;

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override { return scratch_byte_size_; }
  int64_t StateByteSize(IsFixedOperand is_fixed) const override {
    const int64_t own = is_fixed(1) ? PackedByteSize() : 0;
    return spec_.has_padding() ? StateWithReference(op_, is_fixed, own) : own;
  }
  std::string Text() const override { return forms_.Text(); }

 private:
  // What packing a kernel takes.
  int64_t PackingByteSize() const;

  OpView op_;
  ConvolutionSpec spec_;
  ConvolutionForms forms_;
  int64_t scratch_byte_size_;
};

int64_t ConvolutionProgram::PackedByteSize() const {
  if (forms_.kernel_reorder != nullptr) {
    return ByteSizeOf(forms_.kernel_reorder->layout(DNNL_ARG_TO));
  }
  return spec_.flips_kernel() ? ByteSizeOf(spec_.kernel) : 0;
}

int64_t ConvolutionProgram::PackingByteSize() const {
  if (forms_.kernel_reorder == nullptr) return 0;
  return forms_.kernel_reorder->scratch_byte_size() +
         (spec_.flips_kernel() ? ByteSizeOf(spec_.kernel) : 0);
}

// Turns the window around in some dimensions.
class KernelFlip {
 public:
  KernelFlip(const OpView& op, const ConvolutionSpec& spec) {
    const Shape& kernel = op.operand_shape(1);
    const reference::Strides strides = reference::DenseStrides(kernel.dims());
    reference::Strides backwards = strides;
    for (size_t d = 0; d < spec.flips.size(); ++d) {
      const int64_t dim = op.Get<Attr::kDimLabels>().kernel_spatial[d];
      int64_t& stride = backwards[static_cast<size_t>(dim)];
      if (!spec.flips[d]) continue;
      first_ += (kernel.dim(dim) - 1) * stride * ElementByteSize(kernel.element_type());
      stride = -stride;
    }
    copy_.emplace(ElementByteSize(kernel.element_type()), kernel.dims(), backwards, strides);
  }

  void operator()(const std::byte* kernel, std::byte* flipped) const {
    (*copy_)(kernel + first_, flipped);
  }

 private:
  int64_t first_ = 0;  // bytes to the element that comes first
  std::optional<reference::StridedCopy> copy_;
};

class ConvolutionState final : public KernelState {
 public:
  static absl::StatusOr<std::unique_ptr<KernelState>> Make(Evaluation& e);

  ConvolutionState(Evaluation& e, const ConvolutionSpec& spec, const ConvolutionForms& forms);

  absl::Status Run(Evaluation& e) const;

 private:
  absl::Status Prepare(Evaluation& e, const ConvolutionProgram& program);
  absl::Status PackKernel(Evaluation& e, const ConvolutionProgram& program);
  // The kernel as the library wants it, made at `reordered` and `flipped` as far as it has to be.
  absl::StatusOr<const std::byte*> MakeKernel(const Evaluation& e, std::byte* flipped,
                                              std::byte* reordered, std::byte* work) const;
  bool IsKernelFine(const Evaluation& e) const;
  absl::Status RunPieces(Evaluation& e, std::byte* scratch) const;
  absl::Status RunPiece(const Evaluation& e, int64_t image, const std::byte* kernel,
                        std::byte* scratch) const;

  const ConvolutionSpec& spec_;
  Scratch scratch_;
  std::optional<KernelFlip> flip_;
  Stream stream_;
  ConvolutionCalls calls_;
  AlignedMemory packed_;           // of a kernel that is always the same
  bool is_kernel_finite_ = false;  // the same
};

bool IsFinite(const ArrayRef& array) {
  return AreFinite(array.element_type, array.bytes, array.element_count());
}

absl::StatusOr<std::unique_ptr<KernelState>> ConvolutionState::Make(Evaluation& e) {
  const auto& program = static_cast<const ConvolutionProgram&>(*e.program());
  const ConvolutionForms& forms = program.forms();
  auto state = std::make_unique<ConvolutionState>(e, program.spec(), forms);
  absl::Status status;
  WithThreads(*FindLibrary(), ThreadCount(e.device()),
              [&] { status = state->Prepare(e, program); });
  HLO_RETURN_IF_ERROR(status);
  return state;
}

ConvolutionState::ConvolutionState(Evaluation& e, const ConvolutionSpec& spec,
                                   const ConvolutionForms& forms)
    : spec_(spec), scratch_(spec, forms, e.IsFixed(1)) {
  if (spec.flips_kernel()) flip_.emplace(e.op(), spec);
}

absl::Status ConvolutionState::Prepare(Evaluation& e, const ConvolutionProgram& program) {
  HLO_ASSIGN_OR_RETURN(calls_, ConvolutionCalls::Make(spec_, program.forms()));
  if (!e.IsFixed(1) || program.PackedByteSize() == 0) return absl::OkStatus();
  return PackKernel(e, program);
}

absl::Status ConvolutionState::PackKernel(Evaluation& e, const ConvolutionProgram& program) {
  packed_ = AlignedMemory(program.PackedByteSize());
  is_kernel_finite_ = IsFinite(e.operand(1));
  const bool reorders = program.forms().kernel_reorder != nullptr;
  ScratchArray<std::byte> flipped, work;
  if (flip_ && reorders) flipped = {e.device().scratch(), ByteSizeOf(spec_.kernel)};
  if (reorders) {
    work = {e.device().scratch(), program.forms().kernel_reorder->scratch_byte_size()};
  }
  return MakeKernel(e, reorders ? flipped.get() : packed_.get(), packed_.get(), work.get())
      .status();
}

absl::StatusOr<const std::byte*> ConvolutionState::MakeKernel(const Evaluation& e,
                                                              std::byte* flipped,
                                                              std::byte* reordered,
                                                              std::byte* work) const {
  const std::byte* kernel = e.operand(1).bytes;
  if (flip_) {
    (*flip_)(kernel, flipped);
    kernel = flipped;
  }
  if (!calls_.kernel_reorder) return kernel;
  HLO_RETURN_IF_ERROR(calls_.kernel_reorder->Run(stream_, Arrays(kernel, reordered), work));
  return reordered;
}

bool ConvolutionState::IsKernelFine(const Evaluation& e) const {
  if (!spec_.has_padding()) return true;
  return packed_.get() != nullptr ? is_kernel_finite_ : IsFinite(e.operand(1));
}

absl::Status ConvolutionState::Run(Evaluation& e) const {
  if (!IsKernelFine(e)) return e.RunInstead(reference::FindKernel(Opcode::kConvolution));
  const ScratchArray<std::byte> scratch(e.device().scratch(), scratch_.byte_size);
  absl::Status status;
  WithThreads(*FindLibrary(), ThreadCount(e.device()),
              [&] { status = RunPieces(e, scratch.get()); });
  return status;
}

absl::Status ConvolutionState::RunPieces(Evaluation& e, std::byte* scratch) const {
  const std::byte* kernel = packed_.get();
  if (kernel == nullptr) {
    HLO_ASSIGN_OR_RETURN(kernel,
                         MakeKernel(e, scratch + scratch_.flipped, scratch + scratch_.kernel,
                                    scratch + scratch_.primitive));
  }
  for (int64_t image = 0; image < spec_.image_count; image += spec_.piece_count) {
    if (e.device().is_interrupted()) return absl::CancelledError("interrupted");
    HLO_RETURN_IF_ERROR(RunPiece(e, image, kernel, scratch));
  }
  return absl::OkStatus();
}

absl::Status ConvolutionState::RunPiece(const Evaluation& e, int64_t image, const std::byte* kernel,
                                        std::byte* scratch) const {
  const std::byte* input = e.operand(0).bytes + image * spec_.input_image_size;
  std::byte* const result = e.result().bytes + image * spec_.result_image_size;
  std::byte* const work = scratch + scratch_.primitive;
  if (calls_.input_reorder) {
    std::byte* const reordered = scratch + scratch_.input;
    HLO_RETURN_IF_ERROR(calls_.input_reorder->Run(stream_, Arrays(input, reordered), work));
    input = reordered;
  }
  const std::byte* const made = calls_.result_reorder ? scratch + scratch_.result : result;
  HLO_RETURN_IF_ERROR(calls_.convolution->Run(stream_, Arrays(input, kernel, made), work));
  if (!calls_.result_reorder) return absl::OkStatus();
  return calls_.result_reorder->Run(stream_, Arrays(made, result), work);
}

const Kernel& ConvolutionProgram::kernel() const {
  static constexpr Kernel kKernel = {
      .run = [](Evaluation& e) { return e.state<ConvolutionState>().Run(e); },
      .prepare = ConvolutionState::Make};
  return kKernel;
}

// Gradients of kernels of bf16 as products in our matrix registers, where windows are single places
// or skip some, or many output features share what is packed of the images.
bool IsFasterAsProduct(const ConvolutionSpec& spec) {
  constexpr int64_t kManyOutputs = 512;
  if (spec.role != ConvolutionRole::kKernelGradient || spec.input.data_type != dnnl_bf16 ||
      spec.group_count > 1 || !HasMatrixRegisters()) {
    return false;
  }
  return spec.window_size == 1 || spec.group_outputs >= kManyOutputs ||
         std::ranges::any_of(spec.strides, [](int64_t stride) { return stride > 1; });
}

// Whether the time that the library's kernel wins pays for making it.
bool IsWorthIt(const Plan& plan, const ConvolutionSpec& spec, bool repeats) {
  if (plan.library_use == LibraryUse::kWherePossible) return true;
  // With next to no features in a group our kernels do by far worse.
  const bool has_thin_groups = spec.group_count > 1 && spec.group_outputs < 4;
  if (repeats) return spec.products >= 0x1p14;
  return spec.products >= (has_thin_groups ? 0x1p22 : 0x1p28);
}

}  // namespace

std::shared_ptr<const StepProgram> MakeConvolutionProgram(const Plan& plan, const Step& step,
                                                          bool repeats) {
  const bool is_convolution = step.kind == StepKind::kKernel &&
                              step.opcode == Opcode::kConvolution &&
                              plan.instruction(step).opcode == Opcode::kConvolution;
  if (!is_convolution || step.operands.size() != 2) return nullptr;
  const OpView op(*plan.module, plan.instruction(step));
  if (!IsWithinReach(plan, step) || !HasWrittenTypes(plan, step, op)) return nullptr;
  if (FindLibrary() == nullptr) return nullptr;
  for (ConvolutionSpec& spec : ConvolutionSpec::MakeAll(op)) {
    if (plan.library_use == LibraryUse::kWhereFaster && IsFasterAsProduct(spec)) return nullptr;
    if (!IsWorthIt(plan, spec, repeats)) continue;
    std::optional<ConvolutionForms> forms = ConvolutionForms::Make(spec);
    if (!forms) continue;
    if (spec.role == ConvolutionRole::kKernelGradient) {
      return MakeKernelGradientProgram(op, std::move(spec), *std::move(forms));
    }
    return std::make_shared<ConvolutionProgram>(op, std::move(spec), *std::move(forms),
                                                plan.is_fixed(step.operands[1]));
  }
  return nullptr;
}

}  // namespace hlo::simd::onednn

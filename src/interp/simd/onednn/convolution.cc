// convolution (semantics.md 10.4) by oneDNN, in parts that our threads take (convolution_parts.h).
// A kernel that is the same in all runs is brought into the library's layout once. Padding there is
// no element, or a zero that is multiplied: the implementations differ, so as in our own kernels it
// must not meet infinities or NaN in the kernel.
//
// To make a primitive takes about a millisecond, which a single run does not win back unless it
// is long: so it matters how often a step will run.
#include "interp/simd/onednn/convolution.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/reference/strided_copy.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/reach.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/convolution/convolution.h"
#include "interp/simd/instruction_set.h"
#include "interp/simd/onednn/convolution_calls.h"
#include "interp/simd/onednn/convolution_parts.h"
#include "interp/simd/onednn/kernel_gradient.h"
#include "interp/simd/onednn/one_thread.h"
#include "interp/simd/onednn/wide_arrays.h"
#include "interp/simd/onednn/written_types.h"
#include "interp/simd/product/are_finite.h"
#include "interp/simd/product/epilogue.h"
#include "interp/simd/product/tile_kernels.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

// Where the arrays of a part are in its work memory: the kernel's block where it packs that itself.
struct PartMemory {
  PartMemory(const ConvolutionForms& forms, bool packs_kernel) {
    if (packs_kernel) AddRoom(forms.kernel_reorder, DNNL_ARG_TO, byte_size);  // the first
    input = AddRoom(forms.input_reorder, DNNL_ARG_TO, byte_size);
    result = AddRoom(forms.result_reorder, DNNL_ARG_FROM, byte_size);
    primitive = byte_size;
    byte_size += Aligned(forms.scratch_byte_size());
  }

  int64_t input = 0, result = 0, primitive = 0;
  int64_t byte_size = 0;
};

class ConvolutionProgram final : public ProductProgram {
 public:
  ConvolutionProgram(const Plan& plan, const Step& step,
                     std::shared_ptr<const ConvolutionParts> parts);

  const ConvolutionParts& parts() const { return *parts_; }
  // Whether the epilogue follows each part, not all of them.
  bool finishes_parts() const { return finishes_parts_; }
  // Of a block of the kernel as the library wants it, and of all of them; 0: they are taken as they
  // lie, but for the order of a window.
  int64_t PackedBlockByteSize() const;
  int64_t PackedByteSize() const { return parts_->block_count() * PackedBlockByteSize(); }
  // What packing a piece takes.
  int64_t PackingByteSize() const;
  // Whether each part packs the block that it alone reads.
  bool packs_in_parts() const {
    return !is_kernel_fixed_ && parts_->kernel_reorder() != nullptr &&
           parts_->packing().size() == 1 && parts_->block_count() == std::ssize(parts_->parts());
  }
  // Of the kernel as f32 and with its window turned around; 0: it is taken as it is.
  int64_t SourceByteSize() const { return WidenedKernelByteSize() + FlippedByteSize(); }
  int64_t WidenedKernelByteSize() const { return WidenedByteSize(op_.operand_shape(1)); }
  // Of images, and of the result, as f32.
  int64_t WidenedInputByteSize() const { return WidenedByteSize(op_.operand_shape(0)); }
  int64_t WidenedResultByteSize() const { return WidenedByteSize(*op_.written_shape()); }

  const Kernel& kernel() const override;
  InstructionId instruction() const override { return instruction_; }
  std::shared_ptr<const StepProgram> With(Epilogue epilogue) const override;
  int64_t ScratchByteSize() const override;
  int64_t StateByteSize(IsFixedOperand is_fixed) const override;
  std::string Text() const override { return parts_->kinds()[0].forms.Text(); }

 private:
  int64_t WidenedByteSize(const Shape& shape) const {
    return parts_->spec().is_widened ? WideByteSize(shape) : 0;
  }
  int64_t FlippedByteSize() const;

  OpView op_;
  InstructionId instruction_;
  std::shared_ptr<const ConvolutionParts> parts_;
  bool is_kernel_fixed_;
  int64_t part_byte_size_ = 0;  // the largest of a part
  bool finishes_parts_ = false;
};

ConvolutionProgram::ConvolutionProgram(const Plan& plan, const Step& step,
                                       std::shared_ptr<const ConvolutionParts> parts)
    : op_(*plan.module, plan.instruction(step)),
      instruction_(step.instruction),
      parts_(std::move(parts)),
      is_kernel_fixed_(plan.is_fixed(step.operands[1])) {
  for (const ConvolutionPartKind& kind : parts_->kinds()) {
    part_byte_size_ = std::max(part_byte_size_, PartMemory(kind.forms, packs_in_parts()).byte_size);
  }
}

std::shared_ptr<const StepProgram> ConvolutionProgram::With(Epilogue epilogue) const {
  auto program = std::make_shared<ConvolutionProgram>(*this);
  program->epilogue_ = std::move(epilogue);
  program->finishes_parts_ =
      parts_->has_dense_results() &&
      std::ranges::all_of(parts_->parts(), [&](const ConvolutionPart& part) {
        return program->epilogue_->TakesPart(parts_->ResultBegin(part), parts_->ResultCount(part));
      });
  if (program->finishes_parts_) {
    program->part_byte_size_ = std::max(part_byte_size_, program->epilogue_->PartByteSize());
  }
  return program;
}

int64_t ConvolutionProgram::PackedBlockByteSize() const {
  const Form* const reorder = parts_->kernel_reorder();
  return reorder == nullptr ? 0 : Aligned(ByteSizeOf(reorder->layout(DNNL_ARG_TO)));
}

int64_t ConvolutionProgram::PackingByteSize() const {
  int64_t most = 0;
  for (const KernelPacking& packing : parts_->packing()) {
    most = std::max(most, packing.reorder->scratch_byte_size());
  }
  return most;
}

int64_t ConvolutionProgram::FlippedByteSize() const {
  return parts_->spec().flips_kernel() ? Aligned(ByteSizeOf(parts_->spec().kernel)) : 0;
}

// To run takes what parts do, to pack the kernel before what that does.
int64_t ConvolutionProgram::ScratchByteSize() const {
  const bool packs = parts_->kernel_reorder() != nullptr;
  const int64_t packing_count = parts_->block_count() * std::ssize(parts_->packing());
  const int64_t packing = PartsAtOnce(packing_count) * PackingByteSize();
  const int64_t running = WidenedInputByteSize() + WidenedResultByteSize() +
                          PartsAtOnce(std::ssize(parts_->parts())) * part_byte_size_;
  int64_t most = 0;
  if (is_kernel_fixed_) {
    most = std::max(running, packs ? SourceByteSize() + packing : 0);
  } else if (packs_in_parts()) {
    most = SourceByteSize() + running;
  } else {
    most = SourceByteSize() + PackedByteSize() + std::max(packing, running);
  }
  if (epilogue_) most = std::max(most, epilogue_->ScratchByteSize());
  return parts_->spec().has_padding() ? ScratchWithReference(op_, most) : most;
}

int64_t ConvolutionProgram::StateByteSize(IsFixedOperand is_fixed) const {
  const int64_t packed = parts_->kernel_reorder() == nullptr ? SourceByteSize() : PackedByteSize();
  const int64_t own = is_fixed(1) ? packed : 0;
  return parts_->spec().has_padding() ? StateWithReference(op_, is_fixed, own) : own;
}

// Turns the window around in some dimensions.
class KernelFlip {
 public:
  KernelFlip(const OpView& op, const ConvolutionSpec& spec) {
    const Shape& kernel = op.operand_shape(1);
    const int64_t element_size = spec.kernel.data_type == dnnl_bf16 ? 2 : 4;
    const reference::Strides strides = reference::DenseStrides(kernel.dims());
    reference::Strides backwards = strides;
    for (size_t d = 0; d < spec.flips.size(); ++d) {
      const int64_t dim = op.Get<Attr::kDimLabels>().kernel_spatial[d];
      int64_t& stride = backwards[static_cast<size_t>(dim)];
      if (!spec.flips[d]) continue;
      first_ += (kernel.dim(dim) - 1) * stride * element_size;
      stride = -stride;
    }
    copy_.emplace(element_size, kernel.dims(), backwards, strides);
  }

  void operator()(const std::byte* kernel, std::byte* flipped) const {
    (*copy_)(kernel + first_, flipped);
  }

 private:
  int64_t first_ = 0;  // bytes to the element that comes first
  std::optional<reference::StridedCopy> copy_;
};

// What parts multiply by, and whether all of it that was looked at is finite.
struct ReadyKernel {
  const std::byte* bytes = nullptr;
  int64_t block_byte_size = 0;
  std::atomic<bool> is_finite = true;
};

class ConvolutionState final : public KernelState {
 public:
  static absl::StatusOr<std::unique_ptr<KernelState>> Make(Evaluation& e);

  ConvolutionState(Evaluation& e, const ConvolutionProgram& program);

  absl::Status Run(Evaluation& e);

 private:
  absl::Status Compile();
  absl::Status KeepKernel(Evaluation& e);
  // Makes `kernel` of the operand, at `source` and `packed` as far as that has to be done.
  absl::Status MakeKernel(Evaluation& e, std::byte* source, std::byte* packed,
                          ReadyKernel& kernel) const;
  absl::Status PackBlock(const Call& packing, const std::byte* block, std::byte* packed,
                         std::byte* work, ReadyKernel& kernel) const;
  // Runs all parts unless the kernel turns out not to be finite, which may be too late.
  absl::Status RunParts(Evaluation& e, ReadyKernel& kernel) const;
  absl::Status RunPart(Evaluation& e, size_t number, ReadyKernel& kernel, const std::byte* input,
                       std::byte* result) const;

  const ConvolutionProgram& program_;
  const ConvolutionParts& parts_;
  std::optional<KernelFlip> flip_;
  Stream stream_;
  std::vector<ConvolutionCalls> calls_;  // of the parts
  std::vector<Call> packing_;            // of the kernel's blocks
  // Of a kernel that is always the same.
  AlignedMemory kept_;
  ReadyKernel ready_;
};

absl::StatusOr<std::unique_ptr<KernelState>> ConvolutionState::Make(Evaluation& e) {
  const auto& program = static_cast<const ConvolutionProgram&>(*e.program());
  auto state = std::make_unique<ConvolutionState>(e, program);
  absl::Status status;
  WithOneThread(*FindLibrary(), [&] { status = state->Compile(); });
  HLO_RETURN_IF_ERROR(status);
  if (e.IsFixed(1)) HLO_RETURN_IF_ERROR(state->KeepKernel(e));
  return state;
}

ConvolutionState::ConvolutionState(Evaluation& e, const ConvolutionProgram& program)
    : program_(program), parts_(program.parts()) {
  if (parts_.spec().flips_kernel()) flip_.emplace(e.op(), parts_.spec());
}

// Calls of one kind share what is compiled.
absl::Status ConvolutionState::Compile() {
  std::vector<const ConvolutionCalls*> made(parts_.kinds().size());
  calls_.reserve(parts_.parts().size());
  for (const ConvolutionPart& part : parts_.parts()) {
    const ConvolutionPartKind& kind = parts_.kinds()[part.kind];
    auto calls = made[part.kind] == nullptr ? ConvolutionCalls::Make(kind.spec, kind.forms)
                                            : made[part.kind]->Again();
    HLO_RETURN_IF_ERROR(calls.status());
    calls_.push_back(*std::move(calls));
    made[part.kind] = &calls_.back();
  }
  if (parts_.kernel_reorder() == nullptr) return absl::OkStatus();
  constexpr std::array kReordered = {DNNL_ARG_FROM, DNNL_ARG_TO};
  packing_.reserve(static_cast<size_t>(parts_.block_count()) * parts_.packing().size());
  for (const KernelPacking& packing : parts_.packing()) {
    HLO_ASSIGN_OR_RETURN(Call call, Call::Make(*packing.reorder, kReordered));
    packing_.push_back(std::move(call));
  }
  for (int64_t block = 1; block < parts_.block_count(); ++block) {
    HLO_ASSIGN_OR_RETURN(Call call, packing_[0].Again());
    packing_.push_back(std::move(call));
  }
  return absl::OkStatus();
}

absl::Status ConvolutionState::KeepKernel(Evaluation& e) {
  const bool packs = !packing_.empty();
  const int64_t kept = packs ? program_.PackedByteSize() : program_.SourceByteSize();
  if (kept > 0) kept_ = AlignedMemory(kept);
  if (!packs) return MakeKernel(e, kept_.get(), nullptr, ready_);
  const ScratchArray<std::byte> source(e.device().scratch(), program_.SourceByteSize());
  return MakeKernel(e, source.get(), kept_.get(), ready_);
}

absl::Status ConvolutionState::MakeKernel(Evaluation& e, std::byte* source, std::byte* packed,
                                          ReadyKernel& kernel) const {
  kernel.bytes = e.operand(1).bytes;
  kernel.block_byte_size = parts_.block_byte_size();
  if (parts_.spec().is_widened) {
    HLO_ASSIGN_OR_RETURN(kernel.bytes, Widened(e.device(), e.operand(1), source));
  }
  if (flip_) {
    std::byte* const flipped = source + program_.WidenedKernelByteSize();
    (*flip_)(kernel.bytes, flipped);
    kernel.bytes = flipped;
  }
  if (packing_.empty() || parts_.packing().size() > 1) {
    if (parts_.spec().has_padding()) {
      HLO_ASSIGN_OR_RETURN(kernel.is_finite, AreFiniteInParts(e.device(), e.operand(1)));
    }
    if (packing_.empty() || !kernel.is_finite) return absl::OkStatus();
  }
  if (program_.packs_in_parts()) return absl::OkStatus();
  const std::byte* const unpacked = std::exchange(kernel.bytes, packed);
  kernel.block_byte_size = program_.PackedBlockByteSize();
  return ForEachOnOneThread(e.device(), std::ssize(packing_), [&](int64_t i) {
    const auto number = static_cast<size_t>(i);
    const ScratchArray<std::byte> work(e.device().scratch(), program_.PackingByteSize());
    if (parts_.packing().size() > 1) {
      return packing_[number].Run(
          stream_, Arrays(unpacked + parts_.packing()[number].block, packed), work.get());
    }
    return PackBlock(packing_[number], unpacked + i * parts_.block_byte_size(),
                     packed + i * kernel.block_byte_size, work.get(), kernel);
  });
}

// Looks at a block while it is in the caches.
absl::Status ConvolutionState::PackBlock(const Call& packing, const std::byte* block,
                                         std::byte* packed, std::byte* work,
                                         ReadyKernel& kernel) const {
  HLO_RETURN_IF_ERROR(packing.Run(stream_, Arrays(block, packed), work));
  if (!parts_.spec().has_padding()) return absl::OkStatus();
  const Layout& layout = parts_.kernel_reorder()->layout(DNNL_ARG_TO);
  const ElementType type = layout.data_type == dnnl_bf16 ? ElementType::kBf16 : ElementType::kF32;
  const int64_t count = ByteSizeOf(layout) / ElementByteSize(type);
  if (!AreFinite(type, packed, count)) kernel.is_finite = false;
  return absl::OkStatus();
}

absl::Status ConvolutionState::Run(Evaluation& e) {
  bool is_fine = false;
  if (e.IsFixed(1)) {
    if (kept_.get() == nullptr) ready_.bytes = e.operand(1).bytes;
    if (ready_.is_finite) HLO_RETURN_IF_ERROR(RunParts(e, ready_));
    is_fine = ready_.is_finite;
  } else {
    const int64_t source = program_.SourceByteSize();
    const int64_t packed = program_.packs_in_parts() ? 0 : program_.PackedByteSize();
    const ScratchArray<std::byte> memory(e.device().scratch(), source + packed);
    ReadyKernel kernel;
    HLO_RETURN_IF_ERROR(MakeKernel(e, memory.get(), memory.get() + source, kernel));
    if (kernel.is_finite) HLO_RETURN_IF_ERROR(RunParts(e, kernel));
    is_fine = kernel.is_finite;
  }
  if (is_fine && program_.finishes_parts()) return absl::OkStatus();
  if (!is_fine) {
    HLO_RETURN_IF_ERROR(e.RunInstead(reference::FindKernel(Opcode::kConvolution)));
  }
  return program_.epilogue() ? program_.epilogue()->Run(e) : absl::OkStatus();
}

absl::Status ConvolutionState::RunParts(Evaluation& e, ReadyKernel& kernel) const {
  const int64_t input_size = program_.WidenedInputByteSize();
  const ScratchArray<std::byte> memory(e.device().scratch(),
                                       input_size + program_.WidenedResultByteSize());
  const bool widens = parts_.spec().is_widened;
  const std::byte* input = e.operand(0).bytes;
  if (widens) {
    HLO_ASSIGN_OR_RETURN(input, Widened(e.device(), e.operand(0), memory.get()));
  }
  const WideResult wide(e.result(), memory.get() + input_size);
  std::byte* const result = widens ? wide.bytes() : e.result().bytes;
  const bool rounds_parts = widens && parts_.has_dense_results();
  HLO_RETURN_IF_ERROR(
      ForEachOnOneThread(e.device(), std::ssize(calls_), [&](int64_t i) -> absl::Status {
        const auto number = static_cast<size_t>(i);
        HLO_RETURN_IF_ERROR(RunPart(e, number, kernel, input, result));
        const ConvolutionPart& part = parts_.parts()[number];
        const int64_t begin = parts_.ResultBegin(part), end = begin + parts_.ResultCount(part);
        if (rounds_parts) wide.Round(begin, end);
        if (program_.finishes_parts()) program_.epilogue()->RunPart(e, begin, end);
        return absl::OkStatus();
      }));
  return widens && !rounds_parts ? wide.RoundAll(e.device()) : absl::OkStatus();
}

absl::Status ConvolutionState::RunPart(Evaluation& e, size_t number, ReadyKernel& kernel,
                                       const std::byte* input, std::byte* result) const {
  const ConvolutionCalls& calls = calls_[number];
  const ConvolutionPart& part = parts_.parts()[number];
  const bool packs = program_.packs_in_parts();
  const PartMemory place(parts_.kinds()[part.kind].forms, packs);
  const ScratchArray<std::byte> memory(e.device().scratch(), place.byte_size);
  std::byte* const work = memory.get() + place.primitive;
  const std::byte* block = kernel.bytes + part.block * kernel.block_byte_size;
  if (packs) {
    HLO_RETURN_IF_ERROR(PackBlock(packing_[number], block, memory.get(), work, kernel));
    block = memory.get();
  }
  input += part.input;
  if (calls.input_reorder) {
    std::byte* const reordered = memory.get() + place.input;
    HLO_RETURN_IF_ERROR(calls.input_reorder->Run(stream_, Arrays(input, reordered), work));
    input = reordered;
  }
  result += part.result;
  const std::byte* const made = calls.result_reorder ? memory.get() + place.result : result;
  HLO_RETURN_IF_ERROR(calls.convolution->Run(stream_, Arrays(input, block, made), work));
  if (!calls.result_reorder) return absl::OkStatus();
  return calls.result_reorder->Run(stream_, Arrays(made, result), work);
}

const Kernel& ConvolutionProgram::kernel() const {
  static constexpr Kernel kKernel = {
      .run = [](Evaluation& e) { return e.state<ConvolutionState>().Run(e); },
      .prepare = ConvolutionState::Make};
  return kKernel;
}

// Pixels that lie whole pages apart meet in the same few lines of the first-level cache. The
// library takes more of them at a time than fit there, and waits for each again and again; we take
// few.
bool HasPixelsInSameLines(const ConvolutionSpec& spec) {
  constexpr int64_t kPageSize = 4096;
  const int last = spec.input.ndims - 1;
  const bool is_skipping = last >= 2 && spec.strides.back() > 1;
  const int64_t distance = spec.input.format_desc.blocking.strides[last] * spec.strides.back() *
                           static_cast<int64_t>(sizeof(float));
  return spec.role == ConvolutionRole::kResult && spec.input.data_type == dnnl_f32 &&
         spec.group_count == 1 && spec.window_size == 1 && is_skipping && distance % kPageSize == 0;
}

// Gradients of kernels of bf16 as products in our matrix registers, where windows are single places
// or skip some, or many output features share what is packed of the images.
bool IsGradientForMatrixRegisters(const ConvolutionSpec& spec) {
  constexpr int64_t kManyOutputs = 512;
  if (spec.role != ConvolutionRole::kKernelGradient || spec.input.data_type != dnnl_bf16 ||
      spec.group_count > 1 || !HasMatrixRegisters()) {
    return false;
  }
  return spec.window_size == 1 || spec.group_outputs >= kManyOutputs ||
         std::ranges::any_of(spec.strides, [](int64_t stride) { return stride > 1; });
}

// A kernel of 1x1 that few pixels share, packed already, and so large that it comes from memory in
// every run of a model: the library waits for it, while our products ask for what they need next.
bool IsLimitedByKernel(const ConvolutionSpec& spec) {
  constexpr double kLargeKernel = 0x1p20;  // bytes
  constexpr double kFewPixels = 256;
  if (spec.role != ConvolutionRole::kResult || spec.input.data_type != dnnl_f32 ||
      spec.group_count > 1 || spec.window_size > 1 || !spec.is_kernel_fixed) {
    return false;
  }
  const double inputs = static_cast<double>(spec.input.dims[1]);
  const double outputs = static_cast<double>(spec.result.dims[1]);
  return inputs * outputs * sizeof(float) >= kLargeKernel &&
         spec.products <= kFewPixels * inputs * outputs;
}

// Single places of large images of bf16 that meet few output features: to make f32 of them all
// takes as long as a quarter of the products, which ours do as they go.
bool HasFewOutputsToWidenFor(const ConvolutionSpec& spec) {
  constexpr int64_t kFewOutputs = 128;
  constexpr double kLargeImages = 0x1p26;  // products
  return spec.is_widened && spec.role == ConvolutionRole::kResult && spec.window_size == 1 &&
         spec.result.dims[1] <= std::min(kFewOutputs, spec.input.dims[1]) &&
         spec.products >= kLargeImages;
}

// Without AVX-512 our products take 0.6 to 0.95 of the time where there are windows of several
// places or such that skip some, and bf16 need not become f32 first. The library's are faster where
// pixels lie side by side and meet in windows (ours bring each into panels once for each place),
// where those in a row make a product, where it can skip holes, for gradients by kernels, and where
// there are groups or few features, of which no whole vectors can be made.
bool IsForOwnVectors(const ConvolutionSpec& spec) {
  constexpr int64_t kFewFeatures = 8;
  if (HasAvx512() || spec.role == ConvolutionRole::kKernelGradient || spec.group_count > 1) {
    return false;
  }
  if (std::min(spec.input.dims[1], spec.result.dims[1]) <= kFewFeatures) return false;
  if (spec.window_size > 1 && !spec.has_dense_features()) return false;
  const bool skips = std::ranges::any_of(spec.strides, [](int64_t stride) { return stride > 1; });
  if (spec.role == ConvolutionRole::kImageGradient) return spec.window_size > 1 && !skips;
  return spec.window_size > 1 || skips || HasFewOutputsToWidenFor(spec);
}

// Next to no output features of single places: memory is what limits, and the library's vectors
// would be mostly empty.
bool HasFewOutputsOfPlaces(const ConvolutionSpec& spec) {
  return spec.role == ConvolutionRole::kResult && spec.window_size == 1 && spec.group_count == 1 &&
         spec.result.dims[1] <= (spec.has_dense_features() ? 1 : 8);
}

bool IsFasterAsProduct(const ConvolutionSpec& spec) {
  return HasPixelsInSameLines(spec) || IsLimitedByKernel(spec) || IsForOwnVectors(spec) ||
         HasFewOutputsOfPlaces(spec) || IsGradientForMatrixRegisters(spec);
}

// Whether the time that the library's kernel wins pays for making it.
bool IsWorthIt(const Plan& plan, double products, bool has_thin_groups, bool repeats) {
  if (plan.library_use == LibraryUse::kWherePossible) return true;
  if (repeats) return products >= 0x1p14;
  // With next to no features in a group our kernels do by far worse.
  return products >= (has_thin_groups ? 0x1p22 : 0x1p28);
}

bool IsWorthIt(const Plan& plan, const ConvolutionSpec& spec, bool repeats) {
  return IsWorthIt(plan, spec.products, spec.has_thin_groups(), repeats);
}

// Whether that may be so, as far as the sizes of arrays tell: to load the library takes as long as
// a small program.
bool MayBeWorthIt(const Plan& plan, const OpView& op, bool repeats) {
  const Shape& kernel = op.operand_shape(1);
  const int64_t outputs = kernel.dim(op.Get<Attr::kDimLabels>().kernel_output_feature);
  const int64_t groups =
      std::max(op.Get<Attr::kFeatureGroupCount>(), op.Get<Attr::kBatchGroupCount>());
  if (outputs == 0) return false;
  const auto count_of = [](const Shape& shape) {
    return static_cast<double>(ElementCount(shape).value_or(INT64_MAX));
  };
  // Gradients by images, which skip holes, have fewer.
  const double most =
      count_of(*op.written_shape()) * count_of(kernel) / static_cast<double>(outputs);
  return IsWorthIt(plan, most, HasThinGroups(groups, outputs / groups), repeats);
}

}  // namespace

std::shared_ptr<const StepProgram> MakeConvolutionProgram(const Plan& plan, const Step& step,
                                                          bool repeats,
                                                          ConvolutionPartsCache& cache) {
  const bool is_convolution = step.kind == StepKind::kKernel &&
                              step.opcode == Opcode::kConvolution &&
                              plan.instruction(step).opcode == Opcode::kConvolution;
  if (!is_convolution || step.operands.size() != 2) return nullptr;
  const OpView op(*plan.module, plan.instruction(step));
  if (!IsWithinReach(plan, step) || !HasWrittenTypes(plan, step, op)) return nullptr;
  if (!MayBeWorthIt(plan, op, repeats)) return nullptr;
  const bool may_choose = plan.library_use == LibraryUse::kWhereFaster;
  if (may_choose && ConvolutionShape(op).has_few_features()) return nullptr;
  if (FindLibrary() == nullptr) return nullptr;
  for (ConvolutionSpec& spec : ConvolutionSpec::MakeAll(op)) {
    spec.is_kernel_fixed = plan.is_fixed(step.operands[1]);
    if (may_choose && IsFasterAsProduct(spec)) return nullptr;
    if (!IsWorthIt(plan, spec, repeats)) continue;
    if (spec.role == ConvolutionRole::kKernelGradient) {
      std::optional<ConvolutionForms> forms = ConvolutionForms::Make(spec);
      if (forms) return MakeKernelGradientProgram(op, std::move(spec), *std::move(forms));
      continue;
    }
    const int64_t least_count = plan.library_use == LibraryUse::kWherePossible ? 4 : 1;
    std::shared_ptr<const ConvolutionParts> parts = cache.Make(std::move(spec), least_count);
    if (parts == nullptr) continue;
    return std::make_shared<ConvolutionProgram>(plan, step, std::move(parts));
  }
  return nullptr;
}

}  // namespace hlo::simd::onednn

// Runs a convolution by the library, in parts that our threads take. A kernel that is the same in
// all runs is brought into the library's layout once; others are in every run, before the parts or
// in them. What meets padding must be finite: where it is not, the reference kernel runs instead.
#include "interp/simd/onednn/convolution_state.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/reach.h"
#include "interp/simd/onednn/convolution_calls.h"
#include "interp/simd/onednn/convolution_program.h"
#include "interp/simd/onednn/kernel_flip.h"
#include "interp/simd/onednn/one_thread.h"
#include "interp/simd/onednn/wide_arrays.h"
#include "interp/simd/product/are_finite.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

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

}  // namespace

const Kernel& ConvolutionKernel() {
  static constexpr Kernel kKernel = {
      .run = [](Evaluation& e) { return e.state<ConvolutionState>().Run(e); },
      .prepare = ConvolutionState::Make};
  return kKernel;
}

}  // namespace hlo::simd::onednn

// How much memory a convolution takes: what its parts need at a time, and its kernel in the
// library's layout, which is kept where it is the same in all runs.
#include "interp/simd/onednn/convolution_program.h"

#include <algorithm>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/onednn/convolution_state.h"

namespace hlo::simd::onednn {

ConvolutionProgram::ConvolutionProgram(const Plan& plan, const Step& step,
                                       std::shared_ptr<const ConvolutionParts> parts)
    : op_(*plan.module, plan.instruction(step)),
      instruction_(step.instruction),
      parts_(std::move(parts)),
      is_kernel_fixed_(plan.is_fixed(step.operands[1], step.kept_loop)) {
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

const Kernel& ConvolutionProgram::kernel() const { return ConvolutionKernel(); }

}  // namespace hlo::simd::onednn

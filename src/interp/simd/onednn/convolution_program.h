// What a convolution by the library is made of before it runs: its parts, and the memory they take.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_PROGRAM_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_PROGRAM_H_

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/onednn/convolution_calls.h"
#include "interp/simd/onednn/convolution_parts.h"
#include "interp/simd/onednn/wide_arrays.h"
#include "interp/simd/product/epilogue.h"

namespace hlo::simd::onednn {

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

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_PROGRAM_H_

// dot as a product of strided arrays.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_DOT_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_DOT_H_

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/kernel/evaluation.h"
#include "interp/simd/block/indexed_read.h"
#include "interp/simd/block/run_time_start.h"
#include "interp/simd/product/epilogue.h"
#include "interp/simd/product/matrix_product.h"

namespace hlo::simd {

// Where the elements of an operand lie, by the dimensions of the shape that the dot sees, and what
// they are there: it may see them converted.
struct OperandPlace {
  int64_t offset = 0;
  std::vector<int64_t> strides;
  ElementType type;
};

// The places of arrays that are an instruction's operands as they are.
std::array<OperandPlace, 2> OwnPlaces(const OpView& op);

// The roles of a dot's dimensions. The lhs gives the rows unless it is `swapped`.
struct DotShape {
  DotShape(const OpView& op, const std::array<OperandPlace, 2>& places, bool may_swap = true);

  // The operands change places.
  void Swap();

  ProductShape product;
  bool is_swapped = false;

 private:
  bool HasBetterRows() const;
};

// A dot that reads its operands through broadcasts, slices, transposes and conversions, or that a
// block follows.
class DotProgram final : public ProductProgram {
 public:
  // What is read for an operand: the array itself, or what `read` says. It is the operand or, where
  // `is_converted`, shows the same elements in the type they are converted from.
  struct Source {
    SlotId array;
    const IndexedRead* read = nullptr;
    bool is_converted = false;

    bool is_operand() const { return read == nullptr && !is_converted; }
  };
  // Null when the kernel can read neither operand in another way than as it is.
  static std::shared_ptr<const DotProgram> Make(const Plan& plan, const Step& step,
                                                const std::array<Source, 2>& sources);
  // Of a dot whose operands are read as they are; null where there is no kernel for that.
  static std::shared_ptr<const DotProgram> Make(const Plan& plan, const Step& step);

  DotProgram(OpView op, InstructionId instruction) : op_(op), instruction_(instruction) {}

  // The arrays that are read instead of the dot's operands, and the numbers that say where.
  std::span<const SlotId> operands() const { return operands_; }
  const std::array<OperandPlace, 2>& places() const { return places_; }
  // What is added to the places of operand `i` in a run.
  std::span<const RunTimeStart> starts(size_t i) const { return starts_[i]; }

  const Kernel& kernel() const override { return *kernel_; }
  InstructionId instruction() const override { return instruction_; }
  std::shared_ptr<const StepProgram> With(Epilogue epilogue) const override;
  int64_t ScratchByteSize() const override {
    return epilogue_ ? epilogue_->ScratchBehind(scratch_byte_size_) : scratch_byte_size_;
  }
  int64_t StateByteSize(IsFixedOperand is_fixed) const override;
  std::string Text() const override;

 private:
  // With its operands as they are, so far; null where there is no kernel that reads them so.
  static std::shared_ptr<DotProgram> MakePlain(const Plan& plan, const Step& step);
  void FindScratch();
  bool CanRead(const Source& source, const Shape& from, size_t i) const;
  bool Converts(size_t i) const;
  bool ConvertsInParts() const;
  void ReadFrom(const Source& source, ElementType type, size_t i);

  OpView op_;
  InstructionId instruction_;
  const Kernel* kernel_ = nullptr;
  int64_t scratch_byte_size_ = 0;
  std::vector<SlotId> operands_;
  std::array<OperandPlace, 2> places_;
  std::array<std::vector<RunTimeStart>, 2> starts_;
  std::array<bool, 2> is_own_ = {true, true};  // the array is the dot's operand
};

// The kernel of a dot of static arrays; null when there is none for it.
const Kernel* FindDotKernel(const OpView& op);

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_DOT_H_

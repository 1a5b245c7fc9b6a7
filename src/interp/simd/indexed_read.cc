// A read of what is a read itself is one read: its strides and offset are made from those of the
// operand's, so that a chain of such steps costs no more than one of them. That goes for arrays and
// for counters. Only static sizes, types that tiles have, and steps that keep the type are taken.
#include "interp/simd/indexed_read.h"

#include <algorithm>

#include "interp/simd/block_kernels.h"

namespace hlo::simd {

bool IndexedRead::IsUniform() const {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1 && strides[d] != 0) return false;
  }
  return true;
}

std::vector<int64_t> DenseStridesOf(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int64_t d = shape.rank() - 2; d >= 0; --d) {
    strides[static_cast<size_t>(d)] = strides[static_cast<size_t>(d) + 1] * shape.dim(d + 1);
  }
  return strides;
}

std::unique_ptr<IndexedRead> MakeIndexedRead(const Plan& plan, const Step& step,
                                             const IndexedRead* of_operand) {
  const auto shape_of = [&](SlotId slot) -> const Shape& { return *plan.slot(slot).shape; };
  const Instruction& instruction = plan.instruction(step);
  if (step.opcode != instruction.opcode || step.results.size() != 1) return nullptr;
  const Shape& shape = shape_of(step.results[0]);
  const auto is_fine = [&](SlotId slot) {
    return !plan.slot(slot).is_dynamic && !shape_of(slot).HasDynamicDim() &&
           HasBlockTiles(shape_of(slot).element_type());
  };
  if (!is_fine(step.results[0]) || !std::ranges::all_of(step.operands, is_fine)) return nullptr;
  auto read = std::make_unique<IndexedRead>();
  read->dims.assign(shape.dims().begin(), shape.dims().end());
  read->strides.assign(read->dims.size(), 0);
  if (step.opcode == Opcode::kIota) {
    read->is_counter = true;
    read->strides[static_cast<size_t>(instruction.Get<Attr::kIotaDimension>())] = 1;
    return read;
  }
  if (step.operands.size() != 1 ||
      shape_of(step.operands[0]).element_type() != shape.element_type()) {
    return nullptr;
  }
  IndexedRead from;
  if (of_operand != nullptr) {
    from = *of_operand;
  } else {
    from.source = step.operands[0];
    from.strides = DenseStridesOf(shape_of(step.operands[0]));
  }
  read->source = from.source;
  read->is_counter = from.is_counter;
  read->offset = from.offset;
  switch (step.opcode) {
    case Opcode::kBroadcast: {
      const auto dimensions = instruction.Get<Attr::kDimensions>();
      for (size_t d = 0; d < dimensions.size(); ++d) {
        read->strides[static_cast<size_t>(dimensions[d])] = from.strides[d];
      }
      return read;
    }
    case Opcode::kSlice: {
      const auto ranges = instruction.Get<Attr::kSliceRanges>();
      for (size_t d = 0; d < ranges.size(); ++d) {
        read->offset += ranges[d].start * from.strides[d];
        read->strides[d] = ranges[d].stride * from.strides[d];
      }
      return read;
    }
    case Opcode::kTranspose: {
      const auto permutation = instruction.Get<Attr::kDimensions>();
      for (size_t d = 0; d < permutation.size(); ++d) {
        read->strides[d] = from.strides[static_cast<size_t>(permutation[d])];
      }
      const size_t rank = read->dims.size();
      read->is_far = rank > 0 && read->strides[rank - 1] > 1;
      return read;
    }
    default:  // computes, or moves elements in ways that are no strides
      return nullptr;
  }
}

}  // namespace hlo::simd

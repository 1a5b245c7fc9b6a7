// broadcast, copy, reverse and slice (semantics.md 7.1, 7.3, 7.4): one box of elements, from where
// the operand's lie to the result, which is dense. concatenate: the result's rows, a row being what
// lies behind one index of the dimensions before the one that is concatenated along; in each row
// the operands follow each other. bitcast-convert (5.1) of whole bytes: all of them.
#include "interp/simd/movement/data_movement.h"

#include <algorithm>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/box_copy.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

using reference::DenseStrides;
using reference::Strides;

// Where the box lies in the operand.
struct Source {
  int64_t offset = 0;  // elements
  Strides strides;     // by dimension of the result
};

Source BroadcastSource(const OpView& op) {
  const Strides strides = DenseStrides(op.operand_shape(0).dims());
  Source source = {0, Strides(static_cast<size_t>(op.written_shape()->rank()), 0)};
  const IntList dimensions = op.Get<Attr::kDimensions>();
  for (size_t k = 0; k < dimensions.size(); ++k) {
    source.strides[static_cast<size_t>(dimensions[k])] = strides[k];
  }
  return source;
}

Source ReverseSource(const OpView& op) {
  Source source = {0, DenseStrides(op.operand_shape(0).dims())};
  for (int64_t d : op.Get<Attr::kDimensions>()) {
    int64_t& stride = source.strides[static_cast<size_t>(d)];
    source.offset += (op.operand_shape(0).dim(d) - 1) * stride;
    stride = -stride;
  }
  return source;
}

Source SliceSource(const OpView& op) {
  Source source = {0, DenseStrides(op.operand_shape(0).dims())};
  const SliceRanges ranges = op.Get<Attr::kSliceRanges>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    source.offset += ranges[d].start * source.strides[d];
    // The stride may be any number where there is one element.
    const bool is_several = op.written_shape()->dim(static_cast<int64_t>(d)) > 1;
    source.strides[d] = is_several ? source.strides[d] * ranges[d].stride : 0;
  }
  return source;
}

Source SourceOf(const OpView& op) {
  switch (op.opcode()) {
    case Opcode::kBroadcast:
      return BroadcastSource(op);
    case Opcode::kReverse:
      return ReverseSource(op);
    case Opcode::kSlice:
      return SliceSource(op);
    default:  // copy
      return {0, DenseStrides(op.operand_shape(0).dims())};
  }
}

class Movement {
 public:
  explicit Movement(const OpView& op) {
    const Shape& result = *op.written_shape();
    if (CountElements(result.dims()) == 0) return;  // nothing lies anywhere
    const int64_t size = ElementByteSize(result.element_type());
    const Source source = SourceOf(op);
    offset_ = source.offset * size;
    box_ = BoxCopy(size, result.dims(), source.strides, DenseStrides(result.dims()));
  }

  absl::Status Run(Evaluation& e) const {
    return box_.Run(e.device(), e.operand(0).bytes + offset_, e.result().bytes);
  }

 private:
  int64_t offset_ = 0;  // bytes
  BoxCopy box_;
};

absl::Status RunMovement(Evaluation& e) { return PreparedOf<Movement>(e).Run(e); }

// Elements of another width: the same bytes.
class Reinterpretation {
 public:
  explicit Reinterpretation(const OpView& op) {
    const Shape& result = *op.written_shape();
    const int64_t size = CountElements(result.dims()) * ElementByteSize(result.element_type());
    if (size == 0) return;
    const int64_t stride = 1;
    box_ = BoxCopy(/*element_size=*/1, {&size, 1}, {&stride, 1}, {&stride, 1});
  }

  absl::Status Run(Evaluation& e) const {
    return box_.Run(e.device(), e.operand(0).bytes, e.result().bytes);
  }

 private:
  BoxCopy box_;
};

absl::Status RunReinterpretation(Evaluation& e) { return PreparedOf<Reinterpretation>(e).Run(e); }

class Concatenation {
 public:
  explicit Concatenation(const OpView& op) {
    const Shape& result = *op.written_shape();
    const int64_t dimension = op.Get<Attr::kDimensions>()[0];
    int64_t inner_size = ElementByteSize(result.element_type());
    for (int64_t d = 0; d < dimension; ++d) row_count_ *= result.dim(d);
    for (int64_t d = dimension + 1; d < result.rank(); ++d) inner_size *= result.dim(d);
    for (int64_t i = 0; i < op.operand_count(); ++i) {
      part_sizes_.push_back(op.operand_shape(i).dim(dimension) * inner_size);
      row_size_ += part_sizes_.back();
    }
  }

  absl::Status Run(Evaluation& e) const {
    const int64_t byte_size = row_count_ * row_size_;
    if (byte_size == 0) return absl::OkStatus();
    if (row_size_ >= kPieceSize) return RunByPieces(e);
    const int64_t rows = std::max<int64_t>(1, kPieceSize / row_size_);
    return ForEachPart(e.device(), CeilDiv(row_count_, rows), [&](int64_t part) {
      CopyRows(e, part * rows, std::min(row_count_, (part + 1) * rows));
    });
  }

 private:
  // Some rows at a time, so that what one operand leaves of a line is still in the first cache.
  void CopyRows(Evaluation& e, int64_t begin, int64_t end) const {
    const int64_t rows = std::max<int64_t>(1, (int64_t{1} << 14) / row_size_);
    const bool streams = row_count_ * row_size_ >= kStreamedSize && HasLongRuns();
    for (int64_t row = begin; row < end; row += rows) {
      const int64_t count = std::min(rows, end - row);
      std::byte* to = e.result().bytes + row * row_size_;
      for (size_t i = 0; i < part_sizes_.size(); ++i) {
        const int64_t size = part_sizes_[i];
        const std::byte* from = e.operand(i).bytes + row * size;
        if (streams) {
          for (int64_t r = 0; r < count; ++r) {
            StreamCopy(to + r * row_size_, from + r * size, static_cast<size_t>(size));
          }
        } else if (size > 0) {
          CopyRuns(size, count, from, size, to, row_size_);
        }
        to += size;
      }
    }
    if (streams) FinishStreams();
  }

  // Rows that are several pieces each.
  absl::Status RunByPieces(Evaluation& e) const {
    const int64_t pieces = CeilDiv(row_size_, kPieceSize);
    const bool streams = row_count_ * row_size_ >= kStreamedSize;
    return ForEachPart(e.device(), row_count_ * pieces, [&](int64_t part) {
      const int64_t row = part / pieces;
      const int64_t begin = part % pieces * kPieceSize;
      const int64_t end = std::min(row_size_, begin + kPieceSize);
      int64_t first = 0;  // of the operand's part in the row
      for (size_t i = 0; i < part_sizes_.size() && first < end; ++i) {
        const int64_t size = part_sizes_[i];
        const int64_t from = std::max(begin, first), to = std::min(end, first + size);
        if (from < to) {
          CopyRun(e.operand(i).bytes + row * size + from - first,
                  e.result().bytes + row * row_size_ + from, to - from, streams);
        }
        first += size;
      }
      if (streams) FinishStreams();
    });
  }

  bool HasLongRuns() const {
    return std::ranges::all_of(part_sizes_, [](int64_t size) { return size >= kStreamedRun; });
  }

  int64_t row_count_ = 1;
  int64_t row_size_ = 0;             // bytes
  std::vector<int64_t> part_sizes_;  // of a row, by operand
};

absl::Status RunConcatenation(Evaluation& e) { return PreparedOf<Concatenation>(e).Run(e); }

}  // namespace

const Kernel* FindDataMovementKernel(const OpView& op) {
  static constexpr Kernel kMovement = {.run = RunMovement, .prepare = Prepare<Movement>};
  static constexpr Kernel kConcatenation = {.run = RunConcatenation,
                                            .prepare = Prepare<Concatenation>};
  const Shape& result = *op.written_shape();
  if (!result.IsArray() || result.HasDynamicDim()) return nullptr;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand_shape(i);
    if (!operand.IsArray() || operand.HasDynamicDim() ||
        operand.element_type() != result.element_type()) {
      return nullptr;
    }
  }
  return op.opcode() == Opcode::kConcatenate ? &kConcatenation : &kMovement;
}

const Kernel* FindBitcastConvertKernel(const OpView& op) {
  static constexpr Kernel kReinterpretation = {.run = RunReinterpretation,
                                               .prepare = Prepare<Reinterpretation>};
  const Shape &operand = op.operand_shape(0), &result = *op.written_shape();
  const auto is_fine = [](const Shape& shape) {
    return shape.IsArray() && !shape.HasDynamicDim() &&
           BitWidth(shape.element_type()) == 8 * ElementByteSize(shape.element_type());
  };
  // A byte that is no bool becomes one.
  const bool keeps_bytes =
      result.element_type() != ElementType::kPred || operand.element_type() == ElementType::kPred;
  return is_fine(operand) && is_fine(result) && keeps_bytes ? &kReinterpretation : nullptr;
}

}  // namespace hlo::simd

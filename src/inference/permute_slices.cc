// collective-permute with `slice_sizes` (verifier.md 3.10, semantics.md 14.3): operands input,
// output, input offsets, output offsets. Input and output are arrays, or tuples of as many; each
// buffer has one tuple of offsets, a scalar for each dimension, or a tuple of such tuples, one for
// each slice. `slice_sizes` lists the slices buffer by buffer.
//
// XLA looks at the number of offsets only. What it leaves out has no meaning, and memory behind a
// buffer would be read or written: slices that exceed their buffers, buffers of different types,
// offsets that are no integers.
#include "inference/permute_slices.h"

#include <algorithm>
#include <span>

#include "inference/dimension_list.h"

namespace hlo {
namespace {

constexpr int64_t kInput = 0;
constexpr int64_t kOutput = 1;
constexpr int64_t kInputOffsets = 2;
constexpr int64_t kOutputOffsets = 3;

bool HasSlices(const Shape& offsets) {
  return offsets.element_count() > 0 && offsets.element(0).IsTuple();
}

// One offset per dimension of the buffer, or tuples of that.
bool OffsetsFit(const Shape& offsets, const Shape& buffer) {
  if (!offsets.IsTuple()) return false;
  if (!HasSlices(offsets)) return offsets.element_count() == buffer.rank();
  return std::ranges::all_of(offsets.elements(), [&](const Shape& slice) {
    return slice.IsTuple() && slice.element_count() == buffer.rank();
  });
}

bool AreIntegers(const Shape& offsets) {
  if (offsets.IsTuple()) return std::ranges::all_of(offsets.elements(), AreIntegers);
  return offsets.IsScalar() && IsInteger(offsets.element_type());
}

// Operand `i` as a list: itself, or the elements of the tuple it is.
std::span<const Shape> Listed(const OpView& op, int64_t i) {
  const Shape& shape = op.operand_shape(i);
  if (op.operand_shape(kInput).IsTuple()) return shape.elements();
  return {&shape, 1};
}

bool CheckBuffers(const OpView& op, DiagnosticSink& sink) {
  const Shape& input = op.operand_shape(kInput);
  const Shape& output = op.operand_shape(kOutput);
  const bool arrays = input.IsArray() && output.IsArray();
  const bool tuples =
      input.IsTuple() && output.IsTuple() && input.element_count() == output.element_count();
  if (!arrays && !tuples) {
    return sink.Error(Rule::kCollectivePermuteInplaceKind, op.operand_range(kOutput),
                      "input `{}` and output `{}` are neither both arrays nor tuples of one length",
                      ShapeText(input), ShapeText(output));
  }
  const std::span<const Shape> inputs = Listed(op, kInput);
  const std::span<const Shape> outputs = Listed(op, kOutput);
  for (size_t b = 0; b < inputs.size(); ++b) {
    if (inputs[b].IsArray() && outputs[b].IsArray() && inputs[b].rank() == outputs[b].rank() &&
        inputs[b].element_type() == outputs[b].element_type()) {
      continue;
    }
    return sink.Error(Rule::kCollectivePermuteInplaceBuffers, op.operand_range(kOutput),
                      "slices of `{}` do not go into `{}`: type or rank differ",
                      ShapeText(inputs[b]), ShapeText(outputs[b]));
  }
  return true;
}

bool CheckOffsets(const OpView& op, int64_t buffers_number, int64_t number, DiagnosticSink& sink) {
  const Shape& shape = op.operand_shape(number);
  const std::span<const Shape> buffers = Listed(op, buffers_number);
  const std::span<const Shape> offsets = Listed(op, number);
  bool fits = shape.IsTuple() && offsets.size() == buffers.size();
  for (size_t b = 0; fits && b < buffers.size(); ++b) fits = OffsetsFit(offsets[b], buffers[b]);
  if (!fits) {
    return sink.Error(Rule::kCollectivePermuteInplaceOffsets, op.operand_range(number),
                      "the offsets `{}` do not give one number for each dimension of `{}`",
                      ShapeText(shape), ShapeText(op.operand_shape(buffers_number)));
  }
  if (AreIntegers(shape)) return true;
  return sink.Error(Rule::kCollectivePermuteOffsetType, op.operand_range(number),
                    "the offsets `{}` are not scalar integers", ShapeText(shape));
}

int64_t SliceCount(const Shape& offsets) {
  return HasSlices(offsets) ? offsets.element_count() : 1;
}

bool IsPartOf(const Shape& buffer, const IntList& sizes) {
  if (static_cast<int64_t>(sizes.size()) != buffer.rank()) return false;
  for (int64_t d = 0; d < buffer.rank(); ++d) {
    if (sizes[d] < 0 || (!buffer.is_unbounded(d) && sizes[d] > buffer.dim(d))) return false;
  }
  return true;
}

// The number of slices that both lists of offsets give, or nothing where they differ.
std::optional<int64_t> SliceCount(const OpView& op, size_t buffer) {
  const int64_t count = SliceCount(Listed(op, kInputOffsets)[buffer]);
  if (count != SliceCount(Listed(op, kOutputOffsets)[buffer])) return std::nullopt;
  return count;
}

bool CheckSizes(const OpView& op, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kPermuteSliceSizes);
  const IntListList slices = op.Get<Attr::kPermuteSliceSizes>();
  const int64_t size_count = static_cast<int64_t>(slices.size());
  int64_t next = 0;
  for (size_t b = 0; b < Listed(op, kInput).size(); ++b) {
    const std::optional<int64_t> count = SliceCount(op, b);
    if (!count || *count > size_count - next) {
      return sink.Error(Rule::kCollectivePermuteSliceSizes, range,
                        "`slice_sizes` has {} entries, not one for each slice of the offsets `{}` "
                        "and `{}`",
                        size_count, ShapeText(op.operand_shape(kInputOffsets)),
                        ShapeText(op.operand_shape(kOutputOffsets)));
    }
    for (const int64_t end = next + *count; next < end; ++next) {
      for (const int64_t side : {kInput, kOutput}) {
        const Shape& buffer = Listed(op, side)[b];
        if (IsPartOf(buffer, slices[next])) continue;
        return sink.Error(Rule::kCollectivePermuteSliceSizes, range,
                          "slice {} of sizes {{{}}} is no part of `{}`", next,
                          fmt::join(slices[next], ","), ShapeText(buffer));
      }
    }
  }
  if (next == size_count) return true;
  return sink.Error(Rule::kCollectivePermuteSliceSizes, range,
                    "`slice_sizes` has {} entries for {} slices", size_count, next);
}

}  // namespace

bool PermutesSlices(const OpView& op) { return op.Has(Attr::kPermuteSliceSizes); }

bool CheckPermutedSlices(const OpView& op, DiagnosticSink& sink) {
  if (op.operand_count() != 4) {
    return sink.Error(Rule::kCollectivePermuteInplaceOperands, op.opcode_range(),
                      "`{}` with `slice_sizes` takes 4 operands, found {}", OpcodeName(op.opcode()),
                      op.operand_count());
  }
  return CheckBuffers(op, sink) && CheckOffsets(op, kInput, kInputOffsets, sink) &&
         CheckOffsets(op, kOutput, kOutputOffsets, sink) && CheckSizes(op, sink);
}

}  // namespace hlo

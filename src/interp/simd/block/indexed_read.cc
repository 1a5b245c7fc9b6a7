// A read of what is a read itself is one read: its strides and offset are made from those of the
// operand's, so that a chain of such steps costs no more than one of them. That goes for arrays and
// for counters. Only static sizes, types that tiles have, and steps that keep the type are taken.
#include "interp/simd/block/indexed_read.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "interp/simd/loops/block_kernels.h"

namespace hlo::simd {
namespace {

// Concatenations whose pieces have shorter rows, on average, are better made once, by a kernel for
// that.
constexpr int64_t kLeastPieceRow = 16;
constexpr size_t kMaxPieces = 32;

const Shape& ShapeOf(const Plan& plan, SlotId slot) { return *plan.slot(slot).shape; }

// Whether those that are negated are the first ones, or the last.
bool AreNegatedTogether(std::span<const IndexedRead> pieces) {
  int64_t changes = 0;
  for (size_t i = 1; i < pieces.size(); ++i) {
    changes += pieces[i].is_negated == pieces[i - 1].is_negated ? 0 : 1;
  }
  return changes <= 1;
}

bool IsTaken(const Plan& plan, SlotId slot) {
  const Shape& shape = ShapeOf(plan, slot);
  return !plan.slot(slot).is_dynamic && !shape.HasDynamicDim() && HasTiles(shape.element_type());
}

IndexedRead ReadOfOperand(const Plan& plan, SlotId slot, ReadOfSlot read_of) {
  const IndexedRead* const read = read_of(slot);
  return read != nullptr && read->pieces.empty() ? *read : ReadInMemory(plan, slot);
}

void AddBroadcast(const Instruction& instruction, const IndexedRead& from, IndexedRead& read) {
  const auto dimensions = instruction.Get<Attr::kDimensions>();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    read.strides[static_cast<size_t>(dimensions[d])] = from.strides[d];
  }
}

void AddSlice(const Instruction& instruction, const IndexedRead& from, IndexedRead& read) {
  const auto ranges = instruction.Get<Attr::kSliceRanges>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    read.offset += ranges[d].start * from.strides[d];
    read.strides[d] = ranges[d].stride * from.strides[d];
  }
}

void AddTranspose(const Instruction& instruction, const IndexedRead& from, IndexedRead& read) {
  const auto permutation = instruction.Get<Attr::kDimensions>();
  for (size_t d = 0; d < permutation.size(); ++d) {
    read.strides[d] = from.strides[static_cast<size_t>(permutation[d])];
  }
  const size_t rank = read.dims.size();
  read.is_far = rank > 0 && read.strides[rank - 1] > 1;
}

bool AddDynamicSlice(const Plan& plan, const Step& step, const IndexedRead& from,
                     IndexedRead& read) {
  const Shape& array = ShapeOf(plan, step.operands[0]);
  const std::span<const SlotId> slots = step.operands.subspan(1);
  if (array.rank() != std::ssize(read.dims) || slots.empty()) return false;
  if (ShapeOf(plan, slots[0]).rank() == 0 && std::ssize(slots) != array.rank()) return false;
  for (size_t d = 0; d < read.dims.size(); ++d) {
    if (read.dims[d] > array.dim(static_cast<int64_t>(d))) return false;
  }
  read.strides = from.strides;
  std::ranges::copy(StartsOf(plan, slots, array.dims(), read.dims, from.strides),
                    std::back_inserter(read.starts));
  return true;
}

// Where all operands are made by steps, and would lie side by side in the result, pass parts has
// them made there: then there is nothing to gain.
bool IsMadeInPlace(const Plan& plan, const Step& step, int64_t dimension, ReadOfSlot read_of) {
  const Shape& shape = ShapeOf(plan, step.results[0]);
  for (int64_t d = 0; d < dimension; ++d) {
    if (shape.dim(d) != 1) return false;
  }
  return std::ranges::all_of(step.operands, [&](SlotId operand) {
    return plan.buffer_of(operand).kind == Buffer::Kind::kArena && read_of(operand) == nullptr;
  });
}

std::unique_ptr<IndexedRead> MakePieces(const Plan& plan, const Step& step, ReadOfSlot read_of) {
  const int64_t dimension = plan.instruction(step).Get<Attr::kDimensions>()[0];
  if (step.operands.size() > kMaxPieces || IsMadeInPlace(plan, step, dimension, read_of)) {
    return nullptr;
  }
  auto read = std::make_unique<IndexedRead>(ReadInMemory(plan, step.results[0]));
  read->source = SlotId();
  for (SlotId operand : step.operands) {
    IndexedRead piece = ReadOfOperand(plan, operand, read_of);
    const int64_t row_length = std::accumulate(piece.dims.begin() + dimension, piece.dims.end(),
                                               int64_t{1}, std::multiplies<>());
    if (row_length == 0) continue;
    if (piece.is_counter) return nullptr;
    read->pieces.push_back(std::move(piece));
    read->piece_row_lengths.push_back(row_length);
  }
  const auto& lengths = read->piece_row_lengths;
  const int64_t length = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  // Places in a row are counted in 32 bits where some are negated.
  const bool is_fit = !lengths.empty() && length >= kLeastPieceRow * std::ssize(lengths) &&
                      length <= INT32_MAX && AreNegatedTogether(read->pieces);
  return is_fit ? std::move(read) : nullptr;
}

}  // namespace

bool IndexedRead::IsUniform() const {
  if (!pieces.empty()) return false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1 && strides[d] != 0) return false;
  }
  return true;
}

int64_t IndexedRead::RepeatedLength() const {
  if (is_counter || !pieces.empty()) return 1;
  int64_t length = 1;
  for (size_t d = dims.size(); d-- > 0 && (dims[d] == 1 || strides[d] == 0);) length *= dims[d];
  return length;
}

bool IndexedRead::RepeatsAsWhole() const {
  if (!pieces.empty()) return false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1) return strides[d] == 0;
  }
  return true;
}

std::optional<IndexedRead> IndexedRead::RowsOf(int64_t row_length) const {
  const int64_t repeated = RepeatedLength();
  if (row_length <= 1 || repeated == 0 || repeated % row_length != 0) return std::nullopt;
  IndexedRead rows = *this;
  // Dimensions that a row has whole are left out; it may have a part of the next one.
  for (int64_t left = row_length; left > 1;) {
    int64_t& size = rows.dims.back();
    if (left % size != 0) {
      if (size % left != 0) return std::nullopt;
      size /= left;
      break;
    }
    left /= size;
    rows.dims.pop_back();
    rows.strides.pop_back();
  }
  return rows;
}

bool IndexedRead::RepeatsRows(int64_t row_length) const {
  if (!IsStrided() || offset != 0) return false;
  const std::optional<IndexedRead> rows = RowsOf(row_length);
  if (!rows) return false;
  int64_t expected = 1;  // stride of the next dimension outwards
  for (size_t d = rows->dims.size(); d-- > 0;) {
    if (rows->dims[d] == 1) continue;
    if (rows->strides[d] != expected) return false;
    expected *= rows->dims[d];
  }
  return true;
}

bool IndexedRead::IsPart() const {
  if (!IsStrided()) return false;
  int64_t expected = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    if (dims[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= dims[d];
  }
  return true;
}

IndexedRead ReadInMemory(const Plan& plan, SlotId slot) {
  IndexedRead read;
  read.source = slot;
  const Shape& shape = ShapeOf(plan, slot);
  read.dims.assign(shape.dims().begin(), shape.dims().end());
  read.strides = DenseStridesOf(shape);
  return read;
}

std::vector<int64_t> DenseStridesOf(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int64_t d = shape.rank() - 2; d >= 0; --d) {
    strides[static_cast<size_t>(d)] = strides[static_cast<size_t>(d) + 1] * shape.dim(d + 1);
  }
  return strides;
}

std::vector<IndexedRead::Start> StartsOf(const Plan& plan, std::span<const SlotId> slots,
                                         std::span<const int64_t> array,
                                         std::span<const int64_t> box,
                                         std::span<const int64_t> strides) {
  std::vector<IndexedRead::Start> starts;
  for (size_t d = 0; d < box.size(); ++d) {
    if (array[d] == box[d]) continue;
    const bool is_vector = ShapeOf(plan, slots[0]).rank() == 1;
    starts.push_back({.slot = slots[is_vector ? 0 : d],
                      .element = is_vector ? static_cast<int64_t>(d) : 0,
                      .last = array[d] - box[d],
                      .stride = strides[d]});
  }
  return starts;
}

std::unique_ptr<IndexedRead> MakeIndexedRead(const Plan& plan, const Step& step,
                                             ReadOfSlot read_of) {
  const Instruction& instruction = plan.instruction(step);
  if (step.opcode != instruction.opcode || step.results.size() != 1) return nullptr;
  const auto is_taken = [&](SlotId slot) { return IsTaken(plan, slot); };
  if (!is_taken(step.results[0]) || !std::ranges::all_of(step.operands, is_taken)) return nullptr;
  const Shape& shape = ShapeOf(plan, step.results[0]);
  auto read = std::make_unique<IndexedRead>();
  read->dims.assign(shape.dims().begin(), shape.dims().end());
  read->strides.assign(read->dims.size(), 0);
  if (step.opcode == Opcode::kIota) {
    read->is_counter = true;
    read->strides[static_cast<size_t>(instruction.Get<Attr::kIotaDimension>())] = 1;
    return read;
  }
  const auto has_type = [&](SlotId slot) {
    return ShapeOf(plan, slot).element_type() == shape.element_type();
  };
  if (step.operands.empty() || !has_type(step.operands[0])) return nullptr;
  if (step.opcode == Opcode::kConcatenate) {
    return std::ranges::all_of(step.operands, has_type) ? MakePieces(plan, step, read_of) : nullptr;
  }
  const IndexedRead from = ReadOfOperand(plan, step.operands[0], read_of);
  read->source = from.source;
  read->is_counter = from.is_counter;
  read->offset = from.offset;
  read->starts = from.starts;
  switch (step.opcode) {
    case Opcode::kBroadcast:
      AddBroadcast(instruction, from, *read);
      return read;
    case Opcode::kSlice:
      AddSlice(instruction, from, *read);
      return read;
    case Opcode::kTranspose:
      AddTranspose(instruction, from, *read);
      return read;
    case Opcode::kDynamicSlice:
      return AddDynamicSlice(plan, step, from, *read) ? std::move(read) : nullptr;
    default:  // computes, or moves elements in ways that are no strides
      return nullptr;
  }
}

std::unique_ptr<IndexedRead> Reshaped(const IndexedRead& read, std::span<const int64_t> dims) {
  if (std::ranges::find(dims, 0) != dims.end()) return nullptr;
  auto result = std::make_unique<IndexedRead>(read);
  result->dims.assign(dims.begin(), dims.end());
  result->strides.assign(dims.size(), 0);
  if (!read.pieces.empty()) return result;  // these say it all
  size_t rest = read.dims.size();           // dimensions that are not in a group yet
  int64_t left = 1, stride = 0;             // of the group of dimensions that are one array
  for (size_t d = dims.size(); d-- > 0;) {
    if (dims[d] == 1) continue;
    while (left % dims[d] != 0 || left == 1) {
      if (rest == 0) return nullptr;
      --rest;
      if (read.dims[rest] == 1) continue;
      // One more dimension goes on where the group ends, or there is no group yet.
      if (left == 1) {
        stride = read.strides[rest];
      } else if (read.strides[rest] != left * stride) {
        return nullptr;
      }
      left *= read.dims[rest];
    }
    result->strides[d] = stride;
    stride *= dims[d];
    left /= dims[d];
  }
  return left == 1 ? std::move(result) : nullptr;
}

}  // namespace hlo::simd

// Concatenations whose operands are results of blocks, as of rotary embeddings: these write them
// where they end up, in rows of the larger array, and the step that would copy them is gone. What
// lies side by side there pass parts puts into place.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "interp/simd/block/updating_block.h"
#include "interp/simd/fuse/region_fuser.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

constexpr int64_t kLeastByteSize = 1 << 15;  // of a concatenation

}  // namespace

// Whether a block of nothing but elementwise steps makes `slot`. What follows a product had better
// be part of its step.
bool RegionFuser::MakesPiece(SlotId slot, const absl::flat_hash_set<size_t>& products) const {
  const auto maker = makers_.find(context_.BufferOf(slot));
  if (maker == makers_.end() || totals_.contains(context_.BufferOf(slot))) return false;
  const FuseGroup& group = groups_[Find(maker->second)];
  if (group.builder == nullptr || CountOf(slot) != group.count) return false;
  return std::ranges::all_of(group.members, [&](size_t position) {
    const Step& step = region_.steps[position];
    return step.opcode != Opcode::kReduce &&
           std::ranges::none_of(step.operands, [&](SlotId operand) {
             return products.contains(context_.BufferOf(operand));
           });
  });
}

// Whether all that `concatenation` puts together are such, which nobody else reads and which lie in
// several pieces of its result. `counts`: of pieces so far, by group.
bool RegionFuser::IsOfPieces(const Step& concatenation, const absl::flat_hash_set<size_t>& products,
                             absl::flat_hash_map<size_t, size_t>& counts) const {
  const SlotId whole = concatenation.results[0];
  const Shape& shape = ShapeOf(whole);
  if (plan_.slot(whole).byte_size < kLeastByteSize || plan_.slot(whole).is_dynamic) return false;
  return std::ranges::all_of(concatenation.operands, [&](SlotId operand) {
    const size_t buffer = context_.BufferOf(operand);
    const Shape& piece = ShapeOf(operand);
    return piece.element_type() == shape.element_type() && CountOf(operand) > 0 &&
           !ArrayUpdate::IsOnePiece(piece, shape) && IsOfTypeMade(operand) &&
           context_.read_counts.at(buffer) == 1 && !context_.returned_buffers.contains(buffer) &&
           MakesPiece(operand, products) &&
           ++counts[Find(makers_.at(buffer))] <= UpdatingBlock::kMaxUpdates;
  });
}

void RegionFuser::NotePieces(const Step& concatenation) {
  const SlotId whole = concatenation.results[0];
  const Shape& shape = ShapeOf(whole);
  const int64_t dimension = plan_.instruction(concatenation).Get<Attr::kDimensions>()[0];
  const int64_t stride =
      DenseStridesOf(shape)[static_cast<size_t>(dimension)] * ElementByteSize(shape.element_type());
  int64_t begin = 0;
  for (SlotId operand : concatenation.operands) {
    context_.pieces[context_.BufferOf(operand)] = {operand, whole, begin * stride};
    begin += ShapeOf(operand).dim(dimension);
  }
  context_.pieced_together.insert(&concatenation);
}

void RegionFuser::FindPieces() {
  absl::flat_hash_set<size_t> products;
  absl::flat_hash_map<size_t, size_t> counts;
  for (const Step& step : region_.steps) {
    if (GetOpcodeInfo(step.opcode).family == OpcodeFamily::kContraction) {
      for (SlotId result : step.results) products.insert(context_.BufferOf(result));
    }
    const auto reader = context_.reader_numbers.find(&step);
    const bool is_kept_concatenation = step.opcode == Opcode::kConcatenate &&
                                       reader != context_.reader_numbers.end() &&
                                       context_.readers[reader->second].is_kept;
    if (is_kept_concatenation && IsOfPieces(step, products, counts)) NotePieces(step);
  }
}

// Results of the block that are pieces come first, and lie in the larger array.
void RegionFuser::PutIntoPlace(Step& step) {
  const auto piece_of = [&](SlotId result) {
    const auto found = context_.pieces.find(context_.BufferOf(result));
    return found == context_.pieces.end() ? nullptr : &found->second;
  };
  std::vector<size_t> order(step.results.size());  // by number now, what it was
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto others = std::ranges::stable_partition(
      order, [&](size_t i) { return piece_of(step.results[i]) != nullptr; });
  const auto piece_count = static_cast<size_t>(others.begin() - order.begin());
  if (piece_count == 0) return;
  std::vector<SlotId> results;
  std::vector<size_t> numbers(order.size());  // the other way round
  std::vector<ArrayUpdate> pieces;
  bool streams = true;
  for (size_t i = 0; i < order.size(); ++i) {
    const SlotId result = step.results[order[i]];
    results.push_back(result);
    numbers[order[i]] = i;
    if (i >= piece_count) continue;
    const FuseContext::Piece piece = *piece_of(result);
    streams &= plan_.slot(piece.whole).byte_size >=
               (IsOutputAlone(piece.whole) ? kStreamedOutputSize : kStreamedSize);
    pieces.emplace_back(ShapeOf(piece.whole), ShapeOf(piece.slot), std::vector<RunTimeStart>());
    plan_.buffer(plan_.slot(result).buffer).kind = Buffer::Kind::kInside;
    for (SlotId slot : {result, piece.slot}) {
      plan_.slot(slot).buffer = plan_.slot(piece.whole).buffer;
      plan_.slot(slot).offset = piece.offset;
    }
  }
  step.results = plan_.lists.CopyItems(std::span<const SlotId>(results));
  step.program =
      UpdatingBlock::OfPieces(std::static_pointer_cast<const Block>(step.program),
                              step.operands.size(), std::move(numbers), std::move(pieces), streams);
}

}  // namespace hlo::simd

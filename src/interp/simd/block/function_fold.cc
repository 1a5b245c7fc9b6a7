// The function becomes a block (block.h) whose elements are neighbouring results: accumulators go
// in and come out, the next elements of all these results come in. So a result sees its elements in
// the order in which the reference kernel takes them, and is the same bits.
#include "interp/simd/block/function_fold.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/block/function_block.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kAlignment = 64;  // bytes

int64_t Padded(int64_t byte_size) { return CeilDiv(byte_size, kAlignment) * kAlignment; }

// to[i] = from[offsets[i]].
template <typename T>
void Gather(const T* from, std::span<const int64_t> offsets, T* to) {
  for (const int64_t offset : offsets) *to++ = from[offset];
}

// The same of those that are taken. The others' may lie nowhere.
template <typename T>
void GatherSome(const T* from, std::span<const int64_t> offsets, const uint8_t* takes, T* to) {
  for (size_t i = 0; i < offsets.size(); ++i) to[i] = takes[i] != 0 ? from[offsets[i]] : T{};
}

// to[i] = from[i] where it is not taken.
template <typename T>
void KeepOthers(const T* from, std::span<const uint8_t> takes, T* to) {
  for (size_t i = 0; i < takes.size(); ++i) to[i] = takes[i] != 0 ? to[i] : from[i];
}

// Whether arrays and results have the types of the function, and sizes that are known.
bool IsUniform(const Plan& plan, const Step& step, const Region& region) {
  const size_t arrays = step.results.size();
  if (step.operands.size() != 2 * arrays || region.parameters.size() != 2 * arrays ||
      region.results.size() != arrays) {
    return false;
  }
  const auto type_of = [&](SlotId slot) { return plan.slot(slot).shape->element_type(); };
  const auto is_static = [&](SlotId slot) {
    return !plan.slot(slot).is_dynamic && !plan.slot(slot).shape->HasDynamicDim();
  };
  for (size_t k = 0; k < arrays; ++k) {
    const ElementType type = type_of(step.operands[k]);
    for (const SlotId other : {step.operands[arrays + k], step.results[k], region.parameters[k],
                               region.parameters[arrays + k], region.results[k]}) {
      if (type_of(other) != type) return false;
    }
    if (!is_static(step.operands[k]) || !is_static(step.results[k])) return false;
  }
  return true;
}

}  // namespace

std::optional<FunctionFold> FunctionFold::Make(const Plan& plan, const Step& step) {
  const Region& region = *step.regions[0];
  if (!IsUniform(plan, step, region)) return std::nullopt;
  FunctionFold fold;
  const size_t arrays = step.results.size();
  fold.result_count_ = ElementCount(*plan.slot(step.results[0]).shape).value_or(0);
  // By one instruction the reference kernel folds some results at a time, too.
  const bool is_few = fold.result_count_ < kMinTile;
  if (fold.result_count_ < kMinResults || (is_few && region.steps.size() < 2)) return std::nullopt;
  for (size_t k = 0; k < arrays; ++k) {
    fold.element_sizes_.push_back(
        ElementByteSize(plan.slot(step.operands[k]).shape->element_type()));
  }
  fold.array_count_ = arrays;
  fold.operands_.assign(step.operands.begin(), step.operands.end());
  FunctionBlock function =
      MakeFunctionBlock(plan, FunctionPart(region), is_few ? fold.result_count_ : kMaxTile,
                        /*is_exact=*/false);
  if (function.block == nullptr) return std::nullopt;
  fold.block_ = std::move(function.block);
  fold.has_calls_ = is_few && Block::RepeatedCalls::Suit(*fold.block_);
  for (const FunctionBlock::Operand& operand : function.operands) {
    const auto number = static_cast<size_t>(operand.parameter);
    if (operand.parameter < 0) {
      fold.sources_.push_back({Source::Kind::kConstant, fold.operands_.size()});
      fold.operands_.push_back(operand.constant);
    } else if (number < arrays) {
      fold.sources_.push_back({Source::Kind::kAccumulator, number});
    } else {
      fold.sources_.push_back({Source::Kind::kElement, number - arrays});
    }
  }
  return fold;
}

int64_t FunctionFold::TileSize(int64_t result_count, int64_t thread_count) {
  return std::clamp(CeilDiv(result_count, thread_count), kMinTile, kMaxTile);
}

int64_t FunctionFold::TilesAtOnce() const { return PartsAtOnce(CeilDiv(result_count_, kMinTile)); }

int64_t FunctionFold::ScratchByteSize() const {
  int64_t tile = Padded(block_->register_byte_size());
  for (const int64_t size : element_sizes_) tile += 3 * Padded(kMaxTile * size);
  if (has_calls_) tile += 2 * Block::RepeatedCalls::ByteSize(*block_);
  return TilesAtOnce() * tile;
}

FoldOffsets::FoldOffsets(std::span<const int64_t> offsets) : offsets(offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    is_dense &= offsets[i] == offsets[0] + static_cast<int64_t>(i);
  }
}

FoldTile::FoldTile(const FunctionFold& fold, Evaluation& e)
    : fold_(fold),
      e_(e),
      accumulators_{Addresses(e.device().scratch()), Addresses(e.device().scratch())},
      elements_(e.device().scratch()),
      operands_(e.device().scratch()),
      results_(e.device().scratch()) {
  MakeRoom();
}

// Registers, elements and two sets of accumulators that change places.
void FoldTile::MakeRoom() {
  const size_t arrays = fold_.array_count_;
  for (Addresses* set : {&accumulators_[0], &accumulators_[1], &elements_}) set->reserve(arrays);
  results_.reserve(arrays);
  operands_.reserve(fold_.sources_.size());
  int64_t size = Padded(fold_.block_->register_byte_size());
  for (size_t k = 0; k < arrays; ++k) size += 3 * Padded(FunctionFold::kMaxTile * SizeOf(k));
  storage_ = ScratchArray<std::byte>(e_.device().scratch(), size);
  std::byte* next = storage_.get();
  registers_ = next;
  next += Padded(fold_.block_->register_byte_size());
  for (size_t k = 0; k < arrays; ++k) {
    for (Addresses* set : {&accumulators_[0], &accumulators_[1], &elements_}) {
      set->push_back(next);
      next += Padded(FunctionFold::kMaxTile * SizeOf(k));
    }
    results_.push_back({e_.result(k).element_type, {}, nullptr});
  }
  for (const FunctionFold::Source& source : fold_.sources_) {
    operands_.push_back(e_.operand(source.number));
  }
  if (fold_.has_calls_) {
    MakeCalls();
  } else {
    fold_.block_->StartTiles(operands_, registers_);
  }
}

void FoldTile::MakeCalls() {
  for (const size_t turn : {0, 1}) {
    PlaceArrays(turn);
    calls_[turn].emplace(*fold_.block_, operands_, results_, registers_, e_.device().scratch());
  }
}

void FoldTile::Start(int64_t count) {
  count_ = count;
  for (size_t k = 0; k < fold_.array_count_; ++k) {
    const ArrayRef& init = e_.operand(fold_.array_count_ + k);
    reference::DispatchElementSize(SizeOf(k), [&]<typename T>() {
      std::fill_n(reinterpret_cast<T*>(accumulators_[turn_][k]), count_,
                  *reinterpret_cast<const T*>(init.bytes));
    });
  }
}

void FoldTile::Take(int64_t place, const FoldOffsets& offsets) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const FunctionFold::Source& source = fold_.sources_[i];
    if (source.kind != FunctionFold::Source::Kind::kElement) continue;
    const int64_t size = SizeOf(source.number);
    const std::byte* from = e_.operand(source.number).bytes + place * size;
    if (offsets.is_dense) {
      SetElements(i, from + offsets.offsets[0] * size);
      continue;
    }
    std::byte* to = elements_[source.number];
    reference::DispatchElementSize(size, [&]<typename T>() {
      Gather(reinterpret_cast<const T*>(from), offsets.offsets, reinterpret_cast<T*>(to));
    });
    SetElements(i, to);
  }
  Step();
}

void FoldTile::TakeSome(int64_t place, const FoldOffsets& offsets, std::span<const uint8_t> takes) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const FunctionFold::Source& source = fold_.sources_[i];
    if (source.kind != FunctionFold::Source::Kind::kElement) continue;
    std::byte* to = elements_[source.number];
    reference::DispatchElementSize(SizeOf(source.number), [&]<typename T>() {
      GatherSome(reinterpret_cast<const T*>(e_.operand(source.number).bytes) + place,
                 offsets.offsets, takes.data(), reinterpret_cast<T*>(to));
    });
    SetElements(i, to);
  }
  Step();
  for (size_t k = 0; k < fold_.array_count_; ++k) {
    reference::DispatchElementSize(SizeOf(k), [&]<typename T>() {
      KeepOthers(reinterpret_cast<const T*>(accumulators_[1 - turn_][k]), takes,
                 reinterpret_cast<T*>(accumulators_[turn_][k]));
    });
  }
}

// Accumulators come from one set and go to the other.
void FoldTile::PlaceArrays(size_t turn) {
  for (size_t k = 0; k < fold_.array_count_; ++k) {
    results_[k].bytes = accumulators_[1 - turn][k];
  }
  for (size_t i = 0; i < operands_.size(); ++i) {
    const FunctionFold::Source& source = fold_.sources_[i];
    if (source.kind == FunctionFold::Source::Kind::kAccumulator) {
      operands_[i].bytes = accumulators_[turn][source.number];
    }
  }
}

// After elements are in place.
void FoldTile::Step() {
  if (calls_[turn_]) {
    calls_[turn_]->Run();
  } else {
    PlaceArrays(turn_);
    fold_.block_->RunNextTile(count_, operands_, results_, registers_);
  }
  turn_ = 1 - turn_;
}

void FoldTile::Store(int64_t begin) const {
  for (size_t k = 0; k < fold_.array_count_; ++k) {
    std::memcpy(e_.result(k).bytes + begin * SizeOf(k), accumulators_[turn_][k],
                static_cast<size_t>(count_ * SizeOf(k)));
  }
}

}  // namespace hlo::simd

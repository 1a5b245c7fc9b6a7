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
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kAlignment = 64;  // bytes
constexpr int64_t kMinLine = 4;     // places that are worth turning

int64_t Padded(int64_t byte_size) { return CeilDiv(byte_size, kAlignment) * kAlignment; }

// to[i] = from[i] where it is not taken.
template <typename T>
void KeepOthers(const T* from, std::span<const uint8_t> takes, T* to) {
  for (size_t i = 0; i < takes.size(); ++i) to[i] = takes[i] != 0 ? to[i] : from[i];
}

}  // namespace

std::optional<FunctionFold> FunctionFold::Make(const Plan& plan, const Step& step) {
  const Region& region = *step.regions[0];
  const std::span<const SlotId> operands = step.operands;
  const size_t arrays = step.results.size();
  if (operands.size() != 2 * arrays) return std::nullopt;
  const std::span<const SlotId> values = operands.first(arrays);
  if (!HaveTypesOf(plan, operands.subspan(arrays), values) ||
      !HaveTypesOf(plan, step.results, values) || !CombinesElementsOf(plan, region, values)) {
    return std::nullopt;
  }
  FunctionFold fold;
  fold.result_count_ = ElementCount(*plan.slot(step.results[0]).shape).value_or(0);
  // By one instruction the reference kernel folds some results at a time, too.
  const bool is_few = fold.result_count_ < kMinTile;
  if (fold.result_count_ < kMinResults || (is_few && region.steps.size() < 2)) return std::nullopt;
  for (const SlotId array : values) {
    fold.element_sizes_.push_back(ElementByteSize(plan.slot(array).shape->element_type()));
  }
  fold.operands_.assign(operands.begin(), operands.end());
  fold.function_ =
      MakeFunctionBlock(plan, FunctionPart(region), is_few ? fold.result_count_ : kMaxTile,
                        /*is_exact=*/false, fold.operands_);
  if (fold.function_.block == nullptr) return std::nullopt;
  for (size_t k = 0; k < arrays; ++k) {
    if (fold.function_.Reads(arrays + k)) fold.read_arrays_.push_back(k);
  }
  fold.has_calls_ = is_few && Block::RepeatedCalls::Suit(*fold.function_.block);
  return fold;
}

int64_t FunctionFold::TileSize(int64_t result_count, int64_t thread_count) {
  return std::clamp(CeilDiv(result_count, thread_count), kMinTile, kMaxTile);
}

int64_t FunctionFold::TilesAtOnce() const { return PartsAtOnce(CeilDiv(result_count_, kMinTile)); }

// Registers, elements and two sets of accumulators that change places.
int64_t FunctionFold::TileByteSize() const {
  int64_t size = Padded(function_.block->register_byte_size());
  for (size_t k = 0; k < element_sizes_.size(); ++k) {
    size += 2 * Padded(kMaxTile * element_sizes_[k]) + Padded(ElementsByteSize(k));
  }
  return size;
}

int64_t FunctionFold::ScratchByteSize() const {
  const int64_t calls = has_calls_ ? 2 * Block::RepeatedCalls::ByteSize(*function_.block) : 0;
  return TilesAtOnce() * (TileByteSize() + calls);
}

FoldTile::FoldTile(const FunctionFold& fold, Evaluation& e)
    : fold_(fold),
      e_(e),
      storage_(e.device().scratch(), fold.TileByteSize()),
      accumulators_{List<MutableArrayRef>(e.device().scratch()),
                    List<MutableArrayRef>(e.device().scratch())},
      elements_(e.device().scratch()),
      arguments_(2 * fold.element_sizes_.size(), nullptr, e.device().scratch()) {
  MakeRoom();
}

void FoldTile::MakeRoom() {
  const size_t arrays = array_count();
  for (auto& set : accumulators_) set.reserve(arrays);
  elements_.reserve(arrays);
  std::byte* next = storage_.get();
  const auto take = [&](int64_t byte_size) {
    return std::exchange(next, next + Padded(byte_size));
  };
  std::byte* registers = take(fold_.function_.block->register_byte_size());
  for (size_t k = 0; k < arrays; ++k) {
    for (auto& set : accumulators_) {
      set.push_back({e_.result(k).element_type, {}, take(FunctionFold::kMaxTile * SizeOf(k))});
    }
    elements_.push_back(take(fold_.ElementsByteSize(k)));
  }
  if (fold_.has_calls_) {
    MakeCalls(registers);
  } else {
    calls_.emplace(fold_.function_, e_, registers);
  }
}

void FoldTile::MakeCalls(std::byte* registers) {
  ScratchPool& pool = e_.device().scratch();
  for (const size_t turn : {0, 1}) {
    List<ArrayRef, 12> operands(pool);
    operands.reserve(fold_.function_.sources.size());
    for (const auto& [parameter, operand] : fold_.function_.sources) {
      operands.push_back(e_.operand(operand));
      const auto number = static_cast<size_t>(parameter);
      if (parameter >= 0 && number < array_count()) {
        operands.back().bytes = accumulators_[turn][number].bytes;
      }
    }
    repeated_calls_[turn].emplace(*fold_.function_.block, operands, accumulators_[1 - turn],
                                  registers, pool);
  }
}

void FoldTile::Start(int64_t count) {
  count_ = count;
  for (size_t k = 0; k < array_count(); ++k) {
    const ArrayRef& init = e_.operand(array_count() + k);
    reference::DispatchElementSize(SizeOf(k), [&]<typename T>() {
      std::fill_n(reinterpret_cast<T*>(accumulators_[turn_][k].bytes), count_,
                  *reinterpret_cast<const T*>(init.bytes));
    });
  }
}

template <typename Read>
void FoldTile::ReadElements(int64_t place, const Read& read) {
  for (const size_t k : fold_.read_arrays_) {
    const std::byte* bytes = e_.operand(k).bytes + place * SizeOf(k);
    arguments_[array_count() + k] = read(k, SizeOf(k), bytes);
  }
}

void FoldTile::Take(int64_t place, const FoldOffsets& offsets) {
  ReadElements(place, [&](size_t k, int64_t size, const std::byte* bytes) -> const std::byte* {
    if (offsets.is_dense) return bytes + offsets.offsets[0] * size;
    offsets.Gather(size, bytes, elements_[k]);
    return elements_[k];
  });
  Step();
}

void FoldTile::TakeLine(int64_t place, int64_t count, const FoldOffsets& offsets) {
  if (offsets.is_dense || count < kMinLine) {
    for (int64_t i = 0; i < count; ++i) Take(place + i, offsets);
    return;
  }
  for (int64_t begin = 0; begin < count; begin += FunctionFold::kMaxLine) {
    const int64_t size = std::min(FunctionFold::kMaxLine, count - begin);
    ReadElements(place + begin, [&](size_t k, int64_t element_size, const std::byte* bytes) {
      offsets.GatherLines(element_size, bytes, size, elements_[k], FunctionFold::kMaxTile);
      return elements_[k];
    });
    for (int64_t i = 0; i < size; ++i) {
      Step();
      for (const size_t k : fold_.read_arrays_) {
        arguments_[array_count() + k] += FunctionFold::kMaxTile * SizeOf(k);
      }
    }
  }
}

void FoldTile::TakeSome(int64_t place, const FoldOffsets& offsets, std::span<const uint8_t> takes) {
  ReadElements(place, [&](size_t k, int64_t size, const std::byte* bytes) {
    offsets.GatherSome(size, bytes, takes, elements_[k]);
    return elements_[k];
  });
  Step();
  for (size_t k = 0; k < array_count(); ++k) {
    reference::DispatchElementSize(SizeOf(k), [&]<typename T>() {
      KeepOthers(reinterpret_cast<const T*>(accumulators_[1 - turn_][k].bytes), takes,
                 reinterpret_cast<T*>(accumulators_[turn_][k].bytes));
    });
  }
}

// After elements are in place. Accumulators come from one set and go to the other.
void FoldTile::Step() {
  const size_t arrays = array_count();
  if (auto& calls = repeated_calls_[turn_]) {
    for (size_t i = 0; i < fold_.function_.sources.size(); ++i) {
      const auto parameter = static_cast<size_t>(fold_.function_.sources[i].parameter);
      if (parameter >= arrays && parameter < 2 * arrays) calls->Move(i, arguments_[parameter]);
    }
    calls->Run();
  } else {
    for (size_t k = 0; k < arrays; ++k) arguments_[k] = accumulators_[turn_][k].bytes;
    calls_->Run(count_, arguments_, accumulators_[1 - turn_]);
  }
  turn_ = 1 - turn_;
}

void FoldTile::Store(int64_t begin) const {
  for (size_t k = 0; k < array_count(); ++k) {
    std::memcpy(e_.result(k).bytes + begin * SizeOf(k), accumulators_[turn_][k].bytes,
                static_cast<size_t>(count_ * SizeOf(k)));
  }
}

}  // namespace hlo::simd

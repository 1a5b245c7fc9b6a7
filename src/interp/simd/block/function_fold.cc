// The function becomes a block (block.h) whose elements are neighbouring results: accumulators go
// in and come out, the next elements of all these results come in. So a result sees its elements in
// the order in which the reference kernel takes them, and is the same bits. Few results wait for
// each step: what the function makes of elements alone is made of many elements ahead.
#include "interp/simd/block/function_fold.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/block/fold_split.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMinLine = 4;  // places that are worth turning

// to[i] = from[i] where it is not taken.
template <typename T>
void KeepOthers(const T* from, std::span<const uint8_t> takes, T* to) {
  for (size_t i = 0; i < takes.size(); ++i) to[i] = takes[i] != 0 ? to[i] : from[i];
}

}  // namespace

std::optional<FunctionFold> FunctionFold::Make(const Plan& plan, const Step& step, bool has_lines) {
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
  const bool is_few = fold.result_count_ < kMinTile;
  // By one instruction the reference kernel folds some results at a time, too.
  if (fold.result_count_ == 0 || (is_few && region.steps.size() < 2)) return std::nullopt;
  for (const SlotId array : values) {
    fold.element_sizes_.push_back(ElementByteSize(plan.slot(array).shape->element_type()));
  }
  fold.operands_.assign(operands.begin(), operands.end());
  const bool has_ahead = is_few && has_lines && fold.MakeAhead(plan, region);
  if (!has_ahead) {
    fold.function_ =
        MakeFunctionBlock(plan, FunctionPart(region), is_few ? fold.result_count_ : kMaxTile,
                          /*is_exact=*/false, fold.operands_);
    if (fold.function_.block == nullptr) return std::nullopt;
    fold.has_calls_ = is_few && Block::RepeatedCalls::Suit(*fold.function_.block);
    // One waits for each of its steps as long as in the reference kernel.
    if (fold.result_count_ == 1 && !(fold.has_calls_ && has_lines)) return std::nullopt;
  }
  for (size_t k = 0; k < arrays; ++k) {
    const bool is_read = fold.function_.Reads(arrays + k) || (has_ahead && fold.ahead_.Reads(k));
    if (is_read) fold.read_arrays_.push_back(k);
  }
  return fold;
}

// False: nothing is, or the rest is no list of calls.
bool FunctionFold::MakeAhead(const Plan& plan, const Region& region) {
  const auto arrays = static_cast<size_t>(array_count());
  const FoldSplit split = SplitFold(plan, region, arrays);
  if (split.made.empty() || split.rest.empty()) return false;
  const std::span<const SlotId> elements = std::span(region.parameters).subspan(arrays);
  std::vector<SlotId> parameters = region.parameters, operands = operands_;
  parameters.insert(parameters.end(), split.made.begin(), split.made.end());
  FunctionBlock ahead = MakeFunctionBlock(plan, FunctionPart(split.ahead, elements, split.made),
                                          kMaxTile, /*is_exact=*/false, operands);
  if (ahead.block == nullptr) return false;
  FunctionBlock rest =
      MakeFunctionBlock(plan, FunctionPart(split.rest, parameters, region.results), result_count_,
                        /*is_exact=*/false, operands);
  if (rest.block == nullptr || !Block::RepeatedCalls::Suit(*rest.block)) return false;
  for (const SlotId slot : split.made) {
    made_types_.push_back(plan.slot(slot).shape->element_type());
  }
  ahead_ = std::move(ahead);
  function_ = std::move(rest);
  operands_ = std::move(operands);
  has_calls_ = true;
  return true;
}

int64_t FunctionFold::TileSize(int64_t result_count, int64_t thread_count) {
  return std::clamp(CeilDiv(result_count, thread_count), kMinTile, kMaxTile);
}

int64_t FunctionFold::TilesAtOnce() const { return PartsAtOnce(CeilDiv(result_count_, kMinTile)); }

// Registers, elements and two sets of accumulators that change places.
int64_t FunctionFold::TileByteSize() const {
  int64_t size = Aligned(function_.block->register_byte_size());
  for (size_t k = 0; k < element_sizes_.size(); ++k) {
    size += 2 * Aligned(kMaxTile * element_sizes_[k]) + Aligned(ElementsByteSize(k));
  }
  if (ahead_.block != nullptr) size += Aligned(ahead_.block->register_byte_size());
  for (const ElementType type : made_types_) size += Aligned(kMaxTile * ElementByteSize(type));
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
      arguments_(2 * fold.element_sizes_.size() + fold.made_types_.size(), nullptr,
                 e.device().scratch()),
      made_(e.device().scratch()) {
  MakeRoom();
}

void FoldTile::MakeRoom() {
  const size_t arrays = array_count();
  for (auto& set : accumulators_) set.reserve(arrays);
  elements_.reserve(arrays);
  std::byte* next = storage_.get();
  const auto take = [&](int64_t byte_size) {
    return std::exchange(next, next + Aligned(byte_size));
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
  if (fold_.ahead_.block == nullptr) return;
  ahead_calls_.emplace(fold_.ahead_, e_, take(fold_.ahead_.block->register_byte_size()));
  made_.reserve(fold_.made_types_.size());
  for (const ElementType type : fold_.made_types_) {
    made_.push_back({type, {}, take(FunctionFold::kMaxTile * ElementByteSize(type))});
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

void FoldTile::TakeLine(int64_t place, int64_t stride, int64_t count, const FoldOffsets& offsets) {
  if (fold_.has_calls_) return RepeatCalls(place, stride, count, offsets);
  if (offsets.is_dense || stride != 1 || count < kMinLine) {
    for (int64_t i = 0; i < count; ++i) Take(place + i * stride, offsets);
    return;
  }
  for (int64_t begin = 0; begin < count; begin += FunctionFold::kMaxLine) {
    StepAlong(place + begin, std::min(FunctionFold::kMaxLine, count - begin), offsets,
              [](int64_t) {});
  }
}

template <typename Stepped>
void FoldTile::StepAlong(int64_t place, int64_t count, const FoldOffsets& offsets,
                         const Stepped& stepped) {
  ReadElements(place, [&](size_t k, int64_t element_size, const std::byte* bytes) {
    offsets.GatherLines(element_size, bytes, count, elements_[k], FunctionFold::kMaxTile);
    return elements_[k];
  });
  for (int64_t i = 0; i < count; ++i) {
    Step();
    stepped(i);
    for (const size_t k : fold_.read_arrays_) {
      arguments_[array_count() + k] += FunctionFold::kMaxTile * SizeOf(k);
    }
  }
}

// The elements of a place follow those of the one before, or are brought to where they do.
void FoldTile::RepeatCalls(int64_t place, int64_t stride, int64_t count,
                           const FoldOffsets& offsets) {
  const int64_t places = FunctionFold::kMaxTile / count_;
  const size_t arrays = array_count();
  for (int64_t begin = 0; begin < count; begin += places) {
    const int64_t size = std::min(places, count - begin);
    ReadElements(place + begin * stride,
                 [&](size_t k, int64_t element_size, const std::byte* bytes) -> const std::byte* {
                   if (offsets.is_dense && stride == count_) {
                     return bytes + offsets.offsets[0] * element_size;
                   }
                   if (stride == 1) {
                     offsets.GatherLines(element_size, bytes, size, elements_[k], count_);
                     return elements_[k];
                   }
                   for (int64_t i = 0; i < size; ++i) {
                     offsets.Gather(element_size, bytes + i * stride * element_size,
                                    elements_[k] + i * count_ * element_size);
                   }
                   return elements_[k];
                 });
    if (ahead_calls_) {
      ahead_calls_->Run(size * count_, std::span(arguments_).subspan(arrays, arrays), made_);
      for (size_t j = 0; j < made_.size(); ++j) arguments_[2 * arrays + j] = made_[j].bytes;
    }
    RepeatCallsAlong(size);
  }
}

int64_t FoldTile::MovingSize(int64_t parameter) const {
  const int64_t arrays = fold_.array_count();
  if (parameter < arrays) return 0;
  return parameter < 2 * arrays ? SizeOf(static_cast<size_t>(parameter - arrays))
                                : ElementByteSize(made_[parameter - 2 * arrays].element_type);
}

// Each list of calls has every other step.
void FoldTile::RepeatCallsAlong(int64_t count) {
  const auto& sources = fold_.function_.sources;
  List<int64_t, 12> strides(sources.size(), 0, e_.device().scratch());
  for (size_t i = 0; i < sources.size(); ++i) {
    const int64_t size = count_ * MovingSize(sources[i].parameter);
    if (size == 0) continue;
    const std::byte* first = arguments_[static_cast<size_t>(sources[i].parameter)];
    repeated_calls_[turn_]->Move(i, first);
    repeated_calls_[1 - turn_]->Move(i, first + size);
    strides[i] = 2 * size;
  }
  for (int64_t i = 0; i < count; ++i) {
    repeated_calls_[turn_]->RunAlong(strides);
    turn_ = 1 - turn_;
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
      const bool moves = parameter >= arrays && parameter < arguments_.size();
      if (moves) calls->Move(i, arguments_[parameter]);
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

void FoldTile::MakeLine(int64_t place, int64_t stride, int64_t count, const FoldOffsets& offsets) {
  if (offsets.is_dense) {
    for (int64_t i = 0; i < count; ++i) {
      Take(place + i * stride, offsets);
      Store(place + i * stride + offsets.offsets[0]);
    }
    return;
  }
  const int64_t size = stride == 1 ? FunctionFold::kMaxLine : 1;
  for (int64_t begin = 0; begin < count; begin += size) {
    MakePiece(place + begin * stride, std::min(size, count - begin), offsets);
  }
}

// Results take the places of elements that were read.
void FoldTile::MakePiece(int64_t place, int64_t count, const FoldOffsets& offsets) {
  StepAlong(place, count, offsets, [&](int64_t i) {
    for (size_t k = 0; k < array_count(); ++k) {
      std::memcpy(elements_[k] + i * FunctionFold::kMaxTile * SizeOf(k),
                  accumulators_[turn_][k].bytes, static_cast<size_t>(count_ * SizeOf(k)));
    }
  });
  for (size_t k = 0; k < array_count(); ++k) {
    offsets.ScatterLines(SizeOf(k), elements_[k], FunctionFold::kMaxTile, count,
                         e_.result(k).bytes + place * SizeOf(k));
  }
}

}  // namespace hlo::simd

// Elements are combined in the order of the definition (semantics.md 7.7), by the function as a
// block over as many of them as lie in different places: those of a window, or of several until one
// lies where another does. So each sees its updates one after the other.
#include "interp/simd/reduce/scatter_function.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/reference/element_size.h"
#include "interp/reference/scatter_windows.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/row_targets.h"
#include "interp/simd/movement/scatter_boxes.h"
#include "interp/simd/movement/scatter_operands.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

using reference::ScatterWindows;

constexpr int64_t kLookEvery = int64_t{1} << 16;  // elements between two looks for an interrupt
// Windows of so many elements are combined by themselves, which their own places do not hinder.
constexpr int64_t kLargeWindow = 64;

// The places of up to kMaxTile elements.
class PlaceSet {
 public:
  // False: it is there already.
  bool Add(int64_t place) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // spreads neighbours
    for (uint64_t i = (static_cast<uint64_t>(place) * kFactor) >> (64 - kBits);; ++i) {
      Entry& entry = entries_[i % kSize];
      if (entry.turn != turn_) {
        entry = {place, turn_};
        return true;
      }
      if (entry.place == place) return false;
    }
  }
  void Clear() { ++turn_; }

 private:
  static constexpr int kBits = 10;
  static constexpr size_t kSize = size_t{1} << kBits;
  static_assert(kSize >= 4 * FunctionScatter::kMaxTile);

  struct Entry {
    int64_t place, turn;
  };
  std::array<Entry, kSize> entries_ = {};
  int64_t turn_ = 1;
};

// Where elements lie in an array, one after the other.
struct Places {
  void Add(int64_t place) {
    is_dense &= count == 0 || place == places[count - 1] + 1;
    places[count++] = place;
  }
  void Clear() {
    count = 0;
    is_dense = true;
  }

  int64_t places[FunctionScatter::kMaxTile];
  int64_t count = 0;
  bool is_dense = true;  // side by side
};

template <typename T>
using List = absl::InlinedVector<T, 8, ScratchAllocator<T>>;

absl::Status RunFunctionScatter(Evaluation& e) {
  return static_cast<const FunctionScatter*>(e.program())->Run(e);
}

}  // namespace

// The elements that are combined next.
class ScatterTile {
 public:
  ScatterTile(const FunctionScatter& program, Evaluation& e)
      : program_(program),
        e_(e),
        storage_(e.device().scratch(), ByteSize(program)),
        calls_(program.function_, e, storage_.get()),
        arguments_(2 * program.array_count_, nullptr, e.device().scratch()),
        results_(e.device().scratch()),
        elements_(e.device().scratch()),
        updates_(e.device().scratch()) {
    std::byte* next = storage_.get() + RegisterByteSize(program);
    for (size_t k = 0; k < program.array_count_; ++k) {
      const int64_t size = FunctionScatter::kMaxTile * program.element_sizes_[k];
      results_.push_back({e.result(k).element_type, {}, next});
      elements_.push_back(next + size);
      updates_.push_back(next + 2 * size);
      next += 3 * size;
    }
  }

  // Sizes of tiles are whole numbers of the alignment.
  static int64_t ByteSize(const FunctionScatter& program) {
    int64_t size = RegisterByteSize(program);
    for (const int64_t element_size : program.element_sizes_) {
      size += 3 * FunctionScatter::kMaxTile * element_size;
    }
    return size;
  }

  // Elements that are combined by the ones at `from`; the places of a window differ.
  void Take(int64_t to, int64_t from, bool is_of_large_window = false) {
    if (to_.count == FunctionScatter::kMaxTile || (!is_of_large_window && !set_.Add(to))) {
      Finish();
      if (!is_of_large_window) set_.Add(to);
    }
    to_.Add(to);
    from_.Add(from);
  }

  // Combines what has been taken.
  void Finish() {
    if (to_.count == 0) return;
    const size_t arrays = program_.array_count_;
    for (size_t k = 0; k < arrays; ++k) {
      if (program_.function_.Reads(k)) {
        arguments_[k] = Read(k, e_.result(k).bytes, to_, elements_[k]);
      }
      if (program_.function_.Reads(arrays + k)) {
        arguments_[arrays + k] = Read(k, UpdatesOf(e_, k).bytes, from_, updates_[k]);
      }
    }
    calls_.Run(to_.count, arguments_, results_);
    for (size_t k = 0; k < results_.size(); ++k) Write(k);
    to_.Clear();
    from_.Clear();
    set_.Clear();
  }

 private:
  static int64_t RegisterByteSize(const FunctionScatter& program) {
    return Aligned(program.function_.block->register_byte_size());
  }

  // The elements of array `k` in `bytes` at some places, where they are or in `room`.
  const std::byte* Read(size_t k, const std::byte* bytes, const Places& places,
                        std::byte* room) const {
    const int64_t size = program_.element_sizes_[k];
    if (places.is_dense) return bytes + places.places[0] * size;
    reference::DispatchElementSize(size, [&]<typename T>() {
      const T* from = reinterpret_cast<const T*>(bytes);
      T* to = reinterpret_cast<T*>(room);
      for (int64_t i = 0; i < places.count; ++i) to[i] = from[places.places[i]];
    });
    return room;
  }

  void Write(size_t k) const {
    const int64_t size = program_.element_sizes_[k];
    std::byte* const bytes = e_.result(k).bytes;
    if (to_.is_dense) {
      std::memcpy(bytes + to_.places[0] * size, results_[k].bytes,
                  static_cast<size_t>(to_.count * size));
      return;
    }
    reference::DispatchElementSize(size, [&]<typename T>() {
      const T* from = reinterpret_cast<const T*>(results_[k].bytes);
      T* to = reinterpret_cast<T*>(bytes);
      for (int64_t i = 0; i < to_.count; ++i) to[to_.places[i]] = from[i];
    });
  }

  const FunctionScatter& program_;
  Evaluation& e_;
  ScratchArray<std::byte> storage_;
  FunctionCalls calls_;
  List<const std::byte*> arguments_;
  List<MutableArrayRef> results_;
  List<std::byte*> elements_, updates_;  // where they are brought together
  Places to_, from_;
  PlaceSet set_;
};

namespace {

// visit(window) of one window after the other, each of `size` elements. What is combined by itself
// needs no others beside it.
class WindowTurn {
 public:
  WindowTurn(Evaluation& e, ScatterTile& tile, int64_t size)
      : e_(e), tile_(tile), size_(size), is_large_(size >= kLargeWindow) {}

  bool is_large() const { return is_large_; }

  template <typename Visit>
  absl::Status Take(const Visit& visit) {
    if (is_large_) tile_.Finish();
    visit();
    if (is_large_) tile_.Finish();
    until_look_ -= size_;
    if (until_look_ > 0) return absl::OkStatus();
    until_look_ = kLookEvery;
    return e_.device().is_interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

 private:
  Evaluation& e_;
  ScatterTile& tile_;
  int64_t size_;
  bool is_large_;
  int64_t until_look_ = kLookEvery;
};

absl::Status TakeRows(Evaluation& e, ScatterTile& tile) {
  auto& targets = PreparedOf<RowTargets>(e);
  targets.set_indices(IndicesOf(e));
  const int64_t size = targets.row_size();
  WindowTurn turn(e, tile, size);
  absl::Status status;
  targets.ForEach(0, targets.count(), [&](int64_t row, int64_t target) {
    if (!status.ok()) return;
    status = turn.Take([&] {
      for (int64_t i = 0; i < size; ++i) tile.Take(target + i, row * size + i, turn.is_large());
    });
  });
  return status;
}

absl::Status TakeWindows(Evaluation& e, ScatterTile& tile) {
  auto& windows = PreparedOf<ScatterWindows>(e);
  WindowTurn turn(e, tile, CountElements(windows.window_sizes()));
  return windows.ForEach(windows.Indices(e), [&](int64_t target, int64_t update) {
    return turn.Take([&] {
      windows.ForEachElement(
          target, update, [&](int64_t to, int64_t from) { tile.Take(to, from, turn.is_large()); });
    });
  });
}

// Whether arrays have the types of the function, and the same sizes: the verifier only warns where
// these differ.
bool IsUniform(const Plan& plan, const Step& step, const Region& region) {
  const size_t arrays = step.results.size();
  const std::span<const SlotId> operands = step.operands;
  if (operands.size() != 2 * arrays + 1) return false;
  const std::span<const SlotId> values = operands.first(arrays), updates = operands.last(arrays);
  const auto have_equal_sizes = [&](std::span<const SlotId> slots) {
    return std::ranges::all_of(slots, [&](SlotId slot) {
      return std::ranges::equal(plan.slot(slot).shape->dims(), plan.slot(slots[0]).shape->dims());
    });
  };
  return HaveTypesOf(plan, updates, values) && HaveTypesOf(plan, step.results, values) &&
         CombinesElementsOf(plan, region, values) && have_equal_sizes(values) &&
         have_equal_sizes(updates);
}

}  // namespace

std::shared_ptr<const FunctionScatter> FunctionScatter::Make(const Plan& plan, const Step& step) {
  if (!CallsFunctions(plan, step, Opcode::kScatter, 1)) return nullptr;
  const Region& region = *step.regions[0];
  if (!IsUniform(plan, step, region)) return nullptr;
  const size_t arrays = step.results.size();
  const auto shape_of = [&](SlotId slot) -> const Shape& { return *plan.slot(slot).shape; };
  auto program = std::make_shared<FunctionScatter>();
  program->operands_.assign(step.operands.begin(), step.operands.end());
  program->function_ = MakeFunctionBlock(plan, FunctionPart(region), kMaxTile, /*is_exact=*/true,
                                         program->operands_);
  if (program->function_.block == nullptr) return nullptr;
  for (size_t k = 0; k < arrays; ++k) {
    program->element_sizes_.push_back(ElementByteSize(shape_of(step.operands[k]).element_type()));
  }
  program->array_count_ = arrays;
  program->has_rows_ = RowTargets::Suit(OpView(*plan.module, plan.instruction(step)));
  program->index_count_ = ElementCount(shape_of(step.operands[arrays])).value_or(0);
  return program;
}

// Indices are taken as s64 where windows are no rows.
int64_t FunctionScatter::ScratchByteSize() const {
  const int64_t indices = has_rows_ ? 0 : index_count_ * int64_t{sizeof(int64_t)};
  return ScatterTile::ByteSize(*this) + indices;
}

const Kernel& FunctionScatter::kernel() const {
  static constexpr Kernel kRows = {.run = RunFunctionScatter,
                                   .prepare = Prepare<RowTargets>,
                                   .overwrite = Overwrite::kSameNumber};
  static constexpr Kernel kWindows = {.run = RunFunctionScatter,
                                      .prepare = Prepare<ScatterWindows>,
                                      .overwrite = Overwrite::kSameNumber};
  return has_rows_ ? kRows : kWindows;
}

absl::Status FunctionScatter::Run(Evaluation& e) const {
  for (size_t k = 0; k < array_count_; ++k) HLO_RETURN_IF_ERROR(CopyScatterOperand(e, k));
  // There may be many windows without elements.
  if (UpdatesOf(e, 0).element_count() == 0) return absl::OkStatus();
  ScatterTile tile(*this, e);
  HLO_RETURN_IF_ERROR(has_rows_ ? TakeRows(e, tile) : TakeWindows(e, tile));
  tile.Finish();
  return absl::OkStatus();
}

}  // namespace hlo::simd

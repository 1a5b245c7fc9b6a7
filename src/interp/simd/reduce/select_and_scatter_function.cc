// Neighbouring windows choose together (window_tile.h): at each position the function of all of
// them is a block over their candidates and the elements there. What they chose is then combined in
// the order of windows, as many at a time as cannot have chosen the same: those of a run of
// elements, or that chose one place behind the other. Dimensions before the first one with a window
// are shared out among threads.
#include "interp/simd/reduce/select_and_scatter_function.h"

#include <algorithm>
#include <array>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/window_tile.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxTile = WindowTile::kMaxSize;
constexpr int64_t kCheckEvery = 256;             // positions of a tile
constexpr int64_t kPartSize = int64_t{1} << 14;  // windows that are worth a part of their own

absl::Status RunFunctionSelectAndScatter(Evaluation& e) {
  return static_cast<const FunctionSelectAndScatter*>(e.program())->Run(e);
}

struct Grid : WindowGrid {
  explicit Grid(const Evaluation& e)
      : WindowGrid(e.Get<Attr::kWindow>(), e.operand(0).dims, e.operand(1).dims) {}
};

}  // namespace

// One thread's windows.
class FunctionSelection {
 public:
  FunctionSelection(const FunctionSelectAndScatter& program, const WindowGrid& grid, Evaluation& e)
      : program_(program),
        grid_(grid),
        e_(e),
        size_(program.element_size_),
        windows_(grid, e.device().scratch()),
        storage_(e.device().scratch(), ByteSize(program)),
        select_(program.select_, e, storage_.get()),
        scatter_(program.scatter_, e, storage_.get() + RegisterByteSize(program.select_)) {
    std::byte* next = storage_.get() + RegistersByteSize(program);
    const auto take = [&](int64_t byte_size) {
      return std::exchange(next, next + Aligned(byte_size));
    };
    places_ = reinterpret_cast<int64_t*>(take(kMaxTile * int64_t{sizeof(int64_t)}));
    chosen_ = take(kMaxTile * size_);
    others_ = take(kMaxTile * size_);
    combined_ = take(kMaxTile * size_);
    keeps_ = reinterpret_cast<uint8_t*>(take(kMaxTile));
  }

  static int64_t ByteSize(const FunctionSelectAndScatter& program) {
    return RegistersByteSize(program) + kMaxTile * int64_t{sizeof(int64_t)} +
           3 * Aligned(kMaxTile * program.element_size_) + kMaxTile;
  }

  // Windows [begin, begin + count).
  void Run(int64_t begin, int64_t count) {
    windows_.SetTo(begin, count);
    reference::DispatchElementSize(size_, [&]<typename T>() {
      Choose<T>(count);
      program_.overwrites_ ? OverwriteChosen<T>(begin, count) : Combine<T>(begin, count);
    });
  }

 private:
  static int64_t RegisterByteSize(const FunctionBlock& function) {
    return Aligned(function.block->register_byte_size());
  }
  static int64_t RegistersByteSize(const FunctionSelectAndScatter& program) {
    return RegisterByteSize(program.select_) + RegisterByteSize(program.scatter_);
  }

  // Where each window's element lies: `places_`, -1 for those that cover none.
  template <typename T>
  void Choose(int64_t count) {
    std::fill_n(places_, count, -1);
    std::fill_n(reinterpret_cast<T*>(chosen_), count, T{});
    const MutableArrayRef keeps = {ElementType::kPred, {}, reinterpret_cast<std::byte*>(keeps_)};
    int64_t until_check = kCheckEvery;
    bool is_first = true;
    windows_.ForEachPosition([&](int64_t place, std::span<const uint8_t> covers) {
      ReadElements<T>(place, count, covers);
      if (is_first) {
        std::fill_n(keeps_, count, 0);
      } else {
        select_.Run(count, std::array<const std::byte*, 2>{chosen_, others_}, {&keeps, 1});
      }
      covers.empty() ? TakeNew<T>(place, count, [](int64_t) { return 1; })
                     : TakeNew<T>(place, count, [&](int64_t i) { return covers[i]; });
      is_first = false;
      if (--until_check > 0) return true;
      until_check = kCheckEvery;
      return !e_.device().is_interrupted();
    });
  }

  // The elements at a position of the windows that have one there.
  template <typename T>
  void ReadElements(int64_t place, int64_t count, std::span<const uint8_t> covers) const {
    const T* values = reinterpret_cast<const T*>(e_.operand(0).bytes);
    const int64_t* firsts = windows_.firsts().data();
    T* others = reinterpret_cast<T*>(others_);
    if (covers.empty()) {
      values += place;
      for (int64_t i = 0; i < count; ++i) others[i] = values[firsts[i]];
    } else {
      for (int64_t i = 0; i < count; ++i) {
        others[i] = covers[static_cast<size_t>(i)] != 0 ? values[firsts[i] + place] : T{};
      }
    }
  }

  // Replaces what is not kept, and the first of a window, by the elements at a position of those
  // windows that are covered there. Without branches: nobody can tell which these are.
  template <typename T, typename IsCovered>
  void TakeNew(int64_t place, int64_t count, const IsCovered& is_covered) const {
    const int64_t* firsts = windows_.firsts().data();
    T* chosen = reinterpret_cast<T*>(chosen_);
    const T* others = reinterpret_cast<const T*>(others_);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t keeps = static_cast<int64_t>(keeps_[i] != 0) & ~(places_[i] >> 63);
      const int64_t takes = -(static_cast<int64_t>(is_covered(i)) & ~keeps & 1);
      places_[i] ^= (places_[i] ^ (firsts[i] + place)) & takes;
      const T next[] = {chosen[i], others[i]};
      chosen[i] = next[takes & 1];
    }
  }

  // How many windows from `first` on, which is number `number` of all, chose different elements.
  int64_t CountDifferent(int64_t first, int64_t number, int64_t count) const {
    const int64_t run_end = std::min(count, first + grid_.run() - number % grid_.run());
    int64_t end = first + 1;
    while (end < run_end && places_[end] >= 0) ++end;
    int64_t next = first + 1;
    while (next < count && places_[next] > places_[next - 1]) ++next;
    return std::max(end, next) - first;
  }

  template <typename T>
  void OverwriteChosen(int64_t begin, int64_t count) {
    T* results = reinterpret_cast<T*>(e_.result().bytes);
    const T* sources = reinterpret_cast<const T*>(e_.operand(1).bytes) + begin;
    for (int64_t i = 0; i < count; ++i) {
      if (places_[i] >= 0) results[places_[i]] = sources[i];
    }
  }

  template <typename T>
  void Combine(int64_t begin, int64_t count) {
    T* results = reinterpret_cast<T*>(e_.result().bytes);
    const std::byte* sources = e_.operand(1).bytes + begin * size_;
    T* targets = reinterpret_cast<T*>(others_);
    const T* combined = reinterpret_cast<const T*>(combined_);
    const MutableArrayRef to = {e_.result().element_type, {}, combined_};
    for (int64_t first = 0; first < count;) {
      if (places_[first] < 0) {
        ++first;
        continue;
      }
      const int64_t some = CountDifferent(first, begin + first, count);
      for (int64_t i = 0; i < some; ++i) targets[i] = results[places_[first + i]];
      const std::array<const std::byte*, 2> arguments = {others_, sources + first * size_};
      scatter_.Run(some, arguments, {&to, 1});
      for (int64_t i = 0; i < some; ++i) results[places_[first + i]] = combined[i];
      first += some;
    }
  }

  const FunctionSelectAndScatter& program_;
  const WindowGrid& grid_;
  Evaluation& e_;
  const int64_t size_;  // bytes of an element
  WindowTile windows_;
  ScratchArray<std::byte> storage_;
  FunctionCalls select_, scatter_;
  int64_t* places_;
  std::byte *chosen_, *others_, *combined_;  // elements
  uint8_t* keeps_;
};

std::shared_ptr<const FunctionSelectAndScatter> FunctionSelectAndScatter::Make(const Plan& plan,
                                                                               const Step& step) {
  if (!CallsFunctions(plan, step, Opcode::kSelectAndScatter, 2) || step.operands.size() != 3) {
    return nullptr;
  }
  const Region &select = *step.regions[0], &scatter = *step.regions[1];
  const auto type_of = [&](SlotId slot) { return plan.slot(slot).shape->element_type(); };
  const ElementType type = type_of(step.results[0]);
  const auto is_of_type = [&](SlotId slot) { return type_of(slot) == type; };
  const bool fits = std::ranges::all_of(step.operands, is_of_type) &&
                    std::ranges::all_of(select.parameters, is_of_type) &&
                    select.parameters.size() == 2 && select.results.size() == 1 &&
                    type_of(select.results[0]) == ElementType::kPred &&
                    CombinesElementsOf(plan, scatter, step.results);
  const OpView op(*plan.module, plan.instruction(step));
  const Window window = op.Get<Attr::kWindow>();
  const Shape& values = *plan.slot(step.operands[0]).shape;
  const Shape& source = *plan.slot(step.operands[1]).shape;
  if (!fits || !WindowGrid::Suits(window, values.dims(), source.dims(), /*allows_holes=*/false)) {
    return nullptr;
  }
  auto program = std::make_shared<FunctionSelectAndScatter>();
  program->operands_.assign(step.operands.begin(), step.operands.end());
  // Another last bit may choose another element.
  program->select_ = MakeFunctionBlock(plan, FunctionPart(select), kMaxTile, /*is_exact=*/true,
                                       program->operands_);
  program->scatter_ = MakeFunctionBlock(plan, FunctionPart(scatter), kMaxTile, /*is_exact=*/false,
                                        program->operands_);
  if (program->select_.block == nullptr || program->scatter_.block == nullptr) return nullptr;
  program->overwrites_ = scatter.form.IsParameter(1) && scatter.form.element_type == type;
  program->element_size_ = ElementByteSize(type);
  const WindowGrid grid(window, values.dims(), source.dims());
  program->dimension_count_ = grid.dimension_count();
  program->outer_count_ = grid.outer_count();
  return program;
}

int64_t FunctionSelectAndScatter::ScratchByteSize() const {
  return PartsAtOnce(outer_count_) *
         (FunctionSelection::ByteSize(*this) + WindowTile::ScratchByteSize(dimension_count_));
}

const Kernel& FunctionSelectAndScatter::kernel() const {
  static constexpr Kernel kKernel = {.run = RunFunctionSelectAndScatter, .prepare = Prepare<Grid>};
  return kKernel;
}

absl::Status FunctionSelectAndScatter::Run(Evaluation& e) const {
  if (e.result().element_count() == 0) return absl::OkStatus();
  const WindowGrid& grid = PreparedOf<Grid>(e);
  const int64_t windows = grid.windows_in_each(), elements = grid.elements_in_each();
  const int64_t entries =
      std::clamp<int64_t>(kPartSize / std::max<int64_t>(1, windows), 1, outer_count_);
  return ForEachPart(e.device(), CeilDiv(outer_count_, entries), [&](int64_t part) {
    const int64_t first = part * entries, last = std::min(outer_count_, first + entries);
    reference::DispatchElementSize(element_size_, [&]<typename T>() {
      std::fill_n(reinterpret_cast<T*>(e.result().bytes) + first * elements,
                  (last - first) * elements, *reinterpret_cast<const T*>(e.operand(2).bytes));
    });
    FunctionSelection selection(*this, grid, e);
    for (int64_t begin = first * windows; begin < last * windows; begin += kMaxTile) {
      if (e.device().is_interrupted()) return;
      selection.Run(begin, std::min(kMaxTile, last * windows - begin));
    }
  });
}

}  // namespace hlo::simd

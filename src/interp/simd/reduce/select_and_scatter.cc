// select-and-scatter (semantics.md 9.4). Dimensions behind the last one with a window are one run
// of elements, whose windows choose together, or one by one where there is no such run; outer
// dimensions without a window are shared out among threads. Windows come in the order of the
// definition, so that results are its bits.
#include "interp/simd/reduce/select_and_scatter.h"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/reducer.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided_copy.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/sort/sort_keys.h"
#include "interp/simd/vector/wide.h"
#include "ir/window_dimension.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kTile = 256;             // elements of a run that choose together
constexpr int64_t kLookEvery = 64 * 1024;  // windows between two looks whether the run is to stop

bool HasWindow(const WindowDimension& d) {
  return d.size != 1 || d.stride != 1 || d.padding_low != 0 || d.padding_high != 0;
}

// A dimension of the operand with the windows over it.
struct WindowedDimension {
  // The element that window `number` begins with, and whether all that it covers are elements.
  int64_t Begin(int64_t number) const { return number * window.stride - window.padding_low; }
  bool IsWhole(int64_t number) const {
    const int64_t begin = Begin(number);
    return begin >= 0 && begin < whole_count;
  }

  int64_t size;    // elements
  int64_t count;   // windows
  int64_t stride;  // in memory, of the operand
  WindowDimension window;
  int64_t whole_count = PlacesOfWhole();  // elements that a window may begin with and be whole

 private:
  int64_t PlacesOfWhole() const {
    const std::optional<int64_t> reach = CheckedMul(window.size - 1, window.window_dilation);
    return reach && *reach < size ? size - *reach : 0;
  }
};

// Windows of [outer..., windowed..., run].
struct Windows {
  explicit Windows(const Evaluation& e) {
    const Window window = e.Get<Attr::kWindow>();
    const ArrayRef& operand = e.operand(0);
    const Index strides = reference::DenseStrides(operand.dims);
    size_t first = operand.dims.size(), last = 0;
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      if (!HasWindow(WindowDimensionAt(window, static_cast<int64_t>(d)))) continue;
      first = std::min(first, d);
      last = d + 1;
    }
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      const int64_t size = operand.dims[d];
      if (d < first && last > 0) {
        outer *= size;
      } else if (d >= last) {
        run *= size;
      } else {
        dimensions.push_back({size, e.operand(1).dims[d], strides[d],
                              WindowDimensionAt(window, static_cast<int64_t>(d))});
      }
    }
    if (dimensions.empty()) dimensions.push_back({1, 1, 0, {}});
    for (const WindowedDimension& d : dimensions) {
      elements *= d.size;
      windows *= d.count;
      most_covered *= d.window.size;
    }
    elements *= run;
    FindWhole();
  }

  int64_t outer = 1;
  std::vector<WindowedDimension> dimensions;
  int64_t run = 1;
  int64_t elements = 1;      // of the operand, in one outer entry
  int64_t windows = 1;       // in one outer entry, each of a run
  int64_t most_covered = 1;  // elements, by a window
  // Where the elements of a window lie that covers elements only, from its first one on; nothing
  // where there is no such window.
  std::vector<int64_t> whole;

 private:
  void FindWhole() {
    if (std::ranges::any_of(dimensions, [](const auto& d) { return d.whole_count == 0; })) return;
    whole = {0};
    for (const WindowedDimension& d : dimensions) {
      std::vector<int64_t> longer;
      for (const int64_t offset : whole) {
        for (int64_t w = 0; w < d.window.size; ++w) {
          longer.push_back(offset + w * d.window.window_dilation * d.stride);
        }
      }
      whole = std::move(longer);
    }
  }
};

// Finds where the elements of windows lie.
class CoveredElements {
 public:
  CoveredElements(const DeviceContext& device, const Windows& windows)
      : windows_(windows),
        storage_(device.scratch(), 2 * windows.most_covered),
        offsets_(storage_.get()),
        longer_(storage_.get() + windows.most_covered) {}

  // Those that the window number `index` covers, in order; valid until the next call.
  std::span<const int64_t> Of(int64_t index) {
    offsets_[0] = 0;
    count_ = 1;
    int64_t windows = windows_.windows;  // in this dimension and those behind it
    for (const WindowedDimension& dimension : windows_.dimensions) {
      index %= windows;
      windows /= dimension.count;
      Cross(dimension, index / windows);
    }
    return {offsets_, static_cast<size_t>(count_)};
  }

 private:
  // All offsets so far go with all elements of a dimension's window.
  void Cross(const WindowedDimension& dimension, int64_t number) {
    const WindowDimension& window = dimension.window;
    const int64_t begin = dimension.Begin(number);
    int64_t* next = longer_;
    for (int64_t i = 0; i < count_; ++i) {
      for (int64_t w = 0; w < window.size; ++w) {
        const int64_t at = begin + w * window.window_dilation;
        if (at >= 0 && at < dimension.size) *next++ = offsets_[i] + at * dimension.stride;
      }
    }
    count_ = next - longer_;
    std::swap(offsets_, longer_);
  }

  const Windows& windows_;
  ScratchArray<int64_t> storage_;
  int64_t* offsets_;
  int64_t* longer_;
  int64_t count_ = 0;
};

// What is compared of an element: its value, or what integers order as the total order does.
struct ByValue {
  template <typename T>
  static auto Of(T x) {
    return Wide(x);
  }
};
struct ByTotalOrder {
  template <typename T>
  static auto Of(T x) {
    using Key = std::make_signed_t<SortKey<T>>;  // which there are vector comparisons of
    return static_cast<Key>(SortKeyOf<T, /*kMerged=*/false>(x) ^ kKeySign<T>);
  }
};

struct Less {
  template <typename T>
  static bool Keeps(T candidate, T next) {
    return candidate < next;
  }
};
struct LessOrEqual {
  template <typename T>
  static bool Keeps(T candidate, T next) {
    return candidate <= next;
  }
};
struct Greater {
  template <typename T>
  static bool Keeps(T candidate, T next) {
    return candidate > next;
  }
};
struct GreaterOrEqual {
  template <typename T>
  static bool Keeps(T candidate, T next) {
    return candidate >= next;
  }
};

template <typename T, typename Key, typename Order>
class SelectAndScatter {
 public:
  SelectAndScatter(Evaluation& e, const Windows& windows)
      : windows_(windows),
        device_(e.device()),
        values_(View<T>(e.operand(0)).data()),
        sources_(View<T>(e.operand(1)).data()),
        init_(View<T>(e.operand(2)).data()[0]),
        result_(View<T>(e.result()).data()) {}

  absl::Status Run() const {
    return ForEachPart(device_, windows_.outer, [&](int64_t entry) { RunEntry(entry); });
  }

 private:
  void RunEntry(int64_t entry) const {
    const T* values = values_ + entry * windows_.elements;
    const T* source = sources_ + entry * windows_.windows * windows_.run;
    T* result = result_ + entry * windows_.elements;
    std::fill_n(result, windows_.elements, init_);
    CoveredElements covered(device_, windows_);
    const WindowedDimension& last = windows_.dimensions.back();
    for (int64_t first = 0; first < windows_.windows; first += last.count) {
      if (device_.is_interrupted()) return;
      const std::optional<int64_t> begin = BeginOfLine(first / last.count);
      for (int64_t i = 0; i < last.count; ++i, source += windows_.run) {
        if (i % kLookEvery == kLookEvery - 1 && device_.is_interrupted()) return;
        if (begin && last.IsWhole(i)) {
          const int64_t at = *begin + last.Begin(i) * last.stride;
          ChooseAll(windows_.whole, values + at, source, result + at);
        } else {
          ChooseAll(covered.Of(first + i), values, source, result);
        }
      }
    }
  }

  // Where windows begin whose numbers in all dimensions but the last are those of line `number`;
  // nothing where they cover more than elements.
  std::optional<int64_t> BeginOfLine(int64_t number) const {
    int64_t begin = 0;
    for (size_t d = windows_.dimensions.size() - 1; d-- > 0;) {
      const WindowedDimension& dimension = windows_.dimensions[d];
      const int64_t window = number % dimension.count;
      number /= dimension.count;
      if (!dimension.IsWhole(window)) return std::nullopt;
      begin += dimension.Begin(window) * dimension.stride;
    }
    return begin;
  }

  // For one window of a run of elements.
  void ChooseAll(std::span<const int64_t> offsets, const T* values, const T* source,
                 T* result) const {
    if (offsets.empty()) return;
    if (windows_.run == 1) return ChooseOne(offsets, values, *source, result);
    for (int64_t begin = 0; begin < windows_.run; begin += kTile) {
      Choose(offsets, values + begin, source + begin, result + begin,
             std::min(kTile, windows_.run - begin));
    }
  }

  // Without branches: nobody can tell which element it will be.
  static void ChooseOne(std::span<const int64_t> offsets, const T* values, T source, T* result) {
    int64_t place = offsets[0];
    for (const int64_t offset : offsets.subspan(1)) {
      const bool keeps = Order::Keeps(Key::Of(values[place]), Key::Of(values[offset]));
      place = offset ^ ((place ^ offset) & -static_cast<int64_t>(keeps));
    }
    result[place] = reference::Reducer<AddFn>::Apply(result[place], source);
  }

  static void Choose(std::span<const int64_t> offsets, const T* values, const T* source, T* result,
                     int64_t count) {
    using W = decltype(Key::Of(T{}));
    W chosen[kTile];
    int32_t numbers[kTile];
    for (int64_t c = 0; c < count; ++c) {
      chosen[c] = Key::Of(values[offsets[0] + c]);
      numbers[c] = 0;
    }
    for (size_t k = 1; k < offsets.size(); ++k) {
      const T* next = values + offsets[k];
      const auto number = static_cast<int32_t>(k);
      for (int64_t c = 0; c < count; ++c) {
        const W value = Key::Of(next[c]);
        const bool keeps = Order::Keeps(chosen[c], value);
        chosen[c] = keeps ? chosen[c] : value;
        numbers[c] = keeps ? numbers[c] : number;
      }
    }
    for (int64_t c = 0; c < count; ++c) {
      T& to = result[offsets[static_cast<size_t>(numbers[c])] + c];
      to = reference::Reducer<AddFn>::Apply(to, source[c]);
    }
  }

  const Windows& windows_;
  const DeviceContext& device_;
  const T* values_;
  const T* sources_;
  const T init_;
  T* result_;
};

template <typename T, typename Key>
absl::Status RunOrdered(Evaluation& e, const Windows& windows, const FunctionForm& select) {
  const bool or_equal = select.kind == FunctionForm::Kind::kOrEqual;
  if (select.keys[0].ascending) {
    return or_equal ? SelectAndScatter<T, Key, LessOrEqual>(e, windows).Run()
                    : SelectAndScatter<T, Key, Less>(e, windows).Run();
  }
  return or_equal ? SelectAndScatter<T, Key, GreaterOrEqual>(e, windows).Run()
                  : SelectAndScatter<T, Key, Greater>(e, windows).Run();
}

template <typename T>
absl::Status RunTyped(Evaluation& e, const Windows& windows, const FunctionForm& select) {
  return select.keys[0].total_order ? RunOrdered<T, ByTotalOrder>(e, windows, select)
                                    : RunOrdered<T, ByValue>(e, windows, select);
}

// The types that gradients have.
using RunWindows = absl::Status (*)(Evaluation&, const Windows&, const FunctionForm&);
RunWindows RunOf(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return RunTyped<double>;
    case ElementType::kF32:
      return RunTyped<float>;
    case ElementType::kBf16:
      return RunTyped<Bf16>;
    case ElementType::kF16:
      return RunTyped<F16>;
    default:  // rare
      return nullptr;
  }
}

absl::Status RunSelectAndScatter(Evaluation& e) {
  if (e.result().element_count() == 0) return absl::OkStatus();
  const Windows& windows = PreparedOf<Windows>(e);
  return RunOf(e.result().element_type)(e, windows, e.Function(Attr::kSelect).form());
}

// The places that windows cover, for each entry that is at work.
int64_t ScratchByteSize(const OpView& op) {
  const Window window = op.Get<Attr::kWindow>();
  const Shape& operand = op.operand_shape(0);
  double covered = 1, outer = 1;
  bool is_outer = true;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, d);
    is_outer &= !HasWindow(dimension);
    if (is_outer) outer *= static_cast<double>(operand.dim(d));
    covered *= static_cast<double>(dimension.size);
  }
  const auto entries = static_cast<int64_t>(std::min(outer, 0x1p62));
  return reference::ByteSizeOf(static_cast<double>(PartsAtOnce(entries)) * 2 * covered *
                               sizeof(int64_t));
}

bool IsComparison(const FunctionForm& form, ElementType type) {
  if (form.kind != FunctionForm::Kind::kComparator && form.kind != FunctionForm::Kind::kOrEqual) {
    return false;
  }
  const FunctionForm::Key& key = form.keys[0];
  return key.parameter == 0 && key.element_type == type && !key.is_canonical;
}

}  // namespace

const Kernel* FindSelectAndScatterKernel(const OpView& op, const FunctionForm& select,
                                         const FunctionForm& scatter) {
  const ElementType type = op.written_shape()->element_type();
  const bool is_sum =
      scatter.IsBinary() && scatter.element_type == type && scatter.opcode == Opcode::kAdd;
  if (!is_sum || RunOf(type) == nullptr || !IsComparison(select, type) ||
      op.written_shape()->HasDynamicDim()) {
    return nullptr;
  }
  for (int64_t i = 0; i < 3; ++i) {
    if (op.operand_shape(i).element_type() != type || op.operand_shape(i).HasDynamicDim()) {
      return nullptr;
    }
  }
  const Window window = op.Get<Attr::kWindow>();
  int64_t covered = 1;
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, d);
    if (dimension.base_dilation != 1 || dimension.reversal) return nullptr;
    // Windows beyond all measure mostly lie outside: these are walked where that is known.
    if (dimension.size > 1024) return nullptr;
    covered *= dimension.size;
    if (covered > 4096) return nullptr;
  }
  static constexpr Kernel kKernel = {.run = RunSelectAndScatter,
                                     .prepare = Prepare<Windows>,
                                     .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

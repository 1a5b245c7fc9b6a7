// reduce-window (semantics.md 9.2). Windows over several dimensions are reduced over one after the
// other, which takes the sum of their sizes instead of the product. In each such pass results that
// are neighbours are made together, a run of elements for each term; where every result has the
// terms of the one before it and more, as in cumulative sums, a run is made from the one before.
// Of two passes over neighbouring dimensions the second takes each row as soon as it is made.
//
// The order of terms along a dimension is the definition's, except where results are made from
// their successors; over several dimensions sums go in another order.
#include "interp/simd/reduce_window.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/element_size.h"
#include "interp/reference/scratch.h"
#include "interp/reference/window_positions.h"
#include "interp/simd/block_kernels.h"
#include "interp/simd/parallel.h"
#include "interp/simd/row_kernels.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

using reference::WindowRun;
using reference::WindowRuns;

constexpr int64_t kPartSize = int64_t{1} << 16;  // combinations that are worth a part of their own
constexpr int64_t kTile = 1024;
constexpr int64_t kSpan = 4096;  // elements of a line that are sorted at a time

bool IsTrivial(const WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// What is combined, and how: elements as tiles hold them.
struct Combination {
  TileLoop combine;
  CombineRows combine_rows;
  TileLoop round;  // a tile to the precision of narrower floats after each step; null: no need
  int64_t element_size;

  void operator()(std::byte* to, const std::byte* from, int64_t count) const {
    combine(to, from, nullptr, to, count);
    if (round != nullptr) round(to, nullptr, nullptr, to, count);
  }
};

// `count` copies of an element.
void Fill(std::byte* to, const std::byte* element, int64_t size, int64_t count) {
  if (count == 0) return;
  std::memcpy(to, element, static_cast<size_t>(size));
  for (int64_t done = 1; done < count;) {
    const int64_t more = std::min(done, count - done);
    std::memcpy(to + done * size, to, static_cast<size_t>(more * size));
    done += more;
  }
}

// Elements [0, count) of a line sorted by their places in a stride: those at 0, stride, ... first,
// then those at 1, each of these sequences `length` elements behind the one before.
template <typename T>
void SortByPlace(const T* line, int64_t count, int64_t stride, int64_t length, T* sorted) {
  const int64_t rounds = count / stride;
  if (stride == 2) {
    for (int64_t k = 0; k < rounds; ++k) {
      sorted[k] = line[2 * k];
      sorted[length + k] = line[2 * k + 1];
    }
  } else {
    for (int64_t k = 0; k < rounds; ++k) {
      for (int64_t p = 0; p < stride; ++p) sorted[p * length + k] = line[k * stride + p];
    }
  }
  for (int64_t i = rounds * stride; i < count; ++i) {
    sorted[(i - rounds * stride) * length + rounds] = line[i];
  }
}

// One pass: the middle dimension of [outer, in, inner] becomes [outer, out, inner].
class WindowPass {
 public:
  WindowPass(const WindowDimension& window, int64_t outer, int64_t in, int64_t inner)
      : outer_(outer),
        in_(in),
        out_(reference::WindowOutputSize(window, in)),
        inner_(inner),
        runs_(window, out_, in),
        window_(window),
        makes_forward_(MakesFromNeighbour(/*forward=*/true)),
        makes_backward_(!makes_forward_ && MakesFromNeighbour(/*forward=*/false)) {
    if (inner_ == 1) FindWhole();
  }

  int64_t result_count() const { return outer_ * out_ * inner_; }
  int64_t out() const { return out_; }

  absl::Status Run(const DeviceContext& device, const Combination& combination,
                   const std::byte* from, const std::byte* init, std::byte* to) const {
    const double line_work = LineWork(combination);
    // Parts are lines, or stretches of neighbours in long ones.
    const int64_t lines = PartSize(line_work, outer_);
    if (result_count() == 0) return absl::OkStatus();
    const int64_t stretch = line_work > 4 * kPartSize ? std::min(inner_, kTile) : inner_;
    const int64_t stretches = CeilDiv(inner_, stretch);
    const int64_t line_parts = CeilDiv(outer_, lines);
    return ForEachPart(device, line_parts * stretches, [&](int64_t part) {
      const int64_t begin = part / stretches * lines;
      const int64_t column = part % stretches * stretch;
      const int64_t width = std::min(stretch, inner_ - column);
      for (int64_t o = begin; o < std::min(outer_, begin + lines); ++o) {
        const Line line = {from + (o * in_ * inner_ + column) * combination.element_size,
                           to + (o * out_ * inner_ + column) * combination.element_size, width};
        RunLine(combination, line, init);
      }
    });
  }

  // Whether `next` goes over the dimension inside this one's, and rows between them are short
  // enough for the caches.
  bool CanPassRowsTo(const WindowPass& next, const Combination& combination) const {
    constexpr int64_t kMaxRowByteSize = int64_t{128} << 10;
    return next.outer_ == outer_ * out_ && next.in_ * next.inner_ == inner_ &&
           inner_ <= kMaxRowByteSize / combination.element_size && !Accumulates(combination);
  }

  // This pass from `init` and then `next` from `next_init`. What is between them are rows alone.
  absl::Status RunWith(const WindowPass& next, const DeviceContext& device,
                       const Combination& combination, const std::byte* from, const std::byte* init,
                       const std::byte* next_init, std::byte* to) const {
    const int64_t row_count = outer_ * out_;
    if (next.result_count() == 0) return absl::OkStatus();
    const double row_work = LineWork(combination) / static_cast<double>(out_);
    const int64_t rows = PartSize(row_work + next.LineWork(combination), row_count);
    const int64_t size = combination.element_size;
    return ForEachPart(device, CeilDiv(row_count, rows), [&](int64_t part) {
      const ScratchArray<std::byte> row(device.scratch(), inner_ * size);
      for (int64_t r = part * rows; r < std::min(row_count, (part + 1) * rows); ++r) {
        const Line line = {from + r / out_ * in_ * inner_ * size, nullptr, inner_};
        ReduceRow(combination, line, init, r % out_, row.get());
        next.RunLine(combination, {row.get(), to + r * next.out_ * next.inner_ * size, next.inner_},
                     next_init);
      }
    });
  }

 private:
  struct Line {
    const std::byte* from;
    std::byte* to;
    int64_t width;  // of its rows, in elements
  };

  // Steps that round keep to the order of the definition.
  bool AccumulatesBackward(const Combination& combination) const {
    return makes_backward_ && combination.round == nullptr;
  }
  bool Accumulates(const Combination& combination) const {
    return makes_forward_ || AccumulatesBackward(combination);
  }

  // Combinations.
  double LineWork(const Combination& combination) const {
    const int64_t terms = Accumulates(combination) ? 2 : std::min(window_.size, in_);
    return std::max(
        1.0, static_cast<double>(out_) * static_cast<double>(inner_) * static_cast<double>(terms));
  }
  // Of `count` pieces that are so much work each.
  static int64_t PartSize(double work, int64_t count) {
    return static_cast<int64_t>(
        std::clamp(kPartSize / work, 1.0, std::max(1.0, static_cast<double>(count))));
  }

  void RunLine(const Combination& combination, const Line& line, const std::byte* init) const {
    if (Accumulates(combination)) {
      Accumulate(combination, line, init, makes_forward_);
    } else if (inner_ == 1) {
      ReduceScalars(combination, line, init);
    } else {
      ReduceRows(combination, line, init);
    }
  }

  // Whether each result has all terms of its neighbour, in front of its own or behind them.
  bool MakesFromNeighbour(bool forward) const {
    if (window_.size < 4 || out_ < 2) return false;
    for (int64_t o = 0; o < out_; ++o) {
      const WindowRun run = runs_[o];
      if (run.count == 0) {
        if (o == (forward ? 0 : out_ - 1)) continue;
        return false;
      }
      if (run.base_step != 1) return false;
      const WindowRun edge = runs_[forward ? 0 : out_ - 1];
      const bool is_edge =
          edge.count == 0 || (forward ? run.base_first == edge.base_first
                                      : run.base_first + run.count == edge.base_first + edge.count);
      if (!is_edge) return false;
      if (o > 0 && (forward ? run.count < runs_[o - 1].count : run.count > runs_[o - 1].count)) {
        return false;
      }
    }
    // Where the first has no terms, all others begin with the same.
    return runs_[forward ? 0 : out_ - 1].count > 0;
  }

  const std::byte* Row(const Line& line, int64_t q, int64_t size) const {
    return line.from + q * inner_ * size;
  }

  void ReduceRows(const Combination& combination, const Line& line, const std::byte* init) const {
    for (int64_t o = 0; o < out_; ++o) {
      ReduceRow(combination, line, init, o, line.to + o * inner_ * combination.element_size);
    }
  }

  // Row `o` of the line's results.
  void ReduceRow(const Combination& combination, const Line& line, const std::byte* init, int64_t o,
                 std::byte* to) const {
    const int64_t size = combination.element_size;
    const WindowRun run = runs_[o];
    if (combination.round == nullptr) {
      combination.combine_rows(Row(line, run.base_first, size), run.base_step * inner_, run.count,
                               line.width, init, to);
      return;
    }
    Fill(to, init, size, line.width);
    for (int64_t i = 0; i < run.count; ++i) {
      combination(to, Row(line, run.base_first + i * run.base_step, size), line.width);
    }
  }

  void Accumulate(const Combination& combination, const Line& line, const std::byte* init,
                  bool forward) const {
    const int64_t size = combination.element_size;
    int64_t done = 0;  // terms
    for (int64_t k = 0; k < out_; ++k) {
      const int64_t o = forward ? k : out_ - 1 - k;
      std::byte* to = line.to + o * inner_ * size;
      const WindowRun run = runs_[o];
      if (k == 0) {
        Fill(to, init, size, line.width);
      } else {
        const int64_t neighbour = forward ? -inner_ : inner_;
        std::memcpy(to, to + neighbour * size, static_cast<size_t>(line.width * size));
      }
      for (; done < run.count; ++done) {
        const int64_t q = forward ? run.base_first + done : run.base_first + run.count - 1 - done;
        combination(to, Row(line, q, size), line.width);
      }
    }
  }

  // Results whose windows are on elements alone, and begin as far apart in the line as they do
  // between its holes.
  void FindWhole() {
    if (window_.base_dilation != 1) return;
    const auto is_whole = [&](int64_t o) {
      return runs_[o].count == window_.size && runs_[o].base_step == window_.window_dilation;
    };
    int64_t begin = 0;
    while (begin < out_ && !is_whole(begin)) ++begin;
    int64_t end = begin;
    while (end < out_ && is_whole(end)) ++end;
    if (begin == end || window_.stride > kSpan / 4) return;
    // No overflow: all terms of such a result are in the line.
    if ((window_.size - 1) * window_.window_dilation > kSpan / 2) return;
    whole_begin_ = begin;
    whole_end_ = end;
  }

  // Neighbours along the dimension itself.
  void ReduceScalars(const Combination& combination, const Line& line,
                     const std::byte* init) const {
    ReduceSome(combination, line, init, 0, whole_begin_);
    ReduceWhole(combination, line, init);
    ReduceSome(combination, line, init, whole_end_, out_);
  }

  // Term i of many of them at once: with a stride these lie side by side when elements are sorted.
  void ReduceWhole(const Combination& combination, const Line& line, const std::byte* init) const {
    const int64_t size = combination.element_size;
    const int64_t stride = window_.stride, dilation = window_.window_dilation;
    const int64_t reach = (window_.size - 1) * dilation + 1;
    const int64_t most = std::min(kTile, (kSpan - stride - reach) / stride + 1);
    alignas(64) std::byte sorted[kSpan * sizeof(double)];
    for (int64_t begin = whole_begin_; begin < whole_end_; begin += most) {
      const int64_t count = std::min(most, whole_end_ - begin);
      const int64_t span = (count - 1) * stride + reach;
      const int64_t length = CeilDiv(span, stride);
      const std::byte* from = line.from + runs_[begin].base_first * size;
      if (stride > 1) {
        reference::DispatchElementSize(size, [&]<typename T>() {
          SortByPlace(reinterpret_cast<const T*>(from), span, stride, length,
                      reinterpret_cast<T*>(sorted));
        });
        from = sorted;
      }
      std::byte* to = line.to + begin * size;
      Fill(to, init, size, count);
      for (int64_t i = 0; i < window_.size; ++i) {
        const int64_t place = i * dilation;
        combination(to, from + (place % stride * length + place / stride) * size, count);
      }
    }
  }

  // Results [first, last): term i of all of them at once, as far as they have one.
  void ReduceSome(const Combination& combination, const Line& line, const std::byte* init,
                  int64_t first, int64_t last) const {
    const int64_t size = combination.element_size;
    alignas(64) std::byte terms[kTile * sizeof(double)];
    alignas(64) std::byte kept[kTile * sizeof(double)];
    for (int64_t begin = first; begin < last; begin += kTile) {
      const int64_t count = std::min(kTile, last - begin);
      std::byte* to = line.to + begin * size;
      Fill(to, init, size, count);
      int64_t most = 0;
      bool is_even = true;  // all have the same number of terms, steps are regular
      for (int64_t k = 0; k < count; ++k) {
        most = std::max(most, runs_[begin + k].count);
        is_even &= runs_[begin + k].count == runs_[begin].count;
      }
      for (int64_t i = 0; i < most; ++i) {
        for (int64_t k = 0; k < count; ++k) {
          const WindowRun run = runs_[begin + k];
          const int64_t q = i < run.count ? run.base_first + i * run.base_step : 0;
          std::memcpy(terms + k * size, line.from + q * size, static_cast<size_t>(size));
        }
        if (is_even) {
          combination(to, terms, count);
          continue;
        }
        std::memcpy(kept, to, static_cast<size_t>(count * size));
        combination(kept, terms, count);
        for (int64_t k = 0; k < count; ++k) {
          if (i >= runs_[begin + k].count) continue;
          std::memcpy(to + k * size, kept + k * size, static_cast<size_t>(size));
        }
      }
    }
  }

  int64_t outer_, in_, out_, inner_;
  WindowRuns runs_;
  WindowDimension window_;
  bool makes_forward_, makes_backward_;
  int64_t whole_begin_ = 0, whole_end_ = 0;
};

// The passes of a reduce-window, one for each dimension with a window, in order.
struct WindowPasses {
  explicit WindowPasses(const Evaluation& e) {
    const Window window = e.Get<Attr::kWindow>();
    Index dims(e.operand(0).dims.begin(), e.operand(0).dims.end());
    for (size_t d = 0; d < dims.size(); ++d) {
      const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
      if (!IsTrivial(dimension)) Add(dimension, d, dims);
    }
    // Every result is the initial value and one element.
    if (list.empty()) Add(WindowDimensionAt(window, 0), 0, dims);
  }

  std::vector<WindowPass> list;

 private:
  void Add(const WindowDimension& window, size_t d, Index& dims) {
    int64_t outer = 1, inner = 1;
    for (size_t before = 0; before < d; ++before) outer *= dims[before];
    for (size_t after = d + 1; after < dims.size(); ++after) inner *= dims[after];
    list.emplace_back(window, outer, dims[d], inner);
    dims[d] = list.back().out();
  }
};

// What changes nothing when a sum starts with it: the initial value belongs into one pass only.
void Zero(ElementType type, std::byte* element) {
  if (type == ElementType::kF32) {
    const float zero = -0.0f;
    std::memcpy(element, &zero, sizeof(zero));
  } else if (type == ElementType::kF64) {
    const double zero = -0.0;
    std::memcpy(element, &zero, sizeof(zero));
  }
}

using Bytes = ScratchArray<std::byte>;

absl::Status RunReduceWindow(Evaluation& e) {
  const BlockKernels& kernels = GetBlockKernels();
  const Opcode opcode = e.Function(Attr::kToApply).form().opcode;
  const ArrayRef& input = e.operand(0);
  const ElementType type = input.element_type;
  const ElementType tile_type = TileType(type);
  const bool is_narrow = tile_type != type;
  const bool is_sum = opcode == Opcode::kAdd;
  const int64_t size = ElementByteSize(tile_type);
  const Combination combination = {kernels.elementwise(opcode, tile_type),
                                   GetRowKernels().combine_rows(opcode, tile_type),
                                   is_narrow && is_sum ? kernels.round(type) : nullptr, size};
  alignas(16) std::byte init[16] = {}, zero[16] = {};
  if (is_narrow) {
    kernels.widen(type)(e.operand(1).bytes, nullptr, nullptr, init, 1);
  } else {
    std::memcpy(init, e.operand(1).bytes, static_cast<size_t>(size));
  }
  Zero(tile_type, zero);

  const std::vector<WindowPass>& passes = PreparedOf<WindowPasses>(e).list;
  const std::byte* from = input.bytes;
  Bytes memory;
  if (is_narrow) {
    memory = Bytes(e.device().scratch(), input.element_count() * size);
    kernels.widen(type)(from, nullptr, nullptr, memory.get(), input.element_count());
    from = memory.get();
  }
  const auto init_of = [&](size_t pass) {
    return is_sum && pass + 1 < passes.size() ? zero : init;
  };
  for (size_t k = 0; k < passes.size(); ++k) {
    const size_t first = k;
    if (k + 1 < passes.size() && passes[k].CanPassRowsTo(passes[k + 1], combination)) ++k;
    const bool is_result = k + 1 == passes.size() && !is_narrow;
    Bytes next;
    if (!is_result) next = Bytes(e.device().scratch(), passes[k].result_count() * size);
    std::byte* to = is_result ? e.result().bytes : next.get();
    HLO_RETURN_IF_ERROR(first == k ? passes[k].Run(e.device(), combination, from, init_of(k), to)
                                   : passes[first].RunWith(passes[k], e.device(), combination, from,
                                                           init_of(first), init_of(k), to));
    from = to;
    if (!is_result) memory = std::move(next);
  }
  if (is_narrow) {
    kernels.narrow(type)(from, nullptr, nullptr, e.result().bytes, e.result().element_count());
  }
  return absl::OkStatus();
}

// What stands between two passes is at most as large as the larger of input and result, in f32
// where they are narrower; two of them live at a time.
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kMost = INT64_MAX / 64;
  const int64_t input = std::min(kMost, ElementCount(op.operand_shape(0)).value_or(kMost));
  const int64_t result = std::min(kMost, ElementCount(*op.written_shape()).value_or(kMost));
  const int64_t size = ElementByteSize(TileType(op.operand_shape(0).element_type()));
  return 2 * std::max(input, result) * size;
}

int64_t StateByteSize(const OpView& op, IsFixedOperand /*is_fixed*/) {
  return reference::ByteSizeOf(
      WindowRuns::ByteSize(op.Get<Attr::kWindow>(), op.operand_shape(0).dims()));
}

int64_t PassCount(const OpView& op) {
  const Window window = op.Get<Attr::kWindow>();
  int64_t count = 0;
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    count += IsTrivial(WindowDimensionAt(window, d)) ? 0 : 1;
  }
  return count;
}

// Whether results between two passes may grow beyond both input and result.
bool MayGrow(const OpView& op) {
  bool grows = false, shrinks = false;
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    grows |= op.written_shape()->dim(d) > op.operand_shape(0).dim(d);
    shrinks |= op.written_shape()->dim(d) < op.operand_shape(0).dim(d);
  }
  return grows && shrinks && PassCount(op) > 1;
}

}  // namespace

const Kernel* FindReduceWindowKernel(const OpView& op, const FunctionForm& form) {
  if (op.operand_count() != 2 || !op.written_shape()->IsArray()) return nullptr;
  const Shape& input = op.operand_shape(0);
  const ElementType type = input.element_type();
  if (!form.IsBinary() || form.element_type != type || !HasTiles(type) || input.rank() == 0 ||
      op.operand_shape(1).element_type() != type || op.written_shape()->element_type() != type ||
      GetBlockKernels().elementwise(form.opcode, TileType(type)) == nullptr ||
      GetRowKernels().combine_rows(form.opcode, TileType(type)) == nullptr || MayGrow(op)) {
    return nullptr;
  }
  // Others are neither indifferent to a second initial value nor to a zero before them. Narrow sums
  // round at each step, in the order of the definition only where there is one pass.
  const bool is_choice = form.opcode == Opcode::kMaximum || form.opcode == Opcode::kMinimum ||
                         form.opcode == Opcode::kAnd || form.opcode == Opcode::kOr;
  const bool is_sum = form.opcode == Opcode::kAdd && type != ElementType::kPred;
  const bool is_narrow_sum = is_sum && TileType(type) != type;
  if (!is_choice && !(is_sum && (!is_narrow_sum || PassCount(op) <= 1))) return nullptr;
  static constexpr Kernel kKernel = {.run = RunReduceWindow,
                                     .prepare = Prepare<WindowPasses>,
                                     .scratch_byte_size = ScratchByteSize,
                                     .state_byte_size = StateByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

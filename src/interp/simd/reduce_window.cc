// reduce-window (semantics.md 9.2). Windows over several dimensions are reduced over one after the
// other, which takes the sum of their sizes instead of the product. In each such pass results that
// are neighbours are made together, a run of elements for each term; where every result has the
// terms of the one before it and more, as in cumulative sums, a run is made from the one before.
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
#include "interp/reference/scratch.h"
#include "interp/reference/window_positions.h"
#include "interp/simd/block_kernels.h"
#include "interp/simd/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::WindowRun;
using reference::WindowRuns;

constexpr int64_t kPartSize = int64_t{1} << 16;  // combinations that are worth a part of their own
constexpr int64_t kTile = 1024;

bool IsTrivial(const WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// What is combined, and how: elements as tiles hold them.
struct Combination {
  TileLoop combine;
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
        makes_backward_(!makes_forward_ && MakesFromNeighbour(/*forward=*/false)) {}

  int64_t result_count() const { return outer_ * out_ * inner_; }
  int64_t out() const { return out_; }

  absl::Status Run(const DeviceContext& device, const Combination& combination,
                   const std::byte* from, const std::byte* init, std::byte* to) const {
    // Steps that round keep to the order of the definition.
    const bool is_forward = makes_forward_;
    const bool is_backward = makes_backward_ && combination.round == nullptr;
    const int64_t terms = is_forward || is_backward ? 2 : std::min(window_.size, in_);
    const double line_work = std::max(
        1.0, static_cast<double>(out_) * static_cast<double>(inner_) * static_cast<double>(terms));
    // Parts are lines, or stretches of neighbours in long ones.
    const auto lines = static_cast<int64_t>(
        std::clamp(kPartSize / line_work, 1.0, std::max(1.0, static_cast<double>(outer_))));
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
        if (is_forward || is_backward) {
          Accumulate(combination, line, init, is_forward);
        } else if (inner_ == 1) {
          ReduceScalars(combination, line, init);
        } else {
          ReduceRows(combination, line, init);
        }
      }
    });
  }

 private:
  struct Line {
    const std::byte* from;
    std::byte* to;
    int64_t width;  // of its rows, in elements
  };

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
    const int64_t size = combination.element_size;
    for (int64_t o = 0; o < out_; ++o) {
      std::byte* to = line.to + o * inner_ * size;
      const WindowRun run = runs_[o];
      Fill(to, init, size, line.width);
      for (int64_t i = 0; i < run.count; ++i) {
        combination(to, Row(line, run.base_first + i * run.base_step, size), line.width);
      }
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

  // Neighbours along the dimension itself: term i of all of them at once, as far as they have one.
  void ReduceScalars(const Combination& combination, const Line& line,
                     const std::byte* init) const {
    const int64_t size = combination.element_size;
    alignas(64) std::byte terms[kTile * sizeof(double)];
    alignas(64) std::byte kept[kTile * sizeof(double)];
    for (int64_t begin = 0; begin < out_; begin += kTile) {
      const int64_t count = std::min(kTile, out_ - begin);
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
  for (size_t k = 0; k < passes.size(); ++k) {
    const WindowPass& pass = passes[k];
    const bool is_last = k + 1 == passes.size();
    const bool is_result = is_last && !is_narrow;
    Bytes next;
    if (!is_result) next = Bytes(e.device().scratch(), pass.result_count() * size);
    std::byte* to = is_result ? e.result().bytes : next.get();
    const absl::Status status =
        pass.Run(e.device(), combination, from, is_sum && !is_last ? zero : init, to);
    if (!status.ok()) return status;
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
      GetBlockKernels().elementwise(form.opcode, TileType(type)) == nullptr || MayGrow(op)) {
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

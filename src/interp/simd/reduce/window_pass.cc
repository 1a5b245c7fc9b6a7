// In a pass results that are neighbours are made together, a run of elements for each term; where
// every result has the terms of the one before it and more, as in cumulative sums, a run is made
// from the one before.
#include "interp/simd/reduce/window_pass.h"

#include <cstring>
#include <utility>

#include "interp/kernel/scratch_pool.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/places.h"
#include "ir/index_space.h"
#include "support/checked_math.h"

namespace hlo::simd {

using reference::WindowRun;

namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // combinations that are worth a part of their own
constexpr int64_t kTile = 1024;
constexpr int64_t kFew = 4;      // results at an end of a line, which are made one by one
constexpr int64_t kSpan = 4096;  // elements of a line that are sorted at a time

}  // namespace

WindowCombination::WindowCombination(Opcode opcode, ElementType type)
    : combine(GetBlockKernels().elementwise(opcode, TileType(type))),
      combine_rows(GetRowCombinations().combine_rows(opcode, TileType(type))),
      combine_pairs(GetRowCombinations().combine_pairs(opcode, TileType(type))),
      scan(IsNarrow(type) ? nullptr : GetRowCombinations().scan(opcode, type)),
      round(IsNarrow(type) && (opcode == Opcode::kAdd || opcode == Opcode::kMultiply)
                ? GetBlockKernels().round(type)
                : nullptr),
      combine_rounded(round == nullptr ? nullptr
                                       : GetRowCombinations().combine_rounded(opcode, type)),
      element_size(ElementByteSize(TileType(type))) {}

void FillElements(std::byte* to, const std::byte* element, int64_t size, int64_t count) {
  if (element == nullptr || count == 0) return;
  std::memcpy(to, element, static_cast<size_t>(size));
  for (int64_t done = 1; done < count;) {
    const int64_t more = std::min(done, count - done);
    std::memcpy(to + done * size, to, static_cast<size_t>(more * size));
    done += more;
  }
}

std::vector<WindowPass> MakePasses(const Window& window, std::span<const int64_t> dims,
                                   size_t first, int64_t inner) {
  std::vector<WindowPass> passes;
  Index sizes(dims.begin() + static_cast<std::ptrdiff_t>(first), dims.end());
  const auto add = [&](const WindowDimension& dimension, size_t d) {
    const std::span<const int64_t> all(sizes.data(), sizes.size());
    passes.emplace_back(dimension, CountElements(all.first(d)), sizes[d],
                        CountElements(all.subspan(d + 1)) * inner);
    sizes[d] = passes.back().out();
  };
  const auto dimension_at = [&](size_t d) {
    return WindowDimensionAt(window, static_cast<int64_t>(first + d));
  };
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!IsTrivialWindow(dimension_at(d))) add(dimension_at(d), d);
  }
  // Every result is the initial value and one element.
  if (passes.empty()) add(dimension_at(0), 0);
  return passes;
}

WindowStarts::WindowStarts(Evaluation& e)
    : is_sum_(e.Function(Attr::kToApply).form().opcode == Opcode::kAdd) {
  const ArrayRef& init = e.operand(1);
  const ElementType type = init.element_type;
  if (IsNarrow(type)) {
    GetBlockKernels().widen(type)(init.bytes, nullptr, nullptr, init_, 1);
  } else {
    std::memcpy(init_, init.bytes, static_cast<size_t>(init.byte_size()));
  }
  if (TileType(type) == ElementType::kF32) {
    const float zero = -0.0f;
    std::memcpy(zero_, &zero, sizeof(zero));
  } else if (type == ElementType::kF64) {
    const double zero = -0.0;
    std::memcpy(zero_, &zero, sizeof(zero));
  }
}

WindowPass::WindowPass(const WindowDimension& window, int64_t outer, int64_t in, int64_t inner)
    : outer_(outer),
      in_(in),
      out_(reference::WindowOutputSize(window, in)),
      inner_(inner),
      runs_(window, out_, in),
      window_(window),
      makes_forward_(MakesFromNeighbour(/*forward=*/true)),
      makes_backward_(!makes_forward_ && MakesFromNeighbour(/*forward=*/false)),
      adds_one_term_(AddsOneTerm(makes_forward_)) {
  if (inner_ == 1) FindWhole();
}

absl::Status WindowPass::Run(const DeviceContext& device, const WindowCombination& combination,
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

bool WindowPass::CanPassRowsTo(const WindowPass& next, const WindowCombination& combination) const {
  constexpr int64_t kMaxRowByteSize = int64_t{128} << 10;
  return HasRowsOf(next) && inner_ <= kMaxRowByteSize / combination.element_size &&
         !Accumulates(combination);
}

absl::Status WindowPass::RunWith(const WindowPass& next, const DeviceContext& device,
                                 const WindowCombination& combination, const std::byte* from,
                                 const std::byte* init, const std::byte* next_init,
                                 std::byte* to) const {
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

void WindowPass::RunLines(const WindowCombination& combination, const std::byte* from,
                          const std::byte* init, std::byte* to) const {
  const int64_t size = combination.element_size;
  for (int64_t o = 0; o < outer_; ++o) {
    const Line line = {from + o * in_ * inner_ * size, to + o * out_ * inner_ * size, inner_};
    RunLine(combination, line, init);
  }
}

void WindowPass::RunLineInOrder(const WindowCombination& combination, const Line& line,
                                const std::byte* init) const {
  if (inner_ == 1) {
    ReduceScalars(combination, line, init);
  } else {
    ReduceRows(combination, line, init);
  }
}

double WindowPass::LineWork(const WindowCombination& combination) const {
  // Each result waits for its neighbour.
  const int64_t terms = Accumulates(combination) ? 4 : std::min(window_.size, in_);
  return std::max(
      1.0, static_cast<double>(out_) * static_cast<double>(inner_) * static_cast<double>(terms));
}

int64_t WindowPass::PartSize(double work, int64_t count) {
  return static_cast<int64_t>(
      std::clamp(kPartSize / work, 1.0, std::max(1.0, static_cast<double>(count))));
}

void WindowPass::RunLine(const WindowCombination& combination, const Line& line,
                         const std::byte* init) const {
  if (Accumulates(combination)) {
    Accumulate(combination, line, init, makes_forward_);
  } else {
    RunLineInOrder(combination, line, init);
  }
}

// Whether each result has all terms of its neighbour, in front of its own or behind them.
bool WindowPass::MakesFromNeighbour(bool forward) const {
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

// Whether the first result has one term, and each other has one more than its neighbour.
bool WindowPass::AddsOneTerm(bool forward) const {
  for (int64_t k = 0; k < out_; ++k) {
    if (runs_[forward ? k : out_ - 1 - k].count != k + 1) return false;
  }
  return true;
}

void WindowPass::ReduceRows(const WindowCombination& combination, const Line& line,
                            const std::byte* init) const {
  for (int64_t o = 0; o < out_; ++o) {
    ReduceRow(combination, line, init, o, line.to + o * inner_ * combination.element_size);
  }
}

// Row `o` of the line's results.
void WindowPass::ReduceRow(const WindowCombination& combination, const Line& line,
                           const std::byte* init, int64_t o, std::byte* to) const {
  const int64_t size = combination.element_size;
  const WindowRun run = runs_[o];
  if (combination.round == nullptr) {
    combination.combine_rows(Row(line, run.base_first, size), run.base_step * inner_, run.count,
                             line.width, init, to);
    return;
  }
  FillElements(to, init, size, line.width);
  combination.AddRows(to, Row(line, run.base_first, size), run.base_step * inner_, run.count,
                      line.width);
}

void WindowPass::Accumulate(const WindowCombination& combination, const Line& line,
                            const std::byte* init, bool forward) const {
  const int64_t size = combination.element_size;
  if (adds_one_term_ && line.width == 1 && combination.scan != nullptr && init != nullptr) {
    const int64_t first = forward ? 0 : out_ - 1;
    return combination.scan(Row(line, runs_[first].base_first, size), forward ? 1 : -1, out_, init,
                            line.to + first * size);
  }
  int64_t done = 0;  // terms
  for (int64_t k = 0; k < out_; ++k) {
    const int64_t o = forward ? k : out_ - 1 - k;
    std::byte* to = line.to + o * inner_ * size;
    const WindowRun run = runs_[o];
    const std::byte* starts = to;
    if (k == 0) {
      FillElements(to, init, size, line.width);
    } else {
      starts += (forward ? -inner_ : inner_) * size;
    }
    for (; done < run.count; ++done) {
      const int64_t q = forward ? run.base_first + done : run.base_first + run.count - 1 - done;
      combination(std::exchange(starts, to), Row(line, q, size), to, line.width);
    }
    if (starts != to) std::memcpy(to, starts, static_cast<size_t>(line.width * size));
  }
}

// Results whose windows are on elements alone, and begin as far apart in the line as they do
// between its holes.
void WindowPass::FindWhole() {
  if (window_.base_dilation != 1) return FindPhases();
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
void WindowPass::ReduceScalars(const WindowCombination& combination, const Line& line,
                               const std::byte* init) const {
  ReduceSome(combination, line, init, 0, whole_begin_);
  phase_count_ > 0 ? ReducePhases(combination, line, init) : ReduceWhole(combination, line, init);
  ReduceSome(combination, line, init, whole_end_, out_);
}

// Those with all terms, in registers where steps do not round, or round in the same loop.
void WindowPass::ReduceWhole(const WindowCombination& combination, const Line& line,
                             const std::byte* init) const {
  const int64_t count = whole_end_ - whole_begin_;
  if (count == 0) return;
  const int64_t size = combination.element_size;
  const std::byte* from = Row(line, runs_[whole_begin_].base_first, size);
  std::byte* to = line.to + whole_begin_ * size;
  if (combination.round == nullptr && window_.stride == 1) {
    combination.combine_rows(from, window_.window_dilation, window_.size, count, init, to);
  } else if (combination.round == nullptr && window_.stride == 2 &&
             combination.combine_pairs != nullptr) {
    combination.combine_pairs(from, window_.window_dilation, window_.size, count, init, to);
  } else if (combination.combine_rounded != nullptr && window_.stride == 1) {
    FillElements(to, init, size, count);
    combination.AddRows(to, from, window_.window_dilation, window_.size, count);
  } else {
    ReduceWholeByTerms(combination, line, init);
  }
}

// Term i of many of them at once: with a stride these lie side by side when elements are sorted.
void WindowPass::ReduceWholeByTerms(const WindowCombination& combination, const Line& line,
                                    const std::byte* init) const {
  const int64_t size = combination.element_size;
  const int64_t stride = window_.stride, dilation = window_.window_dilation;
  const int64_t reach = (window_.size - 1) * dilation + 1;
  const int64_t most = std::min(kTile, (kSpan - stride - reach) / stride + 1);
  alignas(64) std::byte sorted[kSpan * kMostElementSize];
  for (int64_t begin = whole_begin_; begin < whole_end_; begin += most) {
    const int64_t count = std::min(most, whole_end_ - begin);
    const int64_t span = (count - 1) * stride + reach;
    const int64_t length = CeilDiv(span, stride);
    const std::byte* from = line.from + runs_[begin].base_first * size;
    if (stride > 1) {
      SortByPlace(size, from, span, stride, length, sorted);
      from = sorted;
    }
    std::byte* to = line.to + begin * size;
    FillElements(to, init, size, count);
    for (int64_t i = 0; i < window_.size; ++i) {
      const int64_t place = i * dilation;
      combination(to, from + (place % stride * length + place / stride) * size, count);
    }
  }
}

// Results [first, last): term i of all of them at once, as far as they have one.
void WindowPass::ReduceSome(const WindowCombination& combination, const Line& line,
                            const std::byte* init, int64_t first, int64_t last) const {
  const int64_t size = combination.element_size;
  if (combination.round == nullptr && last - first <= kFew) {
    for (int64_t o = first; o < last; ++o) {
      const WindowRun run = runs_[o];
      combination.combine_rows(Row(line, run.base_first, size), run.base_step, run.count, 1, init,
                               line.to + o * size);
    }
    return;
  }
  alignas(64) std::byte terms[kTile * kMostElementSize];
  alignas(64) std::byte kept[kTile * kMostElementSize];
  for (int64_t begin = first; begin < last; begin += kTile) {
    const int64_t count = std::min(kTile, last - begin);
    std::byte* to = line.to + begin * size;
    FillElements(to, init, size, count);
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

}  // namespace hlo::simd

// Windows beside each other mostly cover elements at one distance from where each begins, so what
// is found once for a tile are these beginnings, and each position is one number more. Only at the
// edges windows cover elements at some positions and none at others.
#include "interp/simd/reduce/window_tile.h"

#include "interp/reference/strided.h"
#include "interp/reference/window_positions.h"
#include "interp/simd/reduce/window_pass.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxNumber = int64_t{1} << 29;  // of elements in one dimension, and so on

}  // namespace

bool WindowGrid::Suits(const Window& window, std::span<const int64_t> sizes,
                       std::span<const int64_t> counts, bool allows_holes) {
  if (counts.size() != sizes.size()) return false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    // The verifier only warns where there are others.
    if (counts[d] != reference::WindowOutputSize(dimension, sizes[d])) return false;
    if (IsTrivialWindow(dimension)) continue;
    if ((dimension.base_dilation != 1 && !allows_holes) || dimension.reversal ||
        sizes[d] > kMaxNumber / dimension.base_dilation || dimension.size > kMaxNumber ||
        dimension.stride > kMaxNumber || dimension.window_dilation > kMaxNumber / dimension.size ||
        std::abs(dimension.padding_low) > kMaxNumber ||
        std::abs(dimension.padding_high) > kMaxNumber) {
      return false;
    }
  }
  return true;
}

WindowGrid::WindowGrid(const Window& window, std::span<const int64_t> sizes,
                       std::span<const int64_t> counts) {
  const Index strides = reference::DenseStrides(sizes);
  size_t last = sizes.size();  // dimension behind which there is the run
  while (last > 0 && IsTrivialWindow(WindowDimensionAt(window, static_cast<int64_t>(last) - 1))) {
    run_ *= sizes[--last];
  }
  for (size_t d = 0; d < last; ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    counts_.push_back(counts[d]);
    // Where there are holes windows say themselves where they begin.
    const bool has_holes = dimension.base_dilation > 1;
    steps_.push_back(has_holes ? 0 : dimension.stride * strides[d]);
    if (!has_holes) first_place_ -= dimension.padding_low * strides[d];
    if (!IsTrivialWindow(dimension)) {
      const int64_t size = sizes[d] == 0 ? 0 : (sizes[d] - 1) * dimension.base_dilation + 1;
      dimensions_.push_back({.number = d,
                             .size = static_cast<int32_t>(size),
                             .dilation = static_cast<int32_t>(dimension.base_dilation),
                             .stride = strides[d],
                             .extent = dimension.size,
                             .step = dimension.window_dilation,
                             .begin = static_cast<int32_t>(-dimension.padding_low),
                             .window_stride = static_cast<int32_t>(dimension.stride)});
      most_covered_ *= static_cast<double>(std::min(dimension.size, sizes[d]));
    }
    if (dimensions_.empty()) {
      outer_count_ *= sizes[d];
    } else {
      windows_in_each_ *= counts[d];
      elements_in_each_ *= sizes[d];
    }
  }
  windows_in_each_ *= run_;
  elements_in_each_ *= run_;
  counts_.push_back(run_);
  steps_.push_back(1);
  // A run of one is no dimension: lines are longer without it.
  if (run_ == 1 && counts_.size() > 1) {
    counts_.pop_back();
    steps_.pop_back();
  }
}

WindowTile::WindowTile(const WindowGrid& grid, ScratchPool& pool)
    : grid_(grid), storage_(pool, ScratchByteSize(grid.dimension_count())) {
  const auto dimensions = static_cast<int64_t>(grid.dimension_count());
  std::byte* next = storage_.get();
  firsts_ = reinterpret_cast<int64_t*>(next);
  next += kMaxSize * sizeof(int64_t);
  begins_ = reinterpret_cast<int32_t*>(next);
  next += dimensions * kMaxSize * static_cast<int64_t>(sizeof(int32_t));
  rests_ = reinterpret_cast<int32_t*>(next);
  next += dimensions * kMaxSize * static_cast<int64_t>(sizeof(int32_t));
  covers_ = reinterpret_cast<uint8_t*>(next);
  ranges_.resize(grid.dimension_count());
}

int64_t WindowTile::ScratchByteSize(size_t dimension_count) {
  return kMaxSize *
         (int64_t{sizeof(int64_t)} + static_cast<int64_t>(dimension_count) *
                                         (2 * int64_t{sizeof(int32_t)} + int64_t{sizeof(uint8_t)}));
}

// Line by line of the last dimension.
void WindowTile::SetTo(int64_t begin, int64_t count) {
  count_ = count;
  const Index &counts = grid_.counts_, &steps = grid_.steps_;
  const size_t last = counts.size() - 1;
  Index at(counts.size());
  int64_t rest = begin, place = grid_.first_place_;
  for (size_t d = counts.size(); d-- > 0;) {
    at[d] = rest % counts[d];
    rest /= counts[d];
    place += at[d] * steps[d];
  }
  for (int64_t i = 0; i < count;) {
    const int64_t some = std::min(count - i, counts[last] - at[last]);
    SetLine(i, some, at, place);
    i += some;
    place -= at[last] * steps[last];
    at[last] = 0;
    for (size_t d = last; d-- > 0;) {
      place += steps[d];
      if (++at[d] < counts[d]) break;
      place -= steps[d] * counts[d];
      at[d] = 0;
    }
  }
  for (size_t k = 0; k < ranges_.size(); ++k) {
    const int32_t* begins = begins_ + static_cast<int64_t>(k) * kMaxSize;
    int32_t least = begins[0], largest = begins[0];
    for (int64_t i = 1; i < count; ++i) {
      least = std::min(least, begins[i]);
      largest = std::max(largest, begins[i]);
    }
    ranges_[k] = {least, largest};
  }
}

// Windows from `first` on, which are one line from number `at` and place `place` on.
void WindowTile::SetLine(int64_t first, int64_t count, const Index& at, int64_t place) {
  const size_t last = at.size() - 1;
  const int64_t step = grid_.steps_[last];
  for (int64_t i = 0; i < count; ++i) firsts_[first + i] = place + i * step;
  for (size_t k = 0; k < grid_.dimensions_.size(); ++k) {
    const WindowGrid::Dimension& dimension = grid_.dimensions_[k];
    int32_t* begins = begins_ + static_cast<int64_t>(k) * kMaxSize + first;
    const int32_t begin =
        dimension.begin + static_cast<int32_t>(at[dimension.number]) * dimension.window_stride;
    const int32_t stride = dimension.number == last ? dimension.window_stride : 0;
    for (int32_t i = 0; i < static_cast<int32_t>(count); ++i) begins[i] = begin + i * stride;
    if (dimension.dilation > 1) SetLineOverHoles(k, first, count);
  }
}

// A window that begins at position p begins at the last element up to there, and rests p % dilation
// behind it.
void WindowTile::SetLineOverHoles(size_t k, int64_t first, int64_t count) {
  const WindowGrid::Dimension& dimension = grid_.dimensions_[k];
  const int64_t line = static_cast<int64_t>(k) * kMaxSize + first;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t begin = begins_[line + i];
    const int32_t rest = (begin % dimension.dilation + dimension.dilation) % dimension.dilation;
    rests_[line + i] = rest;
    firsts_[first + i] += (begin - rest) / dimension.dilation * dimension.stride;
  }
}

// `covers`: of the dimensions before this one.
bool WindowTile::VisitFrom(size_t d, int64_t place, std::span<const uint8_t> covers,
                           Visit visit) const {
  if (d == grid_.dimensions_.size()) return visit(place, covers);
  const WindowGrid::Dimension& dimension = grid_.dimensions_[d];
  const auto [least, largest] = ranges_[d];
  // Others are before the first element, or behind the last, in all windows.
  const int64_t first = largest < 0 ? CeilDiv(-int64_t{largest}, dimension.step) : 0;
  const int64_t rest = dimension.size - 1 - int64_t{least};
  const int64_t last = rest < 0 ? -1 : std::min(dimension.extent - 1, rest / dimension.step);
  const int32_t* begins = begins_ + static_cast<int64_t>(d) * kMaxSize;
  const int32_t* rests = rests_ + static_cast<int64_t>(d) * kMaxSize;
  uint8_t* own = covers_ + static_cast<int64_t>(d) * kMaxSize;
  for (int64_t i = first; i <= last; ++i) {
    const auto at = static_cast<int32_t>(i * dimension.step);
    // Position `at` of a window that rests so far behind an element falls on one.
    const auto elements = static_cast<int32_t>(CeilDiv(at, dimension.dilation));
    const int32_t rest = elements * dimension.dilation - at;
    const int64_t next = place + elements * dimension.stride;
    const bool has_holes = dimension.dilation > 1;
    if (!has_holes && least + at >= 0 && largest + at < dimension.size) {
      if (!VisitFrom(d + 1, next, covers, visit)) return false;
      continue;
    }
    uint8_t some = 0;
    for (int64_t w = 0; w < count_; ++w) {
      const int32_t position = begins[w] + at;
      const bool is_element = !has_holes || rests[w] == rest;
      const auto is_inside =
          static_cast<uint8_t>(is_element && position >= 0 && position < dimension.size);
      own[w] = covers.empty() ? is_inside : is_inside & covers[static_cast<size_t>(w)];
      some |= own[w];
    }
    if (some == 0) continue;
    if (!VisitFrom(d + 1, next, {own, static_cast<size_t>(count_)}, visit)) return false;
  }
  return true;
}

}  // namespace hlo::simd

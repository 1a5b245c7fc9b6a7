// Enumeration of the variables that an index leaves free. Runtime variables whose values are known
// are no loops: they follow from the others.
#include "indexing/image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "indexing/points.h"
#include "ir/index_space.h"
#include "ir/layout_index.h"

namespace hlo::indexing {
namespace {

class ImageWalk {
 public:
  ImageWalk(const IndexingMap& map, std::span<const int64_t> to, const RuntimeReader& read)
      : map_(map), to_(to), read_(read), free_(map) {
    known_.resize(map.runtimes.size());
    if (!read || map.origins.empty()) return;
    // Which values are known may depend on the index; a reader that knows one knows all.
    for (size_t i = 0; i < known_.size(); ++i) {
      const std::vector<int64_t> zero(map.origins[i].index.size());
      known_[i] = read(map.origins[i], zero).has_value();
      if (known_[i]) free_.runtimes[i].bounds = Interval::Point(0);
    }
    if (std::ranges::find(known_, true) != known_.end()) free_.constraints.clear();
  }

  void Fix(std::span<const int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d) {
      Interval& bounds = free_.dims[d].bounds;
      bounds = bounds.Intersect(Interval::Point(index[d]));
    }
    free_.Normalize();
  }

  std::optional<ElementSet> Run(int64_t max_points) {
    ElementSet set;
    const bool complete = ForEachPoint(free_, max_points, [&](std::span<const int64_t> point) {
      std::vector<int64_t> values(point.begin(), point.end());
      if (FillRuntimes(values) && Satisfies(values)) AddElement(values, set);
      return true;
    });
    if (!complete) return std::nullopt;
    std::ranges::sort(set);
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
  }

 private:
  bool FillRuntimes(std::vector<int64_t>& values) const {
    for (size_t i = 0; i < known_.size(); ++i) {
      if (!known_[i]) continue;
      std::vector<int64_t> index;
      for (Expr expr : map_.origins[i].index) index.push_back(Evaluate(expr, values).value_or(0));
      const std::optional<int64_t> value = read_(map_.origins[i], index);
      if (!value) return false;
      const Interval& bounds = map_.runtimes[i].bounds;
      values[static_cast<size_t>(map_.first_runtime()) + i] =
          std::clamp(*value, bounds.lower, bounds.upper);
    }
    return true;
  }

  bool Satisfies(std::span<const int64_t> values) const {
    return std::ranges::all_of(map_.constraints, [&](const Constraint& constraint) {
      const std::optional<int64_t> value = Evaluate(constraint.expr, values);
      return value && constraint.bounds.Contains(*value);
    });
  }

  void AddElement(std::span<const int64_t> values, ElementSet& set) const {
    int64_t linear = 0;
    for (size_t r = 0; r < map_.results.size(); ++r) {
      const std::optional<int64_t> value = Evaluate(map_.results[r], values);
      if (!value || *value < 0 || *value >= to_[r]) return;
      linear = linear * to_[r] + *value;
    }
    set.push_back(linear);
  }

  const IndexingMap& map_;
  std::span<const int64_t> to_;
  const RuntimeReader& read_;
  IndexingMap free_;
  std::vector<bool> known_;
};

}  // namespace

std::optional<ElementSet> ImageOf(const IndexingMap& map, std::span<const int64_t> index,
                                  std::span<const int64_t> to, int64_t max_points,
                                  const RuntimeReader& read) {
  if (map.IsUnknown() || map.dims.size() != index.size() || map.results.size() != to.size()) {
    return std::nullopt;
  }
  if (map.IsKnownEmpty()) return ElementSet();
  ImageWalk walk(map, to, read);
  walk.Fix(index);
  return walk.Run(max_points);
}

std::optional<ElementSet> ImageOfAll(const IndexingMap& map, std::span<const int64_t> to,
                                     int64_t max_points, const RuntimeReader& read) {
  if (map.IsUnknown() || map.results.size() != to.size()) return std::nullopt;
  if (map.IsKnownEmpty()) return ElementSet();
  return ImageWalk(map, to, read).Run(max_points);
}

void Unite(ElementSet& set, const ElementSet& more) {
  ElementSet both;
  std::ranges::set_union(set, more, std::back_inserter(both));
  set = std::move(both);
}

namespace {

// The values that coordinate d takes, as an arithmetic progression; nothing when it is none.
std::optional<std::string> ProgressionText(std::vector<int64_t> values, int64_t* count) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  *count = static_cast<int64_t>(values.size());
  if (values.size() == 1) return fmt::format("{}", values[0]);
  const int64_t step = values[1] - values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return std::nullopt;
  }
  return step == 1 ? fmt::format("{}..{}", values.front(), values.back())
                   : fmt::format("{}..{} by {}", values.front(), values.back(), step);
}

// Nothing when the set is no box of progressions.
std::optional<std::string> BoxText(const ElementSet& set, std::span<const int64_t> dims) {
  std::vector<std::vector<int64_t>> coordinates(dims.size());
  for (int64_t element : set) {
    const Index index = MultiIndex(dims, element);
    for (size_t d = 0; d < dims.size(); ++d) coordinates[d].push_back(index[d]);
  }
  std::vector<std::string> texts;
  int64_t product = 1;
  for (std::vector<int64_t>& values : coordinates) {
    int64_t count = 0;
    const std::optional<std::string> text = ProgressionText(std::move(values), &count);
    if (!text) return std::nullopt;
    texts.push_back(*text);
    product *= count;
  }
  if (product != static_cast<int64_t>(set.size())) return std::nullopt;
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

std::string ElementSetText(const ElementSet& set, std::span<const int64_t> dims) {
  constexpr size_t kMaxListed = 16;
  if (set.empty()) return "nothing";
  if (std::optional<std::string> box = BoxText(set, dims)) return *box;
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(set.size(), kMaxListed); ++i) {
    texts.push_back(fmt::format("[{}]", fmt::join(MultiIndex(dims, set[i]), ", ")));
  }
  if (set.size() > kMaxListed) texts.push_back("...");
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace hlo::indexing

// Maps are compared as relations, however they are written: at every point of the box around both
// domains, or, where these are too many, at random ones that are the same in each run.
#include "testing/indexing_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "indexing/parse_map.h"
#include "indexing/points.h"

namespace hlo::testing {

using indexing::ExprContext;
using indexing::IndexingMap;
using indexing::Interval;

IndexingMap MapOf(ExprContext& context, const std::string& text) {
  DiagnosticSink sink(std::make_shared<const SourceText>("map", text));
  std::optional<IndexingMap> map = indexing::ParseMap(context, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    ADD_FAILURE() << diagnostic.message << " in " << text;
  }
  return map ? *map : IndexingMap::Unknown(context);
}

std::string Squeezed(std::string_view text) {
  std::string result;
  std::ranges::copy_if(text, std::back_inserter(result),
                       [](char c) { return c != ' ' && c != '\n' && c != '\t' && c != '\r'; });
  return result;
}

namespace {

bool HasPoint(const IndexingMap& map, std::span<const int64_t> point) {
  if (map.IsKnownEmpty()) return false;
  for (size_t i = 0; i < point.size(); ++i) {
    if (!map.variable(static_cast<int64_t>(i)).bounds.Contains(point[i])) return false;
  }
  return std::ranges::all_of(map.constraints, [&](const indexing::Constraint& constraint) {
    const std::optional<int64_t> value = Evaluate(constraint.expr, point);
    return value && constraint.bounds.Contains(*value);
  });
}

std::string DifferenceAt(const IndexingMap& a, const IndexingMap& b,
                         std::span<const int64_t> point) {
  const std::string place = fmt::format("({})", fmt::join(point, ", "));
  const bool in_a = HasPoint(a, point);
  if (in_a != HasPoint(b, point)) return place + " is in one domain only";
  for (size_t r = 0; in_a && r < a.results.size(); ++r) {
    if (Evaluate(a.results[r], point) != Evaluate(b.results[r], point)) {
      return fmt::format("result {} differs at {}", r, place);
    }
  }
  return "";
}

// All points of the box, or many random ones.
template <typename Visit>
void ForPointsOf(const IndexingMap& box, const Visit& visit) {
  constexpr int64_t kMaxPoints = 200'000;
  if (ForEachPoint(box, kMaxPoints, visit)) return;
  std::mt19937_64 random(1);
  std::vector<int64_t> point(static_cast<size_t>(box.variable_count()));
  for (int i = 0; i < 20'000; ++i) {
    for (size_t v = 0; v < point.size(); ++v) {
      const Interval& bounds = box.variable(static_cast<int64_t>(v)).bounds;
      point[v] = std::uniform_int_distribution<int64_t>(bounds.lower, bounds.upper)(random);
    }
    if (!visit(point)) return;
  }
}

}  // namespace

std::string Difference(const IndexingMap& a, const IndexingMap& b) {
  if (a.IsUnknown() || b.IsUnknown()) return a.IsUnknown() == b.IsUnknown() ? "" : "one is unknown";
  if (a.IsKnownEmpty() && b.IsKnownEmpty()) return "";
  if (!a.IsKnownEmpty() && !b.IsKnownEmpty() &&
      (a.dims.size() != b.dims.size() || a.ranges.size() != b.ranges.size() ||
       a.runtimes.size() != b.runtimes.size() || a.results.size() != b.results.size())) {
    return "the numbers of variables or results differ";
  }
  IndexingMap box = a.IsKnownEmpty() ? b : a;
  box.constraints.clear();
  for (int64_t i = 0; i < box.variable_count(); ++i) {
    if (a.IsKnownEmpty() || b.IsKnownEmpty()) break;
    box.variable(i).bounds = a.variable(i).bounds.Union(b.variable(i).bounds);
  }
  std::string difference;
  ForPointsOf(box, [&](std::span<const int64_t> point) {
    difference = DifferenceAt(a, b, point);
    return difference.empty();
  });
  return difference;
}

}  // namespace hlo::testing

// The offset of a result is its value with all dimensions and ranges 0. What is left is read as a
// sum of steps whose strides and full extents fit into each other like digits.
#include "indexing/tiling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "indexing/print_map.h"
#include "indexing/simplify.h"
#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

std::string ConstraintText(const Constraint& constraint, std::span<const std::string> names) {
  return fmt::format("{} in {}", PrintExpr(constraint.expr, names),
                     PrintInterval(constraint.bounds));
}

}  // namespace

bool TileConstraints::IsAlways() const {
  return std::ranges::any_of(any, [](const auto& all) { return all.empty(); });
}

TileConstraints TileConstraints::And(const TileConstraints& other) const {
  TileConstraints both;
  for (const std::vector<Constraint>& a : any) {
    for (const std::vector<Constraint>& b : other.any) {
      std::vector<Constraint> all = a;
      for (const Constraint& constraint : b) {
        if (std::ranges::find(all, constraint) == all.end()) all.push_back(constraint);
      }
      both.any.push_back(std::move(all));
    }
  }
  return both;
}

namespace {

absl::Status Inexpressible(const IndexingMap& map, Expr expr, std::string_view why) {
  return absl::InvalidArgumentError(
      fmt::format("`{}` {}", PrintExpr(expr, VariableNames(map)), why));
}

// Sizes and strides of one expression over the sizes of tiles.
struct Extent {
  Expr size;
  Expr stride;
  TileConstraints constraints = TileConstraints::Always();
};

class ExtentReader {
 public:
  ExtentReader(const IndexingMap& map, bool sound) : map_(map), sound_(sound) {}

  absl::StatusOr<Extent> Read(Expr expr) {
    switch (expr.kind()) {
      case ExprKind::kConstant:
        return Extent{Number(1), Number(0)};
      case ExprKind::kVariable:
        return ReadVariable(expr);
      case ExprKind::kMul:
        return ReadMultiple(expr);
      case ExprKind::kFloorDiv:
        return ReadQuotient(expr);
      case ExprKind::kMod:
        return ReadRemainder(expr);
      case ExprKind::kAdd:
        return ReadSum(expr);
      default:
        return Inexpressible(map_, expr, "has no size and stride");
    }
  }

  // What strides of both signs move the offset by.
  Expr offset_shift() const { return offset_shift_.node() == nullptr ? Number(0) : offset_shift_; }

 private:
  Expr Number(int64_t value) const { return map_.context().Constant(value); }

  absl::StatusOr<Extent> ReadVariable(Expr expr) {
    if (expr.variable() < map_.first_range()) return Extent{expr, Number(1)};
    const Interval& bounds = map_.variable(expr.variable()).bounds;
    if (expr.variable() >= map_.first_runtime() || bounds.lower != 0) {
      return Inexpressible(map_, expr, "does not start at 0");
    }
    return Extent{Number(bounds.upper + 1), Number(1)};
  }

  absl::StatusOr<Extent> ReadMultiple(Expr expr) {
    if (!expr.rhs().IsConstant()) {
      return Inexpressible(map_, expr, "is a product of variables");
    }
    absl::StatusOr<Extent> extent = Read(expr.lhs());
    if (extent.ok()) extent->stride = extent->stride * expr.rhs();
    return extent;
  }

  bool IsDimension(Expr expr) const {
    return expr.IsVariable() && expr.variable() < map_.first_range();
  }

  // ceil(n / c) elements.
  absl::StatusOr<Extent> ReadQuotient(Expr expr) {
    const std::optional<int64_t> c = expr.ConstantRhs(ExprKind::kFloorDiv);
    if (!IsDimension(expr.lhs()) || !c || *c <= 0) {
      return Inexpressible(map_, expr, "divides something else than a dimension");
    }
    return Extent{FloorDiv(expr.lhs() + (*c - 1), *c), Number(1)};
  }

  // n elements where they do not wrap: n divides c, or c divides n.
  absl::StatusOr<Extent> ReadRemainder(Expr expr) {
    const std::optional<int64_t> c = expr.ConstantRhs(ExprKind::kMod);
    const Expr x = expr.lhs();
    const bool is_quotient = x.ConstantRhs(ExprKind::kFloorDiv).value_or(0) > 0;
    if (!c || *c <= 0 || !(IsDimension(x) || (is_quotient && IsDimension(x.lhs())))) {
      return Inexpressible(map_, expr, "is a remainder of something else than a dimension");
    }
    absl::StatusOr<Extent> inner = Read(x);
    if (!inner.ok()) return inner;
    const Expr n = inner->size;
    Extent extent{n - FloorDiv(n - 1, *c) * *c, Number(1)};
    const Interval zero = Interval::Point(0);
    extent.constraints.any = {{{Mod(Number(*c), n), zero}}, {{Mod(n, *c), zero}}};
    return extent;
  }

  // --- Sums -------------------------------------------------------------------------------------

  struct Digit {
    Expr size;
    int64_t stride;
    int64_t full;  // the size of the whole dimension or range
  };

  absl::StatusOr<Digit> ReadDigit(Expr summand) {
    absl::StatusOr<Extent> extent = Read(summand);
    if (!extent.ok()) return extent.status();
    if (!extent->stride.IsConstant()) {
      return Inexpressible(map_, summand, "has a stride that depends on sizes");
    }
    if (extent->stride.IsConstant(INT64_MIN)) {
      return Inexpressible(map_, summand, "has a stride that is too large");
    }
    const Expr size = extent->size;
    if (size.IsConstant()) return Digit{size, extent->stride.constant(), size.constant()};
    if (!IsDimension(size) || map_.variable(size.variable()).bounds.lower != 0) {
      return Inexpressible(map_, summand, "is part of a sum and no whole dimension");
    }
    return Digit{size, extent->stride.constant(), map_.variable(size.variable()).bounds.upper + 1};
  }

  absl::StatusOr<Extent> ReadSum(Expr expr) {
    std::vector<Expr> summands;
    AppendSummands(expr, summands);
    std::vector<Digit> digits;
    Extent extent{Number(1), Number(0)};
    for (Expr summand : summands) {
      absl::StatusOr<Digit> digit = ReadDigit(summand);
      if (!digit.ok()) return digit.status();
      extent.size = extent.size * digit->size;
      digits.push_back(*digit);
    }
    std::ranges::stable_sort(digits, std::greater(),
                             [](const Digit& d) { return std::abs(d.stride); });
    for (size_t i = 0; i + 1 < digits.size(); ++i) {
      const std::optional<int64_t> reach =
          CheckedMul(std::abs(digits[i + 1].stride), digits[i + 1].full);
      if (std::abs(digits[i].stride) != reach) {
        return Inexpressible(map_, expr, "has strides that do not fit into each other");
      }
    }
    if (sound_) CountFromLeast(digits);
    for (const Digit& digit : digits) {
      // 1 for a size of 1, 0 for all others up to the full one.
      const Expr is_one = FloorDiv(-digit.size + (digit.full + 1), digit.full);
      extent.stride = is_one * extent.stride + (-is_one + 1) * digit.stride;
    }
    extent.constraints = DigitConstraints(digits);
    return extent;
  }

  // Strides of both signs: from the least element on all of them go up.
  void CountFromLeast(std::vector<Digit>& digits) {
    const auto is_negative = [](const Digit& d) { return d.stride < 0; };
    if (std::ranges::all_of(digits, is_negative)) return;
    for (Digit& digit : digits) {
      if (!is_negative(digit)) continue;
      offset_shift_ = offset_shift() + (digit.size - 1) * digit.stride;
      digit.stride = -digit.stride;
    }
  }

  // Sizes from major to minor: ones, one that is free, full ones, ones.
  TileConstraints DigitConstraints(const std::vector<Digit>& digits) const {
    TileConstraints constraints;
    for (size_t free = 0; free < digits.size(); ++free) {
      for (size_t full_end = free + 1; full_end <= digits.size(); ++full_end) {
        std::vector<Constraint> all;
        bool is_possible = true;
        for (size_t i = 0; i < digits.size(); ++i) {
          if (i == free) continue;
          const int64_t wanted = i > free && i < full_end ? digits[i].full : 1;
          if (digits[i].size.IsConstant()) {
            is_possible &= digits[i].size.IsConstant(wanted);
          } else {
            all.push_back({digits[i].size, Interval::Point(wanted)});
          }
        }
        if (is_possible) constraints.any.push_back(std::move(all));
      }
    }
    if (constraints.IsAlways()) return TileConstraints::Always();
    return constraints;
  }

  const IndexingMap& map_;
  bool sound_;
  Expr offset_shift_;
};

// A map over the dimensions as sizes, without a domain.
IndexingMap OverSizes(const IndexingMap& map, std::vector<Expr> results, bool has_runtimes) {
  IndexingMap sizes(map.context());
  sizes.dims = map.dims;
  for (Variable& dim : sizes.dims) dim.bounds = {1, dim.bounds.upper + 1};
  if (has_runtimes) sizes.runtimes = map.runtimes;
  sizes.results = std::move(results);
  return sizes;
}

// Ranges are gone from all expressions: what stood behind them moves up.
Expr WithoutRanges(const IndexingMap& map, Expr expr) {
  const int64_t ranges = static_cast<int64_t>(map.ranges.size());
  return MapVariables(expr, [&](int64_t i) {
    return map.context().Variable(i < map.first_runtime() ? i : i - ranges);
  });
}

absl::Status CheckConstraints(const IndexingMap& map) {
  for (const Constraint& constraint : map.constraints) {
    const bool is_result = std::ranges::find(map.results, constraint.expr) != map.results.end();
    if (!is_result || constraint.bounds.lower != 0) {
      return Inexpressible(map, constraint.expr, "is constrained");
    }
  }
  return absl::OkStatus();
}

bool SharesDimensions(const IndexingMap& map) {
  std::vector<bool> seen(map.dims.size());
  for (Expr result : map.results) {
    std::vector<bool> used(map.dims.size());
    MarkVariables(result, used);
    const bool is_part = result.kind() == ExprKind::kMod || result.kind() == ExprKind::kFloorDiv;
    for (size_t d = 0; d < used.size(); ++d) {
      if (used[d] && seen[d] && !is_part) return true;
      if (used[d]) seen[d] = true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<SymbolicTile> TileOf(const IndexingMap& original, bool sound) {
  IndexingMap map = original;
  if (map.IsUnknown()) return absl::InvalidArgumentError("the map is unknown");
  Simplify(map, SimplifyMode::kPreservePoints, sound);
  constexpr Interval kUsable{INT64_MIN / 4, INT64_MAX / 4};
  for (int64_t i = 0; i < map.variable_count(); ++i) {
    if (!map.IsKnownEmpty() && !kUsable.Contains(map.variable(i).bounds)) {
      return Inexpressible(map, map.VariableExpr(i), "has an interval that is too large");
    }
  }
  if (map.IsKnownEmpty()) return absl::InvalidArgumentError("nothing is read");
  if (absl::Status status = CheckConstraints(map); !status.ok()) return status;
  ExprContext& context = map.context();
  ExpressionRange range(map, /*use_constraints=*/false);
  ExpressionSimplifier simplifier(range, SimplifyMode::kPreservePoints);
  std::vector<Expr> offsets, sizes, strides;
  TileConstraints constraints = TileConstraints::Always();
  for (Expr result : map.results) {
    const Expr start = simplifier.Simplify(MapVariables(result, [&](int64_t i) {
      return i < map.first_runtime() ? context.Constant(0) : context.Variable(i);
    }));
    ExtentReader reader(map, sound);
    const absl::StatusOr<Extent> extent = reader.Read(simplifier.Simplify(result - start));
    if (!extent.ok()) return extent.status();
    offsets.push_back(WithoutRanges(map, start + reader.offset_shift()));
    sizes.push_back(extent->size);
    strides.push_back(extent->stride);
    constraints = constraints.And(extent->constraints);
    constexpr size_t kMaxConjunctions = 1024;
    if (constraints.any.size() > kMaxConjunctions) {
      return absl::InvalidArgumentError("the constraints are too many");
    }
  }
  return SymbolicTile{OverSizes(map, std::move(offsets), /*has_runtimes=*/true),
                      OverSizes(map, std::move(sizes), false),
                      OverSizes(map, std::move(strides), false), std::move(constraints),
                      SharesDimensions(map)};
}

std::string PrintTile(const SymbolicTile& tile) {
  std::string text =
      fmt::format("Symbolic tile with\n  offset_map: {}\n  size_map: {}\n  stride_map: {}",
                  PrintMapHead(tile.offset), PrintMapHead(tile.size), PrintMapHead(tile.stride));
  if (!tile.offset.runtimes.empty()) {
    text += "\n  rt_vars: ";
    for (size_t i = 0; i < tile.offset.runtimes.size(); ++i) {
      text += fmt::format("s{} in {}, ", i, PrintInterval(tile.offset.runtimes[i].bounds));
    }
  }
  if (tile.constraints.IsAlways()) return text;
  const std::vector<std::string> names = VariableNames(tile.size);
  std::vector<std::string> conjunctions;
  for (const std::vector<Constraint>& all : tile.constraints.any) {
    std::vector<std::string> items;
    for (const Constraint& constraint : all) items.push_back(ConstraintText(constraint, names));
    std::ranges::sort(items);
    conjunctions.push_back(fmt::format("{}", fmt::join(items, " && ")));
  }
  std::ranges::sort(conjunctions);
  conjunctions.erase(std::unique(conjunctions.begin(), conjunctions.end()), conjunctions.end());
  return text + "\n  constraints: " +
         (conjunctions.empty() ? "unsatisfiable"
                               : fmt::format("{}", fmt::join(conjunctions, " || ")));
}

absl::StatusOr<std::vector<TileDimension>> TileAt(const SymbolicTile& tile,
                                                  std::span<const int64_t> sizes) {
  if (sizes.size() != tile.size.dims.size()) {
    return absl::InvalidArgumentError(fmt::format("the output has {} dimensions, the tile {}",
                                                  tile.size.dims.size(), sizes.size()));
  }
  std::vector<int64_t> values;
  for (size_t d = 0; d < sizes.size(); ++d) {
    values.push_back(std::clamp<int64_t>(sizes[d], 1, tile.size.dims[d].bounds.upper));
  }
  for (const Variable& runtime : tile.offset.runtimes) values.push_back(runtime.bounds.lower);
  const auto holds = [&](const Constraint& constraint) {
    const std::optional<int64_t> value = Evaluate(constraint.expr, values);
    return value && constraint.bounds.Contains(*value);
  };
  const bool is_allowed = std::ranges::any_of(
      tile.constraints.any, [&](const auto& all) { return std::ranges::all_of(all, holds); });
  if (!is_allowed) return absl::InvalidArgumentError("these sizes do not make a tile");
  std::vector<TileDimension> dimensions;
  for (size_t r = 0; r < tile.size.results.size(); ++r) {
    const std::optional<int64_t> offset = Evaluate(tile.offset.results[r], values);
    const std::optional<int64_t> size = Evaluate(tile.size.results[r], values);
    const std::optional<int64_t> stride = Evaluate(tile.stride.results[r], values);
    if (!offset || !size || !stride) return absl::InvalidArgumentError("a number overflows");
    dimensions.push_back({*offset, *size, *stride});
  }
  return dimensions;
}

}  // namespace hlo::indexing

// Canonical form and range rewrites in turn until neither changes anything. Every rewrite removes
// a division, lowers a divisor or shortens a sum, and the number of rounds is bounded besides.
#include "indexing/simplify_expression.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "indexing/canonical.h"
#include "support/checked_math.h"

namespace hlo::indexing {

Expr SplitSum::MultiplesOver(int64_t divisor) const {
  Expr sum = rest.context().Constant(0);
  for (Expr term : multiples) sum = sum + term.lhs() * (term.rhs().constant() / divisor);
  return sum;
}

SplitSum Split(ExprContext& context, std::span<const Expr> summands) {
  SplitSum split;
  split.rest = context.Constant(0);
  for (Expr summand : summands) {
    const std::optional<int64_t> factor = summand.ConstantRhs(ExprKind::kMul);
    if (!factor || *factor == INT64_MIN) {
      split.rest = split.rest + summand;
      continue;
    }
    split.gcd = split.multiples.empty() ? *factor : std::gcd(split.gcd, *factor);
    split.multiples.push_back(summand);
  }
  return split;
}

Expr ExpressionSimplifier::Simplify(Expr expr) {
  if (!expr.IsValid()) return expr;
  if (auto known = simplified_.find(expr); known != simplified_.end()) return known->second;
  const Expr result = Compute(expr);
  simplified_.emplace(expr, result);
  return result;
}

Expr ExpressionSimplifier::Compute(Expr expr) {
  constexpr int kMaxRounds = 64;
  Expr current = Canonical(expr);
  if (!current.IsValid()) return expr;
  for (int round = 0; round < kMaxRounds; ++round) {
    const Expr next = Canonical(Once(current));
    if (next == current || !next.IsValid()) break;
    current = next;
  }
  return current;
}

Expr ExpressionSimplifier::Once(Expr expr) {
  if (expr.IsConstant() || --work_left_ < 0) return expr;
  if (mode_ == SimplifyMode::kReplacePoints) {
    const Interval range = range_(expr);
    if (range.IsPoint() && range.lower != Interval::kMin && range.lower != Interval::kMax) {
      return expr.context().Constant(range.lower);
    }
  }
  if (!expr.IsBinary()) return expr;
  if (auto known = once_.find(expr); known != once_.end()) return known->second;
  Expr result = OnceBinary(expr);
  if (!result.IsValid()) result = expr;
  once_.emplace(expr, result);
  return result;
}

Expr ExpressionSimplifier::OnceBinary(Expr expr) {
  switch (expr.kind()) {
    case ExprKind::kAdd:
      return RewriteSum(expr);
    case ExprKind::kMul:
      return expr.rhs().IsConstant() ? Once(expr.lhs()) * expr.rhs() : expr;
    case ExprKind::kMod:
      return RewriteMod(expr);
    case ExprKind::kFloorDiv:
      return RewriteFloorDiv(expr);
    case ExprKind::kMax:
    case ExprKind::kMin:
      return RewriteMinMax(expr);
    case ExprKind::kCeilDiv:
    case ExprKind::kVariable:
    case ExprKind::kConstant:
    case ExprKind::kInvalid:
      return expr;
  }
  return expr;
}

namespace {

struct Term {
  Expr atom;
  int64_t factor;
};

Term AsTerm(Expr summand) {
  const std::optional<int64_t> factor = summand.ConstantRhs(ExprKind::kMul);
  return factor ? Term{summand.lhs(), *factor} : Term{summand, 1};
}

Expr SumOf(ExprContext& context, std::span<const Term> terms) {
  Expr sum = context.Constant(0);
  for (const Term& term : terms) sum = sum + term.atom * term.factor;
  return sum;
}

// k * (x / c) with k < 0 and c | k is b * (x mod c) - b * x for b = -k / c. False when no term is
// of this form.
bool TurnQuotientsIntoRemainders(std::vector<Term>& terms) {
  bool changed = false;
  for (size_t i = 0, count = terms.size(); i < count; ++i) {
    const Term term = terms[i];
    const std::optional<int64_t> c = term.atom.ConstantRhs(ExprKind::kFloorDiv);
    if (!c || *c <= 1 || term.factor >= 0 || term.factor % *c != 0) continue;
    const int64_t b = -(term.factor / *c);
    terms[i] = {Mod(term.atom.lhs(), *c), b};
    terms.push_back({term.atom.lhs(), -b});
    changed = true;
  }
  return changed;
}

}  // namespace

// c * m when `remainder` is what (x / c) mod m simplifies to.
std::optional<int64_t> ExpressionSimplifier::JoinedModulus(Expr remainder, Expr x, int64_t c) {
  const std::optional<int64_t> m = remainder.ConstantRhs(ExprKind::kMod);
  if (!m || *m <= 0 || Simplify(Mod(FloorDiv(x, c), *m)) != remainder) return std::nullopt;
  return CheckedMul(c, *m);
}

// d * (x mod c) + d * c * Q = d * x where Q is what x / c simplifies to. Comparing the simplified
// quotient matters: that of ((d0 * 2 + d1 / 64) mod 3) is (d0 * 128 + d1) / 192.
//
// The exact variant also has d * (x mod c) + d * c * ((x / c) mod m) = d * (x mod (c * m)).
Expr ExpressionSimplifier::RewriteSum(Expr expr) {
  constexpr size_t kMaxPairs = 1000;
  std::vector<Expr> summands;
  AppendSummands(expr, summands);
  std::vector<Term> terms;
  for (Expr summand : summands) terms.push_back(AsTerm(Once(summand)));
  const auto is = [](ExprKind kind) {
    return [kind](const Term& term) { return term.atom.ConstantRhs(kind).has_value(); };
  };
  const auto mod_count = static_cast<size_t>(std::ranges::count_if(terms, is(ExprKind::kMod)));
  const auto quotient_count =
      static_cast<size_t>(std::ranges::count_if(terms, is(ExprKind::kFloorDiv)));
  const size_t partner_count = quotient_count + (exact_ ? mod_count : 0);
  if (mod_count * partner_count > 0 && mod_count * partner_count <= kMaxPairs) {
    for (size_t i = 0; i < terms.size(); ++i) {
      const std::optional<int64_t> c = terms[i].atom.ConstantRhs(ExprKind::kMod);
      if (!c || *c <= 0 || terms[i].factor == 0) continue;
      const std::optional<int64_t> wanted = CheckedMul(terms[i].factor, *c);
      const Expr x = terms[i].atom.lhs();
      const Expr quotient = Simplify(FloorDiv(x, *c));
      for (size_t j = 0; j < terms.size(); ++j) {
        if (i == j || terms[j].factor != wanted) continue;
        if (terms[j].atom == quotient) {
          terms[i].atom = x;
        } else if (const auto larger =
                       exact_ ? JoinedModulus(terms[j].atom, x, *c) : std::nullopt) {
          terms[i].atom = Mod(x, *larger);
        } else {
          continue;
        }
        terms[j].factor = 0;
        break;
      }
    }
  }
  TurnQuotientsIntoRemainders(terms);
  return SumOf(expr.context(), terms);
}

namespace {

// The quotient that the whole interval has, when there is one.
std::optional<int64_t> CommonQuotient(const Interval& range, int64_t d) {
  if (!range.IsFeasible() || range.lower == Interval::kMin || range.upper == Interval::kMax) {
    return std::nullopt;
  }
  const std::optional<int64_t> lower = FloorDiv(range.lower, d);
  return lower == FloorDiv(range.upper, d) ? lower : std::nullopt;
}

// Multiples of m leave a sum, the constant becomes less than m.
std::vector<Expr> ReducedModulo(ExprContext& context, std::span<const Expr> summands, int64_t m) {
  std::vector<Expr> kept;
  for (Expr summand : summands) {
    if (summand.IsConstant()) {
      const int64_t rest = FloorMod(summand.constant(), m);
      if (rest != 0) kept.push_back(context.Constant(rest));
    } else if (AsTerm(summand).factor % m != 0 || !summand.ConstantRhs(ExprKind::kMul)) {
      kept.push_back(summand);
    }
  }
  return kept;
}

}  // namespace

Expr ExpressionSimplifier::RewriteMod(Expr expr) {
  const Expr x = Once(expr.lhs());
  const Expr divisor = Once(expr.rhs());
  if (!divisor.IsConstant() || divisor.constant() <= 0) return Mod(x, divisor);
  const int64_t m = divisor.constant();
  if (const std::optional<int64_t> quotient = CommonQuotient(range_(x), m)) {
    const std::optional<int64_t> shift = CheckedMul(*quotient, m);
    return shift ? x - *shift : expr;
  }
  if (const auto c = x.ConstantRhs(ExprKind::kMul); c && *c > 0 && m % *c == 0) {
    return Mod(x.lhs(), m / *c) * *c;
  }
  std::vector<Expr> summands;
  AppendSummands(x, summands);
  summands = ReducedModulo(expr.context(), summands, m);
  const SplitSum split = Split(expr.context(), summands);
  if (split.gcd > 1 && m % split.gcd == 0) {
    const Interval rest = range_(split.rest);
    if (rest == Interval::Point(0)) {
      return Mod(split.MultiplesOver(split.gcd), m / split.gcd) * split.gcd;
    }
    if (Interval::OfSize(split.gcd).Contains(rest)) {
      return Mod(split.MultiplesOver(1), m) + split.rest;
    }
  }
  return Mod(Sum(expr.context(), summands), m);
}

namespace {

// What is left of a dividend while its parts leave it.
struct Division {
  Expr dividend;
  int64_t divisor;
  Expr extracted;
};

// Multiples of the divisor leave a sum, and so does the whole part of the constant.
Division ExtractMultiples(Expr x, int64_t d) {
  ExprContext& context = x.context();
  std::vector<Expr> summands, kept, extracted;
  AppendSummands(x, summands);
  for (Expr summand : summands) {
    const std::optional<int64_t> factor = summand.ConstantRhs(ExprKind::kMul);
    if (summand.IsConstant()) {
      extracted.push_back(context.Constant(*FloorDiv(summand.constant(), d)));
      kept.push_back(context.Constant(FloorMod(summand.constant(), d)));
    } else if (factor && *factor % d == 0) {
      extracted.push_back(summand.lhs() * (*factor / d));
    } else {
      kept.push_back(summand);
    }
  }
  return {Sum(context, kept), d, Sum(context, extracted)};
}

// A common factor of multiples and divisor goes when the rest is too small to be seen, or is a
// constant that shares it.
void CancelCommonFactor(ExpressionRange& range, Division& division) {
  std::vector<Expr> summands;
  AppendSummands(division.dividend, summands);
  const SplitSum split = Split(division.dividend.context(), summands);
  if (split.multiples.empty()) return;
  const int64_t common = std::gcd(division.divisor, split.gcd);
  if (common <= 1) return;
  const Interval rest = range(split.rest);
  if (Interval::OfSize(common).Contains(rest)) {
    division.dividend = split.MultiplesOver(common);
    division.divisor /= common;
  } else if (rest.IsPoint() && rest.lower != 0 && rest.lower != INT64_MIN) {
    const int64_t shared = std::gcd(rest.lower, common);
    if (shared <= 1) return;
    division.dividend = split.MultiplesOver(shared) + rest.lower / shared;
    division.divisor /= shared;
  }
}

// (y / n + rest) / d = (y + rest * n) / (n * d), for one inner division only: two of them round
// twice.
void AbsorbInnerDivision(Division& division) {
  std::vector<Expr> summands;
  AppendSummands(division.dividend, summands);
  const auto inner = [](Expr expr) { return expr.ConstantRhs(ExprKind::kFloorDiv); };
  const auto is_inner = [&](Expr expr) { return inner(expr).value_or(0) > 0; };
  if (std::ranges::count_if(summands, is_inner) != 1) return;
  const int64_t n = *inner(*std::ranges::find_if(summands, is_inner));
  const std::optional<int64_t> divisor = CheckedMul(n, division.divisor);
  if (!divisor) return;
  for (Expr& summand : summands) summand = is_inner(summand) ? summand.lhs() : summand * n;
  const Expr dividend = Sum(division.dividend.context(), summands);
  if (!dividend.IsValid()) return;
  division.dividend = dividend;
  division.divisor = *divisor;
}

}  // namespace

Expr ExpressionSimplifier::RewriteFloorDiv(Expr expr) {
  const Expr x = Once(expr.lhs());
  const Expr divisor = Once(expr.rhs());
  if (!divisor.IsConstant() || divisor.constant() <= 1) return FloorDiv(x, divisor);
  const int64_t d = divisor.constant();
  if (const auto n = x.ConstantRhs(ExprKind::kMod); n && *n > 0 && *n % d == 0) {
    return Mod(FloorDiv(x.lhs(), d), *n / d);
  }
  Division division = ExtractMultiples(x, d);
  if (!division.dividend.IsValid()) return expr;
  CancelCommonFactor(range_, division);
  if (!division.dividend.IsValid()) return expr;
  AbsorbInnerDivision(division);
  return FloorDiv(division.dividend, division.divisor) + division.extracted;
}

Expr ExpressionSimplifier::RewriteMinMax(Expr expr) {
  const Interval a = range_(expr.lhs());
  const Interval b = range_(expr.rhs());
  if (!a.IsFeasible() || !b.IsFeasible()) return expr;
  const bool is_min = expr.kind() == ExprKind::kMin;
  if (a.upper <= b.lower) return is_min ? expr.lhs() : expr.rhs();
  if (b.upper <= a.lower) return is_min ? expr.rhs() : expr.lhs();
  return expr;
}

}  // namespace hlo::indexing

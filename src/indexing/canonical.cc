// The canonical form, bottom-up: sums are flat, merged and sorted, products distributed, divisions
// lose what their form shows to be whole.
//
// Every function below takes operands that are canonical and gives a canonical result.
#include "indexing/canonical.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "indexing/interval.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

struct Term {
  Expr atom;
  int64_t coefficient;
};

Expr CanonicalFloorDiv(Expr x, Expr divisor);
Expr CanonicalMod(Expr x, Expr divisor);

// A sum being made. Terms of equal atoms are merged when the sum is built.
class TermList {
 public:
  explicit TermList(ExprContext& context) : context_(context) {}

  void Add(Expr expr, int64_t factor) {
    if (expr.kind() == ExprKind::kAdd) {
      Add(expr.lhs(), factor);
      Add(expr.rhs(), factor);
    } else if (expr.IsConstant()) {
      AddConstant(expr.constant(), factor);
    } else if (std::optional<int64_t> inner = expr.ConstantRhs(ExprKind::kMul)) {
      AddTerm(expr.lhs(), CheckedMul(*inner, factor));
    } else {
      AddTerm(expr, factor);
    }
    if (!expr.IsValid()) is_valid_ = false;
  }

  Expr Build() {
    do {
      Merge();
    } while (is_valid_ && Recombine());
    if (!is_valid_) return context_.Invalid();
    std::vector<Expr> products;
    products.reserve(terms_.size() + 1);
    for (const Term& term : terms_) products.push_back(term.atom * term.coefficient);
    std::ranges::sort(products, [](Expr a, Expr b) { return Compare(a, b) < 0; });
    products.push_back(context_.Constant(constant_));
    return Sum(context_, products);
  }

 private:
  void AddTerm(Expr atom, std::optional<int64_t> coefficient) {
    if (!coefficient) {
      is_valid_ = false;
    } else {
      terms_.push_back({atom, *coefficient});
    }
  }

  void AddConstant(int64_t value, int64_t factor) {
    const std::optional<int64_t> product = CheckedMul(value, factor);
    const std::optional<int64_t> sum = product ? CheckedAdd(constant_, *product) : std::nullopt;
    is_valid_ &= sum.has_value();
    constant_ = sum.value_or(0);
  }

  void Merge() {
    std::ranges::sort(terms_,
                      [](const Term& a, const Term& b) { return Compare(a.atom, b.atom) < 0; });
    size_t kept = 0;
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (kept > 0 && terms_[kept - 1].atom == terms_[i].atom) {
        const auto sum = CheckedAdd(terms_[kept - 1].coefficient, terms_[i].coefficient);
        is_valid_ &= sum.has_value();
        terms_[kept - 1].coefficient = sum.value_or(0);
      } else {
        if (kept > 0 && terms_[kept - 1].coefficient == 0) --kept;
        terms_[kept++] = terms_[i];
      }
    }
    if (kept > 0 && terms_[kept - 1].coefficient == 0) --kept;
    terms_.resize(kept);
  }

  // (x / c) * (c * k) + (x mod c) * k = x * k. One pair at a time; false when there is none.
  bool Recombine() {
    for (size_t i = 0; i < terms_.size(); ++i) {
      const std::optional<int64_t> c = terms_[i].atom.ConstantRhs(ExprKind::kMod);
      if (!c || *c <= 0) continue;
      const int64_t k = terms_[i].coefficient;
      const std::optional<int64_t> wanted = CheckedMul(k, *c);
      const Expr quotient =
          context_.Binary(ExprKind::kFloorDiv, terms_[i].atom.lhs(), terms_[i].atom.rhs());
      for (size_t j = 0; wanted && j < terms_.size(); ++j) {
        if (terms_[j].atom != quotient || terms_[j].coefficient != *wanted) continue;
        const Expr x = terms_[i].atom.lhs();
        terms_.erase(terms_.begin() + static_cast<ptrdiff_t>(std::max(i, j)));
        terms_.erase(terms_.begin() + static_cast<ptrdiff_t>(std::min(i, j)));
        Add(x, k);
        return true;
      }
    }
    return false;
  }

  ExprContext& context_;
  std::vector<Term> terms_;
  int64_t constant_ = 0;
  bool is_valid_ = true;
};

Expr CanonicalSum(Expr a, Expr b) {
  TermList terms(a.context());
  terms.Add(a, 1);
  terms.Add(b, 1);
  return terms.Build();
}

Expr Scaled(Expr x, int64_t factor) {
  TermList terms(x.context());
  terms.Add(x, factor);
  return terms.Build();
}

// The summands of a product of sums are the products of summands, unless they are too many.
Expr CanonicalProduct(Expr a, Expr b) {
  constexpr size_t kMaxTerms = 1024;
  if (a.IsConstant()) std::swap(a, b);
  if (b.IsConstant()) return Scaled(a, b.constant());
  std::vector<Expr> left, right;
  AppendSummands(a, left);
  AppendSummands(b, right);
  TermList terms(a.context());
  if (left.size() * right.size() > kMaxTerms) return a.context().Invalid();
  for (Expr x : left) {
    for (Expr y : right) {
      // Constants go to the right: (x * a) * (y * b) = (x * y) * (a * b).
      const std::optional<int64_t> x_factor = x.ConstantRhs(ExprKind::kMul);
      const std::optional<int64_t> y_factor = y.ConstantRhs(ExprKind::kMul);
      const std::optional<int64_t> factor = CheckedMul(x_factor.value_or(1), y_factor.value_or(1));
      if (!factor) return a.context().Invalid();
      terms.Add((x_factor ? x.lhs() : x) * (y_factor ? y.lhs() : y), *factor);
    }
  }
  return terms.Build();
}

int64_t Magnitude(int64_t x) { return x == INT64_MIN ? INT64_MAX : std::abs(x); }

bool Divides(int64_t divisor, int64_t x) {
  return divisor == -1 || (divisor != 0 && x % divisor == 0);
}

// (X + k) / d = X / d + floor(k / d) where the rest of k does not reach the next multiple of what
// divides both X and d.
std::optional<Expr> SplitConstant(Expr sum, int64_t d) {
  if (!sum.rhs().IsConstant()) return std::nullopt;
  const int64_t k = sum.rhs().constant();
  const int64_t divisor = KnownDivisor(sum.lhs());
  const std::optional<int64_t> quotient = FloorDiv(k, d);
  if (divisor <= 1 || !quotient) return std::nullopt;
  const int64_t rest = k - d * *quotient;
  if (Magnitude(rest) >= std::gcd(divisor, Magnitude(d))) return std::nullopt;
  return CanonicalSum(CanonicalFloorDiv(sum.lhs(), sum.context().Constant(d)),
                      sum.context().Constant(*quotient));
}

// x / d where d divides the multiplier of a product, or a constant.
std::optional<Expr> ExactQuotient(Expr x, int64_t d) {
  if (d == INT64_MIN || d == -1) return std::nullopt;
  if (x.IsConstant() && Divides(d, x.constant())) return x.context().Constant(x.constant() / d);
  const std::optional<int64_t> factor = x.ConstantRhs(ExprKind::kMul);
  if (factor && Divides(d, *factor)) return Scaled(x.lhs(), *factor / d);
  return std::nullopt;
}

std::optional<Expr> ExtractMultiple(Expr sum, int64_t d) {
  const Expr divisor = sum.context().Constant(d);
  if (std::optional<Expr> quotient = ExactQuotient(sum.rhs(), d)) {
    return CanonicalSum(CanonicalFloorDiv(sum.lhs(), divisor), *quotient);
  }
  if (std::optional<Expr> quotient = ExactQuotient(sum.lhs(), d)) {
    return CanonicalSum(CanonicalFloorDiv(sum.rhs(), divisor), *quotient);
  }
  return std::nullopt;
}

// The common factor of a multiplier and a divisor; 1 where there is nothing to cancel.
int64_t CommonFactor(std::optional<int64_t> multiplier, int64_t divisor) {
  if (!multiplier || *multiplier == INT64_MIN || divisor == INT64_MIN) return 1;
  return std::gcd(*multiplier, divisor);
}

Expr CanonicalFloorDiv(Expr x, Expr divisor) {
  if (!divisor.IsConstant() || divisor.IsConstant(0) || x.IsConstant()) {
    return FloorDiv(x, divisor);
  }
  const int64_t d = divisor.constant();
  const std::optional<int64_t> factor = x.ConstantRhs(ExprKind::kMul);
  if (const int64_t g = CommonFactor(factor, d); g > 1) {
    return CanonicalFloorDiv(Scaled(x.lhs(), *factor / g), x.context().Constant(d / g));
  }
  if (x.kind() == ExprKind::kAdd && d != 1) {
    if (std::optional<Expr> split = SplitConstant(x, d)) return *split;
    if (std::optional<Expr> quotient = ExtractMultiple(x, d)) return *quotient;
  }
  return FloorDiv(x, divisor);
}

Expr CanonicalMod(Expr x, Expr divisor) {
  if (!divisor.IsConstant() || divisor.IsConstant(0) || divisor.IsConstant(INT64_MIN) ||
      x.IsConstant()) {
    return Mod(x, divisor);
  }
  ExprContext& context = x.context();
  const int64_t m = divisor.constant();
  if (Divides(m, KnownDivisor(x))) return context.Constant(0);
  const std::optional<int64_t> factor = x.ConstantRhs(ExprKind::kMul);
  if (const int64_t g = CommonFactor(factor, m); g > 1) {
    return Scaled(CanonicalMod(Scaled(x.lhs(), *factor / g), context.Constant(m / g)), g);
  }
  if (std::optional<int64_t> inner = x.ConstantRhs(ExprKind::kMod); inner && Divides(m, *inner)) {
    return CanonicalMod(x.lhs(), divisor);
  }
  if (x.kind() == ExprKind::kAdd) {
    if (Divides(m, KnownDivisor(x.rhs()))) return CanonicalMod(x.lhs(), divisor);
    if (Divides(m, KnownDivisor(x.lhs()))) return CanonicalMod(x.rhs(), divisor);
  }
  return Mod(x, divisor);
}

Expr CanonicalCeilDiv(Expr x, Expr divisor) {
  if (!divisor.IsConstant() || divisor.IsConstant(0) || divisor.IsConstant(INT64_MIN)) {
    return CeilDiv(x, divisor);
  }
  ExprContext& context = x.context();
  const int64_t d = divisor.constant();
  if (d < 0) return Scaled(CanonicalFloorDiv(x, context.Constant(-d)), -1);
  return CanonicalFloorDiv(CanonicalSum(x, context.Constant(d - 1)), divisor);
}

// Operands that differ by a constant are in order whatever their variables are.
Expr CanonicalMinMax(ExprKind kind, Expr a, Expr b) {
  const Expr difference = CanonicalSum(a, Scaled(b, -1));
  if (!difference.IsConstant()) return Make(kind, a, b);
  const bool takes_a = (kind == ExprKind::kMax) == (difference.constant() >= 0);
  return takes_a ? a : b;
}

Expr CanonicalBinary(ExprKind kind, Expr a, Expr b) {
  if (!a.IsValid() || !b.IsValid()) return a.context().Invalid();
  switch (kind) {
    case ExprKind::kAdd:
      return CanonicalSum(a, b);
    case ExprKind::kMul:
      return CanonicalProduct(a, b);
    case ExprKind::kMod:
      return CanonicalMod(a, b);
    case ExprKind::kFloorDiv:
      return CanonicalFloorDiv(a, b);
    case ExprKind::kCeilDiv:
      return CanonicalCeilDiv(a, b);
    case ExprKind::kMax:
    case ExprKind::kMin:
      return CanonicalMinMax(kind, a, b);
    case ExprKind::kVariable:
    case ExprKind::kConstant:
    case ExprKind::kInvalid:
      break;
  }
  HLO_UNREACHABLE();
}

// The summands of a long sum are merged once, not at every level.
Expr CanonicalLongSum(Expr sum) {
  std::vector<Expr> summands;
  AppendSummands(sum, summands);
  TermList terms(sum.context());
  for (Expr summand : summands) terms.Add(Canonical(summand), 1);
  return terms.Build();
}

Expr ComputeCanonical(Expr expr) {
  if (expr.kind() == ExprKind::kAdd) return CanonicalLongSum(expr);
  return CanonicalBinary(expr.kind(), Canonical(expr.lhs()), Canonical(expr.rhs()));
}

}  // namespace

Expr Canonical(Expr expr) {
  if (!expr.IsBinary()) return expr;
  if (expr.node()->canonical != nullptr) return Expr(expr.node()->canonical);
  const Expr result = ComputeCanonical(expr);
  expr.node()->canonical = result.node();
  if (result.IsBinary()) result.node()->canonical = result.node();
  return result;
}

int64_t KnownDivisor(Expr expr) {
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return Magnitude(expr.constant());
    case ExprKind::kMul:
      return CheckedMul(KnownDivisor(expr.lhs()), KnownDivisor(expr.rhs())).value_or(1);
    case ExprKind::kAdd:
    case ExprKind::kMod:
    case ExprKind::kMax:
    case ExprKind::kMin:
      return std::gcd(KnownDivisor(expr.lhs()), KnownDivisor(expr.rhs()));
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv: {
      if (!expr.rhs().IsConstant() || expr.rhs().IsConstant(0)) return 1;
      const int64_t divisor = KnownDivisor(expr.lhs());
      const int64_t d = Magnitude(expr.rhs().constant());
      return divisor % d == 0 ? divisor / d : 1;
    }
    case ExprKind::kVariable:
    case ExprKind::kInvalid:
      return 1;
  }
  return 1;
}

}  // namespace hlo::indexing

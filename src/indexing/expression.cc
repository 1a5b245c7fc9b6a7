// Expressions: interning, the constructors' local folding, and walks over trees. Walks recurse,
// which the limits of the context bound; those that make expressions remember shared subtrees.
#include "indexing/expression.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "indexing/canonical.h"
#include "indexing/interval.h"
#include "support/check.h"
#include "support/checked_math.h"

namespace hlo::indexing {

using internal::ExprNode;

size_t ExprContext::Hash::operator()(const ExprNode* node) const {
  return absl::HashOf(node->kind, node->value, node->lhs, node->rhs);
}

ExprContext::ExprContext() { invalid_ = Intern(ExprKind::kInvalid, 0, {}, {}); }

Expr ExprContext::Intern(ExprKind kind, int64_t value, Expr lhs, Expr rhs) {
  ExprNode node{this, kind, 1, 1, value, lhs.node(), rhs.node(), nullptr};
  if (auto known = nodes_.find(&node); known != nodes_.end()) return Expr(*known);
  if (lhs.node() != nullptr) {
    node.depth = std::max(lhs.node()->depth, rhs.node()->depth) + 1;
    node.size = lhs.node()->size + rhs.node()->size + 1;
    if (node.depth > kMaxDepth || node.size > kMaxSize) return invalid_;
  }
  const ExprNode* stored = arena_.New<ExprNode>(node);
  nodes_.insert(stored);
  return Expr(stored);
}

Expr ExprContext::Binary(ExprKind kind, Expr lhs, Expr rhs) {
  if (!lhs.IsValid() || !rhs.IsValid()) return invalid_;
  return Intern(kind, 0, lhs, rhs);
}

namespace {

// What a binary kind makes of two numbers.
std::optional<int64_t> Apply(ExprKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case ExprKind::kAdd:
      return CheckedAdd(a, b);
    case ExprKind::kMul:
      return CheckedMul(a, b);
    case ExprKind::kMod:
      if (b == 0 || b == INT64_MIN) return std::nullopt;
      return FloorMod(a, b);
    case ExprKind::kFloorDiv:
      if (b == 0) return std::nullopt;
      return FloorDiv(a, b);
    case ExprKind::kCeilDiv: {
      if (b == 0) return std::nullopt;
      const std::optional<int64_t> floor = FloorDiv(a, b);
      return floor && a % b != 0 ? CheckedAdd(*floor, 1) : floor;
    }
    case ExprKind::kMax:
      return std::max(a, b);
    case ExprKind::kMin:
      return std::min(a, b);
    case ExprKind::kVariable:
    case ExprKind::kConstant:
    case ExprKind::kInvalid:
      break;
  }
  return std::nullopt;
}

bool IsCommutative(ExprKind kind) {
  return kind == ExprKind::kAdd || kind == ExprKind::kMul || kind == ExprKind::kMin ||
         kind == ExprKind::kMax;
}

// What `a op c` folds to for a constant c; nothing when the tree is made.
std::optional<Expr> FoldConstant(ExprKind kind, Expr a, int64_t c) {
  ExprContext& context = a.context();
  switch (kind) {
    case ExprKind::kAdd:
      if (c == 0) return a;
      break;
    case ExprKind::kMul:
      if (c == 0) return context.Constant(0);
      if (c == 1) return a;
      if (std::optional<int64_t> inner = a.ConstantRhs(ExprKind::kMul)) {
        const std::optional<int64_t> product = CheckedMul(*inner, c);
        return product ? a.lhs() * *product : context.Invalid();
      }
      break;
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
      if (c == 1) return a;
      break;
    case ExprKind::kMod:
      if (c == 1 || c == -1) return context.Constant(0);
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

Expr Make(ExprKind kind, Expr a, Expr b) {
  ExprContext& context = a.context();
  if (!a.IsValid() || !b.IsValid()) return context.Invalid();
  if (a.IsConstant() && b.IsConstant()) {
    const std::optional<int64_t> value = Apply(kind, a.constant(), b.constant());
    return value ? context.Constant(*value) : context.Invalid();
  }
  if (IsCommutative(kind) && a.IsConstant()) std::swap(a, b);
  if (b.IsConstant()) {
    if (std::optional<Expr> folded = FoldConstant(kind, a, b.constant())) return *folded;
  }
  return context.Binary(kind, a, b);
}

Expr operator+(Expr a, Expr b) { return Make(ExprKind::kAdd, a, b); }
Expr operator+(Expr a, int64_t b) { return a + a.context().Constant(b); }
Expr operator-(Expr a) { return Canonical(a * -1); }
Expr operator-(Expr a, Expr b) { return a + (-b); }
Expr operator-(Expr a, int64_t b) { return b == INT64_MIN ? a.context().Invalid() : a + (-b); }
Expr operator*(Expr a, Expr b) { return Make(ExprKind::kMul, a, b); }
Expr operator*(Expr a, int64_t b) { return a * a.context().Constant(b); }
Expr FloorDiv(Expr a, Expr b) { return Make(ExprKind::kFloorDiv, a, b); }
Expr FloorDiv(Expr a, int64_t b) { return FloorDiv(a, a.context().Constant(b)); }
Expr CeilDiv(Expr a, Expr b) { return Make(ExprKind::kCeilDiv, a, b); }
Expr CeilDiv(Expr a, int64_t b) { return CeilDiv(a, a.context().Constant(b)); }
Expr Mod(Expr a, Expr b) { return Make(ExprKind::kMod, a, b); }
Expr Mod(Expr a, int64_t b) { return Mod(a, a.context().Constant(b)); }
Expr Min(Expr a, Expr b) { return Make(ExprKind::kMin, a, b); }
Expr Max(Expr a, Expr b) { return Make(ExprKind::kMax, a, b); }

Expr Sum(ExprContext& context, std::span<const Expr> terms) {
  Expr sum = context.Constant(0);
  for (Expr term : terms) sum = sum + term;
  return sum;
}

std::optional<int64_t> Evaluate(Expr expr, std::span<const int64_t> values) {
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return expr.constant();
    case ExprKind::kVariable:
      return values[static_cast<size_t>(expr.variable())];
    case ExprKind::kInvalid:
      return std::nullopt;
    default:
      break;
  }
  const std::optional<int64_t> a = Evaluate(expr.lhs(), values);
  const std::optional<int64_t> b = a ? Evaluate(expr.rhs(), values) : std::nullopt;
  return b ? Apply(expr.kind(), *a, *b) : std::nullopt;
}

namespace {

class Substitution {
 public:
  explicit Substitution(const std::function<Expr(int64_t)>& replacement)
      : replacement_(replacement) {}

  Expr operator()(Expr expr) {
    if (expr.IsVariable()) return replacement_(expr.variable());
    if (!expr.IsBinary()) return expr;
    if (auto known = done_.find(expr); known != done_.end()) return known->second;
    const Expr lhs = (*this)(expr.lhs());
    const Expr rhs = (*this)(expr.rhs());
    const Expr result = lhs == expr.lhs() && rhs == expr.rhs() ? expr : Make(expr.kind(), lhs, rhs);
    done_.emplace(expr, result);
    return result;
  }

 private:
  const std::function<Expr(int64_t)>& replacement_;
  absl::flat_hash_map<Expr, Expr> done_;
};

}  // namespace

Expr MapVariables(Expr expr, const std::function<Expr(int64_t)>& replacement) {
  return Substitution(replacement)(expr);
}

Expr Substitute(Expr expr, std::span<const Expr> replacements) {
  return MapVariables(expr,
                      [&](int64_t number) { return replacements[static_cast<size_t>(number)]; });
}

void MarkVariables(Expr expr, std::vector<bool>& used) {
  if (expr.IsVariable()) {
    const size_t number = static_cast<size_t>(expr.variable());
    if (number < used.size()) used[number] = true;
  } else if (expr.IsBinary()) {
    MarkVariables(expr.lhs(), used);
    MarkVariables(expr.rhs(), used);
  }
}

bool UsesVariable(Expr expr, int64_t number) {
  if (expr.IsVariable()) return expr.variable() == number;
  return expr.IsBinary() && (UsesVariable(expr.lhs(), number) || UsesVariable(expr.rhs(), number));
}

void AppendSummands(Expr expr, std::vector<Expr>& summands) {
  if (expr.kind() != ExprKind::kAdd) {
    summands.push_back(expr);
    return;
  }
  AppendSummands(expr.lhs(), summands);
  AppendSummands(expr.rhs(), summands);
}

int Compare(Expr a, Expr b) {
  if (a == b) return 0;
  if (a.kind() != b.kind()) return a.kind() < b.kind() ? -1 : 1;
  if (!a.IsBinary()) return a.node()->value < b.node()->value ? -1 : 1;
  const int lhs = Compare(a.lhs(), b.lhs());
  return lhs != 0 ? lhs : Compare(a.rhs(), b.rhs());
}

}  // namespace hlo::indexing

// Index expressions: binary trees over variables and constants, immutable and shared. A context
// owns them and keeps one copy of each, so that equal expressions are the same pointer.
//
// The constructors (the operators below) fold only locally: trees stay as they were built
// (indexing_xla.md 1). What overflows, divides by zero in constants, or grows beyond the limits
// of a context is the invalid expression, which everything made of it is, too.
#ifndef HLOKIT_INDEXING_EXPRESSION_H_
#define HLOKIT_INDEXING_EXPRESSION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "support/arena.h"

namespace hlo::indexing {

// In the canonical order of terms (indexing_xla.md 1).
enum class ExprKind : uint8_t {
  kAdd,
  kMul,
  kMod,
  kFloorDiv,
  kCeilDiv,
  kMax,
  kMin,
  kVariable,
  kConstant,
  kInvalid,
};

class ExprContext;

namespace internal {
struct ExprNode {
  ExprContext* context;
  ExprKind kind;
  int32_t depth;
  int32_t size;
  int64_t value;  // of a constant; the number of a variable
  const ExprNode* lhs;
  const ExprNode* rhs;
  mutable const ExprNode* canonical;
};
}  // namespace internal

// A handle: as cheap as a pointer, valid as long as its context.
class Expr {
 public:
  Expr() = default;
  explicit Expr(const internal::ExprNode* node) : node_(node) {}

  const internal::ExprNode* node() const { return node_; }
  ExprContext& context() const { return *node_->context; }
  ExprKind kind() const { return node_->kind; }
  bool IsValid() const { return kind() != ExprKind::kInvalid; }
  bool IsConstant() const { return kind() == ExprKind::kConstant; }
  bool IsConstant(int64_t value) const { return IsConstant() && node_->value == value; }
  bool IsVariable() const { return kind() == ExprKind::kVariable; }
  bool IsBinary() const { return kind() < ExprKind::kVariable; }
  int64_t constant() const { return node_->value; }
  int64_t variable() const { return node_->value; }
  Expr lhs() const { return Expr(node_->lhs); }
  Expr rhs() const { return Expr(node_->rhs); }
  // The number of nodes of the tree, and the longest path in it.
  int64_t size() const { return node_->size; }
  int64_t depth() const { return node_->depth; }

  // The constant right operand, when the expression is of `kind` and has one.
  std::optional<int64_t> ConstantRhs(ExprKind kind) const {
    if (node_->kind != kind || !rhs().IsConstant()) return std::nullopt;
    return rhs().constant();
  }

  bool operator==(const Expr&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, Expr expr) {
    return H::combine(std::move(h), expr.node_);
  }

 private:
  const internal::ExprNode* node_ = nullptr;
};

class ExprContext {
 public:
  // Trees beyond these limits are invalid: everything that walks them may recurse.
  static constexpr int32_t kMaxDepth = 1000;
  static constexpr int32_t kMaxSize = 1 << 14;

  ExprContext();
  ExprContext(const ExprContext&) = delete;
  ExprContext& operator=(const ExprContext&) = delete;

  Expr Constant(int64_t value) { return Intern(ExprKind::kConstant, value, {}, {}); }
  // Variables are numbered through: dimensions, then ranges, then runtime variables.
  Expr Variable(int64_t number) { return Intern(ExprKind::kVariable, number, {}, {}); }
  Expr Invalid() const { return invalid_; }
  // The tree as it is: nothing folds.
  Expr Binary(ExprKind kind, Expr lhs, Expr rhs);

  size_t byte_size() const { return arena_.byte_size(); }

 private:
  Expr Intern(ExprKind kind, int64_t value, Expr lhs, Expr rhs);

  struct Hash {
    size_t operator()(const internal::ExprNode* node) const;
  };
  struct Equal {
    bool operator()(const internal::ExprNode* a, const internal::ExprNode* b) const {
      return a->kind == b->kind && a->value == b->value && a->lhs == b->lhs && a->rhs == b->rhs;
    }
  };

  Arena arena_;
  absl::flat_hash_set<const internal::ExprNode*, Hash, Equal> nodes_;
  Expr invalid_;
};

// --- Constructors -------------------------------------------------------------------------------

Expr operator+(Expr a, Expr b);
Expr operator+(Expr a, int64_t b);
Expr operator-(Expr a);  // Canonical(a * -1)
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a, int64_t b);
Expr operator*(Expr a, Expr b);
Expr operator*(Expr a, int64_t b);
Expr FloorDiv(Expr a, Expr b);
Expr FloorDiv(Expr a, int64_t b);
Expr CeilDiv(Expr a, Expr b);
Expr CeilDiv(Expr a, int64_t b);
Expr Mod(Expr a, Expr b);
Expr Mod(Expr a, int64_t b);
Expr Min(Expr a, Expr b);
Expr Max(Expr a, Expr b);
// The constructor of a binary kind.
Expr Make(ExprKind kind, Expr a, Expr b);
// The sum of `terms`, left-deep in their order.
Expr Sum(ExprContext& context, std::span<const Expr> terms);

// --- Reading ------------------------------------------------------------------------------------

// The value for values of all variables; nothing on overflow or division by zero.
std::optional<int64_t> Evaluate(Expr expr, std::span<const int64_t> values);

// `expr` with variable i replaced by `replacements[i]`, made with the constructors.
Expr Substitute(Expr expr, std::span<const Expr> replacements);
// The same where most variables stay themselves.
Expr MapVariables(Expr expr, const std::function<Expr(int64_t)>& replacement);

// Sets used[i] for every variable i in `expr`; numbers beyond the vector are ignored.
void MarkVariables(Expr expr, std::vector<bool>& used);
bool UsesVariable(Expr expr, int64_t number);

// Appends the summands of a sum, or the expression itself.
void AppendSummands(Expr expr, std::vector<Expr>& summands);

// The canonical order: negative, zero or positive as a stands before, at or behind b.
int Compare(Expr a, Expr b);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_EXPRESSION_H_

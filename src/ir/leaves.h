// The leaves of tuples: everything that is no tuple itself, depth first. One walk for shapes and
// literals.
#ifndef HLOKIT_IR_LEAVES_H_
#define HLOKIT_IR_LEAVES_H_

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/literal.h"
#include "ir/shape.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo {
namespace internal {

inline bool IsTuple(const Shape& shape) { return shape.IsTuple(); }
inline bool IsTuple(const Literal& literal) { return literal.shape().IsTuple(); }
inline auto ElementsOf(const Shape& shape) { return shape.elements(); }
inline auto ElementsOf(const Literal& literal) { return literal.tuple_elements(); }
inline auto ElementsOf(Literal& literal) { return literal.tuple_elements(); }

template <typename Visit>
void VisitIndexedLeaves(const Shape& shape, DimensionVector& index, const Visit& visit) {
  if (!shape.IsTuple()) return visit(shape, std::span<const int64_t>(index));
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    index.push_back(i);
    VisitIndexedLeaves(shape.element(i), index, visit);
    index.pop_back();
  }
}

}  // namespace internal

// Calls visit(leaf) for the leaves of `tree`, a Shape or Literal. Where `visit` returns a bool,
// false ends the walk, and is returned.
template <typename Tree, typename Visit>
bool ForEachLeaf(Tree& tree, const Visit& visit) {
  if (!internal::IsTuple(tree)) {
    if constexpr (std::is_void_v<decltype(visit(tree))>) {
      visit(tree);
      return true;
    } else {
      return visit(tree);
    }
  }
  for (auto& element : internal::ElementsOf(tree)) {
    if (!ForEachLeaf(element, visit)) return false;
  }
  return true;
}

// Calls visit(leaf, index) for the leaves of `shape`; `index` leads to the leaf, {0,1}, and lives
// until the next call only.
template <typename Visit>
void ForEachIndexedLeaf(const Shape& shape, const Visit& visit) {
  DimensionVector index;
  internal::VisitIndexedLeaves(shape, index, visit);
}

// Buffers hold an array as their one element. One that was made in code may lack it.
inline const Shape& ArrayShapeOf(const Shape& leaf) {
  return leaf.IsBuffer() && leaf.element_count() == 1 ? leaf.element(0) : leaf;
}

template <typename Tree>
std::vector<const Tree*> LeavesOf(const Tree& tree) {
  std::vector<const Tree*> leaves;
  ForEachLeaf(tree, [&](const Tree& leaf) { leaves.push_back(&leaf); });
  return leaves;
}

// The leaves that are arrays: no tokens, no opaque values.
inline int64_t ArrayLeafCount(const Shape& shape) {
  int64_t count = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) { count += leaf.IsArray() ? 1 : 0; });
  return count;
}

// The bytes of all arrays in `shape`, dense; INT64_MAX where that leaves 63 bits.
inline int64_t DenseByteSizeOfLeaves(const Shape& shape) {
  int64_t total = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    const int64_t byte_size = leaf.IsArray() ? DenseByteSize(leaf).value_or(INT64_MAX) : 0;
    total = CheckedAdd(total, byte_size).value_or(INT64_MAX);
  });
  return total;
}

// A literal of `shape`, each leaf of it what make(leaf's shape) returns: an
// absl::StatusOr<Literal>.
template <typename Make>
absl::StatusOr<Literal> LiteralOfLeaves(const Shape& shape, const Make& make) {
  if (!shape.IsTuple()) return make(shape);
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    HLO_ASSIGN_OR_RETURN(Literal literal, LiteralOfLeaves(element, make));
    elements.push_back(std::move(literal));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace hlo

#endif  // HLOKIT_IR_LEAVES_H_

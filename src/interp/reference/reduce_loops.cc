// Kept dimensions run outside in their own order, reduced ones inside in the order in which they
// lie in operand 0's layout (semantics.md 9.1).
#include "interp/reference/reduce_loops.h"

#include <algorithm>

namespace hlo::reference {
namespace {

// The dimensions in `dimensions`, slowest in memory first.
Index PhysicalOrder(const Shape& shape, std::span<const int64_t> dimensions) {
  Index order(dimensions.begin(), dimensions.end());
  std::sort(order.begin(), order.end());
  if (!shape.layout().has_value()) return order;
  Index physical;
  const DimensionVector& minor_to_major = shape.layout()->minor_to_major;
  for (size_t i = minor_to_major.size(); i-- > 0;) {
    if (Contains(AsSpan(order), minor_to_major[i])) physical.push_back(minor_to_major[i]);
  }
  return physical.size() == order.size() ? physical : order;
}

}  // namespace

ReduceLoops::ReduceLoops(const Evaluation& e) {
  const std::span<const int64_t> dims = e.operand(0).dims;
  const std::span<const int64_t> reduced = e.Get<Attr::kDimensions>();
  const Index strides = DenseStrides(dims);
  const Index kept = OtherDimensions(static_cast<int64_t>(dims.size()), reduced);
  const Index order = PhysicalOrder(e.op().operand_shape(0), reduced);
  kept_dims = Select(dims, AsSpan(kept));
  kept_strides = Select(AsSpan(strides), AsSpan(kept));
  reduced_dims = Select(dims, AsSpan(order));
  reduced_strides = Select(AsSpan(strides), AsSpan(order));
}

}  // namespace hlo::reference

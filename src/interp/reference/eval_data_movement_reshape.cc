// Kernels that keep the elements in order and change what the sizes are: reshape and the dynamic
// sizes of semantics.md 13.
#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/reference/eval.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

int64_t ReadInteger(const ArrayRef& scalar) {
  int64_t value = 0;
  ConvertElements(scalar.element_type, scalar.bytes, ElementType::kS64,
                  reinterpret_cast<std::byte*>(&value), 1);
  return value;
}

absl::Status SizesDoNotFit(Evaluation& e, std::span<const int64_t> dims) {
  return absl::InvalidArgumentError(
      fmt::format("`{}` cannot give {} elements the sizes [{}]", OpcodeName(e.op().opcode()),
                  e.operand(0).element_count(), fmt::join(dims, ",")));
}

int64_t Product(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// Infers the dynamic dimensions of a reshape. Operand and result dimensions fall into groups with
// equal products of their bounds; in each group at most one result dimension takes what the true
// sizes leave: `preferred` if it is there, else the first dynamic one.
Index InferSizes(const Shape& result_shape, std::span<const int64_t> result_bounds,
                 std::span<const int64_t> operand_bounds, std::span<const int64_t> operand_dims,
                 int64_t preferred) {
  Index sizes(result_bounds.begin(), result_bounds.end());
  size_t from = 0;
  size_t to = 0;
  while (to < result_bounds.size()) {
    const size_t from_begin = from;
    const size_t to_begin = to;
    int64_t bound = result_bounds[to++];
    int64_t operand_bound = 1;
    while (bound != operand_bound && (from < operand_bounds.size() || to < result_bounds.size())) {
      if (operand_bound < bound && from < operand_bounds.size()) {
        operand_bound *= operand_bounds[from++];
      } else if (to < result_bounds.size()) {
        bound *= result_bounds[to++];
      } else {
        operand_bound *= operand_bounds[from++];
      }
    }
    const std::span<int64_t> group(sizes.data() + to_begin, to - to_begin);
    const int64_t count = Product(operand_dims.subspan(from_begin, from - from_begin));
    int64_t inferred = -1;
    for (size_t d = to_begin; d < to; ++d) {
      const int64_t dim = static_cast<int64_t>(d);
      if (result_shape.is_dynamic(dim) && (inferred < 0 || dim == preferred)) inferred = dim;
    }
    // Written static, smaller at run time: the outermost dimension that can take what is left.
    for (size_t d = to_begin; d < to && inferred < 0 && Product(group) != count; ++d) {
      const int64_t others = sizes[d] == 0 ? 0 : Product(group) / sizes[d];
      if (sizes[d] > 1 && others != 0 && count % others == 0) inferred = static_cast<int64_t>(d);
    }
    if (inferred < 0) continue;
    sizes[inferred] = 1;
    const int64_t others = Product(group);
    sizes[inferred] = others == 0 ? 0 : count / others;
  }
  return sizes;
}

}  // namespace

absl::Status EvalReshape(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  Index dims(e.result().dims.begin(), e.result().dims.end());
  if (Product(dims) != x.element_count()) {
    dims = InferSizes(*e.instruction().shape, e.result().dims, e.op().operand_shape(0).dims(),
                      x.dims, e.Get<Attr::kInferredDimension>());
  }
  if (Product(dims) != x.element_count()) return SizesDoNotFit(e, dims);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  ConvertElements(x.element_type, x.bytes, e.result().element_type, e.result().bytes,
                  x.element_count());
  return absl::OkStatus();
}

// Sizes that leave elements over take the first ones: XLA does not check their product, which
// semantics.md 13 asks for.
absl::Status EvalDynamicReshape(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  Index dims;
  for (const ArrayRef& size : e.operands().subspan(1)) dims.push_back(ReadInteger(size));
  const bool has_negative = std::ranges::any_of(dims, [](int64_t size) { return size < 0; });
  if (has_negative) return SizesDoNotFit(e, dims);
  const std::optional<int64_t> count = CheckedProduct(dims);
  if (!count || *count > x.element_count()) return SizesDoNotFit(e, dims);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  ConvertElements(x.element_type, x.bytes, e.result().element_type, e.result().bytes, *count);
  return absl::OkStatus();
}

absl::Status EvalGetDimensionSize(Evaluation& e) {
  const int64_t size = e.operand(0).dims[e.Get<Attr::kDimensions>()[0]];
  ConvertElements(ElementType::kS64, reinterpret_cast<const std::byte*>(&size),
                  e.result().element_type, e.result().bytes, 1);
  return absl::OkStatus();
}

// The elements up to the new size; where the size grows nobody has written the new ones: zeros.
absl::Status EvalSetDimensionSize(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  const int64_t dimension = e.Get<Attr::kDimensions>()[0];
  const int64_t size = ReadInteger(e.operand(1));
  const int64_t bound = e.instruction().shape->dim(dimension);
  if (size < 0 || (bound >= 0 && size > bound)) {
    return absl::InvalidArgumentError(
        fmt::format("`set-dimension-size` got {} for dimension {}, whose sizes are 0 to {}", size,
                    dimension, bound));
  }
  Index dims(x.dims.begin(), x.dims.end());
  dims[dimension] = size;
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  const MutableArrayRef& result = e.result();
  const int64_t element_size = ElementByteSize(result.element_type);
  Index copied = dims;
  copied[dimension] = std::min(size, x.dims[dimension]);
  if (copied[dimension] < size) std::fill_n(result.bytes, result.byte_size(), std::byte{0});
  CopyStrided(element_size, copied, x.bytes, DenseStrides(x.dims), result.bytes,
              DenseStrides(dims));
  return absl::OkStatus();
}

}  // namespace hlo::reference

// Kernels that move elements to where an index formula says: semantics.md 7.1, 7.3, 7.4. Each is
// one strided copy; sizes are those at run time.
#include <algorithm>
#include <numeric>

#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

Index ToIndex(std::span<const int64_t> dims) { return Index(dims.begin(), dims.end()); }

// Fills the whole result from `from`, which points at the element of result index 0.
absl::Status FillResult(Evaluation& e, std::span<const int64_t> dims, const std::byte* from,
                        std::span<const int64_t> from_strides) {
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  const MutableArrayRef& result = e.result();
  CopyStrided(ElementByteSize(result.element_type), dims, from, from_strides, result.bytes,
              DenseStrides(dims));
  return absl::OkStatus();
}

}  // namespace

// The largest operand in the result's precision.
double ConcatenateScratch(const OpView& op) {
  double largest = 0;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    largest = std::max(largest,
                       ConvertedByteSize(op.operand_shape(i), op.written_shape()->element_type()));
  }
  return largest;
}

// The operand beside a wider value.
double PadScratch(const OpView& op) {
  return ConvertedByteSize(op.operand_shape(0), op.written_shape()->element_type());
}

// One line along the dimension.
double IotaScratch(const OpView& op) {
  const Shape& shape = *op.written_shape();
  return static_cast<double>(shape.dim(op.Get<Attr::kIotaDimension>())) *
         static_cast<double>(ElementByteSize(shape.element_type()));
}

// r[i] = x[i[D_0], i[D_1], ...]
absl::Status EvalBroadcast(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  const IntList dimensions = e.Get<Attr::kDimensions>();
  const Strides x_strides = DenseStrides(x.dims);
  Index dims = ToIndex(e.result().dims);
  Strides strides(dims.size(), 0);
  for (size_t k = 0; k < dimensions.size(); ++k) {
    dims[dimensions[k]] = x.dims[k];
    strides[dimensions[k]] = x_strides[k];
  }
  return FillResult(e, dims, x.bytes, strides);
}

// r[i] = x[j] with j[P[k]] = i[k]
absl::Status EvalTranspose(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  const IntList permutation = e.Get<Attr::kDimensions>();
  const Strides x_strides = DenseStrides(x.dims);
  Index dims(permutation.size());
  Strides strides(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) {
    dims[k] = x.dims[permutation[k]];
    strides[k] = x_strides[permutation[k]];
  }
  return FillResult(e, dims, x.bytes, strides);
}

// r[i] = x[start + i * stride]. A dynamic dimension ends where its elements end.
absl::Status EvalSlice(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  const SliceRanges ranges = e.Get<Attr::kSliceRanges>();
  Strides strides = DenseStrides(x.dims);
  Index dims(ranges.size());
  int64_t offset = 0;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const int64_t limit = std::min(ranges[d].limit, x.dims[d]);
    const int64_t start = std::min(ranges[d].start, limit);
    dims[d] = CeilDiv(limit - start, ranges[d].stride);
    offset += start * strides[d];
    strides[d] = dims[d] > 1 ? strides[d] * ranges[d].stride : 0;  // which may be any number
  }
  return FillResult(e, dims, x.bytes + offset * ElementByteSize(x.element_type), strides);
}

// j[k] = size - 1 - i[k] in the reversed dimensions
absl::Status EvalReverse(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  if (x.element_count() == 0) return EnsureResultDims(e, 0, x.dims);
  Strides strides = DenseStrides(x.dims);
  int64_t offset = 0;
  for (int64_t d : e.Get<Attr::kDimensions>()) {
    offset += (x.dims[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return FillResult(e, x.dims, x.bytes + offset * ElementByteSize(x.element_type), strides);
}

absl::Status EvalConcatenate(Evaluation& e) {
  const int64_t dimension = e.Get<Attr::kDimensions>()[0];
  Index dims = ToIndex(e.operand(0).dims);
  dims[dimension] = 0;
  for (const ArrayRef& operand : e.operands()) {
    Index others = ToIndex(operand.dims);
    others[dimension] = 0;
    Index expected = dims;
    expected[dimension] = 0;
    if (others != expected) {
      return absl::InvalidArgumentError("the operands' sizes disagree at run time");
    }
    dims[dimension] += operand.dims[dimension];
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  const MutableArrayRef& result = e.result();
  const int64_t element_size = ElementByteSize(result.element_type);
  const Strides to_strides = DenseStrides(dims);
  std::byte* to = result.bytes;
  for (const ArrayRef& operand : e.operands()) {
    // Beside operands in another precision.
    const ConvertedArray typed(e.device().scratch(), operand, result.element_type);
    CopyStrided(element_size, operand.dims, typed.ref().bytes, DenseStrides(operand.dims), to,
                to_strides);
    to += operand.dims[dimension] * to_strides[dimension] * element_size;
  }
  return absl::OkStatus();
}

// r[lo + j * (interior + 1)] = x[j] where that lies inside the result, else the fill value.
// Negative edges cut elements off, and holes too.
absl::Status EvalPad(Evaluation& e) {
  using Wide = __int128;  // edges and holes may be any numbers where the result has few elements
  // Beside a wider value.
  const ConvertedArray converted(e.device().scratch(), e.operand(0), e.result().element_type);
  const ArrayRef& x = converted.ref();
  const PaddingConfig padding = e.Get<Attr::kPadding>();
  const size_t rank = padding.size();
  Index dims(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t n = x.dims[d];
    const Wide dilated = n == 0 ? 0 : n + Wide{n - 1} * padding[d].interior;
    const Wide size = Wide{padding[d].low} + padding[d].high + dilated;
    dims[d] = static_cast<int64_t>(std::clamp<Wide>(size, 0, INT64_MAX));
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));

  const MutableArrayRef& result = e.result();
  const int64_t element_size = ElementByteSize(result.element_type);
  const Strides x_strides = DenseStrides(x.dims);
  Strides to_strides = DenseStrides(dims);
  Index copied(rank);
  int64_t from = 0;
  int64_t to = 0;
  for (size_t d = 0; d < rank; ++d) {
    const Wide step = Wide{padding[d].interior} + 1;
    const Wide low = padding[d].low;
    const Wide first = low < 0 ? (-low + step - 1) / step : 0;
    const Wide end =
        dims[d] > low ? std::min<Wide>(x.dims[d], (dims[d] - low + step - 1) / step) : 0;
    copied[d] = static_cast<int64_t>(std::max<Wide>(0, end - first));
    if (copied[d] == 0) continue;  // nothing will be copied
    from += static_cast<int64_t>(first) * x_strides[d];
    to += static_cast<int64_t>(low + first * step) * to_strides[d];
    to_strides[d] = copied[d] > 1 ? to_strides[d] * static_cast<int64_t>(step) : 0;
  }
  alignas(C128) std::byte fill[sizeof(C128)];
  ConvertElements(e.operand(1).element_type, e.operand(1).bytes, result.element_type, fill, 1);
  FillElements(element_size, fill, result.bytes, result.element_count());
  if (std::ranges::find(copied, 0) != copied.end()) return absl::OkStatus();
  CopyStrided(element_size, copied, x.bytes + from * element_size, x_strides,
              result.bytes + to * element_size, to_strides);
  return absl::OkStatus();
}

// r[i] = i[dimension], converted as an integer is.
absl::Status EvalIota(Evaluation& e) {
  const MutableArrayRef& result = e.result();
  const int64_t dimension = e.Get<Attr::kIotaDimension>();
  const int64_t size = result.dims[dimension];
  const int64_t element_size = ElementByteSize(result.element_type);
  const ScratchArray<std::byte> elements(e.device().scratch(), size * element_size);
  constexpr int64_t kBlock = 512;
  int64_t numbers[kBlock];
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t count = std::min(kBlock, size - begin);
    std::iota(numbers, numbers + count, begin);
    ConvertElements(ElementType::kS64, reinterpret_cast<const std::byte*>(numbers),
                    result.element_type, elements.get() + begin * element_size, count);
  }
  Strides strides(result.dims.size(), 0);
  strides[dimension] = 1;
  return FillResult(e, result.dims, elements.get(), strides);
}

absl::Status EvalCopy(Evaluation& e) {
  for (size_t i = 0; i < e.results().size(); ++i)
    HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), i));
  return absl::OkStatus();
}

}  // namespace hlo::reference

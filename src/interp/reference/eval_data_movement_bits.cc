// Kernels that read the same memory as something else: bitcast-convert (semantics.md 5.1) and
// bitcast (16.5).
#include <cstring>
#include <numeric>
#include <vector>

#include "fmt/format.h"
#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided_copy.h"
#include "ir/layout_index.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

bool TakesWholeBytes(ElementType type) { return BitWidth(type) == 8 * ElementByteSize(type); }

// `count` elements of `to_type` out of the bits at `from`, which holds at least as many.
void ReinterpretBits(ElementType from_type, const std::byte* from, int64_t from_count,
                     ElementType to_type, std::byte* to, int64_t count) {
  std::vector<std::byte> packed;
  if (!TakesWholeBytes(from_type)) {
    packed = PackBits(BitWidth(from_type), ElementByteSize(from_type), from, from_count);
    from = packed.data();
  }
  if (!TakesWholeBytes(to_type)) {
    UnpackBits(BitWidth(to_type), ElementByteSize(to_type), IsSigned(to_type), from, to, count);
  } else if (count > 0) {
    std::memcpy(to, from, count * ElementByteSize(to_type));
  }
  if (to_type != ElementType::kPred) return;
  // A bool is 0 or 1, whatever the byte was.
  for (int64_t i = 0; i < count; ++i) to[i] = std::byte{to[i] != std::byte{0}};
}

// The layout of `shape`; row-major when nothing is written.
Layout LayoutOf(const Shape& shape) {
  return shape.layout() ? *shape.layout() : Layout::Default(shape.rank());
}

// Where the elements of an array without tiles stand in memory.
Strides PhysicalStrides(std::span<const int64_t> dims, const Layout& layout) {
  Strides strides(dims.size());
  int64_t stride = 1;
  for (int64_t d : layout.minor_to_major) {
    strides[d] = stride;
    stride *= dims[d];
  }
  return strides;
}

// The elements of an array from their logical order to that in memory, or back. Padding is left
// out: only the order counts (semantics.md 16.5).
enum class Direction { kToMemory, kFromMemory };
absl::Status Reorder(Direction direction, int64_t element_size, std::span<const int64_t> dims,
                     const Layout& layout, const std::byte* from, std::byte* to) {
  const Strides logical = DenseStrides(dims);
  if (layout.tiles.empty()) {
    const Strides physical = PhysicalStrides(dims, layout);
    const bool to_memory = direction == Direction::kToMemory;
    CopyStrided(element_size, dims, from, to_memory ? logical : physical, to,
                to_memory ? physical : logical);
    return absl::OkStatus();
  }
  HLO_ASSIGN_OR_RETURN(const LayoutIndex positions, LayoutIndex::Make(dims, layout));
  Index index(dims.size());
  int64_t rank_in_memory = 0;
  for (int64_t position = 0; position < positions.element_count(); ++position) {
    if (!positions.IndexAt(position, std::span<int64_t>(index.data(), index.size()))) continue;
    const int64_t linear = LinearIndex(dims, index);
    const int64_t source = direction == Direction::kToMemory ? linear : rank_in_memory;
    const int64_t target = direction == Direction::kToMemory ? rank_in_memory : linear;
    std::memcpy(to + target * element_size, from + source * element_size, element_size);
    ++rank_in_memory;
  }
  return absl::OkStatus();
}

bool IsRowMajor(const Layout& layout) {
  return layout.tiles.empty() &&
         std::ranges::is_sorted(layout.minor_to_major, std::ranges::greater());
}

// The sizes of a bitcast's result: those of the shape, but where the operand's dynamic sizes go
// through.
Index BitcastDims(const Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  const MutableArrayRef& result = e.result();
  const bool sizes_go_through =
      e.instruction().shape->HasDynamicDim() && x.dims.size() == result.dims.size();
  const std::span<const int64_t> dims = sizes_go_through ? x.dims : result.dims;
  return Index(dims.begin(), dims.end());
}

}  // namespace

// Copies in the order of either layout, and bits packed.
double BitcastScratch(const OpView& op) {
  const auto byte_size = [](const Shape& shape) {
    return SizeProduct(shape.dims()) * static_cast<double>(ElementByteSize(shape.element_type()));
  };
  return 2 * (byte_size(op.operand_shape(0)) + byte_size(*op.written_shape()));
}

absl::Status EvalBitcastConvert(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  const int from_width = BitWidth(x.element_type);
  const int to_width = BitWidth(e.result().element_type);
  Index dims(x.dims.begin(), x.dims.end());
  if (from_width > to_width) dims.push_back(from_width / to_width);
  if (from_width < to_width) dims.pop_back();
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  if (x.element_count() * from_width != e.result().element_count() * to_width) {
    return absl::InvalidArgumentError("the operand's last dimension makes no whole elements");
  }
  ReinterpretBits(x.element_type, x.bytes, x.element_count(), e.result().element_type,
                  e.result().bytes, e.result().element_count());
  return absl::OkStatus();
}

absl::Status EvalBitcast(Evaluation& e) {
  const ArrayRef& x = e.operand(0);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, BitcastDims(e)));
  const MutableArrayRef& result = e.result();
  const int64_t count = result.element_count();
  if (count * BitWidth(result.element_type) > x.element_count() * BitWidth(x.element_type)) {
    return absl::InvalidArgumentError(fmt::format(
        "`bitcast` has an operand of {} bits and a result of {}",
        x.element_count() * BitWidth(x.element_type), count * BitWidth(result.element_type)));
  }
  const Layout from_layout = LayoutOf(e.op().operand_shape(0));
  const Layout to_layout = LayoutOf(*e.instruction().shape);
  ScratchPool& pool = e.device().scratch();
  ScratchArray<std::byte> memory;
  const std::byte* from = x.bytes;
  if (!IsRowMajor(from_layout)) {
    memory = ScratchArray<std::byte>(pool, x.byte_size());
    HLO_RETURN_IF_ERROR(Reorder(Direction::kToMemory, ElementByteSize(x.element_type), x.dims,
                                from_layout, x.bytes, memory.get()));
    from = memory.get();
  }
  if (IsRowMajor(to_layout)) {
    ReinterpretBits(x.element_type, from, x.element_count(), result.element_type, result.bytes,
                    count);
    return absl::OkStatus();
  }
  const ScratchArray<std::byte> reinterpreted(pool, result.byte_size());
  ReinterpretBits(x.element_type, from, x.element_count(), result.element_type, reinterpreted.get(),
                  count);
  return Reorder(Direction::kFromMemory, ElementByteSize(result.element_type), result.dims,
                 to_layout, reinterpreted.get(), result.bytes);
}

}  // namespace hlo::reference

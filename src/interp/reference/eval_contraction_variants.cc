// ragged-dot (semantics.md 10.2) and scaled-dot (10.3): dots whose sums take only a part of the
// terms, or whose terms have more factors.
#include <algorithm>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/eval.h"
#include "interp/reference/group_sizes.h"
#include "interp/reference/set_result.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The number of an index of the first `count` dimensions of such sizes.
int64_t NumberOf(std::span<const int64_t> sizes, const Index& index, size_t count) {
  return LinearIndex(sizes.first(count), AsSpan(index).first(count));
}

// The position of `value` in `values`, or -1.
int64_t PositionOf(const Index& values, int64_t value) {
  const auto found = std::find(values.begin(), values.end(), value);
  return found == values.end() ? -1 : found - values.begin();
}

// What a ragged-dot does whatever its operands hold: lhs is packed as [batch, rows, sum], rhs as
// [groups, batch, sum, columns] (without groups unless the rows are ragged).
struct RaggedPlan {
  explicit RaggedPlan(const Evaluation& e) : RaggedPlan(e, DotSides(e.op())) {}
  RaggedPlan(const Evaluation& e, const DotSides& sides)
      : sizes_fit(sides.CheckSizes(e)),
        batch_sizes(SizesOf(e.operand(0), sides.lhs.batch)),
        row_sizes(SizesOf(e.operand(0), sides.lhs.free)),
        sum_sizes(SizesOf(e.operand(0), sides.lhs.contracting)),
        batch_count(Product(AsSpan(batch_sizes))),
        row_count(Product(AsSpan(row_sizes))),
        sum_count(Product(AsSpan(sum_sizes))),
        lhs(e.operand(0).dims, AsSpan(sides.lhs.RowOrder())),
        rhs(e.operand(1).dims, AsSpan(RhsOrder(e, sides))) {
    const size_t columns =
        sides.rhs.batch.size() + sides.rhs.contracting.size() + e.Get<Attr::kRhsGroupDims>().size();
    column_count = Product(AsSpan(rhs.dims).subspan(columns));
    const int64_t ragged_dim = e.Get<Attr::kLhsRaggedDims>()[0];
    ragged_row = PositionOf(sides.lhs.free, ragged_dim);
    ragged_term = PositionOf(sides.lhs.contracting, ragged_dim);
    ragged_batch = PositionOf(sides.lhs.batch, ragged_dim);
  }

  absl::Status sizes_fit;
  Index batch_sizes, row_sizes, sum_sizes;
  int64_t batch_count, row_count, sum_count, column_count;
  Packing lhs, rhs;
  int64_t ragged_row, ragged_term,
      ragged_batch;  // where the ragged dimension is among these, or -1

 private:
  static Index RhsOrder(const Evaluation& e, const DotSides& sides) {
    const std::span<const int64_t> groups = e.Get<Attr::kRhsGroupDims>();
    const Index order =
        Concatenate({Index(groups.begin(), groups.end()), sides.rhs.batch, sides.rhs.contracting});
    const auto rank = static_cast<int64_t>(e.operand(1).dims.size());
    return Concatenate({order, OtherDimensions(rank, AsSpan(order))});
  }
};

// One ragged-dot in carriers.
template <typename C>
struct RaggedOperands {
  const RaggedPlan& plan;
  const C* lhs;
  const C* rhs;

  const C* RowsOf(int64_t batch) const { return lhs + batch * plan.row_count * plan.sum_count; }
  const C* ColumnsOf(int64_t batch) const {
    return rhs + batch * plan.sum_count * plan.column_count;
  }
};

// Each row is multiplied with the rhs of the group it is in; rows behind the groups give 0.
template <typename C>
void MultiplyRaggedRows(const RaggedOperands<C>& operands, const GroupSizes& groups, C* out) {
  const RaggedPlan& plan = operands.plan;
  const auto position = static_cast<size_t>(plan.ragged_row);
  const int64_t prefix_count = Product(AsSpan(plan.row_sizes).first(position));
  for (int64_t b = 0; b < plan.batch_count; ++b) {
    const C* row = operands.RowsOf(b);
    for (const Index& index : IndexSpace(AsSpan(plan.row_sizes))) {
      const int64_t prefix = b * prefix_count + NumberOf(AsSpan(plan.row_sizes), index, position);
      const int64_t group = groups.RowAt(prefix).GroupOf(index[position]);
      if (group < groups.group_count()) {
        MultiplyInOrder<C>(1, plan.sum_count, plan.column_count, row,
                           operands.ColumnsOf(group * plan.batch_count + b), out);
      }
      row += plan.sum_count;
      out += plan.column_count;
    }
  }
}

// Batch entries behind the groups give 0.
template <typename C>
void MultiplyRaggedBatch(const RaggedOperands<C>& operands, const GroupSizes& groups, C* out) {
  const RaggedPlan& plan = operands.plan;
  int64_t b = 0;
  for (const Index& batch : IndexSpace(AsSpan(plan.batch_sizes))) {
    const auto position = static_cast<size_t>(plan.ragged_batch);
    const int64_t prefix = NumberOf(AsSpan(plan.batch_sizes), batch, position);
    if (batch[position] < groups.RowAt(prefix).Total()) {
      MultiplyInOrder<C>(plan.row_count, plan.sum_count, plan.column_count, operands.RowsOf(b),
                         operands.ColumnsOf(b), out);
    }
    out += plan.row_count * plan.column_count;
    ++b;
  }
}

// Writes the numbers of the terms of group `g` in a batch entry; how many they are.
int64_t FindTerms(const RaggedPlan& plan, const GroupSizes& groups, int64_t batch, int64_t g,
                  int64_t* terms) {
  const std::span<const int64_t> sizes = AsSpan(plan.sum_sizes);
  const auto position = static_cast<size_t>(plan.ragged_term);
  const int64_t length = sizes[position];
  const int64_t step = Product(sizes.subspan(position + 1));  // terms for one position
  int64_t count = 0;
  const int64_t prefix_count = Product(sizes.first(position));
  int64_t first = 0;
  for (int64_t p = 0; p < prefix_count; ++p) {
    const GroupSizes::Row row = groups.RowAt(batch * prefix_count + p);
    const int64_t begin = std::clamp<int64_t>(row.Start(g), 0, length);
    const int64_t end = std::clamp<int64_t>(row.Start(g + 1), 0, length);
    for (int64_t k = begin * step; k < end * step; ++k) terms[count++] = first + k;
    first += length * step;
  }
  return count;
}

// Result g sums the terms of group g only: lhs and rhs are packed down to these.
template <typename C>
void MultiplyRaggedSum(ScratchPool& pool, const RaggedOperands<C>& operands,
                       const GroupSizes& groups, C* out) {
  const RaggedPlan& plan = operands.plan;
  const ScratchArray<int64_t> terms(pool, plan.sum_count);
  const ScratchArray<C> rows(pool, plan.row_count * plan.sum_count);
  const ScratchArray<C> columns(pool, plan.sum_count * plan.column_count);
  for (int64_t g = 0; g < groups.group_count(); ++g) {
    for (int64_t b = 0; b < plan.batch_count; ++b) {
      const int64_t term_count = FindTerms(plan, groups, b, g, terms.get());
      C* next = rows.get();
      for (int64_t r = 0; r < plan.row_count; ++r) {
        const C* row = operands.RowsOf(b) + r * plan.sum_count;
        for (int64_t k = 0; k < term_count; ++k) *next++ = row[terms[k]];
      }
      for (int64_t k = 0; k < term_count; ++k) {
        const C* values = operands.ColumnsOf(b) + terms[k] * plan.column_count;
        std::copy_n(values, plan.column_count, columns.get() + k * plan.column_count);
      }
      MultiplyInOrder<C>(plan.row_count, term_count, plan.column_count, rows.get(), columns.get(),
                         out);
      out += plan.row_count * plan.column_count;
    }
  }
}

template <typename T>
void RaggedDot(Evaluation& e, const RaggedPlan& plan) {
  using C = CarrierOf<T>;
  ScratchPool& pool = e.device().scratch();
  const ElementType type = e.result().element_type;
  const ConvertedArray lhs(pool, e.operand(0), type);
  const ConvertedArray rhs(pool, e.operand(1), type);
  const GroupSizes groups(pool, e.operand(2));
  const Packed<C> packed_lhs(pool, plan.lhs, lhs.data<T>());
  const Packed<C> packed_rhs(pool, plan.rhs, rhs.data<T>());
  const RaggedOperands<C> operands = {plan, packed_lhs.data(), packed_rhs.data()};
  const int64_t count = e.result().element_count();
  const ScratchArray<C> out(pool, count);
  std::fill_n(out.get(), count, C());
  if (plan.ragged_row >= 0) {
    MultiplyRaggedRows(operands, groups, out.get());
  } else if (plan.ragged_term >= 0) {
    MultiplyRaggedSum(pool, operands, groups, out.get());
  } else {
    MultiplyRaggedBatch(operands, groups, out.get());
  }
  T* result = View<T>(e.result()).data();
  for (int64_t i = 0; i < count; ++i) result[i] = static_cast<T>(out[i]);
}

// A scale as carriers in the sizes and the order of its data: element i is
// scale[i / (data size / scale size)].
template <typename T>
ScratchArray<CarrierOf<T>> ExpandScale(ScratchPool& pool, const ArrayRef& scale,
                                       const ArrayRef& data, const Packing& packing) {
  using C = CarrierOf<T>;
  const ConvertedArray typed(pool, scale, kElementTypeOf<T>);
  const std::span<const int64_t> dims = data.dims;
  const ScratchArray<C> expanded(pool, data.element_count());
  C* next = expanded.get();
  Index at(dims.size());
  for (const Index& index : IndexSpace(dims)) {
    for (size_t d = 0; d < dims.size(); ++d) at[d] = index[d] / (dims[d] / scale.dims[d]);
    *next++ = static_cast<C>(typed.data<T>()[LinearIndex(scale.dims, AsSpan(at))]);
  }
  ScratchArray<C> packed(pool, data.element_count());
  packing.Copy(expanded.get(), packed.get());
  return packed;
}

// out[r, c] = sum over k of (rows[r, k] * columns[k, c]) * scales[k, c].
template <typename C>
void MultiplyScaled(int64_t row_count, int64_t sum_count, int64_t column_count, const C* rows,
                    const C* columns, const C* scales, C* out) {
  for (int64_t r = 0; r < row_count; ++r) {
    for (int64_t k = 0; k < sum_count; ++k) {
      const C factor = rows[r * sum_count + k];
      for (int64_t c = 0; c < column_count; ++c) {
        out[c] += (factor * columns[k * column_count + c]) * scales[k * column_count + c];
      }
    }
    out += column_count;
  }
}

// The scale at `position`; null when there is none, which a scalar says, too, whatever its value.
const ArrayRef* ScaleAt(const Evaluation& e, size_t position) {
  if (position >= e.operands().size() || e.operand(position).dims.empty()) return nullptr;
  return &e.operand(position);
}

// Every dimension of a scale divides that of its data.
absl::Status CheckScale(const ArrayRef& data, const ArrayRef* scale) {
  if (scale == nullptr) return absl::OkStatus();
  bool fits = scale->dims.size() == data.dims.size();
  for (size_t d = 0; fits && d < data.dims.size(); ++d) {
    fits = scale->dims[d] > 0 ? data.dims[d] % scale->dims[d] == 0 : data.dims[d] == 0;
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError("a scale does not divide its data into blocks");
}

template <typename T>
void ScaledDot(Evaluation& e, const ScaledDotPlan& plan) {
  using C = CarrierOf<T>;
  ScratchPool& pool = e.device().scratch();
  const ElementType type = e.result().element_type;
  const ConvertedArray lhs(pool, e.operand(0), type), rhs(pool, e.operand(1), type);
  const int64_t lhs_count = lhs.ref().element_count(), rhs_count = rhs.ref().element_count();
  const ScratchArray<C> rows(pool, lhs_count), columns(pool, rhs_count);
  plan.rows.Copy(lhs.data<T>(), rows.get());
  plan.columns.Copy(rhs.data<T>(), columns.get());
  if (const ArrayRef* scale = ScaleAt(e, 2)) {
    const ScratchArray<C> scales = ExpandScale<T>(pool, *scale, lhs.ref(), plan.rows);
    for (int64_t i = 0; i < lhs_count; ++i) rows[i] *= scales[i];
  }
  ScratchArray<C> scales;
  if (const ArrayRef* scale = ScaleAt(e, 3)) {
    scales = ExpandScale<T>(pool, *scale, rhs.ref(), plan.columns);
  } else {
    scales = ScratchArray<C>(pool, rhs_count);
    std::fill_n(scales.get(), rhs_count, C(1));
  }
  const int64_t count = e.result().element_count();
  const ScratchArray<C> out(pool, count);
  std::fill_n(out.get(), count, C());
  for (int64_t b = 0; b < plan.batch_count; ++b) {
    const int64_t column_start = b * plan.sum_count * plan.column_count;
    MultiplyScaled(plan.row_count, plan.sum_count, plan.column_count,
                   rows.get() + b * plan.row_count * plan.sum_count, columns.get() + column_start,
                   scales.get() + column_start, out.get() + b * plan.row_count * plan.column_count);
  }
  T* result = View<T>(e.result()).data();
  for (int64_t i = 0; i < count; ++i) result[i] = static_cast<T>(out[i]);
}

absl::Status CheckScaledSizes(const Evaluation& e, const DotSides& sides) {
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  for (size_t k : {0, 1}) HLO_RETURN_IF_ERROR(CheckScale(e.operand(k), ScaleAt(e, k + 2)));
  return absl::OkStatus();
}

// `copies` of both operands and one of the result as carriers, behind converted operands.
double CarrierCopies(const Shape& lhs, const Shape& rhs, const Shape& result, double copies) {
  const double carrier_size = DispatchElementType<kAnyArray>(
      result.element_type(),
      [&]<typename T>() { return static_cast<double>(sizeof(CarrierOf<T>)); });
  return ConvertedByteSize(lhs, result.element_type()) +
         ConvertedByteSize(rhs, result.element_type()) +
         carrier_size * (copies * (SizeProduct(lhs.dims()) + SizeProduct(rhs.dims())) +
                         SizeProduct(result.dims()));
}

}  // namespace

// The operands packed, the terms of one group of both and their numbers, and the groups' sizes
// and two ends of each.
double RaggedDotScratch(const OpView& op) {
  const Index sum_sizes = Select(op.operand_shape(0).dims(), AsSpan(DotSides(op).lhs.contracting));
  return CarrierCopies(op.operand_shape(0), op.operand_shape(1), *op.written_shape(), 2) +
         SizeProduct(AsSpan(sum_sizes)) * sizeof(int64_t) +
         ConvertedByteSize(op.operand_shape(2), ElementType::kS64) +
         GroupSizes::ByteSize(SizeProduct(op.operand_shape(2).dims()));
}

double ScaledDotScratch(const OpView& op) {
  return ScaledDotIntoByteSize(op.operand_shape(0), op.operand_shape(1), *op.written_shape());
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareRaggedDot(Evaluation& e) {
  return Prepare<RaggedPlan>(e);
}

absl::Status EvalRaggedDot(Evaluation& e) {
  const RaggedPlan& plan = PreparedOf<RaggedPlan>(e);
  HLO_RETURN_IF_ERROR(plan.sizes_fit);
  DispatchElementType<kAnyArray>(e.result().element_type,
                                 [&]<typename T>() { RaggedDot<T>(e, plan); });
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareScaledDot(Evaluation& e) {
  return Prepare<ScaledDotPlan>(e);
}

absl::Status EvalScaledDot(Evaluation& e) { return ScaledDotInto(e, PreparedOf<ScaledDotPlan>(e)); }

// The operands packed, and each with its scale while that is expanded and packed.
double ScaledDotIntoByteSize(const Shape& lhs, const Shape& rhs, const Shape& result) {
  return CarrierCopies(lhs, rhs, result, 4);
}

ScaledDotPlan::ScaledDotPlan(const Evaluation& e, const DotSides& sides)
    : sizes_fit(CheckScaledSizes(e, sides)),
      result_dims(sides.ResultDims(e)),
      batch_count(CountOf(e.operand(0), sides.lhs.batch)),
      row_count(CountOf(e.operand(0), sides.lhs.free)),
      sum_count(CountOf(e.operand(0), sides.lhs.contracting)),
      column_count(CountOf(e.operand(1), sides.rhs.free)),
      rows(e.operand(0).dims, AsSpan(sides.lhs.RowOrder())),
      columns(e.operand(1).dims, AsSpan(sides.rhs.ColumnOrder())) {}

absl::Status ScaledDotInto(Evaluation& e, const ScaledDotPlan& plan) {
  HLO_RETURN_IF_ERROR(plan.sizes_fit);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(plan.result_dims)));
  DispatchElementType<kAnyArray>(e.result().element_type,
                                 [&]<typename T>() { ScaledDot<T>(e, plan); });
  return absl::OkStatus();
}

}  // namespace hlo::reference

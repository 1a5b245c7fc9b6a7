// ragged-dot (semantics.md 10.2) and scaled-dot (10.3): dots whose sums take only a part of the
// terms, or whose terms have more factors.
#include <algorithm>
#include <vector>

#include "interp/reference/contraction.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/eval.h"
#include "interp/reference/forward.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// group_sizes: for each index of the prefix dimensions (or once for all of them) the lengths of
// the groups into which the ragged dimension falls, one after the other.
class GroupSizes {
 public:
  explicit GroupSizes(const ArrayRef& sizes)
      : sizes_(sizes, ElementType::kS64), group_count_(sizes.dims.back()) {}

  int64_t group_count() const { return group_count_; }
  // Where group `g` begins; g = group_count() gives the total.
  int64_t Start(std::span<const int64_t> prefix, int64_t g) const {
    const int64_t* row = Row(prefix);
    __int128 start = 0;
    for (int64_t i = 0; i < g; ++i) start += row[i];
    return static_cast<int64_t>(std::clamp<__int128>(start, INT64_MIN, INT64_MAX));
  }
  // The group position `j` is in; group_count() behind the last.
  int64_t GroupOf(std::span<const int64_t> prefix, int64_t j) const {
    const int64_t* row = Row(prefix);
    __int128 end = 0;  // lengths may be any numbers
    for (int64_t g = 0; g < group_count_; ++g) {
      end += row[g];
      if (j < end) return g;
    }
    return group_count_;
  }

 private:
  const int64_t* Row(std::span<const int64_t> prefix) const {
    const std::span<const int64_t> dims = sizes_.ref().dims;
    if (dims.size() == 1) return sizes_.data<int64_t>();
    return sizes_.data<int64_t>() + LinearIndex(dims.first(prefix.size()), prefix) * group_count_;
  }

  ConvertedArray sizes_;
  int64_t group_count_;
};

// The entries of `index` before position `end`, behind those of `before`.
Index Prefix(const Index& before, const Index& index, int64_t end) {
  Index prefix = before;
  prefix.insert(prefix.end(), index.begin(), index.begin() + end);
  return prefix;
}

// The position of `value` in `values`, or -1.
int64_t PositionOf(const Index& values, int64_t value) {
  const auto found = std::find(values.begin(), values.end(), value);
  return found == values.end() ? -1 : found - values.begin();
}

// One ragged-dot in carriers: lhs packed as [batch, rows, sum], rhs as [groups, batch, sum,
// columns] (without groups unless the rows are ragged).
template <typename C>
struct RaggedOperands {
  const C* lhs;
  const C* rhs;
  Index batch_sizes, row_sizes, sum_sizes;
  int64_t row_count, sum_count, column_count;

  const C* RowsOf(int64_t batch) const { return lhs + batch * row_count * sum_count; }
  const C* ColumnsOf(int64_t batch) const { return rhs + batch * sum_count * column_count; }
};

// Each row is multiplied with the rhs of the group it is in; rows behind the groups give 0.
template <typename C>
void MultiplyRaggedRows(const RaggedOperands<C>& operands, const GroupSizes& groups, int64_t ragged,
                        C* out) {
  const int64_t batch_count = Product(AsSpan(operands.batch_sizes));
  int64_t b = 0;
  for (const Index& batch : IndexSpace(AsSpan(operands.batch_sizes))) {
    const C* row = operands.RowsOf(b);
    for (const Index& index : IndexSpace(AsSpan(operands.row_sizes))) {
      const Index prefix = Prefix(batch, index, ragged);
      const int64_t group = groups.GroupOf(AsSpan(prefix), index[ragged]);
      if (group < groups.group_count()) {
        MultiplyInOrder<C>(1, operands.sum_count, operands.column_count, row,
                           operands.ColumnsOf(group * batch_count + b), out);
      }
      row += operands.sum_count;
      out += operands.column_count;
    }
    ++b;
  }
}

// Batch entries behind the groups give 0.
template <typename C>
void MultiplyRaggedBatch(const RaggedOperands<C>& operands, const GroupSizes& groups,
                         int64_t ragged, C* out) {
  int64_t b = 0;
  for (const Index& batch : IndexSpace(AsSpan(operands.batch_sizes))) {
    const Index prefix = Prefix({}, batch, ragged);
    if (batch[ragged] < groups.Start(AsSpan(prefix), groups.group_count())) {
      MultiplyInOrder<C>(operands.row_count, operands.sum_count, operands.column_count,
                         operands.RowsOf(b), operands.ColumnsOf(b), out);
    }
    out += operands.row_count * operands.column_count;
    ++b;
  }
}

// Result g sums the terms of group g only: lhs and rhs are packed down to these.
template <typename C>
void MultiplyRaggedSum(const RaggedOperands<C>& operands, const GroupSizes& groups, int64_t ragged,
                       C* out) {
  const int64_t length = operands.sum_sizes[ragged];
  std::vector<int64_t> terms;
  std::vector<C> rows, columns;
  for (int64_t g = 0; g < groups.group_count(); ++g) {
    int64_t b = 0;
    for (const Index& batch : IndexSpace(AsSpan(operands.batch_sizes))) {
      terms.clear();
      int64_t k = 0;
      for (const Index& index : IndexSpace(AsSpan(operands.sum_sizes))) {
        const Index prefix = Prefix(batch, index, ragged);
        const int64_t begin = std::clamp<int64_t>(groups.Start(AsSpan(prefix), g), 0, length);
        const int64_t end = std::clamp<int64_t>(groups.Start(AsSpan(prefix), g + 1), 0, length);
        if (begin <= index[ragged] && index[ragged] < end) terms.push_back(k);
        ++k;
      }
      rows.clear();
      columns.clear();
      for (int64_t r = 0; r < operands.row_count; ++r) {
        const C* row = operands.RowsOf(b) + r * operands.sum_count;
        for (int64_t term : terms) rows.push_back(row[term]);
      }
      for (int64_t term : terms) {
        const C* values = operands.ColumnsOf(b) + term * operands.column_count;
        columns.insert(columns.end(), values, values + operands.column_count);
      }
      MultiplyInOrder<C>(operands.row_count, static_cast<int64_t>(terms.size()),
                         operands.column_count, rows.data(), columns.data(), out);
      out += operands.row_count * operands.column_count;
      ++b;
    }
  }
}

template <typename T>
void RaggedDot(Evaluation& e, const DotSides& sides) {
  using C = CarrierOf<T>;
  const ElementType type = e.result().element_type;
  const ConvertedArray lhs(e.operand(0), type);
  const ConvertedArray rhs(e.operand(1), type);
  const GroupSizes groups(e.operand(2));
  const std::span<const int64_t> group_dims = e.Get<Attr::kRhsGroupDims>();
  const Index rhs_groups(group_dims.begin(), group_dims.end());
  const Index rhs_free =
      OtherDimensions(static_cast<int64_t>(rhs.ref().dims.size()),
                      AsSpan(Concatenate({sides.rhs.batch, sides.rhs.contracting, rhs_groups})));
  const auto packed_lhs =
      Packed<C>::Make(lhs.data<T>(), lhs.ref().dims, AsSpan(sides.lhs.RowOrder()));
  const auto packed_rhs = Packed<C>::Make(
      rhs.data<T>(), rhs.ref().dims,
      AsSpan(Concatenate({rhs_groups, sides.rhs.batch, sides.rhs.contracting, rhs_free})));
  const RaggedOperands<C> operands = {packed_lhs.data(),
                                      packed_rhs.data(),
                                      SizesOf(lhs.ref(), sides.lhs.batch),
                                      SizesOf(lhs.ref(), sides.lhs.free),
                                      SizesOf(lhs.ref(), sides.lhs.contracting),
                                      CountOf(lhs.ref(), sides.lhs.free),
                                      CountOf(lhs.ref(), sides.lhs.contracting),
                                      CountOf(rhs.ref(), rhs_free)};
  std::vector<C> out(static_cast<size_t>(e.result().element_count()));
  const int64_t ragged_dim = e.Get<Attr::kLhsRaggedDims>()[0];
  const int64_t ragged_row = PositionOf(sides.lhs.free, ragged_dim);
  const int64_t ragged_term = PositionOf(sides.lhs.contracting, ragged_dim);
  if (ragged_row >= 0) {
    MultiplyRaggedRows(operands, groups, ragged_row, out.data());
  } else if (ragged_term >= 0) {
    MultiplyRaggedSum(operands, groups, ragged_term, out.data());
  } else {
    MultiplyRaggedBatch(operands, groups, PositionOf(sides.lhs.batch, ragged_dim), out.data());
  }
  T* result = View<T>(e.result()).data();
  for (size_t i = 0; i < out.size(); ++i) result[i] = static_cast<T>(out[i]);
}

// A scale in the sizes of its data: element i is scale[i / (data size / scale size)].
template <typename T>
std::vector<CarrierOf<T>> ExpandScale(const ConvertedArray& scale, std::span<const int64_t> dims) {
  std::vector<CarrierOf<T>> expanded;
  expanded.reserve(static_cast<size_t>(Product(dims)));
  Index at(dims.size());
  for (const Index& index : IndexSpace(dims)) {
    for (size_t d = 0; d < dims.size(); ++d) at[d] = index[d] / (dims[d] / scale.ref().dims[d]);
    const T value = scale.data<T>()[LinearIndex(scale.ref().dims, AsSpan(at))];
    expanded.push_back(static_cast<CarrierOf<T>>(value));
  }
  return expanded;
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
void ScaledDot(Evaluation& e, const DotSides& sides) {
  using C = CarrierOf<T>;
  const ElementType type = e.result().element_type;
  const ConvertedArray lhs(e.operand(0), type), rhs(e.operand(1), type);
  const Index row_order = sides.lhs.RowOrder();
  const Index column_order = sides.rhs.ColumnOrder();
  const auto pack = [&](const auto* elements, const ArrayRef& like, const Index& order) {
    const auto packed = Packed<C>::Make(elements, like.dims, AsSpan(order));
    return std::vector<C>(packed.data(), packed.data() + like.element_count());
  };
  std::vector<C> rows = pack(lhs.data<T>(), lhs.ref(), row_order);
  const std::vector<C> columns = pack(rhs.data<T>(), rhs.ref(), column_order);
  if (const ArrayRef* scale = ScaleAt(e, 2)) {
    const std::vector<C> expanded = ExpandScale<T>(ConvertedArray(*scale, type), lhs.ref().dims);
    const std::vector<C> scales = pack(expanded.data(), lhs.ref(), row_order);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] *= scales[i];
  }
  std::vector<C> scales(columns.size(), C(1));
  if (const ArrayRef* scale = ScaleAt(e, 3)) {
    const std::vector<C> expanded = ExpandScale<T>(ConvertedArray(*scale, type), rhs.ref().dims);
    scales = pack(expanded.data(), rhs.ref(), column_order);
  }
  const int64_t row_count = CountOf(lhs.ref(), sides.lhs.free);
  const int64_t sum_count = CountOf(lhs.ref(), sides.lhs.contracting);
  const int64_t column_count = CountOf(rhs.ref(), sides.rhs.free);
  std::vector<C> out(static_cast<size_t>(e.result().element_count()));
  for (int64_t b = 0; b < CountOf(lhs.ref(), sides.lhs.batch); ++b) {
    const int64_t column_start = b * sum_count * column_count;
    MultiplyScaled(row_count, sum_count, column_count, rows.data() + b * row_count * sum_count,
                   columns.data() + column_start, scales.data() + column_start,
                   out.data() + b * row_count * column_count);
  }
  T* result = View<T>(e.result()).data();
  for (size_t i = 0; i < out.size(); ++i) result[i] = static_cast<T>(out[i]);
}

// `copies` of both operands and one of the result as carriers, behind converted operands.
double CarrierCopies(const OpView& op, double copies) {
  const Shape& lhs = op.operand_shape(0);
  const Shape& rhs = op.operand_shape(1);
  const Shape& result = *op.written_shape();
  const double carrier_size = DispatchElementType<kAnyArray>(
      result.element_type(),
      [&]<typename T>() { return static_cast<double>(sizeof(CarrierOf<T>)); });
  return ConvertedByteSize(lhs, result.element_type()) +
         ConvertedByteSize(rhs, result.element_type()) +
         carrier_size * (copies * (SizeProduct(lhs.dims()) + SizeProduct(rhs.dims())) +
                         SizeProduct(result.dims()));
}

}  // namespace

// The operands packed, and the terms of one group of both.
double RaggedDotScratch(const OpView& op) { return CarrierCopies(op, 2); }

// The operands packed, and each with its scale while that is expanded and packed.
double ScaledDotScratch(const OpView& op) { return CarrierCopies(op, 4); }

absl::Status EvalRaggedDot(Evaluation& e) {
  const DotSides sides(e.op());
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  DispatchElementType<kAnyArray>(e.result().element_type,
                                 [&]<typename T>() { RaggedDot<T>(e, sides); });
  return absl::OkStatus();
}

absl::Status EvalScaledDot(Evaluation& e) { return ScaledDotInto(e, DotSides(e.op())); }

absl::Status ScaledDotInto(Evaluation& e, const DotSides& sides) {
  HLO_RETURN_IF_ERROR(sides.CheckSizes(e));
  for (size_t k : {0, 1}) HLO_RETURN_IF_ERROR(CheckScale(e.operand(k), ScaleAt(e, k + 2)));
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(sides.ResultDims(e))));
  DispatchElementType<kAnyArray>(e.result().element_type,
                                 [&]<typename T>() { ScaledDot<T>(e, sides); });
  return absl::OkStatus();
}

}  // namespace hlo::reference

// dot of complex numbers (semantics.md 10.1), in one of three ways:
//   small products   many 3x3 matrices, say: by loops of their own
//   few rows         the parts of a number are two rows, which the parts of the columns multiply
//                    as they lie; four real products make a complex one then
//   others           columns are expanded (complex_product.h)
// Infinite factors, whose products are more than that, give results that are not finite in each of
// them: then the reference kernel has the step.
#include "interp/simd/product/complex_dot.h"

#include <atomic>
#include <complex>
#include <memory>

#include "interp/reference/eval.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/product/are_finite.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/complex_product.h"
#include "interp/simd/product/dot.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kFewRows = 8;
constexpr int64_t kSmallWork = 512;  // products
constexpr int64_t kFewColumns = 4, kFewTerms = 16;
// Columns that are worth a product of their own, and so many that several threads may want some.
constexpr int64_t kLongLine = 16, kTooLongLine = int64_t{1} << 14;
constexpr int64_t kPartWork = int64_t{1} << 17;   // products: some 50 us
constexpr int64_t kEntryWork = 16;                // that take as long as it does to begin with one
constexpr int64_t kPartCount = int64_t{1} << 15;  // numbers that are copied by a part

// One dimension, if they are one or none.
std::optional<ProductDimension> OneOf(const ProductDimensions& dimensions) {
  if (dimensions.count() == 0 || dimensions.dimensions().size() > 1) return std::nullopt;
  return dimensions.dimensions().empty() ? ProductDimension{1} : dimensions.dimensions().back();
}

// How a step is done; strides of its dimensions count numbers.
struct Form {
  explicit Form(const OpView& op) : Form(ShapeOf(op)) {}

  bool is_small() const { return small_batch.has_value(); }
  bool has_few_rows() const {
    return !is_small() && product.rows.count() <= kFewRows && !HasDenseTerms(product);
  }
  int64_t result_count() const {
    return Times(Times(product.batch.count(), product.rows.count()), product.columns.count());
  }
  size_t row_operand() const { return is_swapped ? 1 : 0; }
  size_t column_operand() const { return is_swapped ? 0 : 1; }

  // The parts of rows by the parts of columns, [batch, row, part, column, part].
  ProductShape OfRowParts() const {
    return {InParts(product.batch, {0, 2, 2, 4}),
            WithInner(InParts(product.rows, {0, 2, 0, 4}), {2, 1, 0, 2 * product.columns.count()}),
            InParts(product.sum, {0, 2, 2, 0}),
            WithInner(InParts(product.columns, {0, 0, 2, 2}), {2, 0, 1, 1})};
  }
  bool is_swapped;
  ProductShape product;
  // Of small products: what they are many of, and one of them.
  std::optional<ProductDimensions> small_batch;
  ProductDimension small_row{1}, small_sum{1}, small_column{1};
  bool are_small_dense = true;  // in the result, one behind the other

 private:
  // A matrix and a vector may change places; what is more than a row lies otherwise in the result.
  static DotShape ShapeOf(const OpView& op) {
    DotShape shape(op, OwnPlaces(op));
    if (shape.is_swapped && shape.product.rows.count() != 1) shape.Swap();
    const ProductShape& product = shape.product;
    // The vector is what is expanded.
    if (product.rows.count() == 1 && product.columns.count() > 1 && product.sum.IsDense(kInRows) &&
        product.sum.IsDense(kInColumns)) {
      shape.Swap();
    }
    return shape;
  }

  explicit Form(DotShape shape) : is_swapped(shape.is_swapped), product(std::move(shape.product)) {
    const auto row = OneOf(product.rows), sum = OneOf(product.sum);
    const auto column = OneOf(product.columns);
    if (!row || !sum || product.batch.count() == 0) return;
    small_sum = *sum;
    if (row->size <= kFewRows && sum->size <= kFewTerms && FindLines()) {
      small_row = *row;
      return;
    }
    if (!column) return;
    small_column = *column;
    const int64_t work = Times(Times(row->size, sum->size), column->size);
    if (product.batch.count() == 1) {
      if (row->size > kFewRows && column->size <= kFewColumns && sum->size <= kFewTerms) {
        small_batch = product.rows;
      }
    } else if (work <= kSmallWork) {
      small_batch = product.batch;
      small_row = *row;
    }
  }

  // Few rows of few terms by lines of columns, as a gate by the states of some qubits: each line is
  // a product.
  bool FindLines() {
    const auto& columns = product.columns.dimensions();
    if (columns.empty()) return false;
    const ProductDimension& line = columns.back();
    if (line.size < kLongLine || line.size > kTooLongLine || line.column_stride != 1 ||
        line.out_stride != 1) {
      return false;
    }
    small_column = line;
    small_batch = product.batch;
    for (size_t d = 0; d + 1 < columns.size(); ++d) small_batch->Add(columns[d]);
    are_small_dense = false;
    return true;
  }
};

template <typename T>
class ComplexDotState final : public KernelState {
 public:
  ComplexDotState(const OpView& op, Form form)
      : form(std::move(form)),
        expanded(this->form.product, ColumnCount(op, this->form)),
        product(this->form.has_few_rows() ? this->form.OfRowParts()
                                          : expanded.Product(this->form.product)) {}

  static int64_t ColumnCount(const OpView& op, const Form& form) {
    return ElementCount(op.operand_shape(static_cast<int64_t>(form.column_operand()))).value_or(0);
  }

  // What the columns, expanded, or the products of parts take, in Ts.
  int64_t WorkCount() const {
    if (form.is_small()) return 0;
    return form.has_few_rows() ? Times(4, form.result_count()) : expanded.part_count();
  }

  Form form;
  ExpandedColumns expanded;
  MatrixProduct<T> product;
};

template <typename T>
const T* PartsOf(const Evaluation& e, size_t operand) {
  return reinterpret_cast<const T*>(e.operand(operand).bytes);
}

// Whether the results of an entry are finite.
template <typename T>
bool AreRowsFinite(const SmallProducts<T>& entry) {
  for (int64_t r = 0; r < entry.row.size; ++r) {
    if (!AreFinite(entry.out + 2 * r * entry.row.out_stride, 2 * entry.column.size)) return false;
  }
  return true;
}

// Each part looks at its results while they are in the caches.
template <typename T>
absl::StatusOr<bool> RunSmall(Evaluation& e, const Form& form) {
  const ProductDimensions& batch = *form.small_batch;
  ProductDimension inner{1};
  if (form.are_small_dense) inner = batch.dimensions().back();
  SmallProducts<T> products;
  products.row = form.small_row;
  products.sum = form.small_sum;
  products.column = form.small_column;
  const int64_t size = products.row.size * products.column.size;
  const int64_t per_part =
      std::max<int64_t>(1, kPartWork / (size * products.sum.size + kEntryWork));
  const T* rows = PartsOf<T>(e, form.row_operand());
  const T* columns = PartsOf<T>(e, form.column_operand());
  T* out = reinterpret_cast<T*>(e.result().bytes);
  std::atomic<bool> are_finite = true;
  HLO_RETURN_IF_ERROR(ForEachPart(e.device(), CeilDiv(batch.count(), per_part), [&](int64_t part) {
    SmallProducts<T> some = products;
    const int64_t begin = part * per_part, end = std::min(batch.count(), begin + per_part);
    for (int64_t i = begin; i < end; i += some.batch.size) {
      some.batch = inner;
      some.batch.size = std::min(inner.size - i % inner.size, end - i);
      some.rows = rows + 2 * batch.Offset(i, kInRows);
      some.columns = columns + 2 * batch.Offset(i, kInColumns);
      some.out = out + 2 * batch.Offset(i, kInOut);
      GetMatrixKernels<T>().multiply_small_complex(some);
      if (!form.are_small_dense && !AreRowsFinite(some)) are_finite = false;
    }
    if (form.are_small_dense && !AreFinite(out + 2 * begin * size, 2 * (end - begin) * size)) {
      are_finite = false;
    }
  }));
  return are_finite.load();
}

// (a + ib) (c + id) from a c, a d and b c, b d.
template <typename T>
absl::StatusOr<bool> RunFewRows(Evaluation& e, const ComplexDotState<T>& state) {
  const Form& form = state.form;
  const ScratchArray<T> products(e.device().scratch(), state.WorkCount());
  HLO_RETURN_IF_ERROR(state.product.Run(
      e.device(), {PartsOf<T>(e, form.row_operand())}, {PartsOf<T>(e, form.column_operand())},
      nullptr, kCarrierType<T>, reinterpret_cast<std::byte*>(products.get())));
  const int64_t width = form.product.columns.count();
  T* out = reinterpret_cast<T*>(e.result().bytes);
  const int64_t parts = CeilDiv(width, kPartCount);
  const int64_t rows_of_part = std::max<int64_t>(1, kPartCount / std::max<int64_t>(1, width));
  const int64_t row_count = width == 0 ? 0 : form.result_count() / width;
  std::atomic<bool> are_finite = true;
  HLO_RETURN_IF_ERROR(
      ForEachPart(e.device(), CeilDiv(row_count, rows_of_part) * parts, [&](int64_t part) {
        const int64_t begin = part % parts * kPartCount, end = std::min(width, begin + kPartCount);
        const int64_t first_row = part / parts * rows_of_part;
        for (int64_t r = first_row; r < std::min(row_count, first_row + rows_of_part); ++r) {
          const T* by_real = products.get() + 4 * r * width;
          const T* by_imaginary = by_real + 2 * width;
          T* to = out + 2 * r * width;
          for (int64_t i = 2 * begin; i < 2 * end; i += 2) {
            to[i] = by_real[i] - by_imaginary[i + 1];
            to[i + 1] = by_real[i + 1] + by_imaginary[i];
          }
          if (!AreFinite(to + 2 * begin, 2 * (end - begin))) are_finite = false;
        }
      }));
  return are_finite.load();
}

template <typename T>
absl::StatusOr<bool> RunExpanded(Evaluation& e, const ComplexDotState<T>& state) {
  const Form& form = state.form;
  const ScratchArray<T> columns(e.device().scratch(), state.expanded.part_count());
  HLO_RETURN_IF_ERROR(
      state.expanded.Expand(e.device(), PartsOf<T>(e, form.column_operand()), columns.get()));
  HLO_RETURN_IF_ERROR(state.product.Run(e.device(), {PartsOf<T>(e, form.row_operand())},
                                        {columns.get()}, nullptr, kCarrierType<T>,
                                        e.result().bytes));
  return AreFiniteInParts(e.device(), reinterpret_cast<const T*>(e.result().bytes),
                          2 * form.result_count());
}

template <typename T>
absl::Status Run(Evaluation& e) {
  const auto& state = e.state<ComplexDotState<T>>();
  HLO_ASSIGN_OR_RETURN(const bool are_finite, state.form.is_small() ? RunSmall<T>(e, state.form)
                                              : state.form.has_few_rows() ? RunFewRows(e, state)
                                                                          : RunExpanded(e, state));
  return are_finite ? absl::OkStatus() : e.RunInstead(reference::FindKernel(Opcode::kDot));
}

template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  return std::make_unique<ComplexDotState<T>>(e.op(), Form(e.op()));
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  const ComplexDotState<T> state(op, Form(op));
  if (state.form.is_small()) return ScratchWithReference(op, 0);
  const int64_t product = state.product.ScratchByteSize(kCarrierType<T>, /*widens_rows=*/false);
  const int64_t work = Times(state.WorkCount(), static_cast<int64_t>(sizeof(T)));
  return ScratchWithReference(op, CheckedAdd(work, product).value_or(INT64_MAX));
}

template <typename T>
constexpr Kernel kComplexDotKernel = {.run = Run<T>,
                                      .prepare = Prepare<T>,
                                      .scratch_byte_size = ScratchByteSize<T>,
                                      .state_byte_size = [](const OpView& op, IsFixedOperand f) {
                                        return StateWithReference(op, f, 0);
                                      }};

}  // namespace

const Kernel* FindComplexDotKernel(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  if (!IsComplex(type)) return nullptr;
  for (const Shape* shape : {op.written_shape(), &op.operand_shape(0), &op.operand_shape(1)}) {
    if (shape->element_type() != type || shape->HasDynamicDim()) return nullptr;
    // Strides count parts.
    if (ElementCount(*shape).value_or(INT64_MAX) > INT64_MAX / 16) return nullptr;
  }
  return type == ElementType::kC64 ? &kComplexDotKernel<float> : &kComplexDotKernel<double>;
}

}  // namespace hlo::simd

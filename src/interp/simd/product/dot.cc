// dot (semantics.md 10.1): operands are converted to the result's type, summed in its carrier,
// rounded once. Sums take another order than in the reference kernel.
#include "interp/simd/product/dot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/reference/dot_sides.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/carrier_conversion.h"
#include "interp/simd/product/complex_dot.h"
#include "interp/simd/product/tile_product.h"
#include "interp/simd/simd.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

ElementType ResultType(const OpView& op) { return op.written_shape()->element_type(); }

bool TakesFewLines(const DotShape& shape, const std::array<OperandPlace, 2>& places) {
  return TileElementsOf(places[0].type, places[1].type) &&
         TileProduct::TakesFewLines(shape.product, places[0].type);
}

// Of few lines and many matrix registers take the few as rows, or as columns, whatever vectors do.
DotShape ShapeFor(const OpView& op, const std::array<OperandPlace, 2>& places) {
  if (!HasMatrixRegisters()) return DotShape(op, places);
  DotShape shape(op, places, /*may_swap=*/false);
  if (!TakesFewLines(shape, places)) return DotShape(op, places);
  if (TileProduct::WantsSwap(shape.product, places[0].type)) shape.Swap();
  return shape;
}

// The two ways to make a product: with vectors, or in matrix registers where there are any.
template <typename T>
struct DotProduct {
  DotProduct(const OpView& op, const std::array<OperandPlace, 2>& places)
      : DotProduct(op, places, ShapeFor(op, places)) {}

  bool HasPackedForm() const { return tiles.has_value() || vectors.HasPackedForm(); }
  int64_t PackedByteSize() const {
    return tiles ? tiles->PackedByteSize() : vectors.PackedSize() * static_cast<int64_t>(sizeof(T));
  }
  size_t row_operand() const { return is_swapped ? 1 : 0; }
  size_t column_operand() const { return is_swapped ? 0 : 1; }
  // Whether parts convert elements of the operand, if these are no carriers.
  bool Converts(size_t operand) const {
    if (tiles) return false;
    return operand == column_operand() ? vectors.ConvertsColumns() : vectors.ConvertsRows();
  }

  // What a run does without packed columns.
  const MatrixProduct<T>& Unpacked() const { return reading ? *reading : vectors; }

  bool is_swapped;
  MatrixProduct<T> vectors;
  std::optional<MatrixProduct<T>> reading;  // columns that change as they lie, instead of `vectors`
  std::optional<TileProduct> tiles;

 private:
  DotProduct(const OpView& op, const std::array<OperandPlace, 2>& places, const DotShape& shape)
      : is_swapped(shape.is_swapped), vectors(shape.product) {
    const bool has_few_lines = TakesFewLines(shape, places);
    if (vectors.HasPackedForm() || has_few_lines) {
      tiles = TileProduct::Make(shape.product, places[row_operand()].type,
                                places[column_operand()].type, ResultType(op),
                                has_few_lines ? 1 : kTileLines);
    }
    if (!tiles && vectors.HasPackedForm() && MatrixProduct<T>::ReadsColumns(shape.product)) {
      reading.emplace(shape.product, INT64_MAX, ProductMode::kWide);
    }
  }
};

template <typename T>
class DotState final : public KernelState {
 public:
  DotState(const OpView& op, const std::array<OperandPlace, 2>& places) : product(op, places) {
    for (size_t i = 0; i < 2; ++i) offsets[i] = places[i].offset;
    is_inner_product = product.vectors.IsInnerProduct() && IsCarrier<T>(ResultType(op)) &&
                       IsCarrier<T>(places[0].type) && IsCarrier<T>(places[1].type);
  }

  // Where an operand begins in its array.
  int64_t Offset(const Evaluation& e, size_t operand) const {
    const auto* program = static_cast<const DotProgram*>(e.program());
    return offsets[operand] +
           (program == nullptr ? 0 : OffsetOf(program->starts(operand), e.operands()));
  }

  DotProduct<T> product;
  bool is_inner_product;                // of arrays as they are
  std::array<int64_t, 2> offsets = {};  // the parts of these that the plan knows
  AlignedMemory packed;                 // the columns, when they are the same in all runs

  const T* packed_vectors() const { return reinterpret_cast<const T*>(packed.get()); }
};

// The array of an operand from where the product begins to read it.
const std::byte* BytesOf(const Evaluation& e, size_t operand, int64_t offset) {
  const ArrayRef& array = e.operand(operand);
  return array.bytes + offset * ElementByteSize(array.element_type);
}

template <typename T>
absl::Status PackColumns(Evaluation& e, DotState<T>& state) {
  const size_t columns = state.product.column_operand();
  state.packed = AlignedMemory(state.product.PackedByteSize());
  if (state.product.tiles) {
    return state.product.tiles->Pack(e.device(), BytesOf(e, columns, state.Offset(e, columns)),
                                     state.packed.get());
  }
  HLO_ASSIGN_OR_RETURN(
      const CarrierArray<T> array,
      CarrierArray<T>::MakeForProduct(e.device(), e.operand(columns), e.result().element_type));
  return state.product.vectors.Pack(e.device(), array.product_data() + state.Offset(e, columns),
                                    reinterpret_cast<T*>(state.packed.get()));
}

template <typename T>
absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
  const auto* program = static_cast<const DotProgram*>(e.program());
  auto state = std::make_unique<DotState<T>>(
      e.op(), program == nullptr ? OwnPlaces(e.op()) : program->places());
  const size_t columns = state->product.column_operand();
  const bool are_fixed =
      e.IsFixed(columns) && (program == nullptr || program->starts(columns).empty());
  if (are_fixed && state->product.HasPackedForm()) {
    HLO_RETURN_IF_ERROR(PackColumns(e, *state));
  }
  return state;
}

template <typename T>
absl::Status RunInnerProduct(Evaluation& e, const DotState<T>& state) {
  const auto elements = [&](size_t operand) {
    return reinterpret_cast<const T*>(e.operand(operand).bytes) + state.Offset(e, operand);
  };
  state.product.vectors.RunInnerProduct(elements(state.product.row_operand()),
                                        elements(state.product.column_operand()),
                                        reinterpret_cast<T*>(e.result().bytes));
  return RunEpilogue(e);
}

template <typename T>
absl::Status Run(Evaluation& e) {
  const DotState<T>& state = e.state<DotState<T>>();
  if (state.is_inner_product) return RunInnerProduct(e, state);
  const ElementType type = e.result().element_type;
  const size_t row_operand = state.product.row_operand();
  const size_t column_operand = state.product.column_operand();
  const int64_t row_offset = state.Offset(e, row_operand);
  const int64_t column_offset = state.Offset(e, column_operand);
  if (state.product.tiles) {
    return RunWithEpilogue(e, *state.product.tiles, BytesOf(e, row_operand, row_offset),
                           BytesOf(e, column_operand, column_offset), state.packed.get());
  }
  HLO_ASSIGN_OR_RETURN(const CarrierArray<T> rows,
                       CarrierArray<T>::MakeForProduct(e.device(), e.operand(row_operand), type,
                                                       state.product.Converts(row_operand)));
  if (state.packed.get() != nullptr) {
    return RunWithEpilogue<T>(e, state.product.vectors, rows.product_data() + row_offset, {},
                              state.packed_vectors());
  }
  HLO_ASSIGN_OR_RETURN(const CarrierArray<T> columns,
                       CarrierArray<T>::MakeForProduct(e.device(), e.operand(column_operand), type,
                                                       state.product.Converts(column_operand)));
  return RunWithEpilogue<T>(e, state.product.Unpacked(), rows.product_data() + row_offset,
                            columns.product_data() + column_offset, nullptr);
}

// A slice at a place that a run computes is read where it lies if its elements are used no more
// often than this: for others a copy is nothing beside the product, which the library may make.
constexpr int64_t kFewUses = 16;

// Of the operand that is packed, so that packing is little beside the product.
constexpr int64_t kFewPackedLines = 64;

// How often an element of an operand is a factor: once for each row of the other one.
int64_t UsesOfElement(const OpView& op, size_t operand) {
  const reference::DotSides sides(op);
  const int64_t other = operand == 0 ? 1 : 0;
  int64_t uses = 1;
  for (int64_t d : other == 0 ? sides.lhs.free : sides.rhs.free) {
    uses *= op.operand_shape(other).dim(d);
  }
  return uses;
}

// Whether products take arrays of `type` as they are.
bool IsReadInPlace(ElementType type, ElementType result_type) {
  return DispatchCarrier(result_type, [&]<typename T>() {
    return (IsCarrier<T>(type) && IsCarrier<T>(result_type)) || IsNarrow<T>(type, result_type);
  });
}

OperandForm FormOf(ElementType type, ElementType result_type) {
  if (!IsReadInPlace(type, result_type)) return OperandForm::kConverted;
  return type == ElementType::kBf16 ? OperandForm::kNarrow : OperandForm::kCarriers;
}

// Converted operands and a packed entry, or what matrix registers want packed.
template <typename T>
int64_t ScratchFor(const OpView& op, const std::array<OperandPlace, 2>& places) {
  const DotProduct<T> product(op, places);
  if (product.tiles) return product.tiles->ScratchByteSize();
  int64_t byte_size = 0;
  for (size_t i = 0; i < 2; ++i) {
    byte_size += CarrierArray<T>::ByteSizeForProduct(op.operand_shape(static_cast<int64_t>(i)),
                                                     ResultType(op), product.Converts(i));
  }
  const size_t rows = product.row_operand(), columns = product.column_operand();
  const ElementType type = ResultType(op);
  const auto converts = [&](size_t operand) {
    return product.Converts(operand) && !IsReadInPlace(places[operand].type, type);
  };
  const auto stored_type = [&](size_t operand) {
    return CarrierArray<T>::StoredTypeForProduct(places[operand].type, type,
                                                 product.Converts(operand));
  };
  const auto scratch_of = [&](const MatrixProduct<T>& some) {
    if (some.HasLineProducts(stored_type(rows), stored_type(columns))) {
      return some.ScratchByteSize(type, /*widens_rows=*/false);
    }
    return some.ScratchByteSize(type, IsNarrow<T>(places[rows].type, type) || converts(rows),
                                converts(columns));
  };
  const int64_t product_byte_size =
      std::max(scratch_of(product.vectors), scratch_of(product.Unpacked()));
  return CheckedAdd(byte_size, product_byte_size).value_or(INT64_MAX);
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  return ScratchFor<T>(op, OwnPlaces(op));
}

// Packed columns that are always the same.
template <typename T>
int64_t StateFor(const OpView& op, const std::array<OperandPlace, 2>& places,
                 IsFixedOperand is_fixed) {
  const DotProduct<T> product(op, places);
  return is_fixed(product.column_operand()) && product.HasPackedForm() ? product.PackedByteSize()
                                                                       : 0;
}

template <typename T>
int64_t StateByteSize(const OpView& op, IsFixedOperand is_fixed) {
  return StateFor<T>(op, OwnPlaces(op), is_fixed);
}

template <typename T>
constexpr Kernel kDotKernel = {.run = Run<T>,
                               .prepare = Prepare<T>,
                               .scratch_byte_size = ScratchByteSize<T>,
                               .state_byte_size = StateByteSize<T>};

}  // namespace

std::array<OperandPlace, 2> OwnPlaces(const OpView& op) {
  const auto place_of = [&](int64_t i) {
    const Shape& shape = op.operand_shape(i);
    return OperandPlace{0, DenseStridesOf(shape), shape.element_type()};
  };
  return {place_of(0), place_of(1)};
}

DotShape::DotShape(const OpView& op, const std::array<OperandPlace, 2>& places, bool may_swap) {
  const reference::DotSides sides(op);
  const auto stride = [&](size_t operand, int64_t d) {
    return places[operand].strides[static_cast<size_t>(d)];
  };
  const auto lhs_dim = [&](int64_t d) { return op.operand_shape(0).dim(d); };
  const auto rhs_dim = [&](int64_t d) { return op.operand_shape(1).dim(d); };
  const Index result_strides = reference::DenseStrides(op.written_shape()->dims());
  size_t next = 0;
  for (size_t i = 0; i < sides.lhs.batch.size(); ++i) {
    const int64_t l = sides.lhs.batch[i];
    product.batch.Add(
        {lhs_dim(l), stride(0, l), stride(1, sides.rhs.batch[i]), result_strides[next++]});
  }
  for (int64_t d : sides.lhs.free) {
    product.rows.Add({lhs_dim(d), stride(0, d), 0, result_strides[next++]});
  }
  for (int64_t d : sides.rhs.free) {
    product.columns.Add({rhs_dim(d), 0, stride(1, d), result_strides[next++]});
  }
  for (size_t i = 0; i < sides.lhs.contracting.size(); ++i) {
    const int64_t l = sides.lhs.contracting[i];
    product.sum.Add({lhs_dim(l), stride(0, l), stride(1, sides.rhs.contracting[i]), 0});
  }
  product.sum.SortForRows();
  product.form =
      std::max(FormOf(places[0].type, ResultType(op)), FormOf(places[1].type, ResultType(op)));
  if (may_swap && HasBetterRows()) Swap();
}

// Whether what are columns had better be rows. Few columns, if those that are columns then lie side
// by side or are summed in lanes, for columns are what is read once (wide_columns-inl.h). Where
// there are too many for that, but few all the same, they are what is packed, beside which it is
// nothing to read rows as they lie.
bool DotShape::HasBetterRows() const {
  const int64_t row_count = product.rows.count(), column_count = product.columns.count();
  const bool are_sums_dense = product.sum.IsDense(&ProductDimension::row_stride) &&
                              product.sum.IsDense(&ProductDimension::column_stride);
  if (!are_sums_dense) {
    if (row_count < kMaxWideRows || column_count >= row_count) return false;
    if (MatrixProduct<float>::ReadsManyColumns(Turned(product))) return true;
    // Lines of a few rows of bf16 are pieces of the cache's.
    const int64_t most_columns =
        product.form == OperandForm::kNarrow ? 2 * kMaxWideRows : kMaxWideRows - 1;
    const int64_t least_run = std::min(row_count, GetMatrixKernels<float>().panel_width);
    return column_count <= most_columns &&
           product.rows.RunSize(&ProductDimension::row_stride) >= least_run;
  }
  if (column_count == 1) return row_count >= kMaxWideRows;
  if (product.form == OperandForm::kConverted) return false;
  if (std::max(row_count, column_count) <= kMaxDotLines) return false;
  const int64_t most_dot_lines =
      GetMatrixKernels<float>().MostDotLines(product.form, product.sum.count());
  if (column_count <= most_dot_lines) return column_count < row_count;
  return row_count > most_dot_lines && row_count <= kFewPackedLines && row_count < column_count;
}

void DotShape::Swap() {
  is_swapped = !is_swapped;
  product = Turned(product);
}

std::shared_ptr<DotProgram> DotProgram::MakePlain(const Plan& plan, const Step& step) {
  const Kernel* kernel = FindKernel(plan, step);
  const OpView op(*plan.module, plan.instruction(step));
  if (kernel == nullptr || IsComplex(ResultType(op))) return nullptr;
  auto program = std::make_shared<DotProgram>(op, step.instruction);
  program->kernel_ = kernel;
  program->places_ = OwnPlaces(op);
  program->operands_.assign(step.operands.begin(), step.operands.begin() + 2);
  return program;
}

void DotProgram::FindScratch() {
  scratch_byte_size_ =
      DispatchCarrier(ResultType(op_), [&]<typename T>() { return ScratchFor<T>(op_, places_); });
}

std::shared_ptr<const DotProgram> DotProgram::Make(const Plan& plan, const Step& step) {
  auto program = MakePlain(plan, step);
  if (program != nullptr) program->FindScratch();
  return program;
}

void DotProgram::ReadFrom(const Source& source, ElementType type, size_t i) {
  operands_[i] = source.array;
  places_[i].type = type;
  is_own_[i] = false;
  if (source.read == nullptr) return;
  operands_[i] = source.read->source;
  places_[i].offset = source.read->offset;
  places_[i].strides = source.read->strides;
  for (const IndexedRead::Start& start : source.read->starts) {
    starts_[i].push_back({std::ssize(operands_), start.element, start.last, start.stride});
    operands_.push_back(start.slot);
  }
}

// Whether parts of the product convert the elements of the operand.
bool DotProgram::Converts(size_t i) const {
  return DispatchCarrier(ResultType(op_),
                         [&]<typename T>() { return DotProduct<T>(op_, places_).Converts(i); });
}

// Whether that is so of all operands that lie in another type than the dot's: where they lie says
// how the product goes.
bool DotProgram::ConvertsInParts() const {
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = op_.operand_shape(static_cast<int64_t>(i));
    if (places_[i].type != shape.element_type() && !Converts(i)) return false;
  }
  return true;
}

// `from`: the shape of the source's array, or of what its read shows of that.
bool DotProgram::CanRead(const Source& source, const Shape& from, size_t i) const {
  const Shape& shape = op_.operand_shape(static_cast<int64_t>(i));
  const bool has_few_uses = UsesOfElement(op_, i) <= kFewUses;
  if (const IndexedRead* read = source.read) {
    if (read->is_counter || !read->pieces.empty() ||
        !std::ranges::equal(read->dims, shape.dims()) || (!read->starts.empty() && !has_few_uses)) {
      return false;
    }
  }
  if (source.is_converted) {
    // Otherwise the conversion is nothing beside the product.
    return has_few_uses && Converts(i) && HoldsAll(shape.element_type(), from.element_type());
  }
  // What has to be converted first is smaller than what it is read from.
  return IsReadInPlace(shape.element_type(), ResultType(op_));
}

std::shared_ptr<const DotProgram> DotProgram::Make(const Plan& plan, const Step& step,
                                                   const std::array<Source, 2>& sources) {
  auto program = MakePlain(plan, step);
  if (program == nullptr) return nullptr;
  for (size_t i = 0; i < 2; ++i) {
    if (sources[i].is_operand()) continue;
    const Shape& from = *plan.slot(sources[i].array).shape;
    if (program->CanRead(sources[i], from, i)) {
      program->ReadFrom(sources[i], from.element_type(), i);
    }
  }
  if (program->is_own_[0] && program->is_own_[1]) return nullptr;
  if (!program->ConvertsInParts()) {
    std::array<Source, 2> unconverted = sources;
    for (size_t i = 0; i < 2; ++i) {
      if (sources[i].is_converted) unconverted[i] = {.array = step.operands[i]};
    }
    return Make(plan, step, unconverted);
  }
  program->FindScratch();
  return program;
}

std::shared_ptr<const StepProgram> DotProgram::With(Epilogue epilogue) const {
  auto program = std::make_shared<DotProgram>(*this);
  program->epilogue_ = std::move(epilogue);
  return program;
}

int64_t DotProgram::StateByteSize(IsFixedOperand is_fixed) const {
  const auto is_kept = [&](size_t i) { return i < 2 && starts_[i].empty() && is_fixed(i); };
  return DispatchCarrier(ResultType(op_),
                         [&]<typename T>() { return StateFor<T>(op_, places_, is_kept); });
}

std::string DotProgram::Text() const {
  std::string text;
  for (size_t i = 0; i < 2; ++i) {
    if (is_own_[i]) continue;
    fmt::format_to(std::back_inserter(text), ", operand {} by strides {{{}}}", i,
                   fmt::join(places_[i].strides, ","));
    const ElementType type = op_.operand_shape(static_cast<int64_t>(i)).element_type();
    if (places_[i].type != type) text += fmt::format(" of {}", ElementTypeName(places_[i].type));
    if (places_[i].offset != 0) {
      fmt::format_to(std::back_inserter(text), " from {}", places_[i].offset);
    }
    if (!starts_[i].empty()) text += " from where a run says";
  }
  return text;
}

const Kernel* FindDotKernel(const OpView& op) {
  if (op.operand_count() != 2) return nullptr;  // sparse
  if (const Kernel* kernel = FindComplexDotKernel(op)) return kernel;
  const ElementType type = ResultType(op);
  const auto is_plain = [](const Shape& shape) {
    return !shape.HasDynamicDim() && !IsComplex(shape.element_type());
  };
  if (!is_plain(*op.written_shape()) || !is_plain(op.operand_shape(0)) ||
      !is_plain(op.operand_shape(1))) {
    return nullptr;
  }
  // Of as many true products their count would be 0.
  if (type == ElementType::kPred &&
      ElementCount(op.operand_shape(0)).value_or(INT64_MAX) > UINT32_MAX) {
    return nullptr;
  }
  return DispatchCarrier(type, []<typename T>() -> const Kernel* { return &kDotKernel<T>; });
}

}  // namespace hlo::simd

// ragged-dot (semantics.md 10.2). Seen without its groups it is a product of strided arrays
// (matrix_product.h). What groups there are says a run: each of them takes some rows of an entry of
// the batch and columns of its own, or some terms and a result of its own, or there are entries of
// the batch that none takes. All of these are ranges of the product, which are cut into bands of
// rows and some columns each: those are the parts. What no group takes is a sum of no terms. The
// terms of groups along one of several contracting dimensions are packed first (ragged_terms.h).
#include "interp/simd/product/ragged_dot.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/dot_sides.h"
#include "interp/reference/eval.h"
#include "interp/reference/group_sizes.h"
#include "interp/reference/scratch.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/matrix_product.h"
#include "interp/simd/product/ragged_terms.h"
#include "interp/simd/product/wide_rows.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kFewRows = 16;                      // that columns are not packed for
constexpr int64_t kMostColumns = 512;                 // of a part
constexpr int64_t kMostPartWork = int64_t{1} << 28;   // products: some 10 ms
constexpr int64_t kLeastPartWork = int64_t{1} << 16;  // products

// What the ragged dimension is to the product.
enum class RaggedRole : uint8_t { kRow, kTerm, kBatch };

// The dimensions of a ragged-dot without those of groups.
struct RaggedShape {
  explicit RaggedShape(const OpView& op);

  ProductShape product;
  RaggedRole role = RaggedRole::kRow;
  // Of the role's indexes, those of dimensions before the ragged one, its own, and behind it.
  int64_t outer = 1, length = 1, inner = 1;
  int64_t group_count = 0;
  int64_t rhs_group_stride = 0;  // kRow: elements
  int64_t out_group_stride = 0;  // kTerm: the same
  // Of terms that have to be packed, in the operands as they are; `product` is of packed ones then.
  std::optional<RaggedTermsForm> terms;
};

RaggedShape::RaggedShape(const OpView& op) {
  const reference::DotSides sides(op);
  const Shape &lhs = op.operand_shape(0), &rhs = op.operand_shape(1);
  const Index lhs_strides = reference::DenseStrides(lhs.dims());
  const Index rhs_strides = reference::DenseStrides(rhs.dims());
  const auto at = [](int64_t d) { return static_cast<size_t>(d); };
  const int64_t ragged_dim = op.Get<Attr::kLhsRaggedDims>()[0];
  const std::span<const int64_t> groups = op.Get<Attr::kRhsGroupDims>();
  group_count = op.operand_shape(2).dims().back();
  if (!groups.empty()) rhs_group_stride = rhs_strides[at(groups[0])];

  Index columns;
  for (int64_t d : sides.rhs.free) {
    if (std::ranges::find(groups, d) == groups.end()) columns.push_back(d);
  }
  const auto is_ragged = [&](const Index& dimensions) {
    return std::ranges::find(dimensions, ragged_dim) != dimensions.end();
  };
  const Index* ragged_role = &sides.lhs.free;
  if (is_ragged(sides.lhs.contracting)) {
    role = RaggedRole::kTerm;
    ragged_role = &sides.lhs.contracting;
  } else if (is_ragged(sides.lhs.batch)) {
    role = RaggedRole::kBatch;
    ragged_role = &sides.lhs.batch;
  }
  bool is_behind = false;
  for (int64_t d : *ragged_role) {
    int64_t& count = d == ragged_dim ? length : is_behind ? inner : outer;
    count *= lhs.dim(d);
    is_behind |= d == ragged_dim;
  }

  // The result's dimensions, but for that of the groups, from the last one on.
  int64_t out_stride = 1;
  const auto out_strides = [&](const Shape& shape, const Index& dimensions) {
    Index strides(dimensions.size());
    for (size_t i = dimensions.size(); i-- > 0;) {
      strides[i] = out_stride;
      out_stride *= shape.dim(dimensions[i]);
    }
    return strides;
  };
  const Index column_strides = out_strides(rhs, columns);
  const Index row_strides = out_strides(lhs, sides.lhs.free);
  const Index batch_strides = out_strides(lhs, sides.lhs.batch);
  out_group_stride = role == RaggedRole::kTerm ? out_stride : 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    product.columns.Add({rhs.dim(columns[i]), 0, rhs_strides[at(columns[i])], column_strides[i]});
  }
  for (size_t i = 0; i < sides.lhs.free.size(); ++i) {
    const int64_t d = sides.lhs.free[i];
    product.rows.Add({lhs.dim(d), lhs_strides[at(d)], 0, row_strides[i]});
  }
  for (size_t i = 0; i < sides.lhs.batch.size(); ++i) {
    const int64_t d = sides.lhs.batch[i];
    product.batch.Add(
        {lhs.dim(d), lhs_strides[at(d)], rhs_strides[at(sides.rhs.batch[i])], batch_strides[i]});
  }
  for (size_t i = 0; i < sides.lhs.contracting.size(); ++i) {
    const int64_t d = sides.lhs.contracting[i];
    product.sum.Add({lhs.dim(d), lhs_strides[at(d)], rhs_strides[at(sides.rhs.contracting[i])], 0});
  }
  if (role == RaggedRole::kTerm && (outer != 1 || inner != 1)) {
    terms = {product, outer, length, inner, group_count};
    product = terms->Packed();
  }
}

template <typename T>
class RaggedProduct {
 public:
  explicit RaggedProduct(const OpView& op);

  // False where this is no such product: several groups have the same terms.
  absl::StatusOr<bool> Run(Evaluation& e) const;
  bool MayLeaveRuns() const { return shape_.terms.has_value(); }
  double ScratchByteSize(const OpView& op) const;

 private:
  using Range = typename MatrixProduct<T>::Range;
  // Some rows of a range of the product, and which group they are in.
  struct Band {
    int64_t group;
    Range range;
  };
  using Bands = ScratchArray<Band>;

  int64_t MostBands() const;
  absl::Status Multiply(Evaluation& e, const reference::GroupSizes& groups,
                        const RaggedTerms<T>& terms, ProductData<T> lhs, ProductData<T> rhs) const;
  int64_t MakeBands(const reference::GroupSizes& groups, const RaggedTerms<T>& terms,
                    Band* bands) const;
  Band* AddBands(const Band& all, Band* next) const;
  Band* AddRows(const reference::GroupSizes& groups, Band* next) const;
  Band* AddTerms(const reference::GroupSizes& groups, Band* next) const;
  Band* AddPackedTerms(const RaggedTerms<T>& terms, Band* next) const;
  Band* AddEntries(const reference::GroupSizes& groups, Band* next) const;
  const MatrixProduct<T>& ProductOf(const Range& range) const {
    return few_rows_ && range.row_end - range.row_begin <= kFewRows ? *few_rows_ : rows_;
  }

  RaggedShape shape_;
  MatrixProduct<T> rows_;
  std::optional<MatrixProduct<T>> few_rows_;
  int64_t row_count_, column_count_, term_count_, entry_count_;
  // Of a part.
  int64_t most_columns_, most_rows_;
};

template <typename T>
RaggedProduct<T>::RaggedProduct(const OpView& op)
    : shape_(op),
      rows_(shape_.product, kMostRows),
      row_count_(shape_.product.rows.count()),
      column_count_(shape_.product.columns.count()),
      term_count_(shape_.product.sum.count()),
      entry_count_(shape_.product.batch.count()) {
  if (shape_.role == RaggedRole::kRow) few_rows_.emplace(shape_.product, kFewRows);
  const int64_t most_size = kMostPartWork / std::max<int64_t>(1, term_count_);  // of a part
  most_columns_ = std::clamp<int64_t>(most_size / kMostRows, 64, kMostColumns);
  most_rows_ = std::clamp<int64_t>(most_size / most_columns_, 8, kMostRows);
}

// --- Bands

template <typename T>
int64_t RaggedProduct<T>::MostBands() const {
  const int64_t of_entry = CeilDiv(row_count_, most_rows_);
  switch (shape_.role) {
    case RaggedRole::kRow:
      // Each group, and what is behind all of them, may end with a band that is not whole.
      return Times(entry_count_,
                   of_entry + Times(shape_.outer, std::min(shape_.group_count, shape_.length) + 2));
    case RaggedRole::kTerm:
      return Times(Times(entry_count_, shape_.group_count), of_entry);
    case RaggedRole::kBatch:
      return Times(entry_count_, of_entry);
  }
  HLO_UNREACHABLE();
}

template <typename T>
typename RaggedProduct<T>::Band* RaggedProduct<T>::AddBands(const Band& all, Band* next) const {
  for (int64_t row = all.range.row_begin; row < all.range.row_end; row += most_rows_) {
    *next = all;
    next->range.row_begin = row;
    next->range.row_end = std::min(all.range.row_end, row + most_rows_);
    ++next;
  }
  return next;
}

// Row j is in the first group that ends behind it.
template <typename T>
typename RaggedProduct<T>::Band* RaggedProduct<T>::AddRows(const reference::GroupSizes& groups,
                                                           Band* next) const {
  for (int64_t prefix = 0; prefix < entry_count_ * shape_.outer; ++prefix) {
    const reference::GroupSizes::Row row = groups.RowAt(prefix);
    const int64_t first = prefix % shape_.outer * shape_.length;
    Band band = {.group = 0, .range = {.entry = prefix / shape_.outer}};
    for (int64_t begin = 0; begin < shape_.length;) {
      const int64_t group = row.GroupOf(begin);
      const bool is_taken = group < shape_.group_count;
      const int64_t end = is_taken ? std::min(shape_.length, row.Reach(group)) : shape_.length;
      band.group = is_taken ? group : 0;
      band.range.row_begin = (first + begin) * shape_.inner;
      band.range.row_end = (first + end) * shape_.inner;
      band.range.term_end = is_taken ? term_count_ : 0;
      next = AddBands(band, next);
      begin = end;
    }
  }
  return next;
}

template <typename T>
typename RaggedProduct<T>::Band* RaggedProduct<T>::AddTerms(const reference::GroupSizes& groups,
                                                            Band* next) const {
  for (int64_t entry = 0; entry < entry_count_; ++entry) {
    const reference::GroupSizes::Row row = groups.RowAt(entry);
    for (int64_t group = 0; group < shape_.group_count; ++group) {
      const int64_t begin = std::clamp<int64_t>(row.Start(group), 0, term_count_);
      const int64_t end = std::clamp<int64_t>(row.Start(group + 1), begin, term_count_);
      next = AddBands({group, {entry, 0, row_count_, begin, end}}, next);
    }
  }
  return next;
}

template <typename T>
typename RaggedProduct<T>::Band* RaggedProduct<T>::AddPackedTerms(const RaggedTerms<T>& terms,
                                                                  Band* next) const {
  for (int64_t entry = 0; entry < entry_count_; ++entry) {
    for (int64_t group = 0; group < shape_.group_count; ++group) {
      const int64_t begin = terms.Start(entry, group), end = terms.Start(entry, group + 1);
      next = AddBands({group, {entry, 0, row_count_, begin, end}}, next);
    }
  }
  return next;
}

template <typename T>
typename RaggedProduct<T>::Band* RaggedProduct<T>::AddEntries(const reference::GroupSizes& groups,
                                                              Band* next) const {
  for (int64_t entry = 0; entry < entry_count_; ++entry) {
    const int64_t prefix = entry / (shape_.length * shape_.inner);
    const bool is_taken = entry / shape_.inner % shape_.length < groups.RowAt(prefix).Total();
    next = AddBands({0, {entry, 0, row_count_, 0, is_taken ? term_count_ : 0}}, next);
  }
  return next;
}

template <typename T>
int64_t RaggedProduct<T>::MakeBands(const reference::GroupSizes& groups,
                                    const RaggedTerms<T>& terms, Band* bands) const {
  switch (shape_.role) {
    case RaggedRole::kRow:
      return AddRows(groups, bands) - bands;
    case RaggedRole::kTerm:
      return (shape_.terms ? AddPackedTerms(terms, bands) : AddTerms(groups, bands)) - bands;
    case RaggedRole::kBatch:
      return AddEntries(groups, bands) - bands;
  }
  HLO_UNREACHABLE();
}

// --- Running

template <typename T>
absl::StatusOr<bool> RaggedProduct<T>::Run(Evaluation& e) const {
  if (row_count_ == 0 || column_count_ == 0 || entry_count_ == 0) return true;
  const DeviceContext& device = e.device();
  const ElementType type = e.result().element_type;
  HLO_ASSIGN_OR_RETURN(const CarrierArray<T> lhs,
                       CarrierArray<T>::MakeForProduct(device, e.operand(0), type));
  HLO_ASSIGN_OR_RETURN(const CarrierArray<T> rhs,
                       CarrierArray<T>::MakeForProduct(device, e.operand(1), type));
  const reference::GroupSizes groups(device.scratch(), e.operand(2));
  if (!shape_.terms) {
    HLO_RETURN_IF_ERROR(Multiply(e, groups, {}, lhs.product_data(), rhs.product_data()));
    return true;
  }
  RaggedTerms<T> terms(device.scratch(), *shape_.terms);
  if (!terms.Find(*shape_.terms, groups)) return false;
  HLO_RETURN_IF_ERROR(terms.Pack(device, *shape_.terms, lhs.product_data(), rhs.product_data()));
  HLO_RETURN_IF_ERROR(Multiply(e, groups, terms, {terms.rows()}, {terms.columns()}));
  return true;
}

template <typename T>
absl::Status RaggedProduct<T>::Multiply(Evaluation& e, const reference::GroupSizes& groups,
                                        const RaggedTerms<T>& terms, ProductData<T> lhs,
                                        ProductData<T> rhs) const {
  const DeviceContext& device = e.device();
  const ElementType type = e.result().element_type;
  const int64_t element_size = ElementByteSize(type);
  const Bands bands(device.scratch(), MostBands());
  const int64_t band_count = MakeBands(groups, terms, bands.get());
  // Some columns of a band, and how many such pieces are worth a part of their own.
  const int64_t of_band = CeilDiv(column_count_, most_columns_);
  const int64_t piece_count = band_count * of_band;
  const int64_t work = Times(Times(entry_count_, row_count_), Times(column_count_, term_count_));
  const int64_t piece_work = std::max<int64_t>(1, work / std::max<int64_t>(1, piece_count));
  const int64_t part_size = std::max<int64_t>(1, kLeastPartWork / piece_work);
  return ForEachPart(device, CeilDiv(piece_count, part_size), [&](int64_t part) {
    const int64_t end = std::min(piece_count, (part + 1) * part_size);
    for (int64_t piece = part * part_size; piece < end; ++piece) {
      const Band& band = bands[piece / of_band];
      const int64_t column = piece % of_band * most_columns_;
      ProductOf(band.range)
          .RunRange(device.scratch(), band.range, column,
                    std::min(column_count_, column + most_columns_), lhs,
                    rhs + band.group * shape_.rhs_group_stride, type,
                    e.result().bytes + band.group * shape_.out_group_stride * element_size);
    }
  });
}

template <typename T>
double RaggedProduct<T>::ScratchByteSize(const OpView& op) const {
  const ElementType type = op.written_shape()->element_type();
  const bool has_narrow_rows =
      !shape_.terms && IsNarrow<T>(op.operand_shape(0).element_type(), type);
  const double sizes = reference::SizeProduct(op.operand_shape(2).dims());
  double byte_size = reference::GroupSizes::ByteSize(sizes) +
                     reference::ConvertedByteSize(op.operand_shape(2), ElementType::kS64) +
                     static_cast<double>(MostBands()) * sizeof(Band);
  for (int64_t i = 0; i < 2; ++i) {
    byte_size +=
        static_cast<double>(CarrierArray<T>::ByteSizeForProduct(op.operand_shape(i), type));
  }
  if (shape_.terms) byte_size += RaggedTerms<T>::ByteSize(*shape_.terms);
  const int64_t rows = std::min(row_count_, kMostRows);
  double part = rows_.RangeByteSize(rows, column_count_, type, has_narrow_rows);
  if (few_rows_) {
    part = std::max(part, few_rows_->RangeByteSize(rows, column_count_, type, has_narrow_rows));
  }
  const int64_t parts = PartsAtOnce(Times(MostBands(), column_count_));
  return byte_size + static_cast<double>(parts) * part;
}

template <typename T>
absl::Status Run(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(const bool is_done, PreparedOf<RaggedProduct<T>>(e).Run(e));
  return is_done ? absl::OkStatus() : e.RunInstead(reference::FindKernel(Opcode::kRaggedDot));
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  const RaggedProduct<T> product(op);
  const int64_t byte_size = reference::ByteSizeOf(product.ScratchByteSize(op));
  return product.MayLeaveRuns() ? ScratchWithReference(op, byte_size) : byte_size;
}

template <typename T>
int64_t StateByteSize(const OpView& op, IsFixedOperand is_fixed) {
  return RaggedProduct<T>(op).MayLeaveRuns() ? StateWithReference(op, is_fixed, 0) : 0;
}

template <typename T>
constexpr Kernel kRaggedDotKernel = {.run = Run<T>,
                                     .prepare = Prepare<RaggedProduct<T>>,
                                     .scratch_byte_size = ScratchByteSize<T>,
                                     .state_byte_size = StateByteSize<T>};

}  // namespace

const Kernel* FindRaggedDotKernel(const OpView& op) {
  const auto is_plain = [](const Shape& shape) {
    return !shape.HasDynamicDim() &&
           (IsFloat(shape.element_type()) || IsInteger(shape.element_type()));
  };
  if (!is_plain(*op.written_shape()) || !is_plain(op.operand_shape(0)) ||
      !is_plain(op.operand_shape(1)) || op.operand_shape(2).HasDynamicDim()) {
    return nullptr;
  }
  return DispatchCarrier(op.written_shape()->element_type(),
                         []<typename T>() -> const Kernel* { return &kRaggedDotKernel<T>; });
}

}  // namespace hlo::simd

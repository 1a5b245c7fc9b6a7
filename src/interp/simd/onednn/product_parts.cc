// The library would share a product among threads in a way that depends on their number, and
// cannot be stopped in the middle: so it gets parts, each for one thread, that are cut by sizes
// alone. A part is some entries of the batch where these are small, else some rows and columns of
// one entry.
#include "interp/simd/onednn/product_parts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/tile_kernels.h"

namespace hlo::simd::onednn {
namespace {

constexpr int64_t kMaxParts = 1 << 14;
constexpr int64_t kLeastRows = 16;  // of a piece of them

// The only dimension of a role; nothing where there are several.
std::optional<ProductDimension> OnlyDimension(const ProductDimensions& dimensions) {
  if (dimensions.dimensions().size() > 1) return std::nullopt;
  return dimensions.dimensions().empty() ? ProductDimension{1} : dimensions.dimensions()[0];
}

// The types of a product that the library has: of sums, its operands' or a wider one.
struct ProductTypes {
  dnnl_data_type_t operands, sums;
};

std::optional<ProductTypes> TypesOf(ElementType operand, ElementType sum) {
  if (operand == ElementType::kF32 && sum == operand) return ProductTypes{dnnl_f32, dnnl_f32};
  if (operand == ElementType::kBf16) {
    if (sum == operand) return ProductTypes{dnnl_bf16, dnnl_bf16};
    if (sum == ElementType::kF32) return ProductTypes{dnnl_bf16, dnnl_f32};
  }
  // Without the instruction that sums four products the library saturates sums of two.
  const bool is_exact = AvailableByteProducts() == ByteProducts::kFour;
  if (operand == ElementType::kS8 && sum == ElementType::kS32 && is_exact) {
    return ProductTypes{dnnl_s8, dnnl_s32};
  }
  return std::nullopt;
}

// The least multiple of `unit` that cuts `size` into pieces of `most` at most, all about equal.
int64_t EvenPiece(int64_t size, int64_t most, int64_t unit) {
  const int64_t count = CeilDiv(size, most);
  return std::min(size, CeilDiv(CeilDiv(size, count), unit) * unit);
}

// The piece that makes `count` of a dimension, a multiple of `unit`.
int64_t PieceOf(const CutDimension& cut, int64_t count, int64_t unit) {
  return EvenPiece(cut.dimension.size, CeilDiv(cut.dimension.size, count), unit);
}

// Sums of integers become f32 and integers again in oneDNN 2.6.3, but in its plain product: so they
// must not be larger than what f32 has exactly.
constexpr int64_t kLargestByteProduct = int64_t{1} << 14, kExactInF32 = int64_t{1} << 24;
constexpr int64_t kMostByteTerms = kExactInF32 / kLargestByteProduct;

// Products that are worth a part, where there are many and where there are two.
struct PartWork {
  int64_t of_many, of_two;
};

PartWork PartWorkOf(dnnl_data_type_t type) {
  const auto products = [](int of_many, int of_two) {
    return PartWork{int64_t{1} << of_many, int64_t{1} << of_two};
  };
  if (type == dnnl_f32) return products(20, 18);
  if (type == dnnl_s8) return products(22, 20);
  return HasMatrixRegisters() ? products(23, 23) : products(20, 19);
}

// The bit of parts whose piece is a shorter one.
PartKind LastBit(const CutDimension& cut, int64_t index, PartKind bit) {
  return cut.PieceSize(index) == cut.piece ? PartKind{0} : bit;
}

// Twice as many pieces, of a multiple of `unit`: less than a piece of more than a unit was.
void Halve(CutDimension& cut, int64_t unit) {
  cut.piece = PieceOf(cut, 2 * cut.piece_count(), unit);
}

// The same in the largest unit that leaves no piece much shorter: with as many pieces as threads,
// or a few times as many, one thread would wait for the others.
void HalveRows(CutDimension& rows) {
  const int64_t count = 2 * rows.piece_count();
  int64_t unit = 16;
  const auto is_even = [&] {
    const int64_t piece = PieceOf(rows, count, unit);
    return Times(count, piece) - rows.dimension.size <= piece / 8;
  };
  while (unit > 1 && !is_even()) unit /= 2;
  Halve(rows, unit);
}

}  // namespace

bool CutsByteSums(int64_t terms) { return terms > kMostByteTerms; }

std::optional<ProductParts> ProductParts::Make(const ProductShape& shape, ElementType operand_type,
                                               ElementType result_type, bool packs) {
  ProductParts made;
  const auto rows = OnlyDimension(shape.rows), columns = OnlyDimension(shape.columns),
             sum = OnlyDimension(shape.sum);
  const auto types = TypesOf(operand_type, result_type);
  if (!rows || !columns || !sum || !types) return std::nullopt;
  made.rows_.dimension = *rows;
  made.columns_.dimension = *columns;
  made.sum_.dimension = *sum;
  made.type_ = types->operands;
  made.out_type_ = types->sums;
  made.out_element_size_ = ElementByteSize(result_type);
  for (const ProductDimension& dimension : shape.batch.dimensions()) {
    if (made.batch_.dimension.size > 1) made.outer_.Add(made.batch_.dimension);
    made.batch_.dimension = dimension;
  }
  made.ChooseSums();
  made.ChoosePieces(packs);
  const auto count = static_cast<double>(made.outer_.count()) *
                     static_cast<double>(made.batch_.piece_count()) *
                     static_cast<double>(made.rows_.piece_count()) *
                     static_cast<double>(made.columns_.piece_count()) *
                     static_cast<double>(made.sum_.piece_count());
  if (count > kMaxParts) return std::nullopt;
  if (!made.MakeForms(packs)) return std::nullopt;
  made.AddParts();
  return made;
}

// Few rows of narrow types by many columns: each piece of the rows would take all columns, which
// the library packs for it anew.
bool ProductParts::CutsColumnsOnly() const {
  constexpr int64_t kFewRows = 64, kMany = int64_t{1} << 20;
  return type_ != dnnl_f32 && !HasMatrixRegisters() && rows_.dimension.size <= kFewRows &&
         Times(columns_.dimension.size, sum_.dimension.size) >= kMany &&
         columns_.dimension.out_stride == 1;
}

// Of a piece: what packs columns anew for each part had better have few, and those of bf16 take
// long.
int64_t ProductParts::LeastRows(bool packs) const {
  const int64_t rows = rows_.dimension.size;
  if (CutsColumnsOnly()) return rows;
  if (type_ == dnnl_bf16) return std::clamp<int64_t>(CeilDiv(rows, 2), kLeastRows, 256);
  return packs ? 64 : std::clamp<int64_t>(CeilDiv(rows, 4), 64, 128);
}

void ProductParts::ChooseSums() {
  constexpr int64_t kUnit = 64;
  const int64_t terms = sum_.dimension.size;
  const bool is_cut = type_ == dnnl_s8 && CutsByteSums(terms);
  sum_.piece = is_cut ? EvenPiece(terms, kMostByteTerms, kUnit) : terms;
}

// Eight parts are enough for most, and large ones are better; but two small ones are better than
// one.
int64_t ProductParts::WantedCount(int64_t products) const {
  const PartWork work = PartWorkOf(type_);
  const int64_t count =
      std::clamp<int64_t>(products / work.of_many, std::min<int64_t>(2, products / work.of_two), 8);
  // As many for each thread.
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count)));
}

// Rows are cut before columns: pieces of whole rows lie without gaps, and of some that do not the
// library has its plain product only. Where only columns are cut, it makes them without gaps.
void ProductParts::ChoosePieces(bool packs) {
  const int64_t rows = rows_.dimension.size, columns = columns_.dimension.size;
  const int64_t batch = batch_.dimension.size;
  const int64_t terms = sum_.dimension.size;
  const int64_t entry = Times(Times(rows, columns), terms);
  rows_.piece = rows;
  columns_.piece = columns;
  constexpr int64_t kSmallEntry = int64_t{1} << 21;  // some 20 us of f32
  const int64_t wanted = WantedCount(Times(entry, batch));
  if (batch > 1 && entry <= kSmallEntry && sum_count() == 1) {
    constexpr int64_t kFewParts = 4;
    const int64_t parts = std::clamp<int64_t>(wanted, 1, kFewParts);
    const int64_t most = std::min(kSmallEntry / entry, batch / parts);
    batch_.piece = EvenPiece(batch, std::max<int64_t>(1, most), 1);
    return;
  }
  constexpr int64_t kLeastColumns = 64;
  const int64_t least_rows = LeastRows(packs);
  const auto count = [&] {
    return Times(Times(rows_.piece_count(), columns_.piece_count()), batch);
  };
  while (count() < wanted && rows_.piece > least_rows) HalveRows(rows_);
  while (count() < wanted && rows_.piece == rows && columns_.piece > kLeastColumns) {
    Halve(columns_, kLeastColumns);
  }
  // Nothing stops a part in the middle.
  constexpr int64_t kMost = int64_t{1} << 32;
  const auto is_long = [&] { return Times(Times(rows_.piece, columns_.piece), terms) > kMost; };
  while (is_long() && rows_.piece > 256) HalveRows(rows_);
  while (is_long() && columns_.piece > kLeastColumns) Halve(columns_, kLeastColumns);
  while (is_long() && rows_.piece > kLeastRows) HalveRows(rows_);
  collects_results_ = sum_count() > 1 || (CutsColumnsOnly() && columns_.piece < columns);
}

int64_t ProductParts::SizeOf(const CutDimension& cut, bool is_last) const {
  return is_last ? cut.PieceSize(cut.piece_count() - 1) : cut.piece;
}

ProductParts::Layouts ProductParts::LayoutsOf(PartKind kind) const {
  const int64_t batch = SizeOf(batch_, (kind & kBatchBit) != 0);
  const int64_t rows = SizeOf(rows_, (kind & kRowsBit) != 0);
  const int64_t columns = SizeOf(columns_, (kind & kColumnsBit) != 0);
  const int64_t terms = SizeOf(sum_, (kind & kSumBit) != 0);
  const ProductDimension& sum = sum_.dimension;
  const auto layout = [&](dnnl_data_type_t type, const ProductDimension& left, int64_t left_size,
                          const ProductDimension& right, int64_t right_size,
                          int64_t ProductDimension::*stride) {
    std::array<int64_t, 3> sizes = {batch, left_size, right_size};
    // A dimension of size 1 has no stride; the library takes 0 for broadcasting.
    const int64_t right_stride = right_size == 1 ? 1 : right.*stride;
    const int64_t left_stride = left_size == 1 ? right_size * right_stride : left.*stride;
    std::array<int64_t, 3> strides = {batch_.dimension.*stride, left_stride, right_stride};
    const size_t skipped = batch == 1 ? 1 : 0;
    return StridedLayout(type, std::span(sizes).subspan(skipped),
                         std::span(strides).subspan(skipped));
  };
  ProductDimension in_rows = rows_.dimension, out_rows = rows_.dimension;
  if (RowsToCollect(kind)) in_rows.row_stride = terms;
  if (collects_results_) out_rows.out_stride = columns;
  return {layout(type_, in_rows, rows, sum, terms, kInRows),
          layout(type_, sum, terms, columns_.dimension, columns, kInColumns),
          layout(out_type_, out_rows, rows, columns_.dimension, columns, kInOut)};
}

std::shared_ptr<const Form> ProductParts::MakeForm(PartKind kind, bool packs) {
  const Layouts layouts = LayoutsOf(kind);
  if (!layouts.rows || !layouts.columns || !layouts.out) return nullptr;
  Layout columns = *layouts.columns;
  const std::optional<ColumnPacking>& packing = packings_[kind & ~kRowsBit];
  if (packing) {
    columns = packing->layout;
  } else if (packs) {
    columns = OpenLayout(columns);
  }
  dnnl_matmul_desc_t descriptor;
  if (FindLibrary()->dnnl_matmul_desc_init(&descriptor, &*layouts.rows, &columns,
                                           /*bias_desc=*/nullptr, &*layouts.out) != dnnl_success) {
    return nullptr;
  }
  auto form = Form::Make(&descriptor);
  if (form == nullptr || form->implementation().starts_with("ref")) return nullptr;
  const Layout& chosen = form->layout(DNNL_ARG_WEIGHTS);
  if (!packing && !AreSame(chosen, *layouts.columns) &&
      !AddPacking(kind, *layouts.columns, chosen)) {
    return nullptr;
  }
  scratch_byte_size_ = std::max(scratch_byte_size_, form->scratch_byte_size());
  return form;
}

// False where neither we nor the library can bring columns to that layout.
bool ProductParts::AddPacking(PartKind kind, const Layout& columns, const Layout& packed) {
  ColumnPacking packing = {packed, WordPacking::Make(columns, packed), nullptr};
  if (!packing.own) {
    packing.form = Form::MakeReorder(columns, packed);
    if (packing.form == nullptr) return false;
    scratch_byte_size_ = std::max(scratch_byte_size_, packing.form->scratch_byte_size());
  }
  packings_[kind & ~kRowsBit] = std::move(packing);
  return true;
}

bool ProductParts::MakeForms(bool packs) {
  for (PartKind kind = 0; kind < kKindCount; ++kind) {
    const auto is_even = [&](const CutDimension& cut, PartKind bit) {
      return (kind & bit) != 0 && cut.PieceSize(cut.piece_count() - 1) == cut.piece;
    };
    if (is_even(batch_, kBatchBit) || is_even(rows_, kRowsBit) || is_even(columns_, kColumnsBit) ||
        is_even(sum_, kSumBit)) {
      continue;  // there is none of that kind
    }
    forms_[kind] = MakeForm(kind, packs);
    if (forms_[kind] == nullptr) return false;
  }
  return true;
}

// Columns of a block from the first of them on, packed if the library wants them so.
int64_t ProductParts::AddBlock(PartKind kind, int64_t columns) {
  if (!packings_[kind]) return -1;
  blocks_.push_back({kind, columns, packed_byte_size_});
  packed_byte_size_ += Aligned(ByteSizeOf(packings_[kind]->layout));
  return std::ssize(blocks_) - 1;
}

void ProductParts::AddParts() {
  for (int64_t o = 0; o < outer_.count(); ++o) {
    for (int64_t b = 0; b < batch_.piece_count(); ++b) {
      const auto entry = [&](int64_t ProductDimension::*stride) {
        return outer_.Offset(o, stride) + b * batch_.piece * (batch_.dimension.*stride);
      };
      const PartKind kind = LastBit(batch_, b, kBatchBit);
      const ProductPart first = {kind, entry(kInRows), entry(kInColumns), entry(kInOut), -1};
      for (int64_t c = 0; c < columns_.piece_count(); ++c) AddPartsOfColumns(first, c);
    }
  }
}

// Of piece `c` of the columns of an entry, whose first part would be `first`.
void ProductParts::AddPartsOfColumns(const ProductPart& first, int64_t c) {
  std::vector<ProductPart> of_sums;
  for (int64_t s = 0; s < sum_.piece_count(); ++s) {
    ProductPart part = first;
    const int64_t column = c * columns_.piece, term = s * sum_.piece;
    part.kind |= LastBit(columns_, c, kColumnsBit) | LastBit(sum_, s, kSumBit);
    part.rows += term * sum_.dimension.row_stride;
    part.columns += column * columns_.dimension.column_stride + term * sum_.dimension.column_stride;
    part.out += column * columns_.dimension.out_stride;
    part.block = AddBlock(part.kind, part.columns);
    of_sums.push_back(part);
  }
  for (int64_t r = 0; r < rows_.piece_count(); ++r) {
    const int64_t row = r * rows_.piece;
    for (ProductPart part : of_sums) {
      part.kind |= LastBit(rows_, r, kRowsBit);
      part.rows += row * rows_.dimension.row_stride;
      part.out += row * rows_.dimension.out_stride;
      parts_.push_back(part);
    }
  }
}

bool ProductParts::has_dense_results() const {
  const int64_t rows = rows_.dimension.size, columns = columns_.dimension.size;
  const auto is_spaced = [](const CutDimension& cut, int64_t stride) {
    return cut.dimension.size == 1 || cut.dimension.out_stride == stride;
  };
  return columns_.piece_count() == 1 && is_spaced(columns_, 1) && is_spaced(rows_, columns) &&
         (batch_.piece == 1 || is_spaced(batch_, Times(rows, columns)));
}

int64_t ProductParts::ResultCount(PartKind kind) const {
  return SizeOf(batch_, (kind & kBatchBit) != 0) * SizeOf(rows_, (kind & kRowsBit) != 0) *
         SizeOf(columns_, (kind & kColumnsBit) != 0);
}

// Other products than the plain one want dense rows.
std::optional<CollectedRows> ProductParts::RowsToCollect(PartKind kind) const {
  if (type_ != dnnl_s8 || sum_count() == 1 || sum_.dimension.row_stride != 1) return std::nullopt;
  return CollectedRows{SizeOf(rows_, (kind & kRowsBit) != 0), SizeOf(sum_, (kind & kSumBit) != 0),
                       rows_.dimension.row_stride};
}

std::optional<CollectedRows> ProductParts::Collected(PartKind kind) const {
  if (!collects_results_) return std::nullopt;
  return CollectedRows{SizeOf(rows_, (kind & kRowsBit) != 0),
                       SizeOf(columns_, (kind & kColumnsBit) != 0) * out_element_size_,
                       rows_.dimension.out_stride * out_element_size_};
}

std::shared_ptr<const ProductParts> ProductPartsCache::Make(const ProductShape& shape,
                                                            ElementType operand_type,
                                                            ElementType result_type, bool packs) {
  std::vector<int64_t> key = {static_cast<int64_t>(operand_type), static_cast<int64_t>(result_type),
                              packs ? 1 : 0};
  for (const ProductDimensions* role : {&shape.batch, &shape.rows, &shape.sum, &shape.columns}) {
    key.push_back(std::ssize(role->dimensions()));
    for (const ProductDimension& d : role->dimensions()) {
      key.insert(key.end(), {d.size, d.row_stride, d.column_stride, d.out_stride});
    }
  }
  const auto [found, is_new] = made_.try_emplace(std::move(key));
  if (is_new) {
    if (auto parts = ProductParts::Make(shape, operand_type, result_type, packs)) {
      found->second = std::make_shared<const ProductParts>(*std::move(parts));
    }
  }
  return found->second;
}

}  // namespace hlo::simd::onednn

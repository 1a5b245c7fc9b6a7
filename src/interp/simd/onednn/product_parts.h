// A product of strided arrays (product_dimensions.h) cut into parts, each a product for oneDNN.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_PRODUCT_PARTS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_PRODUCT_PARTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/simd/onednn/collected_rows.h"
#include "interp/simd/onednn/primitive.h"
#include "interp/simd/onednn/word_packing.h"
#include "interp/simd/product/product_dimensions.h"
#include "ir/element_type.h"

namespace hlo::simd::onednn {

// A dimension that is cut: all pieces have `piece` elements, but for a shorter last one.
struct CutDimension {
  ProductDimension dimension = {1};
  int64_t piece = 1;

  int64_t piece_count() const { return CeilDiv(dimension.size, piece); }
  int64_t PieceSize(int64_t index) const { return std::min(piece, dimension.size - index * piece); }
};

// Which of the shapes that parts have: bit 0 a shorter piece of the batch, bit 1 of the rows, bit 2
// of the columns, bit 3 of the sum.
using PartKind = uint8_t;

struct ProductPart {
  PartKind kind;
  int64_t rows, columns, out;  // offsets of the first elements in the arrays
  int64_t block;               // that its columns are, of those that are packed
};

// What packs columns once for all parts that multiply by them.
struct ColumnBlock {
  PartKind kind;
  int64_t columns;  // offset of the first element
  int64_t packed;   // bytes from the begin of packed memory
};

// How columns are packed: by us where we know the layout, else by the library.
struct ColumnPacking {
  Layout layout;  // of what is packed
  std::optional<WordPacking> own;
  std::shared_ptr<const Form> form;  // null where we do it
};

// Whether sums of so many products of 8-bit integers are made in pieces.
bool CutsByteSums(int64_t terms);

class ProductParts {
 public:
  // Nothing where the library has no fast product for such arrays. `packs`: whether columns are to
  // be packed into what the library likes best, if it likes something better.
  static std::optional<ProductParts> Make(const ProductShape& shape, ElementType operand_type,
                                          ElementType result_type, bool packs);

  const std::vector<ProductPart>& parts() const { return parts_; }
  // How many parts, one after the other, make pieces of the same sums.
  int64_t sum_count() const { return sum_.piece_count(); }
  // Empty where columns are taken as they lie.
  const std::vector<ColumnBlock>& blocks() const { return blocks_; }
  int64_t packed_byte_size() const { return packed_byte_size_; }
  const Form& form(PartKind kind) const { return *forms_[kind]; }
  // Of the columns of a block.
  const ColumnPacking& packing(PartKind kind) const { return *packings_[kind & ~kRowsBit]; }
  // Of any part or packing.
  int64_t scratch_byte_size() const { return scratch_byte_size_; }
  // Whether what a part makes lies in the result without gaps, and the number of these elements.
  bool has_dense_results() const;
  int64_t ResultCount(PartKind kind) const;
  // What a part makes without gaps, to be copied or added to where its results are to lie; nothing
  // where parts write there themselves.
  std::optional<CollectedRows> Collected(PartKind kind) const;
  // Of rows that a part takes without gaps; nothing where it takes them as they lie.
  std::optional<CollectedRows> RowsToCollect(PartKind kind) const;

  static constexpr PartKind kBatchBit = 1, kRowsBit = 2, kColumnsBit = 4, kSumBit = 8;
  static constexpr PartKind kKindCount = 16;

 private:
  struct Layouts {
    std::optional<Layout> rows, columns, out;
  };

  void ChooseSums();
  void ChoosePieces(bool packs);
  int64_t WantedCount(int64_t products) const;
  int64_t LeastRows(bool packs) const;
  bool CutsColumnsOnly() const;
  void AddParts();
  void AddPartsOfColumns(const ProductPart& first, int64_t c);
  int64_t AddBlock(PartKind kind, int64_t columns);
  bool MakeForms(bool packs);
  Layouts LayoutsOf(PartKind kind) const;
  std::shared_ptr<const Form> MakeForm(PartKind kind, bool packs);
  bool AddPacking(PartKind kind, const Layout& columns, const Layout& packed);
  int64_t SizeOf(const CutDimension& cut, bool is_last) const;

  ProductDimensions outer_;  // of the batch
  CutDimension batch_, rows_, columns_, sum_;
  dnnl_data_type_t type_ = dnnl_f32, out_type_ = dnnl_f32;
  int64_t out_element_size_ = 4;
  bool collects_results_ = false;
  std::array<std::shared_ptr<const Form>, kKindCount> forms_;
  std::array<std::optional<ColumnPacking>, kKindCount> packings_;
  std::vector<ProductPart> parts_;
  std::vector<ColumnBlock> blocks_;
  int64_t packed_byte_size_ = 0;
  int64_t scratch_byte_size_ = 0;
};

// The products of a plan by their shapes: models repeat them, and to make one takes a tenth of a
// millisecond.
class ProductPartsCache {
 public:
  // See ProductParts::Make; null for nothing.
  std::shared_ptr<const ProductParts> Make(const ProductShape& shape, ElementType operand_type,
                                           ElementType result_type, bool packs);

 private:
  absl::flat_hash_map<std::vector<int64_t>, std::shared_ptr<const ProductParts>> made_;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_PRODUCT_PARTS_H_

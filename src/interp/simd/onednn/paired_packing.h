// Columns of bf16 in the layout that oneDNN multiplies fastest, packed by us: its own reorder takes
// as long as some products of few rows.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_PAIRED_PACKING_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_PAIRED_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interp/simd/onednn/primitive.h"

namespace hlo::simd::onednn {

// Panels of a few columns, and in each of them pairs of terms, of all columns side by side:
// [batch, panel, pair, column, 2] (oneDNN's BA16a64b2a, say, with 64 columns to a panel). Columns
// and terms that only fill up the last ones are 0.
class PairedPacking {
 public:
  // Of an array [terms, columns] or [batch, terms, columns] with strides. Nothing where `to` is
  // another layout.
  static std::optional<PairedPacking> Make(const Layout& from, const Layout& to);

  void Run(const std::byte* from, std::byte* to) const;

 private:
  void PackPanel(const uint16_t* from, int64_t column_count, uint32_t* to) const;
  void PackPair(const uint16_t* from, int64_t column_count, bool is_whole, uint32_t* to) const;

  int64_t batch_count_ = 1, batch_stride_ = 0;
  int64_t term_count_ = 0, term_stride_ = 0;
  int64_t column_count_ = 0, column_stride_ = 0;
  // Of what is packed: pairs of a panel, columns of a panel, elements from panel to panel and from
  // entry to entry.
  int64_t pair_count_ = 0, width_ = 0, panel_pitch_ = 0, batch_pitch_ = 0;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_PAIRED_PACKING_H_

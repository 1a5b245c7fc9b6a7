// Columns in the layouts that oneDNN multiplies fastest, packed by us: its own reorder of bf16
// takes as long as some products of few rows, and that of 8-bit integers moves one number at a
// time.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_WORD_PACKING_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_WORD_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interp/simd/onednn/primitive.h"

namespace hlo::simd::onednn {

// Panels of a few columns, and in each of them words, of all columns side by side, which are 32
// bits of neighbouring terms: two of bf16, four of s8. [batch, panel, word, column] (oneDNN's
// BA16a64b2a and BA16a64b4a, say, with 64 columns to a panel). Columns and terms that only fill up
// the last ones are 0. After all panels of s8 comes -128 times the sum of each column, s32: the
// library multiplies by rows to which 128 is added, so that they have no sign.
class WordPacking {
 public:
  // Of an array [terms, columns] or, of bf16, [batch, terms, columns] with strides. Nothing where
  // `to` is another layout.
  static std::optional<WordPacking> Make(const Layout& from, const Layout& to);

  void Run(const std::byte* from, std::byte* to) const;

 private:
  // T: an unsigned integer as wide as a term.
  template <typename T>
  void PackEntry(const T* from, uint32_t* to) const;
  template <typename T>
  void PackLines(const T* from, uint32_t* to) const;
  template <typename T>
  void PackPanel(const T* from, int64_t column_count, uint32_t* to) const;
  template <typename T>
  void PackRest(const T* from, int64_t column_count, int64_t word, uint32_t* to) const;
  template <typename T>
  void PackWord(const T* from, int64_t column_count, int64_t term_count, uint32_t* to) const;
  void StoreShifts(const uint32_t* packed, uint32_t* shifts) const;

  bool are_bytes_ = false;
  int64_t batch_count_ = 1, batch_stride_ = 0;
  int64_t term_count_ = 0, term_stride_ = 0;
  int64_t column_count_ = 0, column_stride_ = 0;
  // Of what is packed: words of a panel, columns of a panel, words from panel to panel and from
  // entry to entry.
  int64_t word_count_ = 0, width_ = 0, panel_pitch_ = 0, batch_pitch_ = 0;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_WORD_PACKING_H_

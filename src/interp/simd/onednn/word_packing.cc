// Where terms lie side by side a word is a number of 32 bits, and a panel the transpose of such
// numbers; where columns do, two or four lines are interleaved.
#include "interp/simd/onednn/word_packing.h"

#include <algorithm>
#include <bit>

#include "interp/simd/movement/turn_tile.h"

namespace hlo::simd::onednn {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr int64_t kPanelsAtOnce = 4;

// Terms of a word.
template <typename T>
constexpr int64_t kTerms = sizeof(uint32_t) / sizeof(T);

bool IsPlain(const Layout& layout) {
  return layout.format_kind == dnnl_blocked && layout.format_desc.blocking.inner_nblks == 0 &&
         layout.offset0 == 0;
}

// Whether `layout` has what we write beside the terms, and nothing else.
bool HasKnownExtras(const Layout& layout) {
  const auto& extra = layout.extra;
  if (layout.data_type == dnnl_bf16) return extra.flags == dnnl_memory_extra_flag_none;
  constexpr int kOfColumns = 1 << 1;
  return layout.data_type == dnnl_s8 && layout.ndims == 2 &&
         extra.flags == dnnl_memory_extra_flag_compensation_conv_s8s8 &&
         extra.compensation_mask == kOfColumns;
}

// The terms of kTerms lines, as numbers of 32 bits, which compilers make by vectors.
template <typename T>
void Interleave(const T* lines, int64_t pitch, int64_t count, uint32_t* to) {
  for (int64_t c = 0; c < count; ++c) {
    uint32_t word = 0;
    for (int64_t i = 0; i < kTerms<T>; ++i) {
      word |= uint32_t{lines[i * pitch + c]} << (8 * sizeof(T) * i);
    }
    to[c] = word;
  }
}

template <typename T>
bool AreWords(const T* from, int64_t stride) {
  return stride % kTerms<T> == 0 && reinterpret_cast<uintptr_t>(from) % alignof(uint32_t) == 0;
}

// Of bytes with a sign.
uint32_t SumOfBytes(uint32_t word) {
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<uint32_t>(static_cast<int32_t>(word << (24 - 8 * i)) >> 24);
  }
  return sum;
}

}  // namespace

std::optional<WordPacking> WordPacking::Make(const Layout& from, const Layout& to) {
  const int rank = from.ndims;
  if (!IsPlain(from) || to.ndims != rank || rank < 2 || rank > 3 ||
      to.data_type != from.data_type || to.format_kind != dnnl_blocked || to.offset0 != 0 ||
      !HasKnownExtras(to)) {
    return std::nullopt;
  }
  WordPacking made;
  made.are_bytes_ = to.data_type == dnnl_s8;
  const int64_t terms_of_word = made.are_bytes_ ? kTerms<uint8_t> : kTerms<uint16_t>;
  const int term = rank - 2, column = rank - 1;
  const auto& lies = from.format_desc.blocking;
  const auto& packs = to.format_desc.blocking;
  const auto is_block = [&](int i, int dimension) { return packs.inner_idxs[i] == dimension; };
  if (packs.inner_nblks != 3 || !is_block(0, term) || !is_block(1, column) || !is_block(2, term) ||
      packs.inner_blks[2] != terms_of_word) {
    return std::nullopt;
  }
  made.width_ = packs.inner_blks[1];
  const int64_t block_terms = packs.inner_blks[0] * packs.inner_blks[2];
  const bool are_blocks_dense = packs.strides[term] == block_terms * made.width_ &&
                                packs.strides[column] == to.padded_dims[term] * made.width_;
  if (!are_blocks_dense || to.padded_dims[term] % block_terms != 0) return std::nullopt;
  if (rank == 3) {
    made.batch_count_ = from.dims[0];
    made.batch_stride_ = lies.strides[0];
    made.batch_pitch_ = packs.strides[0] / terms_of_word;
  }
  made.term_count_ = from.dims[term];
  made.term_stride_ = lies.strides[term];
  made.column_count_ = from.dims[column];
  made.column_stride_ = lies.strides[column];
  made.word_count_ = to.padded_dims[term] / terms_of_word;
  made.panel_pitch_ = packs.strides[column] / terms_of_word;
  return made;
}

void WordPacking::Run(const std::byte* from, std::byte* to) const {
  auto* const packed = reinterpret_cast<uint32_t*>(to);
  if (are_bytes_) return PackEntry(reinterpret_cast<const uint8_t*>(from), packed);
  for (int64_t b = 0; b < batch_count_; ++b) {
    PackEntry(reinterpret_cast<const uint16_t*>(from) + b * batch_stride_,
              packed + b * batch_pitch_);
  }
}

template <typename T>
void WordPacking::PackEntry(const T* from, uint32_t* to) const {
  const int64_t panel_count = (column_count_ + width_ - 1) / width_;
  uint32_t* const shifts = to + panel_count * panel_pitch_;
  for (int64_t i = 0; i < panel_count;) {
    const int64_t first_column = i * width_, rest = column_count_ - first_column;
    const bool has_lines = column_stride_ == 1 && rest >= kPanelsAtOnce * width_;
    const int64_t count = has_lines ? kPanelsAtOnce : 1;
    uint32_t* const panels = to + i * panel_pitch_;
    if (has_lines) {
      PackLines(from + first_column, panels);
    } else {
      PackPanel(from + first_column * column_stride_, std::min(width_, rest), panels);
    }
    for (const int64_t end = i + count; i < end; ++i) {
      if (are_bytes_) StoreShifts(to + i * panel_pitch_, shifts + i * width_);
    }
  }
}

// Some whole panels at a time of columns that lie side by side: memory gives long lines in less
// time than many short ones.
template <typename T>
void WordPacking::PackLines(const T* from, uint32_t* to) const {
  const int64_t whole = term_count_ / kTerms<T>;
  for (int64_t word = 0; word < whole; ++word) {
    const T* const lines = from + word * kTerms<T> * term_stride_;
    for (int64_t p = 0; p < kPanelsAtOnce; ++p) {
      Interleave(lines + p * width_, term_stride_, width_, to + p * panel_pitch_ + word * width_);
    }
  }
  for (int64_t p = 0; p < kPanelsAtOnce; ++p) {
    PackRest(from + p * width_, width_, whole, to + p * panel_pitch_);
  }
}

template <typename T>
void WordPacking::PackPanel(const T* from, int64_t column_count, uint32_t* to) const {
  if (column_count < width_) std::fill(to, to + word_count_ * width_, 0);
  if (term_stride_ != 1 || !AreWords(from, column_stride_)) {
    return PackRest(from, column_count, /*word=*/0, to);
  }
  constexpr int64_t kTile = kTurnTile<uint32_t>;
  static const auto turn = GetTurnTile<uint32_t>(/*streams=*/false);
  const auto* const words = reinterpret_cast<const uint32_t*>(from);
  const int64_t pitch = column_stride_ / kTerms<T>, whole = term_count_ / kTerms<T>;
  for (int64_t word = 0; word < whole; word += kTile) {
    for (int64_t c = 0; c < column_count; c += kTile) {
      turn(words + c * pitch + word, pitch, to + word * width_ + c, width_,
           std::min(kTile, whole - word), std::min(kTile, column_count - c));
    }
  }
  PackRest(from, column_count, whole, to);
}

// Of a panel, from a word on.
template <typename T>
void WordPacking::PackRest(const T* from, int64_t column_count, int64_t word, uint32_t* to) const {
  std::fill(to + term_count_ / kTerms<T> * width_, to + word_count_ * width_, 0);
  for (int64_t term = word * kTerms<T>; term < term_count_; term += kTerms<T>, ++word) {
    PackWord(from + term * term_stride_, column_count, std::min(kTerms<T>, term_count_ - term),
             to + word * width_);
  }
}

// What is missing of a last word is 0.
template <typename T>
void WordPacking::PackWord(const T* from, int64_t column_count, int64_t term_count,
                           uint32_t* to) const {
  if (term_count == kTerms<T> && column_stride_ == 1) {
    return Interleave(from, term_stride_, column_count, to);
  }
  for (int64_t c = 0; c < column_count; ++c, from += column_stride_) {
    uint32_t word = 0;
    for (int64_t i = 0; i < term_count; ++i) {
      word |= uint32_t{from[i * term_stride_]} << (8 * sizeof(T) * i);
    }
    to[c] = word;
  }
}

// Modulo 2^32, as the library's own sums are.
void WordPacking::StoreShifts(const uint32_t* packed, uint32_t* shifts) const {
  std::fill(shifts, shifts + width_, 0);
  for (int64_t w = 0; w < word_count_; ++w, packed += width_) {
    for (int64_t c = 0; c < width_; ++c) shifts[c] += SumOfBytes(packed[c]);
  }
  for (int64_t c = 0; c < width_; ++c) shifts[c] *= static_cast<uint32_t>(-128);
}

}  // namespace hlo::simd::onednn

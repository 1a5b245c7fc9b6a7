// Where terms lie side by side a pair of them is a number of 32 bits, and a panel the transpose of
// such numbers; where columns do, two lines are interleaved.
#include "interp/simd/onednn/paired_packing.h"

#include <algorithm>
#include <bit>

#include "interp/simd/movement/turn_tile.h"

namespace hlo::simd::onednn {
namespace {

static_assert(std::endian::native == std::endian::little);

bool IsPlain(const Layout& layout) {
  return layout.format_kind == dnnl_blocked && layout.format_desc.blocking.inner_nblks == 0 &&
         layout.offset0 == 0;
}

// As numbers of 32 bits, which compilers make by vectors.
void Interleave(const uint16_t* first, const uint16_t* second, int64_t count, uint32_t* to) {
  for (int64_t c = 0; c < count; ++c) to[c] = first[c] | uint32_t{second[c]} << 16;
}

bool IsAligned(const uint16_t* from) {
  return reinterpret_cast<uintptr_t>(from) % alignof(uint32_t) == 0;
}

}  // namespace

std::optional<PairedPacking> PairedPacking::Make(const Layout& from, const Layout& to) {
  const int rank = from.ndims;
  if (!IsPlain(from) || to.ndims != rank || rank < 2 || rank > 3 || to.data_type != dnnl_bf16 ||
      from.data_type != dnnl_bf16 || to.format_kind != dnnl_blocked || to.offset0 != 0 ||
      to.extra.flags != dnnl_memory_extra_flag_none) {
    return std::nullopt;
  }
  const int term = rank - 2, column = rank - 1;
  const auto& lies = from.format_desc.blocking;
  const auto& packs = to.format_desc.blocking;
  const auto is_block = [&](int i, int dimension) { return packs.inner_idxs[i] == dimension; };
  if (packs.inner_nblks != 3 || !is_block(0, term) || !is_block(1, column) || !is_block(2, term) ||
      packs.inner_blks[2] != 2) {
    return std::nullopt;
  }
  PairedPacking made;
  made.width_ = packs.inner_blks[1];
  const int64_t block_terms = packs.inner_blks[0] * packs.inner_blks[2];
  const bool are_blocks_dense = packs.strides[term] == block_terms * made.width_;
  if (!are_blocks_dense || to.padded_dims[term] % block_terms != 0) return std::nullopt;
  if (rank == 3) {
    made.batch_count_ = from.dims[0];
    made.batch_stride_ = lies.strides[0];
    made.batch_pitch_ = packs.strides[0];
  }
  made.term_count_ = from.dims[term];
  made.term_stride_ = lies.strides[term];
  made.column_count_ = from.dims[column];
  made.column_stride_ = lies.strides[column];
  made.pair_count_ = to.padded_dims[term] / 2;
  made.panel_pitch_ = packs.strides[column];
  return made;
}

void PairedPacking::Run(const std::byte* from, std::byte* to) const {
  const auto* const elements = reinterpret_cast<const uint16_t*>(from);
  auto* const packed = reinterpret_cast<uint32_t*>(to);  // pairs
  for (int64_t b = 0; b < batch_count_; ++b) {
    for (int64_t c = 0; c < column_count_; c += width_) {
      PackPanel(elements + b * batch_stride_ + c * column_stride_,
                std::min(width_, column_count_ - c),
                packed + (b * batch_pitch_ + c / width_ * panel_pitch_) / 2);
    }
  }
}

void PairedPacking::PackPanel(const uint16_t* from, int64_t column_count, uint32_t* to) const {
  const int64_t whole = term_count_ / 2;
  const int64_t filled = column_count < width_ ? 0 : whole;  // pairs that are written as a whole
  std::fill(to + filled * width_, to + pair_count_ * width_, 0);
  int64_t pair = 0;
  if (term_stride_ == 1 && column_stride_ % 2 == 0 && IsAligned(from)) {
    constexpr int64_t kTile = kTurnTile<uint32_t>;
    static const auto turn = GetTurnTile<uint32_t>(/*streams=*/false);
    const auto* const pairs = reinterpret_cast<const uint32_t*>(from);
    for (; pair < whole; pair += kTile) {
      for (int64_t c = 0; c < column_count; c += kTile) {
        turn(pairs + c * (column_stride_ / 2) + pair, column_stride_ / 2, to + pair * width_ + c,
             width_, std::min(kTile, whole - pair), std::min(kTile, column_count - c));
      }
    }
    pair = whole;
  }
  for (; 2 * pair < term_count_; ++pair) {
    PackPair(from + 2 * pair * term_stride_, column_count, 2 * pair + 1 < term_count_,
             to + pair * width_);
  }
}

// A last term alone is a pair with 0.
void PairedPacking::PackPair(const uint16_t* from, int64_t column_count, bool is_whole,
                             uint32_t* to) const {
  if (is_whole && column_stride_ == 1)
    return Interleave(from, from + term_stride_, column_count, to);
  for (int64_t c = 0; c < column_count; ++c, from += column_stride_) {
    to[c] = from[0] | (is_whole ? uint32_t{from[term_stride_]} << 16 : 0);
  }
}

}  // namespace hlo::simd::onednn

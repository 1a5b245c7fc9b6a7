// Dimensions that are walked alike on both sides are joined; what then lies side by side on both is
// a run. Runs as short as an element, whole or reversed or every second one, are loops that the
// compiler turns into vector instructions.
#include "interp/simd/movement/box_copy.h"

#include <algorithm>
#include <cstring>

#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/vector/independent.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

// Elements anywhere in memory.
template <typename T>
struct [[gnu::packed, gnu::may_alias]] Anywhere {
  T value;
};

// With strides in elements that are known where a constant stands for them: 0 means unknown.
template <typename T, int64_t kFromStride, int64_t kToStride>
void CopyElements(int64_t count, const std::byte* from, int64_t from_stride, std::byte* to,
                  int64_t to_stride) {
  if constexpr (kFromStride != 0) from_stride = kFromStride * static_cast<int64_t>(sizeof(T));
  if constexpr (kToStride != 0) to_stride = kToStride * static_cast<int64_t>(sizeof(T));
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<Anywhere<T>*>(to + i * to_stride) =
        *reinterpret_cast<const Anywhere<T>*>(from + i * from_stride);
  }
}

template <typename T>
void Repeat(int64_t count, const std::byte* from, std::byte* to) {
  Anywhere<T> value;
  std::memcpy(&value, from, sizeof(T));
  std::fill_n(reinterpret_cast<Anywhere<T>*>(to), count, value);
}

template <typename T>
void CopyShortRuns(int64_t count, const std::byte* from, int64_t from_stride, std::byte* to,
                   int64_t to_stride) {
  constexpr int64_t kSize = sizeof(T);
  if (to_stride == kSize) {
    if (from_stride == 0) return Repeat<T>(count, from, to);
    if (from_stride == -kSize) return CopyElements<T, -1, 1>(count, from, 0, to, 0);
    if (from_stride == 2 * kSize) return CopyElements<T, 2, 1>(count, from, 0, to, 0);
    return CopyElements<T, 0, 1>(count, from, from_stride, to, 0);
  }
  if (from_stride == kSize) {
    if (to_stride == 2 * kSize) return CopyElements<T, 1, 2>(count, from, 0, to, 0);
    return CopyElements<T, 1, 0>(count, from, 0, to, to_stride);
  }
  CopyElements<T, 0, 0>(count, from, from_stride, to, to_stride);
}

}  // namespace

void CopyRuns(int64_t size, int64_t count, const std::byte* from, int64_t from_stride,
              std::byte* to, int64_t to_stride) {
  if (count == 1) {
    std::memcpy(to, from, static_cast<size_t>(size));
  } else if (size == 1 || size == 2 || size == 4 || size == 8 || size == 16) {
    reference::DispatchElementSize(
        size, [&]<typename T>() { CopyShortRuns<T>(count, from, from_stride, to, to_stride); });
  } else {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<size_t>(size));
    }
  }
}

// Short runs that are written side by side come together in the first cache before.
void StreamRuns(int64_t size, int64_t count, const std::byte* from, int64_t from_stride,
                std::byte* to, int64_t to_stride) {
  if (size >= kStreamedRun || to_stride != size) {
    for (int64_t i = 0; i < count; ++i) {
      StreamCopy(to + i * to_stride, from + i * from_stride, static_cast<size_t>(size));
    }
    return;
  }
  constexpr int64_t kTileSize = 4096;
  alignas(64) std::byte tile[kTileSize];
  const int64_t runs = kTileSize / size;
  for (int64_t i = 0; i < count; i += runs) {
    const int64_t next = std::min(runs, count - i);
    CopyRuns(size, next, from + i * from_stride, from_stride, tile, size);
    StreamCopy(to + i * size, tile, static_cast<size_t>(next * size));
  }
}

void CopyRun(const std::byte* from, std::byte* to, int64_t size, bool streams) {
  if (streams) {
    StreamCopy(to, from, static_cast<size_t>(size));
  } else {
    std::memcpy(to, from, static_cast<size_t>(size));
  }
}

BoxCopy::BoxCopy(int64_t element_size, std::span<const int64_t> sizes,
                 std::span<const int64_t> from_strides, std::span<const int64_t> to_strides) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  run_size_ = element_size;
  run_count_ = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    const Dimension next = {sizes[d], from_strides[d] * element_size, to_strides[d] * element_size};
    if (next.size == 1) continue;
    if (outer_.empty() && next.from == run_size_ && next.to == run_size_) {
      run_size_ *= next.size;
      continue;
    }
    run_count_ *= next.size;
    if (!outer_.empty() && next.from == outer_.back().size * outer_.back().from &&
        next.to == outer_.back().size * outer_.back().to) {
      outer_.back().size *= next.size;
    } else {
      outer_.push_back(next);
    }
  }
  if (!outer_.empty()) {
    row_ = outer_.front();
    outer_.erase(outer_.begin());
    std::ranges::reverse(outer_);
    constexpr int64_t kShortRun = 16;  // one of those that have loops
    is_narrow_ = row_.size < kNarrowRow && run_size_ <= kShortRun && !outer_.empty() &&
                 outer_.back().size >= 2 * kNarrowRow;
  }
  run_pieces_ = CeilDiv(run_size_, kPieceSize);
  group_size_ = run_pieces_ > 1 ? 1 : std::max<int64_t>(1, kPieceSize / run_size_);
  if (is_narrow_) group_size_ -= group_size_ % row_.size;
  run_groups_ = CeilDiv(run_count_, group_size_);
}

void BoxCopy::CopyPiece(int64_t piece, const std::byte* from, std::byte* to, bool streams) const {
  const int64_t begin = piece / run_pieces_ * group_size_;
  const int64_t end = std::min(run_count_, begin + group_size_);
  const int64_t offset = piece % run_pieces_ * kPieceSize;
  const int64_t size = run_pieces_ > 1 ? std::min(kPieceSize, run_size_ - offset) : run_size_;
  ForEachRow(
      begin, end,
      [&](int64_t source, int64_t target, int64_t count, int64_t from_stride, int64_t to_stride) {
        const std::byte* first = from + source + offset;
        std::byte* first_to = to + target + offset;
        if (!streams) return CopyRuns(size, count, first, from_stride, first_to, to_stride);
        StreamRuns(size, count, first, from_stride, first_to, to_stride);
      });
  if (streams) FinishStreams();
}

bool BoxCopy::IsStreamed() const {
  return byte_size() >= kStreamedSize && !is_narrow_ &&
         (run_size_ >= kStreamedRun || row_.to == run_size_);
}

absl::Status BoxCopy::Run(const DeviceContext& device, const std::byte* from, std::byte* to) const {
  const bool streams = IsStreamed();
  return ForEachPart(device, piece_count(),
                     [&](int64_t piece) { CopyPiece(piece, from, to, streams); });
}

}  // namespace hlo::simd

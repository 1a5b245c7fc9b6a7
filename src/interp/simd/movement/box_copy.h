// A box of elements copied between strided places, in pieces that threads share out. Strides and
// sizes are bytes here: types do not matter.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_BOX_COPY_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_BOX_COPY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "support/stream_copy.h"

namespace hlo::simd {

// About what one thread copies between two looks whether the run is to stop.
inline constexpr int64_t kPieceSize = int64_t{1} << 18;

// Bytes of runs that are long enough to be written past the caches one by one.
inline constexpr int64_t kStreamedRun = 256;

// Rows of fewer elements are no runs: of so many rows, which are in the first cache, all elements
// at one place are copied, then those at the next.
inline constexpr int64_t kNarrowRow = 8;
inline constexpr int64_t kNarrowRows = 256;

// Copies `count` runs of `size` bytes, whose begins lie `from_stride` and `to_stride` apart.
void CopyRuns(int64_t size, int64_t count, const std::byte* from, int64_t from_stride,
              std::byte* to, int64_t to_stride);

// The same past the caches: others see it after FinishStreams (stream_copy.h). Runs that do not lie
// side by side had better be whole lines of these.
void StreamRuns(int64_t size, int64_t count, const std::byte* from, int64_t from_stride,
                std::byte* to, int64_t to_stride);

// One run, past the caches if `streams`: others see it after FinishStreams (stream_copy.h).
void CopyRun(const std::byte* from, std::byte* to, int64_t size, bool streams);

class BoxCopy {
 public:
  struct Dimension {
    int64_t size;
    int64_t from, to;  // strides
  };

  BoxCopy() = default;
  // A box of elements of `element_size` bytes; strides are elements, 0 repeats, negative ones run
  // backwards.
  BoxCopy(int64_t element_size, std::span<const int64_t> sizes,
          std::span<const int64_t> from_strides, std::span<const int64_t> to_strides);

  // The bytes that lie side by side on both sides, and how often there are such. A run is copied as
  // a whole or, where it is long, in parts.
  int64_t run_size() const { return run_size_; }
  int64_t run_count() const { return run_count_; }
  int64_t byte_size() const { return run_size_ * run_count_; }

  // Whether the result is to be written past the caches.
  bool IsStreamed() const;

  // Pieces of about kPieceSize bytes.
  int64_t piece_count() const { return run_pieces_ * run_groups_; }
  void CopyPiece(int64_t piece, const std::byte* from, std::byte* to, bool streams) const;
  // All of them, on the device's threads; `from` and `to` are where index 0 lies.
  absl::Status Run(const DeviceContext& device, const std::byte* from, std::byte* to) const;

  // visit(from, to, count, from_stride, to_stride) for rows of runs [begin, end), in any order:
  // offsets of their first one, their number, how far apart they are.
  template <typename Visit>
  void ForEachRow(int64_t begin, int64_t end, Visit&& visit) const;

 private:
  int64_t run_size_ = 0;
  int64_t run_count_ = 0;
  int64_t run_pieces_ = 1;  // pieces of one run
  int64_t group_size_ = 1;  // runs that are one piece
  int64_t run_groups_ = 0;
  Dimension row_ = {1, 0, 0};  // the innermost dimension of runs
  bool is_narrow_ = false;     // rows are so short that the runs of many, place by place, are rows
  absl::InlinedVector<Dimension, 4> outer_;
};

template <typename Visit>
void BoxCopy::ForEachRow(int64_t begin, int64_t end, Visit&& visit) const {
  while (begin < end) {
    const int64_t first = begin % row_.size;
    const int64_t count = std::min(row_.size - first, end - begin);
    int64_t from = first * row_.from, to = first * row_.to;
    int64_t index = begin / row_.size;
    for (size_t d = outer_.size(); d-- > 0;) {
      const int64_t i = index % outer_[d].size;
      index /= outer_[d].size;
      from += i * outer_[d].from;
      to += i * outer_[d].to;
    }
    if (is_narrow_ && first == 0 && end - begin >= row_.size) {
      const Dimension& line = outer_.back();
      const int64_t rest = line.size - begin / row_.size % line.size;
      const int64_t rows = std::min({rest, (end - begin) / row_.size, kNarrowRows});
      for (int64_t c = 0; c < row_.size; ++c, from += row_.from, to += row_.to) {
        visit(from, to, rows, line.from, line.to);
      }
      begin += rows * row_.size;
      continue;
    }
    visit(from, to, count, row_.from, row_.to);
    begin += count;
  }
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_BOX_COPY_H_

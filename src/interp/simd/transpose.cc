// transpose (semantics.md 7.3). Neighbouring dimensions that stay neighbours become one. If the
// innermost one stays innermost, runs of bytes are copied; otherwise the two dimensions that are
// innermost in operand and result are walked in square tiles, all others around them.
#include "interp/simd/transpose.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/simd/box_copy.h"
#include "interp/simd/parallel.h"
#include "interp/simd/turn_tile.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements

struct Dimension {
  int64_t size;
  int64_t from_stride;  // elements
  int64_t to_stride;
};

// In order of the result.
std::vector<Dimension> JoinedDimensions(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  const auto permutation = op.Get<Attr::kDimensions>();
  std::vector<int64_t> strides(static_cast<size_t>(operand.rank()), 1);
  for (size_t d = strides.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * operand.dim(static_cast<int64_t>(d));
  }
  std::vector<Dimension> dimensions;
  int64_t to_stride = 1;
  for (int64_t d = result.rank() - 1; d >= 0; --d) {
    const int64_t size = result.dim(d);
    const Dimension next = {size, strides[static_cast<size_t>(permutation[static_cast<size_t>(d)])],
                            to_stride};
    to_stride *= size;
    if (size == 1) continue;
    if (!dimensions.empty() &&
        next.from_stride == dimensions.back().size * dimensions.back().from_stride) {
      dimensions.back().size *= size;  // the outer part of the one before
    } else {
      dimensions.push_back(next);
    }
  }
  std::ranges::reverse(dimensions);
  return dimensions;
}

// Walked in order of the result, which is written from its begin to its end.
BoxCopy CopyOfRuns(std::span<const Dimension> dimensions, int64_t element_size) {
  std::vector<int64_t> sizes, from, to;
  for (const Dimension& dimension : dimensions) {
    sizes.push_back(dimension.size);
    from.push_back(dimension.from_stride);
    to.push_back(dimension.to_stride);
  }
  return BoxCopy(element_size, sizes, from, to);
}

class Transposition {
 public:
  explicit Transposition(const Evaluation& e) {
    std::vector<Dimension> dimensions = JoinedDimensions(e.op());
    if (dimensions.empty() || dimensions.back().from_stride == 1) {
      runs_ = CopyOfRuns(dimensions, ElementByteSize(e.result().element_type));
      return;
    }
    columns_ = dimensions.back();  // innermost in the result
    dimensions.pop_back();
    const auto inner = std::ranges::find(dimensions, 1, &Dimension::from_stride);
    if (inner != dimensions.end()) {
      rows_ = *inner;
      dimensions.erase(inner);
    }
    outer_ = std::move(dimensions);
    for (const Dimension& dimension : outer_) outer_count_ *= dimension.size;
  }

  template <typename T>
  absl::Status Run(const DeviceContext& device, const T* from, T* to) const {
    if (!runs_) return MoveTiles(device, from, to);
    return runs_->Run(device, reinterpret_cast<const std::byte*>(from),
                      reinterpret_cast<std::byte*>(to));
  }

 private:
  // Where the inner dimensions of outer index `index` begin.
  std::pair<int64_t, int64_t> OuterOffsets(int64_t index) const {
    int64_t from = 0, to = 0;
    for (size_t d = outer_.size(); d-- > 0;) {
      const int64_t i = index % outer_[d].size;
      index /= outer_[d].size;
      from += i * outer_[d].from_stride;
      to += i * outer_[d].to_stride;
    }
    return {from, to};
  }

  // A part is a stripe of rows of one outer index, or several such.
  template <typename T>
  absl::Status MoveTiles(const DeviceContext& device, const T* from, T* to) const {
    const int64_t size = outer_count_ * rows_.size * columns_.size;
    const bool streams = size >= kStreamedSize / static_cast<int64_t>(sizeof(T));
    const TurnTile<T> turn = GetTurnTile<T>(streams);
    const int64_t stripes = CeilDiv(rows_.size, kTurnTile<T>);
    const int64_t stripe_size = std::min(kTurnTile<T>, rows_.size) * columns_.size;
    const int64_t count = std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, stripe_size));
    return ForEachPart(device, CeilDiv(outer_count_ * stripes, count), [&](int64_t part) {
      const int64_t end = std::min(outer_count_ * stripes, (part + 1) * count);
      for (int64_t i = part * count; i < end; ++i) {
        const auto [from_offset, to_offset] = OuterOffsets(i / stripes);
        const int64_t row = i % stripes * kTurnTile<T>;
        const int64_t rows = std::min(kTurnTile<T>, rows_.size - row);
        for (int64_t column = 0; column < columns_.size; column += kTurnTile<T>) {
          turn(from + from_offset + row + column * columns_.from_stride, columns_.from_stride,
               to + to_offset + row * rows_.to_stride + column, rows_.to_stride, rows,
               std::min(kTurnTile<T>, columns_.size - column));
        }
      }
      if (streams) FinishStreams();
    });
  }

  std::optional<BoxCopy> runs_;    // if what is innermost stays so; the rest is not used then
  Dimension rows_ = {1, 1, 0};     // innermost in the operand
  Dimension columns_ = {1, 1, 1};  // innermost in the result
  std::vector<Dimension> outer_;
  int64_t outer_count_ = 1;
};

absl::Status RunTranspose(Evaluation& e) {
  const auto& transposition = PreparedOf<Transposition>(e);
  const auto run = [&]<typename T>(T) {
    return transposition.Run(e.device(), reinterpret_cast<const T*>(e.operand(0).bytes),
                             reinterpret_cast<T*>(e.result().bytes));
  };
  switch (ElementByteSize(e.result().element_type)) {
    case 1:
      return run(uint8_t());
    case 2:
      return run(uint16_t());
    case 4:
      return run(uint32_t());
    default:
      return run(uint64_t());
  }
}

}  // namespace

const Kernel* FindTransposeKernel(const OpView& op) {
  static constexpr Kernel kKernel = {.run = RunTranspose, .prepare = Prepare<Transposition>};
  const Shape& operand = op.operand_shape(0);
  const bool is_fine = operand.element_type() == op.written_shape()->element_type() &&
                       !operand.HasDynamicDim() && !op.written_shape()->HasDynamicDim() &&
                       ElementByteSize(operand.element_type()) <= 8;
  return is_fine ? &kKernel : nullptr;
}

}  // namespace hlo::simd

// transpose (semantics.md 7.3), and bitcast (16.5) between layouts that are no views of each other:
// arrays are row-major here, so what stays where it is in memory moves. Neighbouring dimensions
// that stay neighbours become one. If the innermost one stays innermost, runs of bytes are copied;
// otherwise the two dimensions that are innermost in operand and result are walked in square tiles,
// all others around them. Where one of these has a few places only, which is no tile, plain loops
// go along a long dimension; where there is none, as among the axes of qubits, elements go one by
// one, but so that what is innermost on either side moves together.
#include "interp/simd/movement/transpose.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/box_copy.h"
#include "interp/simd/movement/turn_tile.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 15;  // elements
// Places of short dimensions that move together, on either side: some lines of the caches.
constexpr int64_t kEnoughPlaces = 16, kMostPlaces = 64;

struct Dimension {
  int64_t size;
  int64_t from_stride;  // elements
  int64_t to_stride;
};

// The dimensions of a transpose, in order of the result.
std::vector<Dimension> TransposedDimensions(const OpView& op) {
  const std::span<const int64_t> dims = op.written_shape()->dims();
  const auto permutation = op.Get<Attr::kDimensions>();
  const Index from_strides = reference::DenseStrides(op.operand_shape(0).dims());
  const Index to_strides = reference::DenseStrides(dims);
  std::vector<Dimension> dimensions;
  for (size_t d = 0; d < dims.size(); ++d) {
    dimensions.push_back(
        {dims[d], from_strides[static_cast<size_t>(permutation[d])], to_strides[d]});
  }
  return dimensions;
}

// Without those of size 1, and neighbours on both sides as one.
std::vector<Dimension> JoinedDimensions(std::span<const Dimension> dimensions) {
  std::vector<Dimension> joined;
  for (const Dimension& next : dimensions) {
    if (next.size == 1) continue;
    if (!joined.empty() && joined.back().from_stride == next.size * next.from_stride) {
      joined.back() = {joined.back().size * next.size, next.from_stride, next.to_stride};
    } else {
      joined.push_back(next);
    }
  }
  return joined;
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

// How the elements of an array lie in memory by its layout, outermost dimension first, and where
// they are here.
std::vector<Dimension> DimensionsInMemory(const Shape& shape, int64_t Dimension::*stride_in_order) {
  const Index strides = reference::DenseStrides(shape.dims());
  const Layout layout = shape.layout() ? *shape.layout() : Layout::Default(shape.rank());
  std::vector<Dimension> dimensions;
  for (int64_t d : layout.minor_to_major) {
    if (shape.dim(d) == 1) continue;
    Dimension& dimension = dimensions.emplace_back(Dimension{shape.dim(d), 0, 0});
    dimension.*stride_in_order = strides[static_cast<size_t>(d)];
  }
  std::ranges::reverse(dimensions);
  return dimensions;
}

// The outer `size` of a dimension's places, which are cut off.
Dimension TakeOuter(Dimension& dimension, int64_t size) {
  const int64_t inner = dimension.size / size;
  const Dimension outer = {size, dimension.from_stride * inner, dimension.to_stride * inner};
  dimension.size = inner;
  return outer;
}

// Of arrays of the same number of elements the dimensions that both layouts are made of, in order
// of the result. Nothing where none of two sizes divides the other.
std::optional<std::vector<Dimension>> BitcastDimensions(const OpView& op) {
  std::vector<Dimension> from = DimensionsInMemory(op.operand_shape(0), &Dimension::from_stride);
  std::vector<Dimension> to = DimensionsInMemory(*op.written_shape(), &Dimension::to_stride);
  std::vector<Dimension> dimensions;
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    const int64_t size = std::gcd(from[i].size, to[j].size);
    if (size != std::min(from[i].size, to[j].size)) return std::nullopt;
    dimensions.push_back(
        {size, TakeOuter(from[i], size).from_stride, TakeOuter(to[j], size).to_stride});
    i += from[i].size == 1 ? 1 : 0;
    j += to[j].size == 1 ? 1 : 0;
  }
  std::ranges::sort(dimensions, std::ranges::greater(), &Dimension::to_stride);
  return dimensions;
}

class Transposition {
 public:
  explicit Transposition(const Evaluation& e) {
    const bool is_bitcast = e.op().opcode() == Opcode::kBitcast;
    std::vector<Dimension> dimensions =
        JoinedDimensions(is_bitcast ? *BitcastDimensions(e.op()) : TransposedDimensions(e.op()));
    if (dimensions.empty() || dimensions.back().from_stride == 1) {
      runs_ = CopyOfRuns(dimensions, ElementByteSize(e.result().element_type));
      return;
    }
    const std::vector<Dimension> all_dimensions = dimensions;
    columns_ = dimensions.back();  // innermost in the result
    dimensions.pop_back();
    const auto inner = std::ranges::find(dimensions, 1, &Dimension::from_stride);
    if (inner != dimensions.end()) {
      rows_ = *inner;
      dimensions.erase(inner);
    }
    outer_ = std::move(dimensions);
    if (std::min(rows_.size, columns_.size) < kNarrowRow) ChooseLines();
    if (!lines_.empty() && line_.size < kNarrowRow) ChoosePlaces(all_dimensions);
    for (const Dimension& dimension : outer_) outer_count_ *= dimension.size;
  }

  template <typename T>
  absl::Status Run(const DeviceContext& device, const T* from, T* to) const {
    if (!places_.empty()) return MovePlaces(device, from, to);
    if (!lines_.empty()) return MoveLines(device, from, to);
    if (!runs_) return MoveTiles(device, from, to);
    return runs_->Run(device, reinterpret_cast<const std::byte*>(from),
                      reinterpret_cast<std::byte*>(to));
  }

 private:
  struct Offsets {
    int64_t from, to;
  };

  // Lines along the longer one of both dimensions; if that is no line either, along the longest
  // outer one.
  void ChooseLines() {
    line_ = rows_.size > columns_.size ? rows_ : columns_;
    Dimension others[] = {rows_.size > columns_.size ? columns_ : rows_, {1, 0, 0}};
    const auto longest = std::ranges::max_element(outer_, {}, &Dimension::size);
    if (line_.size < kNarrowRow && longest != outer_.end() && longest->size > line_.size) {
      others[1] = std::exchange(line_, *longest);
      outer_.erase(longest);
    }
    for (int64_t i = 0; i < others[0].size; ++i) {
      for (int64_t k = 0; k < others[1].size; ++k) {
        lines_.push_back({i * others[0].from_stride + k * others[1].from_stride,
                          i * others[0].to_stride + k * others[1].to_stride});
      }
    }
  }

  // The innermost dimensions of both sides, given in order of the result.
  void ChoosePlaces(std::span<const Dimension> dimensions) {
    std::vector<Dimension> by_operand(dimensions.begin(), dimensions.end());
    std::ranges::sort(by_operand, std::ranges::greater(), &Dimension::from_stride);
    int64_t inner_from = 1, inner_to = 1;  // strides below these are of such dimensions
    const auto widen = [](std::span<const Dimension> ordered, int64_t Dimension::*stride,
                          int64_t& inner) {
      for (size_t d = ordered.size(); d-- > 0 && inner < kEnoughPlaces;) {
        const int64_t next = ordered[d].*stride * ordered[d].size;
        if (next > kMostPlaces) break;
        inner = next;
      }
    };
    widen(dimensions, &Dimension::to_stride, inner_to);
    widen(by_operand, &Dimension::from_stride, inner_from);
    places_ = {{0, 0}};
    outer_.clear();
    for (const Dimension& d : dimensions) {
      if (d.from_stride >= inner_from && d.to_stride >= inner_to) {
        outer_.push_back(d);
        continue;
      }
      std::vector<Offsets> more;
      for (const Offsets& place : places_) {
        for (int64_t i = 0; i < d.size; ++i) {
          more.push_back({place.from + i * d.from_stride, place.to + i * d.to_stride});
        }
      }
      places_ = std::move(more);
    }
  }

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

  // A part is some pieces of all lines of one outer index, or several such.
  template <typename T>
  absl::Status MoveLines(const DeviceContext& device, const T* from, T* to) const {
    constexpr int64_t kSize = sizeof(T);
    const int64_t pieces = CeilDiv(line_.size, kNarrowRows);
    const int64_t piece_size = std::min(line_.size, kNarrowRows) * std::ssize(lines_);
    const int64_t count = std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, piece_size));
    return ForEachPart(device, CeilDiv(outer_count_ * pieces, count), [&](int64_t part) {
      const int64_t end = std::min(outer_count_ * pieces, (part + 1) * count);
      for (int64_t i = part * count; i < end; ++i) {
        const auto [from_offset, to_offset] = OuterOffsets(i / pieces);
        const int64_t begin = i % pieces * kNarrowRows;
        const int64_t length = std::min(kNarrowRows, line_.size - begin);
        for (const Offsets& line : lines_) {
          const T* element = from + from_offset + line.from + begin * line_.from_stride;
          T* place = to + to_offset + line.to + begin * line_.to_stride;
          CopyRuns(kSize, length, reinterpret_cast<const std::byte*>(element),
                   line_.from_stride * kSize, reinterpret_cast<std::byte*>(place),
                   line_.to_stride * kSize);
        }
      }
    });
  }

  // A part is some outer indices.
  template <typename T>
  absl::Status MovePlaces(const DeviceContext& device, const T* from, T* to) const {
    const int64_t count = std::max<int64_t>(1, kPartSize / std::ssize(places_));
    return ForEachPart(device, CeilDiv(outer_count_, count), [&](int64_t part) {
      const int64_t end = std::min(outer_count_, (part + 1) * count);
      for (int64_t i = part * count; i < end; ++i) {
        const auto [from_offset, to_offset] = OuterOffsets(i);
        const T* source = from + from_offset;
        T* target = to + to_offset;
        for (const Offsets& place : places_) target[place.to] = source[place.from];
      }
    });
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
  // Where lines_ is not empty they are walked instead of rows and columns.
  Dimension line_ = {1, 1, 1};
  std::vector<Offsets> lines_;  // where they begin, side by side
  // Where this is not empty the elements at these places, in order of the result, are moved one
  // after the other instead.
  std::vector<Offsets> places_;
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

constexpr Kernel kKernel = {.run = RunTranspose, .prepare = Prepare<Transposition>};

bool HasTiles(const Shape& shape) { return shape.layout() && !shape.layout()->tiles.empty(); }

// Whether both arrays have the same elements, of whole bytes, in memory.
bool KeepsElements(const Shape& from, const Shape& to) {
  const ElementType type = to.element_type();
  return BitWidth(from.element_type()) == BitWidth(type) && BitWidth(type) % 8 == 0 &&
         (type != ElementType::kPred || from.element_type() == type) &&
         ElementCount(from) == ElementCount(to);
}

}  // namespace

const Kernel* FindBitcastKernel(const OpView& op) {
  if (op.operand_count() != 1 || !op.operand_shape(0).IsArray() || !op.written_shape()->IsArray()) {
    return nullptr;
  }
  const Shape &operand = op.operand_shape(0), &result = *op.written_shape();
  const bool is_fine = KeepsElements(operand, result) && !operand.HasDynamicDim() &&
                       !result.HasDynamicDim() && ElementByteSize(result.element_type()) <= 8 &&
                       ElementCount(result).value_or(0) != 0 && !HasTiles(operand) &&
                       !HasTiles(result) && BitcastDimensions(op).has_value();
  return is_fine ? &kKernel : nullptr;
}

const Kernel* FindTransposeKernel(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const bool is_fine = operand.element_type() == op.written_shape()->element_type() &&
                       !operand.HasDynamicDim() && !op.written_shape()->HasDynamicDim() &&
                       ElementByteSize(operand.element_type()) <= 8;
  return is_fine ? &kKernel : nullptr;
}

}  // namespace hlo::simd

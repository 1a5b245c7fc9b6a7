// pad (semantics.md 7.4): r[low + j * (interior + 1)] = x[j] where that lies inside the result,
// else the fill value; negative edges cut elements off, and holes too. The result is written once,
// line after line along the innermost padded dimension: what lies behind it is one unit. Lines
// whose place in the other dimensions is none of the operand's are filled. Where lines are a few
// elements, some of them are written together, place by place.
#include "interp/simd/movement/pad.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/element_size.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/box_copy.h"
#include "interp/simd/vector/independent.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

// A dimension of the result and what of the operand is in it: elements first ... first + count - 1,
// the first of them at `begin`, `step` apart.
struct PaddedDimension {
  int64_t size = 1;
  int64_t begin = 0, step = 1;
  int64_t count = 1;
  int64_t first = 0;
  int64_t stride = 1;  // of the operand, bytes

  bool IsWhole() const { return count == size; }
  // The place in the operand of place `i` of the result; negative: none.
  int64_t SourceOf(int64_t i) const {
    int64_t number = i - begin;
    if (number < 0) return -1;
    if (step != 1) {
      if (number % step != 0) return -1;
      number /= step;
    }
    return number < count ? first + number : -1;
  }
};

PaddedDimension MakeDimension(const PaddingDimension& padding, int64_t operand_size, int64_t size) {
  using Wide = __int128;  // edges and holes may be any numbers where the result has few elements
  const Wide step = Wide{padding.interior} + 1;
  const Wide low = padding.low;
  const Wide first = low < 0 ? (-low + step - 1) / step : 0;
  const Wide end = size > low ? std::min<Wide>(operand_size, (size - low + step - 1) / step) : 0;
  PaddedDimension dimension;
  dimension.size = size;
  dimension.count = static_cast<int64_t>(std::max<Wide>(0, end - first));
  if (dimension.count == 0) return dimension;
  dimension.begin = static_cast<int64_t>(low + first * step);
  dimension.first = static_cast<int64_t>(first);
  dimension.step = dimension.count > 1 ? static_cast<int64_t>(step) : 1;
  return dimension;
}

// Elements with one fill value behind each.
template <typename T>
void CopyWithHoles(const std::byte* from, int64_t count, const std::byte* fill, std::byte* to) {
  const T* elements = reinterpret_cast<const T*>(from);
  T* next = reinterpret_cast<T*>(to);
  const T hole = *reinterpret_cast<const T*>(fill);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    next[2 * i] = elements[i];
    next[2 * i + 1] = hole;
  }
}

class Padding {
 public:
  explicit Padding(const OpView& op);

  absl::Status Run(Evaluation& e) const;

 private:
  class Lines;

  // Units [begin, end) of one line of the result, whose elements lie from `source` on in the
  // operand; negative: nowhere.
  void WriteLine(int64_t source, int64_t begin, int64_t end, const std::byte* operand,
                 std::byte* to, const std::byte* pattern) const;
  // Lines [begin, end) of few elements.
  void WriteNarrowLines(int64_t begin, int64_t end, const std::byte* operand, std::byte* result,
                        const std::byte* pattern) const;
  // `count` units of fill values.
  void Fill(std::byte* to, int64_t count, const std::byte* pattern) const;

  static constexpr int64_t kPatternSize = 1024;  // bytes: many fill values

  int64_t element_size_;
  int64_t line_count_ = 1;
  int64_t unit_size_;  // bytes
  bool is_empty_ = false;
  PaddedDimension line_;
  std::vector<PaddedDimension> outer_;
  bool is_narrow_ = false;
};

Padding::Padding(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  const PaddingConfig padding = op.Get<Attr::kPadding>();
  element_size_ = ElementByteSize(result.element_type());
  unit_size_ = element_size_;
  is_empty_ = CountElements(result.dims()) == 0;
  if (is_empty_) return;
  int64_t stride = element_size_;
  bool has_line = false;
  for (int64_t d = result.rank() - 1; d >= 0; --d) {
    PaddedDimension dimension =
        MakeDimension(padding[static_cast<size_t>(d)], operand.dim(d), result.dim(d));
    dimension.stride = stride;
    stride *= operand.dim(d);
    const bool is_plain = dimension.IsWhole() && operand.dim(d) == result.dim(d);
    if (!has_line && is_plain) {
      unit_size_ *= dimension.size;
    } else if (!has_line) {
      has_line = true;
      line_ = dimension;
    } else {
      line_count_ *= dimension.size;
      outer_.insert(outer_.begin(), dimension);
    }
  }
  is_narrow_ = has_line && unit_size_ == element_size_ && line_.size < kNarrowRow &&
               !outer_.empty() && outer_.back().IsWhole() && outer_.back().size >= 2 * kNarrowRow;
  // Units that are worth several pieces are lines themselves.
  if (unit_size_ > kPieceSize) {
    line_count_ *= line_.size;
    outer_.push_back(line_);
    const int64_t elements = unit_size_ / element_size_;
    line_ = {elements, 0, 1, elements, 0, element_size_};
    unit_size_ = element_size_;
  }
}

// A walk over lines of the result.
class Padding::Lines {
 public:
  Lines(const Padding& padding, int64_t line) : padding_(padding), places_(padding.outer_.size()) {
    for (size_t d = places_.size(); d-- > 0;) {
      places_[d] = line % padding.outer_[d].size;
      line /= padding.outer_[d].size;
    }
  }

  // Where the line's elements lie in the operand, in bytes; negative: nowhere.
  int64_t Source() const {
    if (padding_.line_.count == 0) return -1;
    int64_t offset = 0;
    for (size_t d = 0; d < places_.size(); ++d) {
      const int64_t source = padding_.outer_[d].SourceOf(places_[d]);
      if (source < 0) return -1;
      offset += source * padding_.outer_[d].stride;
    }
    return offset;
  }
  void Next() {
    for (size_t d = places_.size(); d-- > 0;) {
      if (++places_[d] < padding_.outer_[d].size) return;
      places_[d] = 0;
    }
  }

 private:
  const Padding& padding_;
  Index places_;
};

void Padding::Fill(std::byte* to, int64_t count, const std::byte* pattern) const {
  for (int64_t size = count * unit_size_; size > 0;) {
    const int64_t piece = std::min(size, kPatternSize);
    std::memcpy(to, pattern, static_cast<size_t>(piece));
    to += piece;
    size -= piece;
  }
}

void Padding::WriteLine(int64_t source, int64_t begin, int64_t end, const std::byte* operand,
                        std::byte* to, const std::byte* pattern) const {
  // The operand's elements from `i` to `last` lie in this part of the line.
  const int64_t i = begin <= line_.begin ? 0 : CeilDiv(begin - line_.begin, line_.step);
  const int64_t last =
      end <= line_.begin ? 0 : std::min(line_.count, CeilDiv(end - line_.begin, line_.step));
  if (source < 0 || i >= last) return Fill(to + begin * unit_size_, end - begin, pattern);
  const std::byte* from = operand + source + (line_.first + i) * line_.stride;
  const int64_t at = line_.begin + i * line_.step;
  if (line_.step == 1) {
    Fill(to + begin * unit_size_, at - begin, pattern);
    std::memcpy(to + at * unit_size_, from, static_cast<size_t>((last - i) * unit_size_));
    return Fill(to + (at + last - i) * unit_size_, end - (at + last - i), pattern);
  }
  if (line_.step == 2 && unit_size_ == element_size_ && unit_size_ <= 8) {
    // The last element may be the last of the line, without a hole behind it.
    const int64_t pairs = std::min(last - i, (end - at) / 2);
    Fill(to + begin * unit_size_, at - begin, pattern);
    reference::DispatchElementSize(element_size_, [&]<typename T>() {
      CopyWithHoles<T>(from, pairs, pattern, to + at * unit_size_);
    });
    Fill(to + (at + 2 * pairs) * unit_size_, end - (at + 2 * pairs), pattern);
    if (pairs < last - i) {
      std::memcpy(to + (at + 2 * pairs) * unit_size_, from + pairs * unit_size_,
                  static_cast<size_t>(unit_size_));
    }
    return;
  }
  Fill(to + begin * unit_size_, end - begin, pattern);
  CopyRuns(unit_size_, last - i, from, line_.stride, to + at * unit_size_, line_.step * unit_size_);
}

void Padding::WriteNarrowLines(int64_t begin, int64_t end, const std::byte* operand,
                               std::byte* result, const std::byte* pattern) const {
  const PaddedDimension& lines = outer_.back();
  const int64_t line_size = line_.size * element_size_;
  for (int64_t line = begin, count = 0; line < end; line += count) {
    count = std::min({end - line, lines.size - line % lines.size, kNarrowRows});
    const int64_t source = Lines(*this, line).Source();
    for (int64_t i = 0; i < line_.size; ++i) {
      std::byte* to = result + line * line_size + i * element_size_;
      const int64_t element = source < 0 ? -1 : line_.SourceOf(i);
      if (element < 0) {
        CopyRuns(element_size_, count, pattern, 0, to, line_size);
      } else {
        const std::byte* from = operand + source + element * element_size_;
        CopyRuns(element_size_, count, from, lines.stride, to, line_size);
      }
    }
  }
}

absl::Status Padding::Run(Evaluation& e) const {
  if (is_empty_) return absl::OkStatus();
  alignas(64) std::byte pattern[kPatternSize];
  for (int64_t i = 0; i < kPatternSize; i += element_size_) {
    std::memcpy(pattern + i, e.operand(1).bytes, static_cast<size_t>(element_size_));
  }
  // With holes what is filled should still be in the first cache when the elements come.
  const int64_t part_size = line_.step == 1 ? kPieceSize : kPieceSize / 16;
  const int64_t units = std::max<int64_t>(1, part_size / unit_size_);
  const int64_t pieces = CeilDiv(line_.size, units);
  const int64_t lines = pieces > 1 ? 1 : std::max<int64_t>(1, units / line_.size);
  return ForEachPart(e.device(), CeilDiv(line_count_, lines) * pieces, [&](int64_t part) {
    const int64_t line = part / pieces * lines;
    const int64_t begin = pieces > 1 ? part % pieces * units : 0;
    const int64_t end = pieces > 1 ? std::min(line_.size, begin + units) : line_.size;
    const int64_t last_line = std::min(line_count_, line + lines);
    if (is_narrow_) {
      return WriteNarrowLines(line, last_line, e.operand(0).bytes, e.result().bytes, pattern);
    }
    std::byte* to = e.result().bytes + line * line_.size * unit_size_;
    Lines walk(*this, line);
    for (int64_t l = line; l < last_line; ++l, walk.Next(), to += line_.size * unit_size_) {
      WriteLine(walk.Source(), begin, end, e.operand(0).bytes, to, pattern);
    }
  });
}

absl::Status RunPad(Evaluation& e) { return PreparedOf<Padding>(e).Run(e); }

}  // namespace

const Kernel* FindPadKernel(const OpView& op) {
  const Shape& result = *op.written_shape();
  for (int64_t i = 0; i < 2; ++i) {
    const Shape& operand = op.operand_shape(i);
    if (operand.HasDynamicDim() || operand.element_type() != result.element_type()) return nullptr;
  }
  if (result.HasDynamicDim()) return nullptr;
  static constexpr Kernel kKernel = {.run = RunPad, .prepare = Prepare<Padding>};
  return &kKernel;
}

}  // namespace hlo::simd

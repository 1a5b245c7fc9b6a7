// Whether a piece of a line reaches the extreme so far is asked by lanes. Only pieces that do are
// looked through, element by element. Pieces follow each other as their elements do, so NaN and
// equal values are told apart as in the order of the definition (semantics.md 9.1).
#include "interp/simd/reduce/reduce_extreme.h"

#include <algorithm>
#include <cstring>

#include "interp/kernel/device.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/vector/wide.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPieceSize = 64;               // elements
constexpr int64_t kPartSize = int64_t{1} << 16;  // elements that are worth a part of their own
constexpr int64_t kMinLength = 16;               // of lines: shorter ones go many at a time

template <typename W>
bool IsNan(W x) {
  if constexpr (std::is_floating_point_v<W>) return x != x;
  return false;
}

// Of a part of a line: who was chosen.
template <typename T, typename Place>
struct Chosen {
  T value;
  Place place;
};

template <typename T, typename Place, bool kAscending>
class ExtremeReduce {
  using W = decltype(Wide(T{}));
  using Pair = Chosen<T, Place>;

 public:
  ExtremeReduce(Evaluation& e, const FunctionForm& form)
      : e_(e),
        form_(form),
        values_(reinterpret_cast<const T*>(e.operand(0).bytes)),
        places_(reinterpret_cast<const Place*>(e.operand(1).bytes)),
        line_count_(e.result().element_count()),
        length_(line_count_ == 0 ? 0 : e.operand(0).element_count() / line_count_) {}

  absl::Status Run() {
    if (line_count_ == 0) return absl::OkStatus();
    const Pair init = {*reinterpret_cast<const T*>(e_.operand(2).bytes),
                       *reinterpret_cast<const Place*>(e_.operand(3).bytes)};
    // Short lines go several at a time, long ones in several parts.
    const int64_t lines = std::max<int64_t>(1, kPartSize / length_);
    const int64_t parts_of_line = lines > 1 ? 1 : CeilDiv(length_, kPartSize);
    const ScratchArray<Pair> chosen(e_.device().scratch(), line_count_ * parts_of_line);
    const absl::Status status =
        ForEachPart(e_.device(), CeilDiv(line_count_, lines) * parts_of_line, [&](int64_t part) {
          const int64_t first = part / parts_of_line * lines;
          const int64_t begin = part % parts_of_line * kPartSize;
          const int64_t end = parts_of_line == 1 ? length_ : std::min(length_, begin + kPartSize);
          for (int64_t line = first; line < std::min(line_count_, first + lines); ++line) {
            chosen[line * parts_of_line + part % parts_of_line] =
                ChooseIn(line * length_ + begin, line * length_ + end);
          }
        });
    if (!status.ok()) return status;
    auto* values = reinterpret_cast<T*>(e_.result(0).bytes);
    auto* places = reinterpret_cast<Place*>(e_.result(1).bytes);
    for (int64_t line = 0; line < line_count_; ++line) {
      Pair best = init;
      for (int64_t p = 0; p < parts_of_line; ++p) {
        Take(chosen[line * parts_of_line + p], best);
      }
      values[line] = best.value;
      places[line] = best.place;
    }
    return absl::OkStatus();
  }

 private:
  static bool IsBetter(W a, W b) { return kAscending ? a < b : a > b; }

  // What the function makes of `best` and the pair after it.
  void Take(const Pair& next, Pair& best) const {
    const W kept = Wide(best.value), candidate = Wide(next.value);
    if (IsNan(kept)) return;
    if (IsNan(candidate) || IsBetter(candidate, kept)) {
      best = next;
    } else if (candidate == kept) {
      if (form_.takes_last_of_equal) best.value = next.value;
      const bool takes_place =
          form_.tie == FunctionForm::Tie::kLast ||
          (form_.tie == FunctionForm::Tie::kSmallestPlace && next.place < best.place);
      if (takes_place) best.place = next.place;
    }
  }

  Pair ChooseIn(int64_t begin, int64_t end) const {
    Pair best = {values_[begin], places_[begin]};
    for (int64_t i = begin + 1; i < end && !IsNan(Wide(best.value)); i += kPieceSize) {
      const int64_t piece_end = std::min(end, i + kPieceSize);
      if (!Reaches(Wide(best.value), i, piece_end)) continue;
      for (int64_t k = i; k < piece_end; ++k) Take({values_[k], places_[k]}, best);
    }
    return best;
  }

  // Whether an element of the piece is as good as `best`, or NaN.
  bool Reaches(W best, int64_t begin, int64_t end) const {
    constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(W));
    uint32_t hits[kLanes] = {};
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        // Not worse: true for NaN too.
        hits[lane] |= IsBetter(best, Wide(values_[i + lane])) ? 0u : 1u;
      }
    }
    for (; i < end; ++i) hits[0] |= IsBetter(best, Wide(values_[i])) ? 0u : 1u;
    return std::ranges::any_of(hits, [](uint32_t hit) { return hit != 0; });
  }

  Evaluation& e_;
  const FunctionForm& form_;
  const T* values_;
  const Place* places_;
  const int64_t line_count_, length_;
};

template <typename T, typename Place>
absl::Status RunTyped(Evaluation& e, const FunctionForm& form) {
  return form.takes_smallest ? ExtremeReduce<T, Place, true>(e, form).Run()
                             : ExtremeReduce<T, Place, false>(e, form).Run();
}

using RunPairs = absl::Status (*)(Evaluation&, const FunctionForm&);

template <typename T>
RunPairs RunOf(ElementType places) {
  if (places == ElementType::kS32) return RunTyped<T, int32_t>;
  if (places == ElementType::kU32) return RunTyped<T, uint32_t>;
  return places == ElementType::kS64 ? RunTyped<T, int64_t> : nullptr;
}

// The types that people look for extremes in.
RunPairs RunOf(ElementType values, ElementType places) {
  switch (values) {
    case ElementType::kF64:
      return RunOf<double>(places);
    case ElementType::kF32:
      return RunOf<float>(places);
    case ElementType::kBf16:
      return RunOf<Bf16>(places);
    case ElementType::kF16:
      return RunOf<F16>(places);
    case ElementType::kS32:
      return RunOf<int32_t>(places);
    case ElementType::kPred:  // the first that is true
    case ElementType::kU8:
      return RunOf<uint8_t>(places);
    default:  // rare
      return nullptr;
  }
}

absl::Status RunExtreme(Evaluation& e) {
  return RunOf(e.operand(0).element_type, e.operand(1).element_type)(
      e, e.Function(Attr::kToApply).form());
}

// What is chosen in each part of each line.
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kMost = INT64_MAX / 64;
  const int64_t lines = ElementCount(op.written_shape()->element(0)).value_or(kMost);
  const int64_t elements = ElementCount(op.operand_shape(0)).value_or(kMost);
  return 16 * (std::min(lines, kMost) + std::min(elements, kMost) / kPartSize);
}

}  // namespace

const Kernel* FindExtremeKernel(const OpView& op, const FunctionForm& form) {
  if (form.kind != FunctionForm::Kind::kExtreme || op.operand_count() != 4) return nullptr;
  const Shape& values = op.operand_shape(0);
  const Shape& places = op.operand_shape(1);
  const auto type_of = [&](int64_t i) { return op.operand_shape(i).element_type(); };
  const auto reduced = op.Get<Attr::kDimensions>();
  const auto first = values.rank() - static_cast<int64_t>(reduced.size());
  int64_t length = 1;
  for (int64_t d : reduced) {
    if (d < first) return nullptr;  // lines that do not lie dense
    length = CheckedMul(length, values.dim(d)).value_or(0);
  }
  // Several dimensions are visited in the order of the layout.
  const bool is_in_order =
      reduced.size() == 1 || !values.layout().has_value() || values.layout()->IsDefault();
  // One result for each line.
  const auto is_of_lines = [&](const Shape& shape) {
    return std::ranges::equal(shape.dims(), values.dims().first(static_cast<size_t>(first)));
  };
  if (!std::ranges::equal(places.dims(), values.dims()) ||
      !is_of_lines(op.written_shape()->element(0)) ||
      !is_of_lines(op.written_shape()->element(1))) {
    return nullptr;
  }
  if (!is_in_order || length < kMinLength || type_of(0) != form.element_type ||
      type_of(2) != type_of(0) || type_of(3) != type_of(1) || values.HasDynamicDim() ||
      places.HasDynamicDim() || op.written_shape()->HasDynamicDim() ||
      op.written_shape()->element(0).element_type() != type_of(0) ||
      op.written_shape()->element(1).element_type() != type_of(1) ||
      RunOf(type_of(0), type_of(1)) == nullptr) {
    return nullptr;
  }
  static constexpr Kernel kKernel = {.run = RunExtreme, .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

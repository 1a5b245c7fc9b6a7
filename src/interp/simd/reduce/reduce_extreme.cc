// Places lie in memory here; those that count are counted_extreme.cc's.
#include "interp/simd/reduce/reduce_extreme.h"

#include <algorithm>

#include "interp/kernel/device.h"
#include "interp/simd/reduce/extreme_choice.h"
#include "interp/simd/reduce/extreme_lines.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

absl::Status RunExtreme(Evaluation& e) {
  absl::Status status;
  const ArrayRef &values = e.operand(0), &places = e.operand(1);
  DispatchExtremeTypes(values.element_type, places.element_type, [&]<typename T, typename Place>() {
    const auto* from = reinterpret_cast<const Place*>(places.bytes);
    const int64_t line_count = std::max<int64_t>(1, e.result().element_count());
    const auto place_at = [from, length = values.element_count() / line_count](
                              int64_t line, int64_t k) { return from[line * length + k]; };
    const ExtremePair<T, Place> init = {*reinterpret_cast<const T*>(e.operand(2).bytes),
                                        *reinterpret_cast<const Place*>(e.operand(3).bytes)};
    using Places = decltype(place_at);
    status = e.Function(Attr::kToApply).form().takes_smallest
                 ? ExtremeLines<T, Place, true, Places>(e, place_at).Run(init)
                 : ExtremeLines<T, Place, false, Places>(e, place_at).Run(init);
  });
  return status;
}

// What is chosen in each part of each line.
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kMost = INT64_MAX / 64;
  const int64_t lines = ElementCount(op.written_shape()->element(0)).value_or(kMost);
  const int64_t elements = ElementCount(op.operand_shape(0)).value_or(kMost);
  return 24 * (std::min(lines, kMost) + std::min(elements, kMost) / kExtremePartSize);
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
  if (!is_in_order || length < kMinExtremeLine || type_of(0) != form.element_type ||
      type_of(2) != type_of(0) || type_of(3) != type_of(1) || values.HasDynamicDim() ||
      places.HasDynamicDim() || op.written_shape()->HasDynamicDim() ||
      op.written_shape()->element(0).element_type() != type_of(0) ||
      op.written_shape()->element(1).element_type() != type_of(1) ||
      !HaveExtremes(type_of(0), type_of(1))) {
    return nullptr;
  }
  static constexpr Kernel kKernel = {.run = RunExtreme, .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

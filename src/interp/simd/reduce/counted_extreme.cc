// Lines that lie dense are looked through piece by piece (extreme_lines.h), columns of neighbours
// row by row (extreme_columns.h).
#include "interp/simd/reduce/counted_extreme.h"

#include <algorithm>

#include "interp/kernel/device.h"
#include "interp/simd/base/reach.h"
#include "interp/simd/reduce/extreme_choice.h"
#include "interp/simd/reduce/extreme_columns.h"
#include "interp/simd/reduce/extreme_lines.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMinColumns = 16;  // fewer are not worth a row

absl::Status RunCountedExtreme(Evaluation& e) {
  return static_cast<const CountedExtreme*>(e.program())->Run(e);
}

}  // namespace

// False: what is reduced is no block of dimensions, or the places are others.
bool CountedExtreme::FindForm(std::span<const int64_t> reduced, const IndexedRead& places,
                              Form& form) {
  if (!places.is_counter || !places.starts.empty() || !places.pieces.empty()) return false;
  form.first = places.offset;
  bool is_behind = false;  // the reduced dimensions
  for (size_t d = places.dims.size(); d-- > 0;) {
    const int64_t size = places.dims[d], stride = places.strides[d];
    if (size == 1) continue;
    if (std::ranges::find(reduced, static_cast<int64_t>(d)) == reduced.end()) {
      if (stride != 0) return false;
      is_behind |= form.rows > 1;
      (is_behind ? form.batch : form.columns) *= size;
      continue;
    }
    if (is_behind || (form.rows > 1 && stride != form.step * form.rows)) return false;
    if (form.rows == 1) form.step = stride;
    form.rows *= size;
  }
  return true;
}

std::shared_ptr<const CountedExtreme> CountedExtreme::Make(const Plan& plan, const Step& step,
                                                           const IndexedRead& places) {
  if (step.kind != StepKind::kKernel || step.opcode != Opcode::kReduce ||
      plan.instruction(step).opcode != Opcode::kReduce || step.operands.size() != 4 ||
      step.regions.size() != 1 || step.results.size() != 2 || !IsWithinReach(plan, step)) {
    return nullptr;
  }
  const FunctionForm& form = step.regions[0]->form;
  const auto type_of = [&](SlotId slot) { return plan.slot(slot).shape->element_type(); };
  const ElementType values = type_of(step.operands[0]), place_type = type_of(step.operands[1]);
  const bool is_static =
      std::ranges::none_of(step.operands, [&](SlotId slot) { return plan.slot(slot).is_dynamic; });
  if (form.kind != FunctionForm::Kind::kExtreme || values != form.element_type || !is_static ||
      type_of(step.operands[2]) != values || type_of(step.operands[3]) != place_type ||
      type_of(step.results[0]) != values || type_of(step.results[1]) != place_type ||
      !HaveExtremes(values, place_type)) {
    return nullptr;
  }
  const OpView op(*plan.module, plan.instruction(step));
  const Shape& shape = op.operand_shape(0);
  const auto reduced = op.Get<Attr::kDimensions>();
  // Several dimensions are visited in the order of the layout.
  const bool is_in_order =
      reduced.size() == 1 || !shape.layout().has_value() || shape.layout()->IsDefault();
  auto program = std::make_shared<CountedExtreme>();
  Form& found = program->form_;
  if (!is_in_order || !std::ranges::equal(places.dims, shape.dims()) ||
      !FindForm(reduced, places, found)) {
    return nullptr;
  }
  const bool is_fit =
      found.columns == 1 ? found.rows >= kMinExtremeLine : found.columns >= kMinColumns;
  if (!is_fit || found.rows == 1) return nullptr;
  program->place_type_ = place_type;
  program->operands_ = {step.operands[0], step.operands[2], step.operands[3]};
  return program;
}

absl::Status CountedExtreme::Run(Evaluation& e) const {
  absl::Status status;
  const auto run = [&]<typename T, typename Place, bool kAscending>() {
    const ExtremePair<T, Place> init = {*reinterpret_cast<const T*>(e.operand(1).bytes),
                                        *reinterpret_cast<const Place*>(e.operand(2).bytes)};
    if (form_.columns > 1) {
      ExtremeColumns<T, Place, kAscending> columns(e, form_.rows, form_.columns, form_.first,
                                                   form_.step);
      return columns.Run(init);
    }
    const auto place_at = [first = form_.first, step = form_.step](int64_t, int64_t k) {
      return static_cast<Place>(first + k * step);
    };
    return ExtremeLines<T, Place, kAscending, decltype(place_at)>(e, place_at).Run(init);
  };
  DispatchExtremeTypes(e.operand(0).element_type, place_type_, [&]<typename T, typename Place>() {
    status = e.Function(Attr::kToApply).form().takes_smallest
                 ? run.template operator()<T, Place, true>()
                 : run.template operator()<T, Place, false>();
  });
  return status;
}

// What is chosen in each part of each line or column.
int64_t CountedExtreme::ScratchByteSize() const {
  const int64_t parts = CeilDiv(form_.rows, ExtremeRowsOfPart(form_.columns));
  return 24 * form_.batch * form_.columns * parts;
}

const Kernel& CountedExtreme::kernel() const {
  static constexpr Kernel kKernel = {.run = RunCountedExtreme};
  return kKernel;
}

}  // namespace hlo::simd

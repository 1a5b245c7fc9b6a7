// Lists keep their memory between runs; what is in them goes back to the scratch pool.
#include "interp/reference/call_frame.h"

#include "interp/kernel/device.h"

namespace hlo::reference {

ElementType ParameterType(const Evaluation& e, ComputationId computation, int64_t number) {
  return e.op().parameter_shape(computation, number).element_type();
}

CallFrame::CallFrame(const Evaluation& e, Attr attr) {
  const auto computation = e.instruction().attributes.Find(attr)->value.Get<ComputationId>();
  const size_t count = e.op().computation(computation).parameters.size();
  for (size_t k = 0; k < count; ++k) {
    types_.push_back(ParameterType(e, computation, static_cast<int64_t>(k)));
  }
  arguments.resize(count);
  outputs.resize(e.results().size());
  operands_.reserve(e.operands().size());
  results_.reserve(e.results().size());
}

CallFrame::Arrays::Arrays(Evaluation& e, CallFrame& frame) : e_(e), frame_(frame) {}

CallFrame::Arrays::~Arrays() {
  frame_.operands_.clear();
  frame_.results_.clear();
}

void CallFrame::Arrays::AddOperand(size_t i, size_t number) {
  frame_.operands_.emplace_back(e_.device().scratch(), e_.operand(i), frame_.type(number));
}

void CallFrame::Arrays::AddResult(size_t i, size_t number) {
  frame_.results_.emplace_back(e_.device().scratch(), e_.result(i), frame_.type(number));
}

void CallFrame::Arrays::Finish() {
  for (ResultInType& result : frame_.results_) result.Finish();
}

}  // namespace hlo::reference

// Accumulators are arguments and outputs of the call at the same time, at places that are set once:
// a call copies its arguments before anything runs. A step sets only where the values lie. There is
// room for the largest element, complex f64, whatever the types.
#include "interp/reference/fold.h"

#include <cstring>

namespace hlo::reference {
namespace {

ComputationId ComputationOf(const Evaluation& e, Attr attr) {
  return e.instruction().attributes.Find(attr)->value.Get<ComputationId>();
}

}  // namespace

ElementType ParameterType(const Evaluation& e, ComputationId computation, int64_t number) {
  return e.op().parameter_shape(computation, number).element_type();
}

CalledFold::CalledFold(Evaluation& e, Attr attr)
    : function_(e.Function(attr)), accumulators_(e.operands().size() / 2) {
  const ComputationId computation = ComputationOf(e, attr);
  const size_t n = e.operands().size() / 2;
  arguments_.resize(2 * n);
  for (size_t k = 0; k < n; ++k) {
    const ElementType accumulator_type = ParameterType(e, computation, k);
    values_.emplace_back(e.operand(k), ParameterType(e, computation, n + k));
    inits_.emplace_back(e.operand(n + k), accumulator_type);
    results_.emplace_back(e.result(k), accumulator_type);
    arguments_[k] = accumulators_[k].bytes;
    outputs_.push_back(accumulators_[k].bytes);
  }
}

void CalledFold::Start() {
  for (size_t k = 0; k < inits_.size(); ++k) {
    const ArrayRef& init = inits_[k].ref();
    std::memcpy(accumulators_[k].bytes, init.bytes, ElementByteSize(init.element_type));
  }
}

absl::Status CalledFold::Step(int64_t offset) {
  for (size_t k = 0; k < values_.size(); ++k) {
    const ArrayRef& value = values_[k].ref();
    arguments_[values_.size() + k] = value.bytes + offset * ElementByteSize(value.element_type);
  }
  return function_.Call(arguments_, outputs_);
}

void CalledFold::Store(int64_t i) {
  for (size_t k = 0; k < results_.size(); ++k) {
    const MutableArrayRef& result = results_[k].ref();
    const int64_t size = ElementByteSize(result.element_type);
    std::memcpy(result.bytes + i * size, accumulators_[k].bytes, static_cast<size_t>(size));
  }
}

void CalledFold::Finish() {
  for (ResultInType& result : results_) result.Finish();
}

}  // namespace hlo::reference

// Accumulators are the first arguments and the results of the same calls, in one place each.
#include "interp/reference/called_fold.h"

#include <cstring>

namespace hlo::reference {

FoldFrame::FoldFrame(const Evaluation& e, Attr attr)
    : call(e, attr), accumulators(e.operands().size() / 2) {
  for (size_t k = 0; k < accumulators.size(); ++k) {
    call.arguments[k] = accumulators[k].bytes;
    call.outputs[k] = accumulators[k].bytes;
  }
}

CalledFold::CalledFold(Evaluation& e, Attr attr, FoldFrame& frame)
    : function_(e.Function(attr)),
      frame_(frame),
      arrays_(e, frame.call),
      count_(frame.accumulators.size()) {
  for (size_t k = 0; k < count_; ++k) {
    arrays_.AddOperand(k, count_ + k);
    arrays_.AddResult(k, k);
  }
  for (size_t k = 0; k < count_; ++k) arrays_.AddOperand(count_ + k, k);
}

void CalledFold::Start() {
  for (size_t k = 0; k < count_; ++k) {
    const ArrayRef& init = arrays_.operand(count_ + k);
    std::memcpy(frame_.accumulators[k].bytes, init.bytes, ElementByteSize(init.element_type));
  }
}

absl::Status CalledFold::Step(int64_t offset) {
  for (size_t k = 0; k < count_; ++k) {
    const ArrayRef& value = arrays_.operand(k);
    frame_.call.arguments[count_ + k] = value.bytes + offset * ElementByteSize(value.element_type);
  }
  return function_.Call(frame_.call.arguments, frame_.call.outputs);
}

void CalledFold::Store(int64_t i) {
  for (size_t k = 0; k < count_; ++k) {
    const MutableArrayRef& result = arrays_.result(k);
    const int64_t size = ElementByteSize(result.element_type);
    std::memcpy(result.bytes + i * size, frame_.accumulators[k].bytes, static_cast<size_t>(size));
  }
}

}  // namespace hlo::reference

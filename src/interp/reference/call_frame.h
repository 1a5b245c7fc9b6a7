// What kernels need to call a function for elements of their arrays: arrays in the types that its
// parameters have, and lists of addresses.
#ifndef HLOKIT_INTERP_REFERENCE_CALL_FRAME_H_
#define HLOKIT_INTERP_REFERENCE_CALL_FRAME_H_

#include <cstddef>
#include <vector>

#include "interp/kernel/evaluation.h"
#include "interp/reference/converted_array.h"

namespace hlo::reference {

// The computation's declared type of parameter `number`.
ElementType ParameterType(const Evaluation& e, ComputationId computation, int64_t number);

// The parts that kernels keep from run to run (prepared.h), arrays excepted.
class CallFrame {
 public:
  // For calls of the function that attribute `attr` names.
  CallFrame(const Evaluation& e, Attr attr);

  // The declared type of parameter `number`.
  ElementType type(size_t number) const { return types_[number]; }

  // The addresses of arguments, by parameter, and of results: for the kernel to fill.
  std::vector<const std::byte*> arguments;
  std::vector<std::byte*> outputs;

  // The arrays of one run.
  class Arrays {
   public:
    Arrays(Evaluation& e, CallFrame& frame);
    ~Arrays();
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;

    // Operand `i` of the evaluation in the type of parameter `number`, behind those added before.
    void AddOperand(size_t i, size_t number);
    // The same for result `i`.
    void AddResult(size_t i, size_t number);

    const ArrayRef& operand(size_t k) const { return frame_.operands_[k].ref(); }
    const MutableArrayRef& result(size_t k) const { return frame_.results_[k].ref(); }
    // Converts the results into the types of the instruction's shape.
    void Finish();

   private:
    Evaluation& e_;
    CallFrame& frame_;
  };

 private:
  std::vector<ElementType> types_;
  std::vector<ConvertedArray> operands_;  // empty between runs
  std::vector<ResultInType> results_;
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CALL_FRAME_H_

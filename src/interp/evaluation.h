// What a kernel gets to evaluate one instruction. Reference kernels are functions
//   absl::Status Eval<Opcode>(Evaluation& e);
// one for each row of opcodes.def (elementwise rows share theirs). They see arrays only: tuples are
// flattened to their array leaves, depth first, and tuple, get-tuple-element and the other opcodes
// that only route values never reach a kernel.
#ifndef HLOKIT_INTERP_EVALUATION_H_
#define HLOKIT_INTERP_EVALUATION_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "interp/array_view.h"
#include "ir/op_view.h"

namespace hlo {

// A computation called once per element or window: reducers, comparators, map bodies.
class ScalarFunction {
 public:
  virtual ~ScalarFunction() = default;

  // Evaluates the computation. `arguments[k]` points at one element of the type of parameter k;
  // `results[k]` takes the k-th array leaf of the root. Results may alias arguments: they are
  // written only after everything was read. Fails as the called instructions do.
  virtual absl::Status Call(std::span<const std::byte* const> arguments,
                            std::span<std::byte* const> results) = 0;

  // The opcode of the root when the computation is just `opcode(param0, param1)` (either order for
  // commutative opcodes) over scalars of one type; else kParameter. Lets kernels treat
  // add, maximum and so on by themselves.
  virtual Opcode AsBinaryOpcode() const = 0;

  // k when the computation's root is (a copy of) parameter k; else -1.
  virtual int64_t AsParameter() const = 0;
};

// Everything outside the operands that an instruction may read or change: random state, device
// ids, queues. Declared in interp/device.h.
class DeviceContext;

class Evaluation {
 public:
  virtual ~Evaluation() = default;

  const OpView& op() const { return op_; }
  const Module& module() const { return op_.module(); }
  const Instruction& instruction() const { return op_.instruction(); }
  template <Attr kAttr>
  AttributeType<kAttr> Get() const {
    return op_.Get<kAttr>();
  }

  // Array leaves of all operands, in order. For operands that are arrays, which is almost always,
  // leaf i is operand i.
  std::span<const ArrayRef> operands() const { return operands_; }
  const ArrayRef& operand(size_t i) const { return operands_[i]; }
  // Array leaves of the result. Their memory is reserved for the bounds of the shape.
  std::span<const MutableArrayRef> results() const { return results_; }
  const MutableArrayRef& result(size_t i = 0) const { return results_[i]; }

  // Sets the run-time sizes of result leaf i; only for shapes with dynamic dimensions, whose
  // results start with the bounds. Fails with kInvalidArgument when a size exceeds its bound.
  virtual absl::Status SetResultDims(size_t i, std::span<const int64_t> dims) = 0;

  // The computation that attribute `attr` (to_apply, select, scatter ...) names.
  virtual ScalarFunction& Function(Attr attr) = 0;

  virtual DeviceContext& device() = 0;

 protected:
  explicit Evaluation(OpView op) : op_(op) {}

  OpView op_;
  std::span<const ArrayRef> operands_;
  std::span<const MutableArrayRef> results_;
};

// Evaluates one instruction.
using Kernel = absl::Status (*)(Evaluation&);

}  // namespace hlo

#endif  // HLOKIT_INTERP_EVALUATION_H_

// What a kernel gets to evaluate one instruction. Reference kernels are functions
//   absl::Status Eval<Opcode>(Evaluation& e);
// one for each row of opcodes.def (elementwise rows share theirs). They see arrays only: tuples are
// flattened to their array leaves, depth first, and tuple, get-tuple-element and the other opcodes
// that only route values never reach a kernel.
#ifndef HLOKIT_INTERP_KERNEL_EVALUATION_H_
#define HLOKIT_INTERP_KERNEL_EVALUATION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "interp/kernel/array_view.h"
#include "interp/kernel/function_form.h"
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

  // What the computation amounts to: lets kernels treat add, maximum and so on by themselves.
  virtual const FunctionForm& form() const = 0;
};

// What a kernel keeps between runs (Kernel::prepare).
class KernelState {
 public:
  virtual ~KernelState() = default;
};

struct Kernel;

// Whether operand leaf i of a step holds the same elements in all runs, or in all iterations of a
// loop at whose begin the kernel prepares anew.
using IsFixedOperand = absl::FunctionRef<bool(size_t i)>;

// What pass fuse made of the steps that one kernel does together. Plans own it, executors share it.
class StepProgram {
 public:
  virtual ~StepProgram() = default;

  virtual const Kernel& kernel() const = 0;
  // The instruction that Evaluation::op() is of; invalid: the step's.
  virtual InstructionId instruction() const { return {}; }
  // What Kernel::scratch_byte_size says of steps without a program.
  virtual int64_t ScratchByteSize() const { return 0; }
  // The same of Kernel::state_byte_size; operands are those of the step.
  virtual int64_t StateByteSize(IsFixedOperand /*is_fixed*/) const { return 0; }
  // So many of the step's first results are of no use behind it.
  virtual size_t InnerResultCount() const { return 0; }
  // For those who read the plan, behind the step; empty: the covered steps say all.
  virtual std::string Text() const { return ""; }
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

  // Whether operand leaf i holds the same elements until the kernel prepares anew, so that its
  // state may keep what it makes of them.
  virtual bool IsFixed(size_t /*i*/) const { return false; }
  // Whether operand leaf i may lie elsewhere when the step runs again: where the caller has it. All
  // other operands, and results, stay where they are.
  virtual bool MayMove(size_t /*i*/) const { return true; }

  // As long as this is the same number, operands lie where they lay; 0: nobody knows.
  uint64_t placement() const { return placement_ == nullptr ? 0 : *placement_; }

  // Evaluates the step by `kernel`, for which a state of its own is prepared: what a kernel does
  // that leaves some runs to another one, always the same.
  virtual absl::Status RunInstead(const Kernel& kernel) = 0;

  // Null for a step that is one instruction.
  const StepProgram* program() const { return program_; }

  // What the kernel's `prepare` returned.
  template <typename State>
  State& state() const {
    return static_cast<State&>(*state_);
  }

 protected:
  explicit Evaluation(OpView op) : op_(op) {}

  OpView op_;
  std::span<const ArrayRef> operands_;
  std::span<const MutableArrayRef> results_;
  KernelState* state_ = nullptr;
  const StepProgram* program_ = nullptr;
  const uint64_t* placement_ = nullptr;
};

// Evaluates one step of a plan.
using RunKernel = absl::Status (*)(Evaluation&);

// Which operands' memory a kernel may be given for its results.
enum class Overwrite : uint8_t {
  kNone,
  kAnyOperand,  // it reads element k of every operand before it writes element k of the result
  kSameNumber,  // result i may lie where operand i does; nothing else may lie there
};

// One way to evaluate steps: a row of a backend's table.
struct Kernel {
  RunKernel run = nullptr;
  // What running needs and does not change from run to run: called before the step runs for the
  // first time, and once for each executor, or, where a loop leaves operands as they are
  // (Step::kept_loop), whenever that begins. Sees the evaluation as `run` does; null: nothing to
  // prepare.
  absl::StatusOr<std::unique_ptr<KernelState>> (*prepare)(Evaluation&) = nullptr;
  // The bytes it holds at most besides operands, results and its state while it runs; null: none.
  int64_t (*scratch_byte_size)(const OpView&) = nullptr;
  // The bytes its state holds at most; null: none that grow with the arrays.
  int64_t (*state_byte_size)(const OpView&, IsFixedOperand is_fixed) = nullptr;
  Overwrite overwrite = Overwrite::kNone;
  // kSameNumber: so many results. Those behind may lie where any other operand does (kAnyOperand).
  size_t same_number_count = SIZE_MAX;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_EVALUATION_H_

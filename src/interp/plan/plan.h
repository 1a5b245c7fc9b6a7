// The plan of a module: what runs, in which order, and where every array lies in memory. Made
// once, then run any number of times by executors (executor.h).
//
// Calls and fusions are expanded in place, while and conditional become steps with nested regions,
// and computations called per element become regions of the step that calls them. So the plan is a
// tree without sharing, every array has one place in one arena, and the memory a run takes is known
// before it starts. Tuples do not exist here: a value is the list of its array leaves ("slots"),
// and everything that only routes values (kRouted opcodes, same-type copy) costs nothing.
//
// A plan is plain data that passes fill in one after the other (passes.h says in which order, and
// each field below by whom). After the last pass nothing changes it.
#ifndef HLOKIT_INTERP_PLAN_PLAN_H_
#define HLOKIT_INTERP_PLAN_PLAN_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/kernel/function_form.h"
#include "interp/plan/backend.h"
#include "ir/module.h"

namespace hlo {

using BufferId = Id<struct BufferTag>;
using SlotId = Id<struct SlotTag>;

// An array as steps see it: made once, by the step that has it among its results, by the caller
// (arguments), by the text (constants) or by the step whose region it is a parameter of. Several
// slots may show one buffer (views), or parts of it.
struct Slot {
  const Shape* shape = nullptr;
  int64_t byte_size = 0;             // dense, dynamic dimensions at their bounds
  const Literal* literal = nullptr;  // of constants; carries their dynamic sizes
  int64_t argument = -1;             // of arguments: the array leaf among all of them
  InstructionId instruction;         // that makes it
  bool is_dynamic = false;           // sizes are known at run time only
  BufferId buffer;                   // from pass `views` on
  int64_t offset = 0;                // bytes into the buffer, from pass `parts` on
};

// Memory for one array. Positions number the steps of the whole plan in order of execution,
// nested regions included; a buffer is in use at positions [first, last].
struct Buffer {
  enum class Kind : uint8_t {
    kArena,     // `offset` bytes into the arena of the run
    kConstant,  // a literal of the module, never written
    kArgument,  // the caller's array, never written
    kInside,    // nowhere: a step makes and uses it tile by tile, or a larger array holds it
  };
  Kind kind = Kind::kArena;
  int32_t loops = 0;  // from pass `hoist` on: the loops around the steps that write it
  int64_t byte_size = 0;
  const std::byte* constant = nullptr;  // kConstant
  int64_t argument = -1;                // kArgument: the array leaf among all arguments
  InstructionId instruction;            // that defines it
  int64_t first = 0;                    // from pass `liveness` on
  int64_t last = 0;
  BufferId shares;     // from pass `share` on; kArena: the memory is that buffer's
  int64_t offset = 0;  // from pass `place` on; kArena
};

// Copies `from` to `to` (with its run-time sizes) unless they are the same memory.
struct Move {
  SlotId from;
  SlotId to;
};

struct Region;

enum class StepKind : uint8_t { kKernel, kWhile, kConditional };

struct Step {
  StepKind kind = StepKind::kKernel;
  // What the step does: the instruction's opcode, or kConvert where its operand or value is brought
  // into another type of floats.
  Opcode opcode = Opcode::kParameter;
  InstructionId instruction;
  std::span<const SlotId> operands;  // kConditional: the selector
  std::span<const SlotId> results;
  std::span<const Move> moves;  // kWhile: initial values into the carried slots
  // kWhile: condition, body; kConditional: branches; kKernel: the functions it calls per element.
  std::vector<std::unique_ptr<Region>> regions;
  // From pass `fuse` on, where the step is several instructions: what these were, in order, and
  // what the backend made of them. `instruction` is the last of them.
  std::vector<Step> covered;
  std::shared_ptr<const StepProgram> program;
  const Kernel* kernel = nullptr;  // from pass `choose-kernels` on; kKernel
  bool is_fallback = false;        // the same: the backend has no kernel of its own for it
  // From pass `keep` on, in loops: the kernel prepares anew whenever the loop of this number
  // begins, counted from 1, outermost first, and keeps what it makes of operands which that loop
  // leaves as they are. 0: it prepares once.
  uint8_t kept_loop = 0;
  // From pass `choose-kernels` on: about how many elements it touches; see reference/work.h.
  int64_t work = 0;
  // kWhile, from pass `recognise` on: how often the body runs, where counters tell.
  std::optional<int64_t> trip_count;
  int64_t begin = 0;  // positions, from pass `liveness` on
  int64_t end = 0;
};

// The steps of one computation at one place.
struct Region {
  enum class Role : uint8_t { kEntry, kCondition, kBody, kBranch, kFunction };
  Role role = Role::kEntry;
  Attr attr = Attr::kToApply;  // kFunction: the attribute that names it
  ComputationId computation;
  std::vector<Step> steps;
  std::vector<SlotId> parameters;  // array leaves; kBranch: none
  std::vector<SlotId> results;     // array leaves of the root
  std::vector<SlotId> targets;     // kBody, kBranch: where results must end up
  FunctionForm form;               // kFunction, from pass `recognise` on
  int64_t begin = 0;               // positions, from pass `liveness` on
  int64_t end = 0;
  std::vector<Move> moves;  // from pass `share` on: what takes results to targets, in order
};

// Whether steps are left to libraries that are loaded when they are wanted.
enum class LibraryUse : uint8_t {
  kNever,
  kWhereFaster,
  kWherePossible,
};

struct PlanPass;

struct Plan {
  const Slot& slot(SlotId id) const { return slots[id.value]; }
  Slot& slot(SlotId id) { return slots[id.value]; }
  const Buffer& buffer(BufferId id) const { return buffers[id.value]; }
  Buffer& buffer(BufferId id) { return buffers[id.value]; }
  const Buffer& buffer_of(SlotId id) const { return buffer(slot(id).buffer); }
  const Instruction& instruction(const Step& step) const {
    return module->instruction(step.instruction);
  }
  // Whether the array is all that its buffer holds.
  bool is_whole(SlotId id) const {
    return slot(id).offset == 0 && slot(id).byte_size == buffer_of(id).byte_size;
  }
  // Whether the array holds the same elements in all runs, or, for steps in it, in all iterations
  // of a loop (Step::kept_loop).
  bool is_fixed(SlotId id, int64_t kept_loop = 0) const {
    const Buffer& buffer = buffer_of(id);
    return buffer.kind == Buffer::Kind::kConstant || buffer.loops < kept_loop ||
           (buffer.kind == Buffer::Kind::kArgument && has_frozen_arguments);
  }
  // Whether Executor::Result has the array where the argument lies, without a copy.
  bool is_lent(SlotId id) const {
    return lends_arguments && buffer_of(id).kind == Buffer::Kind::kArgument && !slot(id).is_dynamic;
  }
  int64_t argument_count() const { return static_cast<int64_t>(argument_shapes.size()); }

  const Module* module = nullptr;
  const Backend* backend = nullptr;
  const PlanPass* last_pass = nullptr;  // that has run
  bool has_frozen_arguments = false;    // all runs of an executor get the same arguments
  bool lends_arguments = false;         // results may lie where arguments do
  bool keeps_in_loops = true;           // kernels may keep what they make while a loop runs
  bool runs_once = false;               // no executor runs it again
  LibraryUse library_use = LibraryUse::kWhereFaster;
  std::unique_ptr<Region> entry;
  std::vector<Slot> slots;
  std::vector<Buffer> buffers;
  std::vector<const Shape*> argument_shapes;  // array leaves of the entry's parameters

  // What a run takes: the caller's arrays, the literals, arrays of its own (from pass `place` on),
  // and for a while the scratch memory of a kernel or a copy of the result (from pass
  // `choose-kernels` on).
  int64_t argument_byte_size = 0;
  int64_t constant_byte_size = 0;
  int64_t arena_byte_size = 0;
  int64_t scratch_byte_size = 0;
  int64_t state_byte_size = 0;  // what kernels keep from run to run, or while a loop runs
  // The instruction that takes most scratch memory; invalid: the result's copy does.
  InstructionId scratch_instruction;

  std::deque<Literal> literals;  // constants the plan makes itself
  std::deque<Shape> shapes;      // that no instruction has
  Arena lists;                   // of slots and moves
};

// The bytes that Executor::Result copies, INT64_MAX where that leaves 63 bits.
int64_t CopiedByteSize(const Plan& plan);

// The steps of the plan, those of nested regions included.
int64_t CountSteps(const Plan& plan);

// The plan for reading, as far as passes have filled it in: steps with their slots, sizes and
// offsets, nested regions indented.
std::string PlanText(const Plan& plan);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_PLAN_H_

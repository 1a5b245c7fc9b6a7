// The plan of a module: what runs, in which order, and where every array lies in memory. Made
// once, then run any number of times by executors (executor.h).
//
// Calls and fusions are expanded in place, while and conditional become steps with nested regions,
// and computations called per element become regions of the step that calls them. So the plan is a
// tree without sharing, every array has one place in one arena, and the memory a run takes is known
// before it starts. Tuples do not exist here: a value is the list of its array leaves ("slots"),
// and everything that only routes values (kRouted opcodes, reshape, same-type copy, dense bitcast)
// costs nothing.
#ifndef HLOKIT_INTERP_PLAN_H_
#define HLOKIT_INTERP_PLAN_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/backend.h"
#include "interp/runnable_module.h"
#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

using BufferId = Id<struct BufferTag>;
using SlotId = Id<struct SlotTag>;

// Memory for one array. Positions number the steps of the whole plan in order of execution,
// nested regions included; a buffer is in use at positions [first, last].
struct Buffer {
  enum class Kind : uint8_t {
    kArena,     // `offset` bytes into the arena of the run
    kConstant,  // a literal of the module, never written
    kArgument,  // the caller's array, never written
  };
  Kind kind = Kind::kArena;
  int64_t byte_size = 0;
  int64_t first = 0;
  int64_t last = 0;
  BufferId shares;                      // kArena: the memory is that buffer's
  int64_t offset = 0;                   // kArena
  const std::byte* constant = nullptr;  // kConstant
  int64_t argument = -1;                // kArgument: the array leaf among all arguments
  int32_t loop_depth = 0;               // loops around the definition
  int32_t last_loop = -1;               // the last loop that reads it from inside, if any
  int32_t carrying_loop = -1;           // the loop whose state this is, if any
  InstructionId instruction;            // that defines it
};

// An array as steps see it. Several slots may show one buffer (reshape).
struct Slot {
  BufferId buffer;
  const Shape* shape = nullptr;
  bool is_dynamic = false;           // sizes are known at run time only
  const Literal* literal = nullptr;  // of constants: carries dynamic sizes
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
  InstructionId instruction;
  Kernel kernel = nullptr;           // kKernel
  std::span<const SlotId> operands;  // kConditional: the selector
  std::span<const SlotId> results;
  std::span<const Move> moves;  // kWhile: initial values into the carried slots
  int64_t begin = 0;            // positions
  int64_t end = 0;
  int64_t work = 0;  // kKernel: about how many elements it touches; see reference/work.h
  // kWhile: condition, body; kConditional: branches; kKernel: the functions it calls per element.
  std::vector<std::unique_ptr<Region>> regions;
};

// The steps of one computation at one place.
struct Region {
  enum class Role : uint8_t { kEntry, kCondition, kBody, kBranch, kFunction };
  Role role = Role::kEntry;
  Attr attr = Attr::kToApply;  // kFunction: the attribute that names it
  ComputationId computation;
  bool converts = false;  // parameters or results into other types of floats
  std::vector<Step> steps;
  std::vector<SlotId> parameters;  // array leaves; kBranch, kEntry: none
  std::vector<SlotId> results;     // array leaves of the root
  std::vector<SlotId> targets;     // kBody, kBranch: where results must end up
  std::vector<Move> moves;         // what that takes after the steps, in order
  int64_t begin = 0;
  int64_t end = 0;
};

struct PlanOptions {
  const Backend* backend = nullptr;   // null: the default one
  int64_t max_byte_size = INT64_MAX;  // of the plan itself, not of what a run takes
};

class Plan {
 public:
  const Module& module() const { return *module_; }
  const Backend& backend() const { return *backend_; }
  const Region& entry() const { return *entry_; }
  std::span<const Slot> slots() const { return slots_; }
  std::span<const Buffer> buffers() const { return buffers_; }
  const Slot& slot(SlotId id) const { return slots_[id.value]; }
  const Buffer& buffer(BufferId id) const { return buffers_[id.value]; }

  // Array leaves of the entry's parameters, and what the run takes besides them and constants:
  // arrays of its own, and for a while the scratch memory of a kernel or a copy of the result.
  int64_t argument_count() const { return static_cast<int64_t>(argument_shapes_.size()); }
  std::span<const Shape* const> argument_shapes() const { return argument_shapes_; }
  int64_t arena_byte_size() const { return arena_byte_size_; }
  int64_t argument_byte_size() const { return argument_byte_size_; }
  int64_t constant_byte_size() const { return constant_byte_size_; }
  int64_t scratch_byte_size() const { return scratch_byte_size_; }
  // The instruction that takes most scratch memory; invalid: the result's copy does.
  InstructionId scratch_instruction() const { return scratch_instruction_; }
  int64_t step_count() const { return step_count_; }

 private:
  friend class PlanBuilder;
  friend class BufferSharing;
  friend bool PlaceBuffers(Plan& plan);

  const Module* module_ = nullptr;
  const Backend* backend_ = nullptr;
  std::unique_ptr<Region> entry_;
  std::vector<Slot> slots_;
  std::vector<Buffer> buffers_;
  std::vector<int64_t> loop_ends_;  // by loop number: its last position
  std::vector<const Shape*> argument_shapes_;
  std::deque<Literal> literals_;  // constants the plan makes itself
  std::deque<Shape> shapes_;      // that no instruction has
  int64_t arena_byte_size_ = 0;
  int64_t argument_byte_size_ = 0;
  int64_t constant_byte_size_ = 0;
  int64_t scratch_byte_size_ = 0;
  InstructionId scratch_instruction_;
  int64_t step_count_ = 0;
  Arena arena_;  // of lists
};

// Plans a verified module. What cannot run all the same (sizes beyond 64 bits, more than the limits
// of `options`) is reported; then nothing is returned. The module must outlive the plan.
std::optional<Plan> MakePlan(const RunnableModule& module, DiagnosticSink& sink,
                             const PlanOptions& options = {});

// The plan for reading: steps with their slots, sizes and offsets, nested regions indented.
std::string PlanText(const Plan& plan);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_H_

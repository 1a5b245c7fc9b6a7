// The passes that make a plan, in their order. Each fills in a part of the plan's data (plan.h) and
// can be looked at alone: `hlo-run --print-plan=PASS` stops after one.
#ifndef HLOKIT_INTERP_PLAN_PASSES_H_
#define HLOKIT_INTERP_PLAN_PASSES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "interp/plan/plan.h"
#include "support/diagnostic.h"

namespace hlo {

// What passes are told besides the plan.
struct PassContext {
  DiagnosticSink& sink;
  int64_t max_byte_size;
  bool fuses;
  bool keeps_identity_calls;
};

struct PlanPass {
  std::string_view name;
  std::string_view description;  // one line, for lists
  // False when something was reported that ends planning.
  bool (*run)(Plan& plan, const PassContext& context);
};

// All passes in the order they run in.
std::span<const PlanPass> PlanPasses();
// The pass called `name`, or null.
const PlanPass* FindPlanPass(std::string_view name);

// --- The passes, one source file each

// Makes the tree of regions and steps: calls, fusions, asynchronous operations and tuples are
// dissolved, loops and branches become steps with regions. The one that needs the module.
bool ExpandModule(Plan& plan, const PassContext& context);
// Finds what functions called per element amount to (function_form.h), and how often loops run.
bool Recognise(Plan& plan, const PassContext& context);
// Replaces steps that change no byte by a second look at the same buffer, takes out of the state of
// loops what these hand on as it is, and gives all other arrays buffers.
bool MakeViews(Plan& plan, const PassContext& context);
// Moves steps that compute the same in every iteration of a loop before the loop.
bool HoistSteps(Plan& plan, const PassContext& context);
// Drops steps that compute what others have computed before them.
bool DeduplicateSteps(Plan& plan, const PassContext& context);
// Finds the products that keep what they make of an operand while a loop runs.
bool KeepOperands(Plan& plan, const PassContext& context);
// Lets the backend put steps together.
bool FuseSteps(Plan& plan, const PassContext& context);
// Lets slices and the operands of concatenations lie in the arrays that they are parts of.
bool MakeParts(Plan& plan, const PassContext& context);
// Chooses a kernel for every step, and counts the work and scratch memory they take.
bool ChooseKernels(Plan& plan, const PassContext& context);
// Numbers the steps and finds from where to where each buffer is in use.
bool FindLifetimes(Plan& plan, const PassContext& context);
// Joins buffers whose contents can follow each other in the same memory (buffer_sharing.h).
bool ShareBuffers(Plan& plan, const PassContext& context);
// Gives every buffer its offset in the arena.
bool PlaceBuffers(Plan& plan, const PassContext& context);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_PASSES_H_

// What a run may take, and how it is said that it takes too much or ended early: what everybody
// reports who runs programs.
#ifndef HLOKIT_INTERP_RUN_LIMITS_H_
#define HLOKIT_INTERP_RUN_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "interp/arguments.h"
#include "interp/make_plan.h"
#include "interp/plan/plan.h"
#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

// 90 % of the machine's memory, or of what the process may have; bytes.
int64_t DefaultMemoryLimit();

// Gives the constants that the text elides values, with a warning that counts them. False, with an
// error that names the largest, where they take more than `limit` bytes or more than there is.
bool FillConstants(Module& module, FakeKind kind, uint64_t seed, int64_t limit,
                   DiagnosticSink& sink);

// What a run takes at its most, in bytes; doubles hold sums beyond int64.
struct MemoryNeeds {
  double arena = 0;  // intermediate values
  double arguments = 0;
  double constants = 0;
  double scratch = 0;  // of a kernel, or a copy of the result
  double state = 0;    // what kernels keep from run to run, or while a loop runs

  double total() const { return arena + arguments + constants + scratch + state; }
};
// Inputs and constants are shared by the participants.
MemoryNeeds MemoryOf(const Plan& plan, int64_t participants);

// Whether a run of `plan` on so many participants takes at most `max_byte_size` bytes; if not, an
// error says for what, and which values are the largest.
bool FitsMemory(const Plan& plan, int64_t participants, int64_t max_byte_size,
                DiagnosticSink& sink);

// As MakePlan, with kernels that keep nothing they could make again (frozen arguments, what loops
// leave as it is) where a run on so many participants would take more than `max_byte_size` bytes
// otherwise.
std::optional<Plan> MakePlanWithin(const RunnableModule& module, DiagnosticSink& sink,
                                   PlanOptions options, int64_t participants,
                                   int64_t max_byte_size);

// Reports why a run stopped `at` an instruction (invalid: at none), on participant `whose` (empty:
// there is one).
void ReportStop(const Module& module, InstructionId at, const absl::Status& status,
                DiagnosticSink& sink, std::string_view whose = {});

}  // namespace hlo

#endif  // HLOKIT_INTERP_RUN_LIMITS_H_

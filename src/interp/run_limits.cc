// Needs are added up as doubles: what is refused may be beyond 64 bits, and is still told as a
// size. An error says how much it is and the limit, notes name the largest values. Which rule a run
// that ended did not keep to follows from the code of its status.
#include "interp/run_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/named_place.h"
#include "support/count_text.h"
#include "support/size_text.h"

namespace hlo {
namespace {

struct SizedInstruction {
  int64_t byte_size;
  InstructionId id;
};

std::string SubjectText(const Module& module, const Instruction& instruction) {
  const bool has_text = !instruction.range.empty();
  return has_text ? fmt::format("`{}`", instruction.name) : NamedPlace(module, instruction);
}

// Names the largest values, largest first.
void NoteLargest(const Module& module, std::vector<SizedInstruction> values, DiagnosticSink& sink) {
  constexpr size_t kMaxShown = 5;
  const size_t shown = std::min(kMaxShown, values.size());
  std::ranges::partial_sort(values, values.begin() + static_cast<std::ptrdiff_t>(shown),
                            std::ranges::greater(), &SizedInstruction::byte_size);
  for (const SizedInstruction& value : std::span(values).first(shown)) {
    const Instruction& instruction = module.instruction(value.id);
    sink.Note(instruction.name_range, "{} takes {}", SubjectText(module, instruction),
              SizeText(static_cast<double>(value.byte_size)));
  }
}

// What a run that ended with `status` did not keep to.
Rule RuleOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return Rule::kRunMemory;
    case absl::StatusCode::kCancelled:
      return Rule::kRunInterrupted;
    case absl::StatusCode::kDeadlineExceeded:  // participants that wait in vain
      return Rule::kRunDeadlock;
    default:
      return Rule::kRunFailed;
  }
}

}  // namespace

int64_t DefaultMemoryLimit() {
  const int64_t page_count = sysconf(_SC_PHYS_PAGES);
  const int64_t page_size = sysconf(_SC_PAGESIZE);
  int64_t limit = page_count > 0 && page_size > 0 ? page_count * page_size : INT64_MAX;
  struct rlimit own;
  if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur < static_cast<rlim_t>(limit)) {
    limit = static_cast<int64_t>(own.rlim_cur);
  }
  return limit / 10 * 9;
}

bool FillConstants(Module& module, FakeKind kind, uint64_t seed, int64_t limit,
                   DiagnosticSink& sink) {
  const std::vector<InstructionId> elided = ElidedConstants(module);
  if (elided.empty()) return true;
  std::vector<SizedInstruction> sizes;
  double need = 0;
  for (InstructionId id : elided) {
    const int64_t byte_size = DenseByteSize(*module.instruction(id).shape).value_or(INT64_MAX);
    need += static_cast<double>(byte_size);
    sizes.push_back({byte_size, id});
  }
  const std::string count = CountText(static_cast<int64_t>(elided.size()), "constant");
  if (need > static_cast<double>(limit)) {
    sink.Error(Rule::kRunMemory, module.name_range(),
               "{} written `{{...}}` would take {}, the limit is {}", count, SizeText(need),
               SizeText(static_cast<double>(limit)));
    NoteLargest(module, std::move(sizes), sink);
    return false;
  }
  const absl::Status filled = FillElidedConstants(module, elided, kind, seed);
  if (!filled.ok()) {
    return sink.Error(Rule::kRunMemory, module.name_range(), "{}", std::string(filled.message()));
  }
  const bool is_one = elided.size() == 1;
  sink.Warning(Rule::kRunElidedConstants, module.name_range(),
               "{} {} written `{{...}}`: {} generated values", count, is_one ? "is" : "are",
               is_one ? "it gets" : "they get");
  return true;
}

MemoryNeeds MemoryOf(const Plan& plan, int64_t participants) {
  const auto own_memories = static_cast<double>(participants);
  return {.arena = own_memories * static_cast<double>(plan.arena_byte_size),
          .arguments = static_cast<double>(plan.argument_byte_size),
          .constants = static_cast<double>(plan.constant_byte_size),
          .scratch = own_memories * static_cast<double>(plan.scratch_byte_size),
          .state = own_memories * static_cast<double>(plan.state_byte_size)};
}

std::optional<Plan> MakePlanWithin(const RunnableModule& module, DiagnosticSink& sink,
                                   PlanOptions options, int64_t participants,
                                   int64_t max_byte_size) {
  std::optional<Plan> plan = MakePlan(module, sink, options);
  const bool is_over =
      plan && MemoryOf(*plan, participants).total() > static_cast<double>(max_byte_size);
  if (!is_over || plan->state_byte_size == 0) return plan;
  options.freezes_arguments = options.keeps_in_loops = false;
  return MakePlan(module, sink, options);
}

bool FitsMemory(const Plan& plan, int64_t participants, int64_t max_byte_size,
                DiagnosticSink& sink) {
  const MemoryNeeds needs = MemoryOf(plan, participants);
  const auto limit = static_cast<double>(max_byte_size);
  if (needs.total() <= limit) return true;
  const Module& module = *plan.module;
  const bool is_kernel = plan.scratch_instruction.valid();
  sink.Error(
      Rule::kRunMemory, module.name_range(),
      "the run{} takes {} ({} for intermediate values, {} for inputs, {} for constants, {} for "
      "{}{}), the limit is {}",
      participants == 1 ? "" : fmt::format(" of {} participants", participants),
      SizeText(needs.total()), SizeText(needs.arena), SizeText(needs.arguments),
      SizeText(needs.constants), SizeText(needs.scratch),
      is_kernel ? "scratch" : "a copy of the result",
      needs.state > 0 ? fmt::format(", {} kept by kernels", SizeText(needs.state)) : "",
      SizeText(limit));
  std::vector<SizedInstruction> sizes;
  for (const Buffer& buffer : plan.buffers) {
    const bool is_inside = buffer.kind == Buffer::Kind::kInside;
    if (!buffer.shares.valid() && !is_inside) {
      sizes.push_back({buffer.byte_size, buffer.instruction});
    }
  }
  NoteLargest(module, std::move(sizes), sink);
  if (is_kernel) {
    const Instruction& instruction = module.instruction(plan.scratch_instruction);
    sink.Note(instruction.opcode_range, "{} takes {} of scratch besides its arrays",
              SubjectText(module, instruction), SizeText(needs.scratch));
  }
  return false;
}

void ReportStop(const Module& module, InstructionId at, const absl::Status& status,
                DiagnosticSink& sink, std::string_view whose) {
  std::string message(status.message());
  if (!whose.empty()) message += fmt::format(", on {}", whose);
  const Rule rule = RuleOf(status);
  if (!at.valid()) {
    sink.Error(rule, module.name_range(), "{}", message);
    return;
  }
  const Instruction& instruction = module.instruction(at);
  const SourceRange place = NearestText(module, instruction);
  if (absl::IsCancelled(status)) {
    sink.Error(rule, place, "interrupted before `{}`", instruction.name);
  } else if (absl::IsUnimplemented(status)) {
    sink.Error(Rule::kRunNotImplemented, place, "{}", message);
  } else {
    sink.Error(rule, place, "`{}`: {}", instruction.name, message);
  }
  NotePlace(module, instruction, sink);
}

}  // namespace hlo

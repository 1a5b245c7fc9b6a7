// The plan's tree is walked with the number of times that each region runs: a condition once more
// than its body, and of a conditional only the branch with the most weight. Steps of one
// instruction at several places are added up afterwards. Weight, which decides what stands first,
// takes ten operations for a byte.
#include "interp/inspect/estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "interp/cost/step_cost.h"
#include "interp/inspect/provenance_text.h"
#include "support/count_text.h"
#include "support/render_diagnostic.h"
#include "support/scaled_text.h"
#include "support/size_text.h"

namespace hlo {
namespace {

// What stands first: processors of today do about ten operations in the time they move a byte.
double Weight(const Cost& cost) { return std::max(cost.flops / 10, cost.bytes); }

Cost SumOf(const auto& rows) {
  Cost sum;
  for (const auto& row : rows) sum += row.cost;
  return sum;
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

Estimate::Estimate(const Plan& plan, int64_t participants)
    : plan_(plan), memory_(MemoryOf(plan, participants)) {
  Rows executed;
  AddRegion(*plan.entry, 1, executed);
  // A computation that is called from several places has several steps of an instruction.
  absl::flat_hash_map<InstructionId, size_t> known;
  for (const Row& row : executed) {
    const auto [found, is_new] = known.try_emplace(row.instruction, rows_.size());
    if (is_new) {
      rows_.push_back(row);
    } else {
      rows_[found->second].times += row.times;
      rows_[found->second].cost += row.cost;
      rows_[found->second].is_uncounted_loop |= row.is_uncounted_loop;
    }
  }
  total_ = SumOf(rows_);
  for (const Row& row : rows_) {
    if (row.is_uncounted_loop) uncounted_loops_.push_back(row.instruction);
  }
  std::ranges::stable_sort(
      rows_, [](const Row& a, const Row& b) { return Weight(a.cost) > Weight(b.cost); });
}

void Estimate::AddRegion(const Region& region, double times, Rows& rows) {
  for (const Step& step : region.steps) {
    if (step.kind == StepKind::kWhile) {
      AddLoop(step, times, rows);
    } else if (step.kind == StepKind::kConditional) {
      AddConditional(step, times, rows);
    } else {
      rows.push_back({step.instruction, std::max<size_t>(step.covered.size(), 1), times,
                      times * CostOf(plan_, step), /*is_uncounted_loop=*/false});
    }
  }
}

void Estimate::AddLoop(const Step& loop, double times, Rows& rows) {
  const std::optional<int64_t> trips = TripCount(plan_, loop);
  const double iterations = times * static_cast<double>(trips.value_or(1));
  Cost own = times * CostOf(plan_, loop);
  own += iterations * CostOfIteration(plan_, loop);
  rows.push_back({loop.instruction, 1, times, own, /*is_uncounted_loop=*/!trips.has_value()});
  AddRegion(*loop.regions[0], iterations + times, rows);
  AddRegion(*loop.regions[1], iterations, rows);
}

void Estimate::AddConditional(const Step& conditional, double times, Rows& rows) {
  Rows most;
  for (const auto& branch : conditional.regions) {
    Rows own;
    AddRegion(*branch, times, own);
    if (most.empty() || Weight(SumOf(own)) > Weight(SumOf(most))) most = std::move(own);
  }
  rows.insert(rows.end(), most.begin(), most.end());
}

std::string Estimate::MemoryLine() const {
  return fmt::format(
      "memory: {} ({} for inputs, {} for constants, {} for intermediate values, {} for scratch and "
      "the copy of the result, {} kept by kernels)\n",
      SizeText(memory_.total()), SizeText(memory_.arguments), SizeText(memory_.constants),
      SizeText(memory_.arena), SizeText(memory_.scratch), SizeText(memory_.state));
}

std::string Estimate::Text(size_t limit) const {
  std::string text = MemoryLine();
  text += fmt::format("operations: {}\nmoved: {} bytes\n", ScaledText(total_.flops),
                      ScaledText(total_.bytes));
  if (!uncounted_loops_.empty()) {
    const auto count = static_cast<int64_t>(uncounted_loops_.size());
    text +=
        fmt::format("{} with an unknown number of iterations {} as one: `{}`{}\n",
                    CountText(count, "loop"), count == 1 ? "counts" : "count",
                    plan_.module->instruction(uncounted_loops_[0]).name, count > 1 ? " ..." : "");
  }
  text += fmt::format("\n{:>10} {:>6} {:>10} {:>6} {:>10}  {}\n", "flops", "%", "bytes", "%",
                      "count", "instruction");
  for (const Row& row : std::span(rows_).first(std::min(limit, rows_.size()))) {
    const Instruction& instruction = plan_.module->instruction(row.instruction);
    text += fmt::format("{:>10} {:>6.1f} {:>10} {:>6.1f} {:>10}  {} ({}){}\n",
                        ScaledText(row.cost.flops), Percent(row.cost.flops, total_.flops),
                        ScaledText(row.cost.bytes), Percent(row.cost.bytes, total_.bytes),
                        ScaledText(row.times), instruction.name,
                        row.block_size == 1 ? std::string(OpcodeName(instruction.opcode))
                                            : fmt::format("block of {}", row.block_size),
                        ProvenanceText(*plan_.module, instruction));
  }
  return text;
}

std::string Estimate::Json(size_t limit) const {
  std::string text = fmt::format(
      R"({{"memory":{{"total":{:.0f},"inputs":{:.0f},"constants":{:.0f},"intermediate":{:.0f},)"
      R"("scratch":{:.0f},"kernels":{:.0f}}},"flops":{:.0f},"bytes":{:.0f},"uncounted_loops":[)",
      memory_.total(), memory_.arguments, memory_.constants, memory_.arena, memory_.scratch,
      memory_.state, total_.flops, total_.bytes);
  const auto quoted = [](std::string_view name) { return fmt::format("\"{}\"", EscapeJson(name)); };
  std::string_view separator = "";
  for (InstructionId id : uncounted_loops_) {
    text += fmt::format("{}{}", separator, quoted(plan_.module->instruction(id).name));
    separator = ",";
  }
  text += "],\"instructions\":[";
  separator = "";
  for (const Row& row : std::span(rows_).first(std::min(limit, rows_.size()))) {
    const Instruction& instruction = plan_.module->instruction(row.instruction);
    text += fmt::format(
        R"({}{{"name":{},"opcode":{},"block_size":{},"count":{:.0f},"flops":{:.0f},"bytes":{:.0f},)"
        R"("op_name":{},"source":{}}})",
        separator, quoted(instruction.name), quoted(OpcodeName(instruction.opcode)), row.block_size,
        row.times, row.cost.flops, row.cost.bytes, quoted(OpNameOf(instruction)),
        quoted(SourceLineOf(*plan_.module, instruction)));
    separator = ",";
  }
  return text + "]}";
}

}  // namespace hlo

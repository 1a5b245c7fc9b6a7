// Steps nest, so those under way are a stack: what ran inside a loop or conditional is taken off
// its own time, and all times add up. During the run a step costs little more than two looks at the
// clock; costs and names are worked out for the tables. A loop asks its condition once more than
// its body runs, and only the body's runs are iterations here.
#include "interp/inspect/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/cost/step_cost.h"
#include "interp/inspect/provenance_text.h"
#include "support/render_diagnostic.h"
#include "support/scaled_text.h"

namespace hlo {
namespace {

constexpr std::string_view kNoLine = "(no metadata)";
constexpr size_t kMaxEvents = 2'000'000;

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string JsonText(std::string_view text) { return fmt::format("\"{}\"", EscapeJson(text)); }

// What follows a product in its step counts as its.
std::string_view OpcodeText(const Plan& plan, const Step& step) {
  if (step.program != nullptr && step.program->instruction().valid()) {
    return OpcodeName(plan.module->instruction(step.program->instruction()).opcode);
  }
  return step.covered.size() <= 1 ? OpcodeName(plan.instruction(step).opcode) : "block";
}

// Vectors hold half as many numbers of 64 bits as of those that the machine was measured with. A
// complex number is two.
bool IsWide(const Plan& plan, const Step& step) {
  if (step.results.empty()) return false;
  const ElementType type = plan.slot(step.results[0]).shape->element_type();
  return BitWidth(type) > (IsComplex(type) ? 64 : 32);
}

// The seconds that the machine takes for it at least.
double LeastSeconds(const Cost& cost, bool is_wide, const simd::MachineLimits& machine) {
  const double flops = is_wide ? 2 * cost.flops : cost.flops;
  return std::max(flops / machine.flops_per_second, cost.bytes / machine.bytes_per_second);
}

}  // namespace

void Profiler::BeforeStep(const Step&, const Evaluation&) {
  Clock::time_point now = Clock::now();
  if (first_ == Clock::time_point()) first_ = now;
  open_.push_back({now, 0});
}

void Profiler::BeforeIteration(const Step& loop, int64_t iteration) {
  if (iteration > 0) ++totals_[&loop].iterations;
}

absl::Status Profiler::AfterStep(const Step& step, const Evaluation& evaluation) {
  Clock::time_point now = Clock::now();
  Open open = open_.back();
  open_.pop_back();
  double seconds = Seconds(now - open.start);
  if (!open_.empty()) open_.back().nested_seconds += seconds;
  Total& total = totals_[&step];
  ++total.count;
  total.seconds += seconds - open.nested_seconds;
  if (IsTraffic(evaluation.instruction())) AddTraffic(evaluation, traffic_);
  if (!keep_events_) return absl::OkStatus();
  if (events_.size() < kMaxEvents) {
    events_.push_back({step.instruction, Seconds(open.start - first_), seconds});
  } else {
    ++left_out_count_;
  }
  return absl::OkStatus();
}

Cost Profiler::CostOfAll(const Step& step, const Total& total) const {
  Cost cost = static_cast<double>(total.count) * CostOf(plan_, step);
  if (total.iterations > 0) {
    cost += static_cast<double>(total.iterations) * CostOfIteration(plan_, step);
  }
  return cost;
}

std::vector<Profiler::Row> Profiler::RowsBy(
    const simd::MachineLimits& machine,
    const std::function<std::string(const Step&)>& name_of) const {
  std::map<std::string, Row> rows;
  for (const auto& [step, total] : totals_) {
    std::string name = name_of(*step);
    Row& row = rows[name];
    row.name = std::move(name);
    const Cost cost = CostOfAll(*step, total);
    row.count += total.count;
    row.seconds += total.seconds;
    row.cost += cost;
    row.least_seconds += LeastSeconds(cost, IsWide(plan_, *step), machine);
  }
  std::vector<Row> list;
  for (auto& [name, row] : rows) list.push_back(std::move(row));
  std::ranges::stable_sort(list, std::ranges::greater(), &Row::seconds);
  return list;
}

std::string Profiler::InstructionText(const Step& step) const {
  const Instruction& instruction = plan_.instruction(step);
  std::string kind = std::string(OpcodeName(instruction.opcode));
  if (step.covered.size() > 1) kind = fmt::format("block of {}", step.covered.size());
  if (step.program != nullptr) kind += step.program->Text();
  return fmt::format("{} ({}){}", instruction.name, kind,
                     ProvenanceText(*plan_.module, instruction));
}

// A block is where its last instruction is.
std::string Profiler::SourceLineText(const Step& step) const {
  const std::string line = SourceLineOf(*plan_.module, plan_.instruction(step));
  return line.empty() ? std::string(kNoLine) : line;
}

std::string Profiler::Text(size_t limit, const simd::MachineLimits& machine) const {
  double all_seconds = 0;
  for (const auto& [step, total] : totals_) all_seconds += total.seconds;
  std::string text =
      fmt::format("machine: {} flops and {} bytes a second\n", ScaledText(machine.flops_per_second),
                  ScaledText(machine.bytes_per_second));
  const auto write = [&](std::string_view title, const std::vector<Row>& rows) {
    text += fmt::format("\n{:>12} {:>6} {:>10} {:>8} {:>8} {:>6}  {}\n", "seconds", "%", "count",
                        "flops", "bytes", "limit", title);
    for (const Row& row : std::span(rows).first(std::min(limit, rows.size()))) {
      const double share = row.seconds > 0 ? row.least_seconds / row.seconds : 0;
      text += fmt::format("{:>12.6f} {:>6.1f} {:>10} {:>8} {:>8} {:>5.0f}%  {}\n", row.seconds,
                          all_seconds > 0 ? 100 * row.seconds / all_seconds : 0, row.count,
                          ScaledText(row.cost.flops), ScaledText(row.cost.bytes), 100 * share,
                          row.name);
    }
  };
  const auto rows_by = [&](const auto& name_of) { return RowsBy(machine, name_of); };
  write("opcode", rows_by([&](const Step& step) { return std::string(OpcodeText(plan_, step)); }));
  const std::vector<Row> lines = rows_by([&](const Step& step) { return SourceLineText(step); });
  if (lines.size() > 1 || (!lines.empty() && lines[0].name != kNoLine)) write("source line", lines);
  write("instruction", rows_by([&](const Step& step) { return InstructionText(step); }));
  return text;
}

std::string Profiler::ChromeEvents(const TraceRow& row, Clock::time_point first) const {
  std::string text;
  if (!row.name.empty()) {
    text = fmt::format(
        "{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":{}}}}},"
        "\n",
        row.number, JsonText(row.name));
  }
  const double offset = Seconds(first_ - first);
  for (const Event& event : events_) {
    const Instruction& instruction = plan_.module->instruction(event.instruction);
    text += fmt::format(
        "{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}}},"
        "\n",
        JsonText(instruction.name), JsonText(OpcodeName(instruction.opcode)), row.number,
        (offset + event.start) * 1e6, event.seconds * 1e6);
  }
  return text;
}

std::string ChromeTrace(std::string_view events) {
  if (events.ends_with(",\n")) events.remove_suffix(2);
  return fmt::format("{{\"traceEvents\":[\n{}\n]}}\n", events);
}

}  // namespace hlo

#include "interp/inspect/profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace hlo {
namespace {

constexpr size_t kMaxEvents = 2'000'000;

template <typename Byte>
int64_t ByteSize(std::span<const BasicArrayRef<Byte>> arrays) {
  int64_t byte_size = 0;
  for (const auto& array : arrays) byte_size += array.byte_size();
  return byte_size;
}

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

void Profiler::BeforeStep(const Step&, const Evaluation&) {
  Clock::time_point now = Clock::now();
  if (first_ == Clock::time_point()) first_ = now;
  open_.push_back({now, 0});
}

absl::Status Profiler::AfterStep(const Step& step, const Evaluation& evaluation) {
  Clock::time_point now = Clock::now();
  Open open = open_.back();
  open_.pop_back();
  double seconds = Seconds(now - open.start);
  if (!open_.empty()) open_.back().nested_seconds += seconds;
  Total& total = totals_[step.instruction];
  ++total.count;
  total.seconds += seconds - open.nested_seconds;
  total.byte_size += ByteSize(evaluation.operands()) + ByteSize(evaluation.results());
  if (keep_events_ && events_.size() < kMaxEvents) {
    events_.push_back({step.instruction, Seconds(open.start - first_), seconds});
  }
  return absl::OkStatus();
}

std::string Profiler::Text(size_t limit) const {
  struct Row {
    std::string name;
    Total total;
  };
  std::vector<Row> instructions;
  absl::flat_hash_map<Opcode, Total> opcode_totals;
  double all_seconds = 0;
  for (const auto& [id, total] : totals_) {
    const Instruction& instruction = module_.instruction(id);
    instructions.push_back(
        {fmt::format("{} ({})", instruction.name, OpcodeName(instruction.opcode)), total});
    Total& sum = opcode_totals[instruction.opcode];
    sum.count += total.count;
    sum.seconds += total.seconds;
    sum.byte_size += total.byte_size;
    all_seconds += total.seconds;
  }
  std::vector<Row> opcodes;
  for (const auto& [opcode, total] : opcode_totals) {
    opcodes.push_back({std::string(OpcodeName(opcode)), total});
  }
  std::string text;
  auto write = [&](std::string_view title, std::vector<Row>& rows) {
    std::ranges::sort(rows, [](const Row& a, const Row& b) {
      return a.total.seconds != b.total.seconds ? a.total.seconds > b.total.seconds
                                                : a.name < b.name;
    });
    text +=
        fmt::format("{:>12} {:>6} {:>10} {:>14}  {}\n", "seconds", "%", "count", "bytes", title);
    for (size_t i = 0; i < std::min(limit, rows.size()); ++i) {
      const Total& total = rows[i].total;
      text += fmt::format("{:>12.6f} {:>6.1f} {:>10} {:>14}  {}\n", total.seconds,
                          all_seconds > 0 ? 100 * total.seconds / all_seconds : 0, total.count,
                          total.byte_size, rows[i].name);
    }
  };
  write("opcode", opcodes);
  text += '\n';
  write("instruction", instructions);
  return text;
}

std::string Profiler::ChromeTrace() const {
  std::string text = "{\"traceEvents\":[\n";
  for (size_t i = 0; i < events_.size(); ++i) {
    const Instruction& instruction = module_.instruction(events_[i].instruction);
    text += fmt::format(
        "{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{:.3f},\"dur\":{:.3f}}}{}"
        "\n",
        JsonText(instruction.name), JsonText(OpcodeName(instruction.opcode)),
        events_[i].start * 1e6, events_[i].seconds * 1e6, i + 1 < events_.size() ? "," : "");
  }
  return text + "]}\n";
}

}  // namespace hlo

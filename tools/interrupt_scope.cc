// Handlers may take no memory and no lock: what they need is in variables beforehand, messages are
// put together in an array, lines are counted anew. During a run the first signal asks it to stop
// and sets the alarm that ends its grace; the next one, and any outside of a run, ends the process.
// Whether there is a run is told by g_device, which is set last and cleared first.
#include "tools/interrupt_scope.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>

#include "support/write_file.h"
#include "tools/progress.h"
#include "tools/tool.h"

namespace hlo::tools {
namespace {

// How long a run that was asked to stop may take to do so.
constexpr double kGrace = 0.05;
constexpr double kGraceOfOthers = 1;

// Signal handlers have no other way than these variables.
std::atomic<DeviceContext*> g_device = nullptr;
std::atomic<const Module*> g_module = nullptr;
std::atomic<const Executor*> g_executor = nullptr;
std::atomic<const char*> g_activity = "";
std::atomic<bool> g_is_asked = false;
std::atomic<bool> g_is_time_over = false;
std::atomic<bool> g_is_interrupted = false;
double g_time_limit = 0;
double g_grace = kGrace;
char g_tool_name[32] = "";

// Sends SIGALRM in that many seconds; 0: never.
void SetAlarm(double seconds) {
  struct itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(std::fmod(seconds, 1) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Text without memory to be had: handlers must not ask for any. What does not fit is left out.
class HandlerText {
 public:
  void Add(std::string_view piece) {
    const size_t count = std::min(piece.size(), sizeof(text_) - size_);
    std::copy_n(piece.data(), count, text_ + size_);
    size_ += count;
  }
  template <typename Number>
  void AddNumber(Number number) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
    if (error == std::errc()) Add({digits, static_cast<size_t>(end - digits)});
  }
  void Write() const {
    for (size_t written = 0; written < size_;) {
      const ssize_t count = write(STDERR_FILENO, text_ + written, size_ - written);
      if (count <= 0) return;
      written += static_cast<size_t>(count);
    }
  }

 private:
  char text_[1024];
  size_t size_ = 0;
};

// `FILE:LINE:COLUMN: `, counted anew: SourceText::Locate asks for memory.
void AddPlace(const Module& module, const Instruction& instruction, HandlerText& text) {
  if (module.source() == nullptr) return;
  const SourceText& source = *module.source();
  const std::string_view before = source.text().substr(0, instruction.opcode_range.begin);
  const size_t line_break = before.rfind('\n');
  text.Add(source.name());
  text.Add(":");
  text.AddNumber(source.first_line() + std::count(before.begin(), before.end(), '\n'));
  text.Add(":");
  text.AddNumber(before.size() - (line_break == std::string_view::npos ? 0 : line_break + 1) + 1);
  text.Add(": ");
}

void AddReason(HandlerText& text) {
  if (!g_is_time_over) return text.Add("interrupted");
  text.Add("the time limit of ");
  text.AddNumber(g_time_limit);
  text.Add(" s was over");
}

[[noreturn]] void EndProcess() {
  const Module* module = g_module;
  const Executor* executor = g_executor;
  const InstructionId at = executor == nullptr ? InstructionId() : executor->running();
  HandlerText text;
  text.Add(Progress::Eraser());
  if (module != nullptr && at.valid()) {
    const Instruction& instruction = module->instruction(at);
    AddPlace(*module, instruction, text);
    text.Add("error: ");
    AddReason(text);
    text.Add(" inside `");
    text.Add(instruction.name);
    text.Add(g_is_time_over ? "` [run.time-limit]\n" : "` [run.interrupted]\n");
  } else {
    text.Add(g_tool_name);
    text.Add(": ");
    AddReason(text);
    text.Add(" while ");
    text.Add(g_activity.load());
    text.Add("\n");
  }
  text.Write();
  RemoveTemporaryFile();
  _exit(kExitFindings);
}

// The first signal during a run asks, whatever comes then and elsewhere ends.
void HandleSignal(int signal) {
  DeviceContext* device = g_device;
  const bool was_asked = device == nullptr || g_is_asked.exchange(true);
  if (signal == SIGINT) g_is_interrupted = true;
  if (signal == SIGALRM && (device == nullptr || !was_asked)) g_is_time_over = true;
  if (was_asked) EndProcess();
  device->Interrupt();
  SetAlarm(g_grace);
}

}  // namespace

InterruptScope::InterruptScope(std::string_view tool_name, double time_limit, bool has_others) {
  g_grace = has_others ? kGraceOfOthers : kGrace;
  g_tool_name[tool_name.copy(g_tool_name, sizeof(g_tool_name) - 1)] = '\0';
  g_time_limit = time_limit;
  g_is_time_over = g_is_asked = false;
  struct sigaction action = {};
  action.sa_handler = HandleSignal;
  action.sa_flags = SA_RESTART;
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGALRM);
  sigaction(SIGINT, &action, &previous_interrupt_);
  sigaction(SIGALRM, &action, &previous_alarm_);
  SetAlarm(time_limit);
}

InterruptScope::~InterruptScope() {
  SetAlarm(0);
  sigaction(SIGALRM, &previous_alarm_, nullptr);
  sigaction(SIGINT, &previous_interrupt_, nullptr);
}

InterruptScope::Run::Run(DeviceContext& device, const Module& module, const Executor* executor) {
  g_module = &module;
  g_executor = executor;
  g_activity = "running";
  g_device = &device;
  if (g_is_asked) device.Interrupt();
}

// What was asked to stop has done so, and its alarm must not ring any more.
InterruptScope::Run::~Run() {
  if (g_is_asked) SetAlarm(0);
  g_device = nullptr;
  g_executor = nullptr;
  g_module = nullptr;
}

void InterruptScope::SetActivity(const char* activity) { g_activity = activity; }

const char* InterruptScope::Activity() { return g_activity; }

bool InterruptScope::IsTimeOver() { return g_is_time_over; }

bool InterruptScope::IsInterrupted() { return g_is_interrupted; }

}  // namespace hlo::tools

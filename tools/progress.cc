// One mutex guards the line and stderr, so whoever writes makes the line go away first. The text is
// asked for under it, on the thread that shows the line: it must not write anything itself. Signals
// that end the process erase the line, where nobody else handles them, and know of it by one
// atomic.
#include "tools/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace hlo::tools {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuiet(2000);
constexpr milliseconds kTerminalInterval(200);
constexpr milliseconds kLogInterval(1000);
constexpr std::string_view kErase = "\r\x1b[K";

std::atomic<bool> g_is_shown = false;  // on a terminal

void WriteStderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

// A line that goes on in the next one could not be erased.
size_t TerminalWidth() {
  struct winsize size = {};
  constexpr size_t kUsualWidth = 80;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                         : kUsualWidth;
}

std::string Cut(std::string text, size_t width) {
  constexpr std::string_view kMore = "...";
  if (text.size() < width) return text;
  size_t end = width > kMore.size() ? width - kMore.size() - 1 : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole letters
  return text.substr(0, end).append(kMore);
}

// The signals that end a process and do not come from its own mistakes.
constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Ends the process as it would have ended, without leaving the line behind.
void EraseAndEnd(int signal) {
  const std::string_view eraser = Progress::Eraser();
  if (write(STDERR_FILENO, eraser.data(), eraser.size()) >= 0) g_is_shown = false;
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Replaces what is done about these signals where that is `from`.
void ReplaceHandlers(void (*from)(int), void (*to)(int)) {
  for (int signal : kEndingSignals) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != from) continue;
    std::signal(signal, to);
  }
}

}  // namespace

bool Progress::IsWanted(std::string_view when) {
  if (when != "auto") return when == "always";
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (term == nullptr || std::string_view(term) != "dumb");
}

Progress::Progress(std::string_view tool_name)
    : tool_name_(tool_name), is_terminal_(isatty(STDERR_FILENO) != 0), thread_([this] { Work(); }) {
  if (is_terminal_) ReplaceHandlers(SIG_DFL, EraseAndEnd);
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  is_ending_changed_.notify_all();
  thread_.join();
  Erase();
  ReplaceHandlers(EraseAndEnd, SIG_DFL);
}

void Progress::SetFiles(int64_t done, int64_t count) {
  const std::lock_guard lock(mutex_);
  files_done_ = done;
  file_count_ = count;
}

Progress::Source::Source(Progress* progress, Text text) : progress_(progress) {
  if (progress_ == nullptr) return;
  const std::lock_guard lock(progress_->mutex_);
  outer_ = std::exchange(progress_->text_, std::move(text));
}

Progress::Source::~Source() {
  if (progress_ == nullptr) return;
  const std::lock_guard lock(progress_->mutex_);
  progress_->text_ = std::move(outer_);
}

Progress::Pause::Pause(Progress* progress) : progress_(progress) {
  if (progress_ == nullptr) return;
  progress_->mutex_.lock();
  progress_->Erase();
}

Progress::Pause::~Pause() {
  if (progress_ != nullptr) progress_->mutex_.unlock();
}

std::string_view Progress::Eraser() { return g_is_shown ? kErase : std::string_view(); }

void Progress::Work() {
  std::unique_lock lock(mutex_);
  const auto is_over = [this] { return is_ending_; };
  if (is_ending_changed_.wait_for(lock, kQuiet, is_over)) return;
  do {
    Show(Line());
  } while (
      !is_ending_changed_.wait_for(lock, is_terminal_ ? kTerminalInterval : kLogInterval, is_over));
}

// Empty when there is nothing to say.
std::string Progress::Line() const {
  std::string text;
  if (file_count_ > 1) text = fmt::format("{} of {} files done", files_done_, file_count_);
  if (const std::string more = text_ ? text_() : ""; !more.empty()) {
    text += (text.empty() ? "" : "; ") + more;
  }
  return text.empty() ? "" : fmt::format("{}: {}", tool_name_, text);
}

void Progress::Show(std::string_view line) {
  if (line.empty() || line == shown_) return;
  if (is_terminal_) {
    WriteStderr(fmt::format("{}{}", kErase, Cut(std::string(line), TerminalWidth())));
    g_is_shown = true;
  } else {
    WriteStderr(fmt::format("{}\n", line));
  }
  shown_ = line;
}

void Progress::Erase() {
  if (is_terminal_ && !shown_.empty()) WriteStderr(kErase);
  g_is_shown = false;
  shown_.clear();
}

}  // namespace hlo::tools

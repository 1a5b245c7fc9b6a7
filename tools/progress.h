// What a tool is at, shown on a terminal while it works for long.
#ifndef HLOKIT_TOOLS_PROGRESS_H_
#define HLOKIT_TOOLS_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace hlo::tools {

// One line on stderr, from the third second on, made anew five times a second and erased when it is
// over or something else is written. On what is no terminal: a line of its own each second.
class Progress {
 public:
  // "auto": where stderr is a terminal that moves its cursor; "always", "never".
  static bool IsWanted(std::string_view when);

  explicit Progress(std::string_view tool_name);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // How many files of how many are done.
  void SetFiles(int64_t done, int64_t count);

  // As long as one is there the line says what `text` gives, which is asked from another thread; of
  // several the last one counts.
  using Text = std::function<std::string()>;
  class Source {
   public:
    Source(Progress* progress, Text text);  // null: nobody asks
    ~Source();
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

   private:
    Progress* progress_;
    Text outer_;
  };

  // As long as one is there the line is not, so that something else can be written.
  class Pause {
   public:
    explicit Pause(Progress* progress);  // null: there is none
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Progress* progress_;
  };

  // What takes the line away, if it stands there; for signal handlers.
  static std::string_view Eraser();

 private:
  void Work();
  std::string Line() const;
  void Show(std::string_view line);
  void Erase();

  const std::string tool_name_;
  const bool is_terminal_;
  std::mutex mutex_;  // of what follows, and of stderr
  std::condition_variable is_ending_changed_;
  bool is_ending_ = false;
  int64_t files_done_ = 0;
  int64_t file_count_ = 0;
  Text text_;
  std::string shown_;
  std::thread thread_;
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_PROGRESS_H_

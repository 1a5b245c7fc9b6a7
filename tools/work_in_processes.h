// Many pieces of work, each in a process of its own, whose results come out one behind the other.
#ifndef HLOKIT_TOOLS_WORK_IN_PROCESSES_H_
#define HLOKIT_TOOLS_WORK_IN_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <string>

namespace hlo::tools {

// What a piece of work has to say for itself.
struct ProcessOutput {
  std::string out;
  std::string err;
  int exit_code = 0;
};

// How its process ended.
struct ProcessEnd {
  ProcessOutput output;
  int signal = 0;  // what ended it before it was done; 0: nothing
  int error = 0;   // errno of what kept it from beginning; 0: nothing
};

// Calls work(i) for 0 <= i < count in child processes, at most `process_count` at a time, and
// deliver(i, how it ended) here, for each i in order, as soon as i and all before it are done.
//
// Ctrl-C reaches every child; what has not begun then is not delivered. Children end with this
// process. Must not be called while other threads of it do work that `work` depends on.
void WorkInProcesses(int64_t process_count, int64_t count,
                     const std::function<ProcessOutput(int64_t)>& work,
                     const std::function<void(int64_t, const ProcessEnd&)>& deliver);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_WORK_IN_PROCESSES_H_

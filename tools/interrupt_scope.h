// Lets Ctrl-C and time limits end what a tool does, within a tenth of a second.
//
// What runs is asked to stop, and says itself where it was. A kernel that does not listen in time,
// and all that comes before and after a run (reading, printing, writing files, comparing), is ended
// together with the process, after a message and without temporary files left.
#ifndef HLOKIT_TOOLS_INTERRUPT_SCOPE_H_
#define HLOKIT_TOOLS_INTERRUPT_SCOPE_H_

#include <csignal>
#include <string_view>

#include "interp/executor.h"
#include "interp/kernel/device.h"
#include "ir/module.h"

namespace hlo::tools {

// One at a time.
class InterruptScope {
 public:
  // The alarm of --time-limit rings after so many seconds (0: never). Where other processes are to
  // be asked too, a run has a second to stop.
  InterruptScope(std::string_view tool_name, double time_limit, bool has_others = false);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // As long as one is there `device`, which runs the program, is asked to stop; at once when the
  // scope's time is over already. `executor`, which knows where it is, may be null.
  class Run {
   public:
    Run(DeviceContext& device, const Module& module, const Executor* executor);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
  };

  // What happens outside of runs, for messages: "printing the result". The text must stay.
  static void SetActivity(const char* activity);
  static const char* Activity();

  // Whether the last one's time was over.
  static bool IsTimeOver();
  // Whether somebody pressed Ctrl-C since the process began.
  static bool IsInterrupted();

 private:
  struct sigaction previous_interrupt_ = {};
  struct sigaction previous_alarm_ = {};
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INTERRUPT_SCOPE_H_

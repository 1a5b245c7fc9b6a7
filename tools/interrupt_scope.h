// Lets Ctrl-C and time limits end what runs.
#ifndef HLOKIT_TOOLS_INTERRUPT_SCOPE_H_
#define HLOKIT_TOOLS_INTERRUPT_SCOPE_H_

#include <csignal>

#include "interp/kernel/device.h"

namespace hlo::tools {

// As long as one is there, Ctrl-C asks `device` to stop, a second one ends the process; the alarm
// of --time-limit, after so many seconds (0: none), asks too.
class InterruptScope {
 public:
  InterruptScope(DeviceContext& device, double time_limit);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Whether the last one's time was over.
  static bool IsTimeOver();

 private:
  struct sigaction previous_interrupt_ = {};
  struct sigaction previous_alarm_ = {};
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INTERRUPT_SCOPE_H_

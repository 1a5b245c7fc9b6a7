#include "tools/interrupt_scope.h"

#include <sys/time.h>

#include <atomic>
#include <cmath>

namespace hlo::tools {
namespace {

// Signal handlers have no other way than these variables.
std::atomic<DeviceContext*> g_running_device = nullptr;
std::atomic<bool> g_is_time_over = false;

void HandleInterrupt(int) {
  if (DeviceContext* device = g_running_device.load()) device->Interrupt();
}

void HandleAlarm(int) {
  g_is_time_over = true;
  HandleInterrupt(SIGALRM);
}

// Sends SIGALRM in that many seconds; 0: never.
void SetAlarm(double seconds) {
  struct itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(std::fmod(seconds, 1) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

InterruptScope::InterruptScope(DeviceContext& device, double time_limit) {
  g_running_device = &device;
  g_is_time_over = false;
  struct sigaction action = {};
  action.sa_handler = HandleInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &previous_interrupt_);
  action.sa_handler = HandleAlarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &previous_alarm_);
  SetAlarm(time_limit);
}

InterruptScope::~InterruptScope() {
  SetAlarm(0);
  sigaction(SIGALRM, &previous_alarm_, nullptr);
  sigaction(SIGINT, &previous_interrupt_, nullptr);
  g_running_device = nullptr;
}

bool InterruptScope::IsTimeOver() { return g_is_time_over; }

}  // namespace hlo::tools

// What a custom call keeps from run to run.
#ifndef HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALL_STATE_H_
#define HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALL_STATE_H_

#include <memory>

#include "interp/kernel/device.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/custom_calls/network_config.h"

namespace hlo::reference {

// Who does what the target means: one of the two, or nobody.
struct CustomCallState final : KernelState {
  const CustomCallFunction* registered = nullptr;
  RunKernel built_in = nullptr;
  std::unique_ptr<const NetworkConfig> config;  // once the call has asked for it
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_CUSTOM_CALL_STATE_H_

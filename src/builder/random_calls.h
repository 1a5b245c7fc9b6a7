// One call of every operation with random arguments.
#ifndef HLOKIT_BUILDER_RANDOM_CALLS_H_
#define HLOKIT_BUILDER_RANDOM_CALLS_H_

#include <span>
#include <string_view>

#include "builder/random_arguments.h"

namespace hlo::testing {

struct RandomCall {
  std::string_view operation;  // the function's name
  ops::Op (*call)(RandomArguments& r);
};

std::span<const RandomCall> RandomCalls();

}  // namespace hlo::testing

#endif  // HLOKIT_BUILDER_RANDOM_CALLS_H_

// The computation that programs with reductions in tests and benchmarks name.
#ifndef HLOKIT_TESTING_ADD_COMPUTATION_H_
#define HLOKIT_TESTING_ADD_COMPUTATION_H_

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace hlo::testing {

// The text of `add`, the sum of two scalars of `type`: "f32".
inline std::string AddComputation(std::string_view type) {
  return fmt::format(R"(
add {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] add(a, b)
}}
)",
                     type);
}

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_ADD_COMPUTATION_H_

// Shapes of random programs, as text.
#ifndef HLOKIT_TESTING_RANDOM_SHAPE_H_
#define HLOKIT_TESTING_RANDOM_SHAPE_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hlo::testing {

using Sizes = std::vector<int64_t>;

inline std::string ShapeOf(const std::string& type, const Sizes& sizes) {
  return fmt::format("{}[{}]", type, fmt::join(sizes, ","));
}

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_RANDOM_SHAPE_H_

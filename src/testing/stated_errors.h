// The errors of functions that a page of docs/ states, for the tests that measure them.
#ifndef HLOKIT_TESTING_STATED_ERRORS_H_
#define HLOKIT_TESTING_STATED_ERRORS_H_

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <fstream>
#include <map>
#include <string>

namespace hlo::testing {

struct StatedError {
  double f32 = 0, f64 = 0;  // ULP of the exact result
};

// The rows `| `opcode` | f32 | f64 | f32 | f64 ... |` of `page`, a path from the project's root: of
// each the pair of columns of this number.
inline std::map<std::string, StatedError> StatedErrors(const std::string& page, int pair = 0) {
  std::map<std::string, StatedError> stated;
  std::ifstream text(HLOKIT_SOURCE_DIR "/" + page);
  EXPECT_TRUE(text) << page << " is missing";
  const RE2 row_of(fmt::format(
      R"(\| `([a-z0-9-]+)` (?:\| [0-9.]+ ){{{}}}\| ([0-9.]+) \| ([0-9.]+) \|.*)", 2 * pair));
  for (std::string line; std::getline(text, line);) {
    std::string name;
    StatedError row;
    if (RE2::FullMatch(line, row_of, &name, &row.f32, &row.f64)) stated[name] = row;
  }
  return stated;
}

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_STATED_ERRORS_H_

// Golden tests: a .hlo file that states a command and its whole expected output.
//
//   // RUN: hlo-verify %s           a command; several RUN lines run in order
//   // EXIT: 1                      the largest exit code of the RUN lines, 0 when not given
//   // OUT: text                    the expected lines of stdout, in order
//   // ERR: text                    the expected lines of stderr, in order
// `%s` is the file, `%t` a fresh path for output; in expectations `{{pattern}}` matches by RE2. A
// file `x.hlo.out` beside `x.hlo` takes the place of OUT lines.
#ifndef HLOKIT_TESTING_GOLDEN_H_
#define HLOKIT_TESTING_GOLDEN_H_

#include <string>
#include <string_view>
#include <vector>

namespace hlo::testing {

struct Golden {
  std::string path;               // as the tool sees it
  std::vector<std::string> runs;  // command lines
  int exit_code = 0;              // the largest of the commands
  std::string out;
  std::string err;
  bool out_in_file = false;  // `out` came from x.hlo.out
};

// Reads the directives of `path`; without a RUN line the file is no golden and `runs` is empty.
Golden ReadGolden(const std::string& path);

// Whether `actual` is what `expected` describes.
bool MatchesExpectation(std::string_view expected, std::string_view actual);

// The text of `golden`'s file with its EXIT, OUT and ERR lines replaced.
std::string WithExpectations(const Golden& golden, const std::string& text, int exit_code,
                             const std::string& out, const std::string& err);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_GOLDEN_H_

// Programs of one instruction or a few whose kernels take scratch memory, of arrays so large that
// what a plan does not count shows.
#ifndef HLOKIT_TESTING_SCRATCH_PROGRAMS_H_
#define HLOKIT_TESTING_SCRATCH_PROGRAMS_H_

#include <string>
#include <vector>

namespace hlo::testing {

struct NamedProgram {
  std::string name;
  std::string text;
};
std::vector<NamedProgram> ScratchPrograms();

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_SCRATCH_PROGRAMS_H_

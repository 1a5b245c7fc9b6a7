// Links between processes that are threads of one program.
#ifndef HLOKIT_TESTING_LOCAL_PROCESSES_H_
#define HLOKIT_TESTING_LOCAL_PROCESSES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "interp/replica/process_link.h"

namespace hlo::testing {

// One link for each of `count` processes; each is for one thread.
std::vector<std::unique_ptr<ProcessLink>> LinkLocalProcesses(int64_t count);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_LOCAL_PROCESSES_H_

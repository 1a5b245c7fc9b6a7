#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace hlo {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s\n", file, line, condition);
  std::abort();
}

}  // namespace hlo

// Aborts instead of throwing: what broke the invariant is left as it is, for a debugger. Written
// with the C library alone, since nothing else can be relied upon here.
#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace hlo {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s\n", file, line, condition);
  std::abort();
}

}  // namespace hlo

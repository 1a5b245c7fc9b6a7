// Memory in large pages, where the system has them.
#ifndef HLOKIT_SUPPORT_HUGE_PAGES_H_
#define HLOKIT_SUPPORT_HUGE_PAGES_H_

#include <cstddef>

namespace hlo {

// Asks for large pages for a block of memory that nobody has touched yet: a first pass over many
// megabytes is several times faster then. Small blocks are left as they are, and so is all where
// the system does not know the wish.
void AskForHugePages(void* block, size_t byte_size);

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_HUGE_PAGES_H_

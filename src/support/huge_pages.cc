// Advice about transparent huge pages of 2 MB, given for blocks from 4 MB on. Nothing but speed
// depends on whether the system follows it.
#include "support/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace hlo {

void AskForHugePages(void* block, size_t byte_size) {
#ifdef MADV_HUGEPAGE
  constexpr size_t kLeast = size_t{4} << 20;
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  if (byte_size < kLeast) return;
  // Whole pages within the block: what lies beside it is somebody else's.
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + byte_size) / kPage * kPage;
  // That it may fail does not matter: the pages are small then.
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#else
  static_cast<void>(block);
  static_cast<void>(byte_size);
#endif
}

}  // namespace hlo

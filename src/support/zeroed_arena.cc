// Blocks of some pages of 2 MB, cut from the front.
#include "support/zeroed_arena.h"

#include <algorithm>
#include <cstdlib>

#include "support/huge_pages.h"

namespace hlo {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLeastBlock = size_t{4} << 20;
constexpr size_t kLargestBlock = size_t{256} << 20;
constexpr size_t kPage = size_t{2} << 20;

}  // namespace

std::shared_ptr<std::byte[]> ZeroedArena::Take(size_t byte_size) {
  if (byte_size > kLargestBlock) return nullptr;
  const size_t size = (byte_size + kAlignment - 1) / kAlignment * kAlignment;
  if (size > free_size_) {
    if (std::max(expected_, size) < kLeastBlock) return nullptr;
    const size_t block_size = std::clamp(expected_, size, kLargestBlock);
    // Whole pages, wherever the block begins. The system has them: they are zeros.
    void* block = std::calloc(block_size + 2 * kPage, 1);
    if (block == nullptr) return nullptr;
    AskForHugePages(block, block_size + 2 * kPage);
    const std::shared_ptr<void> owner(block, std::free);
    void* begin = block;
    size_t space = block_size + 2 * kPage;
    std::align(kPage, block_size, begin, space);
    free_ = {owner, static_cast<std::byte*>(begin)};
    free_size_ = block_size;
  }
  expected_ -= std::min(expected_, size);
  std::shared_ptr<std::byte[]> taken = free_;
  free_ = {free_, free_.get() + size};
  free_size_ -= size;
  return taken;
}

}  // namespace hlo

// Memory for many arrays that live about as long as one another.
#ifndef HLOKIT_SUPPORT_ZEROED_ARENA_H_
#define HLOKIT_SUPPORT_ZEROED_ARENA_H_

#include <cstddef>
#include <memory>

namespace hlo {

// Arrays side by side in large pages: each page of 4 KB that a thread touches first costs it some
// microseconds. A block is given back when none of its arrays is left. Not for several threads.
class ZeroedArena {
 public:
  // `expected`: the bytes that will be asked for in all, as far as one knows. Few are not worth it.
  explicit ZeroedArena(size_t expected) : expected_(expected) {}
  ZeroedArena(const ZeroedArena&) = delete;
  ZeroedArena& operator=(const ZeroedArena&) = delete;

  // So many zeros, aligned to 64; null where they had better be a block of their own, or where
  // memory for a whole block is not to be had.
  std::shared_ptr<std::byte[]> Take(size_t byte_size);

 private:
  size_t expected_;
  std::shared_ptr<std::byte[]> free_;  // what is left of the block
  size_t free_size_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_ZEROED_ARENA_H_

// A bump allocator: everything a module holds by the ten thousand lives here and goes away with
// the module. Nothing in it has a destructor.
#ifndef HLOKIT_SUPPORT_ARENA_H_
#define HLOKIT_SUPPORT_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace hlo {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // Uninitialised memory that lives as long as the arena. `alignment` is a power of two of at
  // most 16.
  void* Allocate(size_t byte_count, size_t alignment) {
    uintptr_t start = (next_ + alignment - 1) & ~(static_cast<uintptr_t>(alignment) - 1);
    if (start + byte_count > end_) return AllocateFromNewBlock(byte_count);
    next_ = start + byte_count;
    return reinterpret_cast<void*>(start);
  }

  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return new (Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // A copy of `items`; no memory is taken for an empty span.
  template <typename T>
  std::span<T> CopyItems(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);
    if (items.empty()) return {};
    T* copy = static_cast<T*>(Allocate(items.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void*>(copy), items.data(), items.size_bytes());
    return {copy, items.size()};
  }

  std::string_view CopyText(std::string_view text) {
    std::span<char> copy = CopyItems(std::span<const char>(text.data(), text.size()));
    return {copy.data(), copy.size()};
  }

  // Bytes taken from the system.
  size_t byte_size() const { return byte_size_; }

 private:
  void* AllocateFromNewBlock(size_t byte_count) {
    size_t block_size = std::max(byte_count + 16, next_block_size_);
    next_block_size_ = std::min<size_t>(next_block_size_ * 2, size_t{1} << 20);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block_size));
    byte_size_ += block_size;
    uintptr_t start = (reinterpret_cast<uintptr_t>(blocks_.back().get()) + 15) & ~uintptr_t{15};
    next_ = start + byte_count;
    end_ = reinterpret_cast<uintptr_t>(blocks_.back().get()) + block_size;
    return reinterpret_cast<void*>(start);
  }

  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
  size_t next_block_size_ = 4096;
  size_t byte_size_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_ARENA_H_

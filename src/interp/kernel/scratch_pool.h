// Memory that kernels need besides their arrays while they run. What one gives back another gets,
// so that steps that run again and again find pages that are there already.
#ifndef HLOKIT_INTERP_KERNEL_SCRATCH_POOL_H_
#define HLOKIT_INTERP_KERNEL_SCRATCH_POOL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace hlo {

// Safe to use from several threads.
class ScratchPool {
 public:
  struct Block {
    std::byte* bytes = nullptr;
    int64_t byte_size = 0;
    std::thread::id user = {};  // who gave it back last
  };

  ScratchPool() = default;
  ~ScratchPool();
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  // The pool keeps no more than what, with the memory in use, makes so many bytes: those that the
  // plan says its kernels take (Plan::scratch_byte_size), and kUncounted for what it does not count
  // because it is small, or small beside others.
  static constexpr int64_t kUncounted = int64_t{1} << 16;
  void set_limit(int64_t byte_size);
  // Frees what is kept as far as so many more bytes elsewhere take it beyond the limit.
  void MakeRoom(int64_t byte_size);

  // So many bytes or more, uninitialised, aligned to 64. Throws std::bad_alloc.
  Block Take(int64_t byte_size);
  // Gives back what Take returned.
  void Give(const Block& block);

  // The most bytes that were taken and not given back at one time.
  int64_t most_in_use();

 private:
  // Whether what is there and `byte_size` more bytes are within the limit.
  bool Fits(int64_t byte_size) const {
    return in_use_ + kept_size_ <= limit_ - std::min(limit_, byte_size);
  }
  void Use(int64_t byte_size);
  // Frees kept memory until `byte_size` more bytes fit the limit or nothing is kept.
  void DropKept(int64_t byte_size);

  std::mutex mutex_;
  int64_t limit_ = kUncounted;
  int64_t in_use_ = 0;       // bytes
  int64_t most_in_use_ = 0;  // bytes
  int64_t kept_size_ = 0;    // bytes
  std::vector<Block> kept_;  // with room for all blocks there are, so that Give cannot fail
  size_t block_count_ = 0;   // kept and in use
};

// An uninitialised array of plain elements out of a pool.
template <typename T>
class ScratchArray {
 public:
  ScratchArray() = default;
  ScratchArray(ScratchPool& pool, int64_t count)
      : pool_(&pool), block_(pool.Take(ByteSize(count))) {}
  ~ScratchArray() {
    if (block_.bytes != nullptr) pool_->Give(block_);
  }
  ScratchArray(ScratchArray&& other) noexcept { *this = std::move(other); }
  ScratchArray& operator=(ScratchArray&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(block_, other.block_);
    return *this;
  }

  T* get() const { return reinterpret_cast<T*>(block_.bytes); }
  T& operator[](int64_t i) const { return get()[i]; }
  friend bool operator==(const ScratchArray& array, std::nullptr_t) {
    return array.block_.bytes == nullptr;
  }

 private:
  static int64_t ByteSize(int64_t count) {
    constexpr int64_t kSize = sizeof(T);
    if (count < 0 || count > INT64_MAX / kSize) throw std::bad_array_new_length();
    return count * kSize;
  }

  ScratchPool* pool_ = nullptr;
  ScratchPool::Block block_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_SCRATCH_POOL_H_

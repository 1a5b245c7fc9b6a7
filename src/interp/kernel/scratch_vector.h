// Vectors in scratch memory, for algorithms that make and copy many small arrays.
#ifndef HLOKIT_INTERP_KERNEL_SCRATCH_VECTOR_H_
#define HLOKIT_INTERP_KERNEL_SCRATCH_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "interp/kernel/scratch_pool.h"

namespace hlo {

// Allocates from a pool, which copies of a container share. In front of the elements stands the
// block that they are in, since a pool gives more than it is asked for.
template <typename T>
class ScratchAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  ScratchAllocator(ScratchPool& pool) : pool_(&pool) {}  // NOLINT: Vector(count, pool)
  template <typename U>
  ScratchAllocator(const ScratchAllocator<U>& other) : pool_(&other.pool()) {}

  ScratchPool& pool() const { return *pool_; }

  T* allocate(size_t count) {
    if (count > (INT64_MAX - kHeader) / sizeof(T)) throw std::bad_array_new_length();
    const ScratchPool::Block block = pool_->Take(static_cast<int64_t>(kHeader + count * sizeof(T)));
    new (block.bytes) ScratchPool::Block(block);
    return reinterpret_cast<T*>(block.bytes + kHeader);
  }
  void deallocate(T* elements, size_t) noexcept {
    auto* bytes = reinterpret_cast<std::byte*>(elements) - kHeader;
    pool_->Give(*std::launder(reinterpret_cast<ScratchPool::Block*>(bytes)));
  }

  template <typename U>
  bool operator==(const ScratchAllocator<U>& other) const {
    return pool_ == &other.pool();
  }

 private:
  static constexpr size_t kHeader = 64;  // so that elements are aligned as blocks are
  static_assert(sizeof(ScratchPool::Block) <= kHeader);

  ScratchPool* pool_;
};

template <typename T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_SCRATCH_VECTOR_H_

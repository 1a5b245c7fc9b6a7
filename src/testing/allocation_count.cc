// Replaces the allocation functions of the whole program, which then come here.
#include "testing/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> allocation_count = 0;

void* Allocate(size_t size, size_t alignment) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  const size_t rounded = (std::max<size_t>(1, size) + alignment - 1) / alignment * alignment;
  void* bytes = size > PTRDIFF_MAX ? nullptr : std::aligned_alloc(alignment, rounded);
  if (bytes == nullptr) throw std::bad_alloc();
  return bytes;
}

}  // namespace

int64_t hlo::testing::AllocationCount() { return allocation_count; }

void* operator new(size_t size) { return Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept try {
  return operator new(size);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t, std::align_val_t) noexcept { std::free(bytes); }

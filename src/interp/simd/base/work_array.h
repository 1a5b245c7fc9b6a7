// The array that one part of a kernel's work needs for itself: on the stack while it is small.
#ifndef HLOKIT_INTERP_SIMD_BASE_WORK_ARRAY_H_
#define HLOKIT_INTERP_SIMD_BASE_WORK_ARRAY_H_

#include <cstdint>

#include "interp/kernel/scratch_pool.h"

namespace hlo::simd {

template <typename T>
class WorkArray {
 public:
  // Uninitialised.
  WorkArray(ScratchPool& pool, int64_t count) {
    if (count > kOnStack) storage_ = ScratchArray<T>(pool, count);
  }
  WorkArray(const WorkArray&) = delete;
  WorkArray& operator=(const WorkArray&) = delete;

  T* data() { return storage_ == nullptr ? on_stack_ : storage_.get(); }
  const T* data() const { return storage_ == nullptr ? on_stack_ : storage_.get(); }

  // The bytes that so many elements take of the pool.
  static double ByteSize(double count) { return count > kOnStack ? count * sizeof(T) : 0; }

 private:
  static constexpr int64_t kOnStack = 16384 / sizeof(T);

  alignas(64) T on_stack_[kOnStack];
  ScratchArray<T> storage_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BASE_WORK_ARRAY_H_

// Unsigned integers in ascending order.
#ifndef HLOKIT_INTERP_SIMD_SORT_INTEGER_SORT_H_
#define HLOKIT_INTERP_SIMD_SORT_INTEGER_SORT_H_

#include <hwy/contrib/sort/vqsort.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "interp/kernel/device.h"

namespace hlo::simd {

// So many are worth several threads.
inline constexpr int64_t kManyIntegers = int64_t{1} << 17;

// The bytes of scratch memory that sharing so many takes.
int64_t ManyIntegersScratch(int64_t count);

// One for many sorts: making it allocates.
class IntegerSorter {
 public:
  template <typename Integer>
  void Sort(std::span<Integer> integers) const;

 private:
  hwy::Sorter sorter_;
};

// Sorts many integers on all threads.
template <typename Integer>
struct ManyIntegers {
  // Writes those from `begin` on to `to`: called twice for each.
  absl::FunctionRef<void(int64_t begin, std::span<Integer> to)> fill;
  // They are in order, and so are their neighbours: nothing moves past the ends of the span.
  absl::FunctionRef<void(int64_t begin, std::span<Integer> sorted)> finish;
  // Those that differ in so many low bits alone are finished together.
  int tie_bits = 0;
  // True when `fill` found that the order is of no use: then it is left unfinished.
  const std::atomic<bool>* is_useless = nullptr;

  // `integers` takes them; what it held is of no interest. Fails with kCancelled.
  absl::Status Sort(const DeviceContext& device, std::span<Integer> integers) const;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_SORT_INTEGER_SORT_H_

// What somebody wants to know of a product on its way.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_PRODUCT_WATCH_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_PRODUCT_WATCH_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "interp/kernel/device.h"
#include "interp/simd/base/work_array.h"

namespace hlo::simd {

struct ProductWatch {
  // Called for elements [begin, end) of the result, whole rows, as soon as they are made, by the
  // thread that made the last of them.
  using Finish = absl::FunctionRef<void(int64_t begin, int64_t end)>;
  const Finish* finish = nullptr;
  // Becomes false if columns that the run packs by itself have infinities or NaN.
  std::atomic<bool>* are_columns_finite = nullptr;
};

// Bands of rows that are worth being finished alone are so many at least.
inline constexpr int64_t kLeastFinished = 4;

// Entries that one thread makes one after the other: small ones are finished together.
class FinishedEntries {
 public:
  explicit FinishedEntries(const ProductWatch& watch) : finish_(watch.finish) {}

  // Elements [begin, end) of the result are made.
  void Add(int64_t begin, int64_t end) {
    if (finish_ == nullptr) return;
    if (begin != end_) {
      Finish();
      begin_ = begin;
    }
    end_ = end;
    if (end_ - begin_ >= kEnough) Finish();
  }
  // Behind the last of them.
  void Finish() {
    if (begin_ < end_) (*finish_)(begin_, end_);
    begin_ = end_;
  }

  static constexpr int64_t kEnough = 4096;  // elements that are still in the first caches

 private:
  const ProductWatch::Finish* finish_;
  int64_t begin_ = 0, end_ = 0;
};

// Bands of rows, each of which several parts of the product make.
class FinishedBands {
 public:
  FinishedBands(const DeviceContext& device, const ProductWatch& watch, int64_t bands,
                int64_t parts_of_band)
      : finish_(watch.finish),
        parts_of_band_(parts_of_band),
        done_(device.scratch(), finish_ == nullptr ? 0 : bands) {
    if (finish_ != nullptr) std::fill_n(done_.data(), bands, 0);
  }

  // One part more of `band`, which is elements [begin, end) of the result, is made.
  void Add(int64_t band, int64_t begin, int64_t end) {
    if (finish_ == nullptr) return;
    if (std::atomic_ref(done_.data()[band]).fetch_add(1) + 1 == parts_of_band_) {
      (*finish_)(begin, end);
    }
  }

 private:
  const ProductWatch::Finish* finish_;
  int64_t parts_of_band_;
  WorkArray<int32_t> done_;  // parts of each band
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_PRODUCT_WATCH_H_

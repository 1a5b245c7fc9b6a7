// What scatter does with runs of elements: what its function does, in memory.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_RUNS_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/movement/box_copy.h"
#include "interp/simd/movement/scatter_elements.h"
#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

// to[i] = f(to[i], from[i]).
class CombineRun {
 public:
  CombineRun(Opcode opcode, ElementType type)
      : size_(ElementByteSize(type)),
        elements_(FindScatterElements(opcode, type)),
        combine_(GetBlockKernels().elementwise(opcode, TileType(type))),
        widen_(IsNarrow(type) ? GetBlockKernels().widen(type) : nullptr),
        narrow_(IsNarrow(type) ? GetBlockKernels().narrow(type) : nullptr) {}

  // Null: there is none.
  ScatterElements elements() const { return elements_; }
  // Of elements side by side.
  void operator()(std::byte* to, const std::byte* from, int64_t count) const {
    if (widen_ == nullptr) return combine_(to, from, nullptr, to, count);
    alignas(64) float a[kTile], b[kTile];
    for (int64_t done = 0; done < count; done += kTile) {
      const int64_t piece = std::min(kTile, count - done);
      widen_(to + done * size_, nullptr, nullptr, a, piece);
      widen_(from + done * size_, nullptr, nullptr, b, piece);
      combine_(a, b, nullptr, a, piece);
      narrow_(a, nullptr, nullptr, to + done * size_, piece);
    }
  }

  // Of `count` runs of `size` bytes, as CopyRuns copies them: short ones come together first, which
  // is right since none of them meets another.
  void Runs(int64_t size, int64_t count, const std::byte* from, int64_t from_stride, std::byte* to,
            int64_t to_stride) const {
    if (count == 1 || size >= kLongRun) {
      for (int64_t i = 0; i < count; ++i) {
        (*this)(to + i * to_stride, from + i * from_stride, size / size_);
      }
      return;
    }
    alignas(64) std::byte a[kTileByteSize], b[kTileByteSize];
    const int64_t most = kTileByteSize / size;
    for (int64_t done = 0; done < count; done += most) {
      const int64_t runs = std::min(most, count - done);
      CopyRuns(size, runs, to + done * to_stride, to_stride, a, size);
      CopyRuns(size, runs, from + done * from_stride, from_stride, b, size);
      (*this)(a, b, runs * size / size_);
      CopyRuns(size, runs, a, size, to + done * to_stride, to_stride);
    }
  }

 private:
  static constexpr int64_t kTile = 1024;  // elements of narrow floats that are widened at once
  static constexpr int64_t kTileByteSize = 4096;
  static constexpr int64_t kLongRun = 64;  // bytes

  int64_t size_;
  ScatterElements elements_;
  TileLoop combine_, widen_, narrow_;
};

// to[i] = from[i].
class OverwriteRun {
 public:
  explicit OverwriteRun(ElementType type)
      : size_(ElementByteSize(type)), elements_(FindOverwriteElements(type)) {}

  ScatterElements elements() const { return elements_; }
  void operator()(std::byte* to, const std::byte* from, int64_t count) const {
    std::memcpy(to, from, static_cast<size_t>(count * size_));
  }
  void Runs(int64_t size, int64_t count, const std::byte* from, int64_t from_stride, std::byte* to,
            int64_t to_stride) const {
    CopyRuns(size, count, from, from_stride, to, to_stride);
  }

 private:
  int64_t size_;
  ScatterElements elements_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_SCATTER_RUNS_H_

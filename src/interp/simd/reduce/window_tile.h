// Some neighbouring windows at a time: which element each of them covers at each of its positions.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_WINDOW_TILE_H_
#define HLOKIT_INTERP_SIMD_REDUCE_WINDOW_TILE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "interp/kernel/evaluation.h"
#include "interp/kernel/scratch_pool.h"
#include "ir/index_space.h"
#include "ir/window_dimension.h"

namespace hlo::simd {

// The windows over an array, numbered in row-major order of their results. Windows are not turned.
class WindowGrid {
 public:
  // The windows over an array of `sizes`, `counts` of them in each dimension.
  WindowGrid(const Window& window, std::span<const int64_t> sizes, std::span<const int64_t> counts);

  // Whether there are such windows, and all numbers are small enough to be counted with.
  // `allows_holes`: between elements.
  static bool Suits(const Window& window, std::span<const int64_t> sizes,
                    std::span<const int64_t> counts, bool allows_holes);

  // Entries of the dimensions before the first one that has a window; windows and elements in each.
  int64_t outer_count() const { return outer_count_; }
  int64_t windows_in_each() const { return windows_in_each_; }
  int64_t elements_in_each() const { return elements_in_each_; }
  // Windows that lie side by side in the dimensions behind the last one that has a window: these
  // have no elements in common.
  int64_t run() const { return run_; }
  // How many elements a window covers at most.
  double most_covered() const { return most_covered_; }
  size_t dimension_count() const { return dimensions_.size(); }

 private:
  friend class WindowTile;

  // One in which windows are more than the element at their place.
  struct Dimension {
    size_t number;
    int32_t size;          // positions: elements, and the holes between them
    int32_t dilation;      // positions from an element to the next
    int64_t stride;        // of elements in memory
    int64_t extent, step;  // of a window: what it looks at, and positions between two of these
    // The position where the first window begins, and how far behind it the next.
    int32_t begin, window_stride;
  };

  // Windows by dimension, those of the run one; and how far one begins behind the one before, in
  // memory.
  Index counts_, steps_;
  int64_t first_place_ = 0;  // where the first begins, which may lie outside
  std::vector<Dimension> dimensions_;
  int64_t outer_count_ = 1, windows_in_each_ = 1, elements_in_each_ = 1, run_ = 1;
  double most_covered_ = 1;
};

class WindowTile {
 public:
  static constexpr int64_t kMaxSize = 256;  // windows

  WindowTile(const WindowGrid& grid, ScratchPool& pool);

  static int64_t ScratchByteSize(size_t dimension_count);

  // Makes it windows `begin` and behind.
  void SetTo(int64_t begin, int64_t count);

  // Where each window would begin, whether there are elements or not.
  std::span<const int64_t> firsts() const { return {firsts_, static_cast<size_t>(count_)}; }

  // Calls visit(place, covers) for each position that falls on an element in one of the windows at
  // least, in order: this is element firsts()[i] + place of window i, if covers[i] is 1; nothing in
  // `covers`: of all windows. Until it returns false.
  using Visit = absl::FunctionRef<bool(int64_t place, std::span<const uint8_t> covers)>;
  void ForEachPosition(Visit visit) const { VisitFrom(0, 0, {}, visit); }

 private:
  void SetLine(int64_t first, int64_t count, const Index& at, int64_t place);
  void SetLineOverHoles(size_t k, int64_t first, int64_t count);
  bool VisitFrom(size_t d, int64_t place, std::span<const uint8_t> covers, Visit visit) const;

  const WindowGrid& grid_;
  int64_t count_ = 0;
  ScratchArray<std::byte> storage_;
  int64_t* firsts_;
  // By dimension of the grid, kMaxSize of each: the position where each window begins, how far that
  // is behind an element, where there are holes, and whether it covers one; and the least and the
  // largest of the first.
  int32_t *begins_, *rests_;
  uint8_t* covers_;
  absl::InlinedVector<std::pair<int32_t, int32_t>, 8> ranges_;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_WINDOW_TILE_H_

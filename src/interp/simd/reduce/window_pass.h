// Windows along one dimension of an array: what reduce-window is made of.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_WINDOW_PASS_H_
#define HLOKIT_INTERP_SIMD_REDUCE_WINDOW_PASS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/window_positions.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"

namespace hlo::simd {

// What is combined, and how: elements as tiles hold them.
struct WindowCombination {
  WindowCombination(Opcode opcode, ElementType type);

  void operator()(std::byte* to, const std::byte* from, int64_t count) const {
    (*this)(to, from, to, count);
  }
  // to[i] = starts[i] combined with from[i]
  void operator()(const std::byte* starts, const std::byte* from, std::byte* to,
                  int64_t count) const {
    if (combine_rounded != nullptr) return combine_rounded(from, 0, 1, count, starts, to);
    combine(starts, from, nullptr, to, count);
    if (round != nullptr) round(to, nullptr, nullptr, to, count);
  }
  // to[i] = to[i] combined with element i of so many rows, `stride` elements apart, in turn.
  void AddRows(std::byte* to, const std::byte* rows, int64_t stride, int64_t row_count,
               int64_t count) const {
    if (combine_rounded != nullptr) return combine_rounded(rows, stride, row_count, count, to, to);
    for (int64_t row = 0; row < row_count; ++row) {
      (*this)(to, rows + row * stride * element_size, count);
    }
  }

  TileLoop combine;
  CombineRows combine_rows;
  CombinePairs combine_pairs;  // null: there is none
  ScanRow scan;                // null: there is none
  TileLoop round;  // a tile to the precision of narrower floats after each step; null: no need
  CombineRounded combine_rounded;  // the same in one loop; null: there is none, or no need
  int64_t element_size;
};

// `count` copies of an element; nothing where it is null.
void FillElements(std::byte* to, const std::byte* element, int64_t size, int64_t count);

// Whether each result is the one element at its place.
inline bool IsTrivialWindow(const WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// One pass: the middle dimension of [outer, in, inner] becomes [outer, out, inner].
class WindowPass {
 public:
  // One of `outer`: `in` rows that become `out` rows.
  struct Line {
    const std::byte* from;
    std::byte* to;
    int64_t width;          // of its rows, in elements
    int64_t first_row = 0;  // of the line's, which lies at `from`
  };

  WindowPass(const WindowDimension& window, int64_t outer, int64_t in, int64_t inner);

  int64_t result_count() const { return outer_ * out_ * inner_; }
  int64_t outer() const { return outer_; }
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  int64_t inner() const { return inner_; }
  // Whether each result is made from the one before it.
  bool MakesForward() const { return makes_forward_; }
  // Or from the one behind it.
  bool MakesFromNeighbours() const { return makes_forward_ || makes_backward_; }
  // What is under the window of result `o`.
  reference::WindowRun run(int64_t o) const { return runs_[o]; }

  absl::Status Run(const DeviceContext& device, const WindowCombination& combination,
                   const std::byte* from, const std::byte* init, std::byte* to) const;

  // Whether `next` goes over the elements of each row that this one makes.
  bool HasRowsOf(const WindowPass& next) const {
    return next.outer_ == outer_ * out_ && next.in_ * next.inner_ == inner_;
  }
  // Whether `next` goes over the dimension inside this one's, and rows between them are short
  // enough for the caches.
  bool CanPassRowsTo(const WindowPass& next, const WindowCombination& combination) const;
  // This pass from `init` and then `next` from `next_init`. What is between them are rows alone.
  absl::Status RunWith(const WindowPass& next, const DeviceContext& device,
                       const WindowCombination& combination, const std::byte* from,
                       const std::byte* init, const std::byte* next_init, std::byte* to) const;

  // All of it, on this thread.
  void RunLines(const WindowCombination& combination, const std::byte* from, const std::byte* init,
                std::byte* to) const;
  // One whole line.
  void RunLine(const WindowCombination& combination, const Line& line, const std::byte* init) const;
  // Row `o` of a line's results, which starts as `init`, or as what stands there where that is
  // null.
  void ReduceRow(const WindowCombination& combination, const Line& line, const std::byte* init,
                 int64_t o, std::byte* to) const;
  // A whole line in the order of the definition, whose results start as those of ReduceRow do.
  void RunLineInOrder(const WindowCombination& combination, const Line& line,
                      const std::byte* init) const;

  // Combinations.
  double LineWork(const WindowCombination& combination) const;
  double Work(const WindowCombination& combination) const {
    return static_cast<double>(outer_) * LineWork(combination);
  }
  // How many of `count` pieces that are so much work each are worth a part of their own.
  static int64_t PartSize(double work, int64_t count);

 private:
  // Steps that round keep to the order of the definition.
  bool AccumulatesBackward(const WindowCombination& combination) const {
    return makes_backward_ && combination.round == nullptr;
  }
  bool Accumulates(const WindowCombination& combination) const {
    return makes_forward_ || AccumulatesBackward(combination);
  }
  bool MakesFromNeighbour(bool forward) const;
  bool AddsOneTerm(bool forward) const;
  void FindWhole();
  void FindPhases();  // window_phases.cc

  // In all of these a result starts as `init`, or as what stands there where that is null.
  void ReduceRows(const WindowCombination& combination, const Line& line,
                  const std::byte* init) const;
  void ReduceScalars(const WindowCombination& combination, const Line& line,
                     const std::byte* init) const;
  void ReduceWhole(const WindowCombination& combination, const Line& line,
                   const std::byte* init) const;
  void ReducePhases(const WindowCombination& combination, const Line& line,
                    const std::byte* init) const;
  void ReducePhase(const WindowCombination& combination, const Line& line, const std::byte* init,
                   int64_t first, int64_t count, std::byte* to) const;
  void ReduceWholeByTerms(const WindowCombination& combination, const Line& line,
                          const std::byte* init) const;
  void ReduceSome(const WindowCombination& combination, const Line& line, const std::byte* init,
                  int64_t first, int64_t last) const;
  void Accumulate(const WindowCombination& combination, const Line& line, const std::byte* init,
                  bool forward) const;

  const std::byte* Row(const Line& line, int64_t q, int64_t size) const {
    return line.from + (q - line.first_row) * inner_ * size;
  }

  int64_t outer_, in_, out_, inner_;
  reference::WindowRuns runs_;
  WindowDimension window_;
  bool makes_forward_, makes_backward_;
  bool adds_one_term_;
  int64_t whole_begin_ = 0, whole_end_ = 0;
  int64_t phase_count_ = 0;  // over holes, of these: 0: there are none
};

// The passes of `window` over an array's dimensions from `first` on, one for each with a window, in
// order: of arrays in which `inner` elements lie side by side for each of these.
std::vector<WindowPass> MakePasses(const Window& window, std::span<const int64_t> dims,
                                   size_t first, int64_t inner);

// What the results of passes start from, as tiles hold it: the initial value belongs into one pass
// of a sum only.
class WindowStarts {
 public:
  explicit WindowStarts(Evaluation& e);

  const std::byte* init() const { return init_; }
  // Of pass `number` of so many.
  const std::byte* Of(size_t number, size_t count) const {
    return is_sum_ && number + 1 < count ? zero_ : init_;
  }

 private:
  bool is_sum_;
  alignas(16) std::byte init_[16] = {};
  alignas(16) std::byte zero_[16] = {};  // changes nothing when a sum starts with it
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_WINDOW_PASS_H_

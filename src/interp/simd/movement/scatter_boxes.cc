// Windows are placed first, some at a time: where each begins in the operand and in the updates,
// but for those that lie outside. Then they are combined in order, run by run, a run being what
// lies side by side on both sides.
//
// On several threads each has a stretch of one of the operand's dimensions, goes through all
// windows and combines what of them falls into it: so each element still sees its windows one after
// the other, whatever the stretches are.
#include "interp/simd/movement/scatter_boxes.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/scatter_windows.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/scatter_operands.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

using reference::ScatterWindows;

constexpr int64_t kManyElements = int64_t{1} << 17;  // that are worth several threads
// Elements of a window that are worth a look of every thread.
constexpr int64_t kLeastWindowOfThreads = 8;
constexpr int64_t kElementsAtOnce = int64_t{1} << 20;  // of the windows that are placed together
constexpr int64_t kMostWindowsAtOnce = int64_t{1} << 14;

// Where a window begins: elements of the operand and of the updates.
struct PlacedWindow {
  int64_t target, update;
};

// How many windows are placed together.
int64_t WindowsAtOnce(int64_t window_count, int64_t window_size) {
  const int64_t most = std::min(kMostWindowsAtOnce, window_count);
  return std::clamp<int64_t>(kElementsAtOnce / window_size, 1, std::max<int64_t>(1, most));
}

// The windows of a scatter, and the dimension of the operand that threads share out.
class ScatterBoxes {
 public:
  explicit ScatterBoxes(const Evaluation& e)
      : windows_(e), window_size_(CountElements(windows_.window_sizes())) {
    for (const MutableArrayRef& result : e.results()) {
      whole_.push_back(Box(ElementByteSize(result.element_type), windows_.window_sizes()));
    }
    if (window_size_ == 0) return;
    windows_at_once_ = WindowsAtOnce(UpdatesOf(e, 0).element_count() / window_size_, window_size_);
    ChooseSharedDimension(GatherDimensions::Of(e.op()));
  }

  template <typename Combine>
  absl::Status Run(Evaluation& e, size_t array, const Combine& combine) {
    const Task<Combine> task = {e, e.result(array), UpdatesOf(e, array), combine, whole_[array]};
    const ScratchArray<PlacedWindow> placed(e.device().scratch(), windows_at_once_);
    int64_t count = 0;
    const auto flush = [&] {
      const std::span<const PlacedWindow> some(placed.get(), static_cast<size_t>(count));
      count = 0;
      return CombineSome(task, some);
    };
    HLO_RETURN_IF_ERROR(windows_.ForEach(windows_.Indices(e), [&](int64_t target, int64_t update) {
      placed[count++] = {target, update};
      return count == windows_at_once_ ? flush() : absl::OkStatus();
    }));
    return flush();
  }

 private:
  // One of the arrays.
  template <typename Combine>
  struct Task {
    Evaluation& e;
    const MutableArrayRef& result;
    const ArrayRef& updates;
    const Combine& combine;
    const BoxCopy& whole;
    int64_t element_size = ElementByteSize(result.element_type);
  };

  BoxCopy Box(int64_t element_size, std::span<const int64_t> sizes) const {
    return BoxCopy(element_size, sizes, windows_.update_strides(), windows_.target_strides());
  }

  // The first dimension that windows have from end to end, since all threads have as much of each
  // then; else the largest.
  void ChooseSharedDimension(const GatherDimensions& dimensions) {
    const std::span<const int64_t> dims = windows_.operand_dims();
    int64_t largest = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
      const bool is_whole =
          dimensions.ComponentOf(d) < 0 && dimensions.BatchOf(d) < 0 && WindowDimension(d) >= 0;
      const int64_t size = dims[static_cast<size_t>(d)];
      if (is_whole && size >= kManyCoordinates) {
        shared_ = d;
        break;
      }
      if (size <= largest) continue;
      largest = size;
      shared_ = d;
    }
    shared_in_window_ = WindowDimension(shared_);
  }

  // The place of a dimension of the operand among those of windows; -1: they have none.
  int64_t WindowDimension(int64_t operand_dim) const {
    const std::span<const int64_t> windowed = windows_.windowed_dims();
    const auto found = std::ranges::find(windowed, operand_dim);
    return found == windowed.end() ? -1 : found - windowed.begin();
  }

  template <typename Combine>
  absl::Status CombineSome(const Task<Combine>& task, std::span<const PlacedWindow> placed) const {
    if (placed.empty()) return absl::OkStatus();
    const DeviceContext& device = task.e.device();
    const int64_t work = static_cast<int64_t>(placed.size()) * window_size_;
    const int64_t threads = ThreadCount(device);
    const bool is_shared =
        threads > 1 && work >= kManyElements && window_size_ >= kLeastWindowOfThreads;
    if (!is_shared) {
      for (const PlacedWindow& window : placed) CombineBox(task, task.whole, window);
      return device.is_interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
    }
    const int64_t size = windows_.operand_dims()[static_cast<size_t>(shared_)];
    const int64_t stretch = CeilDiv(size, threads);
    return ForEachPart(device, CeilDiv(size, stretch), [&](int64_t part) {
      CombineStretch(task, placed, part * stretch, std::min(size, (part + 1) * stretch));
    });
  }

  // What falls between the coordinates `first` and `last` of the dimension that is shared.
  template <typename Combine>
  void CombineStretch(const Task<Combine>& task, std::span<const PlacedWindow> placed,
                      int64_t first, int64_t last) const {
    const auto d = static_cast<size_t>(shared_);
    const bool has_dimension = shared_in_window_ >= 0;
    const auto w = static_cast<size_t>(shared_in_window_);
    const int64_t extent = has_dimension ? windows_.window_sizes()[w] : 1;
    const int64_t target_stride = windows_.operand_strides()[d];
    const int64_t update_stride = has_dimension ? windows_.update_strides()[w] : 0;
    BoxCopy box = task.whole;
    int64_t box_extent = extent;
    for (const PlacedWindow& window : placed) {
      const int64_t start = window.target / target_stride % windows_.operand_dims()[d];
      const int64_t begin = std::max<int64_t>(0, first - start);
      const int64_t end = std::min(extent, last - start);
      if (begin >= end) continue;
      if (end - begin != box_extent) {
        box_extent = end - begin;
        box = PartOfBox(task.element_size, w, box_extent);
      }
      CombineBox(task, box,
                 {window.target + begin * target_stride, window.update + begin * update_stride});
    }
  }

  BoxCopy PartOfBox(int64_t element_size, size_t window_dimension, int64_t extent) const {
    Index sizes(windows_.window_sizes().begin(), windows_.window_sizes().end());
    sizes[window_dimension] = extent;
    return Box(element_size, reference::AsSpan(sizes));
  }

  template <typename Combine>
  void CombineBox(const Task<Combine>& task, const BoxCopy& box, const PlacedWindow& window) const {
    const DeviceContext& device = task.e.device();
    std::byte* to = task.result.bytes + window.target * task.element_size;
    const std::byte* from = task.updates.bytes + window.update * task.element_size;
    if (box.run_count() == 1 && box.run_size() <= kPieceSize) {
      return task.combine(to, from, box.run_size() / task.element_size);
    }
    const int64_t runs = std::max<int64_t>(1, kPieceSize / box.run_size());
    for (int64_t begin = 0; begin < box.run_count() && !device.is_interrupted(); begin += runs) {
      const int64_t end = std::min(box.run_count(), begin + runs);
      for (int64_t done = 0; done < box.run_size() && !device.is_interrupted();
           done += kPieceSize) {
        const int64_t size = std::min(kPieceSize, box.run_size() - done);
        box.ForEachRow(begin, end,
                       [&](int64_t source, int64_t target, int64_t count, int64_t from_stride,
                           int64_t to_stride) {
                         task.combine.Runs(size, count, from + source + done, from_stride,
                                           to + target + done, to_stride);
                       });
      }
    }
  }

  static constexpr int64_t kManyCoordinates = 64;  // that there are enough of for all threads

  ScatterWindows windows_;
  int64_t window_size_;  // elements
  int64_t windows_at_once_ = 1;
  std::vector<BoxCopy> whole_;     // by array
  int64_t shared_ = 0;             // dimension of the operand
  int64_t shared_in_window_ = -1;  // the same of the windows
};

template <typename Combine>
absl::Status RunBoxes(Evaluation& e, size_t array, const Combine& combine) {
  // There may be many windows without elements.
  if (UpdatesOf(e, array).element_count() == 0) return absl::OkStatus();
  return PreparedOf<ScatterBoxes>(e).Run(e, array, combine);
}

}  // namespace

absl::Status CopyScatterOperand(Evaluation& e, size_t array) {
  const ArrayRef& operand = e.operand(array);
  if (e.result(array).bytes == operand.bytes) return absl::OkStatus();
  const int64_t sizes[] = {operand.byte_size()}, strides[] = {1};
  return BoxCopy(1, sizes, strides, strides).Run(e.device(), operand.bytes, e.result(array).bytes);
}

absl::Status CombineBoxes(Evaluation& e, size_t array, const CombineRun& combine) {
  return RunBoxes(e, array, combine);
}
absl::Status CombineBoxes(Evaluation& e, size_t array, const OverwriteRun& combine) {
  return RunBoxes(e, array, combine);
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareBoxes(Evaluation& e) {
  return Prepare<ScatterBoxes>(e);
}

// Windows that are placed, and indices, which are taken as s64. Arrays lie within reach (reach.h):
// nothing overflows.
int64_t BoxesScratchByteSize(const OpView& op) {
  const Shape& updates = UpdatesOf(op);
  int64_t window_size = 1;
  for (const int64_t d : GatherDimensions::Of(op).window_dims) window_size *= updates.dim(d);
  if (window_size == 0) return 0;
  const int64_t windows =
      WindowsAtOnce(ElementCount(updates).value_or(0) / window_size, window_size);
  const int64_t indices = ElementCount(IndicesOf(op)).value_or(0);
  return windows * int64_t{sizeof(PlacedWindow)} + indices * int64_t{sizeof(int64_t)};
}

}  // namespace hlo::simd

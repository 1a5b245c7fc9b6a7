// gather (semantics.md 7.6). First the places of some windows are worked out, clamped so that all
// of each lies inside; then they are copied: window after window where these have long runs,
// otherwise one run of all windows after the other, since windows that lie side by side in the
// result are then written side by side. So are windows of one short run, such as an element: for
// runs of a known size there are loops without calls.
#include "interp/simd/movement/gather.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "interp/kernel/array_view.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/element_size.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/box_copy.h"
#include "ir/element_traits.h"
#include "ir/gather_dimensions.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

using reference::AsSpan;
using reference::DenseStrides;
using reference::Select;
using reference::Strides;

constexpr int64_t kMaxWindows = 512;  // that are copied together
constexpr int64_t kAhead = 8;         // windows whose memory is asked for before they are copied
constexpr int64_t kLongRun = 64;      // bytes
constexpr int64_t kFewElements = 64;  // windows that are done at once, if they are elements

class Gathering {
 public:
  explicit Gathering(const OpView& op);

  absl::Status Run(Evaluation& e) const;

 private:
  // A component of the index vectors.
  struct Component {
    int64_t offset;  // in the array of indices, elements
    int64_t stride;  // of the operand, bytes
    int64_t last;    // the largest start
  };
  // A dimension of the array of windows.
  struct Batch {
    int64_t size;
    int64_t index_stride;  // elements
    int64_t from_stride;   // bytes of the operand, for batches of its own
    int64_t to_stride;     // bytes of the result
  };
  struct Places {
    std::array<int64_t, kMaxWindows> from, to;  // bytes
    int64_t count = 0;
  };

  void AddBatch(const Batch& next);
  void ChoosePieces();
  // The window of an index vector; `from` without it.
  template <typename T>
  int64_t WindowAt(const T* vector, int64_t from) const {
    for (const Component& component : components_) {
      const auto start = static_cast<int64_t>(NativeValue(vector[component.offset]));
      from += std::clamp<int64_t>(start, 0, component.last) * component.stride;
    }
    return from;
  }
  void CopyElements(const ArrayRef& indices, const std::byte* from, std::byte* to) const;
  template <typename T>
  void FindPlaces(const T* indices, int64_t begin, int64_t end, Places& places) const;
  void FindPlaces(const ArrayRef& indices, int64_t begin, int64_t end, Places& places) const;
  void CopyWindows(const Places& places, const std::byte* from, std::byte* to) const;
  void CopyByRuns(const Places& places, int64_t begin, int64_t end, const std::byte* from,
                  std::byte* to) const;

  int64_t element_size_;
  std::vector<Component> components_;
  std::vector<Batch> batches_;  // innermost last
  int64_t window_count_ = 1;
  BoxCopy window_;
  bool streams_ = false;
  bool is_by_runs_ = false;
  int64_t windows_at_once_ = 1;
  int64_t runs_at_once_ = 1;      // is_by_runs_
  int64_t pieces_ = 1;            // of as many windows
  bool is_few_elements_ = false;  // which are copied without places
};

Gathering::Gathering(const OpView& op)
    : element_size_(ElementByteSize(op.operand_shape(0).element_type())) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  const Shape& indices = op.operand_shape(1);
  const GatherDimensions dimensions = GatherDimensions::Of(op);
  const IntList box = op.Get<Attr::kSliceSizes>();
  const int64_t size = element_size_;
  const Strides from_strides = DenseStrides(operand.dims());
  const Strides to_strides = DenseStrides(result.dims());
  const Strides index_strides = DenseStrides(indices.dims());

  const int64_t vector_stride =
      dimensions.index_vector_dim < indices.rank()
          ? index_strides[static_cast<size_t>(dimensions.index_vector_dim)]
          : 0;
  for (size_t k = 0; k < dimensions.index_map.size(); ++k) {
    const auto d = static_cast<size_t>(dimensions.index_map[k]);
    components_.push_back({static_cast<int64_t>(k) * vector_stride, from_strides[d] * size,
                           operand.dim(static_cast<int64_t>(d)) - box[d]});
  }

  const Index batch_dims = dimensions.BatchDims(result.rank());
  for (size_t b = 0; b < batch_dims.size(); ++b) {
    const auto place = static_cast<int64_t>(b);
    Batch batch = {result.dim(batch_dims[b]),
                   index_strides[static_cast<size_t>(dimensions.IndicesDim(place))], 0,
                   to_strides[static_cast<size_t>(batch_dims[b])] * size};
    for (int64_t d = 0; d < operand.rank(); ++d) {
      if (dimensions.BatchOf(d) == place) {
        batch.from_stride += from_strides[static_cast<size_t>(d)] * size;
      }
    }
    window_count_ *= batch.size;
    AddBatch(batch);
  }

  const Index windowed = dimensions.WindowedDims(operand.rank());
  window_ = BoxCopy(size, AsSpan(Select(box, AsSpan(windowed))),
                    AsSpan(Select(AsSpan(from_strides), AsSpan(windowed))),
                    AsSpan(Select(AsSpan(to_strides), dimensions.window_dims)));
  ChoosePieces();
}

void Gathering::AddBatch(const Batch& next) {
  if (next.size == 1) return;
  if (!batches_.empty()) {
    Batch& last = batches_.back();
    if (last.index_stride == next.size * next.index_stride &&
        last.from_stride == next.size * next.from_stride &&
        last.to_stride == next.size * next.to_stride) {
      last = {last.size * next.size, next.index_stride, next.from_stride, next.to_stride};
      return;
    }
  }
  batches_.push_back(next);
}

void Gathering::ChoosePieces() {
  const int64_t window_size = std::max<int64_t>(1, window_.byte_size());
  is_by_runs_ =
      window_.run_size() < kLongRun &&
      (window_.run_count() > 1 || std::has_single_bit(static_cast<uint64_t>(window_.run_size())));
  // Short runs that end within lines of the cache leave two halves to be read and written each.
  constexpr int64_t kLine = 64;
  const bool fills_lines = window_.run_size() % kLine == 0;
  streams_ = window_.run_size() >= (fills_lines ? kStreamedRun : 4 * kStreamedRun) &&
             window_size <= kPieceSize && window_count_ >= kStreamedSize / window_size;
  windows_at_once_ =
      is_by_runs_ ? kMaxWindows : std::clamp<int64_t>(kPieceSize / window_size, 1, kMaxWindows);
  windows_at_once_ = std::min(windows_at_once_, std::max<int64_t>(1, window_count_));
  is_few_elements_ =
      window_.byte_size() == element_size_ && batches_.size() <= 1 && window_count_ <= kFewElements;
  if (is_by_runs_) {
    runs_at_once_ = std::max<int64_t>(1, kPieceSize / (windows_at_once_ * window_.run_size()));
    pieces_ = CeilDiv(window_.run_count(), runs_at_once_);
  } else if (windows_at_once_ == 1) {
    pieces_ = window_.piece_count();
  }
}

template <typename T>
void Gathering::FindPlaces(const T* indices, int64_t begin, int64_t end, Places& places) const {
  places.count = end - begin;
  if (batches_.empty()) {
    places.from[0] = WindowAt(indices, 0);
    places.to[0] = 0;
    return;
  }
  const Batch& inner = batches_.back();
  for (int64_t i = begin; i < end;) {
    const int64_t first = i % inner.size;
    const int64_t count = std::min(inner.size - first, end - i);
    int64_t rest = i / inner.size;
    int64_t index = first * inner.index_stride;
    int64_t from = first * inner.from_stride, to = first * inner.to_stride;
    for (size_t d = batches_.size() - 1; d-- > 0;) {
      const int64_t k = rest % batches_[d].size;
      rest /= batches_[d].size;
      index += k * batches_[d].index_stride;
      from += k * batches_[d].from_stride;
      to += k * batches_[d].to_stride;
    }
    for (int64_t k = 0; k < count; ++k) {
      const auto place = static_cast<size_t>(i - begin + k);
      places.from[place] =
          WindowAt(indices + index + k * inner.index_stride, from + k * inner.from_stride);
      places.to[place] = to + k * inner.to_stride;
    }
    i += count;
  }
}

void Gathering::FindPlaces(const ArrayRef& indices, int64_t begin, int64_t end,
                           Places& places) const {
  DispatchElementType<kInteger>(indices.element_type, [&]<typename T>() {
    FindPlaces(View<T>(indices).data(), begin, end, places);
  });
}

void Gathering::CopyWindows(const Places& places, const std::byte* from, std::byte* to) const {
  const int64_t size = window_.run_size();
  for (int64_t i = 0; i < places.count; ++i) {
    const auto place = static_cast<size_t>(i);
    if (i + kAhead < places.count) {
      const std::byte* next = from + places.from[place + kAhead];
      for (int64_t line = 0; line < std::min<int64_t>(size, 512); line += 64) {
        __builtin_prefetch(next + line);
      }
    }
    const std::byte* window = from + places.from[place];
    if (window_.run_count() == 1) {
      CopyRun(window, to + places.to[place], size, streams_);
    } else {
      for (int64_t piece = 0; piece < window_.piece_count(); ++piece) {
        window_.CopyPiece(piece, window, to + places.to[place], streams_);
      }
    }
  }
  if (streams_) FinishStreams();
}

// Runs [begin, end) of all windows.
void Gathering::CopyByRuns(const Places& places, int64_t begin, int64_t end, const std::byte* from,
                           std::byte* to) const {
  const auto copy = [&](auto size, const std::byte* run, std::byte* run_to, int64_t from_stride) {
    for (int64_t i = 0; i < places.count; ++i) {
      const auto place = static_cast<size_t>(i);
      __builtin_prefetch(run + from_stride + places.from[place]);
      std::memcpy(run_to + places.to[place], run + places.from[place], static_cast<size_t>(size));
    }
  };
  const auto copy_row = [&](auto size, int64_t source, int64_t target, int64_t count,
                            int64_t from_stride, int64_t to_stride) {
    for (int64_t r = 0; r < count; ++r) {
      copy(size, from + source + r * from_stride, to + target + r * to_stride, from_stride);
    }
  };
  const auto copy_all = [&](auto size) {
    window_.ForEachRow(begin, end, [&](auto... row) { copy_row(size, row...); });
  };
  switch (window_.run_size()) {
    case 1:
      return copy_all(std::integral_constant<int64_t, 1>());
    case 2:
      return copy_all(std::integral_constant<int64_t, 2>());
    case 4:
      return copy_all(std::integral_constant<int64_t, 4>());
    case 8:
      return copy_all(std::integral_constant<int64_t, 8>());
    case 16:
      return copy_all(std::integral_constant<int64_t, 16>());
    default:
      return copy_all(window_.run_size());
  }
}

// Few windows of one element along one dimension, without the places of all of them first.
void Gathering::CopyElements(const ArrayRef& indices, const std::byte* from, std::byte* to) const {
  const Batch batch = batches_.empty() ? Batch{1, 0, 0, 0} : batches_[0];
  DispatchElementType<kInteger>(indices.element_type, [&]<typename T>() {
    reference::DispatchElementSize(element_size_, [&]<typename Element>() {
      const T* vectors = View<T>(indices).data();
      for (int64_t i = 0; i < batch.size; ++i) {
        const int64_t window = WindowAt(vectors + i * batch.index_stride, i * batch.from_stride);
        std::memcpy(to + i * batch.to_stride, from + window, sizeof(Element));
      }
    });
  });
}

absl::Status Gathering::Run(Evaluation& e) const {
  if (e.result().element_count() == 0) return absl::OkStatus();
  const std::byte* from = e.operand(0).bytes;
  std::byte* to = e.result().bytes;
  if (is_few_elements_) {
    CopyElements(e.operand(1), from, to);
    return absl::OkStatus();
  }
  const int64_t parts = CeilDiv(window_count_, windows_at_once_) * pieces_;
  return ForEachPart(e.device(), parts, [&](int64_t part) {
    Places places;
    const int64_t begin = part / pieces_ * windows_at_once_;
    const int64_t piece = part % pieces_;
    FindPlaces(e.operand(1), begin, std::min(window_count_, begin + windows_at_once_), places);
    if (is_by_runs_) {
      const int64_t first = piece * runs_at_once_;
      CopyByRuns(places, first, std::min(window_.run_count(), first + runs_at_once_), from, to);
    } else if (pieces_ > 1) {
      window_.CopyPiece(piece, from + places.from[0], to + places.to[0], /*streams=*/false);
    } else {
      CopyWindows(places, from, to);
    }
  });
}

absl::Status RunGather(Evaluation& e) { return PreparedOf<Gathering>(e).Run(e); }

// Whether what the attributes say fits together: some of what does not verifies with a warning.
bool IsConsistent(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& indices = op.operand_shape(1);
  const Shape& result = *op.written_shape();
  const GatherDimensions dimensions = GatherDimensions::Of(op);
  const IntList box = op.Get<Attr::kSliceSizes>();
  const Index windowed = dimensions.WindowedDims(operand.rank());
  const Index batch_dims = dimensions.BatchDims(result.rank());
  if (static_cast<int64_t>(box.size()) != operand.rank() ||
      windowed.size() != dimensions.window_dims.size()) {
    return false;
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool is_batch = dimensions.BatchOf(d) >= 0;
    const bool is_windowed = std::ranges::find(windowed, d) != windowed.end();
    const int64_t size = box[static_cast<size_t>(d)];
    if (size > operand.dim(d) || (!is_windowed && size != 1) ||
        std::ranges::count(dimensions.index_map, d) + (is_batch ? 1 : 0) > 1 ||
        (is_batch && operand.dim(d) != indices.dim(dimensions.IndicesDim(dimensions.BatchOf(d))))) {
      return false;
    }
  }
  for (size_t k = 0; k < windowed.size(); ++k) {
    if (result.dim(dimensions.window_dims[k]) != box[static_cast<size_t>(windowed[k])]) {
      return false;
    }
  }
  for (size_t b = 0; b < batch_dims.size(); ++b) {
    const int64_t d = dimensions.IndicesDim(static_cast<int64_t>(b));
    if (d >= indices.rank() || result.dim(batch_dims[b]) != indices.dim(d)) return false;
  }
  return true;
}

}  // namespace

const Kernel* FindGatherKernel(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& indices = op.operand_shape(1);
  const Shape& result = *op.written_shape();
  if (operand.HasDynamicDim() || indices.HasDynamicDim() || result.HasDynamicDim() ||
      operand.element_type() != result.element_type() || !IsInteger(indices.element_type()) ||
      CountElements(operand.dims()) == 0 || !IsConsistent(op)) {
    return nullptr;
  }
  static constexpr Kernel kKernel = {.run = RunGather, .prepare = Prepare<Gathering>};
  return &kKernel;
}

}  // namespace hlo::simd

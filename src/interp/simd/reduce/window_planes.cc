// A plane is what lies behind one another from the first dimension with a window on, as that of a
// channel of an NCHW image. Where its rows are short there is little in them for vectors. So some
// planes at a time are turned until their elements at one place lie side by side, reduced in this
// form, and turned back.
//
// One dimension goes after the other (window_pass.h), except where steps round: these see the
// elements under a window in the order of the definition.
#include "interp/simd/reduce/window_planes.h"

#include <algorithm>
#include <span>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/element_size.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/movement/turn_tile.h"
#include "interp/simd/reduce/window_pass.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::AsSpan;
using reference::WindowRun;
using reference::WindowRuns;

constexpr int64_t kMinPlanes = 16;  // fewer are not worth it
constexpr int64_t kMaxTile = 64;    // planes
constexpr int64_t kMinTile = 16;
constexpr int64_t kTileRoom = int64_t{1} << 16;  // elements that stay in a cache
constexpr int64_t kMaxPlane = kTileRoom / kMinTile;
constexpr int64_t kMaxRow = 64;  // elements; vectors do well in longer ones

// The planes of a reduce-window.
struct Planes {
  Planes(const Window& window, std::span<const int64_t> in_dims,
         std::span<const int64_t> out_dims) {
    const auto window_at = [&](size_t d) {
      return WindowDimensionAt(window, static_cast<int64_t>(d));
    };
    while (first < in_dims.size() && IsTrivialWindow(window_at(first))) ++first;
    count = CountElements(in_dims.first(first));
    in = CountElements(in_dims.subspan(first));
    out = CountElements(out_dims.subspan(first));
    most = std::max(in, out);
    for (size_t d = first; d < in_dims.size(); ++d) {
      most = std::max(most, CountElements(out_dims.subspan(first, d - first + 1)) *
                                CountElements(in_dims.subspan(d + 1)));
      if (!IsTrivialWindow(window_at(d))) row = CountElements(in_dims.subspan(d));
      window_count += IsTrivialWindow(window_at(d)) ? 0 : 1;
    }
    tile = std::clamp(kTileRoom / std::max<int64_t>(1, most) / kMinTile * kMinTile, kMinTile,
                      kMaxTile);
  }

  bool AreShort() const {
    return count >= kMinPlanes && in > 1 && most <= kMaxPlane && row <= kMaxRow;
  }

  size_t first = 0;  // dimension of a plane
  int64_t count;
  int64_t in, out, most;  // elements of one before, after, and at most in between
  int64_t row = 1;        // from the last dimension with a window on
  int64_t window_count = 0;
  int64_t tile;  // planes at a time
};

// to[r * to_stride + c] = from[c * from_stride + r], of any size.
void Turn(int64_t element_size, const std::byte* from, int64_t from_stride, std::byte* to,
          int64_t to_stride, int64_t rows, int64_t columns) {
  reference::DispatchElementSize(element_size, [&]<typename T>() {
    if constexpr (sizeof(T) <= sizeof(uint64_t)) {
      const TurnTile<T> turn = GetTurnTile<T>(/*streams=*/false);
      for (int64_t r = 0; r < rows; r += kTurnTile<T>) {
        for (int64_t c = 0; c < columns; c += kTurnTile<T>) {
          turn(reinterpret_cast<const T*>(from) + c * from_stride + r, from_stride,
               reinterpret_cast<T*>(to) + r * to_stride + c, to_stride,
               std::min(kTurnTile<T>, rows - r), std::min(kTurnTile<T>, columns - c));
        }
      }
    }
  });
}

class WindowPlanes {
 public:
  explicit WindowPlanes(const Evaluation& e)
      : planes_(e.Get<Attr::kWindow>(), e.operand(0).dims, e.result().dims) {
    const Window window = e.Get<Attr::kWindow>();
    const auto in = e.operand(0).dims.subspan(planes_.first);
    const auto out = e.result().dims.subspan(planes_.first);
    passes_ = MakePasses(window, e.operand(0).dims, planes_.first, planes_.tile);
    out_dims_.assign(out.begin(), out.end());
    for (const int64_t stride : reference::DenseStrides(in)) {
      strides_.push_back(stride * planes_.tile);
    }
    for (size_t d = 0; d < in.size(); ++d) {
      const auto number = static_cast<int64_t>(planes_.first + d);
      runs_.emplace_back(WindowDimensionAt(window, number), out[d], in[d]);
    }
    FindStretches();
  }

  absl::Status Run(Evaluation& e) const;

 private:
  using Bytes = ScratchArray<std::byte>;
  // For the planes of a tile.
  struct Room {
    Bytes narrow;  // as they are in memory
    Bytes elements, between[2], results;
  };
  struct Task {
    const WindowCombination& combination;
    const WindowStarts& starts;
    const Evaluation& e;
  };

  int64_t TileCount() const { return CeilDiv(planes_.count, planes_.tile); }
  void RunTile(const Task& task, int64_t number, Room& room) const;
  void FindStretches();
  void RunPasses(const Task& task, Room& room) const;
  void ReduceInOrder(const Task& task, Room& room) const;

  Planes planes_;
  std::vector<WindowPass> passes_;
  Index out_dims_, strides_;      // of a plane
  std::vector<WindowRuns> runs_;  // by dimension of these
  // Results along the last dimension whose terms are one behind the other's: so many from each on.
  std::vector<int64_t> stretches_;
};

void WindowPlanes::FindStretches() {
  const WindowRuns& runs = runs_.back();
  for (int64_t o = 0; o < out_dims_.back();) {
    const WindowRun first = runs[o];
    int64_t size = 1;
    for (; o + size < out_dims_.back(); ++size) {
      const WindowRun next = runs[o + size];
      if (next.count != first.count || next.base_first != first.base_first + size) break;
    }
    stretches_.push_back(size);
    o += size;
  }
}

void WindowPlanes::RunPasses(const Task& task, Room& room) const {
  const std::byte* from = room.elements.get();
  for (size_t k = 0; k < passes_.size(); ++k) {
    const bool is_last = k + 1 == passes_.size();
    std::byte* to = is_last ? room.results.get() : room.between[k % 2].get();
    passes_[k].RunLines(task.combination, from, task.starts.Of(k, passes_.size()), to);
    from = to;
  }
}

void WindowPlanes::ReduceInOrder(const Task& task, Room& room) const {
  const int64_t size = task.combination.element_size;
  std::byte* to = room.results.get();
  const size_t last = out_dims_.size() - 1;
  Index counts(last + 1), strides(last + 1);
  const auto set_run = [&](size_t d, const WindowRun& run) {
    counts[d] = run.count;
    strides[d] = run.base_step * strides_[d];
    return run.base_first * strides_[d];
  };
  for (const Index& output : IndexSpace(AsSpan(out_dims_).first(last))) {
    int64_t line = 0;
    for (size_t d = 0; d < last; ++d) line += set_run(d, runs_[d][output[d]]);
    int64_t o = 0;
    for (const int64_t stretch : stretches_) {
      const int64_t first = line + set_run(last, runs_[last][o]);
      const int64_t count = stretch * planes_.tile;
      FillElements(to, task.starts.init(), size, count);
      reference::ForEachOffset(AsSpan(counts), AsSpan(strides), [&](int64_t offset) {
        task.combination(to, room.elements.get() + (first + offset) * size, count);
      });
      to += count * size;
      o += stretch;
    }
  }
}

void WindowPlanes::RunTile(const Task& task, int64_t number, Room& room) const {
  const int64_t tile = planes_.tile, first = number * tile;
  const int64_t count = std::min(tile, planes_.count - first);
  const ElementType type = task.e.result().element_type;
  const int64_t size = ElementByteSize(type);
  const bool is_narrow = IsNarrow(type);
  std::byte* turned = is_narrow ? room.narrow.get() : room.elements.get();
  if (count < tile) std::fill_n(turned, planes_.in * tile * size, std::byte{0});
  Turn(size, task.e.operand(0).bytes + first * planes_.in * size, planes_.in, turned, tile,
       planes_.in, count);
  const BlockKernels& kernels = GetBlockKernels();
  if (is_narrow) {
    kernels.widen(type)(turned, nullptr, nullptr, room.elements.get(), planes_.in * tile);
  }
  const bool is_in_order = task.combination.round != nullptr && passes_.size() > 1;
  is_in_order ? ReduceInOrder(task, room) : RunPasses(task, room);
  turned = room.results.get();
  if (is_narrow) {
    kernels.narrow(type)(turned, nullptr, nullptr, room.narrow.get(), planes_.out * tile);
    turned = room.narrow.get();
  }
  Turn(size, turned, tile, task.e.result().bytes + first * planes_.out * size, planes_.out, count,
       planes_.out);
}

absl::Status WindowPlanes::Run(Evaluation& e) const {
  if (e.result().element_count() == 0) return absl::OkStatus();
  const WindowCombination combination(e.Function(Attr::kToApply).form().opcode,
                                      e.result().element_type);
  const WindowStarts starts(e);
  double work = 0;  // of a tile
  for (const WindowPass& pass : passes_) work += pass.Work(combination);
  const int64_t tiles = WindowPass::PartSize(work, TileCount());
  const int64_t size = planes_.tile * combination.element_size;
  return ForEachPart(e.device(), CeilDiv(TileCount(), tiles), [&](int64_t part) {
    ScratchPool& pool = e.device().scratch();
    Room room;
    room.elements = Bytes(pool, planes_.in * size);
    room.results = Bytes(pool, planes_.out * size);
    if (IsNarrow(e.result().element_type)) {
      room.narrow = Bytes(pool, std::max(planes_.in, planes_.out) * size / 2);
    }
    if (passes_.size() > 1) {
      for (Bytes& between : room.between) between = Bytes(pool, planes_.most * size);
    }
    const int64_t end = std::min(TileCount(), (part + 1) * tiles);
    const Task task = {combination, starts, e};
    for (int64_t number = part * tiles; number < end; ++number) RunTile(task, number, room);
  });
}

absl::Status RunWindowPlanes(Evaluation& e) { return PreparedOf<WindowPlanes>(e).Run(e); }

Planes PlanesOf(const OpView& op) {
  return Planes(op.Get<Attr::kWindow>(), op.operand_shape(0).dims(), op.written_shape()->dims());
}

// What a part takes, of those that run at a time.
int64_t ScratchByteSize(const OpView& op) {
  const Planes planes = PlanesOf(op);
  const int64_t size = ElementByteSize(TileType(op.operand_shape(0).element_type()));
  return PartsAtOnce(CeilDiv(planes.count, planes.tile)) * 5 * planes.most * planes.tile * size;
}

int64_t StateByteSize(const OpView& op, IsFixedOperand /*is_fixed*/) {
  return reference::ByteSizeOf(
      2 * WindowRuns::ByteSize(op.Get<Attr::kWindow>(), op.operand_shape(0).dims()));
}

}  // namespace

const Kernel* FindWindowPlanesKernel(const OpView& op) {
  static constexpr Kernel kKernel = {.run = RunWindowPlanes,
                                     .prepare = Prepare<WindowPlanes>,
                                     .scratch_byte_size = ScratchByteSize,
                                     .state_byte_size = StateByteSize};
  const bool can_turn = ElementByteSize(op.operand_shape(0).element_type()) <= 8;
  return can_turn && PlanesOf(op).AreShort() ? &kKernel : nullptr;
}

}  // namespace hlo::simd

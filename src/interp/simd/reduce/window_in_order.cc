// Lines of results, from the last dimension that has a window on, are made one after the other: the
// lines of elements that are under the window in the dimensions before are widened and combined
// with a line of results one by one, as the definition visits them, each as a WindowPass does it.
#include "interp/simd/reduce/window_in_order.h"

#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/window_pass.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::AsSpan;
using reference::WindowRun;
using reference::WindowRuns;

// The last dimension that has a window.
int64_t LastDimension(const Window& window, int64_t rank) {
  int64_t d = rank - 1;
  while (d > 0 && IsTrivialWindow(WindowDimensionAt(window, d))) --d;
  return d;
}

int64_t CountFrom(std::span<const int64_t> dims, int64_t d) {
  return CountElements(dims.subspan(static_cast<size_t>(d)));
}

constexpr int64_t kManyLines = 16;

class WindowLines {
 public:
  explicit WindowLines(const Evaluation& e)
      : WindowLines(e.Get<Attr::kWindow>(), e.operand(0).dims, e.result().dims) {}

  absl::Status Run(Evaluation& e) const;

 private:
  WindowLines(const Window& window, std::span<const int64_t> in, std::span<const int64_t> out)
      : WindowLines(window, in, out, LastDimension(window, static_cast<int64_t>(in.size()))) {}
  WindowLines(const Window& window, std::span<const int64_t> in, std::span<const int64_t> out,
              int64_t last);

  // What a part of the results takes besides arrays: lines in f32, and a walk over those of
  // elements.
  struct Room {
    ScratchArray<float> from, to;
    Index counts, strides;
  };
  void MakeLine(const WindowCombination& combination, const Evaluation& e, float init,
                int64_t number, Room& room) const;

  Index out_dims_;                // before the last dimension
  Index line_strides_;            // of the input in these, in lines
  std::vector<WindowRuns> runs_;  // by dimension of these
  WindowPass pass_;
  int64_t line_count_;
  double window_size_ = 1;    // in these
  bool has_one_line_ = true;  // of elements for each of results
};

WindowLines::WindowLines(const Window& window, std::span<const int64_t> in,
                         std::span<const int64_t> out, int64_t last)
    : pass_(WindowDimensionAt(window, last), 1, in[static_cast<size_t>(last)],
            CountFrom(in, last + 1)) {
  const std::span<const int64_t> in_dims = in.first(static_cast<size_t>(last));
  out_dims_.assign(out.begin(), out.begin() + last);
  line_count_ = CountElements(AsSpan(out_dims_));
  const auto strides = reference::DenseStrides(in_dims);
  line_strides_.assign(strides.begin(), strides.end());
  for (size_t d = 0; d < in_dims.size(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, static_cast<int64_t>(d));
    runs_.emplace_back(dimension, out_dims_[d], in_dims[d]);
    has_one_line_ &= IsTrivialWindow(dimension);
    window_size_ *= static_cast<double>(std::min(dimension.size, in_dims[d] + 1));
  }
}

// Line `number` of the results.
void WindowLines::MakeLine(const WindowCombination& combination, const Evaluation& e, float init,
                           int64_t number, Room& room) const {
  const BlockKernels& kernels = GetBlockKernels();
  const ElementType type = e.result().element_type;
  const int64_t in_size = pass_.in() * pass_.inner(), out_size = pass_.out() * pass_.inner();
  const int64_t element_size = ElementByteSize(type);
  int64_t first = 0, rest = number;
  for (size_t d = out_dims_.size(); d-- > 0;) {
    const WindowRun run = runs_[d][rest % out_dims_[d]];
    rest /= out_dims_[d];
    first += run.base_first * line_strides_[d];
    room.counts[d] = run.count;
    room.strides[d] = run.base_step * line_strides_[d];
  }
  const auto bytes = [](float* floats) { return reinterpret_cast<std::byte*>(floats); };
  const WindowPass::Line line = {bytes(room.from.get()), bytes(room.to.get()), pass_.inner()};
  const std::byte* start = bytes(&init);  // null: from what the lines before have made
  reference::ForEachOffset(AsSpan(room.counts), AsSpan(room.strides), [&](int64_t offset) {
    kernels.widen(type)(e.operand(0).bytes + (first + offset) * in_size * element_size, nullptr,
                        nullptr, room.from.get(), in_size);
    if (has_one_line_) {
      pass_.RunLine(combination, line, start);
    } else {
      pass_.RunLineInOrder(combination, line, start);
    }
    start = nullptr;
  });
  FillElements(line.to, start, sizeof(float), out_size);  // where there was no line
  kernels.narrow(type)(room.to.get(), nullptr, nullptr,
                       e.result().bytes + number * out_size * element_size, out_size);
}

absl::Status WindowLines::Run(Evaluation& e) const {
  if (e.result().element_count() == 0) return absl::OkStatus();
  const ElementType type = e.result().element_type;
  const WindowCombination combination(Opcode::kAdd, type);
  float init = 0;
  GetBlockKernels().widen(type)(e.operand(1).bytes, nullptr, nullptr, &init, 1);
  const int64_t lines =
      WindowPass::PartSize(pass_.LineWork(combination) * window_size_, line_count_);
  return ForEachPart(e.device(), CeilDiv(line_count_, lines), [&](int64_t part) {
    ScratchPool& pool = e.device().scratch();
    Room room = {ScratchArray<float>(pool, pass_.in() * pass_.inner()),
                 ScratchArray<float>(pool, pass_.out() * pass_.inner()), Index(out_dims_.size()),
                 Index(out_dims_.size())};
    const int64_t end = std::min(line_count_, (part + 1) * lines);
    for (int64_t l = part * lines; l < end; ++l) MakeLine(combination, e, init, l, room);
  });
}

absl::Status RunWindowInOrder(Evaluation& e) { return PreparedOf<WindowLines>(e).Run(e); }

int64_t LineCount(const OpView& op, int64_t last) {
  return CountElements(op.written_shape()->dims().first(static_cast<size_t>(last)));
}

// Two lines of f32 for each part that runs at a time.
int64_t ScratchByteSize(const OpView& op) {
  const Shape &input = op.operand_shape(0), &result = *op.written_shape();
  const int64_t last = LastDimension(op.Get<Attr::kWindow>(), input.rank());
  const auto lines = static_cast<double>(PartsAtOnce(LineCount(op, last)));
  return reference::ByteSizeOf(
      lines * sizeof(float) *
      static_cast<double>(CountFrom(input.dims(), last) + CountFrom(result.dims(), last)));
}

int64_t StateByteSize(const OpView& op, IsFixedOperand /*is_fixed*/) {
  return reference::ByteSizeOf(
      WindowRuns::ByteSize(op.Get<Attr::kWindow>(), op.operand_shape(0).dims()));
}

}  // namespace

const Kernel* FindWindowInOrderKernel(const OpView& op) {
  static constexpr Kernel kKernel = {.run = RunWindowInOrder,
                                     .prepare = Prepare<WindowLines>,
                                     .scratch_byte_size = ScratchByteSize,
                                     .state_byte_size = StateByteSize};
  const Window window = op.Get<Attr::kWindow>();
  const int64_t last = LastDimension(window, op.operand_shape(0).rank());
  bool has_one_line = true;
  for (int64_t d = 0; d < last; ++d) has_one_line &= IsTrivialWindow(WindowDimensionAt(window, d));
  return has_one_line && LineCount(op, last) < kManyLines ? nullptr : &kKernel;
}

}  // namespace hlo::simd

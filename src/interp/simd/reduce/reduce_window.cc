// reduce-window (semantics.md 9.2). Windows over several dimensions are reduced over one after the
// other (window_pass.h), which takes the sum of their sizes instead of the product. Of two passes
// over neighbouring dimensions the second takes each row as soon as it is made.
//
// The order of terms along a dimension is the definition's, except where results are made from
// their successors; over several dimensions sums go in another order, but for those that round at
// every step (window_in_order.h).
#include "interp/simd/reduce/reduce_window.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/scratch.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"
#include "interp/simd/reduce/cumulative.h"
#include "interp/simd/reduce/cumulative_rows.h"
#include "interp/simd/reduce/narrow_windows.h"
#include "interp/simd/reduce/reduce.h"
#include "interp/simd/reduce/window_in_order.h"
#include "interp/simd/reduce/window_pass.h"
#include "interp/simd/reduce/window_planes.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

using reference::WindowRuns;

struct WindowPasses {
  explicit WindowPasses(const Evaluation& e)
      : list(MakePasses(e.Get<Attr::kWindow>(), e.operand(0).dims, /*first=*/0, /*inner=*/1)) {}

  std::vector<WindowPass> list;
};

using Bytes = ScratchArray<std::byte>;

absl::Status RunReduceWindow(Evaluation& e) {
  const BlockKernels& kernels = GetBlockKernels();
  const Opcode opcode = e.Function(Attr::kToApply).form().opcode;
  const ArrayRef& input = e.operand(0);
  const ElementType type = input.element_type;
  const bool is_narrow = IsNarrow(type);
  const WindowCombination combination(opcode, type);
  const int64_t size = combination.element_size;
  const WindowStarts starts(e);

  const std::vector<WindowPass>& passes = PreparedOf<WindowPasses>(e).list;
  const std::byte* from = input.bytes;
  if (is_narrow) {
    if (const auto narrow = NarrowWindows::Make(passes)) {
      return narrow->Run(e.device(), combination, type, from, starts, e.result().bytes);
    }
  }
  Bytes memory;
  if (is_narrow) {
    memory = Bytes(e.device().scratch(), input.element_count() * size);
    kernels.widen(type)(from, nullptr, nullptr, memory.get(), input.element_count());
    from = memory.get();
  }
  const auto init_of = [&](size_t pass) { return starts.Of(pass, passes.size()); };
  for (size_t k = 0; k < passes.size(); ++k) {
    const size_t first = k;
    if (k + 1 < passes.size() && passes[k].CanPassRowsTo(passes[k + 1], combination)) ++k;
    const bool is_result = k + 1 == passes.size() && !is_narrow;
    Bytes next;
    if (!is_result) next = Bytes(e.device().scratch(), passes[k].result_count() * size);
    std::byte* to = is_result ? e.result().bytes : next.get();
    HLO_RETURN_IF_ERROR(first == k ? passes[k].Run(e.device(), combination, from, init_of(k), to)
                                   : passes[first].RunWith(passes[k], e.device(), combination, from,
                                                           init_of(first), init_of(k), to));
    from = to;
    if (!is_result) memory = std::move(next);
  }
  if (is_narrow) {
    kernels.narrow(type)(from, nullptr, nullptr, e.result().bytes, e.result().element_count());
  }
  return absl::OkStatus();
}

int64_t PassCount(const OpView& op) {
  const Window window = op.Get<Attr::kWindow>();
  int64_t count = 0;
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    count += IsTrivialWindow(WindowDimensionAt(window, d)) ? 0 : 1;
  }
  return count;
}

// Whether what has windows is short enough for NarrowWindows: to make passes of all places of
// others would take long, and before it is known whether there is memory for such arrays.
bool HasShortWindows(const OpView& op) {
  const Window window = op.Get<Attr::kWindow>();
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    const int64_t places = std::max(op.operand_shape(0).dim(d), op.written_shape()->dim(d));
    if (!IsTrivialWindow(WindowDimensionAt(window, d)) && places > NarrowWindows::kMostPlaces) {
      return false;
    }
  }
  return PassCount(op) > 0;
}

// What stands between two passes is at most as large as the larger of input and result, in f32
// where they are narrower; two of them live at a time.
int64_t ScratchByteSize(const OpView& op) {
  if (IsNarrow(op.operand_shape(0).element_type()) && HasShortWindows(op)) {
    const std::vector<WindowPass> passes =
        MakePasses(op.Get<Attr::kWindow>(), op.operand_shape(0).dims(), /*first=*/0, /*inner=*/1);
    if (const auto narrow = NarrowWindows::Make(passes)) return narrow->ScratchByteSize();
  }
  constexpr int64_t kMost = INT64_MAX / 64;
  const int64_t input = std::min(kMost, ElementCount(op.operand_shape(0)).value_or(kMost));
  const int64_t result = std::min(kMost, ElementCount(*op.written_shape()).value_or(kMost));
  const int64_t size = ElementByteSize(TileType(op.operand_shape(0).element_type()));
  return 2 * std::max(input, result) * size;
}

int64_t StateByteSize(const OpView& op, IsFixedOperand /*is_fixed*/) {
  return reference::ByteSizeOf(
      WindowRuns::ByteSize(op.Get<Attr::kWindow>(), op.operand_shape(0).dims()));
}

// Whether each window covers all elements of its dimension, so that this is a reduce.
bool CoversAll(const OpView& op) {
  const Window window = op.Get<Attr::kWindow>();
  const Shape& input = op.operand_shape(0);
  for (int64_t d = 0; d < input.rank(); ++d) {
    const WindowDimension dimension = WindowDimensionAt(window, d);
    if (IsTrivialWindow(dimension)) continue;
    const reference::WindowRun run = reference::FindWindowRun(dimension, 0, input.dim(d));
    if (op.written_shape()->dim(d) != 1 || run.count != input.dim(d)) return false;
  }
  return true;
}

// Whether results between two passes may grow beyond both input and result.
bool MayGrow(const OpView& op) {
  bool grows = false, shrinks = false;
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    grows |= op.written_shape()->dim(d) > op.operand_shape(0).dim(d);
    shrinks |= op.written_shape()->dim(d) < op.operand_shape(0).dim(d);
  }
  return grows && shrinks && PassCount(op) > 1;
}

constexpr Kernel kPassesKernel = {.run = RunReduceWindow,
                                  .prepare = Prepare<WindowPasses>,
                                  .scratch_byte_size = ScratchByteSize,
                                  .state_byte_size = StateByteSize};

// Sums of rows that round, and products: in one pass from each result to the next these are what
// the definition says.
const Kernel* FindCumulativeKernel(const OpView& op, Opcode opcode) {
  if (const Kernel* kernel = FindCumulativeRowsKernel(op, opcode)) return kernel;
  const Shape& input = op.operand_shape(0);
  const Window window = op.Get<Attr::kWindow>();
  if (opcode != Opcode::kMultiply || IsNarrow(input.element_type()) ||
      !CumulativeDimension(window, input.dims())) {
    return nullptr;
  }
  const std::vector<WindowPass> passes = MakePasses(window, input.dims(), /*first=*/0, /*inner=*/1);
  return passes.front().MakesForward() ? &kPassesKernel : nullptr;
}

}  // namespace

const Kernel* FindReduceWindowKernel(const OpView& op, const FunctionForm& form) {
  if (op.operand_count() != 2 || !op.written_shape()->IsArray()) return nullptr;
  const Shape& input = op.operand_shape(0);
  const ElementType type = input.element_type();
  if (!form.IsBinary() || form.element_type != type || !HasTiles(type) || input.rank() == 0 ||
      op.operand_shape(1).element_type() != type || op.written_shape()->element_type() != type ||
      GetBlockKernels().elementwise(form.opcode, TileType(type)) == nullptr) {
    return nullptr;
  }
  if (const Kernel* kernel = FindCumulativeKernel(op, form.opcode)) return kernel;
  if (GetRowCombinations().combine_rows(form.opcode, TileType(type)) == nullptr) return nullptr;
  // Others are neither indifferent to a second initial value nor to a zero before them.
  const bool is_choice = form.opcode == Opcode::kMaximum || form.opcode == Opcode::kMinimum ||
                         form.opcode == Opcode::kAnd || form.opcode == Opcode::kOr;
  const bool is_sum = form.opcode == Opcode::kAdd && type != ElementType::kPred;
  if (!is_choice && !is_sum) return nullptr;
  const bool is_in_order = is_sum && IsNarrow(type);
  if (!is_in_order && PassCount(op) > 0 && CoversAll(op)) {
    if (const Kernel* kernel = FindReduceKernel(op, form)) return kernel;
  }
  if (const Kernel* kernel = FindWindowPlanesKernel(op)) return kernel;
  if (is_in_order) {
    if (const Kernel* kernel = FindWindowInOrderKernel(op)) return kernel;
  }
  if (MayGrow(op)) return nullptr;
  return &kPassesKernel;
}

}  // namespace hlo::simd

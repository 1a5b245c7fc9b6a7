// scatter (semantics.md 7.7): windows are combined run by run, a run being what lies side by side
// both in the window and in the operand; one window after the other, so that results are the
// definition's bit for bit.
#include "interp/simd/scatter.h"

#include <algorithm>
#include <cstring>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/eval.h"
#include "interp/reference/scatter_windows.h"
#include "interp/simd/block_kernels.h"

namespace hlo::simd {
namespace {

using reference::ScatterWindows;

constexpr int64_t kTile = 1024;            // elements of narrow floats that are widened at once
constexpr int64_t kLookEvery = 64 * 1024;  // elements between two looks whether the run is to stop

// to[i] = f(to[i], from[i]) for elements in memory.
class CombineRun {
 public:
  CombineRun(Opcode opcode, ElementType type)
      : size_(ElementByteSize(type)),
        combine_(GetBlockKernels().elementwise(opcode, TileType(type))),
        widen_(TileType(type) == type ? nullptr : GetBlockKernels().widen(type)),
        narrow_(TileType(type) == type ? nullptr : GetBlockKernels().narrow(type)) {}

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

 private:
  int64_t size_;
  TileLoop combine_, widen_, narrow_;
};

// Elements that lie side by side on both sides, in the innermost dimension of windows.
int64_t RunLength(const ScatterWindows& windows) {
  if (windows.window_sizes().empty()) return 1;
  const bool is_run = windows.target_strides().back() == 1 && windows.update_strides().back() == 1;
  return is_run ? windows.window_sizes().back() : 1;
}

absl::Status RunScatter(Evaluation& e) {
  ScatterWindows& windows = PreparedOf<ScatterWindows>(e);
  const int64_t run = e.operand(2).element_count() == 0 ? 1 : RunLength(windows);
  if (run == 1) return e.RunInstead(reference::FindKernel(Opcode::kScatter));
  const ArrayRef& operand = e.operand(0);
  std::byte* result = e.result().bytes;
  if (result != operand.bytes) {
    std::memcpy(result, operand.bytes, static_cast<size_t>(operand.byte_size()));
  }
  const std::byte* updates = e.operand(2).bytes;
  const int64_t size = ElementByteSize(e.result().element_type);
  const CombineRun combine(e.Function(Attr::kToApply).form().opcode, e.result().element_type);
  const size_t outer = windows.window_sizes().size() - 1;
  int64_t until_look = kLookEvery;
  return windows.ForEach(windows.Indices(e), [&](int64_t target, int64_t update) {
    reference::ForEachOffsets<2>(
        windows.window_sizes().first(outer),
        {windows.target_strides().first(outer), windows.update_strides().first(outer)},
        [&](const std::array<int64_t, 2>& offsets) {
          combine(result + (target + offsets[0]) * size, updates + (update + offsets[1]) * size,
                  run);
          until_look -= run;
        });
    if (until_look > 0) return absl::OkStatus();
    until_look = kLookEvery;
    return e.device().is_interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
  });
}

// Indices are taken as s64.
int64_t ScratchByteSize(const OpView& op) {
  const int64_t count = ElementCount(op.operand_shape(1)).value_or(INT64_MAX / 8);
  return std::min(count, INT64_MAX / 8) * 8;
}

}  // namespace

const Kernel* FindScatterKernel(const OpView& op, const FunctionForm& form) {
  if (op.operand_count() != 3 || !op.written_shape()->IsArray()) return nullptr;
  const ElementType type = op.written_shape()->element_type();
  if (!form.IsBinary() || form.element_type != type || !HasTiles(type) ||
      op.operand_shape(0).element_type() != type || op.operand_shape(2).element_type() != type ||
      GetBlockKernels().elementwise(form.opcode, TileType(type)) == nullptr) {
    return nullptr;
  }
  // As the reference kernel: the result may be given the operand's memory.
  static constexpr Kernel kKernel = {.run = RunScatter,
                                     .prepare = Prepare<ScatterWindows>,
                                     .scratch_byte_size = ScratchByteSize,
                                     .overwrite = Overwrite::kSameNumber};
  return &kKernel;
}

}  // namespace hlo::simd

// scatter (semantics.md 7.7): windows are combined run by run, a run being what lies side by side
// both in the window and in the operand; one window after the other, so that results are the
// definition's bit for bit.
//
// Where windows are rows of the operand and there are many, each thread has a stretch of the
// operand, goes through all windows and combines those that fall into it: so each row still sees
// its windows one after the other, whatever the stretches are.
#include "interp/simd/scatter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/eval.h"
#include "interp/reference/scatter_windows.h"
#include "interp/reference/strided.h"
#include "interp/simd/block_kernels.h"
#include "interp/simd/parallel.h"
#include "interp/simd/reference_memory.h"
#include "ir/element_traits.h"
#include "ir/gather_dimensions.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::ScatterWindows;

constexpr int64_t kTile = 1024;            // elements of narrow floats that are widened at once
constexpr int64_t kLookEvery = 64 * 1024;  // elements between two looks whether the run is to stop
constexpr int64_t kManyElements = int64_t{1} << 17;  // that are worth several threads
constexpr int64_t kMaxRowSize = int64_t{1} << 20;    // elements between two looks at least
// Elements of a row that are worth a look of every thread: which of them it is for cannot be
// foreseen.
constexpr int64_t kLeastRowOfThreads = 8;

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

// to[i] = from[i].
class OverwriteRun {
 public:
  explicit OverwriteRun(ElementType type) : size_(ElementByteSize(type)) {}

  void operator()(std::byte* to, const std::byte* from, int64_t count) const {
    std::memcpy(to, from, static_cast<size_t>(count * size_));
  }

 private:
  int64_t size_;
};

// Elements that lie side by side on both sides, in the innermost dimension of windows.
int64_t RunLength(const ScatterWindows& windows) {
  if (windows.window_sizes().empty()) return 1;
  const bool is_run = windows.target_strides().back() == 1 && windows.update_strides().back() == 1;
  return is_run ? windows.window_sizes().back() : 1;
}

// Whether every window is a row: all of the operand behind its leading dimensions, which are those
// that indices start; or one element.
bool TakesRows(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& updates = op.operand_shape(2);
  const GatherDimensions dimensions = GatherDimensions::Of(op);
  const Index windowed = dimensions.WindowedDims(operand.rank());
  for (size_t k = 0; k < windowed.size(); ++k) {
    const auto d = operand.rank() - static_cast<int64_t>(windowed.size() - k);
    if (windowed[k] != d || dimensions.ComponentOf(d) >= 0 ||
        updates.dim(dimensions.window_dims[k]) != operand.dim(d)) {
      return false;
    }
  }
  return true;
}

// Where the rows of a scatter go, read from the indices as they are.
class RowTargets final : public KernelState {
 public:
  explicit RowTargets(const OpView& op) {
    const GatherDimensions dimensions = GatherDimensions::Of(op);
    const Shape& updates = op.operand_shape(2);
    const std::span<const int64_t> dims = op.operand_shape(0).dims();
    const Index strides = reference::DenseStrides(dims);
    for (const int64_t d : dimensions.index_map) {
      components_[component_count_++] = {dims[static_cast<size_t>(d)],
                                         strides[static_cast<size_t>(d)]};
    }
    for (const int64_t d : dimensions.window_dims) row_size_ *= updates.dim(d);
    count_ = CountElements(updates.dims()) / row_size_;
    row_count_ = CountElements(dims) / row_size_;
  }
  static absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
    return std::make_unique<RowTargets>(e.op());
  }

  // Whether updates and vectors of indices lie one after the other, each a row and a vector whole.
  static bool Suit(const OpView& op) {
    const Shape& updates = op.operand_shape(2);
    const Shape& indices = op.operand_shape(1);
    const GatherDimensions dimensions = GatherDimensions::Of(op);
    const bool has_vectors = dimensions.index_vector_dim < indices.rank();
    if (!TakesRows(op) || !dimensions.operand_batching.empty() ||
        !IsInteger(indices.element_type()) || dimensions.index_map.size() > kMaxComponents ||
        (has_vectors && dimensions.index_vector_dim != indices.rank() - 1) ||
        CountElements(op.operand_shape(0).dims()) == 0 || CountElements(updates.dims()) == 0 ||
        (updates.layout().has_value() && !updates.layout()->IsDefault())) {
      return false;
    }
    // What does not fit together may verify with a warning.
    const auto component_count = static_cast<int64_t>(dimensions.index_map.size());
    if (component_count != (has_vectors ? indices.dim(indices.rank() - 1) : 1)) return false;
    for (const int64_t d : dimensions.index_map) {
      if (std::ranges::count(dimensions.index_map, d) > 1) return false;
    }
    int64_t row_size = 1;
    for (const int64_t d : dimensions.window_dims) row_size *= updates.dim(d);
    if (row_size > kMaxRowSize || CountElements(updates.dims()) / row_size * component_count !=
                                      CountElements(indices.dims())) {
      return false;
    }
    const int64_t first = updates.rank() - static_cast<int64_t>(dimensions.window_dims.size());
    for (size_t k = 0; k < dimensions.window_dims.size(); ++k) {
      if (dimensions.window_dims[k] != first + static_cast<int64_t>(k)) return false;
    }
    return true;
  }

  int64_t row_size() const { return row_size_; }
  int64_t count() const { return count_; }
  int64_t row_count() const { return row_count_; }  // of the operand

  // visit(i, target) with where each of the rows begin ... end - 1 goes, in order, but for those
  // that lie outside.
  template <typename Visit>
  void ForEach(const ArrayRef& indices, int64_t begin, int64_t end, Visit&& visit) const {
    DispatchElementType<kInteger>(indices.element_type, [&]<typename T>() {
      const T* vectors = View<T>(indices).data();
      for (int64_t i = begin; i < end; ++i) {
        const T* vector = vectors + i * static_cast<int64_t>(component_count_);
        bool is_inside = true;
        int64_t target = 0;
        for (size_t k = 0; k < component_count_; ++k) {
          const auto index = static_cast<int64_t>(NativeValue(vector[k]));
          is_inside &= index >= 0 && index < components_[k].size;
          target += (is_inside ? index : 0) * components_[k].stride;
        }
        if (is_inside) visit(i, target);
      }
    });
  }

 private:
  static constexpr size_t kMaxComponents = 4;

  struct Component {
    int64_t size, stride;
  };

  int64_t row_size_ = 1;
  int64_t count_;
  int64_t row_count_;
  std::array<Component, kMaxComponents> components_ = {};
  size_t component_count_ = 0;
};

template <typename Combine>
absl::Status CombineRows(Evaluation& e, const Combine& combine) {
  const RowTargets& targets = e.state<RowTargets>();
  const int64_t size = ElementByteSize(e.result().element_type);
  const int64_t row_size = targets.row_size();
  const int64_t row_count = targets.row_count();
  const ThreadPool* threads = e.device().thread_pool();
  const bool is_large = targets.count() * row_size >= kManyElements && row_count > 1 &&
                        row_size >= kLeastRowOfThreads;
  const int64_t stretches = is_large && threads != nullptr ? threads->thread_count() : 1;
  const int64_t stretch = CeilDiv(row_count, stretches) * row_size;
  const int64_t rows_at_once = std::max<int64_t>(1, kLookEvery / row_size);
  return ForEachPart(e.device(), stretches, [&](int64_t part) {
    const int64_t first = part * stretch, last = first + stretch;
    for (int64_t i = 0; i < targets.count() && !e.device().is_interrupted(); i += rows_at_once) {
      targets.ForEach(e.operand(1), i, std::min(targets.count(), i + rows_at_once),
                      [&](int64_t row, int64_t target) {
                        if (target < first || target >= last) return;
                        combine(e.result().bytes + target * size,
                                e.operand(2).bytes + row * row_size * size, row_size);
                      });
    }
  });
}

void CopyOperand(Evaluation& e) {
  const ArrayRef& operand = e.operand(0);
  if (e.result().bytes == operand.bytes) return;
  std::memcpy(e.result().bytes, operand.bytes, static_cast<size_t>(operand.byte_size()));
}

absl::Status RunRowScatter(Evaluation& e) {
  CopyOperand(e);
  return CombineRows(e,
                     CombineRun(e.Function(Attr::kToApply).form().opcode, e.result().element_type));
}

absl::Status RunRowOverwrite(Evaluation& e) {
  CopyOperand(e);
  return CombineRows(e, OverwriteRun(e.result().element_type));
}

absl::Status RunScatter(Evaluation& e) {
  ScatterWindows& windows = PreparedOf<ScatterWindows>(e);
  const int64_t run = e.operand(2).element_count() == 0 ? 1 : RunLength(windows);
  if (run == 1) return e.RunInstead(reference::FindKernel(Opcode::kScatter));
  CopyOperand(e);
  std::byte* result = e.result().bytes;
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
  return ScratchWithReference(op, std::min(count, INT64_MAX / 8) * 8);
}

int64_t StateByteSize(const OpView& op, IsFixedOperand is_fixed) {
  return StateWithReference(op, is_fixed, 0);
}

}  // namespace

const Kernel* FindScatterKernel(const OpView& op, const FunctionForm& form) {
  if (op.operand_count() != 3 || !op.written_shape()->IsArray()) return nullptr;
  const ElementType type = op.written_shape()->element_type();
  if (form.element_type != type || op.operand_shape(0).element_type() != type ||
      op.operand_shape(2).element_type() != type) {
    return nullptr;
  }
  static constexpr Kernel kRowOverwrite = {
      .run = RunRowOverwrite, .prepare = RowTargets::Prepare, .overwrite = Overwrite::kSameNumber};
  if (form.IsParameter(1)) return RowTargets::Suit(op) ? &kRowOverwrite : nullptr;
  if (!form.IsBinary() || !HasTiles(type) ||
      GetBlockKernels().elementwise(form.opcode, TileType(type)) == nullptr) {
    return nullptr;
  }
  // As the reference kernel: the result may be given the operand's memory.
  static constexpr Kernel kKernel = {.run = RunScatter,
                                     .prepare = Prepare<ScatterWindows>,
                                     .scratch_byte_size = ScratchByteSize,
                                     .state_byte_size = StateByteSize,
                                     .overwrite = Overwrite::kSameNumber};
  static constexpr Kernel kRowKernel = {
      .run = RunRowScatter, .prepare = RowTargets::Prepare, .overwrite = Overwrite::kSameNumber};
  return RowTargets::Suit(op) ? &kRowKernel : &kKernel;
}

}  // namespace hlo::simd

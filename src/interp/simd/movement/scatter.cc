// scatter (semantics.md 7.7): windows are combined one after the other, so that results are the
// definition's bit for bit; those that are no rows by scatter_boxes.h. Several arrays, each
// combined by a function of its own, go one after the other.
//
// Where windows are rows of the operand and there are many, each thread has a stretch of the
// operand, goes through all windows and combines those that fall into it: so each row still sees
// its windows one after the other, whatever the stretches are.
#include "interp/simd/movement/scatter.h"

#include <algorithm>
#include <array>
#include <span>

#include "interp/kernel/device.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/movement/scatter_boxes.h"
#include "interp/simd/movement/scatter_operands.h"
#include "interp/simd/movement/scatter_runs.h"
#include "ir/element_traits.h"
#include "ir/gather_dimensions.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kLookEvery = 64 * 1024;  // elements between two looks whether the run is to stop
constexpr int64_t kManyElements = int64_t{1} << 17;  // that are worth several threads
constexpr int64_t kMaxRowSize = int64_t{1} << 20;    // elements between two looks at least
// Elements of a row that are worth a look of every thread: which of them it is for cannot be
// foreseen.
constexpr int64_t kLeastRowOfThreads = 8;
constexpr int64_t kMaxRowsAtOnce = 256;   // whose places are found before they are combined
constexpr int64_t kAhead = 8;             // rows whose memory is asked for before they are combined
constexpr int64_t kMaxFetchedSize = 512;  // bytes of a row; processors ask for what follows

// Whether every window is a row: all of the operand behind its leading dimensions, which are those
// that indices or batches start; or one element.
bool TakesRows(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& updates = UpdatesOf(op);
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
  explicit RowTargets(const Evaluation& e)
      : indices_(IndicesOf(e)), row_size_(1), count_(1), component_count_(0) {
    const GatherDimensions dimensions = GatherDimensions::Of(e.op());
    const std::span<const int64_t> dims = e.operand(0).dims;
    const ArrayRef& updates = UpdatesOf(e, 0);
    const std::span<const int64_t> update_dims = updates.dims;
    const Index strides = reference::DenseStrides(dims);
    for (const int64_t d : dimensions.index_map) {
      components_[component_count_++] = {dims[static_cast<size_t>(d)],
                                         strides[static_cast<size_t>(d)]};
    }
    for (const int64_t d : dimensions.window_dims) row_size_ *= update_dims[static_cast<size_t>(d)];
    count_ = updates.element_count() / row_size_;
    batch_size_ = count_;
    batch_rank_ = dimensions.operand_batching.size();
    for (size_t k = 0; k < batch_rank_; ++k) {
      const auto d = static_cast<size_t>(dimensions.operand_batching[k]);
      batches_[static_cast<size_t>(dimensions.indices_batching[k])] = {dims[d], strides[d]};
      batch_size_ /= dims[d];
    }
  }

  // Whether updates and vectors of indices lie one after the other, each a row and a vector whole.
  static bool Suit(const OpView& op) {
    const Shape& updates = UpdatesOf(op);
    const Shape& indices = IndicesOf(op);
    const GatherDimensions dimensions = GatherDimensions::Of(op);
    const bool has_vectors = dimensions.index_vector_dim < indices.rank();
    if (!TakesRows(op) || !HasLeadingBatches(op, dimensions) ||
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

  static absl::StatusOr<std::unique_ptr<KernelState>> Prepare(Evaluation& e) {
    return std::make_unique<RowTargets>(e);
  }
  // Where the indices lie in this run.
  void set_indices(const ArrayRef& indices) { indices_ = indices; }

  int64_t row_size() const { return row_size_; }
  int64_t count() const { return count_; }

  // visit(i, target) with where each of the rows begin ... end - 1 goes, in order, but for those
  // that lie outside.
  template <typename Visit>
  void ForEach(int64_t begin, int64_t end, Visit&& visit) const {
    for (int64_t i = begin; i < end;) {
      const int64_t batch_end = std::min(end, (i / batch_size_ + 1) * batch_size_);
      ForEachInBatch(i, batch_end, BatchBegin(i / batch_size_), visit);
      i = batch_end;
    }
  }

 private:
  static constexpr size_t kMaxComponents = 4;

  // Whether the vectors' dimensions that start dimensions of the operand are their first ones, as
  // large as these.
  static bool HasLeadingBatches(const OpView& op, const GatherDimensions& dimensions) {
    const size_t rank = dimensions.operand_batching.size();
    const int64_t updates_rank = UpdatesOf(op).rank();
    const auto window_rank = static_cast<int64_t>(dimensions.window_dims.size());
    if (rank > kMaxComponents || dimensions.indices_batching.size() != rank ||
        static_cast<int64_t>(rank) > updates_rank - window_rank) {
      return false;
    }
    for (size_t k = 0; k < rank; ++k) {
      const int64_t d = dimensions.operand_batching[k], batch = dimensions.indices_batching[k];
      const int64_t size = op.operand_shape(0).dim(d);
      if (batch >= static_cast<int64_t>(rank) || dimensions.BatchPlace(batch) != batch ||
          std::ranges::count(dimensions.indices_batching, batch) > 1 ||
          IndicesOf(op).dim(batch) != size || UpdatesOf(op).dim(batch) != size ||
          dimensions.ComponentOf(d) >= 0) {
        return false;
      }
    }
    return true;
  }

  // Where in the operand the entry `number` of the batch begins.
  int64_t BatchBegin(int64_t number) const {
    int64_t begin = 0;
    for (size_t k = batch_rank_; k-- > 0;) {
      begin += number % batches_[k].size * batches_[k].stride;
      number /= batches_[k].size;
    }
    return begin;
  }

  template <typename Visit>
  void ForEachInBatch(int64_t begin, int64_t end, int64_t first, Visit&& visit) const {
    DispatchElementType<kInteger>(indices_.element_type, [&]<typename T>() {
      const T* vectors = View<T>(indices_).data();
      for (int64_t i = begin; i < end; ++i) {
        const T* vector = vectors + i * static_cast<int64_t>(component_count_);
        bool is_inside = true;
        int64_t target = first;
        for (size_t k = 0; k < component_count_; ++k) {
          const auto index = static_cast<int64_t>(NativeValue(vector[k]));
          is_inside &= index >= 0 && index < components_[k].size;
          target += (is_inside ? index : 0) * components_[k].stride;
        }
        if (is_inside) visit(i, target);
      }
    });
  }

  struct Component {
    int64_t size, stride;
  };

  ArrayRef indices_;
  int64_t row_size_, count_;
  std::array<Component, kMaxComponents> components_ = {};
  size_t component_count_;
  std::array<Component, kMaxComponents> batches_ = {};  // by dimension of the vectors
  size_t batch_rank_;
  int64_t batch_size_;  // rows
};

struct RowAndTarget {
  int64_t row, target;
};

// The places of some rows are found first, so that memory can be asked for them in time.
template <typename Combine>
absl::Status CombineRows(Evaluation& e, size_t array, const Combine& combine) {
  RowTargets& targets = e.state<RowTargets>();
  targets.set_indices(IndicesOf(e));
  const MutableArrayRef& result = e.result(array);
  const std::byte* updates = UpdatesOf(e, array).bytes;
  const int64_t size = ElementByteSize(result.element_type);
  const int64_t row_size = targets.row_size();
  const auto combine_row = [&](int64_t row, int64_t target) {
    combine(result.bytes + target * size, updates + row * row_size * size, row_size);
  };
  if (targets.count() == 1) {  // as loops do it
    targets.ForEach(0, 1, combine_row);
    return absl::OkStatus();
  }
  const int64_t row_count = result.element_count() / row_size;
  const bool is_large = targets.count() * row_size >= kManyElements && row_count > 1 &&
                        row_size >= kLeastRowOfThreads;
  const int64_t stretches = is_large ? ThreadCount(e.device()) : 1;
  const int64_t stretch = CeilDiv(row_count, stretches) * row_size;
  const int64_t rows_at_once = std::clamp<int64_t>(kLookEvery / row_size, 1, kMaxRowsAtOnce);
  const auto fetch_row = [&](const RowAndTarget& next) {
    const std::byte* to = result.bytes + next.target * size;
    const std::byte* from = updates + next.row * row_size * size;
    for (int64_t i = 0; i < std::min(kMaxFetchedSize, row_size * size); i += 64) {
      __builtin_prefetch(to + i, /*rw=*/1);
      __builtin_prefetch(from + i, 0, 0);
    }
  };
  return ForEachPart(e.device(), stretches, [&](int64_t part) {
    const int64_t first = part * stretch, last = first + stretch;
    std::array<RowAndTarget, kMaxRowsAtOnce> rows;
    for (int64_t i = 0; i < targets.count() && !e.device().is_interrupted(); i += rows_at_once) {
      int64_t count = 0;
      targets.ForEach(i, std::min(targets.count(), i + rows_at_once),
                      [&](int64_t row, int64_t target) {
                        rows[static_cast<size_t>(count)] = {row, target};
                        count += target >= first && target < last ? 1 : 0;
                      });
      for (int64_t k = 0; k < count; ++k) {
        if (k + kAhead < count) fetch_row(rows[static_cast<size_t>(k + kAhead)]);
        combine_row(rows[static_cast<size_t>(k)].row, rows[static_cast<size_t>(k)].target);
      }
    }
  });
}

// combine_array(array, f) for each array with what its elements are combined by; what stays as it
// is needs nothing.
template <typename CombineArray>
absl::Status CombineArrays(Evaluation& e, const CombineArray& combine_array) {
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  for (size_t array = 0; array < e.results().size(); ++array) {
    HLO_RETURN_IF_ERROR(CopyScatterOperand(e, array));
  }
  for (size_t array = 0; array < e.results().size(); ++array) {
    const FunctionForm& own = form.Of(array);
    const ElementType type = e.result(array).element_type;
    if (own.IsBinary()) {
      HLO_RETURN_IF_ERROR(combine_array(array, CombineRun(own.opcode, type)));
    } else if (own.IsParameter(1)) {
      HLO_RETURN_IF_ERROR(combine_array(array, OverwriteRun(type)));
    }
  }
  return absl::OkStatus();
}

absl::Status RunRowScatter(Evaluation& e) {
  return CombineArrays(
      e, [&](size_t array, const auto& combine) { return CombineRows(e, array, combine); });
}

absl::Status RunBoxScatter(Evaluation& e) {
  return CombineArrays(
      e, [&](size_t array, const auto& combine) { return CombineBoxes(e, array, combine); });
}

// As the reference kernel: results may be given their operands' memory.
constexpr Kernel kRowKernel = {
    .run = RunRowScatter, .prepare = RowTargets::Prepare, .overwrite = Overwrite::kSameNumber};
constexpr Kernel kBoxKernel = {.run = RunBoxScatter,
                               .prepare = PrepareBoxes,
                               .scratch_byte_size = BoxesScratchByteSize,
                               .overwrite = Overwrite::kSameNumber};

// Whether elements of `type` are combined as they are by what has a loop.
bool HasLoop(const FunctionForm& form, ElementType type) {
  if (form.element_type != type) return false;
  if (form.kind == FunctionForm::Kind::kParameter) return true;
  return form.IsBinary() && HasTiles(type) &&
         GetBlockKernels().elementwise(form.opcode, TileType(type)) != nullptr;
}

}  // namespace

const Kernel* FindScatterKernel(const OpView& op, const FunctionForm& form) {
  const Shape& result = *op.written_shape();
  const int64_t count = ScatteredArrayCount(op);
  if (op.operand_count() != 2 * count + 1 || (count > 1) != result.IsTuple() ||
      (count > 1 && form.kind != FunctionForm::Kind::kByArray)) {
    return nullptr;
  }
  for (int64_t k = 0; k < count; ++k) {
    const Shape& one = result.IsTuple() ? result.element(k) : result;
    const Shape& operand = op.operand_shape(k);
    const Shape& updates = op.operand_shape(count + 1 + k);
    const auto array = static_cast<size_t>(k);
    if (!one.IsArray() || operand.element_type() != one.element_type() ||
        updates.element_type() != one.element_type() ||
        !HasLoop(form.Of(array), one.element_type()) ||
        // The verifier only warns where sizes differ.
        !std::ranges::equal(operand.dims(), op.operand_shape(0).dims()) ||
        !std::ranges::equal(updates.dims(), UpdatesOf(op).dims())) {
      return nullptr;
    }
  }
  return RowTargets::Suit(op) ? &kRowKernel : &kBoxKernel;
}

}  // namespace hlo::simd

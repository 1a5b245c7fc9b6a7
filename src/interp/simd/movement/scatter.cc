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
#include "interp/kernel/prepared.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/movement/row_targets.h"
#include "interp/simd/movement/scatter_boxes.h"
#include "interp/simd/movement/scatter_elements.h"
#include "interp/simd/movement/scatter_operands.h"
#include "interp/simd/movement/scatter_runs.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kLookEvery = 64 * 1024;  // elements between two looks whether the run is to stop
constexpr int64_t kManyElements = int64_t{1} << 17;  // that are worth several threads
// Elements of a row that are worth a look of every thread: which of them it is for cannot be
// foreseen.
constexpr int64_t kLeastRowOfThreads = 8;
constexpr int64_t kMaxRowsAtOnce = 256;   // whose places are found before they are combined
constexpr int64_t kAhead = 8;             // rows whose memory is asked for before they are combined
constexpr int64_t kMaxFetchedSize = 512;  // bytes of a row; processors ask for what follows

// The places of some rows are found first, so that memory can be asked for them in time.
template <typename Combine>
absl::Status CombineRows(Evaluation& e, size_t array, const Combine& combine) {
  auto& targets = PreparedOf<RowTargets>(e);
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
  const ScatterElements scatter_elements = row_size == 1 ? combine.elements() : nullptr;
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
      if (scatter_elements != nullptr) {
        scatter_elements(result.bytes, updates, std::span(rows).first(static_cast<size_t>(count)));
        continue;
      }
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
    .run = RunRowScatter, .prepare = Prepare<RowTargets>, .overwrite = Overwrite::kSameNumber};
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

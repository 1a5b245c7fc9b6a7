// The reference kernels' routines, which know nothing of other matrices, on several threads.
#include "interp/simd/linalg/lapack_batch.h"

#include <algorithm>

#include "interp/kernel/prepared.h"
#include "interp/reference/custom_calls/lapack.h"
#include "interp/reference/scratch.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/linalg/linalg_parts.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = 4096;  // elements: routines take some steps for each

// As matrices of `size` elements are handed to threads.
int64_t MatricesOfPart(int64_t size) {
  return std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, size));
}

absl::Status Run(Evaluation& e) {
  return reference::RunLapack(
      e, [&](reference::LapackRoutine routine, const reference::LapackCall& call) {
        HLO_RETURN_IF_ERROR(routine(call.Of(0, 0)));
        const int64_t count = call.end();
        const int64_t per_part = MatricesOfPart(call.matrix().element_count() / count);
        return ForEachPart(e.device(), CeilDiv(count, per_part), [&](int64_t part) {
          const int64_t begin = part * per_part;
          routine(call.Of(begin, std::min(count, begin + per_part))).IgnoreError();  // as above
        });
      });
}

// The operand that is a batch of matrices; null when there is none.
const Shape* MatricesOf(const OpView& op) {
  const reference::LapackTarget* target =
      reference::FindLapackTarget(op.Get<Attr::kCustomCallTarget>());
  if (target == nullptr) return nullptr;
  size_t number = 0;
  for (const Shape* operand : reference::OperandArrays(op)) {
    if (operand->rank() == 0) continue;
    if (number++ == target->matrix()) return operand;
  }
  return nullptr;
}

int64_t ScratchByteSize(const OpView& op) {
  const Shape& matrices = *MatricesOf(op);
  const int64_t count = MatrixCount(matrices);
  const int64_t size = std::max<int64_t>(1, ElementCount(matrices).value_or(INT64_MAX) / count);
  const int64_t parts = PartsAtOnce(CeilDiv(count, MatricesOfPart(size)));
  return CheckedMul(parts, reference::LapackScratchByteSize(op)).value_or(INT64_MAX);
}

constexpr Kernel kLapackBatch = {.run = Run,
                                 .prepare = Prepare<reference::PreparedLapack>,
                                 .scratch_byte_size = ScratchByteSize};

}  // namespace

const Kernel* FindLapackBatchKernel(const OpView& op) {
  const Shape* matrices = MatricesOf(op);
  if (matrices == nullptr || matrices->HasDynamicDim() || matrices->rank() < 3 ||
      ElementCount(*matrices).value_or(0) == 0) {
    return nullptr;
  }
  return MatrixCount(*matrices) > 1 ? &kLapackBatch : nullptr;
}

}  // namespace hlo::simd

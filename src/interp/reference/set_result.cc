// Sizes are set only where they differ. A result of static shape has none to set and fails for
// sizes that are not those it is written with.
#include "interp/reference/set_result.h"

#include <algorithm>

#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {

absl::Status EnsureResultDims(Evaluation& e, size_t i, std::span<const int64_t> dims) {
  if (std::ranges::equal(e.result(i).dims, dims)) return absl::OkStatus();
  return e.SetResultDims(i, dims);
}

absl::Status SetResult(Evaluation& e, const ArrayRef& from, size_t i) {
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, i, from.dims));
  ConvertElements(from.element_type, from.bytes, e.result(i).element_type, e.result(i).bytes,
                  from.element_count());
  return absl::OkStatus();
}

}  // namespace hlo::reference

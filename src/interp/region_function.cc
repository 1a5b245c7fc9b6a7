// Functions that kernels call per element: a region with its parameters and results in memory of
// their own.
#include <cstring>

#include "interp/plan_executor.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

// A copy whose usual sizes the compiler knows.
void CopyElement(std::byte* to, const std::byte* from, size_t byte_size) {
  if (byte_size == 4) {
    std::memcpy(to, from, 4);
  } else if (byte_size == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, byte_size);
  }
}

}  // namespace

absl::Status RegionFunction::Call(std::span<const std::byte* const> arguments,
                                  std::span<std::byte* const> results) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    CopyElement(parameters[i].bytes, arguments[i], parameter_byte_sizes_[i]);
  }
  HLO_RETURN_IF_ERROR(executor_.RunSteps(sequence));
  for (size_t i = 0; i < sequence.results.size(); ++i) {
    CopyElement(results[i], sequence.results[i].bytes, result_byte_sizes_[i]);
  }
  return absl::OkStatus();
}

void RegionFunction::MeasureArrays() {
  for (const MutableArrayRef& array : parameters) {
    parameter_byte_sizes_.push_back(static_cast<size_t>(array.byte_size()));
  }
  for (const ArrayRef& array : sequence.results) {
    result_byte_sizes_.push_back(static_cast<size_t>(array.byte_size()));
  }
}

}  // namespace hlo

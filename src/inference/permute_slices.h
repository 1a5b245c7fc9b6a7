// The in-place form of collective-permute: slices of some buffers are sent into others.
#ifndef HLOKIT_INFERENCE_PERMUTE_SLICES_H_
#define HLOKIT_INFERENCE_PERMUTE_SLICES_H_

#include "ir/op_view.h"
#include "support/diagnostic.h"

namespace hlo {

// Whether `op` gives `slice_sizes`.
bool PermutesSlices(const OpView& op);

// Checks input, output, both lists of offsets and the sizes. Reports what is wrong.
bool CheckPermutedSlices(const OpView& op, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_PERMUTE_SLICES_H_

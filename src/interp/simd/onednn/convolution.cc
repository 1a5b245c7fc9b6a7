// convolution (semantics.md 10.4) by oneDNN, in parts that our threads take (convolution_parts.h).
// Padding there is no element, or a zero that is multiplied: the implementations differ, so as in
// our own kernels it must not meet infinities or NaN in the kernel.
#include "interp/simd/onednn/convolution.h"

#include <optional>
#include <utility>

#include "interp/simd/base/reach.h"
#include "interp/simd/convolution/convolution.h"
#include "interp/simd/onednn/convolution_choice.h"
#include "interp/simd/onednn/convolution_program.h"
#include "interp/simd/onednn/dot.h"
#include "interp/simd/onednn/kernel_gradient.h"
#include "interp/simd/onednn/library.h"
#include "interp/simd/onednn/written_types.h"

namespace hlo::simd::onednn {
namespace {

// Of the pixels' features by those of the kernel, which has one place (is_plain_product).
ProductShape ProductOf(const ConvolutionSpec& spec) {
  const auto stride = [](const Layout& layout, int d) {
    return layout.format_desc.blocking.strides[d];
  };
  ProductShape shape;
  for (const int d : {0, 2}) {
    shape.rows.Add({spec.result.dims[d], stride(spec.input, d), 0, stride(spec.result, d)});
  }
  shape.columns.Add({spec.kernel.dims[0], 0, stride(spec.kernel, 0), 1});
  shape.sum.Add({spec.kernel.dims[1], 1, stride(spec.kernel, 1), 0});
  return shape;
}

}  // namespace

std::shared_ptr<const StepProgram> MakeConvolutionProgram(const Plan& plan, const Step& step,
                                                          bool repeats, PlanCaches& caches) {
  const bool is_convolution = step.kind == StepKind::kKernel &&
                              step.opcode == Opcode::kConvolution &&
                              plan.instruction(step).opcode == Opcode::kConvolution;
  if (!is_convolution || step.operands.size() != 2) return nullptr;
  const OpView op(*plan.module, plan.instruction(step));
  if (!IsWithinReach(plan, step) || !HasWrittenTypes(plan, step, op)) return nullptr;
  if (!MayBeWorthIt(plan, op, repeats)) return nullptr;
  const bool may_choose = plan.library_use == LibraryUse::kWhereFaster;
  // The library steps over holes.
  if (may_choose && ConvolutionShape(op).has_few_features() && !HasHoles(op)) return nullptr;
  if (FindLibrary() == nullptr) return nullptr;
  for (ConvolutionSpec& spec : ConvolutionSpec::MakeAll(op)) {
    spec.is_kernel_fixed = plan.is_fixed(step.operands[1], step.kept_loop);
    if (may_choose && IsFasterAsProduct(spec)) return nullptr;
    if (!IsWorthIt(plan, spec, repeats)) continue;
    if (may_choose && IsFasterAsDot(spec)) {
      auto dot = MakeProductProgram(plan, step, ProductOf(spec), repeats, caches.products);
      if (dot != nullptr) return dot;
    }
    if (spec.role == ConvolutionRole::kKernelGradient) {
      std::optional<ConvolutionForms> forms = ConvolutionForms::Make(spec);
      if (forms) return MakeKernelGradientProgram(op, std::move(spec), *std::move(forms));
      continue;
    }
    const int64_t least_count = plan.library_use == LibraryUse::kWherePossible ? 4 : 1;
    std::shared_ptr<const ConvolutionParts> parts =
        caches.convolutions.Make(std::move(spec), least_count);
    if (parts == nullptr) continue;
    return std::make_shared<ConvolutionProgram>(plan, step, std::move(parts));
  }
  return nullptr;
}

}  // namespace hlo::simd::onednn

// What is accepted of transforms and batch normalisation though the documents say otherwise.
// Source: verifier.md 3.14.
#include <cmath>

#include "inference/compatibility.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

void CheckFft(const RuleContext& context, const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const IntList lengths = op.Get<Attr::kFftLength>();
  const SourceRange range = op.attribute_range(Attr::kFftLength);
  const FftType type = op.Get<Attr::kFftType>();
  const int64_t first = operand.rank() - static_cast<int64_t>(lengths.size());
  for (size_t j = 0; j < lengths.size(); ++j) {
    if (lengths[j] < 0) {
      context.Report(Rule::kFftLengthNonnegative, range, "the length {} is negative", lengths[j]);
      return;
    }
    const bool is_complex = type == FftType::kFft || type == FftType::kIfft;
    if (!is_complex || SizesCompatible(operand.dim(first + j), lengths[j])) continue;
    context.Report(Rule::kFftComplexLengths, range, "`fft_length` is {} for dimension {} of `{}`",
                   lengths[j], first + j, ShapeText(operand));
    return;
  }
}

void CheckBatchNorm(const RuleContext& context, const OpView& op) {
  const double epsilon = op.Get<Attr::kEpsilon>();
  if (!std::isfinite(epsilon) || epsilon < 0) {
    context.Report(Rule::kBatchNormEpsilon, op.attribute_range(Attr::kEpsilon),
                   "`epsilon={}` is not a finite number of at least 0", epsilon);
  }
  if (op.opcode() != Opcode::kBatchNormInference) return;
  for (int64_t i : {3, 4}) {
    if (op.operand_shape(i).rank() == 1) continue;
    context.ReportAs(Severity::kWarning, Rule::kBatchNormVectorRank, op.operand_range(i),
                     "operand {} is `{}`, not a vector", i, ShapeText(op.operand_shape(i)));
  }
}

}  // namespace

void VerifyLinalg(const RuleContext& context, const OpView& op) {
  if (op.opcode() == Opcode::kFft) return CheckFft(context, op);
  if (op.Has(Attr::kFeatureIndex)) return CheckBatchNorm(context, op);
}

}  // namespace hlo

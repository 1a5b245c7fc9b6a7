// One call is one instruction, and all rules are those of inference (verifier.md 3.14). Flags that
// are false are left out of the instruction; transpose_a is always written.
#include "builder/linalg.h"

#include "builder/operation.h"

namespace hlo::ops {
namespace {

Op BatchNorm(Operation& operation, Opcode opcode, Ops operands, float epsilon,
             int64_t feature_index) {
  return operation.Add(opcode, operands)
      .Set<Attr::kEpsilon>(epsilon)
      .Set<Attr::kFeatureIndex>(feature_index)
      .Infer();
}

}  // namespace

Op BatchNormTraining(const Op& operand, const Op& scale, const Op& offset, float epsilon,
                     int64_t feature_index, SourceLocation at) {
  const Op operands[] = {operand, scale, offset};
  Operation operation("BatchNormTraining", at, operands);
  return BatchNorm(operation, Opcode::kBatchNormTraining, operands, epsilon, feature_index);
}

Op BatchNormInference(const Op& operand, const Op& scale, const Op& offset, const Op& mean,
                      const Op& variance, float epsilon, int64_t feature_index, SourceLocation at) {
  const Op operands[] = {operand, scale, offset, mean, variance};
  Operation operation("BatchNormInference", at, operands);
  return BatchNorm(operation, Opcode::kBatchNormInference, operands, epsilon, feature_index);
}

Op BatchNormGrad(const Op& operand, const Op& scale, const Op& batch_mean, const Op& batch_var,
                 const Op& grad_output, float epsilon, int64_t feature_index, SourceLocation at) {
  const Op operands[] = {operand, scale, batch_mean, batch_var, grad_output};
  Operation operation("BatchNormGrad", at, operands);
  return BatchNorm(operation, Opcode::kBatchNormGrad, operands, epsilon, feature_index);
}

Op Cholesky(const Op& a, bool lower, SourceLocation at) {
  Operation operation("Cholesky", at, {a});
  return operation.Add(Opcode::kCholesky, {a}).SetIf<Attr::kLower>(lower, true).Infer();
}

Op TriangularSolve(const Op& a, const Op& b, bool left_side, bool lower, bool unit_diagonal,
                   TriangularTranspose transpose_a, SourceLocation at) {
  Operation operation("TriangularSolve", at, {a, b});
  return operation.Add(Opcode::kTriangularSolve, {a, b})
      .SetIf<Attr::kLeftSide>(left_side, true)
      .SetIf<Attr::kLower>(lower, true)
      .SetIf<Attr::kUnitDiagonal>(unit_diagonal, true)
      .Set<Attr::kTransposeA>(transpose_a)
      .Infer();
}

Op Fft(const Op& operand, FftType fft_type, Ints fft_length, SourceLocation at) {
  Operation operation("Fft", at, {operand});
  return operation.Add(Opcode::kFft, {operand})
      .Set<Attr::kFftType>(fft_type)
      .Set<Attr::kFftLength>(ToList(fft_length))
      .Infer();
}

}  // namespace hlo::ops

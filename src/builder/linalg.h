// Linear algebra, transforms, normalization. Source: verifier.md 3.14; semantics.md has the
// formulas.
#ifndef HLOKIT_BUILDER_LINALG_H_
#define HLOKIT_BUILDER_LINALG_H_

#include <cstdint>

#include "builder/op.h"
#include "ir/attribute_values.h"

namespace hlo::ops {

// Normalizes `operand` over all dimensions but `feature_index`; scale, offset, mean and variance
// are vectors of the size of that one. `epsilon` is added to the variance (batch-norm.*). Training
// gives (normalized, mean, variance).
Op BatchNormTraining(const Op& operand, const Op& scale, const Op& offset, float epsilon,
                     int64_t feature_index, SourceLocation at = SourceLocation::current());
Op BatchNormInference(const Op& operand, const Op& scale, const Op& offset, const Op& mean,
                      const Op& variance, float epsilon, int64_t feature_index,
                      SourceLocation at = SourceLocation::current());
// The gradients of the training form by operand, scale and offset, from that of its result.
Op BatchNormGrad(const Op& operand, const Op& scale, const Op& batch_mean, const Op& batch_var,
                 const Op& grad_output, float epsilon, int64_t feature_index,
                 SourceLocation at = SourceLocation::current());

// The triangular L with L * L^H = a (`lower`), or U with U^H * U = a, of each matrix in the last
// two dimensions, [..., n, n] (cholesky.*).
Op Cholesky(const Op& a, bool lower, SourceLocation at = SourceLocation::current());

// x with op(a) * x = b, or x * op(a) = b where not `left_side`; a is [..., m, m] and triangular, of
// which one triangle is read, b has its rank (triangular-solve.*).
Op TriangularSolve(const Op& a, const Op& b, bool left_side, bool lower, bool unit_diagonal,
                   TriangularTranspose transpose_a, SourceLocation at = SourceLocation::current());

// The Fourier transform over the last one to three dimensions, whose lengths (of the real side) are
// `fft_length` (fft.*).
Op Fft(const Op& operand, FftType fft_type, Ints fft_length,
       SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_LINALG_H_

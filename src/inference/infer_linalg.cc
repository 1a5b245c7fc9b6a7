// fft, decompositions and batch normalisation (verifier.md 3.14).
#include "inference/compatibility.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "support/count_text.h"

namespace hlo {
namespace {

// --- fft ---------------------------------------------------------------------------------------

struct FftRules {
  Rule lengths;  // of all transformed dimensions, or of all but the last
  bool last_too;
};

// Transformed dimension j (of k, the innermost ones) has size fft_length[j].
bool CheckFftLengths(const OpView& op, const FftRules& rules, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const IntList lengths = op.Get<Attr::kFftLength>();
  const int64_t first = operand.rank() - static_cast<int64_t>(lengths.size());
  for (size_t j = 0; j + (rules.last_too ? 0 : 1) < lengths.size(); ++j) {
    if (lengths[j] >= 0 && SizesCompatible(operand.dim(first + j), lengths[j])) continue;
    return sink.Error(rules.lengths, op.attribute_range(Attr::kFftLength),
                      "`fft_length` is {} for dimension {} of `{}`", lengths[j], first + j,
                      ShapeText(operand));
  }
  return true;
}

// How many complex numbers a real signal of `length` has as its transform.
int64_t HalfLength(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

// The operand with a new type and last size. A dimension that was bounded stays dynamic.
Shape WithLastDim(const Shape& operand, ElementType type, int64_t size) {
  Shape result = operand;
  const int64_t last = operand.rank() - 1;
  result.set_dynamic(last, IsBoundedDim(operand, last));
  result.set_dim(last, size);
  result.set_element_type(type);
  result.set_layout(std::nullopt);
  return result;
}

std::optional<Shape> InferComplexFft(const OpView& op, DiagnosticSink& sink) {
  if (!CheckElementType(op, 0, kComplex, Rule::kFftComplexInput, sink)) return std::nullopt;
  return op.operand_shape(0);
}

std::optional<Shape> InferRealFft(const OpView& op, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const ElementType type = operand.element_type();
  if (type != ElementType::kF32 && type != ElementType::kF64) {
    return sink.Error(Rule::kFftRealInput, op.operand_range(0),
                      "the operand `{}` is not f32 or f64", ShapeText(operand));
  }
  if (!CheckFftLengths(op, {Rule::kFftRfftLengths, true}, sink)) return std::nullopt;
  return WithLastDim(operand, type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128,
                     HalfLength(op.Get<Attr::kFftLength>().back()));
}

std::optional<Shape> InferInverseRealFft(const OpView& op, DiagnosticSink& sink) {
  if (!CheckElementType(op, 0, kComplex, Rule::kFftComplexInput, sink) ||
      !CheckFftLengths(op, {Rule::kFftIrfftLengths, false}, sink)) {
    return std::nullopt;
  }
  const Shape& operand = op.operand_shape(0);
  const int64_t length = op.Get<Attr::kFftLength>().back();
  if (length < 0 || !SizesCompatible(operand.dim(operand.rank() - 1), HalfLength(length))) {
    return sink.Error(Rule::kFftIrfftLast, op.attribute_range(Attr::kFftLength),
                      "the last dimension of `{}` has size {}, a transform of length {} needs {}",
                      ShapeText(operand), operand.dim(operand.rank() - 1), length,
                      HalfLength(length));
  }
  return WithLastDim(operand, ComponentType(operand.element_type()), length);
}

// --- Matrices ----------------------------------------------------------------------------------

// Operand 0 is a stack of square matrices.
bool CheckSquare(const OpView& op, Rule rank_rule, Rule square_rule, DiagnosticSink& sink) {
  const Shape& a = op.operand_shape(0);
  if (a.rank() < 2) {
    return sink.Error(rank_rule, op.operand_range(0),
                      "the matrix `{}` has {} dimension{}, at least 2 are needed", ShapeText(a),
                      a.rank(), a.rank() == 1 ? "" : "s");
  }
  if (SizesCompatible(a.dim(a.rank() - 2), a.dim(a.rank() - 1))) return true;
  return sink.Error(square_rule, op.operand_range(0),
                    "the matrix `{}` is not square: {} rows, {} columns", ShapeText(a),
                    a.dim(a.rank() - 2), a.dim(a.rank() - 1));
}

bool CheckTriangularDims(const OpView& op, DiagnosticSink& sink) {
  const Shape& a = op.operand_shape(0);
  const Shape& b = op.operand_shape(1);
  if (b.rank() != a.rank()) {
    return sink.Error(Rule::kTriangularSolveEqualRank, op.operand_range(1),
                      "`{}` has {}, `{}` has {}", ShapeText(b), CountText(b.rank(), "dimension"),
                      ShapeText(a), a.rank());
  }
  const int64_t shared = op.Get<Attr::kLeftSide>() ? b.rank() - 2 : b.rank() - 1;
  if (!SizesCompatible(a.dim(a.rank() - 1), b.dim(shared))) {
    return sink.Error(Rule::kTriangularSolveSharedDim, op.operand_range(1),
                      "dimension {} of `{}` has size {}, the matrix `{}` has {} columns", shared,
                      ShapeText(b), b.dim(shared), ShapeText(a), a.dim(a.rank() - 1));
  }
  for (int64_t d = 0; d + 2 < a.rank(); ++d) {
    if (SizesCompatible(a.dim(d), b.dim(d))) continue;
    return sink.Error(Rule::kTriangularSolveBatch, op.operand_range(1),
                      "the batch dimension {} of `{}` has size {}, that of `{}` has {}", d,
                      ShapeText(b), b.dim(d), ShapeText(a), a.dim(d));
  }
  return true;
}

// --- Batch normalisation -----------------------------------------------------------------------

// Operands `first` to `last` have one element per feature, as vectors or, where XLA does not look
// at the rank (mean and variance of inference), as more.
enum class VectorRank { kOne, kAtLeastOne };
bool CheckFeatureVectors(const OpView& op, int64_t first, int64_t last, VectorRank rank,
                         DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  const int64_t feature = op.Get<Attr::kFeatureIndex>();
  for (int64_t i = first; i <= last; ++i) {
    const Shape& vector = op.operand_shape(i);
    if (vector.rank() == 0 || (rank == VectorRank::kOne && vector.rank() != 1)) {
      return sink.Error(Rule::kBatchNormVectorRank, op.operand_range(i),
                        "operand {} is `{}`, not a vector", i, ShapeText(vector));
    }
    if (!CheckSameType(op, 0, i, Rule::kBatchNormSameType, sink)) return false;
    if (SizesCompatible(vector.dim(0), operand.dim(feature))) continue;
    return sink.Error(Rule::kBatchNormVectorSize, op.operand_range(i),
                      "operand {} is `{}`, dimension {} of `{}` has {} features", i,
                      ShapeText(vector), feature, ShapeText(operand), operand.dim(feature));
  }
  return true;
}

bool CheckNormalized(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kBatchNormArrays, sink)) return false;
  const int64_t rank = op.operand_shape(0).rank();
  const int64_t feature = op.Get<Attr::kFeatureIndex>();
  if (feature < 0 || feature >= rank) {
    return sink.Error(Rule::kBatchNormFeatureIndex, op.attribute_range(Attr::kFeatureIndex),
                      "`feature_index={}` names no dimension of `{}`", feature,
                      ShapeText(op.operand_shape(0)));
  }
  return CheckElementType(op, 0, kFloat, Rule::kBatchNormFloat, sink);
}

// The operand's shape, and twice the vector of its features.
Shape NormalizedWithStatistics(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  Shape features = Shape::Array(operand.element_type(), {});
  AppendDimOf(features, operand, op.Get<Attr::kFeatureIndex>());
  return Shape::Tuple({operand, features, features});
}

}  // namespace

std::optional<Shape> InferFft(const OpView& op, DiagnosticSink& sink) {
  const int64_t length_count = static_cast<int64_t>(op.Get<Attr::kFftLength>().size());
  const Shape& operand = op.operand_shape(0);
  if (length_count < 1 || length_count > 3) {
    return sink.Error(Rule::kFftRank, op.attribute_range(Attr::kFftLength),
                      "`fft_length` has {} lengths, 1 to 3 dimensions can be transformed",
                      length_count);
  }
  if (!operand.IsArray() || operand.rank() < length_count) {
    return sink.Error(Rule::kFftOperandRank, op.operand_range(0),
                      "the operand `{}` has fewer dimensions than the {} to transform",
                      ShapeText(operand), length_count);
  }
  switch (op.Get<Attr::kFftType>()) {
    case FftType::kFft:
    case FftType::kIfft:
      return InferComplexFft(op, sink);
    case FftType::kRfft:
      return InferRealFft(op, sink);
    case FftType::kIrfft:
      return InferInverseRealFft(op, sink);
  }
  HLO_UNREACHABLE();
}

std::optional<Shape> InferCholesky(const OpView& op, DiagnosticSink& sink) {
  if (!CheckElementType(op, 0, kFloat | kComplex, Rule::kCholeskyElementType, sink) ||
      !CheckSquare(op, Rule::kCholeskyRank, Rule::kCholeskySquare, sink)) {
    return std::nullopt;
  }
  return op.operand_shape(0);
}

std::optional<Shape> InferTriangularSolve(const OpView& op, DiagnosticSink& sink) {
  const Rule type_rule = Rule::kTriangularSolveElementType;
  if (!CheckElementType(op, 0, kFloat | kComplex, type_rule, sink)) return std::nullopt;
  const Shape& a = op.operand_shape(0);
  const Shape& b = op.operand_shape(1);
  if (a.element_type() != b.element_type()) {
    return sink.Error(type_rule, op.operand_range(1), "`{}` and `{}` have different element types",
                      ShapeText(a), ShapeText(b));
  }
  if (!CheckSquare(op, Rule::kTriangularSolveRank, Rule::kTriangularSolveSquare, sink) ||
      !CheckTriangularDims(op, sink)) {
    return std::nullopt;
  }
  if (op.Get<Attr::kTransposeA>() == TriangularTranspose::kInvalid) {
    return sink.Error(Rule::kTriangularSolveTranspose, op.attribute_range(Attr::kTransposeA),
                      "`transpose_a` is {}, not NO_TRANSPOSE, TRANSPOSE or ADJOINT",
                      op.Has(Attr::kTransposeA) ? "TRANSPOSE_INVALID" : "missing");
  }
  return b;
}

std::optional<Shape> InferBatchNormTraining(const OpView& op, DiagnosticSink& sink) {
  if (!CheckNormalized(op, sink) || !CheckFeatureVectors(op, 1, 2, VectorRank::kOne, sink))
    return std::nullopt;
  return NormalizedWithStatistics(op);
}

std::optional<Shape> InferBatchNormInference(const OpView& op, DiagnosticSink& sink) {
  if (!CheckNormalized(op, sink) || !CheckFeatureVectors(op, 1, 2, VectorRank::kOne, sink) ||
      !CheckFeatureVectors(op, 3, 4, VectorRank::kAtLeastOne, sink))
    return std::nullopt;
  return op.operand_shape(0);
}

std::optional<Shape> InferBatchNormGrad(const OpView& op, DiagnosticSink& sink) {
  if (!CheckNormalized(op, sink) || !CheckFeatureVectors(op, 1, 3, VectorRank::kOne, sink) ||
      !CheckElementType(op, 4, kFloat, Rule::kBatchNormFloat, sink)) {
    return std::nullopt;
  }
  const Shape& operand = op.operand_shape(0);
  const Shape& gradient = op.operand_shape(4);
  if (gradient.rank() != operand.rank()) {
    return sink.Error(Rule::kBatchNormGradOutputRank, op.operand_range(4),
                      "the gradient `{}` has {}, the operand `{}` has {}", ShapeText(gradient),
                      CountText(gradient.rank(), "dimension"), ShapeText(operand), operand.rank());
  }
  if (!DimsCompatible(operand, gradient)) {
    return sink.Error(Rule::kBatchNormGradOutputDims, op.operand_range(4),
                      "the gradient `{}` has other dimensions than the operand `{}`",
                      ShapeText(gradient), ShapeText(operand));
  }
  return NormalizedWithStatistics(op);
}

}  // namespace hlo

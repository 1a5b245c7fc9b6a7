// Opcodes that call a computation on scalars, and topk (verifier.md 3.9).
#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "inference/signature.h"
#include "inference/window.h"

namespace hlo {
namespace {

// N inputs followed by N initial values.
ReducerUse ReductionOf(const OpView& op, Rule mismatch_rule) {
  ReducerUse use;
  use.mismatch_rule = mismatch_rule;
  const int64_t input_count = op.operand_count() / 2;
  for (int64_t k = 0; k < input_count; ++k) {
    use.inputs.push_back({op.operand_shape(k).element_type(), op.operand_shape(input_count + k),
                          op.operand_range(input_count + k)});
  }
  return use;
}

// Inputs 0 ... count - 1 are arrays of the same dimensions.
bool CheckInputs(const OpView& op, int64_t count, Rule array_rule, Rule dims_rule,
                 DiagnosticSink& sink) {
  for (int64_t i = 0; i < count; ++i) {
    if (!CheckArray(op, i, array_rule, sink)) return false;
    if (!CheckSameDims(op, 0, i, dims_rule, sink)) return false;
  }
  return true;
}

// `dims` once for each value the reducer returns, as a tuple when the reducer returns one.
Shape PerReducerResult(const Signature& reducer, const Shape& dims,
                       const std::vector<ElementType>& types) {
  std::vector<Shape> results(types.size(), dims);
  for (size_t k = 0; k < types.size(); ++k) results[k].set_element_type(types[k]);
  if (reducer.result->IsTuple()) return Shape::Tuple(std::move(results));
  return std::move(results[0]);
}

bool CheckWindowRank(const OpView& op, Rule rule, DiagnosticSink& sink) {
  const int64_t window_rank = static_cast<int64_t>(op.Get<Attr::kWindow>().dimensions.size());
  const Shape& operand = op.operand_shape(0);
  if (window_rank == operand.rank()) return true;
  return sink.Error(rule, op.attribute_range(Attr::kWindow),
                    "the window has {} dimension{}, the operand `{}` has {}", window_rank,
                    window_rank == 1 ? "" : "s", ShapeText(operand), operand.rank());
}

// The dimensions that operand 0 has under the window.
std::optional<Shape> WindowedShape(const OpView& op, Rule overflow_rule, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  Shape result = Shape::Array(operand.element_type(), {});
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const std::optional<int64_t> size = WindowedSize(op, d, operand.dim(d), overflow_rule, sink);
    if (!size) return std::nullopt;
    result.AppendDim(*size, IsDynamicDim(operand, d));
  }
  return result;
}

bool CheckSelect(const OpView& op, const Signature& select, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kSelect);
  if (select.parameter_count() != 2) {
    return sink.Error(Rule::kSelectAndScatterSelectParams, range,
                      "`{}` has {} parameter{} instead of 2", select.name(),
                      select.parameter_count(), select.parameter_count() == 1 ? "" : "s");
  }
  if (!select.result->IsScalar() || select.result->element_type() != ElementType::kPred) {
    return sink.Error(Rule::kSelectAndScatterSelectResult, range, "`{}` returns `{}`, not `pred[]`",
                      select.name(), ShapeText(*select.result));
  }
  const ElementType type = op.operand_shape(0).element_type();
  for (int64_t i = 0; i < 2; ++i) {
    if (IsScalarOf(select.parameter(i), type)) continue;
    return sink.Error(Rule::kSelectAndScatterSelectTypes, range,
                      "parameter {} of `{}` is `{}`, the elements are `{}`", i, select.name(),
                      ShapeText(select.parameter(i)), ElementTypeName(type));
  }
  return true;
}

// A scalar among other shapes is tolerated when it has operand 0's type (verifier.md 3.9).
bool CheckMapOperands(const OpView& op, const Shape& dims, DiagnosticSink& sink) {
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand_shape(i);
    if (!CheckArray(op, i, Rule::kMapSameShape, sink)) return false;
    if (DimsCompatible(dims, operand)) continue;
    if (operand.IsScalar() && operand.element_type() == dims.element_type()) continue;
    return sink.Error(Rule::kMapSameShape, op.operand_range(i),
                      "operand {} is `{}`, which has not the dimensions of `{}`", i,
                      ShapeText(operand), ShapeText(dims));
  }
  return true;
}

bool CheckMapped(const OpView& op, const Signature& mapped, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kToApply);
  if (mapped.parameter_count() != op.operand_count()) {
    return sink.Error(Rule::kMapArity, range, "`{}` has {} parameter{}, `map` has {} operand{}",
                      mapped.name(), mapped.parameter_count(),
                      mapped.parameter_count() == 1 ? "" : "s", op.operand_count(),
                      op.operand_count() == 1 ? "" : "s");
  }
  if (!mapped.result->IsScalar()) {
    return sink.Error(Rule::kMapResultScalar, range, "`{}` returns `{}`, not a scalar",
                      mapped.name(), ShapeText(*mapped.result));
  }
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& parameter = mapped.parameter(i);
    if (!parameter.IsScalar()) {
      return sink.Error(Rule::kMapParamScalar, range, "parameter {} of `{}` is `{}`, not a scalar",
                        i, mapped.name(), ShapeText(parameter));
    }
    if (!TypesCompatible(parameter.element_type(), op.operand_shape(i).element_type())) {
      return sink.Error(Rule::kMapParamType, range,
                        "parameter {} of `{}` is `{}`, the operand `{}`", i, mapped.name(),
                        ShapeText(parameter), ShapeText(op.operand_shape(i)));
    }
  }
  return true;
}

bool CheckComparator(const OpView& op, const Signature& comparator, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kToApply);
  if (!comparator.result->IsScalar() || comparator.result->element_type() != ElementType::kPred) {
    return sink.Error(Rule::kSortComparatorResult, range, "`{}` returns `{}`, not `pred[]`",
                      comparator.name(), ShapeText(*comparator.result));
  }
  if (comparator.parameter_count() != 2 * op.operand_count()) {
    return sink.Error(Rule::kSortComparatorParams, range,
                      "`{}` has {} parameter{}, sorting {} operand{} needs {}", comparator.name(),
                      comparator.parameter_count(), comparator.parameter_count() == 1 ? "" : "s",
                      op.operand_count(), op.operand_count() == 1 ? "" : "s",
                      2 * op.operand_count());
  }
  for (int64_t i = 0; i < comparator.parameter_count(); ++i) {
    const ElementType type = op.operand_shape(i / 2).element_type();
    if (IsScalarOf(comparator.parameter(i), type)) continue;
    return sink.Error(Rule::kSortComparatorTypes, range,
                      "parameter {} of `{}` is `{}`, operand {} holds `{}`", i, comparator.name(),
                      ShapeText(comparator.parameter(i)), i / 2, ElementTypeName(type));
  }
  return true;
}

}  // namespace

std::optional<Shape> InferMap(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Signature> mapped = SignatureOf<Attr::kToApply>(op);
  if (!mapped) return std::nullopt;
  // The operand that is not one of the tolerated scalars gives the dimensions.
  Shape result = op.operand_shape(0);
  for (int64_t i = 1; result.IsScalar() && i < op.operand_count(); ++i) {
    if (op.operand_shape(i).IsArray()) result = op.operand_shape(i);
  }
  if (!CheckMapOperands(op, result, sink) || !CheckMapped(op, *mapped, sink)) return std::nullopt;
  result.set_element_type(mapped->result->element_type());
  return result;
}

std::optional<Shape> InferReduce(const OpView& op, DiagnosticSink& sink) {
  if (!CheckInputs(op, op.operand_count() / 2, Rule::kReduceSameDims, Rule::kReduceSameDims,
                   sink)) {
    return std::nullopt;
  }
  const Shape& operand = op.operand_shape(0);
  const DimensionList dimensions = DimensionList::Of<Attr::kDimensions>(op, sink);
  if (!dimensions.InRange(operand.rank(), Rule::kReduceDimsRange) ||
      !dimensions.Distinct(Rule::kReduceDimsUnique)) {
    return std::nullopt;
  }
  const std::optional<Signature> reducer = SignatureOf<Attr::kToApply>(op);
  if (!reducer || !CheckReducer(op, *reducer, ReductionOf(op, Rule::kReduceReducer), sink)) {
    return std::nullopt;
  }
  Shape dims = Shape::Array(operand.element_type(), {});
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!dimensions.Contains(d)) AppendDimOf(dims, operand, d);
  }
  std::vector<ElementType> types;
  for (int64_t k = 0; k < op.operand_count() / 2; ++k) {
    types.push_back(ReducerResult(*reducer, k).element_type());
  }
  return PerReducerResult(*reducer, dims, types);
}

// The element types are those of the initial values, not of the inputs.
std::optional<Shape> InferReduceWindow(const OpView& op, DiagnosticSink& sink) {
  const int64_t input_count = op.operand_count() / 2;
  if (!CheckInputs(op, input_count, Rule::kReduceWindowArray, Rule::kReduceWindowSameDims, sink) ||
      !CheckWindowRank(op, Rule::kReduceWindowWindowRank, sink) || !CheckWindow(op, sink)) {
    return std::nullopt;
  }
  const std::optional<Signature> reducer = SignatureOf<Attr::kToApply>(op);
  if (!reducer || !CheckReducer(op, *reducer, ReductionOf(op, Rule::kReduceWindowReducer), sink)) {
    return std::nullopt;
  }
  const std::optional<Shape> dims = WindowedShape(op, Rule::kReduceWindowWindow, sink);
  if (!dims) return std::nullopt;
  std::vector<ElementType> types;
  for (int64_t k = 0; k < input_count; ++k) {
    types.push_back(op.operand_shape(input_count + k).element_type());
  }
  return PerReducerResult(*reducer, *dims, types);
}

std::optional<Shape> InferSelectAndScatter(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kSelectAndScatterSourceShape, sink) ||
      !CheckArray(op, 1, Rule::kSelectAndScatterSourceShape, sink) ||
      !CheckWindowRank(op, Rule::kSelectAndScatterWindow, sink) || !CheckWindow(op, sink)) {
    return std::nullopt;
  }
  const std::optional<Signature> select = SignatureOf<Attr::kSelect>(op);
  const std::optional<Signature> scatter = SignatureOf<Attr::kScatter>(op);
  if (!select || !scatter || !CheckSelect(op, *select, sink)) return std::nullopt;
  const Shape& source = op.operand_shape(1);
  const ReducerUse use = {
      .attr = Attr::kScatter,
      .mismatch_rule = Rule::kSelectAndScatterReducer,
      .inputs = {{source.element_type(), op.operand_shape(2), op.operand_range(2)}}};
  if (!CheckReducer(op, *scatter, use, sink)) return std::nullopt;
  const std::optional<Shape> expected = WindowedShape(op, Rule::kSelectAndScatterWindow, sink);
  if (!expected) return std::nullopt;
  if (!CompatibleFloats(source, *expected)) {
    return sink.Error(Rule::kSelectAndScatterSourceShape, op.operand_range(1),
                      "the source is `{}`, the window has the places `{}`", ShapeText(source),
                      ShapeText(*expected));
  }
  return op.operand_shape(0);
}

std::optional<Shape> InferSort(const OpView& op, DiagnosticSink& sink) {
  if (!CheckInputs(op, op.operand_count(), Rule::kSortSameDims, Rule::kSortSameDims, sink)) {
    return std::nullopt;
  }
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  if (!dimension) return std::nullopt;
  const int64_t rank = op.operand_shape(0).rank();
  if (*dimension < 0 || *dimension >= rank) {
    return sink.Error(*dimension < 0 ? Rule::kSortDimensionNegative : Rule::kSortDimension,
                      op.attribute_range(Attr::kDimensions),
                      "`dimensions={{{}}}` names no dimension of `{}`", *dimension,
                      ShapeText(op.operand_shape(0)));
  }
  const std::optional<Signature> comparator = SignatureOf<Attr::kToApply>(op);
  if (!comparator || !CheckComparator(op, *comparator, sink)) return std::nullopt;
  std::vector<Shape> results;
  for (int64_t i = 0; i < op.operand_count(); ++i) results.push_back(op.operand_shape(i));
  return OneOrTuple(std::move(results));
}

// The k largest values of each row and their positions.
std::optional<Shape> InferTopK(const OpView& op, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  if (!operand.IsArray() || operand.rank() == 0) {
    return sink.Error(Rule::kTopkRank, op.operand_range(0),
                      "the operand `{}` is not an array of at least one dimension",
                      ShapeText(operand));
  }
  const int64_t k = op.Get<Attr::kK>();
  const int64_t last = operand.rank() - 1;
  if (k < 0) {
    return sink.Error(Rule::kTopkKNonnegative, op.attribute_range(Attr::kK), "`k={}` is negative",
                      k);
  }
  if (!operand.is_unbounded(last) && k > operand.dim(last)) {
    return sink.Error(Rule::kTopkKBound, op.attribute_range(Attr::kK),
                      "`k={}` exceeds the last dimension of `{}`", k, ShapeText(operand));
  }
  Shape values = operand;
  values.set_dim(last, k);
  values.set_dynamic(last, false);
  values.set_layout(std::nullopt);
  Shape positions = values;
  positions.set_element_type(ElementType::kS32);
  return Shape::Tuple({std::move(values), std::move(positions)});
}

}  // namespace hlo

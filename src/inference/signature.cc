// Form comes before types: first the numbers of parameters and results, then for each accumulator
// the reducer by itself, then the reducer against the operands (verifier.md 3.9). When neither the
// initial value nor the elements fit it, the reducer is the wrong one; when one of them does, the
// other is reported.
#include "inference/signature.h"

#include "inference/compatibility.h"

namespace hlo {
namespace {

// A tuple of `count` scalars; for one input the scalar itself will do.
bool CheckResultForm(const OpView& op, const Signature& reducer, const ReducerUse& use,
                     DiagnosticSink& sink) {
  const Shape& result = *reducer.result;
  const SourceRange range = op.attribute_range(use.attr);
  const bool is_tuple = result.IsTuple() && result.element_count() == use.count();
  if (!is_tuple && !(use.count() == 1 && result.IsArray())) {
    return sink.Error(Rule::kReducerResultForm, range,
                      "`{}` returns `{}` instead of {} accumulator{}", reducer.name(),
                      ShapeText(result), use.count(), use.count() == 1 ? "" : "s");
  }
  for (int64_t k = 0; k < use.count(); ++k) {
    if (ReducerResult(reducer, k).IsScalar()) continue;
    return sink.Error(Rule::kReducerResultScalar, range, "`{}` returns `{}`, which is not a scalar",
                      reducer.name(), ShapeText(ReducerResult(reducer, k)));
  }
  return true;
}

bool CheckParameterCount(const OpView& op, const Signature& reducer, const ReducerUse& use,
                         DiagnosticSink& sink) {
  const int64_t count = reducer.parameter_count();
  if (count == 2 * use.count()) return true;
  // A reducer of another number of inputs is the wrong one, anything else is none.
  const bool is_reducer = count > 0 && count % 2 == 0;
  return sink.Error(is_reducer ? use.mismatch_rule : Rule::kReducerParamCount,
                    op.attribute_range(use.attr), "`{}` has {} parameter{}, `{}` needs {}",
                    reducer.name(), count, count == 1 ? "" : "s", OpcodeName(op.opcode()),
                    2 * use.count());
}

// What the reducer must be by itself: it takes back what it returns.
bool CheckSelfConsistent(const OpView& op, const Signature& reducer, const ReducerUse& use,
                         int64_t k, DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(use.attr);
  const Shape& result = ReducerResult(reducer, k);
  const Shape& accumulator = reducer.parameter(k);
  const Shape& input = reducer.parameter(use.count() + k);
  if (!Compatible(accumulator, result)) {
    return sink.Error(Rule::kReducerAccumulatorParam, range,
                      "`{}` returns `{}` for its accumulator parameter {}, `{}`", reducer.name(),
                      ShapeText(result), k, ShapeText(accumulator));
  }
  if (!CompatibleFloats(input, result)) {
    return sink.Error(Rule::kReducerInputResult, range,
                      "`{}` returns `{}`, its input parameter {} is `{}`", reducer.name(),
                      ShapeText(result), use.count() + k, ShapeText(input));
  }
  return true;
}

bool CheckFitsOperands(const OpView& op, const Signature& reducer, const ReducerUse& use, int64_t k,
                       DiagnosticSink& sink) {
  const Shape& result = ReducerResult(reducer, k);
  const ReducerUse::Input& input = use.inputs[k];
  const bool init_fits = CompatibleFloats(input.init, result);
  const bool input_fits = IsScalarOf(reducer.parameter(use.count() + k), input.type);
  if (init_fits && input_fits) return true;
  if (!init_fits && !input_fits) {
    return sink.Error(use.mismatch_rule, op.attribute_range(use.attr),
                      "`{}` combines `{}`, `{}` has `{}` elements", reducer.name(),
                      ShapeText(result), OpcodeName(op.opcode()), ElementTypeName(input.type));
  }
  if (!init_fits) {
    return sink.Error(Rule::kReducerInit, input.init_range,
                      "the initial value is `{}`, `{}` returns `{}`", ShapeText(input.init),
                      reducer.name(), ShapeText(result));
  }
  return sink.Error(Rule::kReducerInputParam, op.attribute_range(use.attr),
                    "parameter {} of `{}` is `{}`, the elements are `{}`", use.count() + k,
                    reducer.name(), ShapeText(reducer.parameter(use.count() + k)),
                    ElementTypeName(input.type));
}

}  // namespace

std::optional<Signature> SignatureOf(const OpView& op, ComputationId id) {
  const Module& module = op.module();
  if (!id.valid() || id.value >= module.computations().size()) return std::nullopt;
  const auto shape_of = [&module](InstructionId instruction) -> const Shape* {
    if (!instruction.valid() || instruction.value >= module.instructions().size()) return nullptr;
    return module.instruction(instruction).shape;
  };
  Signature signature;
  signature.computation = &module.computation(id);
  signature.result = shape_of(signature.computation->root);
  if (signature.result == nullptr) return std::nullopt;
  for (InstructionId parameter : signature.computation->parameters) {
    const Shape* shape = shape_of(parameter);
    if (shape == nullptr) return std::nullopt;
    signature.parameters.push_back(shape);
  }
  return signature;
}

bool IsScalarOf(const Shape& shape, ElementType type) {
  return shape.IsScalar() && TypesCompatible(shape.element_type(), type);
}

const Shape& ReducerResult(const Signature& reducer, int64_t i) {
  return reducer.result->IsTuple() ? reducer.result->element(i) : *reducer.result;
}

bool CheckReducer(const OpView& op, const Signature& reducer, const ReducerUse& use,
                  DiagnosticSink& sink) {
  if (!CheckParameterCount(op, reducer, use, sink) || !CheckResultForm(op, reducer, use, sink)) {
    return false;
  }
  for (int64_t k = 0; k < use.count(); ++k) {
    if (!CheckSelfConsistent(op, reducer, use, k, sink) ||
        !CheckFitsOperands(op, reducer, use, k, sink)) {
      return false;
    }
  }
  return true;
}

}  // namespace hlo

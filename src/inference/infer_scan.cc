// scan: f(elements..., carries...) -> (elements..., carries...) along one dimension
// (verifier.md 3.9). Operands are m inputs and k initial carries; results n outputs and k carries.
#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "inference/signature.h"
#include "support/count_text.h"

namespace hlo {
namespace {

struct ScanForm {
  int64_t dimension = 0;
  int64_t carry_count = 0;
  int64_t input_count = 0;   // m
  int64_t output_count = 0;  // n
  int64_t length = 0;        // S
};

std::span<const Shape> ElementsOf(const Shape& shape) {
  return shape.IsTuple() ? shape.elements() : std::span<const Shape>(&shape, 1);
}

Shape WithoutDim(Shape shape, int64_t d) {
  shape.RemoveDim(d);
  return shape;
}

Shape WithDim(const Shape& shape, int64_t dimension, int64_t size) {
  Shape result = Shape::Array(shape.element_type(), {});
  for (int64_t d = 0; d <= shape.rank(); ++d) {
    if (d == dimension) result.AppendDim(size, size == Shape::kUnbounded);
    if (d < shape.rank()) AppendDimOf(result, shape, d);
  }
  return result;
}

bool CheckCounts(const OpView& op, const Signature& body, ScanForm& form, DiagnosticSink& sink) {
  const int64_t k = op.Get<Attr::kNumCarries>();
  const SourceRange range = op.attribute_range(Attr::kNumCarries);
  if (k < 0 || k > op.operand_count()) {
    return sink.Error(Rule::kScanOperandsCarries, range, "`num_carries={}` of {}", k,
                      CountText(op.operand_count(), "operand"));
  }
  const Shape& results = op.written_shape() != nullptr ? *op.written_shape() : *body.result;
  const int64_t result_count = static_cast<int64_t>(ElementsOf(results).size());
  const int64_t root_count = static_cast<int64_t>(ElementsOf(*body.result).size());
  if (result_count < k) {
    return sink.Error(Rule::kScanResultsCarries, op.shape_range(), "`{}` has {}, fewer than the {}",
                      ShapeText(results), CountText(result_count, "result"),
                      k == 1 ? "1 carry" : fmt::format("{} carries", k));
  }
  form.carry_count = k;
  form.input_count = op.operand_count() - k;
  form.output_count = result_count - k;
  if (form.input_count == 0 && form.output_count == 0) {
    return sink.Error(Rule::kScanNotTrivial, op.opcode_range(),
                      "`scan` has neither an input nor an output besides `num_carries={}`", k);
  }
  const SourceRange body_range = op.attribute_range(Attr::kToApply);
  if (body.parameter_count() != op.operand_count()) {
    return sink.Error(Rule::kScanParams, body_range, "`{}` has {}, `scan` has {}", body.name(),
                      CountText(body.parameter_count(), "parameter"),
                      CountText(op.operand_count(), "operand"));
  }
  if (root_count != result_count) {
    return sink.Error(Rule::kScanRoots, body_range, "`{}` returns {}, `scan` has {}", body.name(),
                      CountText(root_count, "value"), CountText(result_count, "result"));
  }
  return true;
}

// Dimension and length of the inputs and, where they are written, of the outputs.
bool CheckScanned(const OpView& op, ScanForm& form, DiagnosticSink& sink) {
  std::optional<int64_t> length;
  const auto check = [&](const Shape& shape, SourceRange range) -> bool {
    if (form.dimension < 0 || !shape.IsArray() || form.dimension >= shape.rank()) {
      return sink.Error(Rule::kScanDimension, op.attribute_range(Attr::kDimensions),
                        "`dimensions={{{}}}` names no dimension of `{}`", form.dimension,
                        ShapeText(shape));
    }
    const int64_t size = shape.dim(form.dimension);
    if (!length) length = size;
    if (SizesCompatible(*length, size)) return true;
    return sink.Error(Rule::kScanSameLength, range,
                      "dimension {} of `{}` has size {}, the scan is over {}", form.dimension,
                      ShapeText(shape), size, *length);
  };
  for (int64_t i = 0; i < form.input_count; ++i) {
    if (!check(op.operand_shape(i), op.operand_range(i))) return false;
  }
  if (op.written_shape() != nullptr) {
    for (int64_t i = 0; i < form.output_count; ++i) {
      if (!check(ElementsOf(*op.written_shape())[i], op.shape_range())) return false;
    }
  }
  if (!length) {
    return sink.Error(Rule::kInstShapeRequired, op.opcode_range(),
                      "the result shape of a `scan` without inputs must be written");
  }
  form.length = *length;
  return true;
}

bool CheckParameters(const OpView& op, const Signature& body, const ScanForm& form,
                     DiagnosticSink& sink) {
  const SourceRange range = op.attribute_range(Attr::kToApply);
  for (int64_t i = 0; i < form.input_count; ++i) {
    const Shape element = WithoutDim(op.operand_shape(i), form.dimension);
    if (CompatibleFloats(body.parameter(i), element)) continue;
    return sink.Error(Rule::kScanInputElement, range,
                      "parameter {} of `{}` is `{}`, the elements of the input are `{}`", i,
                      body.name(), ShapeText(body.parameter(i)), ShapeText(element));
  }
  const std::span<const Shape> returned = ElementsOf(*body.result);
  for (int64_t j = 0; j < form.carry_count; ++j) {
    const int64_t i = form.input_count + j;
    const Shape& carry = body.parameter(i);
    if (!CompatibleFloats(carry, op.operand_shape(i))) {
      return sink.Error(Rule::kScanCarryParam, op.operand_range(i),
                        "the initial carry is `{}`, parameter {} of `{}` is `{}`",
                        ShapeText(op.operand_shape(i)), i, body.name(), ShapeText(carry));
    }
    if (!CompatibleFloats(carry, returned[form.output_count + j])) {
      return sink.Error(Rule::kScanCarryResult, range,
                        "`{}` takes the carry `{}` and returns it as `{}`", body.name(),
                        ShapeText(carry), ShapeText(returned[form.output_count + j]));
    }
  }
  return true;
}

bool CheckOutputs(const OpView& op, const Signature& body, const ScanForm& form,
                  DiagnosticSink& sink) {
  if (op.written_shape() == nullptr) return true;
  const std::span<const Shape> results = ElementsOf(*op.written_shape());
  const std::span<const Shape> returned = ElementsOf(*body.result);
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_output = static_cast<int64_t>(i) < form.output_count;
    const Shape element = is_output ? WithoutDim(results[i], form.dimension) : results[i];
    if (CompatibleFloats(element, returned[i])) continue;
    return sink.Error(Rule::kScanOutputElement, op.shape_range(),
                      "result {} is `{}`, for which `{}` must return `{}`, not `{}`", i,
                      ShapeText(results[i]), body.name(), ShapeText(element),
                      ShapeText(returned[i]));
  }
  return true;
}

}  // namespace

std::optional<Shape> InferScan(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Signature> body = SignatureOf<Attr::kToApply>(op);
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  if (!body || !dimension) return std::nullopt;
  ScanForm form;
  form.dimension = *dimension;
  if (!CheckCounts(op, *body, form, sink) || !CheckScanned(op, form, sink) ||
      !CheckParameters(op, *body, form, sink) || !CheckOutputs(op, *body, form, sink)) {
    return std::nullopt;
  }
  std::vector<Shape> results;
  for (const Shape& returned : ElementsOf(*body->result)) {
    const bool is_output = static_cast<int64_t>(results.size()) < form.output_count;
    if (is_output && !returned.IsArray()) {
      return sink.Error(Rule::kScanOutputElement, op.attribute_range(Attr::kToApply),
                        "`{}` returns `{}`, of which no array can be made", body->name(),
                        ShapeText(returned));
    }
    if (is_output && form.dimension > returned.rank()) {
      return sink.Error(Rule::kScanDimension, op.attribute_range(Attr::kDimensions),
                        "`dimensions={{{}}}` names no dimension of an array of `{}`",
                        form.dimension, ShapeText(returned));
    }
    results.push_back(is_output ? WithDim(returned, form.dimension, form.length) : returned);
  }
  // A tuple of one element and the bare value mean the same, for the result and for the root.
  const bool is_tuple = op.written_shape() != nullptr && results.size() == 1
                            ? op.written_shape()->IsTuple()
                            : body->result->IsTuple();
  if (is_tuple) return Shape::Tuple(std::move(results));
  return std::move(results[0]);
}

}  // namespace hlo

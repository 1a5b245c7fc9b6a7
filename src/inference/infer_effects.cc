// Tokens, transfers, asynchronous copies and calls (verifier.md 3.12). XLA derives most of these
// shapes and looks at no more of the written one than what cannot be derived. What relates an
// asynchronous pair to its computation, and which operands are tokens, is for the verifier.
#include "inference/compatibility.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"

namespace hlo {
namespace {

// Element 0 of the written tuple, which is the only place where the data's shape stands.
std::optional<Shape> WrittenData(const OpView& op, Rule rule, DiagnosticSink& sink) {
  const Shape& written = *op.written_shape();
  if (written.IsTuple() && written.element_count() > 0) return written.element(0);
  return sink.Error(rule, op.shape_range(),
                    "the result `{}` is not a tuple that begins with the data", ShapeText(written));
}

Shape TransferContext(const Shape& data) {
  return Shape::Tuple({data, Shape::Scalar(ElementType::kU32), Shape::Token()});
}

// Element 0 of a context of at least `least` elements.
std::optional<Shape> ContextData(const OpView& op, int64_t least, Rule rule, DiagnosticSink& sink) {
  const Shape& context = op.operand_shape(0);
  if (context.IsTuple() && context.element_count() >= least) return context.element(0);
  return sink.Error(rule, op.operand_range(0), "the operand `{}` is not a tuple of {} or more",
                    ShapeText(context), least);
}

}  // namespace

std::optional<Shape> InferAddDependency(const OpView& op, DiagnosticSink&) {
  return op.operand_shape(0);
}

std::optional<Shape> InferAfterAll(const OpView&, DiagnosticSink&) { return Shape::Token(); }

std::optional<Shape> InferAsyncDone(const OpView& op, DiagnosticSink&) {
  return *op.written_shape();
}

std::optional<Shape> InferAsyncStart(const OpView& op, DiagnosticSink&) {
  return *op.written_shape();
}

std::optional<Shape> InferAsyncUpdate(const OpView& op, DiagnosticSink&) {
  return *op.written_shape();
}

// (destination, source, context)
std::optional<Shape> InferCopyStart(const OpView& op, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  Shape result = Shape::Tuple({operand, operand, Shape::Scalar(ElementType::kU32)});
  if (!Compatible(result, *op.written_shape())) {
    return sink.Error(Rule::kCopyStartShape, op.shape_range(), "the result is `{}` instead of `{}`",
                      ShapeText(*op.written_shape()), ShapeText(result));
  }
  return result;
}

std::optional<Shape> InferCopyDone(const OpView& op, DiagnosticSink& sink) {
  std::optional<Shape> data = ContextData(op, 2, Rule::kCopyDoneOperandTuple, sink);
  if (!data) return std::nullopt;
  // What a copy-start says of its two sides is checked there.
  if (op.operand(0).opcode != Opcode::kCopyStart &&
      !Compatible(*data, op.operand_shape(0).element(1))) {
    return sink.Error(Rule::kCopyDoneSameShape, op.operand_range(0),
                      "the destination `{}` and the source `{}` of the copy differ",
                      ShapeText(*data), ShapeText(op.operand_shape(0).element(1)));
  }
  return data;
}

std::optional<Shape> InferDomain(const OpView& op, DiagnosticSink&) { return op.operand_shape(0); }

std::optional<Shape> InferInfeed(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Shape> data = WrittenData(op, Rule::kInfeedTextTuple, sink);
  if (!data) return std::nullopt;
  return Shape::Tuple({*data, Shape::Token()});
}

std::optional<Shape> InferOutfeed(const OpView& op, DiagnosticSink& sink) {
  const Shape* sent = op.Get<Attr::kOutfeedShape>().shape;
  if (sent != nullptr && !Compatible(*sent, op.operand_shape(0))) {
    return sink.Error(Rule::kOutfeedShape, op.attribute_range(Attr::kOutfeedShape),
                      "`outfeed_shape` is `{}`, the operand `{}`", ShapeText(*sent),
                      ShapeText(op.operand_shape(0)));
  }
  return Shape::Token();
}

std::optional<Shape> InferRecv(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Shape> data = WrittenData(op, Rule::kRecvTextTuple, sink);
  if (!data) return std::nullopt;
  return TransferContext(*data);
}

std::optional<Shape> InferRecvDone(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Shape> data = ContextData(op, 1, Rule::kRecvDoneOperandTuple, sink);
  if (!data) return std::nullopt;
  return Shape::Tuple({*data, Shape::Token()});
}

std::optional<Shape> InferSend(const OpView& op, DiagnosticSink&) {
  return TransferContext(op.operand_shape(0));
}

std::optional<Shape> InferSendDone(const OpView&, DiagnosticSink&) { return Shape::Token(); }

}  // namespace hlo

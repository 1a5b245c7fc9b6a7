// The result shape of each opcode: one function a row of opcodes.def, elementwise rows sharing
// theirs. A row without a function fails the link with the opcode in the function's name. The
// operand count has been checked against the row, operands have shapes, required attributes are
// there, and opcodes whose shape must be written have one.
#ifndef HLOKIT_INFERENCE_INFER_H_
#define HLOKIT_INFERENCE_INFER_H_

#include <optional>

#include "ir/op_view.h"
#include "ir/shape.h"
#include "support/diagnostic.h"

namespace hlo {

std::optional<Shape> InferUnary(const OpView& op, TypeSet domain, DiagnosticSink& sink);
// Operands of types outside of the domain break `rule`.
std::optional<Shape> InferBinary(const OpView& op, TypeSet domain, Rule rule, DiagnosticSink& sink);

#define HLO_UNARY(...)
#define HLO_BINARY(...)
#define HLO_OPCODE(Name, ...) \
  std::optional<Shape> Infer##Name(const OpView& op, DiagnosticSink& sink);
#include "ir/opcodes.def"

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_INFER_H_

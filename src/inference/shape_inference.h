// The result shape of every opcode (verifier.md 3).
#ifndef HLOKIT_INFERENCE_SHAPE_INFERENCE_H_
#define HLOKIT_INFERENCE_SHAPE_INFERENCE_H_

#include <optional>

#include "ir/op_view.h"
#include "ir/shape.h"
#include "support/diagnostic.h"

namespace hlo {

// What the tuples among an instruction's operands may be: their parts together, and their depth.
inline constexpr int64_t kMaxOperandPartCount = int64_t{1} << 20;
inline constexpr int kMaxTupleDepth = 1000;

// The result shape of `op` from its operands and attributes, after checking every premise of its
// opcode. A violated premise is reported under its rule id of verifier.md, once, and nothing is
// returned. For opcodes whose shape cannot be derived (parameter, constant, custom-call ...) the
// written shape is returned. Layouts: operand 0's for elementwise opcodes, otherwise row-major.
std::optional<Shape> InferShape(const OpView& op, DiagnosticSink& sink);

// The first of these premises: `op` has as many operands as its opcode takes, as the row of the
// table says.
bool CheckOperandCount(const OpView& op, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_SHAPE_INFERENCE_H_

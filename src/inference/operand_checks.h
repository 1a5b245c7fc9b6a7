// Checks that many opcodes make of one operand. Each reports a violation under the rule it is
// given, at the operand, and says whether the operand passed.
#ifndef HLOKIT_INFERENCE_OPERAND_CHECKS_H_
#define HLOKIT_INFERENCE_OPERAND_CHECKS_H_

#include <string>
#include <string_view>

#include "ir/op_view.h"
#include "support/diagnostic.h"

namespace hlo {

bool CheckArray(const OpView& op, int64_t i, Rule rule, DiagnosticSink& sink);
// All operands from number `first` on.
bool CheckArrays(const OpView& op, Rule rule, DiagnosticSink& sink, int64_t first = 0);
bool CheckScalar(const OpView& op, int64_t i, Rule rule, DiagnosticSink& sink);
bool CheckElementType(const OpView& op, int64_t i, TypeSet domain, Rule rule, DiagnosticSink& sink);
// Operands `i` and `j` have the same element type, or two float types.
bool CheckSameType(const OpView& op, int64_t i, int64_t j, Rule rule, DiagnosticSink& sink);
// Arrays of compatible dimensions, whatever their types.
bool CheckSameDims(const OpView& op, int64_t i, int64_t j, Rule rule, DiagnosticSink& sink);

// The classes of a domain in words: "integer or floating-point".
std::string DomainText(TypeSet domain);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_OPERAND_CHECKS_H_

// A check of two operands points at the second one that it is given. Two tuples have the same
// element type here: who needs arrays asks CheckArray first. Messages name the types that would do
// by their classes.
#include "inference/operand_checks.h"

#include <vector>

#include "inference/compatibility.h"

namespace hlo {
namespace {

std::vector<std::string_view> DomainWords(TypeSet domain) {
  std::vector<std::string_view> words;
  if (domain & kPred) words.push_back("pred");
  if ((domain & kInteger) == kInteger) {
    words.push_back("integer");
  } else if (domain & kSigned) {
    words.push_back("signed integer");
  } else if (domain & kUnsigned) {
    words.push_back("unsigned integer");
  }
  if (domain & kFloat) words.push_back("floating-point");
  if (domain & kComplex) words.push_back("complex");
  return words;
}

}  // namespace

bool CheckArray(const OpView& op, int64_t i, Rule rule, DiagnosticSink& sink) {
  if (op.operand_shape(i).IsArray()) return true;
  return sink.Error(rule, op.operand_range(i), "operand {} of `{}` is `{}`, not an array", i,
                    OpcodeName(op.opcode()), ShapeText(op.operand_shape(i)));
}

bool CheckArrays(const OpView& op, Rule rule, DiagnosticSink& sink, int64_t first) {
  for (int64_t i = first; i < op.operand_count(); ++i) {
    if (!CheckArray(op, i, rule, sink)) return false;
  }
  return true;
}

bool CheckScalar(const OpView& op, int64_t i, Rule rule, DiagnosticSink& sink) {
  if (op.operand_shape(i).IsScalar()) return true;
  return sink.Error(rule, op.operand_range(i), "operand {} of `{}` is `{}`, not a scalar", i,
                    OpcodeName(op.opcode()), ShapeText(op.operand_shape(i)));
}

bool CheckElementType(const OpView& op, int64_t i, TypeSet domain, Rule rule,
                      DiagnosticSink& sink) {
  if (IsIn(op.operand_shape(i).element_type(), domain)) return true;
  return sink.Error(rule, op.operand_range(i), "operand {} of `{}` is `{}`, not of {} type", i,
                    OpcodeName(op.opcode()), ShapeText(op.operand_shape(i)), DomainText(domain));
}

bool CheckSameType(const OpView& op, int64_t i, int64_t j, Rule rule, DiagnosticSink& sink) {
  const ElementType a = op.operand_shape(i).element_type();
  const ElementType b = op.operand_shape(j).element_type();
  if (TypesCompatible(a, b)) return true;
  return sink.Error(rule, op.operand_range(j),
                    "operands {} and {} of `{}` have different element types, `{}` and `{}`", i, j,
                    OpcodeName(op.opcode()), ElementTypeName(a), ElementTypeName(b));
}

bool CheckSameDims(const OpView& op, int64_t i, int64_t j, Rule rule, DiagnosticSink& sink) {
  if (DimsCompatible(op.operand_shape(i), op.operand_shape(j))) return true;
  return sink.Error(rule, op.operand_range(j),
                    "operands {} and {} of `{}` have different dimensions, `{}` and `{}`", i, j,
                    OpcodeName(op.opcode()), ShapeText(op.operand_shape(i)),
                    ShapeText(op.operand_shape(j)));
}

std::string DomainText(TypeSet domain) {
  const std::vector<std::string_view> words = DomainWords(domain);
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace hlo

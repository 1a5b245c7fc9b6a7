// Opcodes that work element by element: the result has the dimensions of the operands, which HLO
// never broadcasts by itself (verifier.md 3.0 to 3.4). The result takes operand 0's layout.
#include "inference/compatibility.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"

namespace hlo {
namespace {

// Opcodes of one operand share a rule for the types that they do not take, except for these types.
struct UnaryTypeRule {
  Opcode opcode;
  TypeSet types;
  Rule rule;
};
constexpr UnaryTypeRule kUnaryTypeRules[] = {
    {Opcode::kAbs, kPred | kUnsigned, Rule::kAbsUnsigned},
    {Opcode::kCbrt, kComplex, Rule::kCbrtComplex},
};

Rule UnaryDomainRule(Opcode opcode, ElementType type) {
  for (const UnaryTypeRule& row : kUnaryTypeRules) {
    if (row.opcode == opcode && IsIn(type, row.types)) return row.rule;
  }
  return Rule::kUnaryElementType;
}

ElementType UnaryResultType(Opcode opcode, ElementType operand) {
  const bool takes_part =
      opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  if (opcode == Opcode::kIsFinite) return ElementType::kPred;
  return takes_part && IsComplex(operand) ? ComponentType(operand) : operand;
}

// Builders repeat a scalar for every element of an array by themselves, HLO does not: says what to
// write where one of two operands is a scalar and the other is not.
void SuggestBroadcast(const OpView& op, int64_t first, int64_t second, DiagnosticSink& sink) {
  const int64_t scalar = op.operand_shape(first).rank() == 0 ? first : second;
  const int64_t array = scalar == first ? second : first;
  if (op.operand_shape(scalar).rank() > 0 || op.operand_shape(array).rank() == 0) return;
  Shape shape = op.operand_shape(array);
  shape.set_element_type(op.operand_shape(scalar).element_type());
  shape.ClearLayouts();
  sink.Note(
      op.operand_range(scalar),
      "HLO repeats no scalar by itself: write `b = {} broadcast({}), dimensions={{}}`, and `b` "
      "here",
      ShapeText(shape), op.operand(scalar).name);
}

// The dimensions of both operands, which agree; the type and layout of operand `first`.
std::optional<Shape> MergeOperands(const OpView& op, int64_t first, int64_t second,
                                   DiagnosticSink& sink) {
  Shape result = op.operand_shape(first);
  if (MergeDims(result, op.operand_shape(second))) return result;
  sink.Error(Rule::kElementwiseNoImplicitBroadcast, op.operand_range(second),
             "operands `{}` and `{}` of `{}` differ in their dimensions",
             ShapeText(op.operand_shape(first)), ShapeText(op.operand_shape(second)),
             OpcodeName(op.opcode()));
  SuggestBroadcast(op, first, second, sink);
  return std::nullopt;
}

std::optional<Shape> WithElementType(std::optional<Shape> shape, ElementType type) {
  if (shape) shape->set_element_type(type);
  return shape;
}

// Two parts of one of the complex types.
bool CheckComponents(const OpView& op, DiagnosticSink& sink) {
  const ElementType real = op.operand_shape(0).element_type();
  const ElementType imaginary = op.operand_shape(1).element_type();
  if (real == imaginary && (real == ElementType::kF32 || real == ElementType::kF64)) return true;
  return sink.Error(Rule::kComplexComponentType, op.opcode_range(),
                    "the parts are `{}` and `{}`, not both f32 or both f64", ElementTypeName(real),
                    ElementTypeName(imaginary));
}

bool CheckComparisonType(const OpView& op, DiagnosticSink& sink) {
  if (!op.Has(Attr::kCompareType)) return true;
  const ComparisonType type = op.Get<Attr::kCompareType>();
  const ElementType operand = op.operand_shape(0).element_type();
  const SourceRange range = op.attribute_range(Attr::kCompareType);
  if (type == ComparisonType::kTotalOrder) {
    if (IsFloat(operand)) return true;
    return sink.Error(Rule::kCompareTotalOrder, range,
                      "the total order compares floating-point numbers, the operands are `{}`",
                      ElementTypeName(operand));
  }
  const TypeSet domain = type == ComparisonType::kFloat    ? kFloat | kComplex
                         : type == ComparisonType::kSigned ? kSigned
                                                           : kUnsigned | kPred;
  if (IsIn(operand, domain)) return true;
  return sink.Error(Rule::kCompareType, range, "`type={}` compares {} operands, these are `{}`",
                    EnumText(type), DomainText(domain), ElementTypeName(operand));
}

// A bound of clamp is a scalar or has the operand's dimensions; verifier.md 3.3.
bool CheckClampBound(const OpView& op, int64_t i, DiagnosticSink& sink) {
  const Shape& bound = op.operand_shape(i);
  if (bound.IsScalar() || CompatibleFloats(bound, op.operand_shape(1))) return true;
  return sink.Error(Rule::kClampBoundsShape, op.operand_range(i),
                    "the bound `{}` is neither a scalar nor shaped like the operand `{}`",
                    ShapeText(bound), ShapeText(op.operand_shape(1)));
}

}  // namespace

std::optional<Shape> InferUnary(const OpView& op, TypeSet domain, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  if (!CheckArray(op, 0, Rule::kUnaryOperandArray, sink) ||
      !CheckElementType(op, 0, domain, UnaryDomainRule(op.opcode(), operand.element_type()),
                        sink)) {
    return std::nullopt;
  }
  return WithElementType(operand, UnaryResultType(op.opcode(), operand.element_type()));
}

std::optional<Shape> InferBinary(const OpView& op, TypeSet domain, Rule rule,
                                 DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kBinaryOperandArray, sink)) return std::nullopt;
  const ElementType lhs = op.operand_shape(0).element_type();
  const ElementType rhs = op.operand_shape(1).element_type();
  if (op.opcode() == Opcode::kComplex) {
    if (!CheckComponents(op, sink)) return std::nullopt;
    return WithElementType(MergeOperands(op, 0, 1, sink),
                           lhs == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
  }
  if (!CheckSameType(op, 0, 1, Rule::kBinarySameType, sink) ||
      !CheckElementType(op, 0, domain, rule, sink)) {
    return std::nullopt;
  }
  return WithElementType(MergeOperands(op, 0, 1, sink), HigherPrecision(lhs, rhs));
}

std::optional<Shape> InferCompare(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kBinaryOperandArray, sink) ||
      !CheckSameType(op, 0, 1, Rule::kBinarySameType, sink) || !CheckComparisonType(op, sink)) {
    return std::nullopt;
  }
  return WithElementType(MergeOperands(op, 0, 1, sink), ElementType::kPred);
}

std::optional<Shape> InferClamp(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kClampOperandArray, sink) ||
      !CheckSameType(op, 1, 0, Rule::kClampSameType, sink) ||
      !CheckSameType(op, 1, 2, Rule::kClampSameType, sink) || !CheckClampBound(op, 0, sink) ||
      !CheckClampBound(op, 2, sink)) {
    return std::nullopt;
  }
  return op.operand_shape(1);
}

std::optional<Shape> InferSelect(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kSelectOperandArray, sink) ||
      !CheckElementType(op, 0, kPred, Rule::kSelectPredType, sink)) {
    return std::nullopt;
  }
  const Shape& pred = op.operand_shape(0);
  const Shape& on_true = op.operand_shape(1);
  const Shape& on_false = op.operand_shape(2);
  if (!CompatibleFloats(on_true, on_false)) {
    sink.Error(Rule::kSelectBranches, op.operand_range(2),
               "the values to choose from differ: `{}` and `{}`", ShapeText(on_true),
               ShapeText(on_false));
    SuggestBroadcast(op, 1, 2, sink);
    return std::nullopt;
  }
  Shape result = on_true;
  MergeDims(result, on_false);
  result.set_element_type(HigherPrecision(on_true.element_type(), on_false.element_type()));
  if (!pred.IsScalar() && !MergeDims(result, pred)) {
    return sink.Error(Rule::kSelectPredShape, op.operand_range(0),
                      "the predicate `{}` is neither a scalar nor shaped like the values `{}`",
                      ShapeText(pred), ShapeText(on_true));
  }
  return result;
}

std::optional<Shape> InferConvert(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kConvertArray, sink)) return std::nullopt;
  const Shape& written = *op.written_shape();
  if (!written.IsArray()) {
    return sink.Error(Rule::kConvertArray, op.shape_range(), "the result `{}` is not an array",
                      ShapeText(written));
  }
  return WithElementType(op.operand_shape(0), written.element_type());
}

std::optional<Shape> InferReducePrecision(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kUnaryOperandArray, sink) ||
      !CheckElementType(op, 0, kFloat, Rule::kReducePrecisionFloat, sink)) {
    return std::nullopt;
  }
  if (op.Get<Attr::kExponentBits>() < 1) {
    return sink.Error(Rule::kReducePrecisionExponentBits, op.attribute_range(Attr::kExponentBits),
                      "`exponent_bits={}` is less than 1", op.Get<Attr::kExponentBits>());
  }
  if (op.Get<Attr::kMantissaBits>() < 0) {
    return sink.Error(Rule::kReducePrecisionMantissaBits, op.attribute_range(Attr::kMantissaBits),
                      "`mantissa_bits={}` is negative", op.Get<Attr::kMantissaBits>());
  }
  return op.operand_shape(0);
}

std::optional<Shape> InferStochasticConvert(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kBinaryOperandArray, sink) ||
      !CheckElementType(op, 0, kFloat, Rule::kStochasticConvertOperandFloat, sink) ||
      !CheckElementType(op, 1, kUnsigned, Rule::kStochasticConvertRandomUnsigned, sink)) {
    return std::nullopt;
  }
  const Shape& operand = op.operand_shape(0);
  const Shape& random = op.operand_shape(1);
  if (BitWidth(operand.element_type()) != BitWidth(random.element_type())) {
    return sink.Error(Rule::kStochasticConvertRandomWidth, op.operand_range(1),
                      "the random bits are `{}`, not as wide as the operand's `{}`",
                      ElementTypeName(random.element_type()),
                      ElementTypeName(operand.element_type()));
  }
  Shape expected = operand;
  expected.set_element_type(random.element_type());
  expected.FillDefaultLayouts();
  Shape found = random;
  found.FillDefaultLayouts();
  if (expected != found) {
    return sink.Error(Rule::kStochasticConvertSameShape, op.operand_range(1),
                      "the random bits `{}` are not shaped like the operand `{}`",
                      ShapeTextWithLayout(found), ShapeTextWithLayout(operand));
  }
  const Shape& written = *op.written_shape();
  if (!written.IsArray()) {
    return sink.Error(Rule::kStochasticConvertTarget, op.shape_range(),
                      "the result `{}` is not an array", ShapeText(written));
  }
  return WithElementType(operand, written.element_type());
}

}  // namespace hlo

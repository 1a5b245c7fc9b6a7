// What holds for every opcode, then the dispatch to its function. Nothing here trusts the
// instruction: modules made by programs get here as well as parsed ones.
#include "inference/shape_inference.h"

#include "inference/infer.h"
#include "ir/max_rank.h"
#include "support/checked_math.h"

namespace hlo {
namespace {

// "2 operands", "at least 1 operand", "2, 4, 6 ... operands"
std::string ArityText(Arity arity) {
  if (arity.step > 1) {
    return fmt::format("{}, {}, {} ... operands", arity.least, arity.least + arity.step,
                       arity.least + 2 * arity.step);
  }
  return fmt::format("{}{} operand{}", arity.most == arity.least ? "" : "at least ", arity.least,
                     arity.least == 1 ? "" : "s");
}

// An operand without a shape has been reported where it is defined.
bool OperandsHaveShapes(const OpView& op) {
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (!op.instruction().operands[i].id.valid() || op.operand(i).shape == nullptr) return false;
  }
  return true;
}

bool CheckRequiredAttributes(const OpView& op, DiagnosticSink& sink) {
  for (const AttributeUse& use : GetOpcodeInfo(op.opcode()).attributes) {
    if (use.presence == AttributeUse::Presence::kRequired && !op.Has(use.attr)) {
      return sink.Error(use.missing_rule, op.opcode_range(), "`{}` needs the attribute `{}`",
                        OpcodeName(op.opcode()), AttributeName(use.attr));
    }
  }
  return true;
}

bool CheckWrittenShape(const OpView& op, DiagnosticSink& sink) {
  if (op.written_shape() != nullptr || GetOpcodeInfo(op.opcode()).shape_inferred) return true;
  return sink.Error(Rule::kInstShapeRequired, op.opcode_range(),
                    "the result shape of `{}` must be written", OpcodeName(op.opcode()));
}

// A result may repeat the tuples of its operands, and so may the next one: without a limit a few
// lines could ask for any amount of memory.
bool CheckTupleSizes(const OpView& op, DiagnosticSink& sink) {
  if (op.opcode() == Opcode::kGetTupleElement) return true;  // repeats no more than a part
  int64_t part_count = 0;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& shape = op.operand_shape(i);
    if (shape.IsTuple() && shape.Depth() >= kMaxTupleDepth) {
      return sink.Error(Rule::kInstNestingDepth, op.operand_range(i),
                        "the tuples in operand {} nest {} levels deep", i, shape.Depth());
    }
    part_count += shape.PartCount();
    if (part_count > kMaxOperandPartCount) {
      return sink.Error(Rule::kShapePartCount, op.operand_range(i),
                        "the tuples in operands 0 to {} have {} parts, more than {}", i, part_count,
                        kMaxOperandPartCount);
    }
  }
  return true;
}

std::optional<Shape> Dispatch(const OpView& op, DiagnosticSink& sink) {
  switch (op.opcode()) {
#define HLO_UNARY(Name, text, domain, ...) \
  case Opcode::k##Name:                    \
    return InferUnary(op, domain, sink);
#define HLO_BINARY(Name, text, domain, accepted, rule, ...) \
  case Opcode::k##Name:                                     \
    return InferBinary(op, accepted, rule, sink);
#define HLO_OPCODE(Name, ...) \
  case Opcode::k##Name:       \
    return Infer##Name(op, sink);
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

// The number of elements and of bytes of each array in `shape` fits 64 bits (verifier.md 2.1).
bool CheckSizes(const Shape& shape, const OpView& op, DiagnosticSink& sink) {
  for (const Shape& element : shape.elements()) {
    if (!CheckSizes(element, op, sink)) return false;
  }
  if (!shape.IsArray()) return true;
  if (shape.rank() > kMaxRank) {
    return sink.Error(Rule::kShapeRank, op.opcode_range(),
                      "the result would have {} dimensions, more than {}", shape.rank(), kMaxRank);
  }
  std::vector<int64_t> sizes;
  for (int64_t size : shape.dims()) {
    if (size != Shape::kUnbounded) sizes.push_back(size);
  }
  const std::optional<int64_t> count = CheckedProduct(sizes);
  if (!count) {
    return sink.Error(Rule::kShapeCountOverflow, op.opcode_range(),
                      "the number of elements of the result `{}` exceeds 2^63 - 1",
                      ShapeText(shape));
  }
  if (!CheckedMul(*count, ElementByteSize(shape.element_type()))) {
    return sink.Error(Rule::kShapeByteOverflow, op.opcode_range(),
                      "the byte size of the result `{}` exceeds 2^63 - 1", ShapeText(shape));
  }
  return true;
}

}  // namespace

bool CheckOperandCount(const OpView& op, DiagnosticSink& sink) {
  const Arity arity = GetOpcodeInfo(op.opcode()).arity;
  if (arity.Allows(op.operand_count())) return true;
  return sink.Error(GetOpcodeInfo(op.opcode()).arity.rule, op.opcode_range(),
                    "`{}` takes {}, found {}", OpcodeName(op.opcode()), ArityText(arity),
                    op.operand_count());
}

std::optional<Shape> InferShape(const OpView& op, DiagnosticSink& sink) {
  if (!CheckOperandCount(op, sink) || !OperandsHaveShapes(op) || !CheckTupleSizes(op, sink) ||
      !CheckRequiredAttributes(op, sink) || !CheckWrittenShape(op, sink)) {
    return std::nullopt;
  }
  std::optional<Shape> result = Dispatch(op, sink);
  if (!result) return std::nullopt;
  // A written shape is checked where it stands.
  if (op.written_shape() == nullptr && !CheckSizes(*result, op, sink)) return std::nullopt;
  result->FillDefaultLayouts();
  return result;
}

}  // namespace hlo

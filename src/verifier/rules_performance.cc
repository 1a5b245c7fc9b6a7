// Hints about what is correct but slow: --lint=perf.
#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "verifier/instruction_kind.h"
#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

constexpr int64_t kHugeConstantByteSize = int64_t{1} << 20;

// --- f64 -----------------------------------------------------------------------------------------

bool IsNarrowFloat(const Shape& shape) {
  return IsFloat(shape.element_type()) && shape.element_type() != ElementType::kF64;
}

bool TakesF64(const OpView& op) {
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (op.operand_shape(i).element_type() == ElementType::kF64) return true;
  }
  return false;
}

// Where f64 begins in a module most of whose floats are narrower.
void CheckF64(const RuleContext& context) {
  int64_t f64_count = 0;
  int64_t narrow_count = 0;
  for (const Instruction& instruction : context.module().instructions()) {
    f64_count += instruction.shape->element_type() == ElementType::kF64;
    narrow_count += IsNarrowFloat(*instruction.shape);
  }
  if (f64_count == 0 || f64_count >= narrow_count) return;
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    if (instruction.shape->element_type() != ElementType::kF64 || TakesF64(op)) continue;
    context.Report(Rule::kPerfF64InF32Module, op.shape_range(),
                   "`{}` is `{}` in a module of {} narrower float values", instruction.name,
                   ShapeText(*instruction.shape), narrow_count);
  }
}

// --- Pairs that cancel ---------------------------------------------------------------------------

// Whether `wide` holds every value of `narrow`, so that converting there and back changes nothing.
bool HoldsAll(ElementType wide, ElementType narrow) {
  const FloatFormat& to = GetElementTypeInfo(wide).format;
  const FloatFormat& from = GetElementTypeInfo(narrow).format;
  if (IsFloat(wide) && IsFloat(narrow)) {
    return to.kind == FloatKind::kIeee && to.exponent_bits >= from.exponent_bits &&
           to.mantissa_bits >= from.mantissa_bits;
  }
  return IsInteger(wide) && IsInteger(narrow) && IsSigned(wide) == IsSigned(narrow) &&
         BitWidth(wide) >= BitWidth(narrow);
}

// Whether doing `outer` after `inner` gives the value `inner` began with, provided that its shape
// is the same.
bool Cancels(const Instruction& outer, const Instruction& inner) {
  if (outer.opcode != inner.opcode) return false;
  if (outer.opcode == Opcode::kCopy) return true;
  if (outer.opcode == Opcode::kConvert) {
    return HoldsAll(inner.shape->element_type(), outer.shape->element_type());
  }
  IntList outer_dims = outer.Get<Attr::kDimensions>();
  IntList inner_dims = inner.Get<Attr::kDimensions>();
  if (outer.opcode == Opcode::kReverse) return outer_dims == inner_dims;
  if (outer.opcode != Opcode::kTranspose || outer_dims.size() != inner_dims.size()) return false;
  for (size_t d = 0; d < outer_dims.size(); ++d) {
    if (inner_dims[outer_dims[d]] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

void CheckCancelling(const RuleContext& context, const OpView& op) {
  if (op.operand_count() != 1) return;
  const Instruction& inner = op.operand(0);
  if (!Cancels(op.instruction(), inner)) return;
  if (*context.View(inner).operand(0).shape != *op.written_shape()) return;
  context.Report(Rule::kPerfCancellingPair, op.instruction().name_range, "`{}` undoes `{}`",
                 op.instruction().name, inner.name);
  context.Note(Rule::kPerfCancellingPair, inner.name_range, "the first of the pair");
}

// --- All-gather in a loop ------------------------------------------------------------------------

// Opcodes that only give an array another form.
bool IsReformatting(Opcode opcode) {
  return opcode == Opcode::kBitcast || opcode == Opcode::kConvert || opcode == Opcode::kCopy ||
         opcode == Opcode::kReshape || opcode == Opcode::kTranspose;
}

// Whether element `index` of the loop's carry leaves the body as it came.
bool IsInvariant(const Module& module, const Computation& body, int64_t index) {
  const Instruction& root = module.root(body);
  if (root.opcode != Opcode::kTuple || index >= static_cast<int64_t>(root.operands.size())) {
    return false;
  }
  const Instruction& value = module.operand(root, index);
  return value.opcode == Opcode::kGetTupleElement && value.Get<Attr::kIndex>() == index &&
         module.operand(value, 0).opcode == Opcode::kParameter;
}

bool IsLoopBody(const RuleContext& context, ComputationId id) {
  auto callers = context.facts().callers(id);
  return std::any_of(callers.begin(), callers.end(),
                     [](const CallSite& site) { return site.attr == Attr::kBody; });
}

void CheckLoopGather(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kAllGather && op.opcode() != Opcode::kAllGatherStart) return;
  if (op.operand_count() == 0 || !IsLoopBody(context, op.instruction().computation)) return;
  const Module& module = context.module();
  const Instruction* value = &op.operand(0);
  while (IsReformatting(value->opcode)) value = &module.operand(*value, 0);
  if (value->opcode != Opcode::kGetTupleElement) return;
  if (module.operand(*value, 0).opcode != Opcode::kParameter) return;
  const Computation& body = module.computation(op.instruction().computation);
  if (!IsInvariant(module, body, value->Get<Attr::kIndex>())) return;
  context.Report(Rule::kPerfGatheredParameterInLoop, op.instruction().name_range,
                 "`{}` gathers `{}`, which no iteration changes", op.instruction().name,
                 value->name);
}

// --- Constants, parameters, dead code ------------------------------------------------------------

void CheckConstant(const RuleContext& context, const OpView& op) {
  if (op.opcode() != Opcode::kConstant) return;
  std::optional<int64_t> size = TotalByteSize(*op.written_shape());
  if (!size || *size <= kHugeConstantByteSize) return;
  context.Report(Rule::kPerfHugeConstant, op.shape_range(), "a constant of {} bytes", *size);
}

void CheckUnused(const RuleContext& context, const OpView& op) {
  const Computation& computation = op.computation(op.instruction().computation);
  InstructionId id = context.module().id_of(op.instruction());
  if (context.facts().HasUsers(id) || id == computation.root) return;
  if (op.opcode() != Opcode::kParameter) {
    if (HasSideEffect(op.instruction())) return;
    context.Report(Rule::kPerfDeadInstruction, op.instruction().name_range,
                   "nobody takes the value of `{}`", op.instruction().name);
  } else if (op.instruction().computation == context.module().entry_id()) {
    context.Report(Rule::kPerfUnusedParameter, op.instruction().name_range,
                   "nobody uses parameter {}", op.Get<Attr::kParameterNumber>());
  }
}

// --- Duplicate computations ----------------------------------------------------------------------

// What a computation does, as a key: opcodes, shapes, operands by position, attributes by their
// text. Callees count by the first computation with their key.
class ComputationKeys {
 public:
  explicit ComputationKeys(const RuleContext& context)
      : context_(context), first_(context.module().computations().size()) {}

  void Check(ComputationId id) {
    auto [entry, is_new] = by_key_.try_emplace(KeyOf(id), id);
    first_[id.value] = entry->second;
    const Computation& computation = module().computation(id);
    if (is_new || IsSmall(computation)) return;
    const Computation& other = module().computation(entry->second);
    context_.Report(Rule::kPerfDuplicateComputation, computation.name_range,
                    "`{}` does the same as `{}`", computation.name, other.name);
    context_.Note(Rule::kPerfDuplicateComputation, other.name_range, "the other one");
  }

 private:
  const Module& module() const { return context_.module(); }

  // Every reduction has its own `add`: one operation is not worth a word.
  bool IsSmall(const Computation& computation) const {
    return computation.instructions.size() < computation.parameters.size() + 2;
  }

  std::string KeyOf(ComputationId id) const {
    const Computation& computation = module().computation(id);
    absl::flat_hash_map<InstructionId, size_t> position;
    std::string key;
    for (InstructionId instruction_id : computation.instructions) {
      const Instruction& instruction = module().instruction(instruction_id);
      position[instruction_id] = position.size();
      fmt::format_to(std::back_inserter(key), "{} {};", static_cast<int>(instruction.opcode),
                     fmt::ptr(instruction.shape));
      for (const Operand& operand : instruction.operands) {
        fmt::format_to(std::back_inserter(key), "{},", position[operand.id]);
      }
      for (const Attribute& attribute : instruction.attributes) AppendAttribute(key, attribute);
    }
    fmt::format_to(std::back_inserter(key), "root {}", position[computation.root]);
    return key;
  }

  void AppendAttribute(std::string& key, const Attribute& attribute) const {
    if (attribute.attr == Attr::kMetadata || attribute.attr == Attr::kOrigin) return;
    fmt::format_to(std::back_inserter(key), "|{}", AttributeName(attribute.attr));
    bool is_call = false;
    ForEachCallIn(attribute, [&](ComputationId id) {
      is_call = true;
      fmt::format_to(std::back_inserter(key), " {}", first_[id.value].value);
    });
    if (!is_call) key += module().source()->text(attribute.range);
  }

  const RuleContext& context_;
  std::vector<ComputationId> first_;
  absl::flat_hash_map<std::string, ComputationId> by_key_;
};

}  // namespace

void VerifyPerformance(const RuleContext& context) {
  if (!context.options().lint_performance) return;
  CheckF64(context);
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    CheckCancelling(context, op);
    CheckLoopGather(context, op);
    CheckConstant(context, op);
    CheckUnused(context, op);
  }
  ComputationKeys keys(context);
  for (size_t i = 0; i < context.module().computations().size(); ++i) keys.Check(ComputationId(i));
}

}  // namespace hlo

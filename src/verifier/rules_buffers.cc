// Buffers, b(array): who may touch them, and that each has one writer. Source: verifier.md 1.15.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/leaves.h"
#include "verifier/instruction_kind.h"
#include "verifier/rules.h"
#include "verifier/shape_index.h"

namespace hlo {
namespace {

bool HasBuffer(const Shape& shape) {
  if (shape.IsBuffer()) return true;
  return std::any_of(shape.elements().begin(), shape.elements().end(), HasBuffer);
}

bool TouchesBuffers(const OpView& op) {
  if (HasBuffer(*op.written_shape())) return true;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (HasBuffer(op.operand_shape(i))) return true;
  }
  return false;
}

bool MayTouchBuffers(const Instruction& instruction) {
  Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kCall) {
    return FrontendValue(instruction, "_xla_stream_annotation").has_value();
  }
  return opcode == Opcode::kParameter || opcode == Opcode::kWhile ||
         opcode == Opcode::kCustomCall || opcode == Opcode::kTuple ||
         opcode == Opcode::kGetTupleElement || opcode == Opcode::kDynamicUpdateSlice ||
         IsAsync(opcode);
}

// --- Custom-calls --------------------------------------------------------------------------------

SourceRange TargetRange(const OpView& op) { return op.attribute_range(Attr::kCustomCallTarget); }

// "operands `(f32[4])`, result `b(f32[4])`, 0 aliases"
std::string FoundText(const OpView& op) {
  std::vector<std::string> operands;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    operands.push_back(ShapeText(op.operand_shape(i)));
  }
  const size_t alias_count = op.Get<Attr::kOutputToOperandAliasing>().size();
  return fmt::format("operands `({})`, result `{}`, {} alias{}", fmt::join(operands, ", "),
                     ShapeText(*op.written_shape()), alias_count, alias_count == 1 ? "" : "es");
}

void CheckPin(const RuleContext& context, const OpView& op) {
  const Shape& result = *op.written_shape();
  bool is_pin = op.operand_count() == 1 && op.operand_shape(0).IsArray() && result.IsBuffer() &&
                Compatible(result.element(0), op.operand_shape(0)) &&
                op.Get<Attr::kOutputToOperandAliasing>().size() == 1;
  if (is_pin) return;
  context.Report(Rule::kBufferPin, TargetRange(op),
                 "`Pin` makes a buffer of its one array operand and aliases it once, found {}",
                 FoundText(op));
}

void CheckUnpin(const RuleContext& context, const OpView& op) {
  const Shape& result = *op.written_shape();
  bool is_unpin = op.operand_count() == 1 && op.operand_shape(0).IsBuffer() && result.IsArray() &&
                  Compatible(op.operand_shape(0).element(0), result) &&
                  op.Get<Attr::kOutputToOperandAliasing>().size() == 1;
  if (is_unpin) return;
  context.Report(Rule::kBufferUnpin, TargetRange(op),
                 "`Unpin` makes an array of its one buffer operand and aliases it once, found {}",
                 FoundText(op));
}

void CheckCreate(const RuleContext& context, const OpView& op) {
  if (op.operand_count() == 0 && op.written_shape()->IsBuffer()) return;
  context.Report(Rule::kBufferCreate, TargetRange(op),
                 "`CreateBuffer` has no operands and gives a buffer, found {}", FoundText(op));
}

int64_t CountOperandAliases(const OperandAliases& aliases, int64_t operand,
                            std::span<const int64_t> index) {
  return std::count_if(aliases.begin(), aliases.end(), [&](const OperandAlias& alias) {
    return alias.operand == operand &&
           std::equal(alias.operand_index.begin(), alias.operand_index.end(), index.begin(),
                      index.end());
  });
}

int64_t CountOutputAliases(const OperandAliases& aliases, std::span<const int64_t> index) {
  return std::count_if(aliases.begin(), aliases.end(), [&](const OperandAlias& alias) {
    return std::equal(alias.output_index.begin(), alias.output_index.end(), index.begin(),
                      index.end());
  });
}

void CheckAliasedOnce(const RuleContext& context, const OpView& op) {
  OperandAliases aliases = op.Get<Attr::kOutputToOperandAliasing>();
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    ForEachIndexedLeaf(op.operand_shape(i), [&](const Shape& leaf, std::span<const int64_t> index) {
      if (!leaf.IsBuffer()) return;
      int64_t count = CountOperandAliases(aliases, i, index);
      if (count == 1) return;
      context.Report(Rule::kBufferOperandAliasedOnce, op.operand_range(i),
                     "the buffer `{}` of operand {} has {} aliases instead of 1", ShapeText(leaf),
                     i, count);
    });
  }
  ForEachIndexedLeaf(*op.written_shape(), [&](const Shape& leaf, std::span<const int64_t> index) {
    if (!leaf.IsBuffer()) return;
    int64_t count = CountOutputAliases(aliases, index);
    if (count == 1) return;
    context.Report(Rule::kBufferResultAliasedOnce, op.shape_range(),
                   "the buffer `{}` at `{}` of the result has {} aliases instead of 1",
                   ShapeText(leaf), ShapeIndexText(index), count);
  });
}

void CheckCustomCall(const RuleContext& context, const OpView& op) {
  std::string_view target = op.Get<Attr::kCustomCallTarget>();
  if (target == "Pin") return CheckPin(context, op);
  if (target == "Unpin") return CheckUnpin(context, op);
  if (target == "CreateBuffer") return CheckCreate(context, op);
  CheckAliasedOnce(context, op);
}

// --- Updates and writers -------------------------------------------------------------------------

void CheckUpdate(const RuleContext& context, const OpView& op) {
  // That operand and result agree is a premise: see InferDynamicUpdateSlice.
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    if (!op.operand_shape(i).IsBuffer()) continue;
    context.Report(Rule::kBufferDus, op.operand_range(i),
                   "operand {} is `{}`, but only operand 0 may be a buffer", i,
                   ShapeText(op.operand_shape(i)));
  }
}

bool IsLoopBodyRoot(const RuleContext& context, InstructionId id) {
  const Module& module = context.module();
  const Instruction& instruction = module.instruction(id);
  if (module.computation(instruction.computation).root != id) return false;
  for (const CallSite& site : context.facts().callers(instruction.computation)) {
    if (site.attr == Attr::kBody) return true;
  }
  return false;
}

bool IsWriter(const Instruction& user) {
  return user.opcode == Opcode::kCustomCall || user.opcode == Opcode::kCall ||
         user.opcode == Opcode::kWhile || user.opcode == Opcode::kConditional ||
         user.opcode == Opcode::kDynamicUpdateSlice || IsAsync(user.opcode);
}

// Whether `id` makes a new buffer value rather than handing one on.
bool MakesBuffer(const Instruction& instruction) {
  return HasBuffer(*instruction.shape) && instruction.opcode != Opcode::kTuple &&
         instruction.opcode != Opcode::kGetTupleElement;
}

// Follows one buffer leaf, at `path` of `id`, through tuples to those who write it.
class WriterSearch {
 public:
  explicit WriterSearch(const RuleContext& context) : context_(context) {}

  std::vector<InstructionId> Find(InstructionId id, DimensionVector path) {
    Visit(id, path);
    return std::move(writers_);
  }

 private:
  void Visit(InstructionId id, const DimensionVector& path) {
    if (++visit_count_ > kMaxVisits) return;
    if (IsLoopBodyRoot(context_, id)) writers_.push_back(id);
    InstructionId previous;
    for (InstructionId user_id : context_.facts().users(id)) {
      if (user_id == previous) continue;
      previous = user_id;
      const Instruction& user = context_.module().instruction(user_id);
      if (IsWriter(user)) {
        writers_.push_back(user_id);
      } else if (user.opcode == Opcode::kTuple) {
        VisitTuple(user_id, user, id, path);
      } else if (user.opcode == Opcode::kGetTupleElement && !path.empty() &&
                 path.front() == user.Get<Attr::kIndex>()) {
        Visit(user_id, DimensionVector(path.begin() + 1, path.end()));
      }
    }
  }

  void VisitTuple(InstructionId tuple_id, const Instruction& tuple, InstructionId id,
                  const DimensionVector& path) {
    for (size_t i = 0; i < tuple.operands.size(); ++i) {
      if (tuple.operands[i].id != id) continue;
      DimensionVector longer = {static_cast<int64_t>(i)};
      longer.insert(longer.end(), path.begin(), path.end());
      Visit(tuple_id, longer);
    }
  }

  // Tuples of tuples can lead to one buffer in very many ways; a few tell enough.
  static constexpr int kMaxVisits = 256;
  const RuleContext& context_;
  int visit_count_ = 0;
  std::vector<InstructionId> writers_;
};

void CheckWriters(const RuleContext& context, InstructionId id) {
  const Instruction& instruction = context.module().instruction(id);
  if (!MakesBuffer(instruction)) return;
  ForEachIndexedLeaf(*instruction.shape, [&](const Shape& leaf, std::span<const int64_t> index) {
    if (!leaf.IsBuffer()) return;
    auto writers = WriterSearch(context).Find(id, DimensionVector(index.begin(), index.end()));
    if (writers.size() < 2) return;
    context.Report(Rule::kBufferSingleWriter, instruction.name_range,
                   "the buffer `{}` has {} writers", instruction.name, writers.size());
    for (InstructionId writer : writers) {
      context.Note(Rule::kBufferSingleWriter, context.module().instruction(writer).name_range,
                   "a writer");
    }
  });
}

bool IsBufferCall(const Instruction& instruction) {
  return IsCustomCall(instruction, "Pin") || IsCustomCall(instruction, "Unpin") ||
         IsCustomCall(instruction, "CreateBuffer");
}

void CheckInstruction(const RuleContext& context, const OpView& op) {
  // What an async-start wraps may do as it likes with buffers, but for a custom-call that gives its
  // result.
  const ComputationId computation = op.instruction().computation;
  if (context.facts().IsAsyncWrapped(computation)) {
    const bool is_root =
        context.module().computation(computation).root == context.module().id_of(op.instruction());
    if (is_root && op.opcode() == Opcode::kCustomCall &&
        (TouchesBuffers(op) || IsBufferCall(op.instruction()))) {
      CheckCustomCall(context, op);
    }
    return;
  }
  if (!TouchesBuffers(op) && !IsBufferCall(op.instruction())) return;
  if (!MayTouchBuffers(op.instruction())) {
    context.Report(Rule::kBufferWhere, op.opcode_range(), "`{}` does not take or give buffers",
                   OpcodeName(op.opcode()));
    return;
  }
  bool is_entry = op.instruction().computation == context.module().entry_id();
  if (op.opcode() == Opcode::kParameter && is_entry) {
    context.Report(Rule::kBufferEntryParameter, op.shape_range(),
                   "the entry parameter `{}` is or holds a buffer", op.instruction().name);
  }
  if (op.opcode() == Opcode::kCustomCall) CheckCustomCall(context, op);
  if (op.opcode() == Opcode::kDynamicUpdateSlice) CheckUpdate(context, op);
  CheckWriters(context, context.module().id_of(op.instruction()));
}

}  // namespace

void VerifyBuffers(const RuleContext& context) {
  const Module& module = context.module();
  auto shapes = context.facts().first_of_shapes();
  bool has_buffers = std::any_of(shapes.begin(), shapes.end(), [&](InstructionId id) {
    return HasBuffer(*module.instruction(id).shape);
  });
  for (const Instruction& instruction : module.instructions()) {
    if (!has_buffers && instruction.opcode != Opcode::kCustomCall) continue;
    CheckInstruction(context, context.View(instruction));
  }
}

}  // namespace hlo

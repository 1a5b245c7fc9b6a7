// Opcodes that move no data: their values are made of their operands' slots.
#include "interp/plan/expand.h"

namespace hlo {

bool Expander::RouteParameter(const Instruction& instruction) {
  size_t number = static_cast<size_t>(instruction.Get<Attr::kParameterNumber>());
  if (number >= arguments_.back().size()) return Mismatch(instruction);
  return SetValue(instruction, arguments_.back()[number]);
}

bool Expander::RouteConstant(const Instruction& instruction) {
  const LiteralRef* literal = instruction.attributes.GetIf<Attr::kConstantValue>();
  if (literal == nullptr) return Mismatch(instruction);
  return SetValue(instruction, ConstantValue(*literal->literal, *instruction.shape));
}

bool Expander::RouteTuple(const Instruction& instruction) {
  absl::InlinedVector<SlotId, 8> slots;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    Value element = operand_value(instruction, i);
    slots.insert(slots.end(), element.begin(), element.end());
  }
  return SetValue(instruction, KeepValue(slots));
}

bool Expander::RouteGetTupleElement(const Instruction& instruction) {
  const Shape& tuple = *module_.operand(instruction, 0).shape;
  int64_t index = instruction.Get<Attr::kIndex>();
  if (!tuple.IsTuple() || index < 0 || index >= tuple.element_count()) {
    return Mismatch(instruction);
  }
  return SetValue(instruction, operand_value(instruction, 0)
                                   .subspan(static_cast<size_t>(tuple_leaves_.Start(tuple, index)),
                                            static_cast<size_t>(tuple.element(index).LeafCount())));
}

bool Expander::RouteOptimizationBarrier(const Instruction& instruction) {
  return SetValue(instruction, operand_value(instruction, 0));
}

bool Expander::RouteDomain(const Instruction& instruction) {
  return SetValue(instruction, operand_value(instruction, 0));
}

bool Expander::RouteAddDependency(const Instruction& instruction) {
  return SetValue(instruction, operand_value(instruction, 0));
}

bool Expander::RouteAfterAll(const Instruction& instruction) {
  SlotId token;
  return SetValue(instruction, KeepValue(std::span(&token, 1)));
}

// (destination, source, context): the data is there at once (semantics.md 6).
bool Expander::RouteCopyStart(const Instruction& instruction) {
  const Shape& shape = *instruction.shape;
  if (!shape.IsTuple() || shape.element_count() < 2) return Mismatch(instruction);
  Value data = operand_value(instruction, 0);
  std::vector<SlotId> slots(data.begin(), data.end());
  slots.insert(slots.end(), data.begin(), data.end());
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    std::optional<SlotId> context = ZeroSlot(shape.element(i));
    if (!context) return false;
    slots.push_back(*context);
  }
  return SetValue(instruction, KeepValue(slots));
}

bool Expander::RouteCopyDone(const Instruction& instruction) {
  Value start = operand_value(instruction, 0);
  size_t leaf_count = static_cast<size_t>(instruction.shape->LeafCount());
  if (start.size() < leaf_count) return Mismatch(instruction);
  return SetValue(instruction, start.first(leaf_count));
}

bool Expander::RouteCall(const Instruction& instruction) {
  return RouteCalled(instruction, instruction.Get<Attr::kToApply>());
}

bool Expander::RouteFusion(const Instruction& instruction) {
  return RouteCalled(instruction, instruction.Get<Attr::kCalls>());
}

bool Expander::RouteCalled(const Instruction& instruction, ComputationId callee) {
  std::vector<Value> arguments;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    arguments.push_back(operand_value(instruction, i));
  }
  return SetValue(instruction, BuildComputation(callee, arguments, instruction.opcode_range));
}

// The computation runs at the first instruction of the chain at which it has all its arguments
// (semantics.md 15.4).
bool Expander::RouteAsync(const Instruction& instruction, AsyncOperation operation,
                          size_t first_argument) {
  for (size_t i = first_argument; i < instruction.operands.size(); ++i) {
    operation.arguments.push_back(operand_value(instruction, i));
  }
  size_t parameter_count = module_.computation(operation.computation).parameters.size();
  if (!operation.result && operation.arguments.size() == parameter_count) {
    operation.result =
        BuildComputation(operation.computation, operation.arguments, instruction.opcode_range);
    if (!operation.result) return false;
  }
  async_operations_[module_.id_of(instruction)] = std::move(operation);
  return true;
}

// ((arguments...), result, contexts...). A result that is not there yet is invalid slots, which
// nobody but the rest of the chain may read; one that is written `()` gets its place in the value
// of a later instruction of the chain (semantics.md 15.4).
std::optional<Expander::Value> Expander::AsyncValue(const Instruction& instruction,
                                                    const AsyncOperation& operation) {
  const Shape& shape = *instruction.shape;
  if (!shape.IsTuple() || shape.element_count() < 2) return Mismatch(instruction);
  std::vector<SlotId> slots;
  for (Value argument : operation.arguments) {
    slots.insert(slots.end(), argument.begin(), argument.end());
  }
  if (static_cast<int64_t>(slots.size()) != shape.element(0).LeafCount()) {
    return Mismatch(instruction);
  }
  const auto result_size = static_cast<size_t>(shape.element(1).LeafCount());
  const bool has_result = operation.result.has_value();
  if (has_result && operation.result->size() == result_size) {
    slots.insert(slots.end(), operation.result->begin(), operation.result->end());
  } else if (!has_result || result_size == 0) {
    slots.resize(slots.size() + result_size);
  } else {
    return Mismatch(instruction);
  }
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    std::optional<Value> context = ZeroValue(shape.element(i));
    if (!context) return std::nullopt;
    slots.insert(slots.end(), context->begin(), context->end());
  }
  return KeepValue(slots);
}

std::optional<Expander::Value> Expander::ZeroValue(const Shape& shape) {
  std::vector<SlotId> slots;
  const bool ok = ForEachLeaf(shape, [&](const Shape& leaf) {
    slots.emplace_back();
    if (!leaf.IsArray()) return true;
    std::optional<SlotId> slot = ZeroSlot(leaf);
    if (slot) slots.back() = *slot;
    return slot.has_value();
  });
  if (!ok) return std::nullopt;
  return KeepValue(slots);
}

// What operand 0 of an update or done continues, followed through tuples and what only passes
// values on; null when that leaves the computation.
const Expander::AsyncOperation* Expander::FindAsyncOperation(const Instruction& instruction) const {
  std::vector<int64_t> path;  // of tuple elements, innermost last
  InstructionId id = instruction.operands[0].id;
  while (true) {
    const auto found = async_operations_.find(id);
    if (found != async_operations_.end() && path.empty()) return &found->second;
    const Instruction& source = module_.instruction(id);
    if (source.operands.empty()) return nullptr;
    size_t operand = 0;
    switch (source.opcode) {
      case Opcode::kGetTupleElement:
        path.push_back(source.Get<Attr::kIndex>());
        break;
      case Opcode::kTuple:
        if (path.empty() || path.back() >= static_cast<int64_t>(source.operands.size())) {
          return nullptr;
        }
        operand = static_cast<size_t>(path.back());
        path.pop_back();
        break;
      case Opcode::kOptimizationBarrier:
      case Opcode::kCopy:
      case Opcode::kAddDependency:
        break;
      default:
        return nullptr;
    }
    id = source.operands[operand].id;
  }
}

// The result within the value of a start or update that came through tuples or the state of a loop;
// nothing when its operation had not started.
std::optional<Expander::Value> Expander::StartedResult(const Instruction& instruction) {
  const Shape& shape = *module_.operand(instruction, 0).shape;
  if (!shape.IsTuple() || shape.element_count() < 2) return std::nullopt;
  const Value result = operand_value(instruction, 0)
                           .subspan(static_cast<size_t>(tuple_leaves_.Start(shape, 1)),
                                    static_cast<size_t>(shape.element(1).LeafCount()));
  size_t leaf = 0;
  const bool is_there = ForEachLeaf(shape.element(1), [&](const Shape& part) {
    return result[leaf++].valid() || !part.IsArray();
  });
  return is_there ? std::optional(result) : std::nullopt;
}

Failure Expander::NoChain(const Instruction& instruction) {
  return Named(instruction,
               sink_.Error(Rule::kRunAsyncChain, instruction.opcode_range,
                           "operand 0 of `{}` is no operation that has all its arguments",
                           instruction.name));
}

bool Expander::RouteAsyncStart(const Instruction& instruction) {
  AsyncOperation operation;
  operation.computation = instruction.Get<Attr::kCalls>();
  if (!RouteAsync(instruction, std::move(operation), 0)) return false;
  return SetValue(instruction,
                  AsyncValue(instruction, async_operations_.at(module_.id_of(instruction))));
}

bool Expander::RouteAsyncUpdate(const Instruction& instruction) {
  const AsyncOperation* previous = FindAsyncOperation(instruction);
  if (previous == nullptr) {
    if (!StartedResult(instruction)) return NoChain(instruction);
    return SetValue(instruction, operand_value(instruction, 0));
  }
  if (!RouteAsync(instruction, *previous, 1)) return false;
  return SetValue(instruction,
                  AsyncValue(instruction, async_operations_.at(module_.id_of(instruction))));
}

bool Expander::RouteAsyncDone(const Instruction& instruction) {
  const AsyncOperation* previous = FindAsyncOperation(instruction);
  if (previous == nullptr) {
    const std::optional<Value> result = StartedResult(instruction);
    return result ? SetValue(instruction, *result) : NoChain(instruction);
  }
  if (!RouteAsync(instruction, *previous, 1)) return false;
  const AsyncOperation& operation = async_operations_.at(module_.id_of(instruction));
  if (!operation.result) {
    return Named(instruction,
                 sink_.Error(Rule::kRunAsyncArguments, instruction.opcode_range,
                             "`{}` ends an operation that has {} of its {} arguments",
                             instruction.name, operation.arguments.size(),
                             module_.computation(operation.computation).parameters.size()));
  }
  return SetValue(instruction, *operation.result);
}

}  // namespace hlo

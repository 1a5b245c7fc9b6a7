// `X-start`, `X-update`, `X-done`: asynchronous operations whose body is the one operation X,
// which is made here (grammar.md 6.3).
#include <algorithm>
#include <string>
#include <utility>

#include "parser/module_parser.h"

namespace hlo {
namespace {

// Said of the start, these hold for the wrapped operation too.
constexpr Attr kCopiedAttributes[] = {Attr::kMetadata, Attr::kOrigin, Attr::kBackendConfig,
                                      Attr::kFrontendAttributes, Attr::kStatistics};

bool IsOwnAttribute(Opcode wrapped, Attr attr) {
  return FindAttributeUse(wrapped, attr) != nullptr;
}

bool IsCopied(Attr attr) {
  return std::find(std::begin(kCopiedAttributes), std::end(kCopiedAttributes), attr) !=
         std::end(kCopiedAttributes);
}

// Opcodes through which a chain of asynchronous operations is followed to its start. What comes out
// of a loop has not been read when its body is.
bool PassesChainOn(Opcode opcode) {
  if (HasTrait(opcode, kAsyncPart)) {
    return HasTrait(opcode, kMakesContext) && HasTrait(opcode, kTakesContext);
  }
  return HasTrait(opcode, kPassesContext) && !HasTrait(opcode, kControlFlowCall);
}

// ((operand shapes), result shape, ...)
bool HasAsyncShape(const Shape& shape) {
  return shape.IsTuple() && shape.element_count() >= 2 && shape.element(0).IsTuple();
}

}  // namespace

std::optional<InstructionId> ModuleParser::FinishAsync(Instruction& instruction,
                                                       const AsyncSugar& sugar,
                                                       size_t attribute_base) {
  if (instruction.shape == nullptr) {
    return sink_.Error(Rule::kInstShapeRequired, instruction.opcode_range,
                       "the shape of `{}` must be written",
                       module_.source()->text(instruction.opcode_range));
  }
  return sugar.async == Opcode::kAsyncStart ? FinishAsyncStart(instruction, sugar, attribute_base)
                                            : FinishAsyncLater(instruction, sugar, attribute_base);
}

bool ModuleParser::CheckAsyncShape(const Instruction& instruction) {
  const Shape& shape = *instruction.shape;
  if (HasAsyncShape(shape)) return true;
  return sink_.Error(Rule::kAsyncStartShape, instruction.shape_range,
                     "`{}` has shape `{}`: expected a tuple of the operand shapes (a tuple), the "
                     "result shape, and possibly more",
                     module_.source()->text(instruction.opcode_range), ShapeText(shape));
}

std::optional<InstructionId> ModuleParser::FinishAsyncStart(Instruction& instruction,
                                                            const AsyncSugar& sugar,
                                                            size_t attribute_base) {
  if (!CheckAsyncShape(instruction)) return std::nullopt;
  const std::vector<Attribute> all(attribute_stack_.begin() + attribute_base,
                                   attribute_stack_.end());
  std::vector<Attribute> wrapped;
  attribute_stack_.resize(attribute_base);
  for (const Attribute& attribute : all) {
    const bool is_own = IsOwnAttribute(sugar.wrapped, attribute.attr);
    if (is_own || IsCopied(attribute.attr)) wrapped.push_back(attribute);
    if (!is_own) attribute_stack_.push_back(attribute);
  }
  const AttributeMap wrapped_attributes(context_.Store(wrapped));
  const ComputationId callee = BoundCallee(sugar.wrapped, wrapped_attributes);
  const std::vector<Shape> callee_shapes = SignatureShapes(callee);
  if (!SpendParts(static_cast<int64_t>(callee_shapes.size()), instruction.opcode_range)) {
    return std::nullopt;
  }
  const ComputationId body =
      callee.valid()
          ? AddAsyncBody(instruction, sugar.wrapped, std::span(callee_shapes).subspan(1),
                         callee_shapes.front(), wrapped_attributes)
          : AddAsyncBody(instruction, sugar.wrapped, instruction.shape->element(0).elements(),
                         instruction.shape->element(1), wrapped_attributes);
  attribute_stack_.push_back({Attr::kCalls, {}, AttributeValue::Make(body, context_.arena())});
  if (!CheckRequiredAttributes(module_.root(module_.computation(body)))) return std::nullopt;
  return FinishInstruction(instruction, attribute_base);
}

std::optional<InstructionId> ModuleParser::FinishAsyncLater(Instruction& instruction,
                                                            const AsyncSugar& sugar,
                                                            size_t attribute_base) {
  const bool is_update = sugar.async == Opcode::kAsyncUpdate;
  if (is_update && !CheckAsyncShape(instruction)) return std::nullopt;
  if (instruction.operands.empty()) {
    CheckArity(instruction);
    return std::nullopt;
  }
  const Instruction& previous = module_.operand(instruction, 0);
  if (previous.opcode == Opcode::kAsyncDone && previous.shape != nullptr) {
    return sink_.Error(Rule::kAsyncDoneOperand, instruction.operands[0].range,
                       "`{}` is done: nothing can follow it in its chain", previous.name);
  }
  const InstructionId start = FindChainStart(instruction);
  ComputationId body;
  if (start.valid()) {
    const ComputationId* calls = module_.instruction(start).attributes.GetIf<Attr::kCalls>();
    if (calls != nullptr) body = *calls;
  }
  if (body.valid()) {
    const Opcode opcode = module_.root(module_.computation(body)).opcode;
    if (opcode != sugar.wrapped) {
      return sink_.Error(Rule::kAsyncSugarOpcode, instruction.opcode_range,
                         "`{}` in a chain that starts with `{}`",
                         module_.source()->text(instruction.opcode_range), OpcodeName(opcode));
    }
    if (module_.computation(body).spelling == Spelling::kAsyncSugar) BindLate(instruction, body);
  } else if (!HasBrokenOperand(instruction) &&
             SpendParts(previous.shape->PartCount(), instruction.opcode_range)) {
    // The start is out of sight. The body says what the chain computes.
    const Shape& chain = is_update ? *instruction.shape : *previous.shape;
    const bool has_parts = HasAsyncShape(chain);
    const Shape& root_shape = is_update ? chain.element(1) : *instruction.shape;
    body = AddAsyncBody(instruction, sugar.wrapped,
                        has_parts ? chain.element(0).elements() : std::span<const Shape>(),
                        root_shape, AttributeMap());
  }
  if (body.valid()) {
    attribute_stack_.push_back({Attr::kCalls, {}, AttributeValue::Make(body, context_.arena())});
  }
  return FinishInstruction(instruction, attribute_base);
}

// The computation that a wrapped call or fusion calls says what goes in and comes out, whatever
// the start knows of it (grammar.md 6.3).
ComputationId ModuleParser::BoundCallee(Opcode wrapped, const AttributeMap& attributes) const {
  const ComputationId* callee = nullptr;
  if (wrapped == Opcode::kCall) callee = attributes.GetIf<Attr::kToApply>();
  if (wrapped == Opcode::kFusion) callee = attributes.GetIf<Attr::kCalls>();
  return callee == nullptr ? ComputationId() : *callee;
}

// Those of the result and the parameters.
std::vector<Shape> ModuleParser::SignatureShapes(ComputationId id) const {
  if (!id.valid()) return {};
  const Computation& computation = module_.computation(id);
  std::vector<Shape> shapes = {*module_.root(computation).shape};
  for (InstructionId parameter : computation.parameters) {
    shapes.push_back(*module_.instruction(parameter).shape);
  }
  return shapes;
}

InstructionId ModuleParser::AddAsyncParameter(ComputationId body, const Shape& shape) {
  const InstructionId id = async_bodies_.AddParameter(body, shape, "async_param");
  async_bodies_.SetRange(id, module_.computation(body).range);
  return id;
}

ComputationId ModuleParser::AddAsyncBody(const Instruction& caller, Opcode opcode,
                                         std::span<const Shape> parameter_shapes,
                                         const Shape& root_shape, const AttributeMap& attributes) {
  const ComputationId body = async_bodies_.AddComputation("");  // named when all names are known
  unnamed_computations_.push_back(body);
  async_bodies_.SetSpelling(body, Spelling::kAsyncSugar);
  async_bodies_.SetRange(body, caller.opcode_range);
  std::vector<InstructionId> operands;
  for (const Shape& shape : parameter_shapes) operands.push_back(AddAsyncParameter(body, shape));
  const InstructionId root = async_bodies_.Add(body, opcode, root_shape, operands);
  async_bodies_.SetRanges(
      root, {caller.range, caller.opcode_range, caller.shape_range, caller.opcode_range});
  async_bodies_.SetAttributes(root, attributes);
  async_bodies_.SetRoot(body, root);
  return body;
}

// A part of a chain that begins with sugar, itself written plainly.
void ModuleParser::BindPlainLater(InstructionId id) {
  const Instruction later = module_.instruction(id);
  if (later.operands.empty() || HasBrokenOperand(later) || later.shape == nullptr) return;
  const bool is_update = later.opcode == Opcode::kAsyncUpdate;
  if (is_update && !HasAsyncShape(*later.shape)) return;
  const InstructionId start = FindChainStart(later);
  if (!start.valid()) return;
  const ComputationId* calls = module_.instruction(start).attributes.GetIf<Attr::kCalls>();
  if (calls == nullptr || module_.computation(*calls).spelling != Spelling::kAsyncSugar) return;
  const ComputationId body = *calls;
  BindLate(later, body);
  // As if it were sugar, which is how it is printed.
  if (!later.Has(Attr::kCalls)) module_.SetAttribute<Attr::kCalls>(id, body);
}

// Later parts of a chain know the operands and the result better than its start.
void ModuleParser::BindLate(const Instruction& later, ComputationId body) {
  const InstructionId root = module_.computation(body).root;
  const Instruction& wrapped = module_.instruction(root);
  if (BoundCallee(wrapped.opcode, wrapped.attributes).valid()) return;
  if (later.opcode != Opcode::kAsyncUpdate) return async_bodies_.SetShape(root, *later.shape);
  async_bodies_.SetShape(root, later.shape->element(1));
  SetAsyncParameters(body, later.shape->element(0).elements());
}

void ModuleParser::SetAsyncParameters(ComputationId body, std::span<const Shape> shapes) {
  std::vector<InstructionId> parameters = module_.computation(body).parameters;
  for (size_t i = 0; i < std::min(shapes.size(), parameters.size()); ++i) {
    async_bodies_.SetShape(parameters[i], shapes[i]);
  }
  if (shapes.size() <= parameters.size()) return;
  for (const Shape& shape : shapes.subspan(parameters.size())) {
    parameters.push_back(AddAsyncParameter(body, shape));
  }
  const InstructionId root = module_.computation(body).root;
  async_bodies_.SetOperands(root, parameters);
  parameters.push_back(root);
  async_bodies_.SetOrder(body, parameters);
}

InstructionId ModuleParser::FindChainStart(const Instruction& later) {
  std::vector<InstructionId> passed;
  InstructionId id = later.operands[0].id;
  while (PassesChainOn(module_.instruction(id).opcode)) {
    const auto known = chain_starts_.find(id);
    if (known != chain_starts_.end()) {
      id = known->second;
      break;
    }
    const Instruction& instruction = module_.instruction(id);
    if (instruction.operands.empty()) return InstructionId();
    passed.push_back(id);
    id = instruction.operands[0].id;
  }
  for (InstructionId link : passed) chain_starts_[link] = id;
  return module_.instruction(id).opcode == Opcode::kAsyncStart ? id : InstructionId();
}

}  // namespace hlo

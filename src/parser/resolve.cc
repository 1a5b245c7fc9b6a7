// What is known when an instruction, a body, the module is complete: counts, result shapes,
// parameters, roots, names for what has none.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "inference/shape_inference.h"
#include "ir/comparison_type.h"
#include "parser/module_parser.h"
#include "support/count_text.h"

namespace hlo {
namespace {

// Names `stem`, `stem.1`, `stem.2` ... that are not taken, each once.
template <typename IsTaken>
class NumberedNames {
 public:
  explicit NumberedNames(IsTaken is_taken) : is_taken_(std::move(is_taken)) {}

  std::string Next(const std::string& stem) {
    int64_t& number = next_numbers_[stem];
    while (true) {
      std::string name = number == 0 ? stem : fmt::format("{}.{}", stem, number);
      ++number;
      if (!is_taken_(name)) return name;
    }
  }

 private:
  IsTaken is_taken_;
  absl::flat_hash_map<std::string, int64_t> next_numbers_;
};

}  // namespace

std::optional<InstructionId> ModuleParser::FinishInstruction(Instruction& instruction,
                                                             size_t attribute_base) {
  if (!CheckArity(instruction)) return std::nullopt;
  NormalizeAttributes(instruction, attribute_base);
  instruction.attributes = StoreAttributes(attribute_base);
  if (!CheckRequiredAttributes(instruction) || !ResolveShape(instruction)) return std::nullopt;
  if (!CheckCompleteInstruction(instruction)) return std::nullopt;
  const Attribute* number = instruction.attributes.Find(Attr::kParameterNumber);
  if (number == nullptr) return AddToScope(instruction);
  const InstructionId id = AddToScope(instruction);
  scope().parameters.push_back({number->value.Get<int64_t>(), id});
  return id;
}

bool ModuleParser::CheckArity(const Instruction& instruction) {
  return CheckOperandCount(OpView(module_, instruction), sink_);
}

bool ModuleParser::CheckRequiredAttributes(const Instruction& instruction) {
  for (const AttributeUse& use : GetOpcodeInfo(instruction.opcode).attributes) {
    if (use.presence != AttributeUse::Presence::kRequired) continue;
    if (instruction.attributes.Has(use.attr)) continue;
    return sink_.Error(use.missing_rule, instruction.opcode_range, "`{}` needs the attribute `{}`",
                       module_.source()->text(instruction.opcode_range), AttributeName(use.attr));
  }
  return true;
}

bool ModuleParser::HasBrokenOperand(const Instruction& instruction) const {
  return std::any_of(
      instruction.operands.begin(), instruction.operands.end(),
      [&](const Operand& operand) { return module_.instruction(operand.id).shape == nullptr; });
}

// The written shape, or the derived one where the text may leave it out or XLA ignores it.
bool ModuleParser::ResolveShape(Instruction& instruction) {
  const OpcodeInfo& info = GetOpcodeInfo(instruction.opcode);
  const Shape* written = instruction.shape;
  const bool is_ignored = HasTrait(instruction.opcode, kShapeIgnored);
  if (written != nullptr && !is_ignored) return true;
  if (written == nullptr && !info.shape_inferred) {
    return sink_.Error(Rule::kInstShapeRequired, instruction.opcode_range,
                       "the shape of `{}` must be written: it does not follow from its operands",
                       info.text);
  }
  if (HasBrokenOperand(instruction)) return true;
  std::optional<Shape> derived = InferShape(OpView(module_, instruction), sink_);
  if (!derived) return false;
  if (written != nullptr && Compatible(*written, *derived)) return true;
  if (written != nullptr) {
    sink_.Warning(Rule::kShapeTextIgnored, instruction.shape_range,
                  "the written shape `{}` is ignored: `{}` gives `{}`", ShapeText(*written),
                  info.text, ShapeText(*derived));
  }
  if (SpendParts(derived->PartCount(), instruction.opcode_range)) {
    instruction.shape = module_.InternShape(*derived);
  }
  return true;
}

bool ModuleParser::SpendParts(int64_t count, SourceRange range) {
  const bool was_left = part_budget_ >= 0;
  part_budget_ -= std::min(count, part_budget_ + 1);
  if (part_budget_ >= 0) return true;
  if (!was_left) return false;
  return sink_.Error(Rule::kShapePartCount, range,
                     "tuples whose shape is not written have more than {} parts up to here",
                     PartLimit());
}

int64_t ModuleParser::PartLimit() const {
  constexpr int64_t kBase = int64_t{1} << 16;
  return kBase + static_cast<int64_t>(module_.source()->text().size());
}

// Attribute values in the one form that says the same (grammar.md 4, 6).
void ModuleParser::NormalizeAttributes(const Instruction& instruction, size_t attribute_base) {
  const Shape* operand_shape =
      instruction.operands.empty() ? nullptr : module_.operand(instruction, 0).shape;
  for (size_t i = attribute_base; i < attribute_stack_.size();) {
    Attribute& attribute = attribute_stack_[i];
    if (attribute.attr == Attr::kCompareType && operand_shape != nullptr &&
        attribute.value.Get<ComparisonType>() ==
            DefaultComparisonType(operand_shape->element_type())) {
      attribute_stack_.erase(attribute_stack_.begin() + static_cast<ptrdiff_t>(i));
      continue;
    }
    if (attribute.attr == Attr::kSharding && instruction.shape != nullptr &&
        instruction.shape->IsTuple()) {
      const Sharding sharding = ExpandSharding(attribute.value.Get<Sharding>(), *instruction.shape);
      attribute.value = AttributeValue::Make(sharding, context_.arena());
    }
    ++i;
  }
  if (operand_shape == nullptr) return;
  const auto is_given = [&](Attr attr) {
    return std::any_of(attribute_stack_.begin() + static_cast<ptrdiff_t>(attribute_base),
                       attribute_stack_.end(),
                       [attr](const Attribute& attribute) { return attribute.attr == attr; });
  };
  if (instruction.opcode == Opcode::kOutfeed && !is_given(Attr::kOutfeedShape)) {
    attribute_stack_.push_back(
        {Attr::kOutfeedShape, {}, AttributeValue::Make(ShapeRef{operand_shape}, context_.arena())});
  }
  if (instruction.opcode == Opcode::kMap && !is_given(Attr::kDimensions)) {
    std::vector<int64_t> all(static_cast<size_t>(operand_shape->rank()));
    std::iota(all.begin(), all.end(), int64_t{0});
    const IntList dimensions = context_.Store(all);
    attribute_stack_.push_back(
        {Attr::kDimensions, {}, AttributeValue::Make(dimensions, context_.arena())});
  }
}

// One leaf on a tuple holds for each leaf of it; `()`, which has none, keeps one.
Sharding ModuleParser::ExpandSharding(const Sharding& sharding, const Shape& shape) {
  if (sharding.is_tuple) return sharding;
  const std::vector<ShardingLeaf> leaves(
      static_cast<size_t>(std::max<int64_t>(shape.LeafCount(), 1)), sharding.leaves[0]);
  return {/*is_tuple=*/true, context_.Store(leaves)};
}

AttributeMap ModuleParser::StoreAttributes(size_t attribute_base) {
  return AttributeMap(context_.Store(std::span<const Attribute>(
      attribute_stack_.data() + attribute_base, attribute_stack_.size() - attribute_base)));
}

InstructionId ModuleParser::AddToScope(const Instruction& instruction) {
  const InstructionId id = module_.AddInstruction(instruction);
  scope().instructions.push_back(id);
  return id;
}

std::optional<ComputationId> ModuleParser::FinishBody(Computation computation,
                                                      const Signature* signature,
                                                      SourceRange close) {
  Scope& body = scope();
  if (body.has_error) {
    NameUnnamedInstructions();  // for messages about what was read
    return std::nullopt;
  }
  if (body.instructions.empty()) {
    return sink_.Error(Rule::kCompNonempty, close, "computation {}has no instructions",
                       computation.name.empty() ? "" : fmt::format("`{}` ", computation.name));
  }
  computation.root = body.root.valid() ? body.root : body.instructions.back();
  if (signature != nullptr && !CompareResult(computation, *signature)) return std::nullopt;
  if (!ResolveParameters(computation)) return std::nullopt;
  if (signature != nullptr) CompareParameters(computation, *signature);
  NameUnnamedInstructions();
  computation.instructions = body.instructions;
  const ComputationId id = module_.AddComputation(std::move(computation));
  for (InstructionId instruction : body.instructions) {
    module_.mutable_instruction(instruction).computation = id;
  }
  return id;
}

bool ModuleParser::CompareResult(const Computation& computation, const Signature& signature) {
  const Shape* shape = module_.instruction(computation.root).shape;
  if (shape == nullptr || Compatible(*signature.result, *shape)) return true;
  const SignatureClash clash{computation.name, signature.result, signature.result_range,
                             computation.root};
  if (clashes_ == nullptr) return ReportClash(clash, module_, sink_);
  clashes_->push_back(clash);
  return false;
}

// XLA reads the signature's parameters and forgets them (grammar.md 2.4). grammar.md 9 would have
// an error, but texts that XLA accepts get them wrong: a warning.
void ModuleParser::CompareParameters(const Computation& computation, const Signature& signature) {
  if (signature.parameters.size() != computation.parameters.size()) {
    sink_.Warning(Rule::kCompSignatureParams, signature.parameters_range,
                  "the signature of `{}` has {}, its body {}", computation.name,
                  CountText(static_cast<int64_t>(signature.parameters.size()), "parameter"),
                  computation.parameters.size());
    return;
  }
  for (size_t i = 0; i < computation.parameters.size(); ++i) {
    const Instruction& parameter = module_.instruction(computation.parameters[i]);
    if (Compatible(*signature.parameters[i], *parameter.shape)) continue;
    sink_.Warning(Rule::kCompSignatureParams, signature.parameters_range,
                  "the signature of `{}` gives parameter {} as `{}`, it is `{}`", computation.name,
                  i, ShapeText(*signature.parameters[i]), ShapeText(*parameter.shape));
    return;
  }
}

// The numbers are exactly 0 ... n-1 when each is less than n and none stands twice.
bool ModuleParser::ResolveParameters(Computation& computation) {
  const std::vector<Scope::Parameter>& parameters = scope().parameters;
  const int64_t count = static_cast<int64_t>(parameters.size());
  computation.parameters.resize(parameters.size());
  bool resolved = true;
  for (const Scope::Parameter& parameter : parameters) {
    const Instruction& instruction = module_.instruction(parameter.id);
    const SourceRange range = instruction.attributes.Find(Attr::kParameterNumber)->range;
    if (parameter.number >= count) {
      resolved =
          sink_.Error(Rule::kCompParamsContiguous, range,
                      "parameter number {}, but there {} only {} parameter{}", parameter.number,
                      count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
      continue;
    }
    InstructionId& place = computation.parameters[parameter.number];
    if (place.valid()) {
      resolved = sink_.Error(Rule::kCompParamNumberUnique, range,
                             "a second parameter with number {}", parameter.number);
      sink_.Note(module_.instruction(place).name_range, "the first is here");
      continue;
    }
    place = parameter.id;
  }
  return resolved;
}

// grammar.md 7.4: `<opcode>.anon`, `.anon.1`, ... and `t_1_0`; what the text itself calls so keeps
// its name.
void ModuleParser::NameUnnamedInstructions() {
  NumberedNames names(
      [this](std::string_view name) { return scope().names.Find(module_, name).valid(); });
  for (InstructionId id : scope().unnamed) {
    Instruction& instruction = module_.mutable_instruction(id);
    const std::string stem = instruction.spelling == Spelling::kTupleSuffix
                                 ? std::string(instruction.name)
                                 : fmt::format("{}.anon", OpcodeName(instruction.opcode));
    instruction.name = context_.arena().CopyText(names.Next(stem));
    scope().names.Insert(module_, instruction.name, HashBytes(instruction.name), id);
  }
}

// Inline bodies are `_`, `_.1`, ...; asynchronous wrappers `async_wrapped`, ...
void ModuleParser::NameUnnamedComputations() {
  NumberedNames names([this](std::string_view name) {
    return computations_.contains(name) || (is_single_instruction_ && name == "_");
  });
  for (ComputationId id : unnamed_computations_) {
    Computation& computation = module_.mutable_computation(id);
    const std::string stem = computation.spelling == Spelling::kInlineBody ? "_" : "async_wrapped";
    computation.name = context_.arena().CopyText(names.Next(stem));
  }
}

// Without ENTRY the last top-level computation is the entry (grammar.md 7.5).
void ModuleParser::ResolveEntry() {
  if (!module_.entry_id().valid()) module_.set_entry(last_computation_);
  if (module_.form() == ModuleForm::kHeaderless) {
    module_.set_name(context_.arena().CopyText(fmt::format("module_{}", module_.entry().name)));
  }
}

void ModuleParser::ResolveEntryLayout() {
  if (module_.GetIf<Attr::kEntryComputationLayout>() != nullptr) return;
  std::vector<ShapeRef> parameters;
  for (InstructionId id : module_.entry().parameters) {
    parameters.push_back({module_.instruction(id).shape});
  }
  const EntryComputationLayout layout{context_.Store(parameters),
                                      {module_.root(module_.entry()).shape}};
  module_.SetModuleAttribute<Attr::kEntryComputationLayout>(layout);
}

}  // namespace hlo

// Operands: references, tuple elements, nested instructions (grammar.md 2.6, 7.6).
#include <string>
#include <utility>

#include "parser/character_class.h"
#include "parser/module_parser.h"
#include "parser/parse_shape.h"
#include "parser/parse_value.h"

namespace hlo {

bool ModuleParser::ParseOperands(Instruction& instruction) {
  NestingScope nesting(context_);
  if (!nesting.ok()) return false;
  const size_t base = operand_stack_.size();
  cursor_.Advance();
  bool parsed = true;
  if (!cursor_.Consume(TokenKind::kRightParen)) {
    do {
      parsed = ParseOperand();
    } while (parsed && cursor_.Consume(TokenKind::kComma));
    if (parsed && !cursor_.Consume(TokenKind::kRightParen)) {
      parsed = cursor_.FailExpecting("`,` or `)`");
    }
  }
  if (parsed) {
    instruction.operands = context_.Store(
        std::span<const Operand>(operand_stack_.data() + base, operand_stack_.size() - base));
  }
  operand_stack_.resize(base);
  return parsed;
}

// [shape] name {"#" int} | [shape] opcode payload | shape (in a single instruction)
bool ModuleParser::ParseOperand() {
  const uint32_t begin = cursor_.token().range.begin;
  const Shape* shape = nullptr;
  SourceRange shape_range;
  if (AtShape(context_)) {
    shape = ParseStoredShape(context_);
    if (shape == nullptr) return false;
    shape_range = cursor_.RangeFrom(begin);
  }
  if (!cursor_.IsNameRef()) {
    const bool ends = cursor_.Is(TokenKind::kComma) || cursor_.Is(TokenKind::kRightParen);
    if (ends && shape != nullptr && is_single_instruction_) {
      return AddAnonymousParameter(*shape, begin);
    }
    if (cursor_.Is(TokenKind::kAttr)) {
      return sink_.Error(Rule::kInstNestedAttributes, cursor_.token().range,
                         "`{}=` among the operands: attributes follow the closing parenthesis, and "
                         "an instruction that is written as an operand takes none",
                         cursor_.token().text);
    }
    return cursor_.FailExpecting("an operand");
  }
  const Token name = cursor_.token();
  cursor_.Advance();
  if (name.kind == TokenKind::kIdent && cursor_.Is(TokenKind::kLeftParen)) {
    return ParseNestedOperand(name, shape, shape_range, begin);
  }
  return ParseReference(name, shape, begin);
}

bool ModuleParser::ParseReference(const Token& name, const Shape* shape, uint32_t begin) {
  InstructionId id = scope().names.Find(module_, name.text);
  if (!id.valid()) {
    if (!is_single_instruction_) return FailUnknownOperand(name);
    if (shape == nullptr) {
      return sink_.Error(Rule::kRefOperandDefined, name.range,
                         "operand `{}` of a single instruction needs a shape", name.text);
    }
    if (!CheckInstructionName(name)) return false;
    id = AddImplicitParameter(name.text, name.range, shape, {begin, name.range.end});
    DefineInstruction(id, HashBytes(module_.instruction(id).name));
  }
  if (cursor_.Is(TokenKind::kHash)) {
    std::optional<InstructionId> element = ParseTupleSuffix(id, name.text);
    if (!element) return false;
    id = *element;
  }
  const SourceRange range = cursor_.RangeFrom(begin);
  if (shape != nullptr && !CheckOperandShape(id, shape, range)) return false;
  operand_stack_.push_back({id, range});
  return true;
}

bool ModuleParser::ParseNestedOperand(const Token& opcode, const Shape* shape,
                                      SourceRange shape_range, uint32_t begin) {
  cursor_.MoveTo(cursor_.PointerTo(opcode.range.begin));
  Instruction instruction;
  instruction.shape = shape;
  instruction.shape_range = shape_range;
  instruction.range.begin = begin;
  instruction.name_range = opcode.range;
  instruction.spelling = Spelling::kAnonymous;
  std::optional<InstructionId> id = ParseRightHandSide(instruction, /*is_nested=*/true);
  if (!id) return false;
  scope().unnamed.push_back(*id);
  operand_stack_.push_back({*id, cursor_.RangeFrom(begin)});
  return true;
}

InstructionId ModuleParser::AddImplicitParameter(std::string_view name, SourceRange name_range,
                                                 const Shape* shape, SourceRange range) {
  const int64_t number = static_cast<int64_t>(scope().parameters.size());
  Instruction parameter;
  parameter.name = name;
  parameter.shape = shape;
  parameter.opcode = Opcode::kParameter;
  parameter.range = range;
  parameter.name_range = name_range;
  parameter.opcode_range = range;
  const Attribute attribute{
      Attr::kParameterNumber, {}, AttributeValue::Make(number, context_.arena())};
  parameter.attributes = AttributeMap(context_.Store(std::span<const Attribute>(&attribute, 1)));
  const InstructionId id = AddToScope(parameter);
  scope().parameters.push_back({number, id});
  return id;
}

// Operands that are nothing but a shape are called `_0`, `_1`, ... (grammar.md 7.4).
bool ModuleParser::AddAnonymousParameter(const Shape& shape, uint32_t begin) {
  std::string name;
  for (size_t i = scope().parameters.size();; ++i) {
    name = fmt::format("_{}", i);
    if (!scope().names.Find(module_, name).valid()) break;
  }
  const SourceRange range = cursor_.RangeFrom(begin);
  const InstructionId id = AddImplicitParameter(context_.arena().CopyText(name), range,
                                                module_.InternShape(shape), range);
  DefineInstruction(id, HashBytes(module_.instruction(id).name));
  operand_stack_.push_back({id, range});
  return true;
}

bool ModuleParser::CheckOperandShape(InstructionId id, const Shape* shape, SourceRange range) {
  const Instruction& operand = module_.instruction(id);
  if (operand.shape == shape || operand.shape == nullptr || Compatible(*operand.shape, *shape)) {
    return true;
  }
  sink_.Error(Rule::kRefOperandShape, range,
              "operand is written with shape `{}`, but `{}` has `{}`", ShapeText(*shape),
              operand.name, ShapeText(*operand.shape));
  sink_.Note(operand.name_range, "`{}` is defined here", operand.name);
  return false;
}

// {"#" int}: one get-tuple-element for each prefix of the path, shared by all its users.
std::optional<InstructionId> ModuleParser::ParseTupleSuffix(InstructionId id,
                                                            std::string_view base_name) {
  const uint32_t begin = cursor_.token().range.begin;
  while (cursor_.Consume(TokenKind::kHash)) {
    const SourceRange range = cursor_.token().range;
    std::optional<int64_t> index = cursor_.ExpectInt();
    if (!index) return std::nullopt;
    const Shape* shape = module_.instruction(id).shape;
    if (shape == nullptr) continue;  // of a broken definition
    if (!shape->IsTuple()) {
      return sink_.Error(Rule::kRefCompactElement, {begin, range.end},
                         "`{}` is no tuple but `{}`: it has no element {}",
                         module_.source()->text(
                             {begin - static_cast<uint32_t>(base_name.size()), range.begin - 1}),
                         ShapeText(*shape), *index);
    }
    if (*index < 0 || *index >= shape->element_count()) {
      return sink_.Error(Rule::kRefCompactElement, range, "element {} of `{}`, which has {}",
                         *index, ShapeText(*shape), shape->element_count());
    }
    id = GetTupleElement(id, *index, cursor_.RangeFrom(begin));
  }
  return id;
}

InstructionId ModuleParser::GetTupleElement(InstructionId tuple, int64_t index, SourceRange range) {
  InstructionId& known = scope().tuple_elements[{tuple, index}];
  if (known.valid()) return known;
  const Instruction& base = module_.instruction(tuple);
  Instruction element;
  element.shape = module_.InternShape(base.shape->element(index));
  element.name = context_.arena().CopyText(fmt::format("{}_{}", base.name, index));
  element.opcode = Opcode::kGetTupleElement;
  element.spelling = Spelling::kTupleSuffix;
  element.range = range;
  element.name_range = range;
  element.opcode_range = range;
  const Operand operand{tuple, range};
  element.operands = context_.Store(std::span<const Operand>(&operand, 1));
  const Attribute attribute{Attr::kIndex, {}, AttributeValue::Make(index, context_.arena())};
  element.attributes = AttributeMap(context_.Store(std::span<const Attribute>(&attribute, 1)));
  known = AddToScope(element);
  scope().unnamed.push_back(known);
  return known;
}

// `collect` puts the names that are known into a list.
template <typename Collect>
std::string ModuleParser::SuggestName(std::string_view name, Collect collect) {
  if (comparison_budget_ < 0) return "";
  std::vector<std::string_view> names;
  collect(names);
  comparison_budget_ -= static_cast<int64_t>(names.size());
  return DidYouMean(name, names);
}

bool ModuleParser::FailUnknownOperand(const Token& name) {
  if (name.text == current_name_) {
    return sink_.Error(Rule::kRefOperandBeforeUse, name.range, "`{}` is its own operand",
                       name.text);
  }
  if (IsDefinedLater(name.text)) {
    return sink_.Error(Rule::kRefOperandBeforeUse, name.range,
                       "`{}` is used before the instruction that defines it", name.text);
  }
  const std::string suggestion = SuggestName(name.text, [&](std::vector<std::string_view>& names) {
    scope().names.ForEach([&](InstructionId id) { names.push_back(module_.instruction(id).name); });
  });
  return sink_.Error(Rule::kRefOperandDefined, name.range,
                     "no instruction `{}` in this computation{}", name.text, suggestion);
}

bool ModuleParser::FailUnknownComputation(const Token& name) {
  if (name.text == current_computation_) {
    return sink_.Error(Rule::kModuleCallCycle, name.range, "computation `{}` calls itself",
                       name.text);
  }
  if (IsComputationDefinedLater(name.text)) {
    return sink_.Error(Rule::kRefComputationDefined, name.range,
                       "computation `{}` is used before it is defined", name.text);
  }
  const std::string suggestion = SuggestName(name.text, [&](std::vector<std::string_view>& names) {
    for (const auto& [known, computation] : computations_) names.push_back(known);
  });
  return sink_.Error(Rule::kRefComputationDefined, name.range,
                     "no computation `{}` is defined before this one{}", name.text, suggestion);
}

// Whether `name =` stands between here and the end of the body.
bool ModuleParser::IsDefinedLater(std::string_view name) {
  if (search_budget_ < 0) return false;
  const char* begin = cursor_.token_begin();
  const std::string_view rest(begin, static_cast<size_t>(cursor_.text_end() - begin));
  const std::string_view body = rest.substr(0, std::min(rest.find("\n}"), rest.size()));
  search_budget_ -= static_cast<int64_t>(body.size());
  for (size_t at = body.find(name); at != std::string_view::npos; at = body.find(name, at + 1)) {
    if (at > 0 && IsCharacter(body[at - 1], kIdentifierCharacter)) continue;
    const char* behind = cursor_.SkipBlanksAndComments(body.data() + at + name.size());
    const bool is_attribute = *behind == '=' && behind == body.data() + at + name.size() &&
                              (at == 0 || body[at - 1] != '%');
    if (*behind == '=' && !is_attribute) return true;
  }
  return false;
}

// Whether a line between here and the end of the text begins a computation of that name.
bool ModuleParser::IsComputationDefinedLater(std::string_view name) {
  const char* begin = cursor_.token_begin();
  const std::string_view rest(begin, static_cast<size_t>(cursor_.text_end() - begin));
  if (search_budget_ < 0) return false;
  search_budget_ -= static_cast<int64_t>(rest.size());
  for (size_t at = rest.find(name); at != std::string_view::npos; at = rest.find(name, at + 1)) {
    const size_t start = at > 0 && rest[at - 1] == '%' ? at - 1 : at;
    const size_t behind = at + name.size();
    const bool is_line_start = start > 0 && rest[start - 1] == '\n';
    const bool is_whole = behind < rest.size() && !IsCharacter(rest[behind], kIdentifierCharacter);
    if (is_line_start && is_whole) return true;
  }
  return false;
}

}  // namespace hlo

// From left to right: name, shape, opcode, payload, attributes (grammar.md 2.5). What belongs to an
// instruction lies on stacks until it is complete, because bodies nest in attributes and
// instructions in operands. A name is known only behind its instruction; one that cannot be read is
// defined all the same, so that its users are not blamed.
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "parser/module_parser.h"
#include "parser/other_names.h"
#include "parser/parse_attribute.h"
#include "parser/parse_literal.h"
#include "parser/parse_shape.h"
#include "parser/parse_value.h"
#include "parser/reserved_words.h"

namespace hlo {
namespace {

// The attributes that XLA also gives to the operation inside an asynchronous wrapper and that
// can be said once only: they belong to the wrapper (grammar.md 6.3).
bool BelongsToWrapper(std::string_view text) {
  return text == AttributeName(Attr::kAsyncExecutionThread) ||
         text == AttributeName(Attr::kOutputToOperandAliasing);
}

// Whether `text` is the name of an attribute whose value is one computation or a list of them.
bool NamesComputations(std::string_view text) {
  constexpr std::pair<std::string_view, bool> kAttributes[] = {
#define HLO_ATTRIBUTE(Name, text, Type) \
  {text, std::is_same_v<Type, ComputationId> || std::is_same_v<Type, ComputationList>},
#include "ir/attributes.def"
  };
  return std::any_of(std::begin(kAttributes), std::end(kAttributes), [&](const auto& attribute) {
    return attribute.first == text && attribute.second;
  });
}

// `all-reduce-start`, `async-start`, `send` and the like.
bool IsStart(Opcode opcode) {
  return OpcodeName(opcode).ends_with("-start") || opcode == Opcode::kAsyncUpdate ||
         GetOpcodeInfo(opcode).family == OpcodeFamily::kEffects;
}

std::vector<std::string_view> AttributeNames(Opcode opcode) {
  std::vector<std::string_view> names;
  for (const AttributeUse& use : GetOpcodeInfo(opcode).attributes) {
    names.push_back(AttributeName(use.attr));
  }
  for (Attr attr : CommonAttributes()) names.push_back(AttributeName(attr));
  return names;
}

}  // namespace

// ["ROOT"] name "=" right-hand side. False when the text was not read to its end.
bool ModuleParser::ParseInstruction() {
  Instruction instruction;
  instruction.range.begin = cursor_.token().range.begin;
  const bool is_root = cursor_.ConsumeKeyword(Keyword::kRoot);
  const bool is_glued = cursor_.Is(TokenKind::kAttr);
  if (!ParseInstructionName(instruction)) return false;
  const uint32_t name_hash = scope().names.Prepare(instruction.name);
  std::optional<InstructionId> id;
  if (is_glued || cursor_.Consume(TokenKind::kEqual) || cursor_.FailExpecting("`=`")) {
    const std::string_view enclosing_name = std::exchange(current_name_, instruction.name);
    id = ParseRightHandSide(instruction, /*is_nested=*/false);
    current_name_ = enclosing_name;
  }
  DefineInstruction(id ? *id : AddBroken(instruction), name_hash);
  if (!id) return false;
  if (!is_root) return true;
  if (!scope().root.valid()) {
    scope().root = *id;
    return true;
  }
  scope().has_error = true;
  sink_.Error(Rule::kCompMultipleRoots, instruction.name_range, "a second instruction marked ROOT");
  sink_.Note(module_.instruction(scope().root).name_range, "the first is here");
  return true;
}

// Reads the name; false when there is none. One that is only badly chosen is reported and kept: its
// users are right.
bool ModuleParser::ParseInstructionName(Instruction& instruction) {
  const Token name = cursor_.token();
  if (!cursor_.IsNameRef() && name.kind != TokenKind::kAttr && name.kind != TokenKind::kPrimitive) {
    return cursor_.FailExpecting("an instruction or `}`");
  }
  instruction.name = name.text;
  instruction.name_range = name.range;
  cursor_.Advance();
  if (name.kind == TokenKind::kAttr) {
    scope().has_error = true;
    sink_.Error(Rule::kNameSyntax, {name.range.begin, name.range.end + 1},
                "`{}=` is read as an attribute: a name needs a blank before `=`", name.text);
  } else if (!CheckInstructionName(name)) {
    scope().has_error = true;
  }
  return true;
}

// grammar.md 7.2
bool ModuleParser::CheckInstructionName(const Token& token) {
  const std::string_view name = token.text;
  if (name.starts_with("__") && !name.starts_with("__xla_")) {
    return sink_.Error(Rule::kNameSyntax, token.range,
                       "`{}` cannot be a name: only `__xla_` may start with `__`; did you mean "
                       "`a{}`?",
                       name, name.substr(1));
  }
  const ReservedWord* word = FindReservedWord(name);
  if (word == nullptr || word->kind != TokenKind::kPrimitive) return true;
  return sink_.Error(Rule::kNameSyntax, token.range,
                     "`{}` is an element type and cannot be a name; did you mean `{}_`?", name,
                     name);
}

void ModuleParser::DefineInstruction(InstructionId id, uint32_t name_hash) {
  const Instruction& instruction = module_.instruction(id);
  const InstructionId earlier = scope().names.Insert(module_, instruction.name, name_hash, id);
  if (!earlier.valid()) return;
  scope().has_error = true;
  sink_.Error(Rule::kNameInstructionDuplicate, instruction.name_range,
              "a second instruction called `{}`", instruction.name);
  sink_.Note(module_.instruction(earlier).name_range, "the first is here");
}

// Users can be judged by the shape that was read. Not those who look at more than that: what ends
// or goes on with an asynchronous operation asks for its start.
InstructionId ModuleParser::AddBroken(const Instruction& instruction) {
  Instruction placeholder;
  placeholder.name = instruction.name;
  placeholder.name_range = instruction.name_range;
  placeholder.range = instruction.range;
  placeholder.shape_range = instruction.shape_range;
  const bool is_array = instruction.shape != nullptr && instruction.shape->IsArray();
  if (is_array && !HasTrait(instruction.opcode, kShapeIgnored) && !IsStart(instruction.opcode)) {
    placeholder.shape = instruction.shape;
  }
  return module_.AddInstruction(placeholder);
}

bool ModuleParser::ParsePredecessor(InstructionId& id) {
  if (!cursor_.IsNameRef()) return cursor_.FailExpecting("the name of an instruction");
  const Token& name = cursor_.token();
  id = scope().names.Find(module_, name.text);
  if (!id.valid()) {
    if (name.text == current_name_) {
      return sink_.Error(Rule::kControlSelf, name.range, "`{}` is its own predecessor", name.text);
    }
    return sink_.Error(Rule::kControlDefined, name.range,
                       "no instruction `{}` is defined before this one", name.text);
  }
  cursor_.Advance();
  return true;
}

std::optional<InstructionId> ModuleParser::ParseRightHandSide(Instruction& instruction,
                                                              bool is_nested) {
  NestingScope nesting(context_);
  if (!nesting.ok()) return std::nullopt;
  if (AtShape(context_)) {
    const uint32_t begin = cursor_.token().range.begin;
    instruction.shape = ParseStoredShape(context_);
    if (instruction.shape == nullptr) return std::nullopt;
    instruction.shape_range = cursor_.RangeFrom(begin);
  }
  const size_t attribute_base = attribute_stack_.size();
  std::optional<AsyncSugar> sugar;
  std::optional<InstructionId> id;
  if (ParseOpcodeWord(instruction, sugar) && ParsePayload(instruction) &&
      (is_nested || ParseAttributes(instruction, sugar))) {
    instruction.range.end = cursor_.previous_end();
    id = sugar ? FinishAsync(instruction, *sugar, attribute_base)
               : FinishInstruction(instruction, attribute_base);
    const bool is_later =
        HasTrait(instruction.opcode, kAsyncPart) && HasTrait(instruction.opcode, kTakesContext);
    if (id && !sugar && is_later) BindPlainLater(*id);
  }
  attribute_stack_.resize(attribute_base);
  return id;
}

bool ModuleParser::ParseOpcodeWord(Instruction& instruction, std::optional<AsyncSugar>& sugar) {
  const Token& token = cursor_.token();
  if (token.kind == TokenKind::kIdent && instruction.shape == nullptr &&
      cursor_.PeekByte() == '[') {
    return FailUnknownElementType(token);
  }
  if (token.kind != TokenKind::kIdent) {
    if (token.kind == TokenKind::kName) {
      return cursor_.FailExpecting(Rule::kInstOpcodeKnown, "an opcode");
    }
    return cursor_.FailExpecting(instruction.shape == nullptr ? "a shape or an opcode"
                                                              : "an opcode");
  }
  if (std::optional<Opcode> opcode = ParseOpcode(token.text)) {
    instruction.opcode = *opcode;
  } else {
    sugar = FindAsyncSugar(token.text);
    if (!sugar) return FailUnknownOpcode(token);
    instruction.opcode = sugar->async;
  }
  instruction.opcode_range = token.range;
  cursor_.Advance();
  return true;
}

bool ModuleParser::FailUnknownElementType(const Token& token) {
  constexpr std::string_view kTypes[] = {
#define HLO_ELEMENT_TYPE(Name, text, ...) text,
#include "ir/element_types.def"
  };
  if (std::optional<ElementType> meant = ElementTypeMeantBy(token.text)) {
    return sink_.Error(Rule::kShapeElementType, token.range,
                       "unknown element type `{}`: HLO calls it `{}`", token.text,
                       ElementTypeName(*meant));
  }
  return sink_.Error(Rule::kShapeElementType, token.range, "unknown element type `{}`{}",
                     token.text, DidYouMean(token.text, kTypes));
}

// Any opcode with `-start`, `-update` or `-done` behind it, unless it has its own pair.
std::optional<ModuleParser::AsyncSugar> ModuleParser::FindAsyncSugar(std::string_view text) const {
  constexpr std::pair<std::string_view, Opcode> kEndings[] = {
      {"-start", Opcode::kAsyncStart},
      {"-update", Opcode::kAsyncUpdate},
      {"-done", Opcode::kAsyncDone},
  };
  for (const auto& [ending, async] : kEndings) {
    if (!text.ends_with(ending)) continue;
    std::optional<Opcode> wrapped = ParseOpcode(text.substr(0, text.size() - ending.size()));
    if (!wrapped || HasTrait(*wrapped, kNoAsyncSugar)) return std::nullopt;
    return AsyncSugar{*wrapped, async};
  }
  return std::nullopt;
}

bool ModuleParser::FailUnknownOpcode(const Token& token) {
  for (std::string_view ending : {"-start", "-update", "-done"}) {
    if (!token.text.ends_with(ending)) continue;
    const std::string_view stem = token.text.substr(0, token.text.size() - ending.size());
    if (!ParseOpcode(stem)) continue;
    return sink_.Error(Rule::kAsyncSugarForbidden, token.range,
                       "`{}` has asynchronous forms of its own; there is no `{}`", stem,
                       token.text);
  }
  if (std::optional<Opcode> meant = OpcodeMeantBy(token.text)) {
    return sink_.Error(Rule::kInstOpcodeKnown, token.range,
                       "unknown opcode `{}`: HLO calls it `{}`", token.text, OpcodeName(*meant));
  }
  std::vector<std::string_view> names;
  for (int i = 0; i < kOpcodeCount; ++i) names.push_back(OpcodeName(static_cast<Opcode>(i)));
  std::string suggestion = DidYouMean(token.text, names);
  const std::optional<Opcode> longer = OpcodeBeginningWith(token.text);
  if (suggestion.empty() && longer) {
    suggestion = fmt::format(": did you mean `{}`?", OpcodeName(*longer));
  }
  return sink_.Error(Rule::kInstOpcodeKnown, token.range, "unknown opcode `{}`{}", token.text,
                     suggestion);
}

// Operands; the number of a parameter; the literal of a constant.
bool ModuleParser::ParsePayload(Instruction& instruction) {
  if (!cursor_.Is(TokenKind::kLeftParen)) {
    return cursor_.FailExpecting(fmt::format("`(` behind `{}`", OpcodeName(instruction.opcode)));
  }
  if (HasTrait(instruction.opcode, kParameterPayload)) {
    cursor_.Advance();
    const SourceRange range = cursor_.token().range;
    std::optional<int64_t> number = cursor_.ExpectInt();
    if (!number) return false;
    if (*number < 0) {
      return sink_.Error(Rule::kCompParamNonnegative, range, "parameter number {} is negative",
                         *number);
    }
    attribute_stack_.push_back(
        {Attr::kParameterNumber, range, AttributeValue::Make(*number, context_.arena())});
    return cursor_.Expect(TokenKind::kRightParen);
  }
  if (!HasTrait(instruction.opcode, kLiteralPayload)) return ParseOperands(instruction);
  if (instruction.shape == nullptr) {
    return sink_.Error(Rule::kInstShapeRequired, instruction.opcode_range,
                       "the shape of `{}` must be written", OpcodeName(instruction.opcode));
  }
  cursor_.Advance();
  if (cursor_.Is(TokenKind::kRightParen)) {
    return sink_.Error(Rule::kConstantLiteral, instruction.opcode_range,
                       "`{}` has no value in its parentheses", OpcodeName(instruction.opcode));
  }
  const uint32_t begin = cursor_.token().range.begin;
  std::optional<Literal> literal = ParseLiteralOf(context_, *instruction.shape);
  if (!literal) return false;
  const LiteralRef value{module_.AddLiteral(std::move(*literal))};
  attribute_stack_.push_back({Attr::kConstantValue, cursor_.RangeFrom(begin),
                              AttributeValue::Make(value, context_.arena())});
  return cursor_.Expect(TokenKind::kRightParen);
}

bool ModuleParser::ParseAttributes(const Instruction& instruction,
                                   const std::optional<AsyncSugar>& sugar) {
  const size_t base = attribute_stack_.size();
  while (cursor_.Consume(TokenKind::kComma)) {
    if (!ParseAttribute(instruction, sugar, base)) return false;
  }
  const Token& next = cursor_.token();
  if (next.kind != TokenKind::kAttr || !FindAttributeOf(instruction, sugar, next.text)) return true;
  return sink_.Error(Rule::kParseUnexpectedToken, next.range, "expected `,` before `{}=`",
                     next.text);
}

bool ModuleParser::ParseAttribute(const Instruction& instruction,
                                  const std::optional<AsyncSugar>& sugar, size_t base) {
  const Token key = cursor_.token();
  if (key.kind != TokenKind::kAttr) return cursor_.FailExpecting("an attribute `key=`");
  std::optional<Attr> attr = FindAttributeOf(instruction, sugar, key.text);
  if (!attr) return FailUnknownAttribute(instruction, sugar, key);
  for (size_t i = base; i < attribute_stack_.size(); ++i) {
    if (attribute_stack_[i].attr != *attr) continue;
    sink_.Error(Rule::kAttrDuplicate, key.range, "`{}` is given twice", key.text);
    sink_.Note(attribute_stack_[i].range, "first here");
    return false;
  }
  cursor_.Advance();
  std::optional<AttributeValue> value = ParseAttributeValue(context_, *attr);
  if (!value) return false;
  attribute_stack_.push_back({*attr, cursor_.RangeFrom(key.range.begin), *value});
  return true;
}

// With sugar, the start takes the attributes of both operations, the others none of the wrapped
// one's; the called computation is the wrapper's own affair.
std::optional<Attr> ModuleParser::FindAttributeOf(const Instruction& instruction,
                                                  const std::optional<AsyncSugar>& sugar,
                                                  std::string_view text) const {
  if (!sugar) return FindAttribute(instruction.opcode, text);
  if (sugar->async == Opcode::kAsyncStart && !BelongsToWrapper(text)) {
    return FindAttribute(sugar->wrapped, text);
  }
  std::optional<Attr> attr = FindAttribute(sugar->async, text);
  if (attr == Attr::kCalls) return std::nullopt;
  return attr;
}

bool ModuleParser::FailUnknownAttribute(const Instruction& instruction,
                                        const std::optional<AsyncSugar>& sugar, const Token& key) {
  const bool takes_wrapped = sugar && sugar->async == Opcode::kAsyncStart;
  const Opcode opcode = takes_wrapped ? sugar->wrapped : instruction.opcode;
  const std::string_view word = module_.source()->text(instruction.opcode_range);
  if (key.text == AttributeName(Attr::kResultAccuracy)) {
    return sink_.Error(Rule::kAccuracyOpcode, key.range, "`{}` takes no result_accuracy", word);
  }
  if (NamesComputations(key.text)) {
    return sink_.Error(Rule::kInstCalledComputationAllowed, key.range,
                       "`{}` takes no attribute `{}` that names a computation{}", word, key.text,
                       DidYouMean(key.text, AttributeNames(opcode)));
  }
  return sink_.Error(Rule::kAttrUnknown, key.range, "`{}` takes no attribute `{}`{}", word,
                     key.text, DidYouMean(key.text, AttributeNames(opcode)));
}

}  // namespace hlo

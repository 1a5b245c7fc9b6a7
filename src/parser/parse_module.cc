// The first tokens say which of three forms a text has (grammar.md 8). Behind a part that is broken
// reading goes on, so that one run shows all mistakes; whether a module came of it is told by the
// sink's count of errors. A computation's name is known behind its body, so that nothing refers
// forward (7.1).
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "parser/foreign_text.h"
#include "parser/module_parser.h"
#include "parser/parse_attribute.h"
#include "parser/parse_shape.h"
#include "parser/parse_value.h"

namespace hlo {
namespace {

constexpr std::string_view kLocationFields[] = {"file_name_id", "function_name_id", "line",
                                                "end_line",     "column",           "end_column"};
constexpr std::string_view kFrameFields[] = {"file_location_id", "parent_frame_id"};

}  // namespace

ModuleParser::ModuleParser(Module& module, DiagnosticSink& sink, const ParseOptions& options,
                           std::vector<SignatureClash>* clashes)
    : module_(module),
      sink_(sink),
      clashes_(clashes),
      error_count_before_(sink.error_count()),
      context_(module, sink, options),
      cursor_(context_.cursor),
      async_bodies_(&module) {
  context_.module_parser = this;
  // An instruction takes at least about this much text, much more with metadata. Memory that is
  // never touched costs nothing; moving what outgrew its place does.
  constexpr size_t kBytesPerInstruction = 64;
  module_.ReserveInstructions(module.source()->text().size() / kBytesPerInstruction);
}

// `hlomodule`, which is no keyword.
static bool IsMisspeltModule(std::string_view text) {
  return std::ranges::equal(text, std::string_view("hlomodule"),
                            [](char a, char b) { return absl::ascii_tolower(a) == b; });
}

// `/*index=5*/` (grammar.md 10.2), `/*i0=5*/` (grammar.md 10.9).
static bool IsPositionComment(std::string_view text) {
  if (!text.starts_with("/*i")) return false;
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || !text.ends_with("*/")) return false;
  const std::string_view name = text.substr(2, equals - 2);
  const bool is_axis = name.find_first_not_of("0123456789", 1) == std::string_view::npos;
  const std::string_view number = text.substr(equals + 1, text.size() - equals - 3);
  return (name == "index" || is_axis) && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

// Which form of text it is: grammar.md 8.
bool ModuleParser::Parse() {
  KeepComments();
  if (cursor_.IsKeyword(Keyword::kHloModule)) {
    ParseFullModule();
  } else if (cursor_.IsKeyword(Keyword::kEntry) ||
             (cursor_.IsNameRef() && cursor_.PeekByte() == '{')) {
    module_.set_form(ModuleForm::kHeaderless);
    ParseComputations();
  } else if (IsMisspeltModule(cursor_.token().text)) {
    cursor_.FailExpecting("`HloModule`");
    ParseFullModule();
  } else if (cursor_.Is(TokenKind::kEnd)) {
    sink_.Error(Rule::kParseEmptyText, cursor_.token().range, "no HLO in this text");
  } else {
    module_.set_form(ModuleForm::kInstruction);
    ParseSingleInstruction();
  }
  module_.set_comments(std::move(comments_));
  NameUnnamedComputations();
  const bool has_clashes = clashes_ != nullptr && !clashes_->empty();
  if (has_clashes || sink_.error_count() != error_count_before_) return false;
  ResolveEntry();
  ResolveEntryLayout();
  return true;
}

bool ModuleParser::ParseFullModule() {
  const char* begin = cursor_.token_begin();
  if (!ParseHeader() || !ParseStackFrameTables()) ResumeAtComputation(begin);
  ParseComputations();
  return true;
}

bool ModuleParser::ParseHeader() {
  cursor_.Advance();
  if (!cursor_.IsNameRef())
    return cursor_.FailExpecting(Rule::kModuleNameNonempty, "the name of the module");
  module_.set_name(cursor_.token().text);
  module_.set_name_range(cursor_.token().range);
  cursor_.Advance();
  std::vector<Attribute> attributes;
  bool parsed = true;
  while (parsed && cursor_.Consume(TokenKind::kComma)) parsed = ParseModuleAttribute(attributes);
  module_.set_attributes(AttributeMap(context_.Store(attributes)));
  return parsed;
}

bool ModuleParser::ParseModuleAttribute(std::vector<Attribute>& attributes) {
  const Token key = cursor_.token();
  if (key.kind != TokenKind::kAttr) return cursor_.FailExpecting("a module attribute `key=`");
  std::optional<Attr> attr = FindModuleAttribute(key.text);
  if (!attr) {
    std::vector<std::string_view> names;
    for (const AttributeUse& use : ModuleAttributeUses()) names.push_back(AttributeName(use.attr));
    return sink_.Error(Rule::kModuleAttrKnown, key.range, "unknown module attribute `{}`{}",
                       key.text, DidYouMean(key.text, names));
  }
  for (const Attribute& other : attributes) {
    if (other.attr != *attr) continue;
    sink_.Error(Rule::kAttrDuplicate, key.range, "module attribute `{}` is given twice", key.text);
    sink_.Note(other.range, "first here");
    return false;
  }
  cursor_.Advance();
  std::optional<AttributeValue> value = ParseAttributeValue(context_, *attr);
  if (!value) return false;
  attributes.push_back({*attr, cursor_.RangeFrom(key.range.begin), *value});
  return true;
}

// All four sections in this order, or none (grammar.md 2.3).
bool ModuleParser::ParseStackFrameTables() {
  if (!cursor_.IsKeyword(Keyword::kFileNames)) return true;
  StackFrameTables& tables = module_.mutable_stack_frames();
  return ParseStringTable(Keyword::kFileNames, tables.file_names) &&
         ParseStringTable(Keyword::kFunctionNames, tables.function_names) && ParseFileLocations() &&
         ParseStackFrames();
}

bool ModuleParser::ParseStringTable(Keyword keyword, std::vector<std::string_view>& table) {
  if (!cursor_.ConsumeKeyword(keyword)) {
    return cursor_.FailExpecting(Rule::kParseStackFrames,
                                 fmt::format("`{}`", KeywordText(keyword)));
  }
  while (cursor_.Consume(TokenKind::kInt)) {
    if (!ParseValue(context_, table.emplace_back())) return false;
  }
  return true;
}

// "{" field { [","] field } "}" with every field once.
bool ModuleParser::ParseTableFields(std::span<const std::string_view> names,
                                    std::span<int32_t> values) {
  if (!cursor_.Expect(TokenKind::kLeftBrace)) return false;
  uint32_t given = 0;
  while (!cursor_.Is(TokenKind::kRightBrace)) {
    const Token key = cursor_.token();
    size_t field = 0;
    while (field < names.size() && names[field] != key.text) ++field;
    if (key.kind != TokenKind::kAttr || field == names.size()) {
      return cursor_.FailExpecting(Rule::kParseStackFrames,
                                   fmt::format("one of {}", fmt::join(names, ", ")));
    }
    if ((given & 1u << field) != 0) {
      return sink_.Error(Rule::kAttrDuplicate, key.range, "`{}` is given twice", key.text);
    }
    given |= 1u << field;
    cursor_.Advance();
    if (!ParseInt32(context_, values[field])) return false;
    cursor_.Consume(TokenKind::kComma);
  }
  for (size_t field = 0; field < names.size(); ++field) {
    if ((given & 1u << field) == 0) {
      return sink_.Error(Rule::kParseStackFrames, cursor_.token().range, "`{}` is missing",
                         names[field]);
    }
  }
  cursor_.Advance();
  return true;
}

bool ModuleParser::ParseFileLocations() {
  if (!cursor_.ConsumeKeyword(Keyword::kFileLocations)) {
    return cursor_.FailExpecting(Rule::kParseStackFrames, "`FileLocations`");
  }
  while (cursor_.Consume(TokenKind::kInt)) {
    int32_t values[6] = {};
    if (!ParseTableFields(kLocationFields, values)) return false;
    module_.mutable_stack_frames().file_locations.push_back(
        {values[0], values[1], values[2], values[3], values[4], values[5]});
  }
  return true;
}

// The text counts parents from 1 for "none".
bool ModuleParser::ParseStackFrames() {
  if (!cursor_.ConsumeKeyword(Keyword::kStackFrames)) {
    return cursor_.FailExpecting(Rule::kParseStackFrames, "`StackFrames`");
  }
  while (cursor_.Consume(TokenKind::kInt)) {
    int32_t values[2] = {};
    if (!ParseTableFields(kFrameFields, values)) return false;
    const int32_t parent = values[1] > 1 ? values[1] - 1 : 0;
    module_.mutable_stack_frames().frames.push_back({values[0], parent});
  }
  return true;
}

void ModuleParser::ParseComputations() {
  bool has_any = false;
  while (!cursor_.Is(TokenKind::kEnd)) {
    KeepComments();
    has_any = true;
    if (cursor_.IsKeyword(Keyword::kHloModule)) return ReportSecondModule();
    const char* begin = cursor_.token_begin();
    if (ParseComputation()) continue;
    // Behind a complete body reading goes on right there, provided that something was read at all.
    const bool stands_still = cursor_.token_begin() == begin;
    if (stands_still || !IsBehindBody()) ResumeAtComputation(begin);
  }
  KeepComments();
  if (!has_any) cursor_.FailExpecting("a computation");
}

void ModuleParser::ReportSecondModule() {
  sink_.Error(Rule::kParseUnexpectedToken, cursor_.token().range,
              "a second module begins here, and nothing is read from here on: several modules are "
              "split input, with lines `// -----` between them");
}

bool ModuleParser::ParseComputation() {
  const uint32_t begin = cursor_.token().range.begin;
  const bool is_entry = cursor_.ConsumeKeyword(Keyword::kEntry);
  if (!cursor_.IsNameRef()) {
    return cursor_.FailExpecting(is_entry ? "the name of the computation" : "a computation");
  }
  const Token name = cursor_.token();
  Computation computation;
  computation.name = name.text;
  computation.name_range = name.range;
  computation.range.begin = begin;
  cursor_.Advance();
  if (is_entry && !entry_range_.empty()) {
    sink_.Error(Rule::kCompMultipleEntry, {begin, name.range.end},
                "a second computation marked ENTRY");
    sink_.Note(entry_range_, "the first is here");
  } else if (is_entry) {
    entry_range_ = {begin, name.range.end};
  }
  current_computation_ = name.text;
  Signature signature;
  const bool has_signature = cursor_.Is(TokenKind::kLeftParen);
  if (has_signature && !ParseSignature(signature)) {
    DefineComputation(name.text, name.range, ComputationId());
    return false;
  }
  std::optional<ComputationId> id =
      ParseBody(std::move(computation), has_signature ? &signature : nullptr);
  DefineComputation(name.text, name.range, id.value_or(ComputationId()));
  if (!id) return false;
  last_computation_ = *id;
  if (is_entry) module_.set_entry(*id);
  return true;
}

bool ModuleParser::ParseSignature(Signature& signature) {
  signature.parameters_range.begin = cursor_.token().range.begin;
  const bool parsed = ParseList(context_, TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
    if (!cursor_.IsNameRef()) {
      return static_cast<bool>(cursor_.FailExpecting("the name of a parameter"));
    }
    cursor_.Advance();
    signature.parameters.push_back(ParseStoredShape(context_));
    return signature.parameters.back() != nullptr;
  });
  signature.parameters_range = cursor_.RangeFrom(signature.parameters_range.begin);
  if (!parsed || !cursor_.Expect(TokenKind::kArrow)) return false;
  const uint32_t begin = cursor_.token().range.begin;
  signature.result = ParseStoredShape(context_);
  signature.result_range = cursor_.RangeFrom(begin);
  return signature.result != nullptr;
}

bool ModuleParser::ParseExecutionThread(Computation& computation) {
  bool given = false;
  while (cursor_.Consume(TokenKind::kComma)) {
    const Token key = cursor_.token();
    if (key.kind != TokenKind::kAttr || key.text != "execution_thread") {
      return cursor_.FailExpecting(Rule::kAttrUnknown, "`execution_thread=`");
    }
    if (given) {
      return sink_.Error(Rule::kAttrDuplicate, key.range, "`execution_thread` is given twice");
    }
    given = true;
    cursor_.Advance();
    if (!ParseValue(context_, computation.execution_thread)) return false;
  }
  return true;
}

void ModuleParser::DefineComputation(std::string_view name, SourceRange range, ComputationId id) {
  const auto [entry, inserted] = computations_.try_emplace(name, NamedComputation{id, range});
  if (inserted) return;
  sink_.Error(Rule::kNameComputationDuplicate, range, "a second computation called `{}`", name);
  sink_.Note(entry->second.range, "the first is here");
}

std::optional<ComputationId> ModuleParser::ParseBody(Computation computation,
                                                     const Signature* signature) {
  NestingScope nesting(context_);
  if (!nesting.ok()) return std::nullopt;
  const SourceRange open = cursor_.token().range;
  if (!cursor_.Expect(TokenKind::kLeftBrace)) return std::nullopt;
  OpenScope();
  while (!cursor_.Is(TokenKind::kRightBrace) && !AtEndOfUnclosedBody()) {
    KeepComments();
    const char* begin = cursor_.token_begin();
    if (!ParseInstruction()) {
      scope().has_error = true;
      ResumeAtInstruction(begin);
    }
  }
  KeepComments();
  const SourceRange close = cursor_.token().range;
  if (!cursor_.Consume(TokenKind::kRightBrace)) {
    scope().has_error = true;
    ReportUnclosedBody(open);
  }
  const bool threaded =
      computation.spelling != Spelling::kNamed || ParseExecutionThread(computation);
  computation.range.end = cursor_.previous_end();
  std::optional<ComputationId> id;
  if (threaded) id = FinishBody(std::move(computation), signature, close);
  CloseScope();
  return id;
}

// An instruction that ran into the same place has been reported already.
void ModuleParser::ReportUnclosedBody(SourceRange open) {
  const SourceRange here = cursor_.token().range;
  const bool is_reported = !sink_.diagnostics().empty() && sink_.diagnostics().back().range == here;
  if (!is_reported) {
    sink_.Error(Rule::kParseUnbalancedBraces, here, "expected an instruction or `}}`, found {}",
                cursor_.DescribeToken());
  }
  sink_.Note(open, "this body is not closed");
}

bool ModuleParser::ParseComputationRef(ComputationId& id) {
  if (cursor_.Is(TokenKind::kLeftBrace)) {
    Computation computation;
    computation.spelling = Spelling::kInlineBody;
    computation.range.begin = cursor_.token().range.begin;
    computation.name_range = cursor_.token().range;
    const bool was_single = std::exchange(is_single_instruction_, false);
    std::optional<ComputationId> body = ParseBody(std::move(computation), nullptr);
    is_single_instruction_ = was_single;
    if (!body) return false;
    unnamed_computations_.push_back(*body);
    id = *body;
    return true;
  }
  if (!cursor_.IsNameRef()) {
    return cursor_.FailExpecting(Rule::kAttrValueKind, "the name of a computation or `{`");
  }
  const auto found = computations_.find(cursor_.token().text);
  if (found == computations_.end()) {
    return FailUnknownComputation(cursor_.token());
  }
  id = found->second.id;
  cursor_.Advance();
  return id.valid();  // a broken definition has been reported
}

// [["ROOT"] name "="] right-hand side
bool ModuleParser::ParseSingleInstruction() {
  if (cursor_.IsNameRef() && cursor_.PeekByte() == '(') {
    sink_.Error(Rule::kParseHeaderlessSignature, cursor_.token().range,
                "a text without `HloModule` line needs `ENTRY` before a first computation with "
                "signature, and a shape before a single instruction");
    ParseComputations();
    return false;
  }
  is_single_instruction_ = true;
  module_.set_name("_");
  OpenScope();
  bool parsed;
  if (AtShape(context_)) {
    Instruction instruction;
    instruction.name = "_";
    instruction.range.begin = cursor_.token().range.begin;
    instruction.name_range = {instruction.range.begin, instruction.range.begin};
    parsed = ParseRightHandSide(instruction, /*is_nested=*/false).has_value();
  } else if (cursor_.IsNameRef() || cursor_.Is(TokenKind::kAttr) ||
             cursor_.IsKeyword(Keyword::kRoot)) {
    parsed = ParseInstruction();
  } else {
    parsed = cursor_.FailExpecting("`HloModule`, a computation or an instruction");
  }
  KeepComments();
  if (parsed && !cursor_.Is(TokenKind::kEnd)) {
    parsed = sink_.Error(Rule::kParseUnexpectedToken, cursor_.token().range,
                         "{} behind a single instruction: a text with more needs a `HloModule` "
                         "line, or `ENTRY` before its first computation",
                         cursor_.DescribeToken());
  }
  if (parsed) {
    Computation computation;
    computation.name = "_";
    computation.range = {0, cursor_.previous_end()};
    std::optional<ComputationId> id =
        FinishBody(std::move(computation), nullptr, cursor_.token().range);
    parsed = id.has_value();
    if (parsed) module_.set_entry(*id);
    module_.SetModuleAttribute<Attr::kIsScheduled>(true);
  }
  CloseScope();
  return parsed;
}

// Comments up to the current token. Within things printers write some of their own, which say
// where one is in a tuple or an array.
void ModuleParser::KeepComments() {
  std::vector<SourceRange>& comments = cursor_.comments();
  for (const SourceRange& comment : comments) {
    const bool is_new = comments_.empty() || comments_.back().end <= comment.begin;
    const bool is_within = comment.begin < cursor_.previous_end();
    const bool is_position = is_within && IsPositionComment(module_.source()->text(comment));
    if (is_new && !is_position) comments_.push_back(comment);
  }
  comments.clear();
}

void ModuleParser::OpenScope() {
  if (scope_count_ == scopes_.size()) scopes_.emplace_back();
  ++scope_count_;
  Scope& opened = scope();
  opened.names.Clear(InstructionId(module_.instructions().size()));
  opened.instructions.clear();
  opened.parameters.clear();
  opened.root = InstructionId();
  opened.has_error = false;
  opened.tuple_elements.clear();
  opened.unnamed.clear();
}

// Whether the text is something else than HLO, which is reported.
static bool IsForeign(const SourceText& source, DiagnosticSink& sink) {
  const std::optional<ForeignText> foreign = FindForeignText(source.text());
  if (!foreign) return false;
  sink.Error(Rule::kParseEmptyText, {foreign->offset, foreign->offset}, "no HLO in this text: {}",
             foreign->description);
  return true;
}

RecoveredModule RecoverModule(std::shared_ptr<const SourceText> source, DiagnosticSink& sink,
                              const ParseOptions& options) {
  RecoveredModule recovered{Module(std::move(source)), /*is_complete=*/false, {}};
  if (IsForeign(*recovered.module.source(), sink)) return recovered;
  ModuleParser parser(recovered.module, sink, options, &recovered.signature_clashes);
  recovered.is_complete = parser.Parse();
  return recovered;
}

std::optional<Module> ParseModule(std::shared_ptr<const SourceText> source, DiagnosticSink& sink,
                                  const ParseOptions& options) {
  Module module(std::move(source));
  if (IsForeign(*module.source(), sink)) return std::nullopt;
  if (!ModuleParser(module, sink, options, /*clashes=*/nullptr).Parse()) return std::nullopt;
  return module;
}

}  // namespace hlo

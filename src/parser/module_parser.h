// Reads a module: header, computations, instructions. One object reads one text.
//
//   parse_module.cc       forms of text, header, stack-frame tables, computations
//   parse_instruction.cc  instructions and their attributes
//   parse_operand.cc      operand lists
//   parse_async.cc        `add-start(...)` and the like
//   resolve.cc            what is known when an instruction, body or module is complete
//   check_instruction.cc  what attributes must say about each other
//   recover.cc            where to go on after an error
#ifndef HLOKIT_PARSER_MODULE_PARSER_H_
#define HLOKIT_PARSER_MODULE_PARSER_H_

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module_builder.h"
#include "ir/recovered_module.h"
#include "parser/name_table.h"
#include "parser/parse_context.h"

namespace hlo {

class ModuleParser {
 public:
  // `clashes` takes the signatures that clash with roots; null: they are reported.
  ModuleParser(Module& module, DiagnosticSink& sink, const ParseOptions& options,
               std::vector<SignatureClash>* clashes);

  // Reads the whole text; false when there was an error.
  bool Parse();

  // A computation by name or as an inline body; an invalid id when its definition was broken.
  bool ParseComputationRef(ComputationId& id);
  // The name of an instruction of the current body.
  bool ParsePredecessor(InstructionId& id);

 private:
  // One body while it is read.
  struct Scope {
    NameTable names;
    std::vector<InstructionId> instructions;
    struct Parameter {
      int64_t number;
      InstructionId id;
    };
    std::vector<Parameter> parameters;
    InstructionId root;
    bool has_error = false;
    // The get-tuple-element instructions behind `t#1`, by what they take apart.
    absl::flat_hash_map<std::pair<InstructionId, int64_t>, InstructionId> tuple_elements;
    // Instructions with a name that no text gives.
    std::vector<InstructionId> unnamed;
  };
  struct NamedComputation {
    ComputationId id;  // invalid: its definition was broken
    SourceRange range;
  };
  struct Signature {
    SourceRange parameters_range;
    std::vector<const Shape*> parameters;
    SourceRange result_range;
    const Shape* result = nullptr;
  };
  // `X-start`, `X-update` and `X-done`.
  struct AsyncSugar {
    Opcode wrapped;
    Opcode async;
  };

  // parse_module.cc
  bool ParseFullModule();
  bool ParseHeader();
  bool ParseModuleAttribute(std::vector<Attribute>& attributes);
  bool ParseStackFrameTables();
  bool ParseStringTable(Keyword keyword, std::vector<std::string_view>& table);
  bool ParseFileLocations();
  bool ParseStackFrames();
  bool ParseTableFields(std::span<const std::string_view> names, std::span<int32_t> values);
  void ParseComputations();
  void ReportSecondModule();
  bool ParseComputation();
  bool ParseSignature(Signature& signature);
  bool ParseExecutionThread(Computation& computation);
  void DefineComputation(std::string_view name, SourceRange range, ComputationId id);
  bool ParseSingleInstruction();
  void ReportUnclosedBody(SourceRange open);

  // Reads `{ instructions }`; on success the computation stands in the module.
  std::optional<ComputationId> ParseBody(Computation computation, const Signature* signature);

  // parse_instruction.cc
  bool ParseInstruction();
  bool ParseInstructionName(Instruction& instruction);
  bool CheckInstructionName(const Token& token);
  // Makes the name known; one that is taken is reported.
  void DefineInstruction(InstructionId id, uint32_t name_hash);
  // A placeholder for an instruction that could not be read, so that its users are not blamed.
  InstructionId AddBroken(const Instruction& instruction);
  // From the shape to the last attribute; fills and adds `instruction`.
  std::optional<InstructionId> ParseRightHandSide(Instruction& instruction, bool is_nested);
  bool ParseOpcodeWord(Instruction& instruction, std::optional<AsyncSugar>& sugar);
  std::optional<AsyncSugar> FindAsyncSugar(std::string_view text) const;
  bool FailUnknownOpcode(const Token& token);
  bool FailUnknownElementType(const Token& token);
  bool ParsePayload(Instruction& instruction);
  bool ParseAttributes(const Instruction& instruction, const std::optional<AsyncSugar>& sugar);
  bool ParseAttribute(const Instruction& instruction, const std::optional<AsyncSugar>& sugar,
                      size_t base);
  std::optional<Attr> FindAttributeOf(const Instruction& instruction,
                                      const std::optional<AsyncSugar>& sugar,
                                      std::string_view text) const;
  bool FailUnknownAttribute(const Instruction& instruction, const std::optional<AsyncSugar>& sugar,
                            const Token& key);

  // parse_operand.cc
  bool ParseOperands(Instruction& instruction);
  bool ParseOperand();
  bool ParseReference(const Token& name, const Shape* shape, uint32_t begin);
  bool ParseNestedOperand(const Token& opcode, const Shape* shape, SourceRange shape_range,
                          uint32_t begin);
  bool AddAnonymousParameter(const Shape& shape, uint32_t begin);
  InstructionId AddImplicitParameter(std::string_view name, SourceRange name_range,
                                     const Shape* shape, SourceRange range);
  bool CheckOperandShape(InstructionId id, const Shape* shape, SourceRange range);
  std::optional<InstructionId> ParseTupleSuffix(InstructionId base, std::string_view base_name);
  InstructionId GetTupleElement(InstructionId tuple, int64_t index, SourceRange range);
  bool FailUnknownOperand(const Token& name);
  bool FailUnknownComputation(const Token& name);
  bool IsDefinedLater(std::string_view name);
  bool IsComputationDefinedLater(std::string_view name);
  template <typename Collect>
  std::string SuggestName(std::string_view name, Collect collect);

  // parse_async.cc
  std::optional<InstructionId> FinishAsync(Instruction& instruction, const AsyncSugar& sugar,
                                           size_t attribute_base);
  std::optional<InstructionId> FinishAsyncStart(Instruction& instruction, const AsyncSugar& sugar,
                                                size_t attribute_base);
  std::optional<InstructionId> FinishAsyncLater(Instruction& instruction, const AsyncSugar& sugar,
                                                size_t attribute_base);
  bool CheckAsyncShape(const Instruction& instruction);
  ComputationId AddAsyncBody(const Instruction& caller, Opcode opcode,
                             std::span<const Shape> parameter_shapes, const Shape& root_shape,
                             const AttributeMap& attributes);
  ComputationId BoundCallee(Opcode wrapped, const AttributeMap& attributes) const;
  std::vector<Shape> SignatureShapes(ComputationId id) const;
  InstructionId AddAsyncParameter(ComputationId body, const Shape& shape);
  void BindPlainLater(InstructionId id);
  void BindLate(const Instruction& later, ComputationId body);
  void SetAsyncParameters(ComputationId body, std::span<const Shape> shapes);
  InstructionId FindChainStart(const Instruction& later);

  // resolve.cc
  std::optional<InstructionId> FinishInstruction(Instruction& instruction, size_t attribute_base);
  bool CheckArity(const Instruction& instruction);
  bool CheckRequiredAttributes(const Instruction& instruction);
  bool ResolveShape(Instruction& instruction);
  // Takes `count` parts of tuples that no text spells out from the budget. False when it is spent,
  // which is reported once.
  bool SpendParts(int64_t count, SourceRange range);
  int64_t PartLimit() const;
  void NormalizeAttributes(const Instruction& instruction, size_t attribute_base);
  Sharding ExpandSharding(const Sharding& sharding, const Shape& shape);
  AttributeMap StoreAttributes(size_t attribute_base);
  InstructionId AddToScope(const Instruction& instruction);
  bool HasBrokenOperand(const Instruction& instruction) const;
  std::optional<ComputationId> FinishBody(Computation computation, const Signature* signature,
                                          SourceRange close);
  bool CompareResult(const Computation& computation, const Signature& signature);
  bool ResolveParameters(Computation& computation);
  void CompareParameters(const Computation& computation, const Signature& signature);
  void NameUnnamedInstructions();
  void NameUnnamedComputations();
  void ResolveEntry();
  void ResolveEntryLayout();

  // check_instruction.cc
  bool CheckCompleteInstruction(const Instruction& instruction);
  using AttributeCheck = bool (ModuleParser::*)(const Instruction&, const Attribute&);
  static constexpr std::array<AttributeCheck, kAttributeCount> AttributeChecks();
  bool CheckReplication(const Instruction& instruction, const Attribute& attribute);
  bool CheckPairs(const Instruction& instruction, const Attribute& attribute);
  bool CheckApiVersion(const Instruction& instruction, const Attribute& attribute);
  bool CheckGlobalDeviceIds(const Instruction& instruction, const Attribute& attribute);
  bool CheckCalledComputations(const Instruction& instruction, const Attribute& attribute);
  bool CheckLayoutConstraints(const Instruction& instruction, const Attribute& attribute);
  bool CheckInheritedThread(const Instruction& instruction, const Attribute& attribute);

  // recover.cc
  void ResumeAtInstruction(const char* broken_begin);
  void ResumeAtComputation(const char* broken_begin);
  // Whether a broken computation was read to its closing brace.
  bool IsBehindBody() const;
  // Whether the text ends here, or the next computation begins, without a closing brace.
  bool AtEndOfUnclosedBody() const;

  void KeepComments();
  Scope& scope() { return scopes_[scope_count_ - 1]; }
  void OpenScope();
  void CloseScope() { --scope_count_; }

  Module& module_;
  DiagnosticSink& sink_;
  std::vector<SignatureClash>* const clashes_;
  const int64_t error_count_before_;  // the first token is read, and may be wrong, on construction
  ParseContext context_;
  Cursor& cursor_;

  std::deque<Scope> scopes_;  // the first scope_count_ are open
  size_t scope_count_ = 0;
  absl::flat_hash_map<std::string_view, NamedComputation, BytesHash, BytesEqual> computations_;
  std::vector<ComputationId> unnamed_computations_;
  // Of what hands asynchronous contexts on: the start they come from.
  absl::flat_hash_map<InstructionId, InstructionId> chain_starts_;
  ModuleBuilder async_bodies_;  // makes the computations of asynchronous operations
  SourceRange entry_range_;     // of the computation marked ENTRY, with the mark
  ComputationId last_computation_;
  bool is_single_instruction_ = false;
  std::string_view current_name_;         // of the instruction being read
  std::string_view current_computation_;  // the name of the top-level one being read
  std::vector<SourceRange> comments_;
  // What messages about unknown names may still cost, so that a text full of mistakes does not
  // take quadratic time: bytes looked through, names compared.
  int64_t search_budget_ = int64_t{1} << 26;
  int64_t comparison_budget_ = int64_t{1} << 17;
  // Derived shapes repeat the tuples of others; a limit keeps memory linear in the text.
  int64_t part_budget_ = PartLimit();

  // Lists under construction, used as stacks because bodies nest in attributes and instructions
  // in operands.
  std::vector<Operand> operand_stack_;
  std::vector<Attribute> attribute_stack_;
};

}  // namespace hlo

#endif  // HLOKIT_PARSER_MODULE_PARSER_H_

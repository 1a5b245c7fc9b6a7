// A module: plain data. Instructions and computations are numbered densely; their names, operand
// lists and attributes are views into the module's source text and arena. A module can be moved,
// not copied.
#ifndef HLOKIT_IR_MODULE_H_
#define HLOKIT_IR_MODULE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/node_hash_set.h"
#include "ir/attribute_map.h"
#include "ir/attribute_values.h"
#include "ir/ids.h"
#include "ir/literal.h"
#include "ir/opcode.h"
#include "ir/shape.h"
#include "support/arena.h"
#include "support/source.h"

namespace hlo {

// How an instruction or computation came to be; decides how it is printed.
enum class Spelling : uint8_t {
  kNamed,        // name = ...
  kAnonymous,    // a nested operand: add(negate(x), y); printed as an instruction of its own
  kTupleSuffix,  // the get-tuple-element behind t#1; printed as that suffix
  kInlineBody,   // computations: to_apply={ ... }; printed as a computation of its own
  kAsyncSugar,   // computations: the body of add-start(...); its caller is printed as sugar
};

struct Operand {
  InstructionId id;
  SourceRange range;  // of the operand with its shape; empty when no text stands behind it
};

struct Instruction {
  std::string_view name;         // without `%`
  const Shape* shape = nullptr;  // interned in the module
  List<Operand> operands;
  AttributeMap attributes;
  ComputationId computation;
  Opcode opcode = Opcode::kParameter;
  Spelling spelling = Spelling::kNamed;
  SourceRange range;        // from name (or ROOT) to the last attribute
  SourceRange name_range;   // with `%`
  SourceRange shape_range;  // empty when the shape was inferred
  SourceRange opcode_range;

  // The value of an attribute; its default where it is not written: T{}, or what the opcode's
  // row says.
  template <Attr kAttr>
  AttributeType<kAttr> Get() const {
    if (const AttributeType<kAttr>* value = attributes.GetIf<kAttr>()) return *value;
    if constexpr (std::is_same_v<AttributeType<kAttr>, int64_t> ||
                  std::is_same_v<AttributeType<kAttr>, bool> ||
                  AttributeEnum<AttributeType<kAttr>>) {
      const AttributeUse* use = FindAttributeUse(opcode, kAttr);
      return static_cast<AttributeType<kAttr>>(use == nullptr ? 0 : use->default_value);
    } else {
      return AttributeType<kAttr>{};
    }
  }
  bool Has(Attr attr) const { return attributes.Has(attr); }
};

struct Computation {
  std::string_view name;
  std::vector<InstructionId> instructions;  // in the order of the text
  std::vector<InstructionId> parameters;    // by parameter number
  InstructionId root;
  std::string_view execution_thread = "main";
  Spelling spelling = Spelling::kNamed;
  SourceRange range;
  SourceRange name_range;
};

// The stack-frame tables of the header (grammar.md 2.3). Ids are 1-based positions; 0 is "none".
struct StackFrameTables {
  struct FileLocation {
    int32_t file_name_id = 0;
    int32_t function_name_id = 0;
    int32_t line = 0;
    int32_t end_line = 0;
    int32_t column = 0;
    int32_t end_column = 0;
    bool operator==(const FileLocation&) const = default;
  };
  struct Frame {
    int32_t file_location_id = 0;
    int32_t parent_frame_id = 0;  // 0: none (the text says 1 for that, and k + 1 for frame k)
    bool operator==(const Frame&) const = default;
  };
  std::vector<std::string_view> file_names;
  std::vector<std::string_view> function_names;
  std::vector<FileLocation> file_locations;
  std::vector<Frame> frames;

  bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() && frames.empty();
  }
  bool operator==(const StackFrameTables&) const = default;
};

// What the text was (grammar.md 8).
enum class ModuleForm : uint8_t { kFull, kHeaderless, kInstruction };

class Module {
 public:
  explicit Module(std::shared_ptr<const SourceText> source);
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;

  // --- Reading ---------------------------------------------------------------------------------

  std::string_view name() const { return name_; }
  ModuleForm form() const { return form_; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }
  SourceRange name_range() const { return name_range_; }

  const AttributeMap& attributes() const { return attributes_; }
  template <Attr kAttr>
  const AttributeType<kAttr>* GetIf() const {
    return attributes_.GetIf<kAttr>();
  }
  const StackFrameTables& stack_frames() const { return stack_frames_; }

  std::span<const Instruction> instructions() const { return instructions_; }
  std::span<const Computation> computations() const { return computations_; }
  const Instruction& instruction(InstructionId id) const { return instructions_[id.value]; }
  const Computation& computation(ComputationId id) const { return computations_[id.value]; }
  InstructionId id_of(const Instruction& instruction) const {
    return InstructionId(static_cast<size_t>(&instruction - instructions_.data()));
  }
  const Instruction& operand(const Instruction& instruction, size_t i) const {
    return instructions_[instruction.operands[i].id.value];
  }
  ComputationId entry_id() const { return entry_; }
  const Computation& entry() const { return computations_[entry_.value]; }
  const Instruction& root(const Computation& computation) const {
    return instructions_[computation.root.value];
  }
  bool is_scheduled() const {
    const bool* scheduled = GetIf<Attr::kIsScheduled>();
    return scheduled != nullptr && *scheduled;
  }

  // Comments that stand between instructions, computations or before the header, in the order of
  // the text, with their delimiters.
  std::span<const SourceRange> comments() const { return comments_; }

  // Bytes the module holds besides its source text.
  size_t MemoryByteSize() const;

  // --- Building --------------------------------------------------------------------------------

  Arena& arena() { return arena_; }
  void set_source(std::shared_ptr<const SourceText> source) { source_ = std::move(source); }
  void set_name(std::string_view name) { name_ = name; }
  void set_name_range(SourceRange range) { name_range_ = range; }
  void set_form(ModuleForm form) { form_ = form; }
  void set_attributes(AttributeMap attributes) { attributes_ = attributes; }
  void set_entry(ComputationId id) { entry_ = id; }
  void set_comments(std::vector<SourceRange> comments) { comments_ = std::move(comments); }
  StackFrameTables& mutable_stack_frames() { return stack_frames_; }

  // The one stored copy of `shape`, which lives as long as the module.
  const Shape* InternShape(const Shape& shape);
  // A literal that lives as long as the module.
  const Literal* AddLiteral(Literal literal);
  ComputationId AddComputation(Computation computation);
  // Appends to the module only; the caller lists it in its computation.
  InstructionId AddInstruction(const Instruction& instruction);
  void ReserveInstructions(size_t count) { instructions_.reserve(count); }
  Instruction& mutable_instruction(InstructionId id) { return instructions_[id.value]; }
  Computation& mutable_computation(ComputationId id) { return computations_[id.value]; }
  // Sets (or replaces) one attribute.
  template <Attr kAttr>
  void SetAttribute(InstructionId id, const AttributeType<kAttr>& value, SourceRange range = {}) {
    SetAttribute(instructions_[id.value].attributes,
                 {kAttr, range, AttributeValue::Make(value, arena_)});
  }
  template <Attr kAttr>
  void SetModuleAttribute(const AttributeType<kAttr>& value, SourceRange range = {}) {
    SetAttribute(attributes_, {kAttr, range, AttributeValue::Make(value, arena_)});
  }
  void RemoveAttribute(InstructionId id, Attr attr);

 private:
  void SetAttribute(AttributeMap& map, const Attribute& attribute);

  std::shared_ptr<const SourceText> source_;
  Arena arena_;
  std::string_view name_;
  SourceRange name_range_;
  ModuleForm form_ = ModuleForm::kFull;
  AttributeMap attributes_;
  StackFrameTables stack_frames_;
  std::vector<Instruction> instructions_;
  std::vector<Computation> computations_;
  ComputationId entry_;
  std::vector<SourceRange> comments_;
  absl::node_hash_set<Shape> shapes_;
  std::deque<Literal> literals_;
};

// Whether two modules say the same: everything but source ranges, comments and spelling takes
// part, literals bit by bit.
bool EqualModules(const Module& a, const Module& b);

// The first difference EqualModules finds, in words, or an empty string: for messages and tests.
std::string DescribeDifference(const Module& a, const Module& b);

}  // namespace hlo

#endif  // HLOKIT_IR_MODULE_H_

// Opcodes and what the table says of them.
#ifndef HLOKIT_IR_OPCODE_H_
#define HLOKIT_IR_OPCODE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/attribute.h"
#include "ir/element_type.h"
#include "ir/rule.h"

namespace hlo {

enum class Opcode : uint8_t {
#define HLO_OPCODE(Name, ...) k##Name,
#include "ir/opcodes.def"
};
inline constexpr int kOpcodeCount = 0
#define HLO_OPCODE(...) +1
#include "ir/opcodes.def"
    ;

enum class OpcodeFamily : uint8_t {
  kElementwise,
  kDataMovement,
  kReduction,
  kContraction,
  kIndexing,
  kLinalg,
  kRandom,
  kControlFlow,
  kCollective,
  kEffects,
};

enum OpcodeTraits : uint32_t {
  kNoTraits = 0,
  kLiteralPayload = 1 << 0,    // (literal) instead of operands
  kParameterPayload = 1 << 1,  // (number) instead of operands
  kEmbedded = 1 << 2,          // calls a computation for scalars or inside one kernel
  kControlFlowCall = 1 << 3,   // calls a computation as control flow
  kSideEffect = 1 << 4,        // executes even when nobody uses its result
  kStateful = 1 << 5,          // reads and advances state outside its operands
  kShapeIgnored = 1 << 6,      // XLA derives the shape and ignores (parts of) the written one
  kNoAsyncSugar = 1 << 7,      // <opcode>-start, -update, -done are not short for async ops
  kRouted = 1 << 8,            // only routes values: resolved by the plan, has no kernel
  // Result i may take over the memory of operand i: it starts as that, or the kernel reads an
  // element of everybody's operand before it writes it to anybody's result.
  kOverwritesOperand = 1 << 9,
  // The result is exactly what the operands say: float precision, dynamic flags and, in
  // layout-sensitive mode, layouts are never relaxed (verifier.md 0.6, 0.7).
  kExactResult = 1 << 10,
  kMixesPrecision = 1 << 11,  // operands may be of several float types (verifier.md 0.6)
  // Moves data or calls: may change layouts, as everything collective or asynchronous may
  // (verifier.md 1.17).
  kChangesLayout = 1 << 12,
  // Elements of the result are elements of the operands, at most converted, and at places that do
  // not depend on what they are.
  kMovesElements = 1 << 13,
  kTakesScratch = 1 << 14,  // the reference kernel needs memory besides its arrays: <Name>Scratch
  kCountsWork = 1 << 15,    // takes longer than its arrays are large: <Name>Work
  kPrepares = 1 << 16,      // the reference kernel has something to prepare: Prepare<Name>
  // The reference kernel writes result i in the type of operand i, whatever type of floats is
  // written: the plan converts.
  kKeepsOperandType = 1 << 17,
  kChoosesElements = 1 << 18,  // each element of the result is that of one of the operands
  kReadsPart = 1 << 19,        // reads of operand 0 no more than it puts into the result
  kNeverRounds = 1 << 20,   // of real numbers in a type with signs the result is one of that type
  kCommutative = 1 << 21,   // of two operands, whose order says nothing about the result
  kChangesType = 1 << 22,   // elementwise: the result may be of another type than operand 0
  kAsyncPart = 1 << 23,     // async-start, -update or -done
  kMakesContext = 1 << 24,  // begins, or keeps up, what another instruction ends
  kTakesContext = 1 << 25,  // goes on with the instruction that is operand 0, or ends it
  kCompilerMade = 1 << 26,  // compilers insert it for themselves
  // May stand, with what it passes on unchanged, between the instruction that makes a context and
  // the one that takes it ...
  kPassesContext = 1 << 27,
  kHoldsContext = 1 << 28,  // ... may take it along otherwise, as a callee's argument
  kKeepsState = 1 << 29,    // what the reference kernel prepares grows with sizes: <Name>State
};
constexpr OpcodeTraits operator|(OpcodeTraits a, OpcodeTraits b) {
  return static_cast<OpcodeTraits>(static_cast<int>(a) | static_cast<int>(b));
}

// How many operands an opcode takes: least, least + step, ... up to most.
struct Arity {
  static constexpr int kUnlimited = -1;
  int least;
  int most;
  int step;
  Rule rule = Rule::kInstArity;  // what other counts break

  constexpr bool Allows(int64_t count) const {
    return count >= least && (most == kUnlimited || count <= most) && (count - least) % step == 0;
  }
};

struct OpcodeInfo {
  std::string_view text;
  OpcodeFamily family;
  Arity arity;
  bool shape_inferred;  // the text may omit the result shape
  OpcodeTraits traits;
  std::span<const AttributeUse> attributes;  // the opcode's own, in print order
  // The element types of operands that the row names; nothing where it names none, which is not the
  // same as any.
  std::optional<TypeSet> domain;
  int operations;          // for an element of the result; of elementwise rows
  const char* identifier;  // the row's name: "AllReduceStart"
};
const OpcodeInfo& GetOpcodeInfo(Opcode opcode);

inline std::string_view OpcodeName(Opcode opcode) { return GetOpcodeInfo(opcode).text; }
inline bool HasTrait(Opcode opcode, OpcodeTraits trait) {
  return (GetOpcodeInfo(opcode).traits & trait) != 0;
}

// The opcode spelled `text`, or nothing.
std::optional<Opcode> ParseOpcode(std::string_view text);

// The attribute that `opcode` calls `text`, common ones included, or nothing.
std::optional<Attr> FindAttribute(Opcode opcode, std::string_view text);
// The same for the module line.
std::optional<Attr> FindModuleAttribute(std::string_view text);

// How `opcode` takes `attr`, or null when it does not or `attr` is a common one.
const AttributeUse* FindAttributeUse(Opcode opcode, Attr attr);

}  // namespace hlo

#endif  // HLOKIT_IR_OPCODE_H_

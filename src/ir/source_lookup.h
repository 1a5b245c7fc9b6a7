// What stands at a place of a module's text: which instruction, and which part of it. For tools
// that are pointed at a place: editors, allow-comments, reports by line.
#ifndef HLOKIT_IR_SOURCE_LOOKUP_H_
#define HLOKIT_IR_SOURCE_LOOKUP_H_

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace hlo {

struct SourcePart {
  enum class Kind : uint8_t {
    kNothing,      // between computations, or in the header
    kComputation,  // inside a computation, outside of its instructions
    kName,         // of an instruction, with `%`
    kShape,
    kOpcode,
    kOperand,
    kAttribute,    // key and value
    kInstruction,  // anything else of it
  };
  Kind kind = Kind::kNothing;
  ComputationId computation;
  InstructionId instruction;  // from kName on
  size_t operand = 0;         // kOperand: which one
  Attr attr = {};             // kAttribute
  SourceRange range;          // of the part
};

class SourceLookup {
 public:
  // Takes n log n time for n instructions. The module must outlive the lookup and stay unchanged.
  explicit SourceLookup(const Module& module);

  // The innermost part whose range holds the byte at `offset`. An operand written in place,
  // add(negate(x), y), is an instruction of its own.
  SourcePart At(uint32_t offset) const;

 private:
  // Ranges nest or are disjoint: sorted by begin, each knows the one around it.
  struct Node {
    SourceRange range;
    ComputationId computation;
    InstructionId instruction;  // invalid: the computation itself
    int32_t parent = -1;
  };
  const Module& module_;
  std::vector<Node> nodes_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_SOURCE_LOOKUP_H_

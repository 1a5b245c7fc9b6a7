// A module as far as a text with mistakes says one.
#ifndef HLOKIT_IR_RECOVERED_MODULE_H_
#define HLOKIT_IR_RECOVERED_MODULE_H_

#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace hlo {

// A signature that promises another result than its computation's root has: one of them is wrong,
// and only inference can say whether it is the root.
struct SignatureClash {
  std::string_view computation;
  const Shape* promised;
  SourceRange promised_range;
  InstructionId root;
};

struct RecoveredModule {
  Module module;
  // False when there was an error. Then an instruction that could not be read is broken: an array
  // has its shape, if that was read. One that was read may have such operands, a body with a
  // mistake is no computation (its instructions belong to none), and there may be no entry.
  // Computations that are named are complete.
  bool is_complete = false;
  // Errors that are still to be reported, where the root's own shape is not what is wrong.
  std::vector<SignatureClash> signature_clashes;
};

// Whether `instruction` could not be read, in a module of which only a part could: others may name
// it, and it is a parameter without a number. Where its shape was read too, it has that.
inline bool IsBroken(const Instruction& instruction) {
  return instruction.opcode == Opcode::kParameter && !instruction.Has(Attr::kParameterNumber);
}

// Reports comp.signature-result.
Failure ReportClash(const SignatureClash& clash, const Module& module, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_IR_RECOVERED_MODULE_H_

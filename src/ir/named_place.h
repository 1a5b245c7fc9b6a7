// Places in words, for modules, and parts of modules, that no text stands for: made in code, or
// cloned from another module.
#ifndef HLOKIT_IR_NAMED_PLACE_H_
#define HLOKIT_IR_NAMED_PLACE_H_

#include <string>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

// "instruction `add.1` of computation `main`"
std::string NamedPlace(const Module& module, const Instruction& instruction);
// "computation `main`"
std::string NamedPlace(const Computation& computation);

// Where to point for `instruction`: at its opcode, or at the name of its computation; nowhere
// (empty) when neither has text.
SourceRange NearestText(const Module& module, const Instruction& instruction);

// Adds to what was reported last at `instruction` a note that names it, unless text stands for it.
void NotePlace(const Module& module, const Instruction& instruction, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_IR_NAMED_PLACE_H_

// Where an instruction came from, as its metadata says.
#ifndef HLOKIT_INTERP_INSPECT_PROVENANCE_TEXT_H_
#define HLOKIT_INTERP_INSPECT_PROVENANCE_TEXT_H_

#include <string>
#include <string_view>

#include "ir/module.h"

namespace hlo {

// `model.py:12`: source_file and source_line, else the innermost stack frame; empty when the text
// has neither.
std::string SourceLineOf(const Module& module, const Instruction& instruction);

// The metadata's op_name; empty when there is none.
std::string_view OpNameOf(const Instruction& instruction);

// Both, each behind two blanks, for the end of a line.
std::string ProvenanceText(const Module& module, const Instruction& instruction);

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_PROVENANCE_TEXT_H_

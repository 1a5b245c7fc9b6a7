// No text stands for an instruction whose range is empty. The nearest text is then the name of its
// computation; where that has none either, the place is empty, and the words of the note say it
// alone.
#include "ir/named_place.h"

#include <fmt/format.h>

namespace hlo {

std::string NamedPlace(const Module& module, const Instruction& instruction) {
  const std::string name = fmt::format("instruction `{}`", instruction.name);
  if (!instruction.computation.valid()) return name;
  return fmt::format("{} of {}", name, NamedPlace(module.computation(instruction.computation)));
}

std::string NamedPlace(const Computation& computation) {
  return fmt::format("computation `{}`", computation.name);
}

SourceRange NearestText(const Module& module, const Instruction& instruction) {
  if (!instruction.range.empty() || !instruction.computation.valid()) {
    return instruction.opcode_range;
  }
  return module.computation(instruction.computation).name_range;
}

void NotePlace(const Module& module, const Instruction& instruction, DiagnosticSink& sink) {
  if (!instruction.range.empty()) return;
  sink.Note(NearestText(module, instruction), "in {}", NamedPlace(module, instruction));
}

}  // namespace hlo

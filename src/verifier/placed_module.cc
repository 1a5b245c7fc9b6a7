// Instructions have the first places, by id, computations those behind them. Each place is a line
// of its own, so that no comment speaks of it.
#include "verifier/placed_module.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ir/named_place.h"

namespace hlo {
namespace {

std::shared_ptr<const SourceText> TextWithPlaces(const Module& module) {
  const size_t count = module.instructions().size() + module.computations().size();
  std::string text(module.source()->text());
  text.append(count + 1, '\n');
  return std::make_shared<SourceText>(module.source()->name(), std::move(text));
}

}  // namespace

bool PlacedModule::IsNeeded(const Module& module) {
  const auto has_no_text = [](const auto& part) { return part.range.empty(); };
  return std::ranges::any_of(module.instructions(), has_no_text) ||
         std::ranges::any_of(module.computations(), has_no_text);
}

PlacedModule::PlacedModule(const Module& module)
    : first_place_(static_cast<uint32_t>(module.source()->text().size()) + 1),
      placed_(TextWithPlaces(module)) {
  AddInstructions(module);
  AddComputations(module);
  placed_.set_name(module.name());
  placed_.set_name_range(module.name_range());
  placed_.set_form(module.form());
  placed_.set_attributes(module.attributes());
  placed_.set_entry(module.entry_id());
  placed_.set_comments({module.comments().begin(), module.comments().end()});
  placed_.mutable_stack_frames() = module.stack_frames();
}

SourceRange PlacedModule::PlaceOf(size_t index) const {
  const uint32_t begin = first_place_ + static_cast<uint32_t>(index);
  return {begin, begin + 1};
}

void PlacedModule::AddInstructions(const Module& module) {
  placed_.ReserveInstructions(module.instructions().size());
  for (Instruction instruction : module.instructions()) {
    if (instruction.range.empty()) {
      instruction.range = PlaceOf(placed_.instructions().size());
      instruction.name_range = instruction.opcode_range = instruction.range;
    }
    placed_.AddInstruction(instruction);
  }
}

void PlacedModule::AddComputations(const Module& module) {
  for (Computation computation : module.computations()) {
    if (computation.range.empty()) {
      computation.range = PlaceOf(module.instructions().size() + placed_.computations().size());
      computation.name_range = computation.range;
    }
    placed_.AddComputation(std::move(computation));
  }
}

std::string PlacedModule::NameOf(SourceRange place) const {
  const size_t index = place.begin - first_place_;
  const size_t instruction_count = placed_.instructions().size();
  if (index < instruction_count) return NamedPlace(placed_, placed_.instructions()[index]);
  return NamedPlace(placed_.computations()[index - instruction_count]);
}

SourceRange PlacedModule::TextOf(SourceRange place) const {
  const size_t index = place.begin - first_place_;
  if (index >= placed_.instructions().size()) return {};
  const Instruction& instruction = placed_.instructions()[index];
  if (!instruction.computation.valid()) return {};
  const SourceRange name = placed_.computation(instruction.computation).name_range;
  return IsPlace(name) ? SourceRange() : name;
}

void PlacedModule::Name(Diagnostic& finding) const {
  for (DiagnosticNote& note : finding.notes) {
    if (!IsPlace(note.range)) continue;
    note.message += ": " + NameOf(note.range);
    note.range = TextOf(note.range);
  }
  if (!IsPlace(finding.range)) return;
  const SourceRange text = TextOf(finding.range);
  finding.notes.insert(finding.notes.begin(), {text, "in " + NameOf(finding.range)});
  finding.range = text;
}

}  // namespace hlo

// File names first: what tells two instructions apart in the text must tell their files apart, on
// file systems that ignore case too.
#include "interp/inspect/dump.h"

#include <fmt/format.h>

#include <cctype>

#include "interp/inspect/inspect.h"
#include "support/status_macros.h"
#include "support/write_file.h"
#include "values/npy.h"

namespace hlo {
namespace {

// `text` with %xx for capital letters where `mark_case`. Names have letters, digits, `_`, `.` and
// `-` only (grammar.md 1.3) and begin with a letter or `_`, so nothing else needs care.
std::string Spelled(std::string_view text, bool mark_case) {
  std::string spelled;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (mark_case && std::isupper(byte)) {
      spelled += fmt::format("%{:02x}", byte);
    } else {
      spelled += c;
    }
  }
  return spelled;
}

std::string Folded(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// File systems take 255 bytes, of which endings need some.
std::string Shortened(std::string name) {
  constexpr size_t kMaxSize = 180;
  constexpr size_t kKeptSize = 150;
  if (name.size() <= kMaxSize) return name;
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the same on every machine
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}%-{:016x}", name.substr(0, kKeptSize), hash);
}

std::string QualifiedName(const Module& module, const Instruction& instruction, bool mark_case) {
  return fmt::format("{}@{}", Spelled(instruction.name, mark_case),
                     Spelled(module.computation(instruction.computation).name, mark_case));
}

std::string ExecutionName(const std::string& name, size_t leaf, size_t leaf_count,
                          std::span<const LoopIteration> loops) {
  std::string text = name;
  if (leaf_count > 1) text += fmt::format("#{}", leaf);
  for (const LoopIteration& loop : loops) text += fmt::format("+{}", loop.iteration);
  return text;
}

}  // namespace

absl::flat_hash_map<InstructionId, std::string> FileNames(const Module& module) {
  absl::flat_hash_map<std::string, int64_t> same_name, same_qualified;
  for (const Instruction& instruction : module.instructions()) {
    ++same_name[Folded(Spelled(instruction.name, false))];
    ++same_qualified[Folded(QualifiedName(module, instruction, false))];
  }
  absl::flat_hash_map<InstructionId, std::string> names;
  for (const Instruction& instruction : module.instructions()) {
    std::string name = Spelled(instruction.name, false);
    if (same_name[Folded(name)] > 1) {
      name = QualifiedName(module, instruction, false);
      if (same_qualified[Folded(name)] > 1) name = QualifiedName(module, instruction, true);
    }
    names[module.id_of(instruction)] = Shortened(std::move(name));
  }
  return names;
}

Dumper::Dumper(const Module& module, std::string_view pattern, std::string directory)
    : module_(module), pattern_(std::string(pattern)), directory_(std::move(directory)) {
  for (auto& [id, name] : FileNames(module)) {
    if (Matches(pattern_, module_.instruction(id).name)) names_[id] = name;
  }
}

void Dumper::BeforeStep(const Step& step, const Evaluation&) { path_.BeforeStep(step); }

void Dumper::BeforeIteration(const Step&, int64_t iteration) { path_.BeforeIteration(iteration); }

absl::Status Dumper::AfterStep(const Step& step, const Evaluation& evaluation) {
  path_.AfterStep(step);
  const auto name = names_.find(step.instruction);
  if (name == names_.end()) return absl::OkStatus();
  const size_t leaf_count = evaluation.results().size();
  for (size_t i = 0; i < leaf_count; ++i) {
    std::string file = ExecutionName(name->second, i, leaf_count, path_.loops());
    if (const int64_t count = ++counts_[file]; count > 1) file += fmt::format("~{}", count);
    HLO_ASSIGN_OR_RETURN(const Literal literal, ToLiteral(evaluation.result(i)));
    HLO_ASSIGN_OR_RETURN(const std::string bytes, EncodeNpy(literal));
    HLO_RETURN_IF_ERROR(WriteFileAtomically(fmt::format("{}/{}.npy", directory_, file), bytes));
  }
  return absl::OkStatus();
}

}  // namespace hlo

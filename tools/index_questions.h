// Which instructions hlo-index is asked about, and from which side.
#ifndef HLOKIT_TOOLS_INDEX_QUESTIONS_H_
#define HLOKIT_TOOLS_INDEX_QUESTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "re2/re2.h"
#include "tools/index_flags.h"

namespace hlo::tools {

// The patterns of --instr and --opcode, compiled once.
struct InstructionFilter {
  std::unique_ptr<re2::RE2> name, opcode;  // null: all

  static absl::StatusOr<InstructionFilter> Make(const IndexFlags& flags);
  bool Matches(const Instruction& instruction) const;
};

// One question about an instruction: towards its inputs from one output, or the other way round.
struct Question {
  InstructionId id;
  bool to_input;
  int64_t number;  // of the output, or of the operand
};

// What the command line asks of a module: of its root, or of everything with operands that matches.
std::vector<Question> Questions(const Module& module, const IndexFlags& flags,
                                const InstructionFilter& filter);

// The names of all instructions, to suggest one.
std::vector<std::string_view> InstructionNames(const Module& module);

// By its name, with or without %; of several the one of the entry computation.
std::optional<InstructionId> FindInstruction(const Module& module, std::string_view name);

// "[3, 5]" or "3,5"; nothing where it is no list of numbers.
std::optional<std::vector<int64_t>> ParseIndex(std::string_view text);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_QUESTIONS_H_

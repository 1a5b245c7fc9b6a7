// hlo-index on one module: which instructions, which maps, and what is written of them.
#ifndef HLOKIT_TOOLS_INDEX_MODULE_H_
#define HLOKIT_TOOLS_INDEX_MODULE_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "re2/re2.h"
#include "tools/index_flags.h"
#include "tools/tool.h"

namespace hlo::tools {

// The patterns of --instr and --opcode, compiled once.
struct InstructionFilter {
  std::unique_ptr<re2::RE2> name, opcode;  // null: all

  static absl::StatusOr<InstructionFilter> Make(const IndexFlags& flags);
  bool Matches(const Instruction& instruction) const;
};

// Answers for a verified module. Names that do not exist are reported as usage errors.
void IndexModule(const Module& module, const IndexFlags& flags, const InstructionFilter& filter,
                 Session& session);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_MODULE_H_

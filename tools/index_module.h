// hlo-index on one module: which instructions, which maps, and what is written of them.
#ifndef HLOKIT_TOOLS_INDEX_MODULE_H_
#define HLOKIT_TOOLS_INDEX_MODULE_H_

#include "ir/module.h"
#include "tools/index_flags.h"
#include "tools/index_questions.h"
#include "tools/tool.h"

namespace hlo::tools {

// Answers for a verified module. Names that do not exist are reported as usage errors.
void IndexModule(const Module& module, const IndexFlags& flags, const InstructionFilter& filter,
                 Session& session);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_MODULE_H_

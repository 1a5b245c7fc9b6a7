// Operations of hlo-index on maps given as text.
#ifndef HLOKIT_TOOLS_INDEX_MAP_TEXT_H_
#define HLOKIT_TOOLS_INDEX_MAP_TEXT_H_

#include "tools/index_flags.h"
#include "tools/tool.h"

namespace hlo::tools {

// Does what the flags ask of map texts and writes the results, a line each.
void WorkOnMapTexts(Session& session, const IndexFlags& flags);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_MAP_TEXT_H_

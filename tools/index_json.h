// Maps as JSON, for scripts.
#ifndef HLOKIT_TOOLS_INDEX_JSON_H_
#define HLOKIT_TOOLS_INDEX_JSON_H_

#include <string>
#include <vector>

#include "indexing/grouped.h"
#include "indexing/indexing_map.h"
#include "indexing/op_maps.h"
#include "ir/module.h"
#include "tools/index_questions.h"

namespace hlo::tools {

// {"state": "known", "text": "(d0)[s0] -> (d0 + s0), domain: ...", "dims": [{"name": "d0",
// "bounds": [0, 3]}], "ranges": [...], "runtimes": [{..., "origin": "i", "index": ["d0"]}],
// "results": ["d0 + s0"], "constraints": [{"expression": "d0 + s0", "bounds": [0, 5]}]}; `state` is
// known, empty or unknown, and an unknown map has nothing else.
std::string MapJson(const Module& module, const indexing::IndexingMap& map);

// [MAP, ...] in the order of their texts.
std::string MapSetJson(const Module& module, const indexing::MapSet& maps);

// {"instruction": ..., "direction": "out-to-in", "output": 0: the start of an answer, whose object
// is left open.
std::string QuestionHeadJson(const Module& module, const Question& question);

// The answer of maps for each operand, or for each output.
std::string QuestionJson(const Module& module, const Question& question,
                         const std::vector<indexing::ArrayMaps>& maps);

// The answer of maps for each group.
std::string GroupsJson(const Module& module, const Question& question,
                       const std::vector<indexing::GroupedMaps>& groups);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_JSON_H_

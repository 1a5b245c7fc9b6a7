// What hlo-index answers, as text.
#ifndef HLOKIT_TOOLS_INDEX_TEXT_H_
#define HLOKIT_TOOLS_INDEX_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indexing/grouped.h"
#include "indexing/provenance.h"
#include "indexing/report.h"
#include "ir/module.h"
#include "tools/index_check.h"
#include "tools/index_questions.h"

namespace hlo::tools {

// "r = f32[5,3] reshape(t), output 1", a line.
std::string QuestionHeading(const Module& module, const Question& question);

// The maps of each group behind its name.
std::string GroupsText(const Module& module, const std::vector<indexing::GroupedMaps>& groups,
                       const indexing::ReportOptions& options);

// "t: [5, 3]".
std::string NeededText(const Module& module, const indexing::NeededElements& needed);

// r: [3, 5] = reshape(t)
//   t: [5, 3]
std::string StepText(const Module& module, const indexing::ProvenanceStep& step);

// "exact for 24 elements".
std::string CheckText(const absl::StatusOr<CheckResult>& result);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_TEXT_H_

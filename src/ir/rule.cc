// Of a row of rules.def only the id, which is all that reporting takes; verifier/rule.cc expands
// the other columns. An enumerator is the index of its row.
#include "ir/rule.h"

namespace hlo {
namespace {

constexpr std::string_view kIds[] = {
#define HLO_RULE(Name, id, ...) id,
#include "ir/rules.def"
};

}  // namespace

std::string_view RuleId(Rule rule) { return kIds[static_cast<size_t>(rule)]; }

}  // namespace hlo

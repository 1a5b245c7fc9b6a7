// What tests of indexing maps share: reading texts, and comparing relations point by point.
#ifndef HLOKIT_TESTING_INDEXING_CASES_H_
#define HLOKIT_TESTING_INDEXING_CASES_H_

#include <string>
#include <string_view>

#include "indexing/indexing_map.h"

namespace hlo::testing {

// The map that `text` says. Fails the calling test when it does not parse.
indexing::IndexingMap MapOf(indexing::ExprContext& context, const std::string& text);

// `text` without white space.
std::string Squeezed(std::string_view text);

// "" when both maps have equally many variables of each kind, the same domain and the same results
// at every point; otherwise what differs. Large domains are compared at random points.
std::string Difference(const indexing::IndexingMap& a, const indexing::IndexingMap& b);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_INDEXING_CASES_H_

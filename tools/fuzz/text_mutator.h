// Changes HLO text so that it often stays a program: what is replaced is of the kind of what was
// there. For fuzz targets that want to get behind the verifier.
#ifndef HLOKIT_TOOLS_FUZZ_TEXT_MUTATOR_H_
#define HLOKIT_TOOLS_FUZZ_TEXT_MUTATOR_H_

#include <string>
#include <string_view>

#include "tools/fuzz/random.h"

namespace hlo::fuzz {

// `text` with one change of a random kind; the same text where that kind finds nothing to change.
std::string Mutate(std::string_view text, Random& random);

// `text` with the computations of `other` in front under names of their own, now and then called.
std::string CrossOver(std::string_view text, std::string_view other, Random& random);

}  // namespace hlo::fuzz

#endif  // HLOKIT_TOOLS_FUZZ_TEXT_MUTATOR_H_

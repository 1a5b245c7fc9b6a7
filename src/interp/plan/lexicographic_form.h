// Comparators of several values, and of values that are taken through selects first.
#ifndef HLOKIT_INTERP_PLAN_LEXICOGRAPHIC_FORM_H_
#define HLOKIT_INTERP_PLAN_LEXICOGRAPHIC_FORM_H_

#include "interp/kernel/function_form.h"
#include "interp/plan/plan.h"

namespace hlo {

// What comparator `region` amounts to, however it is written: FunctionForm::Kind::kComparator where
// it has one key that is ordered with NaN as without, kLexicographic where it has another key or
// several, else kOther.
FunctionForm RecogniseLexicographic(const Plan& plan, const Region& region);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_LEXICOGRAPHIC_FORM_H_

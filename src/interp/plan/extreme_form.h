// The function of argmax and argmin.
#ifndef HLOKIT_INTERP_PLAN_EXTREME_FORM_H_
#define HLOKIT_INTERP_PLAN_EXTREME_FORM_H_

#include "interp/kernel/function_form.h"
#include "interp/plan/plan.h"

namespace hlo {

// FunctionForm::Kind::kExtreme where `region` amounts to that, however it is written; else kOther.
FunctionForm RecogniseExtreme(const Plan& plan, const Region& region);

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_EXTREME_FORM_H_

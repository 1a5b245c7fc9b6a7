// The backends there are.
#ifndef HLOKIT_INTERP_BACKENDS_H_
#define HLOKIT_INTERP_BACKENDS_H_

#include <span>
#include <string_view>

#include "interp/plan/backend.h"

namespace hlo {

// All backends; the first one is the default.
std::span<const Backend> Backends();
// The backend called `name`, or null.
const Backend* FindBackend(std::string_view name);

}  // namespace hlo

#endif  // HLOKIT_INTERP_BACKENDS_H_

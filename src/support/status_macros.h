// Early return for functions that return absl::Status or absl::StatusOr.
#ifndef HLOKIT_SUPPORT_STATUS_MACROS_H_
#define HLOKIT_SUPPORT_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define HLO_RETURN_IF_ERROR(expression)                       \
  do {                                                        \
    if (absl::Status status_ = (expression); !status_.ok()) { \
      return status_;                                         \
    }                                                         \
  } while (false)

#define HLO_STATUS_CONCAT_INNER(a, b) a##b
#define HLO_STATUS_CONCAT(a, b) HLO_STATUS_CONCAT_INNER(a, b)

#define HLO_ASSIGN_OR_RETURN(declaration, expression) \
  HLO_ASSIGN_OR_RETURN_IMPL(HLO_STATUS_CONCAT(status_or_, __LINE__), declaration, expression)
#define HLO_ASSIGN_OR_RETURN_IMPL(temporary, declaration, expression) \
  auto temporary = (expression);                                      \
  if (!temporary.ok()) return temporary.status();                     \
  declaration = *std::move(temporary)

#endif  // HLOKIT_SUPPORT_STATUS_MACROS_H_

// Checks of our own invariants. Input never reaches these: what a user can cause is a
// diagnostic or a Status.
#ifndef HLOKIT_SUPPORT_CHECK_H_
#define HLOKIT_SUPPORT_CHECK_H_

namespace hlo {

// Prints the failed condition with its place and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace hlo

#define HLO_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::hlo::CheckFailed(#condition, __FILE__, __LINE__))

#define HLO_UNREACHABLE() ::hlo::CheckFailed("unreachable", __FILE__, __LINE__)

#endif  // HLOKIT_SUPPORT_CHECK_H_

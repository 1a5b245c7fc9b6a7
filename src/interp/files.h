// Whole files.
#ifndef HLOKIT_INTERP_FILES_H_
#define HLOKIT_INTERP_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace hlo {

// "-" is stdin. Fails with the system's reason.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

}  // namespace hlo

#endif  // HLOKIT_INTERP_FILES_H_

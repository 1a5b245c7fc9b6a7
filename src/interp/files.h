// Whole files.
#ifndef HLOKIT_INTERP_FILES_H_
#define HLOKIT_INTERP_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace hlo {

// "-" is stdin. Fails with the system's reason.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// Writes under a temporary name beside `path`, then renames: readers see the old file or the new
// one, never a part.
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace hlo

#endif  // HLOKIT_INTERP_FILES_H_

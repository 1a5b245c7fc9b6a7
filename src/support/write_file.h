// Writing whole files.
#ifndef HLOKIT_SUPPORT_WRITE_FILE_H_
#define HLOKIT_SUPPORT_WRITE_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace hlo {

// Writes through a temporary file beside `path` that takes its place when it is complete: readers
// see the old file or the new one, never a part. Links are followed, what they point to is
// replaced; the mode of an existing file is kept. Devices and pipes are written to. Fails with
// kUnavailable and the system's reason.
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes);

// Removes the temporary file of the write that goes on, if one does: for signal handlers that end
// the process. Where several threads write, of the one that began last.
void RemoveTemporaryFile();

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_WRITE_FILE_H_

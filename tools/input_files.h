// The texts a tool works on: files, directories, lists of files, stdin.
#ifndef HLOKIT_TOOLS_INPUT_FILES_H_
#define HLOKIT_TOOLS_INPUT_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/source.h"

namespace hlo::tools {

// One name to read, or the reason why it is none.
struct InputPath {
  std::string path;  // "-" is stdin
  absl::Status status;
};

// The files that `arguments` mean, in their order: a directory stands for what IsHloFileName
// accepts below it (sorted), `@list` for the names in that file, one a line. No argument means
// stdin.
std::vector<InputPath> ExpandInputPaths(const std::vector<std::string>& arguments);

// Whether a file found in a directory holds HLO text: `*.hlo`, XLA's dumps
// `*before_optimizations*.txt` and `*after_optimizations*.txt` without their reports, and the
// same with `.gz`.
bool IsHloFileName(std::string_view name);

// The bytes of `path` ("-": stdin), unpacked when they are gzip data. Fails with kNotFound,
// kPermissionDenied and the like for files that cannot be read, with kResourceExhausted above
// `max_byte_size`, with kDataLoss for damaged gzip data.
absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t max_byte_size);

// `text` as one source, or with `split` as one for each part between lines `// -----`. Positions
// stay those of the file.
std::vector<std::shared_ptr<const SourceText>> MakeSources(std::string_view name,
                                                           std::string_view text, bool split);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INPUT_FILES_H_

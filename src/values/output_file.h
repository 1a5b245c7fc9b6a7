// A value written to a file, in the form that the file's name asks for.
#ifndef HLOKIT_VALUES_OUTPUT_FILE_H_
#define HLOKIT_VALUES_OUTPUT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/literal.h"

namespace hlo {

enum class OutputKind : uint8_t {
  kNpy,        // one array
  kNpz,        // the arrays by their place in the value: "0", "1.2"
  kJson,       // as values/value_json.h has it
  kCsv,        // one array of one or two dimensions, a row a line, without a heading
  kDirectory,  // an .npy for each array, called as in an archive
};

// By the extension, in upper or lower case; a name that ends in `/`, has no extension or is that of
// a directory is a directory. Fails with kInvalidArgument for another extension.
absl::StatusOr<OutputKind> OutputKindOf(const std::string& path);

// Fails with kInvalidArgument when the value does not have the kind's form, with the system's
// reason when it cannot be written.
absl::Status WriteValue(const Literal& value, const std::string& path);

}  // namespace hlo

#endif  // HLOKIT_VALUES_OUTPUT_FILE_H_

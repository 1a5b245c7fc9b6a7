// Whole files.
#ifndef HLOKIT_VALUES_FILES_H_
#define HLOKIT_VALUES_FILES_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace hlo {

// Reads a file, "-" is stdin. Fails with the system's reason, and with kInvalidArgument when there
// are more than `max_byte_size` bytes.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t max_byte_size);

// A file or "-", read part by part: what is read so far may say how much of it is wanted.
class FileReader {
 public:
  // Fails with the system's reason.
  static absl::StatusOr<FileReader> Open(const std::string& path);

  // Reads on until `byte_size` bytes or the whole file are in bytes().
  absl::Status ReadUpTo(uint64_t byte_size);
  const std::string& bytes() const { return bytes_; }
  std::string TakeBytes() { return std::move(bytes_); }

 private:
  struct Closer {
    void operator()(std::FILE* file) const;
  };

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::string bytes_;
};

}  // namespace hlo

#endif  // HLOKIT_VALUES_FILES_H_

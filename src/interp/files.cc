#include "interp/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace hlo {
namespace {

absl::Status ReadError(const std::string& path) {
  return absl::UnavailableError(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  std::unique_ptr<std::FILE, FileCloser> opened;
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (opened == nullptr) return ReadError(path);
    file = opened.get();
  }
  std::string bytes;
  char chunk[1 << 16];
  while (size_t count = std::fread(chunk, 1, sizeof(chunk), file)) bytes.append(chunk, count);
  if (std::ferror(file)) return ReadError(path);
  return bytes;
}

}  // namespace hlo

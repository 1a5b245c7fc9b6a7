#include "interp/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace hlo {
namespace {

absl::Status SystemError(std::string_view verb, const std::string& path) {
  return absl::UnavailableError(
      fmt::format("cannot {} `{}`: {}", verb, path, std::strerror(errno)));
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
    if (opened == nullptr) return SystemError("read", path);
    file = opened.get();
  }
  std::string bytes;
  char chunk[1 << 16];
  while (size_t count = std::fread(chunk, 1, sizeof(chunk), file)) bytes.append(chunk, count);
  if (std::ferror(file)) return SystemError("read", path);
  return bytes;
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  std::string temporary = fmt::format("{}.tmp{}", path, getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return SystemError("write", path);
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  ok = std::fclose(file) == 0 && ok;
  ok = ok && std::rename(temporary.c_str(), path.c_str()) == 0;
  if (ok) return absl::OkStatus();
  absl::Status status = SystemError("write", path);
  std::remove(temporary.c_str());
  return status;
}

}  // namespace hlo

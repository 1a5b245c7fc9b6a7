#include "support/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace hlo {
namespace {

namespace fs = std::filesystem;

absl::Status WriteError(const std::string& path, int error) {
  return absl::UnavailableError(fmt::format("cannot write `{}`: {}", path, std::strerror(error)));
}

std::optional<struct stat> StatOf(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

// The place that `path` means, through links whose end need not exist.
std::string LinkTarget(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as Linux has it
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(target, error); ++i) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;  // an absolute `next` takes its place
  }
  return target.string();
}

// A file of its own beside `target`; -1 and errno when there is none to be had.
int OpenTemporary(const std::string& target, std::string& temporary) {
  constexpr int kMaxAttempts = 100;
  int fd = -1;
  for (int i = 0; i < kMaxAttempts; ++i) {
    temporary = fmt::format("{}.tmp{}.{}", target, getpid(), i);
    fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) break;
  }
  return fd;
}

// Writes and closes. Returns 0 or the error's number.
int WriteAndClose(int fd, std::string_view bytes) {
  int error = 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(fd) != 0 && error == 0) error = errno;
  return error;
}

int WriteInPlace(const std::string& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return fd < 0 ? errno : WriteAndClose(fd, bytes);
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const std::optional<struct stat> existing = StatOf(path);
  if (existing && !S_ISREG(existing->st_mode)) {
    const int error = WriteInPlace(path, bytes);
    return error == 0 ? absl::OkStatus() : WriteError(path, error);
  }
  if (!existing && errno != ENOENT) return WriteError(path, errno);
  const std::string target = LinkTarget(path);
  std::string temporary;
  const int fd = OpenTemporary(target, temporary);
  if (fd < 0) return WriteError(path, errno);
  int error = 0;
  if (existing && fchmod(fd, existing->st_mode & 07777) != 0) error = errno;
  if (const int write_error = WriteAndClose(fd, bytes); error == 0) error = write_error;
  if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  unlink(temporary.c_str());
  return WriteError(path, error);
}

}  // namespace hlo

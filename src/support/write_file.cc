// Links are followed first, so that the temporary file stands beside what is replaced. Then it is
// made and locked, gets the old mode, is written, is asked for late errors, and takes the name.
// Nothing is synced: readers and other writers are safe, power failures are not provided for. What
// is no regular file is written to in place.
#include "support/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

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

std::atomic<const char*> g_temporary = nullptr;

// Every name has one temporary file, which its writer holds locked until it has taken the place of
// the target. The lock ends with the process: a file that is there and not locked was left behind
// by a process that was killed, and the next writer removes it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) : path_(target + ".hlokit-tmp") {}
  ~TemporaryFile() {
    if (fd_ < 0) return;
    g_temporary = nullptr;
    unlink(path_.c_str());
    close(fd_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Waits for another writer of the same target, but not for ever. Returns 0 or the error's number,
  // as the others do.
  int Open() {
    constexpr int kMaxWaits = 2000;
    constexpr useconds_t kWaitMicroseconds = 5000;
    for (int wait = 0; wait < kMaxWaits; ++wait) {
      if (Create()) return 0;
      if (errno != EEXIST && errno != EWOULDBLOCK) return errno;
      if (!RemoveLeftover()) usleep(kWaitMicroseconds);
    }
    return EBUSY;
  }

  int fd() const { return fd_; }

  // Puts the file in the target's place. Closing a copy of the descriptor tells, without ending the
  // lock, what some file systems keep back until then.
  int Become(const std::string& target) {
    const int copy = dup(fd_);
    if (copy < 0 || close(copy) != 0) return errno;
    g_temporary = nullptr;
    if (std::rename(path_.c_str(), target.c_str()) != 0) return errno;
    close(std::exchange(fd_, -1));
    return 0;
  }

 private:
  // Where locks are not to be had, the name alone keeps others away.
  static bool Lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

  // Whether the locked file is still the one of that name: between opening and locking it may have
  // been taken for a leftover, or have become the target.
  bool IsStillThere(int fd) const {
    struct stat own, named;
    return fstat(fd, &own) == 0 && lstat(path_.c_str(), &named) == 0 &&
           own.st_ino == named.st_ino && own.st_dev == named.st_dev;
  }

  bool Create() {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return false;
    if (Lock(fd) && IsStillThere(fd)) {
      fd_ = fd;
      g_temporary = path_.c_str();
      return true;
    }
    close(fd);
    errno = EWOULDBLOCK;
    return false;
  }

  // Whether there is none (any more).
  bool RemoveLeftover() {
    const int fd = open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT;
    const bool is_left = flock(fd, LOCK_EX | LOCK_NB) == 0 && IsStillThere(fd);
    const bool is_gone = is_left && unlink(path_.c_str()) == 0;
    close(fd);
    return is_gone;
  }

  const std::string path_;
  int fd_ = -1;
};

// Returns 0 or the error's number. In pieces: signals are not seen before the system has taken one.
int Write(int fd, std::string_view bytes) {
  constexpr size_t kMaxPiece = size_t{4} << 20;
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), std::min(bytes.size(), kMaxPiece));
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int WriteInPlace(const std::string& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = Write(fd, bytes);
  return close(fd) != 0 && error == 0 ? errno : error;
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
  TemporaryFile file(target);
  int error = file.Open();
  if (error == 0 && existing && fchmod(file.fd(), existing->st_mode & 07777) != 0) error = errno;
  if (error == 0) error = Write(file.fd(), bytes);
  if (error == 0) error = file.Become(target);
  return error == 0 ? absl::OkStatus() : WriteError(path, error);
}

void RemoveTemporaryFile() {
  if (const char* path = g_temporary) unlink(path);
}

}  // namespace hlo

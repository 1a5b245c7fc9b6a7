// zlib's reader passes plain data through, so one loop reads both; its limit on unpacked bytes
// keeps a small malicious archive from filling the memory.
#include "tools/input_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "support/status_macros.h"

namespace hlo::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeparatorLine = "// -----";

absl::Status SystemError(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, path);
}

std::string DisplayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

struct GzCloser {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<std::remove_pointer_t<gzFile>, GzCloser>;

absl::StatusOr<GzHandle> OpenInput(const std::string& path) {
  const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(path, errno);
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(fd);
    return SystemError(path, EISDIR);
  }
  GzHandle file(gzdopen(fd, "rb"));
  if (file == nullptr) {
    close(fd);
    return absl::ResourceExhaustedError(path + ": no memory to read it");
  }
  gzbuffer(file.get(), 1 << 16);
  return file;
}

void AddDirectory(const fs::path& directory, std::vector<InputPath>* inputs) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && IsHloFileName(it->path().filename().string())) {
      found.push_back(it->path().string());
    }
  }
  std::sort(found.begin(), found.end());
  for (std::string& path : found) inputs->push_back({std::move(path), absl::OkStatus()});
  if (error) {
    inputs->push_back({directory.string(), SystemError(directory.string(), error.value())});
  }
}

constexpr uint64_t kMaxListByteSize = uint64_t{1} << 30;

void AddPath(const std::string& path, std::vector<InputPath>* inputs) {
  std::error_code ignored;
  if (path != "-" && fs::is_directory(path, ignored)) return AddDirectory(path, inputs);
  inputs->push_back({path, absl::OkStatus()});
}

void AddList(const std::string& list_path, std::vector<InputPath>* inputs) {
  absl::StatusOr<std::string> text = ReadInput(list_path, kMaxListByteSize);
  if (!text.ok()) {
    inputs->push_back({list_path, text.status()});
    return;
  }
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    std::string line = text->substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) AddPath(line, inputs);
    begin = end + 1;
  }
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsSeparatorLine(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line == kSeparatorLine;
}

}  // namespace

bool IsHloFileName(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".hlo")) return true;
  if (!name.ends_with(".txt") || Contains(name, "buffer-assignment") ||
      Contains(name, "memory-usage-report") || Contains(name, "live-range")) {
    return false;
  }
  return Contains(name, "before_optimizations") || Contains(name, "after_optimizations");
}

std::vector<InputPath> ExpandInputPaths(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {{"-", absl::OkStatus()}};
  std::vector<InputPath> inputs;
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@') {
      AddList(argument.substr(1), &inputs);
    } else {
      AddPath(argument, &inputs);
    }
  }
  return inputs;
}

absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t max_byte_size) {
  HLO_ASSIGN_OR_RETURN(GzHandle file, OpenInput(path));
  std::string text;
  std::error_code ignored;
  const uint64_t file_size = path == "-" ? 0 : fs::file_size(path, ignored);
  const size_t chunk = std::clamp<uint64_t>(ignored ? 0 : file_size + 1, 1 << 16, 1 << 26);
  while (true) {
    const size_t size = text.size();
    text.resize(size + chunk);
    const int count = gzread(file.get(), text.data() + size, static_cast<unsigned>(chunk));
    text.resize(size + std::max(count, 0));
    if (count < 0) {
      int code = 0;
      const char* message = gzerror(file.get(), &code);
      if (code == Z_ERRNO) return SystemError(path, errno);
      return absl::DataLossError(fmt::format("{}: {}", DisplayName(path), message));
    }
    if (text.size() > max_byte_size) {
      return absl::ResourceExhaustedError(
          fmt::format("{}: larger than the limit of {} bytes", DisplayName(path), max_byte_size));
    }
    if (static_cast<size_t>(count) < chunk) break;  // the end: gzread waits for all it can get
  }
  if (gzclose(file.release()) == Z_BUF_ERROR) {
    return absl::DataLossError(DisplayName(path) + ": the compressed data ends early");
  }
  return text;
}

std::vector<std::shared_ptr<const SourceText>> MakeSources(std::string_view name,
                                                           std::string_view text, bool split) {
  std::vector<std::shared_ptr<const SourceText>> sources;
  auto add = [&](size_t begin, size_t end, int64_t first_line) {
    sources.push_back(std::make_shared<const SourceText>(
        std::string(name), std::string(text.substr(begin, end - begin)), first_line));
  };
  size_t part_begin = 0;
  int64_t part_line = 1;
  int64_t line = 1;
  for (size_t begin = 0; split && begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t next = std::min(end + 1, text.size());
    if (IsSeparatorLine(text.substr(begin, end - begin))) {
      add(part_begin, begin, part_line);
      part_begin = next;
      part_line = line + 1;
    }
    begin = next;
  }
  add(part_begin, text.size(), part_line);
  return sources;
}

}  // namespace hlo::tools

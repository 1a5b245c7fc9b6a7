// Files are read in pieces and never asked for their size, which pipes do not have. Whether there
// is more than is allowed shows when one byte more is asked for.
#include "values/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/status_macros.h"

namespace hlo {
namespace {

absl::Status ReadError(const std::string& path) {
  return absl::UnavailableError(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
}

}  // namespace

void FileReader::Closer::operator()(std::FILE* file) const {
  if (file != stdin) std::fclose(file);
}

absl::StatusOr<FileReader> FileReader::Open(const std::string& path) {
  FileReader reader;
  reader.path_ = path;
  reader.file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (reader.file_ == nullptr) return ReadError(path);
  return reader;
}

absl::Status FileReader::ReadUpTo(uint64_t byte_size) {
  char chunk[1 << 16];
  while (bytes_.size() < byte_size) {
    const size_t wanted = std::min<uint64_t>(sizeof(chunk), byte_size - bytes_.size());
    const size_t count = std::fread(chunk, 1, wanted, file_.get());
    bytes_.append(chunk, count);
    if (std::ferror(file_.get())) return ReadError(path_);
    if (count < wanted) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t max_byte_size) {
  HLO_ASSIGN_OR_RETURN(FileReader reader, FileReader::Open(path));
  HLO_RETURN_IF_ERROR(reader.ReadUpTo(max_byte_size < UINT64_MAX ? max_byte_size + 1 : UINT64_MAX));
  if (reader.bytes().size() <= max_byte_size) return reader.TakeBytes();
  return absl::InvalidArgumentError(
      fmt::format("{}: longer than {} bytes, more than is needed here", path, max_byte_size));
}

}  // namespace hlo

// A tuple is flattened to members called by their paths, and found again by making the same names
// from the shape. So the shape says what is looked for; only WholeValue asks what else was there.
// Of a .npy file or a member no more is kept than the largest array of the shape could take: a
// wrong one costs no memory.
#include "values/value_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "ir/element_conversion.h"
#include "ir/leaves.h"
#include "support/checked_math.h"
#include "support/status_macros.h"
#include "support/write_file.h"
#include "values/files.h"
#include "values/npy.h"
#include "values/output_file.h"

namespace hlo {
namespace {

// Element `i` of the tuple called `name`.
std::string ElementName(const std::string& name, size_t i) {
  return name.empty() ? std::to_string(i) : fmt::format("{}.{}", name, i);
}

// numpy calls positional arrays arr_0, arr_1.
bool IsCalled(std::string_view member, const std::string& name) {
  return member == name || member == "arr_" + name;
}

absl::StatusOr<Literal> FindArray(const NpzMembers& members, std::span<const std::string> names,
                                  const Shape& shape) {
  for (const std::string& name : names) {
    for (const auto& [member, bytes] : members) {
      if (IsCalled(member, name)) return DecodeNpy(bytes, &shape);
    }
  }
  return absl::NotFoundError(fmt::format("there is no member `{}`", names.front()));
}

// The .npy files of a directory, as members called without their extension.
absl::StatusOr<ValueFile> ReadDirectory(const std::string& path, const ReadLimits& limits) {
  ValueFile file{.members = {}, .is_archive = true};
  std::error_code error;
  uint64_t byte_size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() != ".npy") continue;
    HLO_ASSIGN_OR_RETURN(FileReader reader, FileReader::Open(entry.path().string()));
    HLO_RETURN_IF_ERROR(reader.ReadUpTo(limits.max_array_byte_size + kNpyHeaderSize));
    byte_size += reader.bytes().size();
    if (byte_size >= limits.max_byte_size) {
      return absl::InvalidArgumentError(
          fmt::format("{}: larger than the limit of {} bytes", path, limits.max_byte_size));
    }
    file.members.emplace_back(entry.path().stem().string(), reader.TakeBytes());
  }
  if (error) {
    return absl::UnavailableError(fmt::format("cannot read {}: {}", path, error.message()));
  }
  if (file.members.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: there are no .npy files in it", path));
  }
  std::ranges::sort(file.members);
  return file;
}

// Whether an array of `shape`, as part of the value called `name`, is called `member`.
bool HasArrayCalled(const Shape& shape, const std::string& name, std::string_view member) {
  if (shape.IsArray()) return IsCalled(member, name);
  if (!shape.IsTuple()) return false;
  for (size_t i = 0; i < static_cast<size_t>(shape.element_count()); ++i) {
    const Shape& element = shape.element(static_cast<int64_t>(i));
    if (HasArrayCalled(element, ElementName(name, i), member)) return true;
  }
  return false;
}

}  // namespace

absl::Status MakeDirectory(const std::string& path) {
  const bool is_there = mkdir(path.c_str(), 0777) == 0 || errno == EEXIST;
  if (is_there && access((path + "/").c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("cannot write into the directory `{}`: {}", path, std::strerror(errno)));
}

absl::StatusOr<Literal> UpcastToF32(const Literal& value) {
  if (value.shape().IsTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : value.tuple_elements()) {
      HLO_ASSIGN_OR_RETURN(elements.emplace_back(), UpcastToF32(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  const ElementType type = value.shape().element_type();
  if (!IsFloat(type) || HasNumpyType(type)) return value;
  Shape shape = Shape::ArrayWithDefaultLayout(ElementType::kF32, value.shape().dims());
  HLO_ASSIGN_OR_RETURN(Literal result, Literal::Zeros(shape));
  ConvertElements(type, value.bytes(), ElementType::kF32, result.bytes(), value.element_count());
  const std::span<const int64_t> sizes = value.dynamic_sizes();
  result.set_dynamic_sizes({sizes.begin(), sizes.end()});
  return result;
}

std::string PathOf(std::string text) {
  if (text.starts_with('@')) text.erase(0, 1);
  return text;
}

absl::Status AppendMembers(const Literal& value, const std::string& name, NpzMembers& members) {
  if (value.shape().IsTuple()) {
    for (size_t i = 0; i < value.tuple_elements().size(); ++i) {
      HLO_RETURN_IF_ERROR(AppendMembers(value.tuple_elements()[i], ElementName(name, i), members));
    }
    return absl::OkStatus();
  }
  if (!value.shape().IsArray()) return absl::OkStatus();
  HLO_ASSIGN_OR_RETURN(std::string bytes, EncodeNpy(value));
  members.emplace_back(name.empty() ? "0" : name, std::move(bytes));
  return absl::OkStatus();
}

absl::Status WriteMembers(const NpzMembers& members, const std::string& path) {
  HLO_ASSIGN_OR_RETURN(const OutputKind kind, OutputKindOf(path));
  if (kind == OutputKind::kNpz) return WriteFileAtomically(path, EncodeZip(members));
  if (kind == OutputKind::kNpy) {
    if (members.size() == 1) return WriteFileAtomically(path, members[0].second);
    return absl::InvalidArgumentError(
        fmt::format("`{}` can hold one array, there are {}", path, members.size()));
  }
  if (kind != OutputKind::kDirectory) {
    return absl::InvalidArgumentError(
        fmt::format("`{}`: these values are written as .npz, .npy or into a directory", path));
  }
  HLO_RETURN_IF_ERROR(MakeDirectory(path));
  for (const auto& [name, bytes] : members) {
    HLO_RETURN_IF_ERROR(WriteFileAtomically(fmt::format("{}/{}.npy", path, name), bytes));
  }
  return absl::OkStatus();
}

uint64_t LargestArray(const Shape& shape) {
  constexpr int64_t kWidestElement = 16;  // c128
  int64_t largest = 0;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    const Shape& array = ArrayShapeOf(leaf);
    const int64_t count = array.IsArray() ? ElementCount(array).value_or(0) : 0;
    largest = std::max(largest, CheckedMul(count, kWidestElement).value_or(INT64_MAX));
  });
  return static_cast<uint64_t>(largest);
}

absl::StatusOr<ValueFile> ReadValueFile(const std::string& path, const ReadLimits& limits) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return ReadDirectory(path, limits);
  HLO_ASSIGN_OR_RETURN(FileReader reader, FileReader::Open(path));
  HLO_RETURN_IF_ERROR(reader.ReadUpTo(kNpyHeaderSize));
  const uint64_t max_member_size = limits.max_array_byte_size + kNpyHeaderSize;
  if (reader.bytes().starts_with(kNpyMagic) || path.ends_with(".npy")) {
    HLO_RETURN_IF_ERROR(reader.ReadUpTo(max_member_size));
    return ValueFile{.members = {{"0", reader.TakeBytes()}}, .is_archive = false};
  }
  absl::StatusOr<NpzMembers> members = absl::InvalidArgumentError("not a zip archive");
  if (reader.bytes().starts_with(kZipMagic)) {
    HLO_RETURN_IF_ERROR(reader.ReadUpTo(limits.max_byte_size));
    if (reader.bytes().size() >= limits.max_byte_size) {
      return absl::InvalidArgumentError(
          fmt::format("{}: larger than the limit of {} bytes", path, limits.max_byte_size));
    }
    members = DecodeZip(reader.bytes(), max_member_size);
  }
  if (members.ok()) return ValueFile{.members = *std::move(members), .is_archive = true};
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", path, std::string(members.status().message())));
}

absl::StatusOr<Literal> FindValue(const NpzMembers& members, std::span<const std::string> names,
                                  const Shape& shape) {
  if (shape.IsArray()) return FindArray(members, names, shape);
  if (!shape.IsTuple()) return Literal::Zeros(shape);
  std::vector<Literal> elements;
  for (size_t i = 0; i < static_cast<size_t>(shape.element_count()); ++i) {
    std::vector<std::string> element_names;
    for (const std::string& name : names) element_names.push_back(ElementName(name, i));
    HLO_ASSIGN_OR_RETURN(Literal element,
                         FindValue(members, element_names, shape.element(static_cast<int64_t>(i))));
    elements.push_back(std::move(element));
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> WholeValue(const NpzMembers& members, const Shape& shape) {
  std::string name = shape.IsTuple() ? "" : "0";
  if (shape.IsArray() && members.size() == 1) name = members.front().first;
  HLO_ASSIGN_OR_RETURN(Literal value, FindValue(members, {&name, 1}, shape));
  std::vector<std::string> others;
  for (const auto& [member, bytes] : members) {
    if (!HasArrayCalled(shape, name, member)) others.push_back(member);
  }
  if (others.empty()) return value;
  return absl::FailedPreconditionError(fmt::format("there is nothing called `{}` in `{}`",
                                                   fmt::join(others, "`, `"), ShapeText(shape)));
}

}  // namespace hlo

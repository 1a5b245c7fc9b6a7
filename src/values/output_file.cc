// A directory that is there, or a slash at the end, decides before the extension does; a name
// without extension is a directory, too. CSV is made here, of the true sizes of dynamic arrays;
// arrays in numpy's format become members first, which value_files.cc writes as whatever the name
// asks for.
#include "values/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "ir/element_traits.h"
#include "ir/run_time_dims.h"
#include "support/status_macros.h"
#include "support/write_file.h"
#include "values/value_files.h"
#include "values/value_json.h"

namespace hlo {
namespace {

struct Extension {
  std::string_view text;
  OutputKind kind;
};
constexpr Extension kExtensions[] = {
    {".npy", OutputKind::kNpy},
    {".npz", OutputKind::kNpz},
    {".json", OutputKind::kJson},
    {".csv", OutputKind::kCsv},
};

bool IsDirectory(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Digits that read back as the same number.
template <typename T>
void AppendNumber(T value, std::string& text) {
  if constexpr (ComplexElement<T>) {
    fmt::format_to(std::back_inserter(text), "{}{:+}j", value.real(), value.imag());
  } else if constexpr (PredElement<T>) {
    text += value ? '1' : '0';
  } else if constexpr (IntegerElement<T>) {
    fmt::format_to(std::back_inserter(text), "{}", +NativeValue(value));
  } else if constexpr (RealElement<T>) {
    fmt::format_to(std::back_inserter(text), "{}", value);
  } else {
    fmt::format_to(std::back_inserter(text), "{}", static_cast<float>(value));
  }
}

absl::StatusOr<std::string> CsvText(const Literal& value) {
  const Shape& shape = value.shape();
  const bool has_rows = shape.IsArray() && (shape.rank() == 1 || shape.rank() == 2);
  if (!has_rows) {
    return absl::InvalidArgumentError(
        fmt::format("a .csv file has one array of one or two dimensions, the result is `{}`",
                    ShapeText(shape)));
  }
  const std::span<const int64_t> sizes = RunTimeDims(value);
  const int64_t columns = sizes.size() == 2 ? sizes[1] : 1;
  std::string text;
  DispatchElementType<kAnyArray>(shape.element_type(), [&]<typename T>() {
    const std::span<const T> elements = value.elements<T>();
    for (int64_t row = 0; row < sizes[0]; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        if (column > 0) text += ',';
        AppendNumber(elements[static_cast<size_t>(row * columns + column)], text);
      }
      text += '\n';
    }
  });
  return text;
}

}  // namespace

absl::StatusOr<OutputKind> OutputKindOf(const std::string& path) {
  if (path.ends_with('/') || IsDirectory(path)) return OutputKind::kDirectory;
  const std::string name = absl::AsciiStrToLower(path.substr(path.rfind('/') + 1));
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return OutputKind::kDirectory;
  const auto extension =
      std::ranges::find(kExtensions, std::string_view(name).substr(dot), &Extension::text);
  if (extension != std::end(kExtensions)) return extension->kind;
  return absl::InvalidArgumentError(
      fmt::format("`{}`: results are written as .npy, .npz, .json or .csv, or into a directory, "
                  "whose name ends with `/`",
                  path));
}

absl::Status WriteValue(const Literal& value, const std::string& path) {
  HLO_ASSIGN_OR_RETURN(const OutputKind kind, OutputKindOf(path));
  if (kind == OutputKind::kJson) return WriteFileAtomically(path, ValueJson(value) + "\n");
  if (kind == OutputKind::kCsv) {
    HLO_ASSIGN_OR_RETURN(const std::string text, CsvText(value));
    return WriteFileAtomically(path, text);
  }
  NpzMembers members;
  HLO_RETURN_IF_ERROR(AppendMembers(value, "", members));
  return WriteMembers(members, path);
}

}  // namespace hlo

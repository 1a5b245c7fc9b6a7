// A name is a number below a root: `x` and `x.0` are both number 0 of `x` (grammar.md 7.3). A free
// number is looked for from where the last search of this root ended, so many equal names cost no
// more than as many different ones.
#include "ir/unique_names.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "ir/element_type.h"

namespace hlo {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsNameChar(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// The number behind the last dot, if that is all that stands there.
std::optional<int64_t> NumericSuffix(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return std::nullopt;
  int64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(name.data() + dot + 1, end, number);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return number;
}

}  // namespace

std::string SanitizeName(std::string_view name) {
  std::string result(name);
  if (result.empty()) return result;
  if (!IsLetter(result[0]) && result[0] != '_') result[0] = '_';
  for (char& c : result) {
    if (!IsNameChar(c)) c = '_';
  }
  if (ParseElementType(result)) result += '_';
  if (result.starts_with("__") && !result.starts_with("__xla_")) result[0] = 'a';
  return result;
}

void UniqueNames::Reserve(std::string_view name) {
  const std::optional<int64_t> suffix = NumericSuffix(name);
  by_root_[std::string(suffix ? name.substr(0, name.rfind('.')) : name)].used.insert(
      suffix.value_or(0));
}

std::string UniqueNames::Add(std::string_view name) {
  const std::optional<int64_t> suffix = NumericSuffix(name);
  const std::string root(suffix ? name.substr(0, name.rfind('.')) : name);
  Numbers& numbers = by_root_[root];
  int64_t number = suffix.value_or(0);
  if (!numbers.used.insert(number).second) {
    while (!numbers.used.insert(numbers.next).second) ++numbers.next;
    number = numbers.next;
  }
  return number == 0 && !suffix ? root : fmt::format("{}.{}", root, number);
}

}  // namespace hlo

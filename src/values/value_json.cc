// Text is appended element by element, without a tree of JSON values in between. Floats narrower
// than 32 bits are printed as f32, which has all their numbers, so that they read back as the same.
#include "values/value_json.h"

#include "ir/run_time_dims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <type_traits>

namespace hlo {
namespace {

template <typename Float>
void AppendFloat(std::string& json, Float value) {
  if (std::isnan(value)) {
    json += "\"NaN\"";
  } else if (std::isinf(value)) {
    json += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  } else if (value == 0 && std::signbit(value)) {
    json += "-0.0";  // -0 reads as an integer, which has no sign
  } else {
    fmt::format_to(std::back_inserter(json), "{}", value);  // the shortest that reads back
  }
}

template <typename T>
void AppendElement(std::string& json, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    AppendFloat(json, value);
  } else if constexpr ((kTypeClassOf<T> & kFloat) != 0) {
    AppendFloat(json, static_cast<float>(value));
  } else if constexpr ((kTypeClassOf<T> & kComplex) != 0) {
    json += '[';
    AppendFloat(json, value.real());
    json += ',';
    AppendFloat(json, value.imag());
    json += ']';
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, uint64_t>) {
    fmt::format_to(std::back_inserter(json), "{}", value);
  } else {
    fmt::format_to(std::back_inserter(json), "{}", static_cast<int64_t>(value));
  }
}

void AppendArray(std::string& json, const Literal& array) {
  const ElementType type = array.shape().element_type();
  const std::span<const int64_t> sizes = RunTimeDims(array);
  fmt::format_to(std::back_inserter(json), R"({{"type":"{}","dims":[{}],"values":[)",
                 ElementTypeName(type), fmt::join(sizes, ","));
  const auto count = static_cast<size_t>(
      array.element_count() == 0
          ? 0
          : std::reduce(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()));
  DispatchElementType<kAnyArray>(type, [&]<typename T>() {
    std::string_view separator;
    for (const T& element : array.elements<T>().first(count)) {
      json += separator;
      AppendElement(json, element);
      separator = ",";
    }
  });
  json += "]}";
}

void Append(std::string& json, const Literal& value) {
  if (value.shape().IsArray()) return AppendArray(json, value);
  if (!value.shape().IsTuple()) {
    json += "null";
    return;
  }
  json += '[';
  std::string_view separator;
  for (const Literal& element : value.tuple_elements()) {
    json += separator;
    Append(json, element);
    separator = ",";
  }
  json += ']';
}

}  // namespace

std::string ValueJson(const Literal& value) {
  std::string json;
  Append(json, value);
  return json;
}

}  // namespace hlo

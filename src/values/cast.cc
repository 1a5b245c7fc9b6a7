// Whether a conversion keeps a value is asked in long double, which has every number of every
// element type: 64 bits of precision and a wider exponent than f64's.
#include "values/cast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ir/element_conversion.h"
#include "ir/element_traits.h"
#include "printer/printer.h"
#include "support/status_macros.h"
#include "values/npy.h"

namespace hlo {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64);

constexpr std::string_view kRuleNames[] = {"none", "exact", "any"};

// Real and imaginary parts.
struct Number {
  long double real = 0;
  long double imaginary = 0;

  bool operator==(const Number& other) const {
    return IsSame(real, other.real) && IsSame(imaginary, other.imaginary);
  }
  static bool IsSame(long double a, long double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  }
};

constexpr int64_t kBlock = 256;

void ReadNumbers(ElementType type, const std::byte* bytes, int64_t count, Number* numbers) {
  DispatchElementType<kAnyArray>(type, [&]<typename T>() {
    const T* elements = reinterpret_cast<const T*>(bytes);
    for (int64_t i = 0; i < count; ++i) {
      if constexpr ((kTypeClassOf<T> & kComplex) != 0) {
        numbers[i] = {static_cast<long double>(elements[i].real()),
                      static_cast<long double>(elements[i].imag())};
      } else if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>) {
        numbers[i] = {static_cast<long double>(elements[i]), 0};
      } else if constexpr ((kTypeClassOf<T> & kInteger) != 0) {
        numbers[i] = {static_cast<long double>(static_cast<int64_t>(elements[i])), 0};
      } else {
        numbers[i] = {static_cast<long double>(static_cast<float>(elements[i])), 0};
      }
    }
  });
}

// The first element that is another number in `converted`.
std::optional<int64_t> FirstChange(const Literal& value, const Literal& converted) {
  const ElementType from = value.shape().element_type(), to = converted.shape().element_type();
  std::array<Number, kBlock> before, after;
  for (int64_t begin = 0; begin < value.element_count(); begin += kBlock) {
    const int64_t count = std::min(kBlock, value.element_count() - begin);
    ReadNumbers(from, value.bytes() + begin * ElementByteSize(from), count, before.data());
    ReadNumbers(to, converted.bytes() + begin * ElementByteSize(to), count, after.data());
    for (int64_t i = 0; i < count; ++i) {
      if (!(before[static_cast<size_t>(i)] == after[static_cast<size_t>(i)])) return begin + i;
    }
  }
  return std::nullopt;
}

std::string ElementText(const Literal& value, int64_t i) {
  const ElementType type = value.shape().element_type();
  const int64_t size = ElementByteSize(type);
  absl::StatusOr<Literal> scalar = Literal::Uninitialized(Shape::Scalar(type));
  if (!scalar.ok()) return "?";
  std::copy_n(value.bytes() + i * size, size, scalar->bytes());
  std::string text = PrintResultLiteral(*scalar);
  return text.substr(text.rfind(' ') + 1);
}

// Element `i` of a float type with the digits of the wider type `from` it had: the difference
// shows.
std::string ChangedText(const Literal& converted, int64_t i, ElementType from) {
  const ElementType to = converted.shape().element_type();
  absl::StatusOr<Literal> scalar = Literal::Uninitialized(Shape::Scalar(from));
  if (!IsFloat(from) || !IsFloat(to) || !scalar.ok()) return ElementText(converted, i);
  ConvertElements(to, converted.bytes() + i * ElementByteSize(to), from, scalar->bytes(), 1);
  return ElementText(*scalar, 0);
}

// "float32"; nothing for types that numpy lacks.
std::string NumpyName(ElementType type) {
  if (!HasNumpyType(type)) return "";
  if (type == ElementType::kPred) return "bool_";
  const int bits = 8 * static_cast<int>(ElementByteSize(type));
  const std::string_view kind = IsComplex(type)  ? "complex"
                                : IsFloat(type)  ? "float"
                                : IsSigned(type) ? "int"
                                                 : "uint";
  return fmt::format("{}{}", kind, bits);
}

std::string Advice(ElementType wanted, std::string_view rounding_option) {
  const std::string name = NumpyName(wanted);
  if (name.empty()) return fmt::format("{} rounds", rounding_option);
  return fmt::format("convert it with `.astype(np.{})`, or {}", name, rounding_option);
}

absl::Status Refuse(const Literal& value, const Shape& shape, const std::string& why,
                    std::string_view rounding_option) {
  return absl::InvalidArgumentError(fmt::format("expected `{}`, got `{}`{}; {}", ShapeText(shape),
                                                ShapeText(value.shape()), why,
                                                Advice(shape.element_type(), rounding_option)));
}

absl::StatusOr<CastValue> CastArray(Literal value, const Shape& shape, CastRule rule,
                                    std::string_view rounding_option) {
  const ElementType from = value.shape().element_type(), to = shape.element_type();
  if (from == to) return CastValue{std::move(value), ""};
  if (rule == CastRule::kNone) return Refuse(value, shape, "", rounding_option);
  HLO_ASSIGN_OR_RETURN(Literal converted, Literal::Uninitialized(Shape::ArrayWithDefaultLayout(
                                              to, value.shape().dims())));
  ConvertElements(from, value.bytes(), to, converted.bytes(), value.element_count());
  const std::span<const int64_t> sizes = value.dynamic_sizes();
  converted.set_dynamic_sizes({sizes.begin(), sizes.end()});
  const std::optional<int64_t> change = FirstChange(value, converted);
  if (change && rule == CastRule::kExact) {
    return Refuse(value, shape,
                  fmt::format(", and {} would become {}", ElementText(value, *change),
                              ChangedText(converted, *change, from)),
                  rounding_option);
  }
  return CastValue{std::move(converted),
                   fmt::format("{} taken as {}{}", ElementTypeName(from), ElementTypeName(to),
                               change ? ", values rounded" : "")};
}

}  // namespace

std::optional<CastRule> ParseCastRule(std::string_view text) {
  const auto found = std::ranges::find(kRuleNames, text);
  if (found == std::end(kRuleNames)) return std::nullopt;
  return static_cast<CastRule>(found - std::begin(kRuleNames));
}

std::span<const std::string_view> CastRuleNames() { return kRuleNames; }

absl::StatusOr<CastValue> CastTo(Literal value, const Shape& shape, CastRule rule,
                                 std::string_view rounding_option) {
  if (shape.IsArray() && value.shape().IsArray()) {
    return CastArray(std::move(value), shape, rule, rounding_option);
  }
  const bool has_elements = shape.IsTuple() && value.shape().IsTuple() &&
                            shape.element_count() == value.shape().element_count();
  if (!has_elements) return CastValue{std::move(value), ""};
  std::vector<Literal> elements;
  std::string note;
  for (size_t i = 0; i < value.tuple_elements().size(); ++i) {
    HLO_ASSIGN_OR_RETURN(CastValue element,
                         CastTo(std::move(value.tuple_elements()[i]),
                                shape.element(static_cast<int64_t>(i)), rule, rounding_option));
    elements.push_back(std::move(element.value));
    if (note.empty()) note = std::move(element.note);
  }
  if (note.empty()) return CastValue{Literal::Tuple(std::move(elements)), ""};
  return CastValue{Literal::Tuple(std::move(elements)), std::move(note)};
}

}  // namespace hlo

// Positions come from LayoutIndex: element by element for reading, as an image for bytes.
#include "values/memory_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "ir/element_conversion.h"
#include "ir/index_space.h"
#include "ir/layout_index.h"
#include "ir/run_time_dims.h"
#include "printer/printer.h"
#include "support/count_text.h"
#include "support/size_text.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

constexpr int64_t kLineLength = 16;
constexpr std::string_view kUndefined = "_";

// The largest (or smallest) number of a type; infinity where the type has it. Integers saturate
// when they are made of it.
double ExtremeValue(ElementType type, bool is_highest) {
  if (type == ElementType::kPred) return is_highest ? 1 : 0;
  const double infinity = std::numeric_limits<double>::infinity();
  if (!IsFloat(type)) return is_highest ? infinity : -infinity;
  const FloatFormat& format = GetElementTypeInfo(type).format;
  if (format.kind == FloatKind::kIeee) return is_highest ? infinity : -infinity;
  if (is_highest) return DecodeFloat(format, format.max_finite());
  const bool has_sign = format.kind != FloatKind::kExponentOnly;
  return DecodeFloat(format, has_sign ? format.sign_bit() | format.max_finite() : 0);
}

double PaddingNumber(ElementType type, PaddingValue value) {
  switch (value) {
    case PaddingValue::kInvalid:
    case PaddingValue::kZero:
    case PaddingValue::kUnknown:
      return 0;
    case PaddingValue::kOne:
      return 1;
    case PaddingValue::kLowest:
      return ExtremeValue(type, false);
    case PaddingValue::kHighest:
      return ExtremeValue(type, true);
  }
  HLO_UNREACHABLE();
}

// Text of the padding, or of one element.
std::string ScalarText(ElementType type, const std::byte* bytes) {
  Literal scalar = *Literal::Zeros(Shape::Scalar(type));
  std::memcpy(scalar.bytes(), bytes, static_cast<size_t>(ElementByteSize(type)));
  return PrintLiteral(scalar);
}

struct Padding {
  LegacyPadding layout;
  std::string text;
};

absl::StatusOr<Padding> MakePadding(ElementType type, const MemoryTextOptions& options) {
  const PaddingValue value = options.padding_value;
  const bool is_extreme = value == PaddingValue::kLowest || value == PaddingValue::kHighest;
  if (is_extreme && IsComplex(type)) {
    return absl::InvalidArgumentError(
        fmt::format("{} has no lowest and no highest number", ElementTypeName(type)));
  }
  const double number = PaddingNumber(type, value);
  Padding padding{{options.padded_dimensions, *Literal::Zeros(Shape::Scalar(type))}, ""};
  std::byte* bytes = padding.layout.value.bytes();
  ConvertElements(ElementType::kF64, reinterpret_cast<const std::byte*>(&number), type, bytes, 1);
  padding.text = value == PaddingValue::kUnknown ? kUndefined : ScalarText(type, bytes);
  return padding;
}

// Fails when the image of `array` is larger than `options` allow.
absl::Status CheckImageSize(const Literal& array, const LayoutIndex& positions,
                            const MemoryTextOptions& options) {
  const int64_t element_size = ElementByteSize(array.shape().element_type());
  const double need =
      static_cast<double>(positions.element_count()) * static_cast<double>(element_size) +
      static_cast<double>(array.byte_size());
  const auto limit = static_cast<double>(options.max_byte_size);
  if (need <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "the memory image of `{}` has {}: with the array it takes {}, the limit is {}",
      ShapeTextWithLayout(array.shape()), CountText(positions.element_count(), "element"),
      SizeText(need), SizeText(limit)));
}

class ArrayMemory {
 public:
  static absl::StatusOr<std::string> Text(const Literal& array, const MemoryTextOptions& options) {
    const Shape& shape = array.shape();
    std::optional<Padding> padding;
    if (!options.padded_dimensions.empty()) {
      HLO_ASSIGN_OR_RETURN(padding, MakePadding(shape.element_type(), options));
    }
    const Layout layout = shape.layout() ? *shape.layout() : Layout::Default(shape.rank());
    const std::span<const int64_t> dims = padding ? padding->layout.padded_dims : shape.dims();
    const absl::StatusOr<LayoutIndex> positions = LayoutIndex::Make(dims, layout);
    if (positions.ok()) HLO_RETURN_IF_ERROR(CheckImageSize(array, *positions, options));
    HLO_ASSIGN_OR_RETURN(std::vector<std::byte> image,  // says best what does not fit
                         MemoryImage(array, padding ? &padding->layout : nullptr));
    return ArrayMemory(array, padding ? padding->text : std::string(kUndefined), *positions,
                       std::move(image), options.as_bytes ? kLineLength : LineLength(dims, layout))
        .Text(options);
  }

 private:
  ArrayMemory(const Literal& array, std::string padding_text, const LayoutIndex& positions,
              std::vector<std::byte> image, int64_t line_length)
      : array_(array),
        padding_text_(std::move(padding_text)),
        positions_(positions),
        image_(std::move(image)),
        line_length_(line_length) {}

  std::string Text(const MemoryTextOptions& options) const {
    const int64_t element_count = positions_.element_count();
    std::string text = fmt::format("memory of {}: {}, {}\n", ShapeTextWithLayout(array_.shape()),
                                   CountText(element_count, "element"),
                                   CountText(static_cast<int64_t>(image_.size()), "byte"));
    if (options.max_print > 0 && element_count > options.max_print) return text + "  {...}\n";
    const int64_t end = options.as_bytes ? static_cast<int64_t>(image_.size()) : element_count;
    const size_t width = std::to_string(std::max<int64_t>(end - 1, 0)).size();
    for (int64_t begin = 0; begin < end; begin += line_length_) {
      text += fmt::format("  {:>{}}:", begin, width);
      for (int64_t i = begin; i < std::min(begin + line_length_, end); ++i) {
        text += options.as_bytes ? fmt::format(" {:02x}", std::to_integer<int>(image_[i]))
                                 : " " + ElementText(i);
      }
      text += '\n';
    }
    return text;
  }

  // A tile, or a run along the minor-most dimension, where that is a line.
  static int64_t LineLength(std::span<const int64_t> dims, const Layout& layout) {
    int64_t length = dims.empty() ? 1 : dims[static_cast<size_t>(layout.minor_to_major[0])];
    if (!layout.tiles.empty()) {
      length = 1;
      for (int64_t size : layout.tiles[0].dims) {
        if (size != Tile::kCombineDimension && length <= kLineLength) length *= size;
      }
    }
    return length < 2 || length > kLineLength ? kLineLength : length;
  }

  std::string ElementText(int64_t position) const {
    const Shape& shape = array_.shape();
    const std::span<const int64_t> sizes = RunTimeDims(array_);
    Index index(static_cast<size_t>(shape.rank()));
    const std::span<int64_t> coordinates(index.data(), index.size());
    if (!positions_.IndexAt(position, coordinates)) return std::string(kUndefined);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (index[d] >= shape.dim(static_cast<int64_t>(d))) return padding_text_;
      if (index[d] >= sizes[d]) return std::string(kUndefined);
    }
    const ElementType type = shape.element_type();
    return ScalarText(type,
                      array_.bytes() + LinearIndex(sizes, coordinates) * ElementByteSize(type));
  }

  const Literal& array_;
  const std::string padding_text_;
  const LayoutIndex& positions_;
  const std::vector<std::byte> image_;
  const int64_t line_length_;
};

}  // namespace

absl::StatusOr<std::string> MemoryText(const Literal& literal, const MemoryTextOptions& options) {
  if (literal.shape().IsArray()) return ArrayMemory::Text(literal, options);
  std::string text;
  for (const Literal& element : literal.tuple_elements()) {
    HLO_ASSIGN_OR_RETURN(const std::string part, MemoryText(element, options));
    text += part;
  }
  return text;
}

}  // namespace hlo

// The element type is resolved once a literal; rows are written by loops over plain elements.
#include "printer/print_literal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>

#include "ir/run_time_dims.h"
#include "printer/printer.h"
#include "support/check.h"
#include "support/checked_math.h"
#include "support/number_format.h"

namespace hlo {
namespace {

// The digits of `%.{n}g` that a narrow float type prints with (grammar.md 10.9): what tells all
// its numbers apart.
constexpr int GeneralDigits(const FloatFormat& format) {
  switch (format.mantissa_bits) {
    case 10:
      return 5;
    case 7:
      return 4;
    case 3:
    case 4:
      return 3;
    default:
      return 2;
  }
}

template <typename T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = uint32_t;
  static constexpr int kMantissaBits = 23;
};
template <>
struct FloatTraits<double> {
  using Bits = uint64_t;
  static constexpr int kMantissaBits = 52;
};

template <typename T>
char* WriteWideFloat(char* out, T value, const LiteralStyle& style) {
  if (std::isnan(value)) {
    using Bits = typename FloatTraits<T>::Bits;
    constexpr int kMantissaBits = FloatTraits<T>::kMantissaBits;
    const Bits payload = std::bit_cast<Bits>(value) & ((Bits{1} << kMantissaBits) - 1);
    return WriteNan(out, std::signbit(value), payload, Bits{1} << (kMantissaBits - 1));
  }
  if (style.shortest_numbers) return WriteShortest(out, value);
  if constexpr (sizeof(T) == 4) {
    return WriteFloat(out, value);
  } else {
    return WriteDouble(out, value);
  }
}

// The fewest digits that round to the same code.
char* WriteShortestNarrow(char* out, const FloatFormat& format, uint32_t code, double value) {
  for (int digits = 1; digits < GeneralDigits(format); ++digits) {
    char* end = WriteGeneral(out, value, digits);
    double read_back = 0;
    std::from_chars(out, end, read_back);
    if (EncodeFloat(format, static_cast<float>(read_back)) == code) return end;
  }
  return WriteGeneral(out, value, GeneralDigits(format));
}

char* WriteNarrowFloat(char* out, const FloatFormat& format, uint32_t code, double value,
                       const LiteralStyle& style) {
  if (format.is_nan(code)) {
    // Only IEEE-like formats have NaNs that differ in more than their sign.
    const uint64_t payload_mask =
        format.kind == FloatKind::kIeee ? (1u << format.mantissa_bits) - 1 : 0;
    // The one NaN of the fnuz formats is where -0 would be: XLA prints it with the sign.
    const bool negative = (code & format.sign_bit()) != 0;
    return WriteNan(out, negative, code & payload_mask, format.nan(false) & payload_mask);
  }
  if (std::isinf(value)) return WriteFloat(out, static_cast<float>(value));
  if (style.shortest_numbers) return WriteShortestNarrow(out, format, code, value);
  return WriteGeneral(out, value, GeneralDigits(format));
}

template <typename T>
char* WriteElement(char* out, T value, const LiteralStyle& style) {
  if constexpr (std::is_same_v<T, bool>) {
    *out = value ? '1' : '0';
    return out + 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    return WriteWideFloat(out, value, style);
  } else if constexpr (kTypeClassOf<T> == TypeSet::kFloat) {
    return WriteNarrowFloat(out, GetElementTypeInfo(kElementTypeOf<T>).format, value.bits(),
                            static_cast<float>(value), style);
  } else if constexpr (kTypeClassOf<T> == TypeSet::kComplex) {
    *out++ = '(';
    out = WriteWideFloat(out, value.real(), style);
    *out++ = ',';
    *out++ = ' ';
    out = WriteWideFloat(out, value.imag(), style);
    *out++ = ')';
    return out;
  } else if constexpr (kTypeClassOf<T> == TypeSet::kUnsigned) {
    return WriteUint(out, static_cast<uint64_t>(value));
  } else {
    return WriteInt(out, static_cast<int64_t>(value));
  }
}

// How many items a shortened array shows at each end of a dimension, as numpy does.
constexpr int64_t kEdgeItems = 3;

// Whether an array of these sizes has more elements than the style shows in full.
bool IsShortened(const LiteralStyle& style, std::span<const int64_t> sizes) {
  return style.shorten_above > 0 && CheckedProduct(sizes).value_or(INT64_MAX) > style.shorten_above;
}

// Writes the nested braces of an array; `sizes` are its run-time sizes.
template <typename T>
class ArrayWriter {
 public:
  ArrayWriter(TextWriter& out, const LiteralStyle& style, std::span<const int64_t> sizes,
              std::span<const T> elements)
      : out_(out),
        style_(style),
        sizes_(sizes),
        is_shortened_(IsShortened(style, sizes)),
        next_(elements.data()) {}

  void Write() {
    if (!sizes_.empty()) return WriteLevel(0, 0);
    if constexpr (std::is_same_v<T, bool>) {
      out_.Append(*next_ ? "true" : "false");
    } else {
      WriteNext();
    }
  }

 private:
  size_t rank() const { return sizes_.size(); }
  void BreakLine() { out_.Append(style_.multi_line ? '\n' : ' '); }

  void WriteNext() {
    char* end = out_.Reserve(2 * kMaxNumberSize + 4);
    out_.Commit(WriteElement(end, *next_++, style_));
  }

  void WriteLevel(size_t level, int64_t index) {
    if (level + 1 == rank()) return WriteRow();
    out_.Append('{');
    // From rank 4 on the levels between outermost and innermost say where they are.
    if (rank() >= 4 && level > 0) WriteIndexComment(level - 1, index);
    BreakLine();
    for (int64_t i = 0; i < sizes_[level]; ++i) {
      if (i > 0) {
        out_.Append(',');
        BreakLine();
      }
      if (const int64_t left_out = LeftOut(level); left_out > 0 && i == kEdgeItems) {
        out_.Append(style_.multi_line && level + 2 == rank() ? "  ..." : "...");
        next_ += left_out * CheckedProduct(sizes_.subspan(level + 1)).value_or(0);
        i += left_out - 1;
      } else {
        WriteLevel(level + 1, i);
      }
    }
    BreakLine();
    out_.Append('}');
  }

  // How many items the text leaves out in the middle of dimension `level`.
  int64_t LeftOut(size_t level) const {
    return is_shortened_ ? std::max<int64_t>(sizes_[level] - 2 * kEdgeItems, 0) : 0;
  }

  void WriteIndexComment(size_t level, int64_t index) {
    out_.Append(" /*i");
    out_.AppendInt(static_cast<int64_t>(level));
    out_.Append('=');
    out_.AppendInt(index);
    out_.Append("*/");
  }

  void WriteRow() {
    const int64_t size = sizes_.back();
    const bool spaced = rank() > 1 && size > 1;
    if (rank() > 1 && style_.multi_line) out_.Append("  ");
    out_.Append(spaced ? std::string_view("{ ") : std::string_view("{"));
    const int64_t left_out = LeftOut(rank() - 1);
    WriteItems(left_out > 0 ? kEdgeItems : size);
    if (left_out > 0) {
      out_.Append(", ..., ");
      next_ += left_out;
      WriteItems(kEdgeItems);
    }
    out_.Append(spaced ? std::string_view(" }") : std::string_view("}"));
  }

  void WriteItems(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) out_.Append(", ");
      WriteNext();
    }
  }

  TextWriter& out_;
  const LiteralStyle& style_;
  std::span<const int64_t> sizes_;
  const bool is_shortened_;
  const T* next_;
};

// The pairs of braces inside the outermost that an array without elements prints: f32[2,3,0] has
// 2 + 2 * 3. Saturates.
int64_t EmptyRowCount(std::span<const int64_t> sizes) {
  int64_t sum = 0;
  int64_t count = 1;
  for (size_t d = 0; d + 1 < sizes.size() && sizes[d] > 0; ++d) {
    count = CheckedMul(count, sizes[d]).value_or(INT64_MAX);
    sum = CheckedAdd(sum, count).value_or(INT64_MAX);
  }
  return sum;
}

// Rows without elements take no memory, so a value can have any number of them.
constexpr int64_t kMaxEmptyRows = 100000;
int64_t MaxEmptyRows(int64_t elide_above) {
  return elide_above < 0 ? kMaxEmptyRows : std::min(elide_above, kMaxEmptyRows);
}

bool IsElided(const Literal& literal, const LiteralStyle& style) {
  if (literal.is_elided()) return true;
  if (literal.shape().rank() == 0 || literal.is_bare_scalar()) return false;
  // What counts is the array there is, not its bounds.
  const std::span<const int64_t> sizes = RunTimeDims(literal);
  if (style.elide_above >= 0 && CheckedProduct(sizes).value_or(INT64_MAX) > style.elide_above) {
    return true;
  }
  const bool is_empty = std::ranges::find(sizes, 0) != sizes.end();
  return is_empty && EmptyRowCount(sizes) > style.max_empty_rows;
}

void WriteArrayLiteral(TextWriter& out, const Literal& literal, const LiteralStyle& style) {
  if (!literal.shape().IsArray()) return;  // tokens have no elements
  if (IsElided(literal, style)) return out.Append("{...}");
  DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
    // The one number that was given for all of the array stays one.
    const auto sizes = literal.is_bare_scalar() ? std::span<const int64_t>() : RunTimeDims(literal);
    ArrayWriter<T>(out, style, sizes, literal.elements<T>()).Write();
  });
}

LiteralStyle StyleOf(const PrintContext& context) {
  LiteralStyle style;
  style.elide_above = context.options().elide_literals;
  style.shortest_numbers = context.traits().shortest_numbers;
  return style;
}

std::string ShapeWithSomeLayout(const Shape& shape) {
  Shape copy = shape;
  copy.FillDefaultLayouts();
  return ShapeTextWithLayout(copy);
}

void WriteTyped(TextWriter& out, const Literal& literal, const LiteralStyle& style) {
  if (literal.shape().IsTuple()) {
    out.Append("( ");
    bool first = true;
    for (const Literal& element : literal.tuple_elements()) {
      if (!first) out.Append(", ");
      first = false;
      WriteTyped(out, element, style);
    }
    return out.Append(" )");
  }
  out.Append(ShapeWithSomeLayout(literal.shape()));
  out.Append(' ');
  WriteArrayLiteral(out, literal, style);
}

// As XLA prints evaluated results: a leaf a line, shapes without layouts.
void WriteResult(TextWriter& out, const Literal& literal, const LiteralStyle& style) {
  if (literal.shape().IsTuple()) {
    out.Append("(\n");
    bool first = true;
    for (const Literal& element : literal.tuple_elements()) {
      if (!first) out.Append(",\n");
      first = false;
      WriteResult(out, element, style);
    }
    return out.Append("\n)");
  }
  out.Append(ShapeText(literal.shape()));
  if (!literal.shape().IsArray()) return;
  if (literal.shape().HasDynamicDim()) {  // run-time sizes: f32[4,<=4](4,0)
    out.Append(fmt::format("({})", fmt::join(RunTimeDims(literal), ",")));
  }
  out.Append(' ');
  WriteArrayLiteral(out, literal, style);
}

}  // namespace

void WriteLiteral(TextWriter& out, const Literal& literal, const LiteralStyle& style) {
  if (!literal.shape().IsTuple()) return WriteArrayLiteral(out, literal, style);
  out.Append("( ");
  bool first = true;
  for (const Literal& element : literal.tuple_elements()) {
    if (!first) out.Append(", ");
    first = false;
    WriteLiteral(out, element, style);
  }
  out.Append(" )");
}

void PrintLiteral(PrintContext& context, const Literal& literal) {
  WriteLiteral(context.out(), literal, StyleOf(context));
}

void PrintTypedLiteral(PrintContext& context, const Literal& literal) {
  WriteTyped(context.out(), literal, StyleOf(context));
}

std::string PrintLiteral(const Literal& literal, int64_t elide_above) {
  TextWriter out;
  WriteLiteral(out, literal,
               {.elide_above = elide_above, .max_empty_rows = MaxEmptyRows(elide_above)});
  return out.Take();
}

std::string PrintTypedLiteral(const Literal& literal, int64_t elide_above) {
  TextWriter out;
  WriteTyped(out, literal, {.elide_above = elide_above});
  return out.Take();
}

std::string PrintResultLiteral(const Literal& literal, int64_t shorten_above) {
  TextWriter out;
  WriteResult(out, literal,
              {.max_empty_rows = MaxEmptyRows(shorten_above > 0 ? shorten_above : -1),
               .shorten_above = shorten_above,
               .multi_line = true});
  return out.Take();
}

}  // namespace hlo

// Plain values and lists of them; shardings and provenance have files of their own.
#include "printer/print_value.h"

#include <algorithm>
#include <string>

#include "printer/print_literal.h"
#include "support/check.h"

namespace hlo {
namespace {

// Whether `text` is one raw JSON block and nothing else (grammar.md 1.9).
bool IsJsonBlock(std::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  int64_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') return false;
    if (in_string) {
      if (c == '\\') {
        if (++i == text.size() || text[i] == '\n') return false;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

void PrintRawOrEscaped(PrintContext& context, std::string_view text) {
  if (IsJsonBlock(text)) return context.Append(text);
  PrintEscaped(context, text);
}

// `key=` and one entry for each window dimension, if any entry is not the default.
template <typename PrintEntry>
void PrintWindowField(PrintContext& context, const Window& window, std::string_view key, bool shown,
                      PrintEntry print) {
  if (!shown) return;
  if (key != "size=") context.Append(' ');
  PrintSeparated(context, key, "x", "", window.dimensions, print);
}

template <typename Predicate>
bool AnyDimension(const Window& window, Predicate predicate) {
  return std::any_of(window.dimensions.begin(), window.dimensions.end(), predicate);
}

// One part of dim_labels: `letters` at their dimensions, digits at the spatial ones.
std::string LabelPart(int64_t rank, std::initializer_list<std::pair<int64_t, char>> letters,
                      const IntList& spatial) {
  std::string labels(static_cast<size_t>(rank), '?');
  for (const auto& [dim, letter] : letters) {
    if (dim >= 0 && dim < rank) labels[static_cast<size_t>(dim)] = letter;
  }
  for (size_t i = 0; i < spatial.size(); ++i) {
    labels[static_cast<size_t>(spatial[i])] = static_cast<char>('0' + i);
  }
  return labels;
}

void PrintSparsityDescriptor(PrintContext& context, const SparsityDescriptor& descriptor) {
  std::string_view separator;
  auto field = [&](bool given, std::string_view key, int64_t value) {
    if (!given) return false;
    context.Append(separator);
    context.Append(key);
    context.AppendInt(value);
    separator = " ";
    return true;
  };
  context.Append('{');
  if (field(descriptor.has_sparsity, "sparsity=", descriptor.nonzeros)) {
    context.Append('x');
    context.AppendInt(descriptor.block);
  }
  field(descriptor.has_dimension, "dimension=", descriptor.dimension);
  field(descriptor.has_stride, "stride=", descriptor.stride);
  field(descriptor.has_index, "idx=", descriptor.index);
  context.Append('}');
}

// ": (1, {0}" of an alias, and "(1, {0}" of a donor; the caller closes.
void PrintBufferReference(PrintContext& context, int64_t number, const IntList& index) {
  context.Append('(');
  context.AppendInt(number);
  context.Append(", ");
  PrintValue(context, index);
}

}  // namespace

void PrintEscaped(PrintContext& context, std::string_view text) {
  context.Append('"');
  size_t plain_begin = 0;
  auto escape = [&](size_t at, std::string_view replacement) {
    context.Append(text.substr(plain_begin, at - plain_begin));
    context.Append(replacement);
    plain_begin = at + 1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    switch (c) {
      case '\n':
        escape(i, "\\n");
        break;
      case '\r':
        escape(i, "\\r");
        break;
      case '\t':
        escape(i, "\\t");
        break;
      case '"':
        escape(i, "\\\"");
        break;
      case '\'':
        escape(i, "\\'");
        break;
      case '\\':
        escape(i, "\\\\");
        break;
      default:
        if (c >= 0x20 && c < 0x7f) break;
        const char octal[] = {'\\', static_cast<char>('0' + (c >> 6)),
                              static_cast<char>('0' + ((c >> 3) & 7)),
                              static_cast<char>('0' + (c & 7))};
        escape(i, {octal, sizeof(octal)});
    }
  }
  context.Append(text.substr(plain_begin));
  context.Append('"');
}

void PrintVerbatim(PrintContext& context, char quote, std::string_view text) {
  context.Append(quote);
  for (char c : text) {
    if (c == quote || c == '\\') context.Append('\\');
    context.Append(c);
  }
  context.Append(quote);
}

void PrintValue(PrintContext& context, bool value) { context.Append(value ? "true" : "false"); }
void PrintValue(PrintContext& context, int64_t value) { context.AppendInt(value); }
void PrintValue(PrintContext& context, double value) {
  context.out().Commit(WriteSixDigits(context.out().Reserve(kMaxNumberSize), value));
}
void PrintValue(PrintContext& context, String value) { PrintEscaped(context, value); }
void PrintValue(PrintContext& context, RawText value) { PrintRawOrEscaped(context, value.text); }
void PrintValue(PrintContext& context, ComputationId value) {
  context.PrintName(context.module().computation(value).name);
}
void PrintValue(PrintContext& context, InstructionId value) { context.PrintReference(value); }
void PrintValue(PrintContext& context, LiteralRef value) {
  PrintTypedLiteral(context, *value.literal);
}
void PrintValue(PrintContext& context, ShapeRef value) { context.PrintShape(*value.shape); }

void PrintValue(PrintContext& context, const Window& value) {
  using Dimension = const WindowDimension&;
  auto field = [&](std::string_view key, auto is_given, auto print) {
    PrintWindowField(context, value, key, AnyDimension(value, is_given), print);
  };
  auto integer = [&](int64_t WindowDimension::*member) {
    return [&context, member](Dimension d) { context.AppendInt(d.*member); };
  };
  context.Append('{');
  field(
      "size=", [](Dimension) { return true; }, integer(&WindowDimension::size));
  field(
      "stride=", [](Dimension d) { return d.stride != 1; }, integer(&WindowDimension::stride));
  field(
      "pad=", [](Dimension d) { return d.padding_low != 0 || d.padding_high != 0; },
      [&](Dimension d) {
        context.AppendInt(d.padding_low);
        context.Append('_');
        context.AppendInt(d.padding_high);
      });
  field(
      "lhs_dilate=", [](Dimension d) { return d.base_dilation != 1; },
      integer(&WindowDimension::base_dilation));
  field(
      "rhs_dilate=", [](Dimension d) { return d.window_dilation != 1; },
      integer(&WindowDimension::window_dilation));
  field(
      "rhs_reversal=", [](Dimension d) { return d.reversal; },
      [&](Dimension d) { context.Append(d.reversal ? '1' : '0'); });
  context.Append('}');
}

void PrintValue(PrintContext& context, const ConvolutionDimensionNumbers& value) {
  context.Append(LabelPart(value.input_rank, {{value.input_batch, 'b'}, {value.input_feature, 'f'}},
                           value.input_spatial));
  context.Append('_');
  context.Append(LabelPart(value.kernel_rank,
                           {{value.kernel_input_feature, 'i'}, {value.kernel_output_feature, 'o'}},
                           value.kernel_spatial));
  context.Append("->");
  context.Append(LabelPart(value.output_rank,
                           {{value.output_batch, 'b'}, {value.output_feature, 'f'}},
                           value.output_spatial));
}

void PrintValue(PrintContext& context, const SparsityConfig& value) {
  context.Append('{');
  if (value.lhs.present) {
    context.Append("lhs=");
    PrintSparsityDescriptor(context, value.lhs);
  }
  if (value.rhs.present) {
    context.Append(value.lhs.present ? " rhs=" : "rhs=");
    PrintSparsityDescriptor(context, value.rhs);
  }
  context.Append('}');
}

void PrintValue(PrintContext& context, const IntList& value) {
  PrintSeparated(context, "{", ",", "}", value, [&](int64_t item) { context.AppendInt(item); });
}
void PrintValue(PrintContext& context, const IntListList& value) {
  PrintSeparated(context, "{", ",", "}", value,
                 [&](const IntList& item) { PrintValue(context, item); });
}
void PrintValue(PrintContext& context, const BoolList& value) {
  PrintSeparated(context, "{", ",", "}", value, [&](bool item) { PrintValue(context, item); });
}
void PrintValue(PrintContext& context, const PrecisionList& value) {
  PrintSeparated(context, "{", ",", "}", value, [&](Precision item) { PrintValue(context, item); });
}
void PrintValue(PrintContext& context, const ComputationList& value) {
  PrintSeparated(context, "{", ", ", "}", value,
                 [&](ComputationId item) { PrintValue(context, item); });
}
void PrintValue(PrintContext& context, const InstructionList& value) {
  PrintSeparated(context, "{", ", ", "}", value,
                 [&](InstructionId item) { PrintValue(context, item); });
}
void PrintValue(PrintContext& context, const ShapeList& value) {
  PrintSeparated(context, "{", ", ", "}", value, [&](ShapeRef item) { PrintValue(context, item); });
}

void PrintValue(PrintContext& context, const PaddingConfig& value) {
  const bool interior = std::any_of(value.begin(), value.end(),
                                    [](const PaddingDimension& d) { return d.interior != 0; });
  PrintSeparated(context, "", "x", "", value, [&](const PaddingDimension& d) {
    context.AppendInt(d.low);
    context.Append('_');
    context.AppendInt(d.high);
    if (!interior) return;
    context.Append('_');
    context.AppendInt(d.interior);
  });
}

void PrintValue(PrintContext& context, const SliceRanges& value) {
  const bool strides =
      std::any_of(value.begin(), value.end(), [](const SliceRange& r) { return r.stride != 1; });
  PrintSeparated(context, "{", ", ", "}", value, [&](const SliceRange& range) {
    context.Append('[');
    context.AppendInt(range.start);
    context.Append(':');
    context.AppendInt(range.limit);
    if (strides) {
      context.Append(':');
      context.AppendInt(range.stride);
    }
    context.Append(']');
  });
}

void PrintValue(PrintContext& context, const FrontendAttributes& value) {
  PrintSeparated(context, "{", ",", "}", value, [&](const FrontendAttribute& item) {
    context.Append(item.key);
    context.Append('=');
    PrintRawOrEscaped(context, item.value);
  });
}

void PrintValue(PrintContext& context, const OperandAliases& value) {
  PrintSeparated(context, "{", ", ", "}", value, [&](const OperandAlias& alias) {
    PrintValue(context, alias.output_index);
    context.Append(": ");
    PrintBufferReference(context, alias.operand, alias.operand_index);
    context.Append(')');
  });
}

void PrintValue(PrintContext& context, const ParameterAliases& value) {
  PrintSeparated(context, "{ ", ", ", " }", value, [&](const ParameterAlias& alias) {
    PrintValue(context, alias.output_index);
    context.Append(": ");
    PrintBufferReference(context, alias.parameter, alias.parameter_index);
    context.Append(", ");
    PrintValue(context, alias.kind);
    context.Append(')');
  });
}

void PrintValue(PrintContext& context, const BufferDonors& value) {
  PrintSeparated(context, "{ ", ", ", " }", value, [&](const BufferDonor& donor) {
    PrintBufferReference(context, donor.parameter, donor.parameter_index);
    context.Append(')');
  });
}

void PrintValue(PrintContext& context, const EntryComputationLayout& value) {
  context.Append("{(");
  for (size_t i = 0; i < value.parameters.size(); ++i) {
    if (i > 0) context.Append(", ");
    if (i > 0 && i % 5 == 0) {
      context.Append("/*index=");
      context.AppendInt(static_cast<int64_t>(i));
      context.Append("*/");
    }
    PrintValue(context, value.parameters[i]);
  }
  context.Append(")->");
  PrintValue(context, value.result);
  context.Append('}');
}

void PrintAttributeValue(PrintContext& context, Attr attr, const AttributeValue& value) {
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return PrintValue(context, value.Get<Type>());
#include "ir/attributes.def"
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo

// Attributes are pieces that can change places; each takes the white space that the printer would
// give it. Where a comment stands between them everything stays where it is.
#include "printer/kept_instruction.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "printer/coarse_token.h"
#include "printer/print_instruction.h"
#include "printer/print_value.h"
#include "printer/respace.h"

namespace hlo {
namespace {

// How far what begins at `offset` moves to stand at `column`.
int ShiftTo(int column, std::string_view source, uint32_t offset) {
  const size_t line_begin = source.substr(0, offset).rfind('\n') + 1;
  const std::string_view before = source.substr(line_begin, offset - line_begin);
  const bool is_indentation = before.find_first_not_of(" \t\r") == std::string_view::npos;
  return is_indentation ? column - IndentationOf(before) : 0;
}

// Whether the value is a number, whose canonical form is the shortest.
bool IsNumber(Attr attr) {
  switch (attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return std::is_arithmetic_v<Type>;
#include "ir/attributes.def"
  }
  return false;
}

// Whether the value is a computation that is written out, `to_apply={ ... }`, or a list with one.
// These are numbered in the order of the text.
bool HoldsBody(const Module& module, ComputationId id) {
  return module.computation(id).spelling == Spelling::kInlineBody;
}
bool HoldsBody(const Module& module, const List<ComputationId>& ids) {
  return std::ranges::any_of(ids, [&](ComputationId id) { return HoldsBody(module, id); });
}
template <typename T>
bool HoldsBody(const Module&, const T&) {
  return false;
}
bool HoldsBody(const Module& module, const Attribute& attribute) {
  switch (attribute.attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return HoldsBody(module, attribute.value.Get<Type>());
#include "ir/attributes.def"
  }
  return false;
}

std::string_view WithoutBlanksAround(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// Whether there is nothing between two attributes but what separates them.
bool IsPlain(std::string_view gap) {
  return gap.find_first_not_of(" \t\r\n,") == std::string_view::npos;
}

bool HasLineBreak(std::string_view text) { return text.find('\n') != std::string_view::npos; }

struct KeptAttribute {
  SourceRange range;
  int place = 0;  // in the printed order
  bool is_dropped = false;
  std::string text;
};

class KeptAttributes {
 public:
  // Those from byte `begin` to byte `end`, behind lines that move `shift` columns.
  KeptAttributes(PrintContext& context, uint32_t begin, uint32_t end, int shift)
      : context_(context),
        source_(context.module().source()->text()),
        begin_(begin),
        end_(end),
        shift_(shift) {}

  // An attribute in the source; others are left out.
  void Add(const Attribute& attribute, int place, bool is_dropped) {
    const SourceRange range = attribute.range;
    if (range.empty() || range.begin < begin_ || range.end > end_) return;
    // The operation inside an asynchronous one can have the same.
    if (std::ranges::count(attributes_, range, &KeptAttribute::range) > 0) return;
    keeps_order_ |= HoldsBody(context_.module(), attribute);
    attributes_.push_back({range, place, is_dropped, TextOf(attribute)});
  }

  std::string Text() {
    std::ranges::sort(attributes_, {}, [](const KeptAttribute& a) { return a.range.begin; });
    std::vector<std::string_view> gaps;  // before each, and behind the last
    uint32_t offset = begin_;
    for (const KeptAttribute& attribute : attributes_) {
      gaps.push_back(source_.substr(offset, attribute.range.begin - offset));
      offset = attribute.range.end;
    }
    gaps.push_back(source_.substr(offset, end_ - offset));
    return std::ranges::all_of(gaps, IsPlain) ? Joined(gaps) : AsWritten(gaps);
  }

 private:
  std::string TextOf(const Attribute& attribute) {
    const std::string_view written =
        source_.substr(attribute.range.begin, attribute.range.end - attribute.range.begin);
    // Blanks in the value may mean something.
    if (IsVerbatimAttribute(attribute.attr)) return std::string(written);
    const std::string canonical = Captured(context_, [&] {
      context_.Append(AttributeName(attribute.attr));
      context_.Append('=');
      PrintAttributeValue(context_, attribute.attr, attribute.value);
    });
    if (IsNumber(attribute.attr)) return canonical;
    std::optional<std::string> text;
    if (!HasLineBreak(written)) text = WithSpacesOf(canonical, written);
    return text ? *text : Respaced(written, Respacing::kAsWritten, shift_);
  }

  // An attribute that is to be dropped stays for the sake of a comment before it.
  std::string AsWritten(const std::vector<std::string_view>& gaps) const {
    std::string text;
    for (size_t i = 0; i < gaps.size(); ++i) {
      if (i < attributes_.size() && attributes_[i].is_dropped && IsPlain(gaps[i])) continue;
      const std::string_view inner = WithoutBlanksAround(gaps[i]);
      const auto begin = static_cast<size_t>(inner.data() - gaps[i].data());
      text += BlanksOf(gaps[i].substr(0, begin));
      text += Respaced(inner, Respacing::kAsWritten, shift_);
      if (!inner.empty()) text += BlanksOf(gaps[i].substr(begin + inner.size()));
      if (i < attributes_.size()) text += attributes_[i].text;
    }
    return text;
  }

  std::string BlanksOf(std::string_view gap) const {
    if (HasLineBreak(gap)) return ShiftedLineBreak(gap, shift_);
    return gap.empty() ? "" : " ";
  }

  // Line breaks stay where they are, whatever attribute stands behind them.
  std::string Joined(const std::vector<std::string_view>& gaps) {
    if (!keeps_order_) std::ranges::stable_sort(attributes_, {}, &KeptAttribute::place);
    std::string text;
    for (size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].is_dropped) continue;
      text += ',';
      text += HasLineBreak(gaps[i]) ? ShiftedLineBreak(gaps[i], shift_) : " ";
      text += attributes_[i].text;
    }
    return text;
  }

  PrintContext& context_;
  const std::string_view source_;
  const uint32_t begin_;
  const uint32_t end_;
  const int shift_;
  bool keeps_order_ = false;
  std::vector<KeptAttribute> attributes_;
};

class KeptInstructionPrinter {
 public:
  KeptInstructionPrinter(PrintContext& context, const Instruction& instruction, int column)
      : context_(context),
        instruction_(instruction),
        source_(context.module().source()->text()),
        shift_(ShiftTo(column, source_, instruction.range.begin)),
        open_(FindParenthesis(instruction.opcode_range.end)),
        close_(FindClosing(open_)) {}

  std::string Print() {
    const uint32_t end = instruction_.range.end;
    if (close_ >= end) {
      return Respaced(Text(instruction_.range.begin, end), Respacing::kAsWritten, shift_);
    }
    return Head() + "(" + Inside() + ")" + Attributes();
  }

 private:
  std::string_view Text(uint32_t begin, uint32_t end) const {
    return source_.substr(begin, end - begin);
  }

  uint32_t FindParenthesis(uint32_t offset) const {
    const uint32_t end = instruction_.range.end;
    while (offset < end && source_[offset] != '(') {
      const bool is_blank = IsBlank(source_[offset]);
      offset += is_blank ? 1 : static_cast<uint32_t>(FirstCoarseToken(Text(offset, end)).size());
    }
    return offset;
  }

  // Of the parenthesis at `open`; the instruction's end when it is not closed.
  uint32_t FindClosing(uint32_t open) const {
    const uint32_t end = instruction_.range.end;
    int depth = 0;
    for (uint32_t i = open; i < end;) {
      if (source_[i] == '(') ++depth;
      if (source_[i] == ')' && --depth == 0) return i;
      i += IsBlank(source_[i]) ? 1 : static_cast<uint32_t>(FirstCoarseToken(Text(i, end)).size());
    }
    return end;
  }

  // `name = shape opcode`
  std::string Head() const {
    const std::string_view written = Text(instruction_.range.begin, open_);
    const std::string text = Respaced(written, Respacing::kInstruction, shift_);
    return EndsWithLineComment(written) ? text + ShiftedLineBreak("\n  ", /*shift=*/0) : text;
  }

  // Line breaks behind the opening and before the closing parenthesis stay.
  std::string Inside() {
    const std::string_view all = Text(open_ + 1, close_);
    const std::string_view written = WithoutBlanksAround(all);
    const auto begin = static_cast<size_t>(written.data() - all.data());
    return LineBreakIn(all.substr(0, begin)) + Payload(written) +
           LineBreakIn(all.substr(begin + written.size()));
  }

  std::string LineBreakIn(std::string_view gap) const {
    return HasLineBreak(gap) ? ShiftedLineBreak(gap, shift_) : "";
  }

  std::string Payload(std::string_view written) {
    const bool is_literal = HasTrait(instruction_.opcode, kLiteralPayload);
    if (is_literal && context_.options().elide_literals < 0) {
      return Respaced(written, Respacing::kLiteral, shift_);
    }
    bool has_payload = false;
    std::string payload =
        Captured(context_, [&] { has_payload = PrintPayload(context_, instruction_); });
    if (has_payload && !payload.empty()) return payload;
    return Respaced(written, Respacing::kOperands, shift_);
  }

  // The attributes of the operation inside an asynchronous one have an order of their own.
  std::string Attributes() {
    KeptAttributes kept(context_, close_ + 1, instruction_.range.end, shift_);
    const Computation* body = context_.SugaredBody(instruction_);
    const auto add = [&](const Instruction& owner) {
      for (const Attribute& attribute : owner.attributes) {
        const int place =
            body != nullptr ? 0 : PlaceOfAttribute(instruction_.opcode, attribute.attr);
        kept.Add(attribute, place, IsDroppedByOption(context_.options(), attribute.attr));
      }
    };
    add(instruction_);
    if (body != nullptr) add(context_.module().root(*body));
    return kept.Text();
  }

  PrintContext& context_;
  const Instruction& instruction_;
  const std::string_view source_;
  const int shift_;
  const uint32_t open_;  // where the operands' parentheses are
  const uint32_t close_;
};

}  // namespace

std::string KeptInstruction(PrintContext& context, const Instruction& instruction, int column) {
  return KeptInstructionPrinter(context, instruction, column).Print();
}

std::string KeptModuleLine(PrintContext& context, SourceRange range) {
  const Module& module = context.module();
  const SourceRange name = module.name_range();
  const std::string_view source = module.source()->text();
  const int shift = ShiftTo(/*column=*/0, source, range.begin);
  KeptAttributes kept(context, name.end, range.end, shift);
  const auto uses = ModuleAttributeUses();
  for (const Attribute& attribute : module.attributes()) {
    const auto use = std::ranges::find(uses, attribute.attr, &AttributeUse::attr);
    kept.Add(attribute, static_cast<int>(use - uses.begin()), /*is_dropped=*/false);
  }
  const std::string_view head = source.substr(range.begin, name.end - range.begin);
  return Respaced(head, Respacing::kHead, shift) + kept.Text();
}

}  // namespace hlo

// Shapes are interned in the module, so their texts are made once for each address.
#include "printer/print_context.h"

#include <algorithm>

#include "printer/meaningful_layouts.h"

namespace hlo {
namespace {

void DropDefaultLayouts(Shape& shape) {
  if (shape.layout() && shape.layout()->IsDefault()) shape.set_layout(std::nullopt);
  for (int64_t i = 0; i < shape.element_count(); ++i) DropDefaultLayouts(shape.mutable_element(i));
}

size_t ExpectedByteSize(const Module& module) {
  const size_t source_size = module.source() == nullptr ? 0 : module.source()->text().size();
  return source_size + source_size / 4 + 4096;
}

constexpr std::string_view kKeywords[] = {
    "nan",
#define HLO_KEYWORD(Name, text) text,
#include "ir/keywords.def"
};

}  // namespace

bool IsReservedWord(std::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords) ||
         ParseElementType(word).has_value();
}

StyleTraits TraitsOf(PrintStyle style) {
  StyleTraits traits;
  switch (style) {
    case PrintStyle::kXla:
    case PrintStyle::kKeep:
      break;
    case PrintStyle::kLong:
      traits.operand_shapes = true;
      traits.tuple_suffixes = false;
      break;
    case PrintStyle::kShort:
      traits.tuple_suffixes = false;
      traits.percent = false;
      traits.signatures = false;
      traits.operand_comment_interval = 0;
      break;
    case PrintStyle::kPretty:
      traits.percent = false;
      traits.signatures = false;
      traits.operand_comment_interval = 0;
      traits.shortest_numbers = true;
      traits.default_layouts = false;
      break;
  }
  return traits;
}

void AppendWithoutTrailingBlanks(PrintContext& context, std::string_view text) {
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t last = line.find_last_not_of(" \t\r");
    context.Append(line.substr(0, last == std::string_view::npos ? 0 : last + 1));
    if (end == text.size()) return;
    context.Append('\n');
    text.remove_prefix(end + 1);
  }
}

PrintContext::PrintContext(const Module& module, const PrintOptions& options)
    : module_(module),
      options_(options),
      traits_(TraitsOf(options.style)),
      out_(ExpectedByteSize(module)) {
  if (!options.layouts) kept_layouts_ = MeaningfulLayouts(module);
  FindSugaredBodies();
}

// An update or done names its body only through the chain of its first operands.
void PrintContext::FindSugaredBodies() {
  const auto computations = module_.computations();
  const bool any = std::any_of(computations.begin(), computations.end(), [](const Computation& c) {
    return c.spelling == Spelling::kAsyncSugar;
  });
  if (!any) return;
  const auto instructions = module_.instructions();
  std::vector<ComputationId> bodies(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    const ComputationId* calls = HasTrait(instruction.opcode, kAsyncPart)
                                     ? instruction.attributes.GetIf<Attr::kCalls>()
                                     : nullptr;
    if (calls != nullptr) {
      bodies[i] = *calls;
    } else if (!instruction.operands.empty()) {
      bodies[i] = bodies[instruction.operands.front().id.value];
    }
  }
  for (size_t i = 0; i < instructions.size(); ++i) {
    const bool sugared = HasTrait(instructions[i].opcode, kAsyncPart) && bodies[i].valid() &&
                         module_.computation(bodies[i]).spelling == Spelling::kAsyncSugar;
    if (!sugared) bodies[i] = ComputationId();
  }
  sugared_bodies_ = std::move(bodies);
}

const Computation* PrintContext::SugaredBody(const Instruction& instruction) const {
  if (sugared_bodies_.empty()) return nullptr;
  const ComputationId id = sugared_bodies_[module_.id_of(instruction).value];
  return id.valid() ? &module_.computation(id) : nullptr;
}

void PrintContext::PrintReference(InstructionId id) {
  const Instruction& instruction = module_.instruction(id);
  if (HasLine(instruction)) return PrintName(instruction.name);
  PrintReference(instruction.operands.front().id);
  Append('#');
  AppendInt(instruction.Get<Attr::kIndex>());
}

std::string PrintContext::MakeShapeText(const Shape& shape) const {
  if (!options_.layouts) return ShapeText(shape, /*index_comments=*/true);
  if (traits_.default_layouts) return ShapeTextWithLayout(shape);
  Shape copy = shape;
  DropDefaultLayouts(copy);
  return ShapeTextWithLayout(copy);
}

std::string_view PrintContext::ShapeInStyle(const Shape& shape) {
  std::string_view& text = shape_texts_[&shape];
  if (text.empty()) text = shape_storage_.emplace_back(MakeShapeText(shape));
  return text;
}

std::string_view PrintContext::ResultShape(const Instruction& instruction) {
  if (kept_layouts_.empty() || !kept_layouts_[module_.id_of(instruction).value]) {
    return ShapeInStyle(*instruction.shape);
  }
  return kept_texts_.emplace_back(ShapeTextWithLayout(*instruction.shape));
}

}  // namespace hlo

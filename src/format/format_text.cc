// The proof: the text is read back, what the options drop is erased from both modules, and what is
// left must be equal. That costs a second parse, which a text that did not change is spared. A
// print like XLA's, which drops and reorders, only has to be readable. Text in colours is printed
// again without them for the proof.
#include "format/format_text.h"

#include <utility>
#include <vector>

#include "ir/module.h"
#include "parser/parser.h"
#include "printer/meaningful_layouts.h"

namespace hlo {
namespace {

// What an option drops is dropped from both modules before they are compared.
class Eraser {
 public:
  Eraser(Module& module, const PrintOptions& options)
      : module_(module), options_(options), kept_layouts_(MeaningfulLayouts(module)) {}

  void Erase() {
    for (size_t i = 0; i < module_.instructions().size(); ++i) EraseFrom(InstructionId(i));
    if (!options_.metadata || options_.resolve_frames) module_.mutable_stack_frames() = {};
    if (!options_.layouts) EraseEntryLayouts();
  }

 private:
  void EraseFrom(InstructionId id) {
    const Instruction& instruction = module_.instruction(id);
    if (!options_.metadata) {
      module_.RemoveAttribute(id, Attr::kMetadata);
      EraseShardingMetadata(id);
    } else if (options_.resolve_frames && instruction.Has(Attr::kMetadata)) {
      Metadata metadata = instruction.Get<Attr::kMetadata>();
      metadata.stack_frame_id = 0;
      module_.SetAttribute<Attr::kMetadata>(id, metadata);
    }
    if (!options_.backend_config) module_.RemoveAttribute(id, Attr::kBackendConfig);
    if (!options_.layouts) EraseLayouts(id);
    if (options_.elide_literals >= 0) EraseElements(id);
  }

  void EraseShardingMetadata(InstructionId id) {
    if (!module_.instruction(id).Has(Attr::kSharding)) return;
    Sharding sharding = module_.instruction(id).Get<Attr::kSharding>();
    std::vector<ShardingLeaf> leaves(sharding.leaves.begin(), sharding.leaves.end());
    for (ShardingLeaf& leaf : leaves) leaf.metadata = {};
    sharding.leaves = module_.arena().CopyItems(std::span<const ShardingLeaf>(leaves));
    module_.SetAttribute<Attr::kSharding>(id, sharding);
  }

  const Shape* WithoutLayout(const Shape& shape) {
    Shape bare = shape;
    bare.ClearLayouts();
    return module_.InternShape(bare);
  }

  void EraseLayouts(InstructionId id) {
    if (kept_layouts_.empty() || !kept_layouts_[id.value]) {
      module_.mutable_instruction(id).shape = WithoutLayout(*module_.instruction(id).shape);
    }
    module_.RemoveAttribute(id, Attr::kOperandLayoutConstraints);
    module_.RemoveAttribute(id, Attr::kOutfeedShape);
    module_.RemoveAttribute(id, Attr::kLiteral);
    const LiteralRef value = module_.instruction(id).Get<Attr::kConstantValue>();
    if (value.literal == nullptr) return;
    Literal bare = *value.literal;
    EraseLiteralLayouts(bare);
    module_.SetAttribute<Attr::kConstantValue>(id, {module_.AddLiteral(std::move(bare))});
  }

  static void EraseLiteralLayouts(Literal& literal) {
    Shape shape = literal.shape();
    shape.ClearLayouts();
    literal.set_shape(shape);
    for (Literal& element : literal.tuple_elements()) EraseLiteralLayouts(element);
  }

  void EraseEntryLayouts() { module_.SetModuleAttribute<Attr::kEntryComputationLayout>({}); }

  void EraseElements(InstructionId id) {
    module_.RemoveAttribute(id, Attr::kConstantValue);
    module_.RemoveAttribute(id, Attr::kLiteral);
  }

  Module& module_;
  const PrintOptions& options_;
  std::vector<bool> kept_layouts_;
};

bool DropsAnything(const PrintOptions& options) {
  return !options.metadata || !options.backend_config || !options.layouts ||
         options.elide_literals >= 0 || options.resolve_frames;
}

// The first difference between `module` and what `text` says, or an empty string.
std::string DescribeLoss(Module& module, const std::string& text, const PrintOptions& options) {
  auto source = std::make_shared<const SourceText>("formatted text", text);
  DiagnosticSink sink(source);
  std::optional<Module> read_back = ParseModule(source, sink);
  if (!read_back) {
    const Diagnostic& first = sink.diagnostics().front();
    return fmt::format("line {}: {}", source->Locate(first.range.begin).line, first.message);
  }
  // XLA's print drops and reorders: all that can be asked of it is that it can be read.
  if (options.like_xla) return "";
  if (DropsAnything(options)) {
    Eraser(module, options).Erase();
    Eraser(*read_back, options).Erase();
  }
  return DescribeDifference(module, *read_back);
}

// Not all layouts can be dropped without changing what is computed.
void NoteKeptLayouts(const Module& module, DiagnosticSink& sink) {
  const std::vector<bool> kept = MeaningfulLayouts(module);
  for (const Instruction& instruction : module.instructions()) {
    if (kept.empty() || !kept[module.id_of(instruction).value]) continue;
    if (instruction.opcode != Opcode::kBitcast) continue;
    sink.Report(Severity::kNote, Rule::kFormatLayoutsKept, instruction.opcode_range,
                "the layouts of this `bitcast` and of its operand stay: without them it would "
                "mean something else");
  }
}

}  // namespace

std::optional<std::string> FormatText(const std::shared_ptr<const SourceText>& source,
                                      const PrintOptions& options, DiagnosticSink& sink) {
  std::optional<Module> module = ParseModule(source, sink);
  if (!module) return std::nullopt;
  if (!options.layouts) NoteKeptLayouts(*module, sink);
  std::string text = PrintModule(*module, options);
  if (text == source->text()) return text;
  PrintOptions plain = options;
  plain.color = false;
  const std::string loss =
      DescribeLoss(*module, options.color ? PrintModule(*module, plain) : text, options);
  if (loss.empty()) return text;
  if (options.like_xla) {
    return sink.Error(Rule::kFormatUnreadable, SourceRange{},
                      "what XLA prints of this module cannot be read: {}", loss);
  }
  return sink.Error(Rule::kFormatNotEqual, SourceRange{},
                    "the formatted text would not say the same: {}; please report this defect",
                    loss);
}

}  // namespace hlo

// The entry computation's layout, which of its inputs and outputs share memory, and which inputs
// it may overwrite. Source: verifier.md 1.4.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "support/count_text.h"
#include "verifier/rules.h"
#include "verifier/shape_index.h"
#include "verifier/shape_rules.h"

namespace hlo {
namespace {

// What the entry promises: the written entry layout, or the shapes of parameters and root.
class EntryShapes {
 public:
  explicit EntryShapes(const Module& module)
      : module_(module), layout_(module.GetIf<Attr::kEntryComputationLayout>()) {}

  int64_t parameter_count() const {
    return static_cast<int64_t>(module_.entry().parameters.size());
  }
  const Shape& parameter(int64_t i) const {
    bool is_written = layout_ != nullptr && i < static_cast<int64_t>(layout_->parameters.size());
    return is_written ? *layout_->parameters[i].shape
                      : *module_.instruction(module_.entry().parameters[i]).shape;
  }
  const Shape& result() const {
    return layout_ == nullptr ? *module_.root(module_.entry()).shape : *layout_->result.shape;
  }

 private:
  const Module& module_;
  const EntryComputationLayout* layout_;
};

SourceRange RangeOf(const RuleContext& context, Attr attr) {
  const Attribute* attribute = context.module().attributes().Find(attr);
  return attribute == nullptr ? context.module().name_range() : attribute->range;
}

// In layout-sensitive mode the order of dimensions counts; tiles, alignment and memory space never.
bool Agrees(const RuleContext& context, const Shape& layout_shape, const Shape& shape) {
  return Compatible(layout_shape, shape) &&
         (!context.layout_sensitive() || SameLayouts(layout_shape, shape, /*order_only=*/true));
}

void CheckParameterShapes(const RuleContext& context, const EntryComputationLayout& layout,
                          SourceRange range) {
  const Module& module = context.module();
  const Computation& entry = module.entry();
  if (layout.parameters.size() != entry.parameters.size()) {
    context.Report(Rule::kEntryLayoutParamCount, range,
                   "the entry layout has {}, the entry computation {}",
                   CountText(static_cast<int64_t>(layout.parameters.size()), "parameter"),
                   entry.parameters.size());
    return;
  }
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Instruction& parameter = module.instruction(entry.parameters[i]);
    const Shape& shape = *layout.parameters[i].shape;
    if (Agrees(context, shape, *parameter.shape)) continue;
    context.Report(Rule::kEntryLayoutParamShape, context.Within(range, ShapeText(shape)),
                   "the entry layout gives parameter {} as `{}`, it is `{}`", i,
                   ShapeTextWithLayout(shape, false), ShapeTextWithLayout(*parameter.shape, false));
    context.Note(Rule::kEntryLayoutParamShape, parameter.name_range, "the parameter");
  }
}

// "entry_computation_layout={(f32[2]{0})->f32[]}", as XLA writes it.
std::string EntryLayoutText(const Module& module) {
  std::vector<std::string> parameters;
  for (InstructionId id : module.entry().parameters) {
    parameters.push_back(ShapeTextWithLayout(*module.instruction(id).shape, false));
  }
  return fmt::format("{}={{({})->{}}}", AttributeName(Attr::kEntryComputationLayout),
                     fmt::join(parameters, ", "),
                     ShapeTextWithLayout(*module.root(module.entry()).shape, false));
}

// Where a further attribute of the header goes.
SourceRange BehindHeader(const Module& module) {
  uint32_t end = module.name_range().end;
  for (const Attribute& attribute : module.attributes()) end = std::max(end, attribute.range.end);
  return {end, end};
}

// --- Aliases -------------------------------------------------------------------------------------

std::string PlaceText(int64_t parameter, std::span<const int64_t> index) {
  return fmt::format("({}, {})", parameter, ShapeIndexText(index));
}

class AliasChecker {
 public:
  explicit AliasChecker(const RuleContext& context)
      : context_(context), shapes_(context.module()) {}

  void CheckAliases() {
    const ParameterAliases* aliases = context_.module().GetIf<Attr::kInputOutputAlias>();
    if (aliases == nullptr) return;
    range_ = RangeOf(context_, Attr::kInputOutputAlias);
    for (const ParameterAlias& alias : *aliases) {
      entry_ = fmt::format("{}: {}", ShapeIndexText(alias.output_index),
                           PlaceText(alias.parameter, alias.parameter_index));
      CheckAlias(alias);
    }
  }

  void CheckDonors() {
    const BufferDonors* donors = context_.module().GetIf<Attr::kBufferDonor>();
    if (donors == nullptr) return;
    range_ = RangeOf(context_, Attr::kBufferDonor);
    for (const BufferDonor& donor : *donors) {
      entry_ = PlaceText(donor.parameter, donor.parameter_index);
      CheckDonor(donor);
    }
  }

 private:
  void CheckAlias(const ParameterAlias& alias) {
    std::string output_text = ShapeIndexText(alias.output_index);
    const Shape* output = SubShape(shapes_.result(), alias.output_index);
    if (output == nullptr) {
      context_.Report(Rule::kAliasOutputIndex, EntryRange(), "the result `{}` has no part `{}`",
                      ShapeText(shapes_.result()), output_text);
      return;
    }
    if (!outputs_.insert(output_text).second) {
      context_.Report(Rule::kAliasOutputUnique, EntryRange(),
                      "output `{}` is listed twice: the first entry counts", output_text);
      return;
    }
    const Shape* parameter = ParameterPart(Rule::kAliasParamNumber, Rule::kAliasParamIndex,
                                           alias.parameter, alias.parameter_index);
    if (parameter == nullptr) return;
    std::string place = PlaceText(alias.parameter, alias.parameter_index);
    if (!output->IsArray() || !parameter->IsArray()) {
      context_.Report(Rule::kAliasArrayLeaf, EntryRange(),
                      "only arrays alias, output `{}` is `{}` and parameter `{}` is `{}`",
                      output_text, ShapeText(*output), place, ShapeText(*parameter));
      return;
    }
    CheckParameterOnce(place, output_text);
    CheckSizes(alias, *output, *parameter);
  }

  void CheckParameterOnce(const std::string& place, const std::string& output_text) {
    auto [entry, is_new] = aliased_.try_emplace(place, output_text);
    if (is_new) return;
    context_.Report(Rule::kAliasParamUnique, EntryRange(), "outputs `{}` and `{}` both alias `{}`",
                    entry->second, output_text, place);
  }

  void CheckSizes(const ParameterAlias& alias, const Shape& output, const Shape& parameter) {
    if (alias.kind == AliasKind::kMust) {
      bool is_same = Compatible(output, parameter) &&
                     (!context_.layout_sensitive() || SameLayouts(output, parameter, false));
      if (!is_same) {
        context_.Report(Rule::kAliasMustAliasShape, EntryRange(),
                        "output `{}` must alias parameter `{}`, but they are `{}` and `{}`",
                        ShapeIndexText(alias.output_index),
                        PlaceText(alias.parameter, alias.parameter_index),
                        ShapeTextWithLayout(output), ShapeTextWithLayout(parameter));
        return;
      }
    }
    std::optional<int64_t> output_size = TotalByteSize(output);
    std::optional<int64_t> parameter_size = TotalByteSize(parameter);
    if (!output_size || !parameter_size || *output_size == *parameter_size) return;
    context_.Report(Rule::kAliasSameSize, EntryRange(),
                    "output `{}`, `{}`, has {} bytes, parameter `{}`, `{}`, has {}",
                    ShapeIndexText(alias.output_index), ShapeText(output), *output_size,
                    PlaceText(alias.parameter, alias.parameter_index), ShapeText(parameter),
                    *parameter_size);
  }

  void CheckDonor(const BufferDonor& donor) {
    const Shape* shape = ParameterPart(Rule::kDonorParamNumber, Rule::kDonorParamIndex,
                                       donor.parameter, donor.parameter_index);
    if (shape == nullptr) return;
    std::string place = PlaceText(donor.parameter, donor.parameter_index);
    if (!shape->IsArray()) {
      context_.Report(Rule::kDonorParamIndex, EntryRange(), "`{}` is `{}`, not an array", place,
                      ShapeText(*shape));
    } else if (aliased_.contains(place)) {
      context_.Report(Rule::kDonorNotAliased, EntryRange(),
                      "`{}` is donated and aliases output `{}`", place, aliased_[place]);
    }
  }

  const Shape* ParameterPart(Rule number_rule, Rule index_rule, int64_t number,
                             std::span<const int64_t> index) {
    if (number < 0 || number >= shapes_.parameter_count()) {
      context_.Report(number_rule, EntryRange(), "no parameter {}: the entry computation has {}",
                      number, CountText(shapes_.parameter_count(), "parameter"));
      return nullptr;
    }
    const Shape* part = SubShape(shapes_.parameter(number), index);
    if (part == nullptr) {
      context_.Report(index_rule, EntryRange(), "parameter {} is `{}`, without a part `{}`", number,
                      ShapeText(shapes_.parameter(number)), ShapeIndexText(index));
    }
    return part;
  }

  // The entry that is being checked, where it can be told apart.
  SourceRange EntryRange() const {
    const SourceRange exact = context_.Within(range_, entry_);
    if (exact != range_) return exact;
    // The kind may stand before the closing bracket.
    return context_.Within(range_, entry_.substr(0, entry_.size() - 1) + ',');
  }

  const RuleContext& context_;
  EntryShapes shapes_;
  SourceRange range_;  // of the attribute
  std::string entry_;  // as XLA writes it
  absl::flat_hash_set<std::string> outputs_;
  absl::flat_hash_map<std::string, std::string> aliased_;  // parameter place: output
};

}  // namespace

void VerifyEntryLayout(const RuleContext& context) {
  const Module& module = context.module();
  const EntryComputationLayout* layout = module.GetIf<Attr::kEntryComputationLayout>();
  const Attribute* attribute = module.attributes().Find(Attr::kEntryComputationLayout);
  // One that is not written says what parameters and root say.
  if (attribute == nullptr || attribute->range.empty()) return;
  SourceRange range = RangeOf(context, Attr::kEntryComputationLayout);
  CheckParameterShapes(context, *layout, range);
  const Instruction& root = module.root(module.entry());
  if (!Agrees(context, *layout->result.shape, *root.shape) &&
      !context.IsDoubtful(module.entry().root)) {
    context.Report(Rule::kEntryLayoutResultShape,
                   context.Within(range, "->" + ShapeText(*layout->result.shape)),
                   "the entry layout gives the result as `{}`, the root is `{}`",
                   ShapeTextWithLayout(*layout->result.shape, false),
                   ShapeTextWithLayout(*root.shape, false));
    context.Note(Rule::kEntryLayoutResultShape, root.name_range, "the root");
  }
  ShapeReporter reporter(context, range, Rule::kEntryLayoutValid);
  absl::flat_hash_set<const Shape*> checked;  // shapes are interned: the same is wrong once
  for (const ShapeRef& parameter : layout->parameters) {
    if (checked.insert(parameter.shape).second) CheckShape(reporter, *parameter.shape);
  }
  if (checked.insert(layout->result.shape).second) CheckShape(reporter, *layout->result.shape);
}

// Runs last: what parameters and root say can be written down when nothing is wrong with anything.
void VerifyMissingEntryLayout(const RuleContext& context) {
  const Module& module = context.module();
  const Attribute* attribute = module.attributes().Find(Attr::kEntryComputationLayout);
  const bool is_written = attribute != nullptr && !attribute->range.empty();
  const bool is_text = !module.name_range().empty();  // others have what they would be printed with
  if (is_written || !is_text || module.form() != ModuleForm::kFull) return;
  context.Report(Rule::kEntryLayoutMissing, module.name_range(),
                 "the header of `{}` does not say the `{}`", module.name(),
                 AttributeName(Attr::kEntryComputationLayout));
  if (context.sink().error_count() > 0) return;
  context.Fix(Rule::kEntryLayoutMissing, BehindHeader(module), ", " + EntryLayoutText(module));
}

void VerifyAliases(const RuleContext& context) {
  AliasChecker checker(context);
  checker.CheckAliases();
  checker.CheckDonors();
}

}  // namespace hlo

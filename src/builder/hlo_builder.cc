// A module and its computations from the first parameter to the checked result.
#include "builder/hlo_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "absl/strings/ascii.h"

#include "builder/builder_state.h"
#include "builder/data_movement.h"
#include "builder/operation.h"
#include "ir/unique_names.h"
#include "support/checked_math.h"

namespace hlo {

using ops::Callee;
using ops::Ints;
using ops::Op;
using ops::Ops;

// --- Handles -------------------------------------------------------------------------------------

bool Op::valid() const { return state_ != nullptr && !state_->built && id_.valid(); }

const Shape& Op::shape() const {
  static const Shape* const kNothing = new Shape(Shape::Tuple({}));
  return valid() ? *state_->module().instruction(id_).shape : *kNothing;
}

bool Callee::valid() const { return state_ != nullptr && !state_->built && id_.valid(); }

// --- Computations --------------------------------------------------------------------------------

std::string BuildErrorText(const BuildError& error) {
  return fmt::format("{}:{}: error: {}: {} [{}]", error.at.file_name(), error.at.line(),
                     error.operation, error.message, error.rule);
}

HloBuilder::HloBuilder(std::string_view name)
    : state_(std::make_shared<BuilderState>(SanitizeName(name))),
      computation_(state_->builder.AddComputation("main")) {
  state_->builder.SetEntry(computation_);
}

HloBuilder::HloBuilder(std::shared_ptr<BuilderState> state, ComputationId computation)
    : state_(std::move(state)), computation_(computation) {}

HloBuilder HloBuilder::CreateSubBuilder(std::string_view name) const {
  const ComputationId id = state_->built ? computation_ : state_->builder.AddComputation(name);
  return HloBuilder(state_, id);
}

Callee HloBuilder::BuildComputation(const Op& root, ops::SourceLocation at) {
  Operation operation("BuildComputation", at, *this, {root});
  if (computation_ == state_->entry()) {
    operation.Fail(Rule::kBuilderComputationFinished,
                   "`main` is the entry computation: it becomes a module, by Build");
  }
  if (!operation.ok() || !state_->FinishComputation({"BuildComputation", at}, computation_,
                                                    BuilderState::IdOf(root))) {
    return Callee(state_, {});
  }
  return Callee(state_, computation_);
}

Callee HloBuilder::AddComputation(std::string_view name, ops::ListArg<Shape> parameters,
                                  const Body& body, ops::SourceLocation at) {
  HloBuilder builder = CreateSubBuilder(name);
  std::vector<Op> ops;
  for (const Shape& shape : parameters) {
    ops.push_back(ops::Parameter(builder, static_cast<int64_t>(ops.size()), shape, "", {}, at));
  }
  return builder.BuildComputation(body(builder, ops), at);
}

// --- The result ----------------------------------------------------------------------------------

absl::StatusOr<Module> HloBuilder::Build(const Op& root, ops::SourceLocation at) {
  if (state_->built) return absl::FailedPreconditionError("the module was already built");
  const BuilderState::Call call{"Build", at};
  Operation operation("Build", at, *this, {root});
  if (computation_ != state_->entry()) {
    operation.Fail(Rule::kBuilderComputationFinished,
                   "`{}` is no entry computation: it is finished by BuildComputation",
                   state_->module().computation(computation_).name);
  }
  if (operation.ok() && state_->FinishComputation(call, computation_, BuilderState::IdOf(root))) {
    Module module = state_->Finish();
    if (state_->Verify(call, module)) return module;
  }
  return absl::InvalidArgumentError(BuildErrorText(*state_->error));
}

absl::StatusOr<Module> HloBuilder::Build(ops::SourceLocation at) {
  if (state_->built) return absl::FailedPreconditionError("the module was already built");
  const std::vector<InstructionId>& instructions =
      state_->module().computation(computation_).instructions;
  const InstructionId last = instructions.empty() ? InstructionId() : instructions.back();
  return Build(Op(state_, last), at);
}

const BuildError* HloBuilder::error() const { return state_->error ? &*state_->error : nullptr; }

// --- What operations carry -----------------------------------------------------------------------

void HloBuilder::SetName(const Op& op, std::string_view name) {
  if (Owns(op)) state_->builder.SetName(BuilderState::IdOf(op), name);
}

void HloBuilder::SetMetadata(const Op& op, const Metadata& metadata) {
  if (Owns(op)) state_->builder.Set<Attr::kMetadata>(BuilderState::IdOf(op), metadata);
}

void HloBuilder::SetSharding(const Op& op, const Sharding& sharding) {
  if (Owns(op)) state_->builder.Set<Attr::kSharding>(BuilderState::IdOf(op), sharding);
}

namespace {

// As the text can have it (grammar.md 4.2).
bool IsAttributeKey(std::string_view key) {
  const auto is_letter = [](char c) { return absl::ascii_isalpha(c) || c == '_'; };
  return !key.empty() && is_letter(key[0]) && std::ranges::all_of(key, [&](char c) {
    return is_letter(c) || absl::ascii_isdigit(c) || c == '-' || c == '.';
  });
}

bool CheckKey(BuilderState& state, const BuilderState::Call& call, std::string_view key) {
  if (IsAttributeKey(key)) return true;
  state.Fail(call, RuleId(Rule::kAttrValueKind),
             fmt::format("`{}` cannot be the key of a frontend attribute", key));
  return false;
}

}  // namespace

void HloBuilder::SetFrontendAttribute(const Op& op, std::string_view key, std::string_view value,
                                      ops::SourceLocation at) {
  if (!Owns(op) || !CheckKey(*state_, {"SetFrontendAttribute", at}, key)) return;
  const InstructionId id = BuilderState::IdOf(op);
  std::vector<FrontendAttribute> attributes;
  for (const FrontendAttribute& old :
       state_->module().instruction(id).Get<Attr::kFrontendAttributes>()) {
    if (old.key != key) attributes.push_back(old);
  }
  attributes.push_back({key, value});
  std::ranges::sort(attributes, {}, &FrontendAttribute::key);
  state_->builder.Set<Attr::kFrontendAttributes>(id, attributes);
}

void HloBuilder::SetBackendConfig(const Op& op, std::string_view text) {
  if (Owns(op)) state_->builder.Set<Attr::kBackendConfig>(BuilderState::IdOf(op), {text});
}

void HloBuilder::AddControlDependencies(const Op& op, Ops predecessors, ops::SourceLocation at) {
  std::vector<Op> all = predecessors.ToVector();
  all.push_back(op);
  if (!Operation("AddControlDependencies", at, *this, all).ok()) return;
  const InstructionId id = BuilderState::IdOf(op);
  const InstructionList old = state_->module().instruction(id).Get<Attr::kControlPredecessors>();
  std::vector<InstructionId> ids(old.begin(), old.end());
  for (const Op& predecessor : predecessors) {
    ids.push_back(BuilderState::IdOf(predecessor));
    if (ids.back().value > id.value)
      state_->computations[computation_].has_late_predecessors = true;
  }
  state_->builder.Set<Attr::kControlPredecessors>(id, ids);
}

// Whether an attribute can be set: after an error nobody will see it.
bool HloBuilder::Owns(const Op& op) const {
  return op.valid() && BuilderState::Of(op) == state_ && state_->open();
}

Sharding HloBuilder::StoreSharding(const ShardingLeaf& leaf) {
  Sharding sharding;
  sharding.leaves = List<ShardingLeaf>(&leaf, 1);
  return state_->built ? Sharding() : state_->builder.Store(sharding);
}

Sharding HloBuilder::ReplicatedSharding() { return StoreSharding({}); }

Sharding HloBuilder::MaximalSharding(int64_t device) {
  ShardingLeaf leaf;
  leaf.kind = ShardingLeaf::Kind::kMaximal;
  leaf.maximal_device = device;
  return StoreSharding(leaf);
}

Sharding HloBuilder::TiledSharding(Ints tile_dims, Ints devices) {
  ShardingLeaf leaf;
  leaf.kind = ShardingLeaf::Kind::kTiled;
  leaf.tile_dims = IntList(tile_dims.data(), tile_dims.size());
  int64_t count = 1;
  for (int64_t size : tile_dims) count = CheckedMul(count, size).value_or(0);
  if (devices.empty()) {
    leaf.order = DeviceOrder::kIota;
    leaf.device_iota.dims = IntList(&count, 1);
  } else {
    leaf.order = DeviceOrder::kList;
    leaf.device_list = IntList(devices.data(), devices.size());
  }
  return StoreSharding(leaf);
}

// --- The module ----------------------------------------------------------------------------------

void HloBuilder::SetReplicaCount(int64_t count) {
  if (state_->open()) state_->builder.SetModule<Attr::kReplicaCount>(count);
}

void HloBuilder::SetNumPartitions(int64_t count) {
  if (state_->open()) state_->builder.SetModule<Attr::kNumPartitions>(count);
}

void HloBuilder::SetUpAlias(Ints output_index, int64_t parameter, Ints parameter_index,
                            AliasKind kind) {
  if (!state_->open()) return;
  std::vector<ParameterAlias> aliases;
  if (const ParameterAliases* old = state_->module().GetIf<Attr::kInputOutputAlias>()) {
    aliases.assign(old->begin(), old->end());
  }
  aliases.push_back({IntList(output_index.data(), output_index.size()), parameter,
                     IntList(parameter_index.data(), parameter_index.size()), kind});
  state_->builder.SetModule<Attr::kInputOutputAlias>(aliases);
}

// --- Scopes --------------------------------------------------------------------------------------

MetadataScope::MetadataScope(HloBuilder& builder, const Metadata& metadata)
    : state_(builder.state()), outer_(state_->metadata) {
  if (!state_->built) state_->metadata = state_->builder.Store(metadata);
}

MetadataScope::MetadataScope(HloBuilder& builder, std::string_view op_name)
    : MetadataScope(builder, [&] {
        Metadata metadata;
        metadata.op_name = op_name;
        return metadata;
      }()) {}

MetadataScope::~MetadataScope() { state_->metadata = outer_; }

ShardingScope::ShardingScope(HloBuilder& builder, std::optional<Sharding> sharding)
    : state_(builder.state()), outer_(state_->sharding) {
  if (state_->built) return;
  state_->sharding.reset();
  if (sharding) state_->sharding = state_->builder.Store(*sharding);
}

ShardingScope::~ShardingScope() { state_->sharding = outer_; }

FrontendAttributesScope::FrontendAttributesScope(HloBuilder& builder, const Attributes& attributes,
                                                 ops::SourceLocation at)
    : state_(builder.state()), outer_(state_->frontend_attributes) {
  for (const auto& [key, value] : attributes) {
    if (!CheckKey(*state_, {"FrontendAttributesScope", at}, key)) return;
    state_->frontend_attributes[key] = value;
  }
}

FrontendAttributesScope::~FrontendAttributesScope() {
  state_->frontend_attributes = std::move(outer_);
}

}  // namespace hlo

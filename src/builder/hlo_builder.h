// Programs made in code: a builder for the module and its computations, and the operations of the
// documents as functions (operations.h).
//
//   HloBuilder builder("scaled");
//   ops::Op x = ops::Parameter(builder, 0, Shape::Scalar(ElementType::kF32), "x");
//   absl::StatusOr<Module> module = builder.Build(Add(Mul(x, x), x));
//
// Operations infer their shapes at once, make implicit broadcasts explicit, and check what the
// documents demand. The first mistake is kept with the place of the call; what follows from it is
// passed over; Build reports it. A module that Build returns keeps the verifier's rules.
// Source: verifier.md 4, builder.md.
#ifndef HLOKIT_BUILDER_HLO_BUILDER_H_
#define HLOKIT_BUILDER_HLO_BUILDER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "builder/op.h"
#include "ir/attribute_values.h"
#include "ir/module.h"

namespace hlo {

// The first mistake in a program being built.
struct BuildError {
  std::string rule;       // as the verifier's rules are called: "transpose.permutation"
  std::string operation;  // the function that was called: "Transpose"
  std::string message;
  ops::SourceLocation at;
};

// "mlp.cc:12: error: Transpose: `dimensions={1,1}` is not ... [transpose.permutation]"
std::string BuildErrorText(const BuildError& error);

// Builds one computation: the entry computation of a new module, or one that others call.
class HloBuilder {
 public:
  // A new module called `name`, whose entry computation is `main`. Names here and below are made
  // fit for HLO text: other characters than letters, digits, `_`, `-` and `.` become `_`. That of
  // the module is not empty (module.name-nonempty).
  explicit HloBuilder(std::string_view name);

  // --- Computations ------------------------------------------------------------------------------

  // A builder for a computation that operations of this module can call once it is built.
  HloBuilder CreateSubBuilder(std::string_view name) const;
  // The computation made by CreateSubBuilder, with `root` as its result; nothing can be added to it
  // afterwards, so no computation can come to call itself.
  ops::Callee BuildComputation(const ops::Op& root,
                               ops::SourceLocation at = ops::SourceLocation::current());
  // Both in one: `body` gets the parameters, of the shapes given, and returns the result.
  //   ops::Callee add = builder.AddComputation("add", {scalar, scalar},
  //       [](HloBuilder&, ops::Ops x) { return Add(x[0], x[1]); });
  using Body = std::function<ops::Op(HloBuilder& builder, ops::Ops parameters)>;
  ops::Callee AddComputation(std::string_view name, ops::ListArg<Shape> parameters,
                             const Body& body,
                             ops::SourceLocation at = ops::SourceLocation::current());

  // --- The result --------------------------------------------------------------------------------

  // The module, with `root` as the result of this, the entry computation; without one the operation
  // that was added to it last. Fails with kInvalidArgument and the text of the first error, which
  // error() tells in parts. All builders of the module and their operations are done for.
  absl::StatusOr<Module> Build(const ops::Op& root,
                               ops::SourceLocation at = ops::SourceLocation::current());
  absl::StatusOr<Module> Build(ops::SourceLocation at = ops::SourceLocation::current());

  // The first error so far, in any computation of the module; null if there is none.
  const BuildError* error() const;

  // --- What operations carry (the scopes below: for many of them) --------------------------------

  // For one operation that was made. Text is copied.
  void SetName(const ops::Op& op, std::string_view name);
  void SetMetadata(const ops::Op& op, const Metadata& metadata);
  void SetSharding(const ops::Op& op, const Sharding& sharding);
  // Shardings for SetSharding and ShardingScope, which live as long as the module is being built:
  // the whole value on every device; on one device; cut into `tile_dims` tiles along its
  // dimensions, which lie on the devices 0, 1, 2 ... or those of `devices` in row-major order.
  Sharding ReplicatedSharding();
  Sharding MaximalSharding(int64_t device);
  Sharding TiledSharding(ops::Ints tile_dims, ops::Ints devices = {});
  // Adds to the operation's attributes, or replaces one of the same key: letters, digits, `_`, `-`
  // and `.`, no digit, `-` or `.` in front (attr.value-kind).
  void SetFrontendAttribute(const ops::Op& op, std::string_view key, std::string_view value,
                            ops::SourceLocation at = ops::SourceLocation::current());
  void SetBackendConfig(const ops::Op& op, std::string_view text);
  // `op` runs after `predecessors`, which may have been made later, though it does not use their
  // values. None of them may need `op` (comp.dataflow-cycle).
  void AddControlDependencies(const ops::Op& op, ops::Ops predecessors,
                              ops::SourceLocation at = ops::SourceLocation::current());

  // --- The module --------------------------------------------------------------------------------
  // How many replicas and partitions run it: at least 1, otherwise module.replica-count warns.
  void SetReplicaCount(int64_t count);
  void SetNumPartitions(int64_t count);
  // The element `output_index` of the result may (or must) take the memory of an entry parameter's
  // element `parameter_index`.
  void SetUpAlias(ops::Ints output_index, int64_t parameter, ops::Ints parameter_index,
                  AliasKind kind = AliasKind::kMay);

  const std::shared_ptr<BuilderState>& state() const { return state_; }  // for operations
  ComputationId computation() const { return computation_; }             // for operations

 private:
  friend class Operation;
  HloBuilder(std::shared_ptr<BuilderState> state, ComputationId computation);
  bool Owns(const ops::Op& op) const;
  Sharding StoreSharding(const ShardingLeaf& leaf);

  std::shared_ptr<BuilderState> state_;
  ComputationId computation_;
};

// While one of these lives, the operations that are added to the module, in whichever computation,
// carry what it was given; then again what they carried before. The text is copied. Of operations
// that stand for several instructions only the result carries the sharding.
class MetadataScope {
 public:
  MetadataScope(HloBuilder& builder, const Metadata& metadata);
  // With `op_name` alone: the part of the program, "layer1/dense".
  MetadataScope(HloBuilder& builder, std::string_view op_name);
  ~MetadataScope();
  MetadataScope(const MetadataScope&) = delete;
  MetadataScope& operator=(const MetadataScope&) = delete;

 private:
  std::shared_ptr<BuilderState> state_;
  std::optional<Metadata> outer_;
};

// Without a sharding: the operations carry none.
class ShardingScope {
 public:
  ShardingScope(HloBuilder& builder, std::optional<Sharding> sharding);
  ~ShardingScope();
  ShardingScope(const ShardingScope&) = delete;
  ShardingScope& operator=(const ShardingScope&) = delete;

 private:
  std::shared_ptr<BuilderState> state_;
  std::optional<Sharding> outer_;
};

// Adds to the attributes of the scopes around it; of two values for one key the inner one counts.
class FrontendAttributesScope {
 public:
  using Attributes = std::map<std::string, std::string>;
  FrontendAttributesScope(HloBuilder& builder, const Attributes& attributes,
                          ops::SourceLocation at = ops::SourceLocation::current());
  ~FrontendAttributesScope();
  FrontendAttributesScope(const FrontendAttributesScope&) = delete;
  FrontendAttributesScope& operator=(const FrontendAttributesScope&) = delete;

 private:
  std::shared_ptr<BuilderState> state_;
  Attributes outer_;
};

}  // namespace hlo

#endif  // HLOKIT_BUILDER_HLO_BUILDER_H_

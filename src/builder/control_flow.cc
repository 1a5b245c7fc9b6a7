// Whether computations fit their operands is for inference. Checked before are the selector's type,
// reserved targets, and the layouts that a custom call is to keep (verifier.md 4). Results of
// custom calls are what the caller says, all others are inferred. What a composite call says of
// itself are frontend attributes (builder.md 2).
#include "builder/control_flow.h"

#include "builder/operation.h"
#include "verifier/shape_index.h"

namespace hlo::ops {

Op Call(const HloBuilder& builder, const Callee& computation, Ops operands, SourceLocation at) {
  Operation operation("Call", at, builder, operands);
  if (!operation.Check(computation)) return operation.Invalid();
  return operation.Add(Opcode::kCall, operands).SetCallee<Attr::kToApply>(computation).Infer();
}

Op CompositeCall(const HloBuilder& builder, const Callee& computation, Ops operands,
                 std::string_view name, std::string_view attributes, int64_t version,
                 SourceLocation at) {
  Operation operation("CompositeCall", at, builder, operands);
  if (!operation.Check(computation)) return operation.Invalid();
  HloBuilder target = operation.builder();
  const FrontendAttributesScope scope(target, {{"composite.attributes", std::string(attributes)},
                                               {"composite.name", std::string(name)},
                                               {"composite.version", fmt::format("{}", version)}});
  return operation.Add(Opcode::kCall, operands)
      .SetCallee<Attr::kToApply>(computation)
      .Set<Attr::kIsComposite>(true)
      .Infer();
}

namespace {

bool CheckSelector(Operation& operation, const Op& selector, ElementType type) {
  if (!operation.ok()) return false;
  if (selector.shape().IsScalar() && selector.shape().element_type() == type) return true;
  operation.Fail(Rule::kBuilderConditionalSelector, "`{}` is not `{}[]`",
                 ShapeText(selector.shape()), ElementTypeName(type));
  return false;
}

}  // namespace

Op Conditional(const Op& predicate, const Op& true_operand, const Callee& true_computation,
               const Op& false_operand, const Callee& false_computation, SourceLocation at) {
  Operation operation("Conditional", at, {predicate, true_operand, false_operand});
  if (!operation.Check(true_computation) || !operation.Check(false_computation) ||
      !CheckSelector(operation, predicate, ElementType::kPred)) {
    return operation.Invalid();
  }
  return operation.Add(Opcode::kConditional, {predicate, true_operand, false_operand})
      .SetCallee<Attr::kTrueComputation>(true_computation)
      .SetCallee<Attr::kFalseComputation>(false_computation)
      .Infer();
}

Op Conditional(const Op& branch_index, ListArg<Callee> branch_computations, Ops branch_operands,
               SourceLocation at) {
  std::vector<Op> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  Operation operation("Conditional", at, operands);
  std::vector<ComputationId> branches;
  for (const Callee& branch : branch_computations) {
    if (!operation.Check(branch)) return operation.Invalid();
    branches.push_back(BuilderState::IdOf(branch));
  }
  if (!CheckSelector(operation, branch_index, ElementType::kS32)) return operation.Invalid();
  return operation.Add(Opcode::kConditional, operands)
      .Set<Attr::kBranchComputations>(branches)
      .Infer();
}

Op While(const Callee& condition, const Callee& body, const Op& init, SourceLocation at) {
  Operation operation("While", at, {init});
  if (!operation.Check(condition) || !operation.Check(body)) return operation.Invalid();
  return operation.Add(Opcode::kWhile, {init})
      .SetCallee<Attr::kCondition>(condition)
      .SetCallee<Attr::kBody>(body)
      .Infer();
}

// --- Custom calls --------------------------------------------------------------------------------

namespace {

bool CheckTarget(Operation& operation, std::string_view target) {
  if (!target.starts_with('$')) return operation.ok();
  operation.Fail(Rule::kBuilderCustomCallTarget,
                 "the target `{}` begins with `$`, as internal ones do", target);
  return false;
}

std::vector<OperandAlias> AliasesOf(const CustomCallOptions& options) {
  std::vector<OperandAlias> aliases;
  for (const CustomCallAlias& alias : options.aliasing) {
    aliases.push_back({alias.output_index, alias.operand, alias.operand_index});
  }
  return aliases;
}

Draft StartCustomCall(Operation& operation, std::string_view target, Ops operands,
                      const CustomCallOptions& options) {
  Draft draft = operation.Add(Opcode::kCustomCall, operands);
  const std::vector<OperandAlias> aliases = AliasesOf(options);
  const bool has_schedule = options.schedule != CustomCallSchedule::kNone;
  const bool has_version = options.api_version != CustomCallApiVersion::kOriginal;
  draft.Set<Attr::kCustomCallTarget>(target)
      .SetIf<Attr::kCustomCallHasSideEffect>(options.has_side_effect, true)
      .SetIf<Attr::kOutputToOperandAliasing>(!aliases.empty(), aliases)
      .SetIf<Attr::kCustomCallSchedule>(has_schedule, options.schedule)
      .SetIf<Attr::kApiVersion>(has_version, options.api_version)
      .SetIf<Attr::kBackendConfig>(!options.opaque.empty(), {options.opaque});
  if (options.literal) draft.Set<Attr::kLiteral>({&*options.literal});
  return draft;
}

}  // namespace

Op CustomCall(const HloBuilder& builder, std::string_view target, Ops operands, const Shape& shape,
              const CustomCallOptions& options, SourceLocation at) {
  Operation operation("CustomCall", at, builder, operands);
  if (!CheckTarget(operation, target)) return operation.Invalid();
  return StartCustomCall(operation, target, operands, options).As(shape);
}

Op CustomCallWithComputation(const HloBuilder& builder, std::string_view target, Ops operands,
                             const Callee& computation, const Shape& shape,
                             const CustomCallOptions& options, SourceLocation at) {
  Operation operation("CustomCallWithComputation", at, builder, operands);
  if (!CheckTarget(operation, target) || !operation.Check(computation)) return operation.Invalid();
  return StartCustomCall(operation, target, operands, options)
      .SetCallee<Attr::kToApply>(computation)
      .As(shape);
}

namespace {

bool CheckLayouts(Operation& operation, Ops operands, const Shape& shape,
                  ListArg<Shape> operand_shapes) {
  if (!operation.ok()) return false;
  if (!HasLayouts(shape)) {
    operation.Fail(Rule::kCustomCallLayoutResult, "the result `{}` has no layout",
                   ShapeText(shape));
  } else if (operand_shapes.size() != operands.size()) {
    operation.Fail(Rule::kCustomCallLayoutCount, "{} shapes are given for {} operands",
                   operand_shapes.size(), operands.size());
  }
  for (size_t i = 0; operation.ok() && i < operands.size(); ++i) {
    if (!operation.CheckShape(operand_shapes[i])) return false;
    if (HasLayouts(operand_shapes[i]) && Compatible(operand_shapes[i], operands[i].shape())) {
      continue;
    }
    operation.Fail(Rule::kCustomCallLayoutOperand, "`{}` is no layout of operand {}, `{}`",
                   ShapeTextWithLayout(operand_shapes[i]), i, ShapeText(operands[i].shape()));
  }
  return operation.ok();
}

}  // namespace

Op CustomCallWithLayout(const HloBuilder& builder, std::string_view target, Ops operands,
                        const Shape& shape_with_layout, ListArg<Shape> operand_shapes_with_layout,
                        const CustomCallOptions& options, SourceLocation at) {
  Operation operation("CustomCallWithLayout", at, builder, operands);
  if (!CheckTarget(operation, target) ||
      !CheckLayouts(operation, operands, shape_with_layout, operand_shapes_with_layout)) {
    return operation.Invalid();
  }
  std::vector<ShapeRef> constraints;
  for (const Shape& shape : operand_shapes_with_layout) constraints.push_back({&shape});
  return StartCustomCall(operation, target, operands, options)
      .Set<Attr::kOperandLayoutConstraints>(constraints)
      .As(shape_with_layout);
}

Op CustomCallWithConvDnums(const HloBuilder& builder, std::string_view target, Ops operands,
                           const Shape& shape, const WindowLists& window,
                           const ConvDimensionNumbers& numbers, const ConvOptions& conv_options,
                           const CustomCallOptions& options, SourceLocation at) {
  Operation operation("CustomCallWithConvDnums", at, builder, operands);
  const auto dimensions = MakeWindow(operation, window);
  if (!dimensions || !CheckTarget(operation, target)) return operation.Invalid();
  if (!numbers.IsComplete()) {
    return operation.Fail(
        Rule::kConvolutionLabelsCover,
        "the numbers do not name each dimension of input, kernel and output once");
  }
  return StartCustomCall(operation, target, operands, options)
      .SetIf<Attr::kWindow>(!dimensions->empty(), {*dimensions})
      .Set<Attr::kDimLabels>(numbers.AttributeValue())
      .SetIf<Attr::kFeatureGroupCount>(conv_options.feature_group_count != 1,
                                       conv_options.feature_group_count)
      .SetIf<Attr::kBatchGroupCount>(conv_options.batch_group_count != 1,
                                     conv_options.batch_group_count)
      .SetIf<Attr::kOperandPrecision>(!conv_options.precision.operand_precision.empty(),
                                      conv_options.precision.operand_precision)
      .As(shape);
}

}  // namespace hlo::ops

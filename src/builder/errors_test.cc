// Every documented constraint, broken through the builder, gives its rule; misuse is an error, too.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "builder/rules_out_of_reach.h"
#include "builder/violations.h"
#include "testing/built_program.h"
#include "verifier/rule.h"
#include "verifier/verifier.h"

namespace hlo::testing {
namespace {

using namespace ops;

std::vector<Violation> AllViolations() {
  std::vector<Violation> all;
  for (const Violations list :
       {MisuseViolations(), ModuleViolations(), ShardingViolations(), ShapeViolations(),
        ElementwiseViolations(), DataMovementViolations(), SlicingViolations(),
        IndexingViolations(), ScatterViolations(), ReductionViolations(), SortAndScanViolations(),
        ContractionViolations(), ConvolutionViolations(), LinalgViolations(),
        ControlFlowViolations(), CustomCallViolations(), CollectiveViolations(),
        EffectsViolations()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

// A program that breaks the rule, up to the error, or built: then with what the verifier says.
struct Outcome {
  std::optional<BuildError> error;
  std::vector<Diagnostic> findings;
};

// After an error nothing can be made any more, and the error stays what it is.
void CheckThatNothingFollows(HloBuilder& builder) {
  const BuildError error = *builder.error();
  const Op late = P(builder, 1000, "f32[]");
  EXPECT_FALSE(late.valid());
  EXPECT_FALSE(Add(late, late).valid());
  EXPECT_FALSE(Tuple(builder, {}).valid());
  EXPECT_FALSE(Negation(builder).valid());
  EXPECT_FALSE(builder.Build().ok());
  EXPECT_EQ(BuildErrorText(*builder.error()), BuildErrorText(error));
}

Outcome OutcomeOf(const Violation& violation) {
  HloBuilder builder("m");
  std::vector<Op> parameters;
  for (const Shape& shape : ShapesOf(violation.parameters)) {
    const auto number = static_cast<int64_t>(parameters.size());
    parameters.push_back(Parameter(builder, number, shape, ""));
  }
  violation.break_it(builder, parameters);
  Outcome outcome;
  if (builder.error() == nullptr) {
    const absl::StatusOr<Module> module = builder.Build();
    if (module.ok()) {
      VerifyOptions options;
      options.notes = true;
      DiagnosticSink sink(module->source());
      Verify(*module, options, sink);
      outcome.findings = {sink.diagnostics().begin(), sink.diagnostics().end()};
    }
  }
  if (builder.error() != nullptr) {
    outcome.error = *builder.error();
    CheckThatNothingFollows(builder);
  }
  return outcome;
}

bool IsErrorOfBuilder(std::string_view rule) {
  const RuleSeverity severity = GetRuleInfo(*FindRule(rule)).severity;
  return severity.normal == RuleSeverity::Level::kError ||
         severity.mode == RuleSeverity::Mode::kBuilder;
}

// The violations are calls of their files; above are the parameters and the end.
bool IsToldOfItsCall(const BuildError& error) {
  const std::string_view file = error.at.file_name();
  return file.find("builder/violations") != file.npos || error.operation == "Parameter" ||
         error.operation == "Build";
}

std::string RulesOf(const std::vector<Diagnostic>& findings) {
  std::string rules;
  for (const Diagnostic& finding : findings) rules += finding.rule + " ";
  return rules;
}

TEST(BuilderErrors, EachConstraintGivesItsRule) {
  for (const Violation& violation : AllViolations()) {
    SCOPED_TRACE(violation.rule);
    ASSERT_TRUE(FindRule(violation.rule));
    const Outcome outcome = OutcomeOf(violation);
    if (outcome.error) {
      EXPECT_EQ(outcome.error->rule, violation.rule) << outcome.error->message;
      EXPECT_FALSE(outcome.error->message.empty());
      EXPECT_TRUE(IsToldOfItsCall(*outcome.error)) << BuildErrorText(*outcome.error);
      continue;
    }
    EXPECT_FALSE(IsErrorOfBuilder(violation.rule)) << "built: " << RulesOf(outcome.findings);
    const bool is_told = std::ranges::any_of(outcome.findings, [&](const Diagnostic& finding) {
      return finding.rule == violation.rule;
    });
    EXPECT_TRUE(is_told) << "told: " << RulesOf(outcome.findings);
  }
}

// Whether rules of this kind are not looked at when a module is built.
bool IsForOthers(const RuleSeverity& severity) {
  return severity.mode == RuleSeverity::Mode::kStage ||
         (severity.normal == RuleSeverity::Level::kOff &&
          severity.mode != RuleSeverity::Mode::kBuilder);
}

TEST(BuilderErrors, EveryRuleIsBrokenOrOutOfReach) {
  std::set<Rule> broken;
  for (const Violation& violation : AllViolations()) broken.insert(*FindRule(violation.rule));
  std::map<std::string_view, int> uses;
  for (int i = 0; i < kRuleCount; ++i) {
    const auto rule = static_cast<Rule>(i);
    const RuleInfo& info = GetRuleInfo(rule);
    if (IsForOthers(info.severity)) continue;
    int reason_count = 0;
    for (const OutOfReach& row : RulesOutOfReach()) {
      if (!MatchesRulePattern(row.rules, info.id)) continue;
      ++reason_count;
      ++uses[row.rules];
    }
    EXPECT_EQ(reason_count, broken.contains(rule) ? 0 : 1) << info.id << ": " << info.text;
  }
  for (const OutOfReach& row : RulesOutOfReach()) EXPECT_GT(uses[row.rules], 0) << row.rules;
}

TEST(BuilderErrors, TheFirstOneIsToldWithItsPlace) {
  HloBuilder builder("m");
  const Op x = P(builder, 0, "f32[2,3]");
  const Op bad = Transpose(x, {1, 1});
  const int line = __LINE__ - 1;
  EXPECT_FALSE(bad.valid());
  EXPECT_EQ(bad.shape(), Shape::Tuple({}));
  EXPECT_FALSE(Add(bad, Floor(P(builder, 1, "s32[]"))).valid());
  const absl::StatusOr<Module> module = builder.Build(bad);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(module.status().message(),
            fmt::format("{}:{}: error: Transpose: `dimensions={{1,1}}` is not a permutation of the "
                        "operand's 2 dimensions [transpose.permutation]",
                        __FILE__, line));
}

TEST(BuilderErrors, WhatTheModuleTellsIsToldOfItsCall) {
  HloBuilder builder("m");
  builder.SetReplicaCount(4);
  const Op sum = CrossReplicaSum(P(builder, 0, "f32[2]"), {{0, 1}});
  const unsigned line = __LINE__ - 1;
  EXPECT_FALSE(builder.Build(Neg(sum)).ok());
  ASSERT_NE(builder.error(), nullptr);
  EXPECT_EQ(builder.error()->rule, "collective.group-count");
  EXPECT_EQ(builder.error()->operation, "CrossReplicaSum");
  EXPECT_EQ(builder.error()->at.line(), line);
}

TEST(BuilderErrors, NothingCanBeDoneWithABuiltModule) {
  HloBuilder builder("m");
  HloBuilder inner = builder.CreateSubBuilder("inner");
  const Op x = P(builder, 0, "f32[]");
  EXPECT_TRUE(builder.Build(x).ok());
  EXPECT_FALSE(x.valid());
  EXPECT_FALSE(Add(x, x).valid());
  EXPECT_FALSE(P(builder, 1, "f32[]").valid());
  EXPECT_FALSE(P(inner, 0, "f32[]").valid());
  builder.SetName(x, "y");
  builder.SetReplicaCount(2);
  EXPECT_FALSE(builder.CreateSubBuilder("late").BuildComputation(x).valid());
  const MetadataScope metadata(builder, "late");
  const ShardingScope sharding(builder, builder.MaximalSharding(1));
  EXPECT_EQ(builder.Build(x).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(builder.error(), nullptr);
}

TEST(BuilderErrors, HandlesOutliveTheirBuilder) {
  Op x;
  {
    HloBuilder builder("m");
    x = P(builder, 0, "f32[]");
  }
  EXPECT_TRUE(Add(x, x).valid());
  EXPECT_FALSE(Add(Op(), Op()).valid());
}

TEST(BuilderErrors, AnEmptyProgramHasNoResult) {
  HloBuilder builder("m");
  EXPECT_FALSE(builder.Build().ok());
  EXPECT_EQ(FirstRule(builder), "builder.operation-handle");
}

TEST(BuilderErrors, ASubBuilderIsNoModule) {
  HloBuilder builder("m");
  HloBuilder inner = builder.CreateSubBuilder("inner");
  EXPECT_FALSE(inner.Build(P(inner, 0, "f32[]")).ok());
  EXPECT_EQ(FirstRule(builder), "builder.computation-finished");
}

}  // namespace
}  // namespace hlo::testing

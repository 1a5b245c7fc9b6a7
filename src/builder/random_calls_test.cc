// Calls of the builder's functions with arguments that come by chance: never a crash, always a
// module that verifies, prints and reads back, that can be analysed and planned, or an error of a
// rule that there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "builder/operation_examples.h"
#include "builder/random_calls.h"
#include "indexing/op_maps.h"
#include "printer/printer.h"
#include "testing/run_module.h"
#include "verifier/rule.h"
#include "verifier/verifier.h"

namespace hlo::testing {
namespace {

using namespace ops;

constexpr uint32_t kProgramCount = 12000;

// What is set on operations and modules, besides.
void SetSomething(HloBuilder& b, RandomArguments& r) {
  switch (r.Below(10)) {
    case 0:
      return b.SetSharding(r.x(), r.sharding());
    case 1:
      return b.SetName(r.x(), r.one_of<std::string_view>({"", "f32", "a b", "%", "0", "root"}));
    case 2:
      return b.SetFrontendAttribute(r.x(), r.flag() ? "k.1" : "k\"", "\n");
    case 3:
      return b.SetBackendConfig(r.x(), "{\"a\":[1");
    case 4:
      return b.AddControlDependencies(r.x(), r.xs());
    case 5:
      return b.SetReplicaCount(r.n());
    case 6:
      return b.SetNumPartitions(r.n());
    case 7: {
      const MetadataScope scope(b, "a\"b\n");
      return r.Add(ops::Copy(r.x()));
    }
    case 8: {
      const ShardingScope scope(b, r.sharding());
      return r.Add(ops::Copy(r.x()));
    }
  }
  b.SetUpAlias(r.ns(), r.n(), r.ns(), r.word<AliasKind>());
}

// Makes calls until one fails. Counts the functions that succeed.
void MakeCalls(HloBuilder& b, RandomArguments& r, std::set<std::string_view>& succeeded) {
  const std::span<const RandomCall> calls = RandomCalls();
  for (int64_t i = 1 + r.Below(6); i > 0 && b.error() == nullptr; --i) {
    const RandomCall& call = calls[r.Below(std::ssize(calls))];
    r.Add(call.call(r));
    if (b.error() == nullptr) succeeded.insert(call.operation);
    if (r.Below(8) == 0) SetSomething(b, r);
  }
}

void CheckModule(const Module& module) {
  DiagnosticSink sink(module.source());
  Verify(module, {}, sink);
  EXPECT_EQ(sink.error_count(), 0);
  const std::string text = PrintModule(module);
  const absl::StatusOr<Module> read = ParseText("text", text);
  ASSERT_TRUE(read.ok()) << read.status().message() << "\n" << text;
  EXPECT_EQ(PrintModule(*read), text);
}

// What else is made of modules does not mind how they came about: the indexing maps of each
// instruction, and a plan, or what stands in its way.
void AnalyseAndPlan(const Module& module) {
  indexing::ExprContext context;
  for (InstructionId id : module.entry().instructions) {
    const Instruction& instruction = module.instruction(id);
    if (instruction.shape->LeafCount() > 100) continue;
    const OpView op(module, instruction);
    for (int64_t i = 0; i < indexing::OutputCount(*instruction.shape); ++i) {
      indexing::OutputToInput(op, i, context);
    }
    for (int64_t i = 0; i < op.operand_count(); ++i) indexing::InputToOutput(op, i, context);
  }
  DiagnosticSink sink(module.source());
  if (!PlanModule(module, sink, {.max_byte_size = int64_t{1} << 28})) {
    ASSERT_GT(sink.error_count(), 0);
    EXPECT_TRUE(FindRule(sink.diagnostics()[0].rule)) << sink.diagnostics()[0].message;
  }
}

TEST(RandomCalls, AreErrorsOfKnownRulesOrMakeModules) {
  std::set<std::string_view> succeeded;
  for (uint32_t seed = 0; seed < kProgramCount; ++seed) {
    SCOPED_TRACE(seed);
    HloBuilder builder(seed % 16 == 0 ? "f32 %" : "m");
    RandomArguments arguments(builder, seed);
    MakeCalls(builder, arguments, succeeded);
    const absl::StatusOr<Module> module =
        arguments.flag() ? builder.Build() : builder.Build(arguments.x());
    if (module.ok()) {
      CheckModule(*module);
      AnalyseAndPlan(*module);
      continue;
    }
    ASSERT_NE(builder.error(), nullptr);
    EXPECT_TRUE(FindRule(builder.error()->rule)) << builder.error()->rule;
    EXPECT_FALSE(builder.error()->message.empty());
  }
  // Chance finds arguments that are right for most of them.
  EXPECT_GE(succeeded.size(), RandomCalls().size() * 3 / 4);
}

TEST(RandomCalls, AreOfAllOperations) {
  std::set<std::string> names;
  for (const RandomCall& call : RandomCalls()) names.insert(std::string(call.operation));
  EXPECT_EQ(names, OperationNames());
}

}  // namespace
}  // namespace hlo::testing

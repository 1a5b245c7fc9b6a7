// Modules, computations, and what operations carry.
#include "builder/hlo_builder.h"

#include <gtest/gtest.h>

#include "builder/operations.h"
#include "printer/printer.h"
#include "testing/built_program.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using namespace ops;
using testing::EntryText;
using testing::MakeShape;
using testing::ProgramText;

const Shape kScalar = Shape::Scalar(ElementType::kF32);

TEST(HloBuilder, CalleesStandBeforeTheirCallers) {
  HloBuilder builder("m");
  const Op x = Parameter(builder, 0, kScalar, "x");
  HloBuilder outer = builder.CreateSubBuilder("outer");
  const Callee inner =
      outer.AddComputation("inner", {kScalar}, [](HloBuilder&, Ops p) { return Neg(p[0]); });
  const Op y = Parameter(outer, 0, kScalar, "y");
  const Callee callee = outer.BuildComputation(Call(outer, inner, {y}));
  EXPECT_EQ(ProgramText(builder.Build(Call(builder, callee, {x}))), R"(
inner {
  parameter = f32[] parameter(0)
  ROOT negate = f32[] negate(parameter)
}

outer {
  y = f32[] parameter(0)
  ROOT call = f32[] call(y), to_apply=inner
}

ENTRY main {
  x = f32[] parameter(0)
  ROOT call.1 = f32[] call(x), to_apply=outer
}

)");
}

TEST(HloBuilder, ParametersComeInAnyOrder) {
  HloBuilder builder("m");
  const Op second = Parameter(builder, 1, kScalar, "b");
  const Op first = Parameter(builder, 0, kScalar, "a");
  const absl::StatusOr<Module> module = builder.Build(Sub(first, second));
  ASSERT_TRUE(module.ok());
  ASSERT_EQ(module->entry().parameters.size(), 2u);
  EXPECT_EQ(module->instruction(module->entry().parameters[0]).name, "a");
}

TEST(HloBuilder, TheLastOperationIsTheResultWithoutAnother) {
  HloBuilder builder("m");
  Neg(Parameter(builder, 0, kScalar, "x"));
  EXPECT_EQ(EntryText(builder.Build()), "ROOT negate = f32[] negate(x)\n");
}

TEST(HloBuilder, ScopesGiveWhatTheyHoldToOperations) {
  HloBuilder builder("m");
  const Op x = Parameter(builder, 0, MakeShape("f32[2]"), "x");
  const Op y = Parameter(builder, 1, kScalar, "y");
  Op sum;
  {
    const MetadataScope metadata(builder, std::string("layer") + "/sum");
    const ShardingScope sharding(builder, builder.TiledSharding({2}));
    const FrontendAttributesScope outer(builder, {{"a", "1"}, {"b", "2"}});
    const FrontendAttributesScope inner(builder, {{"b", "3"}});
    sum = Add(x, y);
  }
  // The broadcast is a step on the way and has no sharding.
  EXPECT_EQ(
      EntryText(builder.Build(Neg(sum))),
      "broadcast = f32[2] broadcast(y), dimensions={}, frontend_attributes={a=\"1\",b=\"3\"}, "
      "metadata={op_name=\"layer/sum\"}\n"
      "add = f32[2] add(x, broadcast), sharding={devices=[2]<=[2]}, "
      "frontend_attributes={a=\"1\",b=\"3\"}, "
      "metadata={op_name=\"layer/sum\"}\n"
      "ROOT negate = f32[2] negate(add)\n");
}

TEST(HloBuilder, OperationsAreGivenNamesAndAttributes) {
  HloBuilder builder("m");
  const Op x = Parameter(builder, 0, MakeShape("f32[2]"), "x");
  const Op y = Neg(x);
  const Op z = Abs(x);
  builder.SetName(y, "minus");
  builder.SetSharding(y, builder.MaximalSharding(3));
  builder.SetFrontendAttribute(y, "k", "1");
  builder.SetFrontendAttribute(y, "k", "2");
  builder.SetBackendConfig(y, "{\"fast\":true}");
  Metadata metadata;
  metadata.op_name = "z";
  builder.SetMetadata(z, metadata);
  builder.AddControlDependencies(z, {y});
  EXPECT_EQ(EntryText(builder.Build(z)),
            "minus = f32[2] negate(x), sharding={maximal device=3}, frontend_attributes={k=\"2\"}, "
            "backend_config={\"fast\":true}\n"
            "ROOT abs = f32[2] abs(x), control-predecessors={minus}, metadata={op_name=\"z\"}\n");
}

TEST(HloBuilder, WhatWaitsStandsBehindWhatItWaitsFor) {
  HloBuilder builder("m");
  const Op x = Parameter(builder, 0, kScalar, "x");
  const Op first = Neg(x);
  const Op second = Exp(first);
  const Op third = Abs(x);
  builder.AddControlDependencies(first, {third});
  EXPECT_EQ(EntryText(builder.Build(Add(second, third))),
            "abs = f32[] abs(x)\n"
            "negate = f32[] negate(x), control-predecessors={abs}\n"
            "exponential = f32[] exponential(negate)\n"
            "ROOT add = f32[] add(exponential, abs)\n");
}

TEST(HloBuilder, NamesAreMadeFitAndUnique) {
  HloBuilder builder("two words");
  const Op x = Parameter(builder, 0, kScalar, "1 %");
  const Op y = Neg(x);
  builder.SetName(y, "f32");
  const absl::StatusOr<Module> module = builder.Build(y);
  EXPECT_EQ(EntryText(module), "ROOT f32_ = f32[] negate(a__)\n");
  EXPECT_EQ(module->name(), "two_words");
}

TEST(HloBuilder, OneShardingOfATupleIsThatOfItsParts) {
  HloBuilder builder("m");
  const Op pair = Parameter(builder, 0, MakeShape("(f32[2], s32[])"), "x");
  builder.SetSharding(pair, builder.MaximalSharding(1));
  EXPECT_EQ(EntryText(builder.Build(pair)),
            "ROOT x = (f32[2], s32[]) parameter(0), "
            "sharding={{maximal device=1}, {maximal device=1}}\n");
}

TEST(HloBuilder, FeedsPlaceTheirTokensOnDeviceZero) {
  HloBuilder builder("m");
  const ShardingScope scope(builder, builder.MaximalSharding(2));
  const Op data = Infeed(builder, MakeShape("f32[2]{0}"));
  EXPECT_EQ(EntryText(builder.Build(data)),
            "after-all = token[] after-all(), sharding={maximal device=0}\n"
            "infeed = (f32[2], token[]) infeed(after-all), "
            "sharding={{maximal device=2}, {maximal device=0}}\n"
            "get-tuple-element = token[] get-tuple-element(infeed), index=1, "
            "sharding={maximal device=0}\n"
            "ROOT get-tuple-element.1 = f32[2] get-tuple-element(infeed), index=0, "
            "sharding={maximal device=2}\n");
}

TEST(HloBuilder, TheModuleLineSaysWhatItWasGiven) {
  HloBuilder builder("m");
  builder.SetReplicaCount(2);
  builder.SetNumPartitions(4);
  builder.SetUpAlias({}, 0, {}, AliasKind::kMust);
  const absl::StatusOr<Module> module =
      builder.Build(Neg(Parameter(builder, 0, MakeShape("f32[2]"), "x")));
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = PrintModule(*module);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "HloModule m, input_output_alias={ {}: (0, {}, must-alias) }, "
            "entry_computation_layout={(f32[2]{0})->f32[2]{0}}, replica_count=2, num_partitions=4");
}

TEST(HloBuilder, ComputationsThatWereNotBuiltAreLeftOut) {
  HloBuilder builder("m");
  HloBuilder inner = builder.CreateSubBuilder("inner");
  Neg(Parameter(inner, 0, kScalar, "y"));
  const absl::StatusOr<Module> module = builder.Build(Parameter(builder, 0, kScalar, "x"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->computations().size(), 1u);
}

TEST(HloBuilder, ManyOperationsAreMadeFast) {
  HloBuilder builder("m");
  Op x = Parameter(builder, 0, MakeShape("f32[8]"), "x");
  for (int i = 0; i < 20000; ++i) x = Add(x, x);
  EXPECT_TRUE(builder.Build(x).ok());
}

}  // namespace
}  // namespace hlo

// The worked examples of implicit broadcasting (builder.md 1), as text and as results.
#include <gtest/gtest.h>

#include "builder/operations.h"
#include "testing/built_program.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using namespace ops;
using testing::EntryText;
using testing::FirstRule;
using testing::MakeShape;
using testing::ResultText;

// Add of parameters of these shapes.
absl::StatusOr<Module> Sum(std::string_view lhs, std::string_view rhs, Ints dimensions = {}) {
  HloBuilder builder("sum");
  const Op x = Parameter(builder, 0, MakeShape(lhs), "x");
  const Op y = Parameter(builder, 1, MakeShape(rhs), "y");
  return builder.Build(Add(x, y, dimensions));
}

std::string RuleOf(std::string_view lhs, std::string_view rhs, Ints dimensions = {}) {
  const absl::StatusOr<Module> module = Sum(lhs, rhs, dimensions);
  if (module.ok()) return "";
  const std::string error(module.status().message());
  return error.substr(error.rfind('[') + 1, error.rfind(']') - error.rfind('[') - 1);
}

TEST(Broadcasting, NothingIsMadeForSidesThatFit) {
  EXPECT_EQ(EntryText(Sum("f32[2,3]", "f32[2,3]")), "ROOT add = f32[2,3] add(x, y)\n");
  EXPECT_EQ(EntryText(Sum("f32[2,3]", "f32[2,3]", {0, 1})), "ROOT add = f32[2,3] add(x, y)\n");
  EXPECT_EQ(EntryText(Sum("f32[]", "f32[]")), "ROOT add = f32[] add(x, y)\n");
}

TEST(Broadcasting, ScalarsGoWithEverything) {
  EXPECT_EQ(EntryText(Sum("f32[]", "f32[2,3]")),
            "broadcast = f32[2,3] broadcast(x), dimensions={}\n"
            "ROOT add = f32[2,3] add(broadcast, y)\n");
  EXPECT_EQ(EntryText(Sum("f32[0]", "f32[]")),
            "broadcast = f32[0] broadcast(y), dimensions={}\n"
            "ROOT add = f32[0] add(x, broadcast)\n");
}

TEST(Broadcasting, DimensionsOfDifferentRanks) {
  EXPECT_EQ(EntryText(Sum("f32[3]", "f32[2,3]", {1})),
            "broadcast = f32[2,3] broadcast(x), dimensions={1}\n"
            "ROOT add = f32[2,3] add(broadcast, y)\n");
  // [4] + [1,2], {0}: both sides grow, lhs first.
  EXPECT_EQ(EntryText(Sum("f32[4]", "f32[1,2]", {0})),
            "broadcast = f32[4,2] broadcast(x), dimensions={0}\n"
            "reshape = f32[2] reshape(y)\n"
            "broadcast.1 = f32[4,2] broadcast(reshape), dimensions={1}\n"
            "ROOT add = f32[4,2] add(broadcast, broadcast.1)\n");
}

TEST(Broadcasting, DegenerateDimensionsGrow) {
  EXPECT_EQ(EntryText(Sum("f32[2,1]", "f32[1,3]")),
            "reshape = f32[2] reshape(x)\n"
            "broadcast = f32[2,3] broadcast(reshape), dimensions={0}\n"
            "reshape.1 = f32[3] reshape(y)\n"
            "broadcast.1 = f32[2,3] broadcast(reshape.1), dimensions={1}\n"
            "ROOT add = f32[2,3] add(broadcast, broadcast.1)\n");
  EXPECT_EQ(EntryText(Sum("f32[1,1]", "f32[2,3]")),
            "reshape = f32[] reshape(x)\n"
            "broadcast = f32[2,3] broadcast(reshape), dimensions={}\n"
            "ROOT add = f32[2,3] add(broadcast, y)\n");
}

TEST(Broadcasting, SizesOneAndZeroGiveZero) {
  EXPECT_EQ(EntryText(Sum("f32[1]", "f32[0]")),
            "reshape = f32[] reshape(x)\n"
            "broadcast = f32[0] broadcast(reshape), dimensions={}\n"
            "ROOT add = f32[0] add(broadcast, y)\n");
}

TEST(Broadcasting, RankAndDegenerateDimensionsTogether) {
  EXPECT_EQ(EntryText(Sum("f32[1,2]", "f32[4,3,1]", {1, 2})),
            "broadcast = f32[4,1,2] broadcast(x), dimensions={1,2}\n"
            "reshape = f32[4,2] reshape(broadcast)\n"
            "broadcast.1 = f32[4,3,2] broadcast(reshape), dimensions={0,2}\n"
            "reshape.1 = f32[4,3] reshape(y)\n"
            "broadcast.2 = f32[4,3,2] broadcast(reshape.1), dimensions={0,1}\n"
            "ROOT add = f32[4,3,2] add(broadcast.1, broadcast.2)\n");
}

TEST(Broadcasting, EachSideKeepsItsElementType) {
  EXPECT_EQ(EntryText(Sum("bf16[]", "f32[2]")),
            "broadcast = bf16[2] broadcast(x), dimensions={}\n"
            "ROOT add = f32[2] add(broadcast, y)\n");
}

TEST(Broadcasting, NewAndGrownDimensionsAreStatic) {
  EXPECT_EQ(EntryText(Sum("f32[<=2,3]", "f32[]")),
            "broadcast = f32[2,3] broadcast(y), dimensions={}\n"
            "ROOT add = f32[<=2,3] add(x, broadcast)\n");
  EXPECT_EQ(EntryText(Sum("f32[<=3]", "f32[2,3]", {1})),
            "broadcast = f32[2,<=3] broadcast(x), dimensions={1}\n"
            "ROOT add = f32[2,<=3] add(broadcast, y)\n");
  // Sizes that differ in flags alone need nothing.
  EXPECT_EQ(EntryText(Sum("f32[<=3]", "f32[3]")), "ROOT add = f32[<=3] add(x, y)\n");
}

TEST(Broadcasting, ComparisonsClampSelectAndMapBroadcastToo) {
  HloBuilder builder("clamp");
  const Op x = Parameter(builder, 0, MakeShape("f32[3]"), "x");
  const Op zero = Parameter(builder, 1, MakeShape("f32[]"), "low");
  const Op positive = Gt(x, zero);
  EXPECT_EQ(EntryText(builder.Build(Select(positive, Clamp(zero, x, zero), zero))),
            "broadcast = f32[3] broadcast(low), dimensions={}\n"
            "compare = pred[3] compare(x, broadcast), direction=GT\n"
            "broadcast.1 = f32[3] broadcast(low), dimensions={}\n"
            "broadcast.2 = f32[3] broadcast(low), dimensions={}\n"
            "clamp = f32[3] clamp(broadcast.1, x, broadcast.2)\n"
            "broadcast.3 = f32[3] broadcast(low), dimensions={}\n"
            "ROOT select = f32[3] select(compare, clamp, broadcast.3)\n");
}

TEST(Broadcasting, WhatDoesNotGoTogetherIsAnError) {
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[3]"), "broadcasting.rank-mismatch");
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[3]", {0, 1}), "broadcasting.list-length");
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[]", {0}), "broadcasting.list-length");
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[3]", {2}), "broadcasting.list-range");
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[3]", {-1}), "broadcasting.list-range");
  EXPECT_EQ(RuleOf("f32[2,3,4]", "f32[3,4]", {2, 1}), "broadcasting.list-increasing");
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[3]", {0}), "broadcasting.size-match");
  EXPECT_EQ(RuleOf("f32[2,<=3]", "f32[1]", {1}), "");  // the static side grows
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[<=1]", {1}), "broadcasting.size-match");
  EXPECT_EQ(RuleOf("f32[2,3]", "f32[2,3]", {1, 0}), "broadcasting.equal-rank-list");
  EXPECT_EQ(RuleOf("f32[7,2,5]", "f32[7,2,6]"), "broadcasting.degenerate-match");
  EXPECT_EQ(RuleOf("f32[?]", "f32[]"), "dynamic.unbounded-unsupported");
}

// The sums of the broadcasting document.
TEST(Broadcasting, WorkedSums) {
  const auto sum = [](auto make) {
    HloBuilder builder("sum");
    return ResultText(builder.Build(make(builder)));
  };
  EXPECT_EQ(sum([](HloBuilder& b) {
              return Add(ConstantR1<float>(b, {7, 8, 9}),
                         ConstantR2<float>(b, {{1, 2, 3}, {4, 5, 6}}), {1});
            }),
            "f32[2,3] { { 8, 10, 12 }, { 11, 13, 15 } }");
  EXPECT_EQ(sum([](HloBuilder& b) {
              return Add(ConstantR1<float>(b, {1, 2, 3, 4}), ConstantR2<float>(b, {{5, 6}}), {0});
            }),
            "f32[4,2] { { 6, 7 }, { 7, 8 }, { 8, 9 }, { 9, 10 } }");
  EXPECT_EQ(sum([](HloBuilder& b) {  // the outer product's shape
              return Mul(ConstantR2<float>(b, {{1}, {2}}), ConstantR2<float>(b, {{10, 20, 30}}));
            }),
            "f32[2,3] { { 10, 20, 30 }, { 20, 40, 60 } }");
  EXPECT_EQ(sum([](HloBuilder& b) {  // [1,2] + [4,3,1], {1,2}
              const Op table = Reshape(Iota(b, ElementType::kF32, 12), {4, 3, 1});
              return Add(ConstantR2<float>(b, {{100, 200}}), table, {1, 2});
            }),
            "f32[4,3,2] { { { 100, 200 }, { 101, 201 }, { 102, 202 } }, "
            "{ { 103, 203 }, { 104, 204 }, { 105, 205 } }, "
            "{ { 106, 206 }, { 107, 207 }, { 108, 208 } }, "
            "{ { 109, 209 }, { 110, 210 }, { 111, 211 } } }");
}

}  // namespace
}  // namespace hlo

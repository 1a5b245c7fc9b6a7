// The examples of the operation documents about several devices (builder.md 2 and 4, semantics.md
// 14), built and run by as many participants on every backend.
#include <gtest/gtest.h>

#include <functional>

#include "builder/operation_examples.h"
#include "interp/backends.h"
#include "testing/built_program.h"
#include "testing/run_participants.h"

namespace hlo::testing {
namespace {

using namespace ops;

using Texts = std::vector<std::string>;

template <typename T>
Literal Array(Ints sizes, ListArg<T> elements) {
  std::optional<Literal> literal =
      ops::internal::ArrayLiteral(kElementTypeOf<T>, sizes, elements.size());
  std::copy(elements.begin(), elements.end(), literal->elements<T>().begin());
  return *std::move(literal);
}
Literal F32(std::initializer_list<float> elements) {
  return Array<float>({static_cast<int64_t>(elements.size())}, elements);
}
Literal S32(std::initializer_list<int32_t> elements) {
  return Array<int32_t>({static_cast<int64_t>(elements.size())}, elements);
}

// What the replicas have at the end, without blanks: the same on every backend, or what differs.
// `arguments` are by replica; their shapes are those of the parameters.
Texts Results(std::span<const std::vector<Literal>> arguments,
              const std::function<Op(HloBuilder& b, Ops x)>& build) {
  const auto replica_count = static_cast<int64_t>(arguments.size());
  HloBuilder builder("example");
  builder.SetReplicaCount(replica_count);
  std::vector<Op> parameters;
  for (const Literal& argument : arguments[0]) {
    parameters.push_back(Parameter(builder, std::ssize(parameters), argument.shape(), ""));
  }
  const absl::StatusOr<Module> module = builder.Build(build(builder, parameters));
  if (!module.ok()) return {std::string(module.status().message())};
  Texts texts;
  for (const Backend& backend : Backends()) {
    const auto results = RunOnParticipants(*module, {.replicas = replica_count}, arguments, {},
                                           {.backend = &backend});
    if (!results.ok()) return {std::string(results.status().message())};
    Texts others;
    for (const Literal& result : *results) others.push_back(LiteralText(result));
    for (std::string& text : others) std::erase(text, ' ');
    if (texts.empty()) texts = others;
    if (texts != others) texts.push_back(fmt::format("otherwise on {}", backend.name));
  }
  return texts;
}

// Of programs with one parameter.
Texts ResultsOfEach(std::vector<Literal> arguments,
                    const std::function<Op(HloBuilder& b, const Op& x)>& build) {
  std::vector<std::vector<Literal>> by_replica;
  for (Literal& argument : arguments) by_replica.emplace_back().push_back(std::move(argument));
  return Results(by_replica, [&](HloBuilder& b, Ops x) { return build(b, x[0]); });
}

template <typename... Literals>
std::vector<Literal> Each(Literals... literals) {
  std::vector<Literal> list;
  (list.push_back(std::move(literals)), ...);
  return list;
}

Callee AddF32(HloBuilder& b) { return ScalarFunction(b, "add", ElementType::kF32, Add); }

TEST(DeviceExamples, AllGather) {
  const auto pair = [] { return Each(F32({1, 2.5}), F32({3, 5.25})); };
  EXPECT_EQ(ResultsOfEach(pair(), [](HloBuilder&, const Op& x) { return AllGather(x, 0, 2); }),
            Texts(2, "f32[4]{1,2.5,3,5.25}"));
  // The order in the group is that of the parts.
  EXPECT_EQ(ResultsOfEach(pair(),
                          [](HloBuilder&, const Op& x) {
                            return AllGather(x, 0, 2, {.groups = {{1, 0}}});
                          }),
            Texts(2, "f32[4]{3,5.25,1,2.5}"));
}

TEST(DeviceExamples, AllReduceAndCrossReplicaSum) {
  const auto pair = [] { return Each(F32({1, 2}), F32({30, 40})); };
  EXPECT_EQ(
      ResultsOfEach(pair(), [](HloBuilder& b, const Op& x) { return AllReduce(x, AddF32(b)); }),
      Texts(2, "f32[2]{31,42}"));
  EXPECT_EQ(ResultsOfEach(pair(), [](HloBuilder&, const Op& x) { return CrossReplicaSum(x); }),
            Texts(2, "f32[2]{31,42}"));
  EXPECT_EQ(ResultsOfEach(pair(),
                          [](HloBuilder& b, const Op& x) {
                            return CrossReplicaSum(Tuple(b, {x, Neg(x)}));
                          }),
            Texts(2, "(f32[2]{31,42},f32[2]{-31,-42})"));
  EXPECT_EQ(ResultsOfEach(pair(),
                          [](HloBuilder&, const Op& x) {
                            return CrossReplicaSum(x, {{0}, {1}});
                          }),
            Texts({"f32[2]{1,2}", "f32[2]{30,40}"}));
}

TEST(DeviceExamples, ReduceScatter) {
  const auto pair = [] { return Each(F32({1, 2, 3, 4}), F32({10, 20, 30, 40})); };
  EXPECT_EQ(ResultsOfEach(pair(), [](HloBuilder& b,
                                     const Op& x) { return ReduceScatter(x, AddF32(b), 0, 2); }),
            Texts({"f32[2]{11,22}", "f32[2]{33,44}"}));
  EXPECT_EQ(ResultsOfEach(pair(),
                          [](HloBuilder& b, const Op& x) {
                            return ReduceScatter(x, AddF32(b), 0, 2, {.groups = {{1, 0}}});
                          }),
            Texts({"f32[2]{33,44}", "f32[2]{11,22}"}));
}

// f32[2,4] with the numbers from `first` on.
Literal Rows(float first) {
  std::vector<float> elements;
  for (int i = 0; i < 8; ++i) elements.push_back(first + static_cast<float>(i));
  return Array<float>({2, 4}, elements);
}

TEST(DeviceExamples, AllToAllAlongAnotherDimension) {
  const Texts expected = {"f32[4,2]{{1,2},{5,6},{9,10},{13,14}}",
                          "f32[4,2]{{3,4},{7,8},{11,12},{15,16}}"};
  const auto exchanged = [](const std::optional<Layout>& layout) {
    return ResultsOfEach(Each(Rows(1), Rows(9)), [&](HloBuilder&, const Op& x) {
      return AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, 2, {}, layout);
    });
  };
  EXPECT_EQ(exchanged({}), expected);
  EXPECT_EQ(exchanged(Layout::Default(2)), expected);  // part by part
}

TEST(DeviceExamples, AllToAllAlongOneDimension) {
  const auto pair = [] { return Each(F32({1, 2, 3, 4}), F32({5, 6, 7, 8})); };
  EXPECT_EQ(ResultsOfEach(pair(), [](HloBuilder&, const Op& x) { return AllToAll(x, 0, 0, 2); }),
            Texts({"f32[4]{1,2,5,6}", "f32[4]{3,4,7,8}"}));
  EXPECT_EQ(
      ResultsOfEach(pair(),
                    [](HloBuilder& b, const Op& x) {
                      return AllToAllTuple(b, {x, Neg(x)}, {{0, 1}});
                    }),
      Texts({"(f32[4]{1,2,3,4},f32[4]{5,6,7,8})", "(f32[4]{-1,-2,-3,-4},f32[4]{-5,-6,-7,-8})"}));
}

TEST(DeviceExamples, RaggedAllToAll) {
  // Input, input offsets, sizes sent, output offsets, sizes received.
  const std::vector<Literal> replicas[] = {
      Each(F32({1, 2, 2}), S32({0, 1}), S32({1, 2}), S32({0, 0}), S32({1, 1})),
      Each(F32({3, 4, 0}), S32({0, 1}), S32({1, 1}), S32({1, 2}), S32({2, 1}))};
  EXPECT_EQ(Results(replicas,
                    [](HloBuilder& b, Ops x) {
                      const Op output = ConstantR1<float>(b, {0, 0, 0, 0});
                      return RaggedAllToAll(x[0], x[1], x[2], output, x[3], x[4], {{0, 1}});
                    }),
            Texts({"f32[4]{1,3,0,0}", "f32[4]{2,2,4,0}"}));
}

TEST(DeviceExamples, CollectivePermute) {
  const auto three = [] { return Each(F32({1, 2}), F32({3, 4}), F32({5, 6})); };
  EXPECT_EQ(ResultsOfEach(three(),
                          [](HloBuilder&, const Op& x) {
                            return CollectivePermute(x, {{0, 1}, {1, 2}});
                          }),
            Texts({"f32[2]{0,0}", "f32[2]{1,2}", "f32[2]{3,4}"}));
  EXPECT_EQ(ResultsOfEach(three(),
                          [](HloBuilder& b, const Op& x) {
                            return MultiCollectivePermute(b, {x, Neg(x)}, {{2, 0}, {1, 1}});
                          }),
            Texts({"(f32[2]{5,6},f32[2]{-5,-6})", "(f32[2]{3,4},f32[2]{-3,-4})",
                   "(f32[2]{0,0},f32[2]{0,0})"}));
}

// One element, from the input's place 1 to the output's place 0; who gets none keeps the output.
TEST(DeviceExamples, CollectivePermuteInPlace) {
  EXPECT_EQ(ResultsOfEach(Each(F32({1, 2}), F32({3, 4})),
                          [](HloBuilder& b, const Op& x) {
                            const auto at = [&](int32_t place) {
                              return Tuple(b, {Tuple(b, {ConstantR0<int32_t>(b, place)})});
                            };
                            return CollectivePermute(x, Neg(x), at(1), at(0), {{0, 1}}, {{1}});
                          }),
            Texts({"f32[2]{-1,-2}", "f32[2]{2,-4}"}));
}

TEST(DeviceExamples, CollectiveBroadcast) {
  const auto three = [] { return Each(F32({1, 2}), F32({3, 4}), F32({5, 6})); };
  EXPECT_EQ(ResultsOfEach(three(),
                          [](HloBuilder&, const Op& x) {
                            return CollectiveBroadcast(x, {{1, 0}});
                          }),
            Texts({"f32[2]{3,4}", "f32[2]{3,4}", "f32[2]{0,0}"}));
  // The root is the place in the group that the last operand says.
  EXPECT_EQ(ResultsOfEach(three(),
                          [](HloBuilder& b, const Op& x) {
                            const Op root = ConstantR1<int32_t>(b, {2});
                            return CollectiveBroadcast(b, {x, root}, {{0, 1, 2}}, {}, true);
                          }),
            Texts(3, "f32[2]{5,6}"));
}

TEST(DeviceExamples, SendAndRecv) {
  EXPECT_EQ(ResultsOfEach(Each(F32({1, 2}), F32({3, 4})),
                          [](HloBuilder& b, const Op& x) {
                            const FrontendAttributesScope pairs(
                                b, {{"_xla_send_recv_source_target_pairs", "{{0,1}}"}});
                            const ChannelHandle channel = {.id = 0};
                            const Op token = SendWithToken(x, CreateToken(b), channel);
                            return GetTupleElement(RecvWithToken(token, x.shape(), channel), 0);
                          }),
            Texts({"f32[2]{0,0}", "f32[2]{1,2}"}));
}

TEST(DeviceExamples, ReplicaAndPartitionId) {
  EXPECT_EQ(ResultsOfEach(Each(F32({0}), F32({0})),
                          [](HloBuilder& b, const Op&) {
                            return Tuple(b, {ReplicaId(b), PartitionId(b)});
                          }),
            Texts({"(u32[]0,u32[]0)", "(u32[]1,u32[]0)"}));
}

}  // namespace
}  // namespace hlo::testing

// Known answers of the generators (semantics.md 12) and the arrangement of their words.
#include "interp/reference/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "interp/reference/kernel_call.h"

namespace hlo::reference {
namespace {

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

TEST(RandomTest, ThreefryKnownAnswers) {
  EXPECT_EQ(Threefry2x32(0, 0), (Words2{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(Threefry2x32(0x0370734413198a2e, 0x85a308d3243f6a88), (Words2{0xc4923a9c, 0x483df7a0}));
}

TEST(RandomTest, PhiloxKnownAnswers) {
  EXPECT_EQ(Philox4x32(0, 0), (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const unsigned __int128 counter =
      (static_cast<unsigned __int128>(0x0370734413198a2e) << 64) | 0x85a308d3243f6a88;
  EXPECT_EQ(Philox4x32(0x299f31d0a4093822, counter),
            (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<int64_t> PairElements(std::vector<int64_t> dims) {
  std::vector<int64_t> elements;
  ElementPairs(dims).ForEach([&](int64_t pair, int64_t first, int64_t second) {
    EXPECT_EQ(pair, static_cast<int64_t>(elements.size() / 2));
    elements.push_back(first);
    elements.push_back(second);
  });
  EXPECT_EQ(ElementPairs(dims).pair_count() * 2, static_cast<int64_t>(elements.size()));
  return elements;
}

TEST(RandomTest, PairsAreNeighboursAlongTheFirstEvenDimension) {
  EXPECT_EQ(PairElements({3, 2}), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(PairElements({2, 2}), (std::vector<int64_t>{0, 2, 1, 3}));
  // None is even: the largest, whose last element stands alone.
  EXPECT_EQ(PairElements({3, 1}), (std::vector<int64_t>{0, 1, 2, -1}));
  EXPECT_EQ(PairElements({1, 3}), (std::vector<int64_t>{0, 1, 2, -1}));
  EXPECT_EQ(PairElements({}), (std::vector<int64_t>{0, -1}));
  EXPECT_EQ(PairElements({0, 3}), (std::vector<int64_t>{}));
}

Literal Generate(RandomAlgorithm algorithm, std::vector<uint64_t> state, Shape bits) {
  const int64_t size = static_cast<int64_t>(state.size());
  KernelCall call(Opcode::kRngBitGenerator,
                  Shape::Tuple({ArrayShape(ElementType::kU64, {size}), std::move(bits)}));
  call.Operand(MakeVector(state)).With<Attr::kRandomAlgorithm>(algorithm);
  return *call.Run();
}

TEST(RngBitGeneratorTest, SubByteIntegersKeepTheLowBits) {
  const std::vector<uint64_t> state = {1, 0, 0};
  const auto words = ToVector<uint32_t>(
      Generate(RandomAlgorithm::kPhilox, state, ArrayShape(ElementType::kU32, {6}))
          .tuple_elements()[1]);
  const Literal narrow =
      Generate(RandomAlgorithm::kPhilox, state, ArrayShape(ElementType::kS4, {6}));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(narrow.tuple_elements()[1].elements<S4>()[i], S4(words[i]));
}

TEST(RngBitGeneratorTest, FloatsGetRawBits) {
  const std::vector<uint64_t> state = {5, 9};
  const Literal integers =
      Generate(RandomAlgorithm::kThreeFry, state, ArrayShape(ElementType::kU64, {3}));
  const Literal floats =
      Generate(RandomAlgorithm::kThreeFry, state, ArrayShape(ElementType::kF64, {3}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::bit_cast<uint64_t>(floats.tuple_elements()[1].elements<double>()[i]),
              integers.tuple_elements()[1].elements<uint64_t>()[i]);
  }
  EXPECT_EQ(ToVector<uint64_t>(floats.tuple_elements()[0]), (std::vector<uint64_t>{5, 12}));
}

TEST(RngBitGeneratorTest, StatesOfTheWrongSizeAreRejected) {
  KernelCall call(Opcode::kRngBitGenerator, Shape::Tuple({ArrayShape(ElementType::kU64, {3}),
                                                          ArrayShape(ElementType::kU32, {2})}));
  call.Operand(MakeVector<uint64_t>({1, 2, 3}));
  EXPECT_EQ(call.With<Attr::kRandomAlgorithm>(RandomAlgorithm::kThreeFry).Run().status().message(),
            "the state of `rng-bit-generator` is a u64 array of 3 elements");
  EXPECT_TRUE(call.With<Attr::kRandomAlgorithm>(RandomAlgorithm::kPhilox).Run().ok());
}

TEST(RngGetAndUpdateStateTest, ReturnsTheOldStateAndAddsDelta) {
  DeviceContext device;
  KernelCall call(Opcode::kRngGetAndUpdateState, ArrayShape(ElementType::kU64, {2}));
  call.On(device).With<Attr::kDelta>(int64_t{5});
  EXPECT_EQ(ToVector<uint64_t>(*call.Run()), (std::vector<uint64_t>{0x7012395, 0}));
  EXPECT_EQ(ToVector<uint64_t>(*call.Run()), (std::vector<uint64_t>{0x701239a, 0}));
}

template <typename T>
std::vector<T> Draw(RandomDistribution distribution, T a, T b, std::vector<int64_t> dims,
                    DeviceContext& device) {
  KernelCall call(Opcode::kRng, ArrayShape(kElementTypeOf<T>, dims));
  call.Operand(Literal::Scalar(a)).Operand(Literal::Scalar(b)).On(device);
  return ToVector<T>(*call.With<Attr::kDistribution>(distribution).Run());
}

template <typename T>
void ExpectMoments(const std::vector<T>& values, double mean, double variance) {
  double sum = 0;
  double squares = 0;
  for (T value : values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double count = static_cast<double>(values.size());
  const double found = sum / count;
  EXPECT_NEAR(found, mean, 6 * std::sqrt(variance / count));
  EXPECT_NEAR(squares / count - found * found, variance, 0.05 * variance);
}

TEST(RngTest, UniformFloatsFillTheRange) {
  DeviceContext device;
  const auto values = Draw<float>(RandomDistribution::kUniform, -1.0f, 3.0f, {100, 200}, device);
  for (float value : values) ASSERT_TRUE(value >= -1 && value < 3);
  ExpectMoments(values, 1.0, 16.0 / 12);
  const auto doubles = Draw<double>(RandomDistribution::kUniform, 0.0, 1.0, {20000}, device);
  ExpectMoments(doubles, 0.5, 1.0 / 12);
}

TEST(RngTest, NormalsHaveTheirMoments) {
  DeviceContext device;
  ExpectMoments(Draw<float>(RandomDistribution::kNormal, 2.0f, 3.0f, {101, 201}, device), 2, 9);
  ExpectMoments(Draw<double>(RandomDistribution::kNormal, 0.0, 1.0, {20000}, device), 0, 1);
  ExpectMoments(Draw<Bf16>(RandomDistribution::kNormal, Bf16(0.0f), Bf16(1.0f), {20000}, device), 0,
                1);
}

TEST(RngTest, UniformIntegersStayInRange) {
  DeviceContext device;
  const auto values = Draw<int32_t>(RandomDistribution::kUniform, -3, 4, {7000}, device);
  std::set<int32_t> seen(values.begin(), values.end());
  EXPECT_EQ(seen, (std::set<int32_t>{-3, -2, -1, 0, 1, 2, 3}));
  ExpectMoments(values, 0, 4);
  const auto bytes = Draw<int8_t>(RandomDistribution::kUniform, -128, 127, {4000}, device);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 127), 0);
  const auto fixed = Draw<uint64_t>(RandomDistribution::kUniform, 9, 9, {5}, device);
  EXPECT_EQ(fixed, std::vector<uint64_t>(5, 9));
}

TEST(RngTest, PredsAreFairCoins) {
  DeviceContext device;
  const auto coins = Draw<bool>(RandomDistribution::kUniform, false, true, {10000}, device);
  EXPECT_NEAR(static_cast<double>(std::count(coins.begin(), coins.end(), true)), 5000, 300);
}

TEST(RngTest, CallsAndDevicesDiffer) {
  DeviceContext device;
  DeviceContext other;
  other.set_ids(1, 0);
  const auto draw = [](DeviceContext& on) {
    return Draw<float>(RandomDistribution::kUniform, 0.0f, 1.0f, {16}, on);
  };
  const auto first = draw(device);
  EXPECT_NE(first, draw(device));
  EXPECT_NE(first, draw(other));
  DeviceContext again;
  EXPECT_EQ(first, draw(again));
}

}  // namespace
}  // namespace hlo::reference

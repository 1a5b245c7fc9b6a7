// Data movement kernels: the cases that goldens show badly (layouts, packed bits, run-time sizes).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "interp/reference/kernel_call.h"

namespace hlo::reference {
namespace {

using Ints = std::vector<int32_t>;

Shape WithLayout(Shape shape, DimensionVector minor_to_major,
                 std::vector<DimensionVector> tiles = {}) {
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  for (DimensionVector& tile : tiles) layout.tiles.push_back({std::move(tile)});
  shape.set_layout(layout);
  return shape;
}

Shape Dynamic(Shape shape, std::vector<int64_t> dims) {
  for (int64_t d : dims) shape.set_dynamic(d, true);
  return shape;
}

// An array with bounds `dims` whose true sizes are `sizes`.
Literal DynamicArray(std::vector<int64_t> dims, std::vector<int64_t> sizes, const Ints& elements) {
  Shape shape = ArrayShape(ElementType::kS32, dims);
  for (size_t d = 0; d < dims.size(); ++d) shape.set_dynamic(static_cast<int64_t>(d), true);
  Literal literal = *Literal::Zeros(shape);
  std::copy(elements.begin(), elements.end(), literal.elements<int32_t>().begin());
  literal.set_dynamic_sizes(std::move(sizes));
  return literal;
}

Shape S32(std::vector<int64_t> dims) { return ArrayShape(ElementType::kS32, std::move(dims)); }
Shape DynamicS32(std::vector<int64_t> dims, std::vector<int64_t> dynamic) {
  return Dynamic(S32(std::move(dims)), std::move(dynamic));
}

std::vector<int64_t> Sizes(const Literal& literal) {
  return std::vector<int64_t>(literal.dynamic_sizes().begin(), literal.dynamic_sizes().end());
}

absl::StatusOr<Literal> Pad(const Shape& result, const Literal& x, PaddingDimension padding) {
  KernelCall call(Opcode::kPad, result);
  call.Operand(x).Operand(Literal::Scalar<int32_t>(9));
  return call.WithList<Attr::kPadding, PaddingDimension>({padding}).Run();
}

TEST(PadTest, AgreesWithTheIndexFormula) {
  // r[i] = x[(i - lo) / (interior + 1)] where that is an element, over all small configurations.
  for (int64_t n = 0; n <= 3; ++n) {
    Ints elements(n);
    for (int64_t i = 0; i < n; ++i) elements[i] = static_cast<int32_t>(i + 1);
    for (int64_t low = -4; low <= 2; ++low) {
      for (int64_t high = -4; high <= 2; ++high) {
        for (int64_t interior = 0; interior <= 2; ++interior) {
          const int64_t size = low + high + n + std::max<int64_t>(0, n - 1) * interior;
          if (size < 0) continue;
          Ints expected(size, 9);
          for (int64_t i = 0; i < size; ++i) {
            const int64_t at = i - low;
            if (at >= 0 && at % (interior + 1) == 0 && at / (interior + 1) < n) {
              expected[i] = elements[at / (interior + 1)];
            }
          }
          const Literal result = *Pad(S32({size}), MakeVector(elements), {low, high, interior});
          ASSERT_EQ(ToVector<int32_t>(result), expected)
              << n << " " << low << "_" << high << "_" << interior;
        }
      }
    }
  }
}

TEST(BitcastTest, ReadsTheBufferInTheOtherLayout) {
  Literal x = MakeArray<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  x.set_shape(WithLayout(x.shape(), {0, 1}));
  KernelCall call(Opcode::kBitcast, S32({3, 2}));
  EXPECT_EQ(ToVector<int32_t>(*call.Operand(x).Run()), (Ints{1, 4, 2, 5, 3, 6}));
  // To the same sizes with the layout changed: a transposition of the logical array.
  KernelCall back(Opcode::kBitcast, WithLayout(S32({3, 2}), {0, 1}));
  EXPECT_EQ(ToVector<int32_t>(*back.Operand(MakeArray<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})).Run()),
            (Ints{1, 4, 2, 5, 3, 6}));
}

TEST(BitcastTest, TilesChangeTheOrderButNotTheElements) {
  Literal x = MakeArray<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  x.set_shape(WithLayout(x.shape(), {1, 0}, {{2, 2}}));
  KernelCall call(Opcode::kBitcast, S32({6}));
  EXPECT_EQ(ToVector<int32_t>(*call.Operand(x).Run()), (Ints{1, 2, 4, 5, 3, 6}));
  KernelCall back(Opcode::kBitcast, WithLayout(S32({2, 3}), {1, 0}, {{2, 2}}));
  EXPECT_EQ(ToVector<int32_t>(*back.Operand(MakeVector<int32_t>({1, 2, 4, 5, 3, 6})).Run()),
            (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(BitcastTest, ElementWidthsMayChange) {
  KernelCall call(Opcode::kBitcast, ArrayShape(ElementType::kU8, {4}));
  EXPECT_EQ(ToVector<uint8_t>(*call.Operand(MakeVector<uint16_t>({0x0201, 0x0403})).Run()),
            (std::vector<uint8_t>{1, 2, 3, 4}));
  KernelCall larger(Opcode::kBitcast, S32({3}));
  EXPECT_EQ(larger.Operand(MakeVector<int32_t>({1, 2})).Run().status().message(),
            "`bitcast` has an operand of 64 bits and a result of 96");
}

TEST(BitcastConvertTest, SplitsAndJoinsSubByteElements) {
  KernelCall split(Opcode::kBitcastConvert, ArrayShape(ElementType::kU4, {2, 2}));
  EXPECT_EQ(ToVector<U4>(*split.Operand(MakeVector<uint8_t>({0x21, 0xf3})).Run()),
            (std::vector<U4>{U4(1), U4(2), U4(3), U4(15)}));
  KernelCall join(Opcode::kBitcastConvert, ArrayShape(ElementType::kS8, {2}));
  EXPECT_EQ(
      ToVector<int8_t>(*join.Operand(MakeArray<S4>({2, 2}, {S4(1), S4(-1), S4(-8), S4(7)})).Run()),
      (std::vector<int8_t>{-15, 120}));
  KernelCall bits(Opcode::kBitcastConvert, ArrayShape(ElementType::kS1, {1, 8}));
  const auto ones = ToVector<S1>(*bits.Operand(MakeVector<uint8_t>({0x05})).Run());
  EXPECT_EQ(ones, (std::vector<S1>{S1(-1), S1(0), S1(-1), S1(0), S1(0), S1(0), S1(0), S1(0)}));
}

TEST(BitcastConvertTest, BytesReadAsPredBecomeZeroOrOne) {
  KernelCall call(Opcode::kBitcastConvert, ArrayShape(ElementType::kPred, {3}));
  const Literal result = *call.Operand(MakeVector<uint8_t>({0, 1, 0x80})).Run();
  EXPECT_EQ(result.bytes()[2], std::byte{1});
}

TEST(ConcatenateTest, PacksTheValidParts) {
  KernelCall call(Opcode::kConcatenate, DynamicS32({6, 2}, {0, 1}));
  call.Operand(DynamicArray({3, 2}, {1, 2}, {1, 2}))
      .Operand(DynamicArray({3, 2}, {2, 2}, {3, 4, 5, 6}))
      .WithList<Attr::kDimensions>({0});
  const Literal result = *call.Run();
  EXPECT_EQ(Sizes(result), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(ToVector<int32_t>(result), (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(ReverseTest, ReversesTheValidPart) {
  KernelCall call(Opcode::kReverse, DynamicS32({4}, {0}));
  call.Operand(DynamicArray({4}, {3}, {1, 2, 3})).WithList<Attr::kDimensions>({0});
  EXPECT_EQ(ToVector<int32_t>(*call.Run()), (Ints{3, 2, 1}));
}

TEST(SliceTest, EndsWhereTheElementsEnd) {
  KernelCall call(Opcode::kSlice, DynamicS32({4}, {0}));
  call.Operand(DynamicArray({4}, {3}, {1, 2, 3}))
      .WithList<Attr::kSliceRanges, SliceRange>({{0, 4, 2}});
  EXPECT_EQ(ToVector<int32_t>(*call.Run()), (Ints{1, 3}));
}

TEST(BroadcastTest, TakesTheOperandsSizes) {
  KernelCall call(Opcode::kBroadcast, DynamicS32({2, 3}, {1}));
  call.Operand(DynamicArray({3}, {2}, {7, 8})).WithList<Attr::kDimensions>({1});
  const Literal result = *call.Run();
  EXPECT_EQ(Sizes(result), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(ToVector<int32_t>(result), (Ints{7, 8, 7, 8}));
}

TEST(SetDimensionSizeTest, DropsElementsBeyondTheSize) {
  KernelCall call(Opcode::kSetDimensionSize, DynamicS32({2, 3}, {1}));
  call.Operand(MakeArray<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Operand(Literal::Scalar<int32_t>(2))
      .WithList<Attr::kDimensions>({1});
  const Literal result = *call.Run();
  EXPECT_EQ(Sizes(result), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(ToVector<int32_t>(result), (Ints{1, 2, 4, 5}));
}

TEST(SetDimensionSizeTest, RejectsSizesOutsideTheBound) {
  for (int32_t size : {-1, 4}) {
    KernelCall call(Opcode::kSetDimensionSize, DynamicS32({3}, {0}));
    call.Operand(MakeVector<int32_t>({1, 2, 3}))
        .Operand(Literal::Scalar(size))
        .WithList<Attr::kDimensions>({0});
    EXPECT_EQ(
        call.Run().status().message(),
        fmt::format("`set-dimension-size` got {} for dimension 0, whose sizes are 0 to 3", size));
  }
}

TEST(SetDimensionSizeTest, TheFullSizeMakesTheDimensionStatic) {
  KernelCall call(Opcode::kSetDimensionSize, S32({3}));
  call.Operand(DynamicArray({3}, {1}, {5}))
      .Operand(Literal::Scalar<int32_t>(3))
      .WithList<Attr::kDimensions>({0});
  EXPECT_EQ(ToVector<int32_t>(*call.Run()), (Ints{5, 0, 0}));
}

TEST(GetDimensionSizeTest, ReadsTheRunTimeSize) {
  KernelCall call(Opcode::kGetDimensionSize, Shape::Scalar(ElementType::kS32));
  call.Operand(DynamicArray({10}, {6}, {0, 1, 2, 3, 4, 5})).WithList<Attr::kDimensions>({0});
  EXPECT_EQ(ToVector<int32_t>(*call.Run())[0], 6);
}

TEST(DynamicReshapeTest, TakesSizesFromOperands) {
  KernelCall call(Opcode::kDynamicReshape, DynamicS32({4, 4}, {0, 1}));
  call.Operand(MakeVector<int32_t>({1, 2, 3, 4, 5, 6}))
      .Operand(Literal::Scalar<int32_t>(3))
      .Operand(Literal::Scalar<int32_t>(2));
  const Literal result = *call.Run();
  EXPECT_EQ(Sizes(result), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(ToVector<int32_t>(result), (Ints{1, 2, 3, 4, 5, 6}));
  KernelCall wrong(Opcode::kDynamicReshape, DynamicS32({4, 4}, {0, 1}));
  wrong.Operand(MakeVector<int32_t>({1, 2, 3}))
      .Operand(Literal::Scalar<int32_t>(2))
      .Operand(Literal::Scalar<int32_t>(2));
  EXPECT_EQ(wrong.Run().status().message(),
            "`dynamic-reshape` cannot give 3 elements the sizes [2,2]");
}

TEST(ReshapeTest, InfersTheDynamicDimension) {
  // [<=4,6] with true sizes [2,6] to [<=8,3]: 4 rows of 3.
  Literal x = DynamicArray({4, 6}, {2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  KernelCall call(Opcode::kReshape, DynamicS32({8, 3}, {0}));
  EXPECT_EQ(Sizes(*call.Operand(x).Run()), (std::vector<int64_t>{4, 3}));
  // Two dynamic dimensions in groups of their own.
  KernelCall groups(Opcode::kReshape, DynamicS32({2, 2, 6}, {0, 2}));
  EXPECT_EQ(Sizes(*groups.Operand(x).Run()), (std::vector<int64_t>{1, 2, 6}));
}

TEST(CopyTest, OfAnotherTypeConverts) {
  KernelCall call(Opcode::kCopy, ArrayShape(ElementType::kBf16, {2}));
  const auto result = ToVector<Bf16>(*call.Operand(MakeVector<float>({1.5f, -2})).Run());
  EXPECT_EQ(static_cast<float>(result[0]), 1.5f);
  EXPECT_EQ(static_cast<float>(result[1]), -2.0f);
}

TEST(ElementwiseDynamicTest, SizesMustAgreeOrBeOne) {
  const auto add = [](Literal a, Literal b) {
    KernelCall call(Opcode::kAdd, DynamicS32({4}, {0}));
    return call.Operand(std::move(a)).Operand(std::move(b)).Run();
  };
  EXPECT_EQ(ToVector<int32_t>(*add(DynamicArray({4}, {2}, {1, 2}), DynamicArray({4}, {2}, {3, 4}))),
            (Ints{4, 6}));
  EXPECT_EQ(ToVector<int32_t>(*add(DynamicArray({4}, {1}, {1}), DynamicArray({4}, {3}, {3, 4, 5}))),
            (Ints{4, 5, 6}));
  EXPECT_EQ(
      add(DynamicArray({4}, {2}, {1, 2}), DynamicArray({4}, {3}, {3, 4, 5})).status().message(),
      "the operands of `add` have the sizes [2] and [3] at run time");
}

TEST(IotaTest, RunsAlongItsDimensionInEveryType) {
  KernelCall narrow(Opcode::kIota, ArrayShape(ElementType::kS4, {10}));
  narrow.With<Attr::kIotaDimension>(int64_t{0});
  EXPECT_EQ(ToVector<S4>(*narrow.Run())[9], S4(-7));
  KernelCall complex(Opcode::kIota, ArrayShape(ElementType::kC64, {2, 2}));
  complex.With<Attr::kIotaDimension>(int64_t{1});
  EXPECT_EQ(ToVector<C64>(*complex.Run()), (std::vector<C64>{0, 1, 0, 1}));
  KernelCall rounded(Opcode::kIota, ArrayShape(ElementType::kBf16, {260}));
  rounded.With<Attr::kIotaDimension>(int64_t{0});
  EXPECT_EQ(static_cast<float>(ToVector<Bf16>(*rounded.Run())[257]), 256.0f);
}

}  // namespace
}  // namespace hlo::reference

// Shapes, and what literals take from them: elements, bits, and that a size nobody has memory for
// fails before any is taken.
#include "ir/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "ir/literal.h"

namespace hlo {
namespace {

Shape F32(std::vector<int64_t> dims) { return Shape::Array(ElementType::kF32, dims); }

TEST(Shape, TextShowsBoundsLayoutsAndTuples) {
  Shape array = F32({2, 3});
  array.set_dynamic(1, true);
  array.AppendDim(Shape::kUnbounded, true);
  EXPECT_EQ(ShapeText(array), "f32[2,<=3,?]");
  Layout layout = Layout::Default(2);
  layout.tiles.push_back(Tile{{2, Tile::kCombineDimension, 128}});
  layout.memory_space = 3;
  Shape tiled = F32({2, 3});
  tiled.set_layout(layout);
  EXPECT_EQ(ShapeTextWithLayout(tiled), "f32[2,3]{1,0:T(2,*,128)S(3)}");
  const Shape scalar = Shape::Scalar(ElementType::kPred);
  const Shape tuple = Shape::Tuple({scalar, scalar, scalar, scalar, Shape::Token(), tiled});
  EXPECT_EQ(ShapeTextWithLayout(tuple),
            "(pred[], pred[], pred[], pred[], token[], /*index=5*/f32[2,3]{1,0:T(2,*,128)S(3)})");
  EXPECT_EQ(ShapeText(Shape::Buffer(F32({8}))), "b(f32[8])");
  EXPECT_EQ(ShapeText(Shape::Tuple({})), "()");
}

TEST(Shape, CompatibleIgnoresLayoutsAndDynamicFlags) {
  Shape bounded = F32({4, 2});
  bounded.set_dynamic(0, true);
  EXPECT_TRUE(Compatible(bounded, Shape::ArrayWithDefaultLayout(ElementType::kF32, {{4, 2}})));
  Shape unbounded = F32({Shape::kUnbounded, 2});
  EXPECT_TRUE(Compatible(unbounded, bounded));
  EXPECT_FALSE(Compatible(F32({4}), F32({5})));
  EXPECT_FALSE(Compatible(F32({4}), Shape::Array(ElementType::kBf16, {{4}})));
  EXPECT_TRUE(Compatible(F32({4}), Shape::Array(ElementType::kBf16, {{4}}),
                         {.ignore_float_precision = true}));
  EXPECT_FALSE(Compatible(F32({4}), Shape::Array(ElementType::kS32, {{4}}),
                          {.ignore_float_precision = true}));
  EXPECT_FALSE(Compatible(Shape::Tuple({F32({4})}), F32({4})));
  EXPECT_FALSE(Compatible(Shape::Tuple({F32({4})}), Shape::Tuple({F32({4}), F32({4})})));
}

TEST(Shape, RemovingADimensionMovesItsFlag) {
  Shape shape = F32({2, 3, 4});
  shape.set_dynamic(2, true);
  shape.RemoveDim(0);
  EXPECT_EQ(ShapeText(shape), "f32[3,<=4]");
  shape.RemoveDim(1);
  EXPECT_EQ(shape, F32({3}));  // the last dynamic one: nothing of it is left
  EXPECT_FALSE(shape.HasDynamicDim());
}

TEST(Shape, SizesThatOverflowAreErrors) {
  EXPECT_EQ(*ElementCount(F32({3, 0, int64_t{1} << 62})), 0);
  EXPECT_EQ(*DenseByteSize(F32({3, 5})), 60);
  EXPECT_EQ(*DenseByteSize(Shape::Array(ElementType::kS4, {{3}})), 3);
  EXPECT_EQ(ElementCount(F32({int64_t{1} << 40, int64_t{1} << 40})).status(),
            absl::ResourceExhaustedError(
                "the number of elements of f32[1099511627776,1099511627776] exceeds 2^63 - 1"));
  EXPECT_EQ(
      DenseByteSize(F32({int64_t{1} << 62})).status(),
      absl::ResourceExhaustedError("the byte size of f32[4611686018427387904] exceeds 2^63 - 1"));
  EXPECT_EQ(ElementCount(F32({Shape::kUnbounded})).status(),
            absl::InvalidArgumentError("a dimension of f32[?] is unbounded"));
}

TEST(Literal, ScalarsAndArraysHoldTheirElements) {
  EXPECT_EQ(Literal::Scalar<int32_t>(-7).elements<int32_t>()[0], -7);
  Literal array = *Literal::Zeros(F32({100}));
  array.elements<float>()[99] = 2;
  Literal copy = array;
  EXPECT_TRUE(copy == array);
  copy.elements<float>()[0] = -0.0f;
  EXPECT_FALSE(copy == array) << "-0 differs from +0";
  Literal moved = std::move(copy);
  EXPECT_EQ(moved.elements<float>()[99], 2);
}

TEST(Literal, HugeShapesFailWithoutAllocating) {
  EXPECT_EQ(
      Literal::Zeros(F32({int64_t{1} << 61})).status(),
      absl::ResourceExhaustedError("the byte size of f32[2305843009213693952] exceeds 2^63 - 1"));
}

}  // namespace
}  // namespace hlo

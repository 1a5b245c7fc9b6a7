// The worked examples of semantics.md 16, and the two directions against each other.
#include "ir/layout_index.h"

#include <gtest/gtest.h>

#include <map>

#include "ir/index_space.h"

namespace hlo {
namespace {

Layout MakeLayout(DimensionVector minor_to_major, std::vector<DimensionVector> tiles = {}) {
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  for (DimensionVector& dims : tiles) layout.tiles.push_back({std::move(dims)});
  return layout;
}

Layout WithExtras(Layout layout, int64_t element_size_in_bits, int64_t tail_alignment) {
  LayoutExtras extras;
  extras.element_size_in_bits = element_size_in_bits;
  extras.tail_padding_alignment = tail_alignment;
  layout.extras = std::make_shared<const LayoutExtras>(extras);
  return layout;
}

int64_t PositionIn(std::vector<int64_t> dims, const Layout& layout, std::vector<int64_t> index) {
  return LayoutIndex::Make(dims, layout)->Position(index);
}

template <typename T>
Literal MakeArray(std::vector<int64_t> dims, const Layout& layout, std::vector<T> elements) {
  Shape shape = Shape::Array(kElementTypeOf<T>, dims);
  shape.set_layout(layout);
  Literal literal = *Literal::Uninitialized(shape);
  std::copy(elements.begin(), elements.end(), literal.elements<T>().begin());
  return literal;
}

std::string Text(const std::vector<std::byte>& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<int> Numbers(const std::vector<std::byte>& bytes) {
  std::vector<int> numbers;
  for (std::byte byte : bytes) numbers.push_back(std::to_integer<int>(byte));
  return numbers;
}

const std::vector<uint8_t> kLetters = {'a', 'b', 'c', 'd', 'e', 'f'};

TEST(LayoutIndexTest, MinorToMajorOrdersDimensions) {
  EXPECT_EQ(Text(*MemoryImage(MakeArray({2, 3}, MakeLayout({1, 0}), kLetters))), "abcdef");
  EXPECT_EQ(Text(*MemoryImage(MakeArray({2, 3}, MakeLayout({0, 1}), kLetters))), "adbecf");
}

TEST(LayoutIndexTest, LegacyPaddingTakesTheSizesOfALargerArray) {
  LegacyPadding padding{{3, 5}, Literal::Scalar<uint8_t>('0')};
  EXPECT_EQ(Text(*MemoryImage(MakeArray({2, 3}, MakeLayout({0, 1}), kLetters), &padding)),
            "ad0be0cf0000000");
  padding.padded_dims = {1, 5};
  EXPECT_EQ(
      MemoryImage(MakeArray({2, 3}, MakeLayout({0, 1}), kLetters), &padding).status().message(),
      "the padded sizes do not cover u8[2,3]");
}

TEST(LayoutIndexTest, TilesSplitTheMinorMostDimensions) {
  EXPECT_EQ(PositionIn({3, 5}, MakeLayout({1, 0}, {{2, 2}}), {2, 3}), 17);
  const Layout two_levels = MakeLayout({1, 0}, {{2, 4}, {2, 1}});
  EXPECT_EQ(PositionIn({4, 8}, two_levels, {0, 0}), 0);
  EXPECT_EQ(PositionIn({4, 8}, two_levels, {1, 0}), 1);
  EXPECT_EQ(PositionIn({4, 8}, two_levels, {0, 1}), 2);
  EXPECT_EQ(PositionIn({4, 8}, two_levels, {1, 1}), 3);
  for (int64_t r = 0; r < 4; ++r) {
    for (int64_t c = 0; c < 8; ++c) {
      EXPECT_EQ(PositionIn({4, 8}, two_levels, {r, c}),
                ((r / 2) * 2 + c / 4) * 8 + (c % 4) * 2 + r % 2);
    }
  }
}

TEST(LayoutIndexTest, CombinedDimensionsAreTiledAsOne) {
  // [2,3,4] with T(*,6): the two minor-most dimensions are one of 12, in tiles of 6.
  const Layout layout = MakeLayout({2, 1, 0}, {{Tile::kCombineDimension, 6}});
  EXPECT_EQ(LayoutIndex::Make(std::vector<int64_t>{2, 3, 4}, layout)->element_count(), 24);
  EXPECT_EQ(PositionIn({2, 3, 4}, layout, {1, 2, 1}), 12 + 9);
  // T(*,5): 12 become three tiles of 5.
  const Layout padded = MakeLayout({2, 1, 0}, {{Tile::kCombineDimension, 5}});
  EXPECT_EQ(LayoutIndex::Make(std::vector<int64_t>{2, 3, 4}, padded)->element_count(), 30);
  EXPECT_EQ(PositionIn({2, 3, 4}, padded, {1, 2, 1}), 15 + 9);
}

TEST(LayoutIndexTest, TilesLongerThanTheRankSeeOnes) {
  EXPECT_EQ(LayoutIndex::Make({}, MakeLayout({}, {{128}}))->element_count(), 128);
  EXPECT_EQ(PositionIn({5}, MakeLayout({0}, {{2, 4}}), {4}), 8);
}

TEST(LayoutIndexTest, TailPaddingRoundsTheElementCountUp) {
  const Layout layout = WithExtras(MakeLayout({1, 0}), 0, 16);
  const LayoutIndex positions = *LayoutIndex::Make(std::vector<int64_t>{3, 5}, layout);
  EXPECT_EQ(positions.element_count(), 16);
  int64_t index[2];
  EXPECT_TRUE(positions.IndexAt(14, index));
  EXPECT_FALSE(positions.IndexAt(15, index));
}

TEST(LayoutIndexTest, LayoutsThatDoNotFitAreRejected) {
  const std::vector<int64_t> dims = {2, 3}, huge = {int64_t{1} << 60, 3};
  const auto message = [](const std::vector<int64_t>& sizes, const Layout& layout) {
    return std::string(LayoutIndex::Make(sizes, layout).status().message());
  };
  EXPECT_EQ(message(dims, MakeLayout({0})), "layout `{0}` does not fit an array of rank 2");
  EXPECT_EQ(message(dims, MakeLayout({0, 0})), "layout `{0,0}` does not fit an array of rank 2");
  EXPECT_EQ(message(dims, MakeLayout({1, 0}, {{0}})), "a tile has the size 0");
  EXPECT_EQ(message(dims, MakeLayout({1, 0}, {{Tile::kCombineDimension}})),
            "a tile ends in a size");
  EXPECT_EQ(message(huge, MakeLayout({1, 0}, {{8, 128}})),
            "the padded array has more than 2^63 - 1 elements");
}

TEST(LayoutIndexTest, BothDirectionsAgreeAndNoPlaceIsTakenTwice) {
  const Layout layouts[] = {
      MakeLayout({2, 1, 0}),
      MakeLayout({0, 2, 1}),
      MakeLayout({1, 0, 2}, {{2, 2}}),
      MakeLayout({2, 0, 1}, {{4, 2}, {2, 1}}),
      MakeLayout({2, 1, 0}, {{Tile::kCombineDimension, 4}, {2}}),
      MakeLayout({0, 1, 2}, {{Tile::kCombineDimension, Tile::kCombineDimension, 7}}),
      WithExtras(MakeLayout({2, 1, 0}, {{3, 2, 2}}), 0, 10),
  };
  const std::vector<int64_t> shapes[] = {{3, 4, 5}, {1, 1, 1}, {2, 0, 3}, {5, 2, 7}};
  for (const Layout& layout : layouts) {
    for (const std::vector<int64_t>& dims : shapes) {
      const LayoutIndex positions = *LayoutIndex::Make(dims, layout);
      std::map<int64_t, Index> by_position;
      for (const Index& index : IndexSpace(dims)) {
        const int64_t position = positions.Position(index);
        EXPECT_LT(position, positions.element_count());
        EXPECT_TRUE(by_position.emplace(position, index).second) << LayoutText(layout);
      }
      for (int64_t position = 0; position < positions.element_count(); ++position) {
        Index index(3);
        const bool is_element = positions.IndexAt(position, std::span(index.data(), 3));
        ASSERT_EQ(is_element, by_position.contains(position)) << LayoutText(layout) << position;
        if (is_element) {
          EXPECT_EQ(index, by_position[position]);
        }
      }
    }
  }
}

TEST(LayoutIndexTest, ElementSizePacksSubByteElements) {
  const std::vector<S4> elements = {S4(1), S4(-1), S4(-8), S4(7), S4(2)};
  const Layout packed = WithExtras(MakeLayout({0}), 4, 1);
  EXPECT_EQ(Numbers(*MemoryImage(MakeArray({5}, packed, elements))),
            (std::vector<int>{0xf1, 0x78, 0x02}));
  // Without E(4) a byte each, sign-extended.
  EXPECT_EQ(Numbers(*MemoryImage(MakeArray({5}, MakeLayout({0}), elements))),
            (std::vector<int>{0x01, 0xff, 0xf8, 0x07, 0x02}));
  const std::vector<U2> pairs = {U2(1), U2(2), U2(3), U2(0), U2(3)};
  EXPECT_EQ(Numbers(*MemoryImage(MakeArray({5}, WithExtras(MakeLayout({0}), 2, 1), pairs))),
            (std::vector<int>{0x39, 0x03}));
  EXPECT_EQ(
      MemoryImage(MakeArray({5}, WithExtras(MakeLayout({0}), 2, 1), elements)).status().message(),
      "an element of type s4 does not take 2 bits");
}

TEST(LayoutIndexTest, PackingFollowsThePhysicalOrder) {
  const std::vector<U4> elements = {U4(1), U4(2), U4(3), U4(4)};
  const Layout packed = WithExtras(MakeLayout({0, 1}), 4, 1);
  EXPECT_EQ(Numbers(*MemoryImage(MakeArray({2, 2}, packed, elements))),
            (std::vector<int>{0x31, 0x42}));
}

TEST(LayoutIndexTest, UnpackingUndoesPacking) {
  const std::vector<S2> elements = {S2(-2), S2(-1), S2(0), S2(1), S2(-2)};
  const std::byte* bytes = reinterpret_cast<const std::byte*>(elements.data());
  const std::vector<std::byte> packed = PackBits(2, 1, bytes, 5);
  EXPECT_EQ(packed.size(), 2u);
  std::vector<std::byte> unpacked(5);
  UnpackBits(2, 1, true, packed.data(), unpacked.data(), 5);
  EXPECT_TRUE(std::equal(unpacked.begin(), unpacked.end(), bytes));
}

TEST(LayoutIndexTest, LinearAndMultiIndexAreInverse) {
  const std::vector<int64_t> dims = {2, 3, 4};
  EXPECT_EQ(MultiIndex(dims, 17), (Index{1, 1, 1}));
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(LinearIndex(dims, MultiIndex(dims, i)), i);
  EXPECT_EQ(MultiIndex({}, 0), Index());
}

// The [2 x 3] array of the layout document: row-major, column-major, padded to [3 x 5].
TEST(LayoutIndexTest, RelayoutChangesTheImageAndNoElement) {
  const Literal rows = MakeArray({2, 3}, MakeLayout({1, 0}), kLetters);
  const Literal columns = *Relayout(rows, MakeLayout({0, 1}));
  EXPECT_EQ(Text(*MemoryImage(rows)), "abcdef");
  EXPECT_EQ(Text(*MemoryImage(columns)), "adbecf");
  EXPECT_TRUE(std::ranges::equal(rows.elements<uint8_t>(), columns.elements<uint8_t>()));
  EXPECT_EQ(Relayout(rows, MakeLayout({0})).status().message(),
            "layout `{0}` does not fit an array of rank 2");
  EXPECT_EQ(Relayout(Literal::Tuple({}), MakeLayout({})).status().message(),
            "() is no array: it has no layout");
}

TEST(LayoutIndexTest, ImagesAreReadBack) {
  const Layout layouts[] = {MakeLayout({1, 0}), MakeLayout({0, 1}), MakeLayout({1, 0}, {{2, 2}}),
                            WithExtras(MakeLayout({0, 1}), 0, 4)};
  for (const Layout& layout : layouts) {
    const Literal array = MakeArray({2, 3}, layout, kLetters);
    EXPECT_EQ(*FromMemoryImage(array.shape(), *MemoryImage(array)), array) << LayoutText(layout);
  }
  const Literal columns = MakeArray({2, 3}, MakeLayout({0, 1}), kLetters);
  const LegacyPadding padding{{3, 5}, Literal::Scalar<uint8_t>('0')};
  EXPECT_EQ(*FromMemoryImage(columns.shape(), *MemoryImage(columns, &padding), &padding), columns);
  const Literal packed =
      MakeArray({3}, WithExtras(MakeLayout({0}), 4, 1), std::vector<S4>{S4(1), S4(-1), S4(-8)});
  EXPECT_EQ(*FromMemoryImage(packed.shape(), *MemoryImage(packed)), packed);
}

TEST(LayoutIndexTest, ImagesThatDoNotFitAreRejected) {
  const Shape shape = MakeArray({2, 3}, MakeLayout({1, 0}), kLetters).shape();
  const std::vector<std::byte> image(7);
  EXPECT_EQ(FromMemoryImage(shape, image).status().message(),
            "u8[2,3]{1,0} takes 6 bytes of memory, the image has 7");
  EXPECT_EQ(FromMemoryImage(Shape::Token(), image).status().message(),
            "token[] is no array: it has no memory image");
  Shape dynamic = shape;
  dynamic.set_dynamic(0, true);
  EXPECT_EQ(FromMemoryImage(dynamic, std::span(image).first(6)).status().message(),
            "u8[<=2,3] has dynamic dimensions, whose sizes no memory image tells");
}

TEST(LayoutIndexTest, AnyByteOfAPredButZeroIsTrue) {
  const std::vector<std::byte> image = {std::byte{0}, std::byte{1}, std::byte{7}};
  const Literal flags =
      *FromMemoryImage(Shape::ArrayWithDefaultLayout(ElementType::kPred, {{3}}), image);
  EXPECT_TRUE(std::ranges::equal(flags.elements<bool>(), std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace hlo

// Products of tiles, in matrix registers or by vectors, beside sums made one by one. The numbers
// are whole and small enough that sums are exact in any order; those of 8 bits are all there are.
#include "interp/simd/product/tile_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/random_stream.h"
#include "ir/element_conversion.h"
#include "ir/narrow_float.h"

namespace hlo::simd {
namespace {

struct Sizes {
  int64_t batch, rows, sum, columns;
};

// How an array [batch, a, b] lies in memory: as it is, or [batch, b, a].
enum class Order : uint8_t { kPlain, kTurned };

struct Strides {
  Strides(int64_t a, int64_t b, Order order)
      : batch(a * b),
        outer(order == Order::kPlain ? b : 1),
        inner(order == Order::kPlain ? 1 : a) {}
  int64_t batch, outer, inner;
};

// Bytes of `count` random elements of `type`, and what these are.
std::vector<std::byte> RandomElements(ElementType type, int64_t count, RandomStream& stream,
                                      std::vector<int64_t>& values) {
  const bool is_byte = ElementByteSize(type) == 1;
  const int64_t low = type == ElementType::kU8 ? 0 : is_byte ? -128 : -8;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(low + static_cast<int64_t>(stream.Next() % (is_byte ? 256 : 17)));
  }
  std::vector<std::byte> bytes(static_cast<size_t>(count * ElementByteSize(type)));
  ConvertElements(ElementType::kS64, reinterpret_cast<const std::byte*>(values.data()), type,
                  bytes.data(), count);
  return bytes;
}

struct Case {
  ElementType rows, columns, out;
};

void ExpectExact(const Case& types, const Sizes& sizes, Order row_order, Order column_order,
                 Order out_order, bool packs) {
  const Strides in_rows(sizes.rows, sizes.sum, row_order);
  const Strides in_columns(sizes.sum, sizes.columns, column_order);
  const Strides in_out(sizes.rows, sizes.columns, out_order);
  ProductShape shape;
  shape.batch.Add({sizes.batch, in_rows.batch, in_columns.batch, in_out.batch});
  shape.rows.Add({sizes.rows, in_rows.outer, 0, in_out.outer});
  shape.sum.Add({sizes.sum, in_rows.inner, in_columns.outer, 0});
  shape.columns.Add({sizes.columns, 0, in_columns.inner, in_out.inner});
  const auto product =
      TileProduct::Make(shape, types.rows, types.columns, types.out, /*least_lines=*/1);
  ASSERT_TRUE(product.has_value());

  RandomStream stream(7);
  std::vector<int64_t> rows, columns;
  const std::vector<std::byte> row_bytes =
      RandomElements(types.rows, sizes.batch * sizes.rows * sizes.sum, stream, rows);
  const std::vector<std::byte> column_bytes =
      RandomElements(types.columns, sizes.batch * sizes.sum * sizes.columns, stream, columns);
  const int64_t out_count = sizes.batch * sizes.rows * sizes.columns;
  std::vector<std::byte> out(static_cast<size_t>(out_count * ElementByteSize(types.out)));
  DeviceContext device;
  ThreadPool threads(2);
  device.set_thread_pool(&threads);
  std::vector<std::byte> packed(static_cast<size_t>(product->PackedByteSize()));
  if (packs) {
    ASSERT_TRUE(product->Pack(device, column_bytes.data(), packed.data()).ok());
  }
  ASSERT_TRUE(product
                  ->Run(device, row_bytes.data(), packs ? nullptr : column_bytes.data(),
                        packs ? packed.data() : nullptr, out.data())
                  .ok());

  std::vector<int64_t> expected(static_cast<size_t>(out_count));
  for (int64_t b = 0; b < sizes.batch; ++b) {
    for (int64_t r = 0; r < sizes.rows; ++r) {
      for (int64_t c = 0; c < sizes.columns; ++c) {
        int64_t sum = 0;
        for (int64_t k = 0; k < sizes.sum; ++k) {
          sum += rows[b * in_rows.batch + r * in_rows.outer + k * in_rows.inner] *
                 columns[b * in_columns.batch + k * in_columns.outer + c * in_columns.inner];
        }
        expected[b * in_out.batch + r * in_out.outer + c * in_out.inner] = sum;
      }
    }
  }
  std::vector<std::byte> expected_bytes(out.size());
  ConvertElements(ElementType::kS64, reinterpret_cast<const std::byte*>(expected.data()), types.out,
                  expected_bytes.data(), out_count);
  EXPECT_EQ(std::memcmp(out.data(), expected_bytes.data(), out.size()), 0)
      << sizes.batch << " x " << sizes.rows << " x " << sizes.sum << " x " << sizes.columns;
}

using enum ElementType;
const std::vector<Case> kCases = {{kBf16, kBf16, kF32}, {kBf16, kBf16, kBf16}, {kS8, kS8, kS32},
                                  {kS8, kU8, kS32},     {kU8, kS8, kS16},      {kU8, kU8, kU32},
                                  {kS8, kS8, kS8}};

class TileProductTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto elements = TileElementsOf(GetParam().rows, GetParam().columns);
    if (!HasTileKernel(*elements)) GTEST_SKIP() << "this processor multiplies no such tiles";
  }
};

TEST_P(TileProductTest, SumsAreExactWhereverOperandsLie) {
  using enum Order;
  for (const Order rows : {kPlain, kTurned}) {
    for (const Order columns : {kPlain, kTurned}) {
      for (const Order out : {kPlain, kTurned}) {
        ExpectExact(GetParam(), {2, 37, 75, 50}, rows, columns, out, false);
      }
    }
  }
}

TEST_P(TileProductTest, PanelsAndBlocksNeedNotBeFull) {
  for (const int64_t rows : {16, 17, 33}) {
    for (const int64_t sum : {32, 33, 64, 127, 130}) {
      for (const int64_t columns : {16, 31, 65}) {
        ExpectExact(GetParam(), {1, rows, sum, columns}, Order::kPlain, Order::kPlain,
                    Order::kPlain, false);
      }
    }
  }
}

TEST_P(TileProductTest, LargeProductsAreCutIntoParts) {
  ExpectExact(GetParam(), {1, 300, 130, 530}, Order::kPlain, Order::kPlain, Order::kPlain, false);
  ExpectExact(GetParam(), {3, 300, 130, 300}, Order::kPlain, Order::kTurned, Order::kPlain, true);
}

// What is packed of some panels is more than caches hold; the last piece is shorter.
TEST_P(TileProductTest, LongSumsGoOnFromPieceToPiece) {
  using enum Order;
  // A panel for each processor, up to what takes the test no long time.
  const int64_t rows = 6 + 32 * std::clamp<int64_t>(ThreadPool::ProcessorCount(), 2, 8);
  ExpectExact(GetParam(), {1, rows, 33'000, 16}, kTurned, kPlain, kPlain, false);
  ExpectExact(GetParam(), {1, rows, 33'001, 16}, kPlain, kTurned, kTurned, true);
}

TEST_P(TileProductTest, ColumnsMayBePackedBefore) {
  ExpectExact(GetParam(), {5, 40, 70, 40}, Order::kPlain, Order::kPlain, Order::kPlain, true);
}

INSTANTIATE_TEST_SUITE_P(Types, TileProductTest, ::testing::ValuesIn(kCases));

// Rows and columns from fewer than a tile to more than a panel, packed and loaded as they lie;
// lines a power of two apart.
TEST_P(TileProductTest, FewRowsByManyColumns) {
  if (!HasMatrixRegisters()) GTEST_SKIP() << "vectors take no rows that leave tiles empty";
  using enum Order;
  for (const int64_t few : {2, 5, 8, 17, 32, 40, 64}) {
    for (const int64_t sum : {64, 192, 1000}) {
      for (const Order out : {kPlain, kTurned}) {
        ExpectExact(GetParam(), {1, few, sum, 400}, kPlain, kPlain, out, /*packs=*/few == 32);
        ExpectExact(GetParam(), {1, 400, sum, few}, kPlain, kTurned, out, /*packs=*/few == 40);
      }
    }
  }
  for (const bool packs : {false, true}) {
    ExpectExact(GetParam(), {1, 40, 704, 1100}, kPlain, kPlain, kPlain, packs);
    ExpectExact(GetParam(), {2, 8, 33'000, 64}, kPlain, kPlain, kPlain, packs);
    ExpectExact(GetParam(), {3, 5, 2050, 570}, kPlain, kPlain, kPlain, packs);
  }
  ExpectExact(GetParam(), {1, 256, 2048, 33}, kPlain, kPlain, kTurned, false);
  // The last tile of those that lie as they are loaded is not full.
  for (const int64_t many : {257, 299, 303, 1001}) {
    for (const int64_t few : {6, 40, 80}) {
      ExpectExact(GetParam(), {2, many, 192, few}, kPlain, kTurned, kPlain, /*packs=*/few == 40);
    }
  }
  ExpectExact(GetParam(), {1, 300, 11'200, 80}, kPlain, kTurned, kTurned, false);
}

// Columns whose terms lie side by side, but not at multiples of 4 bytes.
TEST_P(TileProductTest, ColumnsThatBeginAnywhere) {
  for (const int64_t sum : {65, 66, 67, 130}) {
    ExpectExact(GetParam(), {3, 40, sum, 48}, Order::kPlain, Order::kTurned, Order::kPlain, false);
  }
}

TEST(TileProduct, TakesOnlyWhatFillsTiles) {
  ProductShape shape;
  shape.rows.Add({15, 64, 0, 64});
  shape.sum.Add({64, 1, 64, 0});
  shape.columns.Add({64, 0, 1, 1});
  EXPECT_FALSE(TileProduct::Make(shape, kBf16, kBf16, kF32).has_value());
  EXPECT_FALSE(TileElementsOf(kBf16, kF32).has_value());
  EXPECT_FALSE(TileElementsOf(kF16, kF16).has_value());
}

}  // namespace
}  // namespace hlo::simd

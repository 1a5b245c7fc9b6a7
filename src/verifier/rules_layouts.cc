// What the braces behind an array shape may say. Source: verifier.md 2.2.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "support/count_text.h"
#include "verifier/shape_rules.h"

namespace hlo {
namespace {

std::span<const int64_t> Numbers(const DimensionVector& dims) { return {dims.data(), dims.size()}; }

bool CheckOrder(const ShapeReporter& reporter, const Shape& array) {
  std::span<const int64_t> order = Numbers(array.layout()->minor_to_major);
  if (static_cast<int64_t>(order.size()) != array.rank()) {
    reporter.Report(Rule::kLayoutMinorToMajorLength,
                    "layout `{{{}}}` has {} entries for the {} dimensions of `{}`",
                    fmt::join(order, ","), order.size(), array.rank(), ShapeText(array));
    return false;
  }
  if (!array.layout()->IsOrderOf(array.rank())) {
    reporter.At(fmt::format("{{{}}}", fmt::join(order, ",")))
        .Report(Rule::kLayoutMinorToMajorPermutation,
                "layout `{{{}}}` does not name each of {} dimensions once", fmt::join(order, ","),
                array.rank());
    return false;
  }
  return true;
}

// --- Tiles ---------------------------------------------------------------------------------------

std::string TileText(const Tile& tile) {
  std::string text = "(";
  for (int64_t size : tile.dims) {
    if (text.size() > 1) text += ',';
    text += size == Tile::kCombineDimension ? "*" : fmt::format("{}", size);
  }
  return text + ")";
}

void CheckTileEntries(const ShapeReporter& reporter, const Tile& tile) {
  for (int64_t size : tile.dims) {
    if (size > 0 || size == Tile::kCombineDimension) continue;
    reporter.At(TileText(tile))
        .Report(Rule::kLayoutTileDimension, "tile `{}` has the size {}", TileText(tile), size);
    return;
  }
  if (tile.dims.back() == Tile::kCombineDimension) {
    reporter.At(TileText(tile))
        .Report(Rule::kLayoutTileCombine,
                "tile `{}` ends in `*`, which has no dimension to merge into", TileText(tile));
  }
}

// The dimensions a tile leaves: those in front of it, and twice the ones it has.
int64_t RankAfter(int64_t rank, const Tile& tile) {
  int64_t merged = std::count(tile.dims.begin(), tile.dims.end(), Tile::kCombineDimension);
  return rank + static_cast<int64_t>(tile.dims.size()) - 2 * merged;
}

void CheckTiles(const ShapeReporter& reporter, const Shape& array) {
  int64_t rank = array.rank();
  for (const Tile& tile : array.layout()->tiles) {
    int64_t size = static_cast<int64_t>(tile.dims.size());
    if (size == 0) {
      // On a scalar some importers write an empty tile on purpose.
      if (array.rank() > 0) {
        reporter.Report(Rule::kLayoutTileEmpty, "`{}` has an empty tile",
                        ShapeTextWithLayout(array));
      } else {
        reporter.context().ReportAs(Severity::kWarning, Rule::kLayoutTileEmpty, reporter.range(),
                                    "`{}` has an empty tile", ShapeTextWithLayout(array));
      }
      continue;
    }
    CheckTileEntries(reporter, tile);
    if (array.rank() == 0 && &tile == array.layout()->tiles.data()) rank = size;
    if (size > rank) {
      reporter.At(TileText(tile))
          .Report(Rule::kLayoutTileRank, "tile `{}` has {} entries for {}", TileText(tile), size,
                  CountText(rank, "dimension"));
      return;
    }
    rank = RankAfter(rank, tile);
  }
}

// --- Splits --------------------------------------------------------------------------------------

// "(0:2,4)"
std::string SplitText(const SplitConfig& split) {
  return fmt::format("({}:{})", split.dimension, fmt::join(split.split_indices, ","));
}

void CheckSplit(const ShapeReporter& reporter, const Shape& array, const SplitConfig& split) {
  if (split.dimension < 0 || split.dimension >= array.rank()) {
    reporter.At(fmt::format("({}:", split.dimension))
        .Report(Rule::kLayoutSplitDimension, "a split of physical dimension {}, `{}` has {}",
                split.dimension, ShapeText(array), CountText(array.rank(), "dimension"));
    return;
  }
  int64_t logical = array.layout()->minor_to_major[array.rank() - 1 - split.dimension];
  int64_t previous = 0;
  for (int64_t index : split.split_indices) {
    if (index <= previous) {
      reporter.At(SplitText(split))
          .Report(Rule::kLayoutSplitIncreasing, "split indices `{}` do not increase from 1",
                  fmt::join(split.split_indices, ","));
      return;
    }
    previous = index;
    if (array.is_unbounded(logical) || index < array.dim(logical)) continue;
    reporter.At(SplitText(split))
        .Report(Rule::kLayoutSplitBound,
                "split index {} of dimension {} is not less than its size, {}", index, logical,
                array.dim(logical));
    return;
  }
}

void CheckSplits(const ShapeReporter& reporter, const Shape& array,
                 std::span<const SplitConfig> splits) {
  for (size_t i = 0; i < splits.size(); ++i) {
    bool is_repeated = std::any_of(splits.begin(), splits.begin() + i, [&](const SplitConfig& s) {
      return s.dimension == splits[i].dimension;
    });
    if (is_repeated) {
      reporter.At(SplitText(splits[i]))
          .Report(Rule::kLayoutSplitUnique, "physical dimension {} is split twice",
                  splits[i].dimension);
    } else {
      CheckSplit(reporter, array, splits[i]);
    }
  }
}

// --- The rest ------------------------------------------------------------------------------------

void CheckElementSize(const ShapeReporter& reporter, const Shape& array, int64_t bits) {
  int logical = array.element_type() == ElementType::kPred ? 1 : BitWidth(array.element_type());
  const int64_t stored = 8 * ElementByteSize(array.element_type());
  const ShapeReporter at = reporter.At(fmt::format("E({})", bits));
  if (bits < 0) {
    at.Report(Rule::kLayoutElementSize, "the element size of {} bits is negative", bits);
  } else if (bits != 0 && bits != logical && bits != stored) {
    at.Report(Rule::kLayoutElementSizeFits, "an element size of {} bits, `{}` has {}{}", bits,
              ElementTypeName(array.element_type()), logical,
              logical == stored ? "" : fmt::format(" or {}", stored));
  }
}

void CheckExtras(const ShapeReporter& reporter, const Shape& array, const LayoutExtras& extras) {
  if (extras.tail_padding_alignment < 1) {
    reporter.At(fmt::format("L({})", extras.tail_padding_alignment))
        .Report(Rule::kLayoutTailPadding,
                "tail padding to a multiple of {} elements, which is less than 1",
                extras.tail_padding_alignment);
  }
  if (extras.index_type) {
    reporter.At(fmt::format("#({})", ElementTypeName(*extras.index_type)))
        .Report(Rule::kLayoutSparseIndexType, "an index type, `#({})`, on the dense array `{}`",
                ElementTypeName(*extras.index_type), ShapeText(array));
  }
  if (extras.pointer_type) {
    reporter.At(fmt::format("*({})", ElementTypeName(*extras.pointer_type)))
        .Report(Rule::kLayoutSparsePointerType, "a pointer type, `*({})`, on the dense array `{}`",
                ElementTypeName(*extras.pointer_type), ShapeText(array));
  }
  if (extras.physical_shape != nullptr) {
    reporter.Report(Rule::kLayoutPhysicalShape,
                    "a physical shape, `P({})`, on the dense array `{}`",
                    ShapeText(*extras.physical_shape), ShapeText(array));
  }
  if (extras.dynamic_shape_metadata_prefix_bytes < 0) {
    reporter.At(fmt::format("M({})", extras.dynamic_shape_metadata_prefix_bytes))
        .Report(Rule::kLayoutMetadataPrefix, "the metadata prefix of {} bytes is negative",
                extras.dynamic_shape_metadata_prefix_bytes);
  }
  CheckElementSize(reporter, array, extras.element_size_in_bits);
  CheckSplits(reporter, array, extras.splits);
}

}  // namespace

void CheckLayout(const ShapeReporter& reporter, const Shape& array) {
  if (!array.layout() || !CheckOrder(reporter, array)) return;
  const Layout& layout = *array.layout();
  if (!layout.HasTail()) return;
  CheckTiles(reporter, array);
  if (layout.memory_space < 0) {
    reporter.At(fmt::format("S({})", layout.memory_space))
        .Report(Rule::kLayoutMemorySpace, "memory space {} is negative", layout.memory_space);
  }
  if (layout.extras != nullptr) CheckExtras(reporter, array, *layout.extras);
}

}  // namespace hlo

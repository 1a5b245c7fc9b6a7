// Which elements of an operand a tile of the output needs, as a tile (indexing.md 4.4,
// indexing_xla.md 6).
#ifndef HLOKIT_INDEXING_TILING_H_
#define HLOKIT_INDEXING_TILING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "indexing/indexing_map.h"

namespace hlo::indexing {

// A disjunction of conjunctions of constraints on the sizes of tiles.
struct TileConstraints {
  std::vector<std::vector<Constraint>> any;  // empty: unsatisfiable; an empty conjunction: always

  static TileConstraints Always() { return {{{}}}; }
  bool IsAlways() const;
  TileConstraints And(const TileConstraints& other) const;
};

// For tiles of sizes (d0, d1, ...) at offset 0: an offset, a size and a stride for each dimension
// of the operand, valid where the constraints hold.
struct SymbolicTile {
  IndexingMap offset, size, stride;  // over the sizes; the offset also over runtime variables
  TileConstraints constraints;
  // Dimensions of the operand that follow one of the output together: the tile is only a box around
  // what is read.
  bool is_bounding_box = false;
};

// Fails with what of the map cannot be said by a tile. `sound`: strides of both signs in one
// dimension count from the least element, which XLA gets wrong.
absl::StatusOr<SymbolicTile> TileOf(const IndexingMap& map, bool sound = false);

// "Symbolic tile with offset_map: ... size_map: ... stride_map: ...", as XLA prints it.
std::string PrintTile(const SymbolicTile& tile);

struct TileDimension {
  int64_t offset = 0;
  int64_t size = 1;
  int64_t stride = 0;
  bool operator==(const TileDimension&) const = default;
};

// The tile for given sizes, with runtime variables at their lower bounds. Fails where a constraint
// does not hold.
absl::StatusOr<std::vector<TileDimension>> TileAt(const SymbolicTile& tile,
                                                  std::span<const int64_t> sizes);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_TILING_H_

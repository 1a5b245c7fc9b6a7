// How consecutive elements of an output read an operand's memory (indexing.md 4.3).
#ifndef HLOKIT_INDEXING_COALESCING_H_
#define HLOKIT_INDEXING_COALESCING_H_

#include <cstdint>
#include <optional>

#include "indexing/indexing_map.h"
#include "ir/shape.h"

namespace hlo::indexing {

enum class AccessKind : uint8_t { kContiguous, kUniform, kStrided, kScattered, kUnknown };

struct VectorAccess {
  AccessKind kind = AccessKind::kUnknown;
  int64_t stride = 0;                     // of kStrided, in elements; negative: backwards
  bool is_aligned = false;                // every vector starts at a multiple of its width
  std::optional<IndexingMap> difference;  // (q, j): address of lane j less that of lane 0
};

// The access of vectors of `width` consecutive elements when element t is read at `address`, an
// expression over variable 0 in [0, element_count - 1]. `width` divides `element_count`, which else
// makes the access unknown.
VectorAccess ClassifyAccess(Expr address, int64_t element_count, int64_t width);

// t, the position of an element in the output's memory -> the position of what it reads in the
// operand's. Ranges stay; runtime variables take the middle of their intervals.
IndexingMap AddressMap(const IndexingMap& map, const Shape& output, const Shape& operand);

// What the first `lanes` elements of the output read together, at the lower bounds of ranges.
struct Traffic {
  int64_t distinct_bytes = 0;
  int64_t touched_bytes = 0;  // of all lines of `line_size` bytes that hold some of them
};
std::optional<Traffic> TrafficOf(const IndexingMap& address, int64_t lanes, int64_t element_size,
                                 int64_t line_size);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_COALESCING_H_

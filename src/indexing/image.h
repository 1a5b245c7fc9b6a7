// Where a map leads from one index: concrete elements.
#ifndef HLOKIT_INDEXING_IMAGE_H_
#define HLOKIT_INDEXING_IMAGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "indexing/indexing_map.h"

namespace hlo::indexing {

// The value that the origin's array holds at `index`; nothing when that is not known.
using RuntimeReader = std::function<std::optional<int64_t>(const RuntimeOrigin& origin,
                                                           std::span<const int64_t> index)>;

// Elements of an array by their row-major number, in ascending order, each once.
using ElementSet = std::vector<int64_t>;

// The elements of an array of sizes `to` that `index` leads to. Runtime variables that `read` does
// not know take every value; results outside the array are left out. Nothing when the map is
// unknown or that takes more than `max_points` points.
std::optional<ElementSet> ImageOf(const IndexingMap& map, std::span<const int64_t> index,
                                  std::span<const int64_t> to, int64_t max_points,
                                  const RuntimeReader& read = {});

// The elements that any index leads to.
std::optional<ElementSet> ImageOfAll(const IndexingMap& map, std::span<const int64_t> to,
                                     int64_t max_points, const RuntimeReader& read = {});

// Adds the elements of `more`.
void Unite(ElementSet& set, const ElementSet& more);

// "[3, 0..5]", "[0..10 by 2]" for a box, "[0] [3] [7] ..." otherwise.
std::string ElementSetText(const ElementSet& set, std::span<const int64_t> dims);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_IMAGE_H_

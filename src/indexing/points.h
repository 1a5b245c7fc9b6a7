// The points of a map's domain, one by one.
#ifndef HLOKIT_INDEXING_POINTS_H_
#define HLOKIT_INDEXING_POINTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "indexing/indexing_map.h"

namespace hlo::indexing {

// Calls `visit` with the values of all variables of every point, in lexicographic order, until it
// returns false. False when more than `max_points` values would have to be tried, an interval is
// infinite or an expression overflows; then not all points were visited.
bool ForEachPoint(const IndexingMap& map, int64_t max_points,
                  const std::function<bool(std::span<const int64_t>)>& visit);

// Whether the domain has a point; nothing when that takes more than `max_points` tries.
std::optional<bool> HasPoint(const IndexingMap& map, int64_t max_points);

// Tightens intervals by what linear constraints say of each variable, to a fixed point. Never
// changes the domain (indexing.md 3.4).
void Tighten(IndexingMap& map);

// Whether no index has an image; nothing when that takes too long to find out.
std::optional<bool> IsEmpty(const IndexingMap& map);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_POINTS_H_

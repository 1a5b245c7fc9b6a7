// Windows over padded and dilated dimensions (indexing.md 2.5).
#ifndef HLOKIT_INDEXING_MAP_WINDOW_H_
#define HLOKIT_INDEXING_MAP_WINDOW_H_

#include <span>

#include "indexing/indexing_map.h"
#include "ir/attribute_values.h"

namespace hlo::indexing {

// (d)[s] -> the element of the base that window position s covers at place d, one d and one s for
// each window dimension. Padding and holes have no image. Not simplified.
IndexingMap WindowMap(ExprContext& context, std::span<const int64_t> output,
                      std::span<const WindowDimension> window, std::span<const int64_t> base);

// The places whose window covers element d of the base, by window position s. Not simplified.
IndexingMap PlacesMap(ExprContext& context, std::span<const int64_t> base,
                      std::span<const WindowDimension> window, std::span<const int64_t> output);

// The window's dimensions; without one written, of size 1 everywhere.
std::vector<WindowDimension> WindowDimensions(const Window& window, size_t rank);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_MAP_WINDOW_H_

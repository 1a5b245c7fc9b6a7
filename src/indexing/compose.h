// Composition of maps, and what changes their variables.
#ifndef HLOKIT_INDEXING_COMPOSE_H_
#define HLOKIT_INDEXING_COMPOSE_H_

#include <cstdint>
#include <span>

#include "indexing/indexing_map.h"

namespace hlo::indexing {

// x -> second(first(x)): `first` is the consumer's map, `second` the producer's. The producer's
// ranges and runtime variables come first (indexing.md 1.6). Nothing is simplified. `second` has
// as many dimensions as `first` has results; otherwise the map is unknown.
IndexingMap Compose(const IndexingMap& first, const IndexingMap& second);

enum class Removable : uint8_t { kSymbols, kDimsAndSymbols };

// Drops variables that no result needs, with the constraints on dropped variables alone. A
// constraint that keeps one of its variables keeps all. What cannot be shown to be satisfiable
// stays. True when something was dropped.
bool RemoveUnused(IndexingMap& map, Removable removable = Removable::kSymbols);

// Drops the ranges i with `drop[i]`, which nothing uses.
void DropRanges(IndexingMap& map, const std::vector<bool>& drop);
// Whether anything in the map depends on each of its variables.
std::vector<bool> UsedVariables(const IndexingMap& map);

// A range that is known modulo some number counts the members of its class from now on
// (indexing.md 1.6). True when there was one.
bool RescaleRanges(IndexingMap& map);

// Ranges and runtime variables become dimensions behind the others, without their names.
IndexingMap SymbolsToDims(const IndexingMap& map);
// The same for the ranges listed, in that order; the others keep theirs, and all their names.
IndexingMap RangesToDims(const IndexingMap& map, std::span<const int64_t> which);

// The map with one of its results only.
IndexingMap WithResult(const IndexingMap& map, int64_t result);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_COMPOSE_H_

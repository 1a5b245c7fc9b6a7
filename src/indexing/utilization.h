// How much of an operand is read (indexing.md 4.2).
#ifndef HLOKIT_INDEXING_UTILIZATION_H_
#define HLOKIT_INDEXING_UTILIZATION_H_

#include <cstdint>
#include <span>

#include "indexing/op_maps.h"

namespace hlo::indexing {

struct Utilization {
  enum class Method : uint8_t {
    kUnknown,     // a map is unknown
    kClosedForm,  // counted by formula
    kEnumerated,  // counted one by one
    kSampled,     // start indices change the count: the least and most of some of their values
    kBounds,      // too large to be counted
  };
  Method method = Method::kUnknown;
  // The distinct elements that a whole output reads: both equal when the count is exact.
  int64_t least = 0;
  int64_t most = 0;
  int64_t total = 0;
  // The elements that one element of the output reads, with repetitions; -1: not the same for all.
  int64_t reads_per_element = -1;
};

// Of an operand of sizes `dims` through all of its maps. Elements outside the operand, which maps
// that are too wide have, are not counted.
Utilization UtilizationOf(const MapSet& maps, std::span<const int64_t> dims);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_UTILIZATION_H_

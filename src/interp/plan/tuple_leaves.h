// Where the elements of tuples begin among their leaves, counted once for each shape: programs take
// tuples of thousands of elements apart one by one.
#ifndef HLOKIT_INTERP_PLAN_TUPLE_LEAVES_H_
#define HLOKIT_INTERP_PLAN_TUPLE_LEAVES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/leaves.h"
#include "ir/shape.h"

namespace hlo {

class TupleLeaves {
 public:
  // The number of the first leaf of element `index`; behind the last element, of all leaves.
  // `tuple` is known by its address from then on.
  int64_t Start(const Shape& tuple, int64_t index) {
    return Starts(tuple)[static_cast<size_t>(index)];
  }

  // The element that leaf `leaf` belongs to.
  int64_t ElementOf(const Shape& tuple, int64_t leaf) {
    const std::vector<int64_t>& starts = Starts(tuple);
    return std::upper_bound(starts.begin(), starts.end(), leaf) - starts.begin() - 1;
  }

 private:
  const std::vector<int64_t>& Starts(const Shape& tuple) {
    std::vector<int64_t>& starts = starts_[&tuple];
    if (!starts.empty()) return starts;
    starts.push_back(0);
    for (const Shape& element : tuple.elements()) {
      starts.push_back(starts.back() + element.LeafCount());
    }
    return starts;
  }

  absl::flat_hash_map<const Shape*, std::vector<int64_t>> starts_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_TUPLE_LEAVES_H_

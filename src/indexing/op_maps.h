// The maps of single instructions (indexing.md 2). A module whose instructions are asked has been
// verified.
#ifndef HLOKIT_INDEXING_OP_MAPS_H_
#define HLOKIT_INDEXING_OP_MAPS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "indexing/indexing_map.h"
#include "ir/op_view.h"

namespace hlo::indexing {

class IndexingCache;

struct IndexingOptions {
  // The exact variant of indexing.md where XLA's map is less precise or wrong. Off: what XLA
  // prints.
  bool sound = false;
  // More maps than this between two instructions become one unknown map.
  size_t max_maps = 64;
  // Remembers the maps through computations that are called more than once.
  IndexingCache* cache = nullptr;
};

// How one array is read or written. An empty set: no dependence at all.
struct ArrayMaps {
  // Of `tuple_element`: every element of a tuple.
  static constexpr int64_t kAllElements = -1;

  MapSet maps;
  // Which element of a tuple-shaped operand (or output) the maps speak of; 0 for arrays.
  int64_t tuple_element = 0;
};

// The maps through called computations of one module, made in one context with the same options
// otherwise.
class IndexingCache {
 public:
  // Null: not known yet.
  const std::vector<ArrayMaps>* Find(ComputationId called, bool to_input, int64_t number) const {
    const auto known = maps_.find({called, {to_input, number}});
    return known == maps_.end() ? nullptr : &known->second;
  }
  void Insert(ComputationId called, bool to_input, int64_t number, std::vector<ArrayMaps> maps) {
    maps_.emplace(Key{called, {to_input, number}}, std::move(maps));
  }

 private:
  using Key = std::pair<ComputationId, std::pair<bool, int64_t>>;
  absl::node_hash_map<Key, std::vector<ArrayMaps>> maps_;
};

// For each operand: which of its elements does an element of the result depend on? `output` is the
// element of a tuple-shaped result.
std::vector<ArrayMaps> OutputToInput(const OpView& op, int64_t output, ExprContext& context,
                                     const IndexingOptions& options = {});

// For each element of the result (one if it is no tuple): which of its elements does an element of
// `operand` reach?
std::vector<ArrayMaps> InputToOutput(const OpView& op, int64_t operand, ExprContext& context,
                                     const IndexingOptions& options = {});

// The shape of an element of a tuple, or the shape itself.
const Shape& ElementShape(const Shape& shape, int64_t element);
// The number of elements of a tuple, 1 otherwise.
int64_t OutputCount(const Shape& shape);

// An unsupported opcode or operand: it may read everything.
MapSet UnknownMaps(ExprContext& context);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_OP_MAPS_H_

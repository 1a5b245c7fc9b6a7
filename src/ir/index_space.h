// All indices of an array, in row-major order.
#ifndef HLOKIT_IR_INDEX_SPACE_H_
#define HLOKIT_IR_INDEX_SPACE_H_

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "ir/shape.h"

namespace hlo {

using Index = absl::InlinedVector<int64_t, 6>;

// Advances `index` to the next one in row-major order; false behind the last.
inline bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

// The position of `index` in a dense row-major array of sizes `dims`.
inline int64_t LinearIndex(std::span<const int64_t> dims, std::span<const int64_t> index) {
  int64_t linear = 0;
  for (size_t d = 0; d < dims.size(); ++d) linear = linear * dims[d] + index[d];
  return linear;
}

// for (const Index& index : IndexSpace(dims)): every index once, row-major. An array without
// elements has none, a scalar the empty one.
class IndexSpace {
 public:
  explicit IndexSpace(std::span<const int64_t> dims) : dims_(dims) {}
  explicit IndexSpace(const Shape& shape) : dims_(shape.dims()) {}

  class Iterator {
   public:
    Iterator(std::span<const int64_t> dims, bool at_end)
        : dims_(dims), index_(dims.size()), at_end_(at_end) {}
    const Index& operator*() const { return index_; }
    Iterator& operator++() {
      at_end_ = !NextIndex(dims_, std::span<int64_t>(index_.data(), index_.size()));
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_end_ != other.at_end_; }

   private:
    std::span<const int64_t> dims_;
    Index index_;
    bool at_end_;
  };

  Iterator begin() const {
    for (int64_t size : dims_) {
      if (size == 0) return end();
    }
    return Iterator(dims_, false);
  }
  Iterator end() const { return Iterator(dims_, true); }

 private:
  std::span<const int64_t> dims_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_INDEX_SPACE_H_

// The groups into which the ragged dimension of a ragged-dot falls (semantics.md 10.2).
#ifndef HLOKIT_INTERP_REFERENCE_GROUP_SIZES_H_
#define HLOKIT_INTERP_REFERENCE_GROUP_SIZES_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "interp/kernel/array_view.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/reference/converted_array.h"

namespace hlo::reference {

// group_sizes: for each index of the prefix dimensions (or once for all of them) the lengths of
// the groups, one after the other. Lengths may be any numbers, so groups may begin before the one
// in front of them.
class GroupSizes {
 public:
  // The groups of one index of the prefix dimensions.
  class Row {
   public:
    Row(std::span<const int64_t> ends, std::span<const int64_t> reaches)
        : ends_(ends), reaches_(reaches) {}

    // Where group `g` begins; the number of groups gives the total.
    int64_t Start(int64_t g) const { return g == 0 ? 0 : ends_[static_cast<size_t>(g) - 1]; }
    int64_t Total() const { return ends_.empty() ? 0 : ends_.back(); }
    // Before which position lies what is in the groups up to `g`.
    int64_t Reach(int64_t g) const { return reaches_[static_cast<size_t>(g)]; }
    // The first group that position `j` is before the end of; the number of groups if there is
    // none.
    int64_t GroupOf(int64_t j) const {
      return std::ranges::upper_bound(reaches_, j) - reaches_.begin();
    }

   private:
    std::span<const int64_t> ends_, reaches_;
  };

  GroupSizes(ScratchPool& pool, const ArrayRef& sizes)
      : has_prefix_(sizes.dims.size() > 1),
        group_count_(sizes.dims.back()),
        ends_(pool, sizes.element_count()),
        reaches_(pool, sizes.element_count()) {
    const ConvertedArray lengths(pool, sizes, ElementType::kS64);
    const int64_t count = sizes.element_count();
    for (int64_t row = 0; row < count; row += group_count_) {
      AddRow(lengths.data<int64_t>() + row, row);
    }
  }
  // The bytes it takes of the pool for group sizes of `count` elements, but for what it converts.
  static double ByteSize(double count) { return count * 2 * sizeof(int64_t); }

  int64_t group_count() const { return group_count_; }
  // Of index number `prefix` of the prefix dimensions.
  Row RowAt(int64_t prefix) const {
    const int64_t begin = has_prefix_ ? prefix * group_count_ : 0;
    const auto count = static_cast<size_t>(group_count_);
    return {{ends_.get() + begin, count}, {reaches_.get() + begin, count}};
  }

 private:
  void AddRow(const int64_t* lengths, int64_t row) {
    __int128 end = 0;
    for (int64_t g = 0; g < group_count_; ++g) {
      end += lengths[g];
      ends_[row + g] = static_cast<int64_t>(std::clamp<__int128>(end, INT64_MIN, INT64_MAX));
      reaches_[row + g] = g == 0 ? ends_[row] : std::max(reaches_[row + g - 1], ends_[row + g]);
    }
  }

  bool has_prefix_;
  int64_t group_count_;
  ScratchArray<int64_t> ends_;     // of each group
  ScratchArray<int64_t> reaches_;  // the largest end of a group and all before it
};

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_GROUP_SIZES_H_

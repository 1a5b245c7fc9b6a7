// Extras are compared by what they say. No extras and extras that are all default are different
// values, so a reader of layouts makes none when they would say nothing. The comparisons stand here
// because Shape, which extras can hold, is complete here.
#include "ir/layout.h"

#include "ir/shape.h"
#include "support/permutation.h"

namespace hlo {

Layout Layout::Default(int64_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (int64_t i = 0; i < rank; ++i) layout.minor_to_major[i] = rank - 1 - i;
  return layout;
}

bool Layout::IsDefault() const {
  return !HasTail() && *this == Default(static_cast<int64_t>(minor_to_major.size()));
}

bool Layout::IsOrderOf(int64_t rank) const { return IsPermutation(minor_to_major, rank); }

bool LayoutExtras::operator==(const LayoutExtras& other) const {
  const bool same_physical_shape = physical_shape == nullptr || other.physical_shape == nullptr
                                       ? physical_shape == other.physical_shape
                                       : *physical_shape == *other.physical_shape;
  return same_physical_shape && tail_padding_alignment == other.tail_padding_alignment &&
         index_type == other.index_type && pointer_type == other.pointer_type &&
         element_size_in_bits == other.element_size_in_bits && splits == other.splits &&
         dynamic_shape_metadata_prefix_bytes == other.dynamic_shape_metadata_prefix_bytes;
}

bool Layout::operator==(const Layout& other) const {
  const bool same_extras = extras == nullptr || other.extras == nullptr ? extras == other.extras
                                                                        : *extras == *other.extras;
  return same_extras && minor_to_major == other.minor_to_major && tiles == other.tiles &&
         memory_space == other.memory_space;
}

}  // namespace hlo

// Open addressing. Keys are views into the source text, which outlives the cache; their hashes are
// kept, so growing does not read them again.
#include "parser/shape_cache.h"

#include <cstring>
#include <utility>

namespace hlo {

const Shape* ShapeCache::Find(std::string_view text, uint32_t hash) const {
  if (slots_.empty()) return nullptr;
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].shape != nullptr; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.hash == hash && slot.size == text.size() &&
        EqualBytes(slot.text, text.data(), text.size())) {
      return slot.shape;
    }
  }
  return nullptr;
}

void ShapeCache::Insert(std::string_view text, uint32_t hash, const Shape* shape) {
  if (2 * (used_count_ + 1) > slots_.size()) {
    std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 256 : slots_.size() * 2));
    used_count_ = 0;
    for (const Slot& slot : old) {
      if (slot.shape != nullptr) Insert({slot.text, slot.size}, slot.hash, slot.shape);
    }
  }
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].shape != nullptr) i = (i + 1) & mask;
  slots_[i] = {text.data(), static_cast<uint32_t>(text.size()), hash, shape};
  ++used_count_;
}

}  // namespace hlo

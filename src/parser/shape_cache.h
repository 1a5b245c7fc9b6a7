// Shapes by their text: dumps repeat a few hundred shapes tens of thousands of times, so a shape
// is read once and afterwards found by its bytes.
#ifndef HLOKIT_PARSER_SHAPE_CACHE_H_
#define HLOKIT_PARSER_SHAPE_CACHE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/hash_bytes.h"

namespace hlo {

class Shape;

class ShapeCache {
 public:
  // The shape written `text`, or null. `hash` is HashBytes(text).
  const Shape* Find(std::string_view text, uint32_t hash) const;
  void Insert(std::string_view text, uint32_t hash, const Shape* shape);

 private:
  struct Slot {
    const char* text = nullptr;
    uint32_t size = 0;
    uint32_t hash = 0;
    const Shape* shape = nullptr;
  };
  std::vector<Slot> slots_;  // a power of two, at most half of them used
  size_t used_count_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_PARSER_SHAPE_CACHE_H_

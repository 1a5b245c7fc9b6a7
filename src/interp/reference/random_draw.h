// What an execution of rng draws: fresh random words, and its numbers (semantics.md 12.5).
#ifndef HLOKIT_INTERP_REFERENCE_RANDOM_DRAW_H_
#define HLOKIT_INTERP_REFERENCE_RANDOM_DRAW_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "interp/kernel/array_view.h"
#include "interp/kernel/evaluation.h"
#include "ir/element_conversion.h"

namespace hlo::reference {

// Where in the stream of Philox (random.h) the words of one execution begin.
struct RandomDraw {
  uint64_t key;
  unsigned __int128 counter;
};

// The next `word_count` words of the device for `e`: the key tells devices and instructions apart,
// the counter one execution from the next.
RandomDraw NextDraw(Evaluation& e, int64_t word_count);

// Whether rng defines such numbers; else the error that says so.
absl::Status CheckDraw(Evaluation& e);

// A parameter of the distribution, in the type that is computed in.
template <typename T>
T ParameterAs(const ArrayRef& scalar) {
  T value;
  ConvertElements(scalar.element_type, scalar.bytes, kElementTypeOf<T>,
                  reinterpret_cast<std::byte*>(&value), 1);
  return value;
}

// Uniform integers or truth values of [a, b), each of its one or two words.
void StoreUniforms(std::span<const uint32_t> words, const ArrayRef& a, const ArrayRef& b,
                   const MutableArrayRef& result);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_RANDOM_DRAW_H_

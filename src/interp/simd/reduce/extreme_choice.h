// Which of two values and their places functions like those of argmax and argmin choose.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_EXTREME_CHOICE_H_
#define HLOKIT_INTERP_SIMD_REDUCE_EXTREME_CHOICE_H_

#include <cstdint>
#include <type_traits>

#include "interp/kernel/function_form.h"
#include "interp/simd/reduce/extreme_types.h"
#include "interp/simd/vector/wide.h"
#include "ir/element_type.h"

namespace hlo::simd {

template <typename T, typename Place>
struct ExtremePair {
  T value;
  Place place;
};
// What is chosen in a part of a line.
template <typename T, typename Place>
struct ExtremeOfPart {
  ExtremePair<T, Place> pair;
  bool forgets = false;  // what was chosen in parts before it
};

template <typename W>
bool IsNan(W x) {
  if constexpr (std::is_floating_point_v<W>) return x != x;
  return false;
}

// What a function of `form` (FunctionForm::Kind::kExtreme) makes of pairs.
template <typename T, typename Place, bool kAscending>
class ExtremeChoice {
 public:
  using W = WideForm<T>;
  using Pair = ExtremePair<T, Place>;
  using OfPart = ExtremeOfPart<T, Place>;

  explicit ExtremeChoice(const FunctionForm& form) : form_(form) {}

  static bool IsBetter(W a, W b) { return kAscending ? a < b : a > b; }

  // Of `best` and the pair after it.
  void Take(const Pair& next, Pair& best) const {
    const W kept = Wide(best.value), candidate = Wide(next.value);
    if (IsNan(kept) || IsNan(candidate)) {
      if (IsNan(kept) ? leaves_nan() : takes_nan()) best = next;
    } else if (IsBetter(candidate, kept)) {
      best = next;
    } else if (candidate == kept) {
      if (form_.takes_last_of_equal) best.value = next.value;
      if (TakesPlaceOfEqual(next.place < best.place)) best.place = next.place;
    }
  }
  void TakePart(const OfPart& next, Pair& best) const {
    if (next.forgets) best = next.pair;
    if (!next.forgets) Take(next.pair, best);
  }
  // NaN for a number, and what follows for NaN.
  bool takes_nan() const { return form_.nan != FunctionForm::Nan::kFirst; }
  bool leaves_nan() const { return form_.nan == FunctionForm::Nan::kSecond; }
  // Whether a part with NaN in it forgets those before it.
  bool forgets() const { return form_.nan == FunctionForm::Nan::kSecond; }
  // Whether NaN that a part begins with is nothing: what stood before it would have stayed.
  bool skips_nan() const { return form_.nan == FunctionForm::Nan::kFirst; }
  // Whether it is the place of the later one, which may be smaller.
  bool TakesPlaceOfEqual(bool is_smaller) const {
    return form_.tie == FunctionForm::Tie::kLast ||
           (form_.tie == FunctionForm::Tie::kSmallestPlace && is_smaller);
  }
  bool takes_last_of_equal() const { return form_.takes_last_of_equal; }

 private:
  const FunctionForm& form_;
};

// function.operator()<T, Place>() for the types of extreme_types.h; false for others.
template <typename Function>
bool DispatchExtremeTypes(ElementType values, ElementType places, Function&& function) {
  const auto with_places = [&]<typename T>() {
    if (places == ElementType::kS32) return function.template operator()<T, int32_t>(), true;
    if (places == ElementType::kU32) return function.template operator()<T, uint32_t>(), true;
    if (places == ElementType::kS64) return function.template operator()<T, int64_t>(), true;
    return false;
  };
  switch (values) {
#define HLO_TYPE(Name, T)    \
  case ElementType::k##Name: \
    return with_places.template operator()<T>();
    HLO_EXTREME_TYPES(HLO_TYPE)
#undef HLO_TYPE
    case ElementType::kPred:  // the first that is true
      return with_places.template operator()<uint8_t>();
    default:  // rare
      return false;
  }
}

inline bool HaveExtremes(ElementType values, ElementType places) {
  return DispatchExtremeTypes(values, places, []<typename T, typename Place>() {});
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_EXTREME_CHOICE_H_

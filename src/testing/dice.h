// Random choices that are the same on every machine.
#ifndef HLOKIT_TESTING_DICE_H_
#define HLOKIT_TESTING_DICE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>

namespace hlo::testing {

class Dice {
 public:
  explicit Dice(uint32_t seed) : generator_(seed) {}

  int64_t Below(int64_t end) {
    return static_cast<int64_t>(generator_() % static_cast<uint64_t>(end));
  }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  template <typename T>
  T OneOf(std::initializer_list<T> items) {
    return items.begin()[Below(static_cast<int64_t>(items.size()))];
  }
  template <typename Items>
  void Shuffle(Items& items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  std::mt19937 generator_;
};

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_DICE_H_

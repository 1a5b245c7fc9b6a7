// Arguments for calls of the builder's functions that come by chance: about half of them fit.
#ifndef HLOKIT_BUILDER_RANDOM_ARGUMENTS_H_
#define HLOKIT_BUILDER_RANDOM_ARGUMENTS_H_

#include <random>
#include <utility>

#include "builder/hlo_builder.h"
#include "builder/operations.h"

namespace hlo::testing {

// Of one program. The same seed gives the same program where the compiler evaluates arguments of
// calls in the same order.
class RandomArguments {
 public:
  RandomArguments(HloBuilder& builder, uint32_t seed);

  // A builder: nearly always the program's.
  HloBuilder& b();
  // A value of the program; rarely one that cannot be used with the others.
  ops::Op x();
  std::vector<ops::Op> xs();
  ops::Callee f();
  // A number: small, or one of those that overflow something.
  int64_t n();
  std::vector<int64_t> ns();
  // The sizes of a value, some of its dimensions, or any numbers.
  std::vector<int64_t> sizes();
  Shape shape();
  ElementType type();
  bool flag() { return Below(2) == 0; }
  std::vector<bool> flags();
  std::optional<Layout> layout();
  ops::DeviceGroups groups();
  std::optional<ops::ChannelHandle> channel();
  ops::CollectiveOptions collective();
  std::vector<std::pair<int64_t, int64_t>> pairs();
  Sharding sharding();
  template <AttributeEnum E>
  E word() {
    return static_cast<E>(Below(std::size(EnumTexts<E>::kTexts)));
  }
  template <typename E>
  E one_of(std::initializer_list<E> values) {
    return values.begin()[Below(static_cast<int64_t>(values.size()))];
  }

  // 0 ... count - 1.
  int64_t Below(int64_t count) { return static_cast<int64_t>(random_() % count); }
  // Results of calls are values for others.
  void Add(const ops::Op& op) {
    if (op.valid()) values_.push_back(op);
  }

 private:
  bool Rarely() { return Below(24) == 0; }
  Shape MadeShape();
  void AddParameters();
  void AddComputations();

  std::mt19937 random_;
  HloBuilder& builder_;
  HloBuilder other_, inner_;  // another module, another computation
  ElementType type_;          // of most values
  std::vector<ops::Op> values_;
  std::vector<ops::Callee> computations_;
};

}  // namespace hlo::testing

#endif  // HLOKIT_BUILDER_RANDOM_ARGUMENTS_H_

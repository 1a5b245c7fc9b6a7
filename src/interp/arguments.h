// Inputs of a program: generated ones, and values for constants that a dump elided.
#ifndef HLOKIT_INTERP_ARGUMENTS_H_
#define HLOKIT_INTERP_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/argument_uses.h"
#include "ir/literal.h"
#include "ir/module.h"

namespace hlo {

enum class FakeKind : uint8_t {
  kRandom,  // uniform, in ranges that respect how the program uses the value
  kNormal,  // the same, floats normally distributed
  kZeros,
  kOnes,
  kIota,     // the row-major index
  kPattern,  // a fixed pattern of small numbers that differs from leaf to leaf
  kNan,      // floats NaN, the rest zero
};

// The kind called `text` ("random"), or nothing. FakeKindNames lists them for help texts.
std::optional<FakeKind> ParseFakeKind(std::string_view text);
std::string_view FakeKindNames();

// Makes inputs for the parameters of the entry computation. They depend on the module, the kind and
// the seed only.
class ArgumentGenerator {
 public:
  // `module` must outlive the generator.
  ArgumentGenerator(const Module& module, FakeKind kind, uint64_t seed);

  // The input for parameter `number`. Fails when the memory is not to be had.
  absl::StatusOr<Literal> Make(int64_t number) const;
  absl::StatusOr<std::vector<Literal>> MakeAll() const;

 private:
  const Module& module_;
  ValueRangeFinder finder_;
  FakeKind kind_;
  uint64_t seed_;
  std::vector<int64_t> first_leaves_;  // of each parameter, among the arrays of all
};

// Replaces every elided constant, whose elements nobody knows, by generated values. Returns how
// many there were.
absl::StatusOr<int64_t> FillElidedConstants(Module& module, FakeKind kind, uint64_t seed);

}  // namespace hlo

#endif  // HLOKIT_INTERP_ARGUMENTS_H_

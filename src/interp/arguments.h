// Inputs of a program: generated ones, and values for constants that a dump elided.
#ifndef HLOKIT_INTERP_ARGUMENTS_H_
#define HLOKIT_INTERP_ARGUMENTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/argument_uses.h"
#include "ir/literal.h"
#include "ir/module.h"
#include "support/thread_pool.h"

namespace hlo {

class ZeroedArena;

enum class FakeKind : uint8_t {
  kRandom,  // uniform, in ranges that respect how the program uses the value
  kNormal,  // the same, floats normally distributed
  kZeros,
  kOnes,
  kIota,     // the row-major index
  kPattern,  // a fixed pattern of small numbers that differs from leaf to leaf
  kNan,      // floats NaN, the rest zero
};

// The kind called `text` ("random"), or nothing; and what they are called.
std::optional<FakeKind> ParseFakeKind(std::string_view text);
std::span<const std::string_view> FakeKindNames();

// Makes inputs for the parameters of the entry computation, in one thread. They depend on the
// module, the kind and the seed only.
class ArgumentGenerator {
 public:
  // `module` must outlive the generator.
  ArgumentGenerator(const Module& module, FakeKind kind, uint64_t seed);
  ~ArgumentGenerator();

  // The input for parameter `number`. Fails when the memory is not to be had.
  absl::StatusOr<Literal> Make(int64_t number) const;
  // The same with other sizes: of the whole of which the parameter is a tile.
  absl::StatusOr<Literal> Make(int64_t number, const Shape& shape) const;
  absl::StatusOr<std::vector<Literal>> MakeAll() const;

 private:
  const Module& module_;
  ValueRangeFinder finder_;
  FakeKind kind_;
  uint64_t seed_;
  std::vector<int64_t> first_leaves_;  // of each parameter, among the arrays of all
  std::unique_ptr<ThreadPool> threads_;
  std::unique_ptr<ZeroedArena> arena_;
};

// The constants whose elements a dump left out ({...}).
std::vector<InstructionId> ElidedConstants(const Module& module);

// Gives the constants `elided` generated values. Fails when the memory is not to be had.
absl::Status FillElidedConstants(Module& module, std::span<const InstructionId> elided,
                                 FakeKind kind, uint64_t seed);

}  // namespace hlo

#endif  // HLOKIT_INTERP_ARGUMENTS_H_

// The kernels that promise bits: rng-bit-generator and rng-get-and-update-state, semantics.md 12.3
// and 12.4.
#include <cstring>

#include "fmt/format.h"
#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/reference/random.h"
#include "interp/reference/random_words.h"
#include "interp/reference/scratch.h"
#include "ir/leaves.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

constexpr TypeSet kRandomBitsDomain = kInteger | kFloat;

// The state of rng-bit-generator: a key, a counter, and for philox perhaps the counter's high word.
struct GeneratorState {
  uint64_t words[3];
  size_t size;
};

absl::StatusOr<GeneratorState> ReadState(Evaluation& e, size_t max_size) {
  const ArrayRef& state = e.operand(0);
  const size_t size = static_cast<size_t>(state.element_count());
  if (state.element_type != ElementType::kU64 || size < 2 || size > max_size) {
    return absl::InvalidArgumentError(
        fmt::format("the state of `rng-bit-generator` is a {} array of {} elements",
                    ElementTypeName(state.element_type), size));
  }
  GeneratorState result{{}, size};
  std::memcpy(result.words, state.bytes, size * sizeof(uint64_t));
  return result;
}

void WriteState(const GeneratorState& state, const MutableArrayRef& result) {
  std::memcpy(result.bytes, state.words, state.size * sizeof(uint64_t));
}

absl::Status GenerateThreefry(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(GeneratorState state, ReadState(e, 2));
  const MutableArrayRef& bits = e.results().back();
  // A 64-bit element takes a whole block: its two words are the pair.
  Index dims(bits.dims.begin(), bits.dims.end());
  if (WordsPerElement(bits.element_type) == 2) dims = {2 * bits.element_count()};
  const ScratchArray<uint32_t> storage(e.device().scratch(), WordCount(bits));
  const std::span words(storage.get(), static_cast<size_t>(WordCount(bits)));
  FillThreefry(state.words[0], state.words[1], dims, words);
  StoreBits(words, bits);
  state.words[1] += ElementPairs(dims).pair_count();
  if (e.results().size() == 2) WriteState(state, e.result(0));
  return absl::OkStatus();
}

absl::Status GeneratePhilox(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(GeneratorState state, ReadState(e, 3));
  const MutableArrayRef& bits = e.results().back();
  const int64_t word_count = WordCount(bits);
  // In the form of two words the key doubles as high word of the counter.
  const uint64_t high = state.size == 3 ? state.words[2] : state.words[0];
  unsigned __int128 counter = (static_cast<unsigned __int128>(high) << 64) | state.words[1];
  const ScratchArray<uint32_t> storage(e.device().scratch(), word_count);
  const std::span words(storage.get(), static_cast<size_t>(word_count));
  FillPhilox(state.words[0], counter, words);
  StoreBits(words, bits);
  counter += (word_count + 3) / 4;
  state.words[1] = static_cast<uint64_t>(counter);
  if (state.size == 3) state.words[2] = static_cast<uint64_t>(counter >> 64);
  if (e.results().size() == 2) WriteState(state, e.result(0));
  return absl::OkStatus();
}

}  // namespace

// The words of all elements.
double RngBitGeneratorScratch(const OpView& op) {
  const Shape& bits = *LeavesOf(*op.written_shape()).back();
  return SizeProduct(bits.dims()) * sizeof(uint32_t) *
         static_cast<double>(WordsPerElement(bits.element_type()));
}

absl::Status EvalRngBitGenerator(Evaluation& e) {
  // The result may be the data alone (verifier.md, rng-bit-generator.non-tuple).
  const ElementType type = e.results().back().element_type;
  if (!IsIn(type, kRandomBitsDomain)) {
    return absl::InvalidArgumentError(
        fmt::format("`rng-bit-generator` makes no {}", ElementTypeName(type)));
  }
  switch (e.Get<Attr::kRandomAlgorithm>()) {
    case RandomAlgorithm::kThreeFry:
      return GenerateThreefry(e);
    case RandomAlgorithm::kDefault:
    case RandomAlgorithm::kPhilox:
      return GeneratePhilox(e);
  }
  HLO_UNREACHABLE();
}

absl::Status EvalRngGetAndUpdateState(Evaluation& e) {
  const RandomCounter old =
      e.device().AdvanceRandomCounter(static_cast<uint64_t>(e.Get<Attr::kDelta>()));
  const uint64_t words[2] = {old.low, old.high};
  std::memcpy(e.result().bytes, words, sizeof(words));
  return absl::OkStatus();
}

}  // namespace hlo::reference

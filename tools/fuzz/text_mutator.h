// Changes HLO text so that it often stays a program: what is replaced is of the kind of what was
// there. For fuzz targets that want to get behind the verifier.
#ifndef HLOKIT_TOOLS_FUZZ_TEXT_MUTATOR_H_
#define HLOKIT_TOOLS_FUZZ_TEXT_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hlo::fuzz {

// splitmix64: good enough, and made from a seed in no time.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next();
  // Uniform in [0, count); 0 for an empty range.
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(Next() % count); }
  bool OneIn(size_t count) { return Below(count) == 0; }
  template <typename Range>
  const auto& Pick(const Range& range) {
    return range[Below(std::size(range))];
  }

 private:
  uint64_t state_;
};

// A word (name, opcode, type, number), a string, white space, or one character.
struct Token {
  enum class Kind : uint8_t { kWord, kNumber, kString, kSpace, kOther };
  Kind kind;
  std::string text;

  bool Is(std::string_view other) const { return text == other; }
};

std::vector<Token> Tokenize(std::string_view text);
std::string Joined(const std::vector<Token>& tokens);

// `text` with one change of a random kind; the same text where that kind finds nothing to change.
std::string Mutate(std::string_view text, Random& random);

// `text` with the computations of `other` in front under names of their own, now and then called.
std::string CrossOver(std::string_view text, std::string_view other, Random& random);

}  // namespace hlo::fuzz

#endif  // HLOKIT_TOOLS_FUZZ_TEXT_MUTATOR_H_

// What other lines say of the same thing is changed with it half of the time: all equal numbers,
// types or shapes at once; or the shapes of instructions are left out, so that they follow from
// their operands.
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "ir/opcode.h"
#include "tools/fuzz/mutations.h"

namespace hlo::fuzz {

namespace {

constexpr int64_t kInterestingNumbers[] = {0,
                                           1,
                                           -1,
                                           2,
                                           3,
                                           4,
                                           5,
                                           7,
                                           8,
                                           9,
                                           15,
                                           16,
                                           17,
                                           31,
                                           32,
                                           33,
                                           63,
                                           64,
                                           65,
                                           100,
                                           127,
                                           128,
                                           255,
                                           256,
                                           1000,
                                           1024,
                                           65535,
                                           65536,
                                           65537,
                                           1 << 20,
                                           1 << 24,
                                           2147483647,
                                           -2147483647 - 1LL,
                                           2147483648LL,
                                           4294967295LL,
                                           4294967296LL,
                                           INT64_C(1) << 40,
                                           INT64_C(1) << 62,
                                           INT64_MAX,
                                           INT64_MIN,
                                           -2,
                                           -3,
                                           -100};

std::string OtherNumber(const std::string& old, Random& random) {
  const int64_t value = std::strtoll(old.c_str(), nullptr, 10);
  const auto wrapped = static_cast<uint64_t>(value);
  switch (random.Below(8)) {
    case 0:
      return std::to_string(static_cast<int64_t>(wrapped + 1));
    case 1:
      return std::to_string(static_cast<int64_t>(wrapped - 1));
    case 2:
      return std::to_string(static_cast<int64_t>(wrapped * 2));
    case 3:
      return std::to_string(static_cast<int64_t>(0 - wrapped));
    case 4:
      return std::to_string(random.Pick(kInterestingNumbers));
    default:
      return std::to_string(random.Below(random.OneIn(4) ? 20 : 5));
  }
}

}  // namespace

bool ChangeNumber(Tokens& tokens, Random& random) {
  const std::vector<size_t> places =
      Places(tokens, [&](size_t i) { return tokens[i].kind == Token::Kind::kNumber; });
  if (places.empty()) return false;
  const std::string old = tokens[random.Pick(places)].text;
  const std::string text = OtherNumber(old, random);
  if (random.OneIn(2)) {
    tokens[random.Pick(places)].text = text;
    return true;
  }
  for (size_t i : places) {
    if (tokens[i].text == old) tokens[i].text = text;
  }
  return true;
}

// Numbers inside words: 2x3, 0_1x0_1, bf01_oi01->bf01.
bool ChangeDigit(Tokens& tokens, Random& random) {
  const std::vector<size_t> places = Places(tokens, [&](size_t i) {
    return tokens[i].kind == Token::Kind::kWord && i > 0 && tokens[i - 1].Is("=") &&
           std::ranges::any_of(tokens[i].text, IsDigit);
  });
  if (places.empty()) return false;
  std::string& text = tokens[random.Pick(places)].text;
  std::vector<size_t> digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDigit(text[i])) digits.push_back(i);
  }
  const size_t at = random.Pick(digits);
  text.replace(
      at, 1,
      random.OneIn(4) ? OtherNumber(text.substr(at, 1), random) : std::to_string(random.Below(5)));
  return true;
}

bool ChangeType(Tokens& tokens, Random& random) {
  const std::vector<size_t> places =
      Places(tokens, [&](size_t i) { return IsElementType(tokens[i].text); });
  if (places.empty()) return false;
  const std::string old = tokens[random.Pick(places)].text;
  const std::string text(random.Pick(kElementTypes));
  if (random.OneIn(3)) {
    tokens[random.Pick(places)].text = text;
    return true;
  }
  for (size_t i : places) {
    if (tokens[i].text == old) tokens[i].text = text;
  }
  return true;
}

namespace {

// A place of `[` behind an element type.
std::vector<size_t> ShapePlaces(const Tokens& tokens) {
  return Places(tokens, [&](size_t i) {
    return tokens[i].Is("[") && i > 0 && IsElementType(tokens[i - 1].text);
  });
}

}  // namespace

// One array's sizes, and perhaps of all arrays like it: other ones, one more, one less, dynamic.
bool ChangeSizes(Tokens& tokens, Random& random) {
  const std::vector<size_t> places = ShapePlaces(tokens);
  if (places.empty()) return false;
  const size_t place = random.Pick(places);
  const std::optional<size_t> close = Closing(tokens, place);
  if (!close) return false;
  const std::string old = Slice(tokens, place, *close + 1);
  const std::string other_shape = [&] {
    const size_t other = random.Pick(places);
    return Slice(tokens, other, Closing(tokens, other).value_or(other) + 1);
  }();
  std::string text = old;
  switch (random.Below(6)) {
    case 0:
      text = other_shape;
      break;
    case 1:
      text = old == "[]" ? "[2]" : "[" + std::to_string(random.Below(4)) + "," + old.substr(1);
      break;
    case 2:
      text = "[]";
      break;
    case 3:
      text = old == "[]" ? "[<=3]" : "[<=" + old.substr(1);
      break;
    case 4:
      if (old.find(',') != std::string::npos) text = "[" + old.substr(old.find(',') + 1);
      break;
    default:
      for (char& c : text) {
        if (IsDigit(c) && random.OneIn(2)) c = static_cast<char>('0' + random.Below(6));
      }
  }
  const bool everywhere = !random.OneIn(3);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].Is("[") || i == 0 || !IsElementType(tokens[i - 1].text)) continue;
    const std::optional<size_t> end = Closing(tokens, i);
    if (!end || Slice(tokens, i, *end + 1) != old) continue;
    if (everywhere || i == place) Replace(tokens, i, *end + 1, text);
    if (!everywhere && i == place) break;
  }
  return text != old;
}

// Shapes that follow from the operands need not be written: one, or all of them.
bool DropShapes(Tokens& tokens, Random& random) {
  std::vector<Definition> definitions = Definitions(tokens);
  std::erase_if(definitions, [&](const Definition& d) {
    return d.shape == d.opcode ||
           !GetOpcodeInfo(*ParseOpcode(tokens[d.opcode].text)).shape_inferred;
  });
  if (definitions.empty()) return false;
  const bool all = !random.OneIn(3);
  const size_t chosen = random.Below(definitions.size());
  for (size_t i = definitions.size(); i-- > 0;) {
    if (all || i == chosen) Replace(tokens, definitions[i].shape, definitions[i].opcode, "");
  }
  return true;
}

}  // namespace hlo::fuzz

// The text is a list of tokens, of which one mutation, taken by its weight, changes some.
#include "tools/fuzz/text_mutator.h"

#include <algorithm>

#include "tools/fuzz/mutations.h"

namespace hlo::fuzz {
namespace {

struct Mutation {
  bool (*apply)(Tokens& tokens, Random& random);
  int weight;
};

constexpr Mutation kMutations[] = {
    {ChangeNumber, 8}, {ChangeDigit, 4},          {ChangeType, 6},        {ChangeSizes, 6},
    {DropShapes, 3},   {SwapOperands, 3},         {ReplaceOperand, 4},    {ChangeOperandCount, 2},
    {ChangeOpcode, 4}, {SwapCallee, 2},           {DropAttribute, 2},     {AddAttribute, 3},
    {ChangeTarget, 1}, {DuplicateInstruction, 2}, {InsertInstruction, 4}, {DropInstruction, 1},
    {MoveRoot, 1},     {ChangeToken, 1},
};

const Mutation& PickMutation(Random& random) {
  int total = 0;
  for (const Mutation& mutation : kMutations) total += mutation.weight;
  int left = static_cast<int>(random.Below(static_cast<size_t>(total)));
  const Mutation* chosen = kMutations;
  while ((left -= chosen->weight) >= 0) ++chosen;
  return *chosen;
}

}  // namespace

std::string Mutate(std::string_view text, Random& random) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    Tokens tokens = Tokenize(text);
    if (PickMutation(random).apply(tokens, random)) return Joined(tokens);
  }
  return std::string(text);
}

std::string CrossOver(std::string_view text, std::string_view other, Random& random) {
  Tokens guests = Tokenize(other);
  std::vector<std::string> names;
  for (size_t header : HeaderPlaces(guests)) {
    if (guests[header].Is("ENTRY")) {
      guests[header].text.clear();
      header = SkipSpace(guests, header + 1);
    }
    if (header < guests.size()) names.push_back(guests[header].text);
  }
  for (Token& token : guests) {
    if (std::ranges::find(names, token.text) != names.end()) token.text += "_guest";
  }
  // Without the module's line.
  size_t begin = 0;
  if (IsAt(guests, SkipSpace(guests, 0), "HloModule")) {
    begin = SkipSpace(guests, 0);
    while (begin < guests.size() && !HasNewline(guests[begin])) ++begin;
  }
  Tokens hosts = Tokenize(text);
  size_t line = SkipSpace(hosts, 0);
  if (IsAt(hosts, line, "HloModule")) {
    while (line < hosts.size() && !HasNewline(hosts[line])) ++line;
  }
  if (line >= hosts.size() || begin >= guests.size()) return std::string(text);
  hosts[line].text += Slice(guests, begin, guests.size()) + "\n";
  Tokens tokens = Tokenize(Joined(hosts));
  if (!random.OneIn(3)) SwapCallee(tokens, random);
  return Joined(tokens);
}

}  // namespace hlo::fuzz

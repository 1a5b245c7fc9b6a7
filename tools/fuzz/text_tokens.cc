// Lines are found by how they look, without a parser: mutated texts need not be programs.
#include "tools/fuzz/text_tokens.h"

#include <algorithm>
#include <cctype>

#include "ir/opcode.h"

namespace hlo::fuzz {
namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' ||
         c == '$';
}

// Where the token that begins at `begin` ends, and its kind.
Token NextToken(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  const char first = text[begin];
  const auto take_while = [&](auto belongs) {
    while (end < text.size() && belongs(text[end])) ++end;
  };
  Token::Kind kind = Token::Kind::kOther;
  if (std::isspace(static_cast<unsigned char>(first)) != 0) {
    kind = Token::Kind::kSpace;
    take_while([](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  } else if (first == '"') {
    kind = Token::Kind::kString;
    take_while([](char c) { return c != '"'; });
    end = std::min(end + 1, text.size());
  } else if (IsDigit(first) || (first == '-' && end < text.size() && IsDigit(text[end]))) {
    take_while(IsDigit);
    kind = Token::Kind::kNumber;
    const size_t digits_end = end;
    take_while(IsWordCharacter);
    if (end != digits_end) kind = Token::Kind::kWord;  // 2x3, 0_1x0_1, 1.5
  } else if (IsWordCharacter(first)) {
    kind = Token::Kind::kWord;
    take_while([](char c) { return IsWordCharacter(c) || c == '-'; });
  }
  return {kind, std::string(text.substr(begin, end - begin))};
}

}  // namespace

std::vector<Token> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size(); at += tokens.back().text.size()) {
    tokens.push_back(NextToken(text, at));
  }
  return tokens;
}

std::string Joined(const std::vector<Token>& tokens) { return Slice(tokens, 0, tokens.size()); }

bool IsElementType(std::string_view text) {
  return std::ranges::find(kElementTypes, text) != std::end(kElementTypes);
}

bool IsAt(const Tokens& tokens, size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].text == text;
}

std::optional<size_t> Closing(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == "}") && --depth == 0) return i;
  }
  return std::nullopt;
}

size_t SkipSpace(const Tokens& tokens, size_t i) {
  while (i < tokens.size() && tokens[i].kind == Token::Kind::kSpace) ++i;
  return i;
}

bool HasNewline(const Token& token) { return token.text.find('\n') != std::string::npos; }

namespace {

std::optional<Definition> DefinitionAt(const Tokens& tokens, size_t name) {
  if (tokens[name].kind != Token::Kind::kWord) return std::nullopt;
  size_t i = SkipSpace(tokens, name + 1);
  if (!IsAt(tokens, i, "=") || i == name + 1) return std::nullopt;  // key=value has no space
  Definition definition;
  definition.name = name;
  definition.shape = i = SkipSpace(tokens, i + 1);
  if (i >= tokens.size()) return std::nullopt;
  while (i < tokens.size() && !HasNewline(tokens[i]) &&
         !(tokens[i].kind == Token::Kind::kWord && ParseOpcode(tokens[i].text) &&
           IsAt(tokens, i + 1, "("))) {
    ++i;
  }
  if (i >= tokens.size() || HasNewline(tokens[i])) return std::nullopt;
  definition.opcode = i;
  definition.open = i + 1;
  const std::optional<size_t> close = Closing(tokens, definition.open);
  if (!close) return std::nullopt;
  definition.close = *close;
  i = *close + 1;
  while (i < tokens.size() && !HasNewline(tokens[i])) ++i;
  definition.end = i;
  definition.is_root = name >= 2 && tokens[name - 2].Is("ROOT");
  return definition;
}

}  // namespace

std::vector<Definition> Definitions(const Tokens& tokens) {
  std::vector<Definition> definitions;
  size_t computation = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].Is("}") && i > 0 && tokens[i - 1].text.ends_with('\n')) ++computation;
    if (std::optional<Definition> definition = DefinitionAt(tokens, i)) {
      definition->computation = computation;
      definitions.push_back(*definition);
      i = definition->end - 1;
    }
  }
  return definitions;
}

std::string Slice(const Tokens& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end && i < tokens.size(); ++i) text += tokens[i].text;
  return text;
}

void Replace(Tokens& tokens, size_t begin, size_t end, std::string_view text) {
  tokens[begin] = {Token::Kind::kOther, std::string(text)};
  tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(begin + 1),
               tokens.begin() + static_cast<std::ptrdiff_t>(std::max(end, begin + 1)));
}

std::vector<size_t> Operands(const Tokens& tokens, const Definition& definition) {
  std::vector<size_t> operands;
  for (size_t i = definition.open + 1; i < definition.close; ++i) {
    if (tokens[i].kind == Token::Kind::kWord && !IsElementType(tokens[i].text)) {
      operands.push_back(i);
    }
  }
  return operands;
}

std::vector<std::string> NamesAbove(const Tokens& tokens, std::span<const Definition> definitions,
                                    const Definition& definition) {
  std::vector<std::string> names;
  for (const Definition& other : definitions) {
    if (other.computation == definition.computation && other.name < definition.name) {
      names.push_back(tokens[other.name].text);
    }
  }
  return names;
}

std::vector<size_t> HeaderPlaces(const Tokens& tokens) {
  return Places(tokens, [&](size_t i) {
    if (tokens[i].kind != Token::Kind::kWord || tokens[i].Is("HloModule") || i == 0 ||
        !tokens[i - 1].text.ends_with('\n')) {
      return false;
    }
    size_t end = i;
    while (end < tokens.size() && !HasNewline(tokens[end]) && !tokens[end].Is("=")) ++end;
    return end < tokens.size() && HasNewline(tokens[end]) && tokens[end - 1].Is("{");
  });
}

}  // namespace hlo::fuzz

// The text is a list of tokens. A mutation looks for places of its kind (numbers, element types,
// shapes, opcodes, operands, callees, attributes, instructions), takes one by chance and replaces
// it. What other lines say of the same thing is changed with it half of the time: all equal
// numbers, types or shapes at once; or the shapes of instructions are left out, so that they follow
// from their operands.
#include "tools/fuzz/text_mutator.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "ir/opcode.h"

namespace hlo::fuzz {

uint64_t Random::Next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

namespace {

using Tokens = std::vector<Token>;

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' ||
         c == '$';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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

constexpr std::string_view kElementTypes[] = {
#define HLO_ELEMENT_TYPE(Name, text, ...)
#define HLO_ARRAY_TYPE(Name, text, ...) text,
#include "ir/element_types.def"
};

bool IsElementType(std::string_view text) {
  return std::ranges::find(kElementTypes, text) != std::end(kElementTypes);
}

template <typename Belongs>
std::vector<size_t> Places(const Tokens& tokens, const Belongs& belongs) {
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (belongs(i)) places.push_back(i);
  }
  return places;
}

bool IsAt(const Tokens& tokens, size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].text == text;
}

// The place of the bracket that closes the one at `open`.
std::optional<size_t> Closing(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == "}") && --depth == 0) return i;
  }
  return std::nullopt;
}

// --- Lines that define instructions: NAME = SHAPE opcode(operands), attributes
struct Definition {
  size_t name;
  size_t shape;  // first token of it; `opcode` where it is left out
  size_t opcode;
  size_t open;  // of the operands
  size_t close;
  size_t end;  // behind the attributes: the line's end
  bool is_root;
  size_t computation;  // number of the computation, counted by closing braces at a line's start
};

size_t SkipSpace(const Tokens& tokens, size_t i) {
  while (i < tokens.size() && tokens[i].kind == Token::Kind::kSpace) ++i;
  return i;
}

bool HasNewline(const Token& token) { return token.text.find('\n') != std::string::npos; }

std::optional<Definition> DefinitionAt(const Tokens& tokens, size_t name) {
  if (tokens[name].kind != Token::Kind::kWord) return std::nullopt;
  size_t i = SkipSpace(tokens, name + 1);
  if (!IsAt(tokens, i, "=") || i == name + 1) return std::nullopt;  // key=value has no space
  Definition definition = {.name = name};
  definition.shape = i = SkipSpace(tokens, i + 1);
  if (i >= tokens.size()) return std::nullopt;
  while (i < tokens.size() && !HasNewline(tokens[i]) &&
         !(tokens[i].kind == Token::Kind::kWord && ParseOpcode(tokens[i].text) &&
           IsAt(tokens, i + 1, "("))) {
    ++i;
  }
  if (i >= tokens.size() || !IsAt(tokens, i + 1, "(")) return std::nullopt;
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

// The words between the parentheses of an instruction.
std::vector<size_t> Operands(const Tokens& tokens, const Definition& definition) {
  std::vector<size_t> operands;
  for (size_t i = definition.open + 1; i < definition.close; ++i) {
    if (tokens[i].kind == Token::Kind::kWord && !IsElementType(tokens[i].text)) {
      operands.push_back(i);
    }
  }
  return operands;
}

// Names of the instructions that stand above `definition` in its computation.
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

// --- The mutations. Each says whether it changed something.

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

// A place of `[` behind an element type.
std::vector<size_t> ShapePlaces(const Tokens& tokens) {
  return Places(tokens, [&](size_t i) {
    return tokens[i].Is("[") && i > 0 && IsElementType(tokens[i - 1].text);
  });
}

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

bool SwapOperands(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const std::vector<size_t> operands = Operands(tokens, random.Pick(definitions));
  if (operands.size() < 2) return false;
  std::swap(tokens[random.Pick(operands)], tokens[random.Pick(operands)]);
  return true;
}

bool ReplaceOperand(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& definition = random.Pick(definitions);
  const std::vector<size_t> operands = Operands(tokens, definition);
  const std::vector<std::string> names = NamesAbove(tokens, definitions, definition);
  if (operands.empty() || names.empty()) return false;
  tokens[random.Pick(operands)].text = random.Pick(names);
  return true;
}

// Adds or takes away an operand.
bool ChangeOperandCount(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& definition = random.Pick(definitions);
  const std::vector<size_t> operands = Operands(tokens, definition);
  if (operands.empty()) return false;
  const size_t at = random.Pick(operands);
  if (random.OneIn(2)) {
    tokens[at].text += ", " + tokens[random.Pick(operands)].text;
  } else if (operands.size() > 1 && at != operands.front()) {
    size_t comma = at;
    while (comma > definition.open && !tokens[comma].Is(",")) --comma;
    Replace(tokens, std::max(comma, definition.open + 1), at + 1, "");
  }
  return true;
}

bool ChangeOpcode(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& definition = random.Pick(definitions);
  const OpcodeInfo& old = GetOpcodeInfo(*ParseOpcode(tokens[definition.opcode].text));
  for (int attempt = 0; attempt < 30; ++attempt) {
    const OpcodeInfo& info = GetOpcodeInfo(static_cast<Opcode>(random.Below(kOpcodeCount)));
    if (info.arity.least != old.arity.least) continue;
    if (info.family != old.family && attempt < 15) continue;
    tokens[definition.opcode].text = std::string(info.text);
    return true;
  }
  return false;
}

// Names after `to_apply=`, `calls=`, `body=` and so on.
std::vector<size_t> CalleePlaces(const Tokens& tokens) {
  constexpr std::string_view kKeys[] = {
      "to_apply",         "calls", "body", "condition", "scatter", "select", "true_computation",
      "false_computation"};
  return Places(tokens, [&](size_t i) {
    return i >= 2 && tokens[i].kind == Token::Kind::kWord && tokens[i - 1].Is("=") &&
           std::ranges::find(kKeys, tokens[i - 2].text) != std::end(kKeys);
  });
}

// The names that stand first on a line that opens a computation.
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

bool SwapCallee(Tokens& tokens, Random& random) {
  const std::vector<size_t> callees = CalleePlaces(tokens);
  std::vector<size_t> headers = HeaderPlaces(tokens);
  std::erase_if(headers, [&](size_t i) { return tokens[i].Is("ENTRY"); });
  if (callees.empty() || headers.empty()) return false;
  tokens[random.Pick(callees)].text = tokens[random.Pick(headers)].text;
  return true;
}

// `, key=value` of instructions.
struct AttributeText {
  size_t begin;
  size_t end;
};

std::vector<AttributeText> Attributes(const Tokens& tokens, const Definition& definition) {
  std::vector<AttributeText> attributes;
  size_t i = definition.close + 1;
  while (i < definition.end) {
    if (!tokens[i].Is(",")) break;
    const size_t begin = i++;
    while (i < definition.end && !tokens[i].Is(",")) {
      const std::string& text = tokens[i].text;
      const bool opens = text == "(" || text == "[" || text == "{";
      i = (opens ? Closing(tokens, i).value_or(i) : i) + 1;
    }
    attributes.push_back({begin, std::min(i, definition.end)});
  }
  return attributes;
}

bool DropAttribute(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const std::vector<AttributeText> attributes = Attributes(tokens, random.Pick(definitions));
  if (attributes.empty()) return false;
  const AttributeText attribute = random.Pick(attributes);
  Replace(tokens, attribute.begin, attribute.end, "");
  return true;
}

constexpr std::string_view kAttributes[] = {
    ", is_stable=true",
    ", index_vector_dim=0",
    ", index_vector_dim=1",
    ", indices_are_sorted=true",
    ", unique_indices=true",
    ", feature_group_count=2",
    ", batch_group_count=2",
    ", window={size=2}",
    ", window={size=2x2 stride=2x2 pad=0_1x1_0}",
    ", window={size=2x2 pad=-1_3x1_0 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=0x1}",
    ", dimensions={0}",
    ", dimensions={1,0}",
    ", slice_sizes={1,1}",
    ", slice_sizes={{1}}",
    ", channel_id=1",
    ", replica_groups={{0}}",
    ", use_global_device_ids=true",
    ", source_target_pairs={{0,0}}",
    ", custom_call_has_side_effect=true",
    ", output_to_operand_aliasing={{}: (0, {})}",
    ", backend_config=\"{}\"",
    ", lhs_contracting_dims={0}, rhs_contracting_dims={0}",
    ", lhs_batch_dims={0}, rhs_batch_dims={0}",
    ", operand_precision={highest,highest}",
    ", fft_type=IRFFT, fft_length={4}",
    ", exponent_bits=1, mantissa_bits=0",
    ", async_execution_thread=\"side\"",
    ", largest=true",
    ", k=3",
};

// One that stands elsewhere in the text, or a known one.
bool AddAttribute(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const size_t at = random.Pick(definitions).close;
  std::string text(random.Pick(kAttributes));
  const std::vector<AttributeText> found = Attributes(tokens, random.Pick(definitions));
  if (!found.empty() && random.OneIn(2)) {
    const AttributeText attribute = random.Pick(found);
    text = Slice(tokens, attribute.begin, attribute.end);
  }
  tokens[at].text += text;
  return true;
}

// A custom call's target, by others the program may know.
bool ChangeTarget(Tokens& tokens, Random& random) {
  constexpr std::string_view kTargets[] = {"Sharding",
                                           "TopK",
                                           "PartialReduce",
                                           "PadToStatic",
                                           "SliceToDynamic",
                                           "DynamicConvolutionForward",
                                           "lapack_sgetrf_ffi",
                                           "lapack_dgetrf",
                                           "lapack_spotrf_ffi",
                                           "lapack_cgeqrf_ffi",
                                           "lapack_sgesdd_ffi",
                                           "lapack_ssyevd_ffi",
                                           "lapack_sgeev_ffi",
                                           "lapack_sgees_ffi",
                                           "blas_strsm_ffi",
                                           "blas_dtrsm",
                                           "__cublas$gemm",
                                           "__cublas$lt$matmul",
                                           "__cublas$lt$matmul$f8",
                                           "__cudnn$convForward",
                                           "__cudnn$convBackwardInput",
                                           "__cudnn$convBackwardFilter",
                                           "__cudnn$convBiasActivationForward",
                                           "__onednn$matmul",
                                           "__onednn$softmax",
                                           "__onednn$layernorm",
                                           "__onednn$convolution",
                                           "Qr",
                                           "Eigh",
                                           "ProductOfElementaryHouseholderReflectors",
                                           "LuDecomposition",
                                           "AllocateBuffer",
                                           "xla.sdpa"};
  const std::vector<size_t> places = Places(tokens, [&](size_t i) {
    return i >= 2 && tokens[i].kind == Token::Kind::kString && tokens[i - 1].Is("=") &&
           tokens[i - 2].Is("custom_call_target");
  });
  if (places.empty()) return false;
  tokens[random.Pick(places)].text = "\"" + std::string(random.Pick(kTargets)) + "\"";
  return true;
}

// A second instruction like one that is there, which takes over as an operand below.
bool DuplicateInstruction(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& definition = random.Pick(definitions);
  const std::string& old = tokens[definition.name].text;
  if (tokens[definition.opcode].Is("parameter") || definition.is_root) return false;
  const std::string name = old + "_" + std::to_string(random.Below(100));
  std::vector<size_t> uses;
  for (const Definition& other : definitions) {
    if (other.computation != definition.computation || other.name < definition.name) continue;
    for (size_t operand : Operands(tokens, other)) {
      if (tokens[operand].text == old) uses.push_back(operand);
    }
  }
  const std::string copy = "\n" + name + Slice(tokens, definition.name + 1, definition.end) +
                           tokens[definition.end].text;
  if (!uses.empty()) tokens[random.Pick(uses)].text = name;
  tokens[definition.end].text = copy;
  return true;
}

// A new instruction over values that are there, with the shape they give, put in for an operand.
bool InsertInstruction(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& user = random.Pick(definitions);
  const std::vector<size_t> operands = Operands(tokens, user);
  const std::vector<std::string> names = NamesAbove(tokens, definitions, user);
  if (operands.empty() || names.empty() || tokens[user.opcode].Is("constant")) return false;
  const size_t operand = random.Pick(operands);
  const std::string old = tokens[operand].text;
  const OpcodeInfo* info = nullptr;
  for (int attempt = 0; attempt < 20; ++attempt) {
    info = &GetOpcodeInfo(static_cast<Opcode>(random.Below(kOpcodeCount)));
    if (info->shape_inferred && info->arity.least > 0 && info->arity.least <= 3) break;
  }
  std::string call = std::string(info->text) + "(" + old;
  for (int i = 1; i < info->arity.least; ++i) {
    call += ", " + (random.OneIn(2) ? old : random.Pick(names));
  }
  call += ")";
  if (!info->attributes.empty()) call += random.Pick(kAttributes);
  const std::string name = "new" + std::to_string(random.Below(1000));
  tokens[operand].text = name;
  const size_t line = user.is_root ? user.name - 2 : user.name;
  tokens[line].text = name + " = " + call + "\n" + tokens[line].text;
  return true;
}

bool DropInstruction(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& definition = random.Pick(definitions);
  const std::vector<std::string> names = NamesAbove(tokens, definitions, definition);
  if (definition.is_root || names.empty()) return false;
  const std::string old = tokens[definition.name].text;
  const std::string other = random.Pick(names);
  for (const Definition& user : definitions) {
    if (user.computation != definition.computation) continue;
    for (size_t operand : Operands(tokens, user)) {
      if (tokens[operand].text == old) tokens[operand].text = other;
    }
  }
  Replace(tokens, definition.name, definition.end, "");
  return true;
}

// Another instruction becomes the result.
bool MoveRoot(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const Definition& definition = random.Pick(definitions);
  if (definition.is_root) return false;
  for (const Definition& other : definitions) {
    if (other.computation == definition.computation && other.is_root) {
      tokens[other.name - 2].text.clear();
    }
  }
  tokens[definition.name].text = "ROOT " + tokens[definition.name].text;
  return true;
}

// A wild one: some token is repeated, dropped or replaced by another.
bool ChangeToken(Tokens& tokens, Random& random) {
  if (tokens.empty()) return false;
  Token& token = tokens[random.Below(tokens.size())];
  switch (random.Below(3)) {
    case 0:
      token.text += token.text;
      return true;
    case 1:
      token.text.clear();
      return true;
    default:
      token = random.Pick(tokens);
      return true;
  }
}

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

std::vector<Token> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size(); at += tokens.back().text.size()) {
    tokens.push_back(NextToken(text, at));
  }
  return tokens;
}

std::string Joined(const std::vector<Token>& tokens) { return Slice(tokens, 0, tokens.size()); }

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

// Mutations of the graph: operands, opcodes, callees, attributes and whole instructions.
#include <algorithm>

#include "ir/opcode.h"
#include "tools/fuzz/mutations.h"

namespace hlo::fuzz {

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

namespace {

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

}  // namespace

bool SwapCallee(Tokens& tokens, Random& random) {
  const std::vector<size_t> callees = CalleePlaces(tokens);
  std::vector<size_t> headers = HeaderPlaces(tokens);
  std::erase_if(headers, [&](size_t i) { return tokens[i].Is("ENTRY"); });
  if (callees.empty() || headers.empty()) return false;
  tokens[random.Pick(callees)].text = tokens[random.Pick(headers)].text;
  return true;
}

namespace {

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

}  // namespace

bool DropAttribute(Tokens& tokens, Random& random) {
  const std::vector<Definition> definitions = Definitions(tokens);
  if (definitions.empty()) return false;
  const std::vector<AttributeText> attributes = Attributes(tokens, random.Pick(definitions));
  if (attributes.empty()) return false;
  const AttributeText attribute = random.Pick(attributes);
  Replace(tokens, attribute.begin, attribute.end, "");
  return true;
}

namespace {

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

}  // namespace

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
  if (tokens[definition.opcode].Is("parameter") || definition.is_root ||
      definition.end >= tokens.size()) {
    return false;
  }
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

}  // namespace hlo::fuzz

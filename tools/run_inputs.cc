// An input is `[name=]value`, where value is one of
//   @file.npy, @file.npz     an array, or the archive's member of the parameter's name or number;
//                            without @ when there is such a file
//   zeros, ones, iota ...    generated, see FakeKind
//   f32[2,3]={{...},{...}}   a literal with its shape; {...} alone has the parameter's shape
//   2x3xf32=0.5, 0.5         a number for every element
//   f32[3] {1, 2, 3}         a result as it is printed
// `name` is the parameter's name, its number, or the op_name of its metadata. Without it the k-th
// input is for parameter k.
#include "tools/run_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "parser/spelling.h"
#include "support/count_text.h"
#include "support/status_macros.h"
#include "values/files.h"
#include "values/value_files.h"
#include "values/value_shape.h"
#include "values/value_text.h"

namespace hlo::tools {
namespace {

class InputReader {
 public:
  InputReader(const Module& module, const InputOptions& options, DiagnosticSink& sink)
      : module_(module),
        options_(options),
        sink_(sink),
        inputs_(module.entry().parameters.size()),
        is_given_(inputs_.size()) {
    NameParameters();
  }

  // The inputs that options with a placeholder give, as those of `device`; nothing when something
  // was rejected.
  absl::StatusOr<std::optional<std::vector<std::optional<Literal>>>> ReadOfDevice(int64_t device) {
    device_ = device;
    only_devices_ = true;
    HLO_RETURN_IF_ERROR(ReadOptions());
    if (!ok_) return std::nullopt;
    return std::move(inputs_);
  }

  // All inputs; options with a placeholder are read as those of `device`.
  absl::StatusOr<std::optional<Inputs>> Read(int64_t device = 0) {
    device_ = device;
    HLO_RETURN_IF_ERROR(ReadOptions());
    RejectMissing();
    if (!ok_) return std::nullopt;
    ArgumentGenerator generator(module_, options_.fake, options_.seed);
    Inputs result;
    std::vector<std::string_view> generated;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      if (!inputs_[i]) {
        HLO_ASSIGN_OR_RETURN(inputs_[i], generator.Make(number, ShapeOf(number)));
        generated.push_back(parameter(number).name);
      }
      result.values.push_back(*std::move(inputs_[i]));
    }
    result.notes = std::move(notes_);
    if (!generated.empty()) result.notes.push_back(GeneratedText(generated));
    return result;
  }

 private:
  absl::Status ReadOptions() {
    if (IsWanted(options_.literals_file)) HLO_RETURN_IF_ERROR(ReadLiteralsFile());
    if (IsWanted(options_.archive)) HLO_RETURN_IF_ERROR(ReadArchive());
    int64_t position = 0;
    for (const std::string& input : options_.inputs)
      HLO_RETURN_IF_ERROR(ReadInput(input, position));
    return absl::OkStatus();
  }
  bool IsWanted(std::string_view option) const {
    return !only_devices_ || HasDevicePlaceholder(option);
  }

  const Instruction& parameter(int64_t number) const {
    return module_.instruction(module_.entry().parameters[static_cast<size_t>(number)]);
  }
  // Of what is given for it.
  const Shape& ShapeOf(int64_t number) const {
    const std::vector<Shape>& whole = options_.whole_shapes;
    return whole.empty() ? *parameter(number).shape : whole[static_cast<size_t>(number)];
  }
  int64_t parameter_count() const { return static_cast<int64_t>(inputs_.size()); }

  // Names go before numbers, and numbers before op_names: what stands in the text is meant first.
  std::optional<int64_t> FindParameter(std::string_view name) const {
    if (name.starts_with('%')) name.remove_prefix(1);
    for (size_t kind = 0; kind < kNameKinds; ++kind) {
      for (int64_t number = 0; number < parameter_count(); ++number) {
        const std::vector<std::string>& names = NamesOf(number);
        if (kind < names.size() && names[kind] == name) return number;
      }
    }
    return std::nullopt;
  }

  std::string Suggestion(std::string_view name) const {
    std::vector<std::string_view> names;
    for (int64_t number = 0; number < parameter_count(); ++number) {
      names.insert(names.end(), NamesOf(number).begin(), NamesOf(number).end());
    }
    return DidYouMean(name, names);
  }

  // "inputs generated: `x`, `y` (--fake=random, seed 42)".
  std::string GeneratedText(std::span<const std::string_view> names) const {
    constexpr size_t kMaxNames = 4;
    const std::span<const std::string_view> shown = names.first(std::min(kMaxNames, names.size()));
    const std::string rest =
        names.size() > shown.size() ? fmt::format(" and {} more", names.size() - shown.size()) : "";
    const bool has_seed = options_.fake == FakeKind::kRandom || options_.fake == FakeKind::kNormal;
    return fmt::format("inputs generated: `{}`{} (--fake={}{})", fmt::join(shown, "`, `"), rest,
                       FakeKindNames()[static_cast<size_t>(options_.fake)],
                       has_seed ? fmt::format(", seed {}", options_.seed) : "");
  }

  void Reject(int64_t number, std::string_view message) {
    sink_.Error(Rule::kRunInput, parameter(number).range, "input for parameter {} (`{}`): {}",
                number, parameter(number).name, message);
    ok_ = false;
  }
  void RejectInput(std::string_view input, std::string_view message) {
    sink_.Error(Rule::kRunInput, module_.entry().name_range, "`--input={}`: {}", input, message);
    ok_ = false;
  }

  void Take(int64_t number, Literal literal) {
    absl::StatusOr<CastValue> cast =
        CastTo(std::move(literal), ShapeOf(number), options_.cast, kRoundingOption);
    if (!cast.ok()) return Reject(number, std::string(cast.status().message()));
    if (!cast->note.empty()) {
      notes_.push_back(fmt::format("input `{}`: {}", parameter(number).name, cast->note));
    }
    absl::StatusOr<Literal> fitting = FitToShape(std::move(cast->value), ShapeOf(number));
    if (!fitting.ok()) return Reject(number, std::string(fitting.status().message()));
    inputs_[static_cast<size_t>(number)] = *std::move(fitting);
  }

  absl::Status ReadInput(std::string_view input, int64_t& position) {
    std::string_view value = input;
    std::optional<int64_t> number;
    const size_t equals = FindEqualsSign(input);
    if (equals != std::string_view::npos && input[0] != '@' && !IsFile(input)) {
      const std::string_view name = input.substr(0, equals);
      number = FindParameter(name);
      if (number) value.remove_prefix(equals + 1);
      if (!number && !IsShapeSpelling(name)) {
        RejectInput(input, fmt::format("there is no parameter `{}`{}", name, Suggestion(name)));
        return absl::OkStatus();
      }
    }
    if (!number) number = position++;
    if (*number >= static_cast<int64_t>(inputs_.size())) {
      RejectInput(input, fmt::format("the program has {} parameters", inputs_.size()));
      return absl::OkStatus();
    }
    if (is_given_[static_cast<size_t>(*number)]) {
      RejectInput(input, fmt::format("parameter {} (`{}`) is given twice", *number,
                                     parameter(*number).name));
      return absl::OkStatus();
    }
    is_given_[static_cast<size_t>(*number)] = true;
    return IsWanted(value) ? ReadValue(*number, value) : absl::OkStatus();
  }

  absl::Status ReadValue(int64_t number, std::string_view value) {
    if (value.starts_with('@')) return ReadFile(number, std::string(value.substr(1)));
    if (std::optional<FakeKind> kind = ParseFakeKind(value)) {
      HLO_ASSIGN_OR_RETURN(
          Literal literal,
          ArgumentGenerator(module_, *kind, options_.seed).Make(number, ShapeOf(number)));
      inputs_[static_cast<size_t>(number)] = std::move(literal);
      return absl::OkStatus();
    }
    // One that is missing is to be said so.
    const bool is_named_so = value.ends_with(".npy") || value.ends_with(".npz");
    if (is_named_so || IsFile(WithDevice(value, device_))) {
      return ReadFile(number, std::string(value));
    }
    TakeText(number, ParseValue(value, ShapeOf(number)));
    return absl::OkStatus();
  }

  // What could be a number, such as `1`, is none.
  static bool IsFile(std::string_view text) {
    std::error_code error;
    return text.find_first_of("./") != std::string_view::npos &&
           std::filesystem::exists(std::filesystem::path(text), error);
  }

  absl::Status ReadFile(int64_t number, const std::string& name) {
    const std::string path = WithDevice(name, device_);
    HLO_ASSIGN_OR_RETURN(const ValueFile file, ReadValueFile(path, {LargestArray(ShapeOf(number)),
                                                                    options_.max_byte_size}));
    TakeMember(number, path, file.members,
               file.is_archive ? NamesOf(number) : std::vector<std::string>{"0"});
    return absl::OkStatus();
  }

  // A parameter's value is called by its name, by its number, `arg` and the number, by its name
  // without the number that makes it unique (x of x.1) where that is one parameter's, or by what
  // the program's source called it: metadata={op_name="params['w']"}.
  static constexpr size_t kNameKinds = 5;
  const std::vector<std::string>& NamesOf(int64_t number) const {
    return names_[static_cast<size_t>(number)];
  }

  void NameParameters() {
    absl::flat_hash_map<std::string_view, int64_t> base_counts;
    for (int64_t i = 0; i < parameter_count(); ++i) ++base_counts[BaseOf(parameter(i).name)];
    for (int64_t i = 0; i < parameter_count(); ++i) {
      const std::string_view name = parameter(i).name, base = BaseOf(name);
      std::vector<std::string> names = {std::string(name), std::to_string(i),
                                        fmt::format("arg{}", i)};
      names.emplace_back(base_counts[base] == 1 ? base : name);
      const Metadata* metadata = parameter(i).attributes.GetIf<Attr::kMetadata>();
      if (metadata != nullptr && !metadata->op_name.empty()) names.emplace_back(metadata->op_name);
      names_.push_back(std::move(names));
    }
  }

  static std::string_view BaseOf(std::string_view name) {
    const size_t end = name.find_last_not_of("0123456789");
    const bool has_number =
        end != std::string_view::npos && end > 0 && name[end] == '.' && end + 1 < name.size();
    return has_number ? name.substr(0, end) : name;
  }

  void TakeMember(int64_t number, const std::string& path, const NpzMembers& members,
                  const std::vector<std::string>& names) {
    absl::StatusOr<Literal> literal = FindValue(members, names, ShapeOf(number));
    if (literal.ok()) return Take(number, *std::move(literal));
    Reject(number, fmt::format("{}: {}", path, std::string(literal.status().message())));
  }

  // Members that no parameter takes are a mistake somebody wants to hear of.
  absl::Status ReadArchive() {
    if (options_.archive.empty()) return absl::OkStatus();
    const std::string path = WithDevice(PathOf(options_.archive), device_);
    uint64_t largest = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      largest = std::max(largest, LargestArray(ShapeOf(static_cast<int64_t>(i))));
    }
    HLO_ASSIGN_OR_RETURN(const ValueFile file,
                         ReadValueFile(path, {largest, options_.max_byte_size}));
    const NpzMembers& members = file.members;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      const absl::Status found = FindValue(members, NamesOf(number), ShapeOf(number)).status();
      if (!absl::IsNotFound(found)) TakeMember(number, path, members, NamesOf(number));
    }
    for (const auto& [member, bytes] : members) {
      if (!IsNameOfAny(member)) {
        sink_.Warning(Rule::kRunInput, module_.entry().name_range,
                      "{}: no parameter takes the member `{}`", path, member);
      }
    }
    return absl::OkStatus();
  }

  bool IsNameOfAny(std::string_view member) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      for (const std::string& name : NamesOf(static_cast<int64_t>(i))) {
        if (member == name || member == "arr_" + name || member.starts_with(name + ".")) {
          return true;
        }
      }
    }
    return false;
  }

  // The first parameter that a file of "all inputs" lacks and no other option gives.
  void RejectMissing() {
    const bool has_file = !options_.archive.empty() || !options_.literals_file.empty();
    if (!has_file || options_.is_fake_asked || !ok_) return;
    const auto missing = std::ranges::find_if_not(inputs_, &std::optional<Literal>::has_value);
    if (missing == inputs_.end()) return;
    const auto number = static_cast<int64_t>(missing - inputs_.begin());
    const std::string lack = options_.archive.empty()
                                 ? fmt::format("{} has no literal for it", options_.literals_file)
                                 : fmt::format("{} has no member `{}`", PathOf(options_.archive),
                                               fmt::join(NamesOf(number), "`, `"));
    Reject(number, lack + "; --fake=random makes what is missing");
  }

  void TakeText(int64_t number, absl::StatusOr<Literal> literal, std::string_view prefix = "") {
    if (literal.ok()) return Take(number, *std::move(literal));
    Reject(number, fmt::format("{}{}", prefix, std::string(literal.status().message())));
  }

  // One typed literal for each parameter, one after the other; a literal ends with the line that
  // closes its braces.
  absl::Status ReadLiteralsFile() {
    if (options_.literals_file.empty()) return absl::OkStatus();
    // A byte of an array has at most so many characters, `false` and what separates two.
    constexpr uint64_t kMaxTextPerByte = 64;
    uint64_t max_byte_size = 1 << 20;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Shape& shape = ShapeOf(static_cast<int64_t>(i));
      const uint64_t leaves = static_cast<uint64_t>(shape.LeafCount());
      max_byte_size += kMaxTextPerByte * (LargestArray(shape) * leaves + leaves);
    }
    HLO_ASSIGN_OR_RETURN(std::string text,
                         ReadWholeFile(WithDevice(options_.literals_file, device_),
                                       std::min(max_byte_size, options_.max_byte_size)));
    int64_t number = 0;
    int64_t depth = 0;
    std::string literal_text;
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      for (char c : line) depth += (c == '{' || c == '(') - (c == '}' || c == ')');
      literal_text.append(line).append("\n");
      if (depth > 0 && begin < text.size()) continue;
      if (literal_text.find_first_not_of(" \t\r\n") != std::string::npos) {
        if (number >= static_cast<int64_t>(inputs_.size())) {
          sink_.Error(Rule::kRunInput, module_.entry().name_range,
                      "{} holds more literals than the program's {}", options_.literals_file,
                      CountText(number, "parameter"));
          ok_ = false;
          return absl::OkStatus();
        }
        TakeText(number++, ParseTypedValue(literal_text), options_.literals_file + ": ");
      }
      literal_text.clear();
    }
    return absl::OkStatus();
  }

  const Module& module_;
  const InputOptions& options_;
  DiagnosticSink& sink_;
  std::vector<std::optional<Literal>> inputs_;
  std::vector<bool> is_given_;                   // by --input
  std::vector<std::vector<std::string>> names_;  // by parameter; NamesOf
  std::vector<std::string> notes_;
  int64_t device_ = 0;
  bool only_devices_ = false;
  bool ok_ = true;
};

}  // namespace

absl::StatusOr<std::optional<ParticipantInputs>> MakeParticipantInputs(
    const Module& module, const InputOptions& options, std::span<const int64_t> devices,
    DiagnosticSink& sink) {
  HLO_ASSIGN_OR_RETURN(auto first, InputReader(module, options, sink).Read(devices.front()));
  if (!first) return std::nullopt;
  ParticipantInputs result;
  std::vector<const Literal*> shared;
  result.notes = std::move(first->notes);
  for (Literal& literal : first->values) {
    shared.push_back(&result.literals.emplace_back(std::move(literal)));
  }
  result.by_participant.assign(devices.size(), shared);
  result.is_everybodys_own = options.VariesWithDevice();
  if (!result.is_everybodys_own) return result;
  for (size_t i = 1; i < devices.size(); ++i) {
    HLO_ASSIGN_OR_RETURN(auto own, InputReader(module, options, sink).ReadOfDevice(devices[i]));
    if (!own) return std::nullopt;
    for (size_t k = 0; k < own->size(); ++k) {
      std::optional<Literal>& literal = (*own)[k];
      if (!literal) continue;
      result.by_participant[i][k] = &result.literals.emplace_back(*std::move(literal));
    }
  }
  return result;
}

absl::StatusOr<std::optional<Inputs>> MakeInputs(const Module& module, const InputOptions& options,
                                                 DiagnosticSink& sink) {
  return InputReader(module, options, sink).Read();
}

}  // namespace hlo::tools

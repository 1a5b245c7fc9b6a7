// An input is `[name=]value`, where value is one of
//   @file.npy, @file.npz     an array, or the archive's member of the parameter's name or number
//   zeros, ones, iota ...    generated, see FakeKind
//   f32[2,3]={{...},{...}}   a literal with its shape; {...} alone has the parameter's shape
//   2x3xf32=0.5              a literal for every element
// Without name the k-th input is for parameter k.
#include "tools/run_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/files.h"
#include "interp/npy.h"
#include "interp/zip.h"
#include "parser/parser.h"
#include "support/status_macros.h"

namespace hlo::tools {
namespace {

std::shared_ptr<const SourceText> SourceOf(std::string_view text) {
  return std::make_shared<const SourceText>("<input>", std::string(text));
}

std::string FirstMessage(const DiagnosticSink& sink) {
  return sink.diagnostics().empty() ? "" : sink.diagnostics().front().message;
}

// The type and sizes of `2x3xf32`; nothing when `text` is not of this form.
std::optional<Shape> ParseCrossedShape(std::string_view text) {
  std::vector<int64_t> dims;
  while (true) {
    size_t cross = text.find('x');
    std::string_view part = text.substr(0, cross);
    if (cross == std::string_view::npos) {
      std::optional<ElementType> type = ParseElementType(part);
      if (!type || !IsArrayType(*type)) return std::nullopt;
      return Shape::ArrayWithDefaultLayout(*type, dims);
    }
    if (part.empty() || part.size() > 18 ||
        part.find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
    dims.push_back(std::stoll(std::string(part)));
    text.remove_prefix(cross + 1);
  }
}

class InputReader {
 public:
  InputReader(const Module& module, const InputOptions& options, DiagnosticSink& sink)
      : module_(module),
        options_(options),
        sink_(sink),
        inputs_(module.entry().parameters.size()) {}

  absl::StatusOr<std::optional<std::vector<Literal>>> Read() {
    HLO_RETURN_IF_ERROR(ReadLiteralsFile());
    HLO_RETURN_IF_ERROR(ReadArchive());
    int64_t position = 0;
    for (const std::string& input : options_.inputs)
      HLO_RETURN_IF_ERROR(ReadInput(input, position));
    if (!ok_) return std::nullopt;
    ArgumentGenerator generator(module_, options_.fake, options_.seed);
    std::vector<Literal> literals;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i]) {
        HLO_ASSIGN_OR_RETURN(inputs_[i], generator.Make(static_cast<int64_t>(i)));
      }
      literals.push_back(*std::move(inputs_[i]));
    }
    return literals;
  }

 private:
  const Instruction& parameter(int64_t number) const {
    return module_.instruction(module_.entry().parameters[static_cast<size_t>(number)]);
  }
  std::optional<int64_t> FindParameter(std::string_view name) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (parameter(static_cast<int64_t>(i)).name == name) return static_cast<int64_t>(i);
    }
    return std::nullopt;
  }

  void Reject(int64_t number, std::string_view message) {
    sink_.Error("run.input", parameter(number).range, "input for parameter {} (`{}`): {}", number,
                parameter(number).name, message);
    ok_ = false;
  }
  void RejectInput(std::string_view input, std::string_view message) {
    sink_.Error("run.input", module_.entry().name_range, "`--input={}`: {}", input, message);
    ok_ = false;
  }

  void Take(int64_t number, Literal literal) {
    const Shape& expected = *parameter(number).shape;
    if (!Compatible(literal.shape(), expected)) {
      return Reject(number, fmt::format("expected `{}`, got `{}`", ShapeText(expected),
                                        ShapeText(literal.shape())));
    }
    literal.set_shape(expected);
    inputs_[static_cast<size_t>(number)] = std::move(literal);
  }

  absl::Status ReadInput(std::string_view input, int64_t& position) {
    std::string_view value = input;
    std::optional<int64_t> number;
    size_t equals = input.find('=');
    if (equals != std::string_view::npos && input[0] != '@') {
      number = FindParameter(input.substr(0, equals));
      if (number) value.remove_prefix(equals + 1);
    }
    if (!number) number = position++;
    if (*number >= static_cast<int64_t>(inputs_.size())) {
      RejectInput(input, fmt::format("the program has {} parameters", inputs_.size()));
      return absl::OkStatus();
    }
    return ReadValue(*number, value);
  }

  absl::Status ReadValue(int64_t number, std::string_view value) {
    if (value.starts_with('@')) return ReadFile(number, std::string(value.substr(1)));
    if (std::optional<FakeKind> kind = ParseFakeKind(value)) {
      HLO_ASSIGN_OR_RETURN(Literal literal,
                           ArgumentGenerator(module_, *kind, options_.seed).Make(number));
      inputs_[static_cast<size_t>(number)] = std::move(literal);
      return absl::OkStatus();
    }
    ReadText(number, value);
    return absl::OkStatus();
  }

  absl::Status ReadFile(int64_t number, const std::string& path) {
    HLO_ASSIGN_OR_RETURN(std::string bytes, ReadWholeFile(path));
    if (path.ends_with(".npz")) {
      absl::StatusOr<NpzMembers> members = DecodeZip(bytes);
      if (!members.ok()) return Reject(number, path, members.status());
      const std::string* member = FindMember(*members, number);
      if (member == nullptr) {
        Reject(number, fmt::format("{} has no member of this name or number", path));
        return absl::OkStatus();
      }
      bytes = *member;
    }
    TakeNpy(number, path, bytes);
    return absl::OkStatus();
  }
  absl::Status Reject(int64_t number, const std::string& path, const absl::Status& status) {
    Reject(number, fmt::format("{}: {}", path, std::string(status.message())));
    return absl::OkStatus();
  }

  void TakeNpy(int64_t number, const std::string& path, std::string_view bytes) {
    absl::StatusOr<Literal> literal = DecodeNpy(bytes, parameter(number).shape);
    if (!literal.ok()) {
      (void)Reject(number, path, literal.status());
    } else {
      Take(number, *std::move(literal));
    }
  }

  // By name, by number, or as numpy names positional arrays: arr_0.
  const std::string* FindMember(const NpzMembers& members, int64_t number) const {
    std::string names[] = {std::string(parameter(number).name), std::to_string(number),
                           fmt::format("arr_{}", number), fmt::format("arg{}", number)};
    for (const std::string& name : names) {
      for (const auto& [member, bytes] : members) {
        if (member == name) return &bytes;
      }
    }
    return nullptr;
  }

  absl::Status ReadArchive() {
    if (options_.archive.empty()) return absl::OkStatus();
    std::string path = options_.archive;
    if (path.starts_with('@')) path.erase(0, 1);
    HLO_ASSIGN_OR_RETURN(std::string bytes, ReadWholeFile(path));
    absl::StatusOr<NpzMembers> members = DecodeZip(bytes);
    if (!members.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: {}", path, std::string(members.status().message())));
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      int64_t number = static_cast<int64_t>(i);
      if (const std::string* member = FindMember(*members, number)) {
        TakeNpy(number, path, *member);
      }
    }
    return absl::OkStatus();
  }

  // A literal in text, with or without shape.
  void ReadText(int64_t number, std::string_view text) {
    size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      return ReadElements(number, *parameter(number).shape, text);
    }
    std::string_view shape_text = text.substr(0, equals);
    std::string_view elements = text.substr(equals + 1);
    if (std::optional<Shape> shape = ParseCrossedShape(shape_text)) {
      if (shape->rank() == 0 || elements.starts_with('{')) {
        return ReadElements(number, *shape, elements);
      }
      return ReadSplat(number, *shape, elements);
    }
    auto source = SourceOf(shape_text);
    DiagnosticSink sink(source);
    std::optional<Shape> shape = ParseShape(source, sink);
    if (!shape) {
      return Reject(number, fmt::format("expected [name=]shape=literal, found `{}`: {}", text,
                                        FirstMessage(sink)));
    }
    ReadElements(number, *shape, elements);
  }

  void ReadElements(int64_t number, const Shape& shape, std::string_view text) {
    auto source = SourceOf(text);
    DiagnosticSink sink(source);
    if (std::optional<Literal> literal = ParseLiteral(source, shape, sink)) {
      return Take(number, *std::move(literal));
    }
    Reject(number, fmt::format("`{}` is no literal of `{}`: {}", text, ShapeText(shape),
                               FirstMessage(sink)));
  }

  void ReadSplat(int64_t number, const Shape& shape, std::string_view text) {
    auto source = SourceOf(text);
    DiagnosticSink sink(source);
    std::optional<Literal> scalar = ParseLiteral(source, Shape::Scalar(shape.element_type()), sink);
    if (!scalar) {
      return Reject(number, fmt::format("`{}` is no `{}`: {}", text,
                                        ElementTypeName(shape.element_type()), FirstMessage(sink)));
    }
    absl::StatusOr<Literal> literal = Literal::Uninitialized(shape);
    if (!literal.ok()) return Reject(number, std::string(literal.status().message()));
    size_t size = static_cast<size_t>(scalar->byte_size());
    for (int64_t i = 0; i < literal->element_count(); ++i) {
      std::memcpy(literal->bytes() + static_cast<size_t>(i) * size, scalar->bytes(), size);
    }
    Take(number, *std::move(literal));
  }

  // One typed literal for each parameter, one after the other; a literal ends with the line that
  // closes its braces.
  absl::Status ReadLiteralsFile() {
    if (options_.literals_file.empty()) return absl::OkStatus();
    HLO_ASSIGN_OR_RETURN(std::string text, ReadWholeFile(options_.literals_file));
    int64_t number = 0;
    int64_t depth = 0;
    std::string literal_text;
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      for (char c : line) depth += (c == '{' || c == '(') - (c == '}' || c == ')');
      literal_text.append(line).append("\n");
      if (depth > 0) continue;
      if (literal_text.find_first_not_of(" \t\r\n") != std::string::npos) {
        if (number >= static_cast<int64_t>(inputs_.size())) {
          RejectInput(
              options_.literals_file,
              fmt::format("holds more literals than the program's {} parameters", inputs_.size()));
          return absl::OkStatus();
        }
        ReadTypedLiteral(number++, literal_text);
      }
      literal_text.clear();
    }
    return absl::OkStatus();
  }

  void ReadTypedLiteral(int64_t number, std::string_view text) {
    auto source = SourceOf(text);
    DiagnosticSink sink(source);
    if (std::optional<Literal> literal = ParseTypedLiteral(source, sink)) {
      return Take(number, *std::move(literal));
    }
    Reject(number, fmt::format("{}: {}", options_.literals_file, FirstMessage(sink)));
  }

  const Module& module_;
  const InputOptions& options_;
  DiagnosticSink& sink_;
  std::vector<std::optional<Literal>> inputs_;
  bool ok_ = true;
};

}  // namespace

absl::StatusOr<std::optional<std::vector<Literal>>> MakeInputs(const Module& module,
                                                               const InputOptions& options,
                                                               DiagnosticSink& sink) {
  return InputReader(module, options, sink).Read();
}

}  // namespace hlo::tools

#include "tools/index_module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "indexing/grouped.h"
#include "indexing/op_maps.h"
#include "indexing/provenance.h"
#include "indexing/report.h"
#include "parser/spelling.h"
#include "support/render_diagnostic.h"
#include "tools/index_analyses.h"
#include "tools/index_check.h"
#include "tools/index_json.h"

namespace hlo::tools {

using indexing::ArrayMaps;
using indexing::ExprContext;
using indexing::GroupedMaps;
using indexing::IndexingMap;
using indexing::MapSet;

absl::StatusOr<InstructionFilter> InstructionFilter::Make(const IndexFlags& flags) {
  InstructionFilter filter;
  for (const auto& [pattern, compiled] :
       {std::pair(&flags.instructions, &filter.name), std::pair(&flags.opcodes, &filter.opcode)}) {
    if (pattern->empty()) continue;
    *compiled = std::make_unique<re2::RE2>(*pattern, re2::RE2::Quiet);
    if (!(*compiled)->ok()) {
      return absl::InvalidArgumentError(
          fmt::format("`{}` is not a pattern: {}", *pattern, (*compiled)->error()));
    }
  }
  return filter;
}

bool InstructionFilter::Matches(const Instruction& instruction) const {
  const auto matches = [](const re2::RE2* pattern, std::string_view text) {
    return pattern == nullptr ||
           re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern);
  };
  return matches(name.get(), instruction.name) &&
         matches(opcode.get(), OpcodeName(instruction.opcode));
}

namespace {

// One question about an instruction: towards its inputs from one output, or the other way round.
struct Question {
  InstructionId id;
  bool to_input;
  int64_t number;  // of the output, or of the operand
};

class ModuleIndex {
 public:
  ModuleIndex(const Module& module, const IndexFlags& flags, const InstructionFilter& filter,
              Session& session)
      : module_(module), flags_(flags), filter_(filter), session_(session) {
    report_.sound = flags.sound;
    report_.style = flags.style == "lines" ? indexing::MapStyle::kLines : indexing::MapStyle::kXla;
  }

  void Run() {
    if (!flags_.from.empty()) {
      RunChain();
    } else {
      RunQuestions();
    }
    if (flags_.json) out_ = fmt::format("[{}\n]\n", fmt::join(items_, ","));
    session_.Write(out_);
  }

 private:
  // --- Which questions --------------------------------------------------------------------------

  void RunQuestions() {
    const std::vector<Question> questions = Questions();
    if (questions.empty() && (!flags_.instructions.empty() || !flags_.opcodes.empty())) {
      ReportNoMatch();
    }
    // XLA's text alone where there is one answer.
    has_heading_ = !flags_.root || questions.size() > 1;
    for (const Question& question : questions) {
      // One context for many instructions would only grow; one for each is slow to make.
      if (context_ == nullptr || context_->byte_size() > kMaxContextSize) {
        cache_ = {};
        context_ = std::make_unique<ExprContext>();
      }
      Answer(question);
    }
  }

  std::vector<Question> Questions() const {
    std::vector<Question> questions;
    if (flags_.root) {
      AddQuestions(module_.entry().root, questions);
      return questions;
    }
    for (const Computation& computation : module_.computations()) {
      for (InstructionId id : computation.instructions) {
        const Instruction& instruction = module_.instruction(id);
        if (!instruction.operands.empty() && filter_.Matches(instruction)) {
          AddQuestions(id, questions);
        }
      }
    }
    return questions;
  }

  void AddQuestions(InstructionId id, std::vector<Question>& questions) const {
    const Instruction& instruction = module_.instruction(id);
    const auto add = [&](bool to_input, int64_t count, std::optional<uint32_t> only) {
      for (int64_t i = 0; i < count; ++i) {
        if (!only || i == *only) questions.push_back({id, to_input, i});
      }
    };
    if (flags_.towards_inputs()) {
      add(true, indexing::OutputCount(*instruction.shape), flags_.output);
    }
    if (flags_.towards_outputs()) {
      add(false, static_cast<int64_t>(instruction.operands.size()), flags_.operand);
    }
  }

  void ReportNoMatch() {
    if (!flags_.instructions.empty()) {
      session_.ReportEnvironment(fmt::format("no instruction with operands matches `{}`{}",
                                             flags_.instructions,
                                             DidYouMean(flags_.instructions, Names())));
    } else {
      session_.ReportEnvironment(
          fmt::format("no instruction with operands has an opcode matching `{}`", flags_.opcodes));
    }
  }

  std::vector<std::string_view> Names() const {
    std::vector<std::string_view> names;
    for (const Instruction& instruction : module_.instructions()) names.push_back(instruction.name);
    return names;
  }

  // --- Answers ----------------------------------------------------------------------------------

  void Answer(const Question& question) {
    const OpView op(module_, module_.instruction(question.id));
    if (!flags_.element.empty()) return AnswerElement(question);
    if (flags_.check) return AnswerCheck(question);
    if (HasAnalyses()) return AnswerAnalyses(question);
    if (flags_.grouped) return AnswerGrouped(question);
    std::vector<ArrayMaps> maps = question.to_input
                                      ? OutputToInput(op, question.number, *context_, options())
                                      : InputToOutput(op, question.number, *context_, options());
    if (flags_.physical) MakePhysical(op, question, maps);
    if (flags_.json) {
      items_.push_back(QuestionJson(question, maps));
    } else if (flags_.by_producer && question.to_input) {
      out_ += Heading(question) + GroupsText(ByProducer(op, maps));
    } else {
      out_ += Heading(question) + OperandsReport(module_, maps, report_);
    }
  }

  void AnswerGrouped(const Question& question) {
    const std::vector<GroupedMaps> groups =
        question.to_input
            ? GroupedOutputToInput(module_, GroupStart(question.id), question.number, *context_,
                                   options())
            : GroupedInputToOutput(module_, OperandOf(question), 0, *context_, options());
    if (flags_.json) {
      items_.push_back(GroupsJson(question, groups));
    } else {
      out_ += Heading(question) + GroupsText(groups);
    }
  }

  // --- One element ------------------------------------------------------------------------------

  void AnswerElement(const Question& question) {
    const Shape& shape =
        indexing::ElementShape(*module_.instruction(question.id).shape, question.number);
    const std::optional<std::vector<int64_t>> index = ParseIndex(flags_.element);
    if (!index || !shape.IsArray() || !IsInside(*index, shape)) {
      return session_.ReportEnvironment(fmt::format("--element={}: `{}` is `{}`", flags_.element,
                                                    module_.instruction(question.id).name,
                                                    ShapeText(shape)));
    }
    const std::vector<indexing::ProvenanceStep> steps =
        ProvenanceOf(module_, flags_.why ? GroupStart(question.id) : question.id, question.number,
                     *index, *context_, options());
    out_ += Heading(question);
    if (flags_.why) {
      for (const indexing::ProvenanceStep& step : steps) out_ += StepText(step);
    } else {
      for (const indexing::NeededElements& read : steps.front().reads) {
        out_ += "  " + NeededText(read) + "\n";
      }
    }
  }

  static std::optional<std::vector<int64_t>> ParseIndex(std::string_view text) {
    std::vector<int64_t> index;
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const size_t end = std::min(text.find(','), text.size());
      std::string_view item = text.substr(0, end);
      while (item.starts_with(' ')) item.remove_prefix(1);
      int64_t value = 0;
      const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), value);
      if (error != std::errc() || stop != item.data() + item.size()) return std::nullopt;
      index.push_back(value);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return index;
  }

  static bool IsInside(const std::vector<int64_t>& index, const Shape& shape) {
    if (static_cast<int64_t>(index.size()) != shape.rank()) return false;
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] < 0 || index[d] >= shape.dims()[d]) return false;
    }
    return true;
  }

  std::string NeededText(const indexing::NeededElements& needed) const {
    const Instruction& instruction = module_.instruction(needed.instruction);
    if (needed.may_be_any) return fmt::format("{}: may be any", instruction.name);
    const Shape& shape =
        indexing::ElementShape(*instruction.shape, std::max<int64_t>(needed.element, 0));
    return fmt::format("{}{}: {}", instruction.name,
                       instruction.shape->IsTuple() ? fmt::format("{{{}}}", needed.element) : "",
                       indexing::ElementSetText(needed.elements, shape.dims()));
  }

  // r: [3, 5]  <- reshape(t)
  //   t: [5, 3]
  std::string StepText(const indexing::ProvenanceStep& step) const {
    const Instruction& instruction = module_.instruction(step.needed.instruction);
    std::string text = fmt::format("  {} = {}({})\n", NeededText(step.needed),
                                   OpcodeName(instruction.opcode), OperandNames(instruction));
    for (const indexing::NeededElements& read : step.reads) {
      text += "    " + NeededText(read) + "\n";
    }
    return text;
  }

  // --- Use of operands --------------------------------------------------------------------------

  bool HasAnalyses() const {
    return flags_.utilization || flags_.coalescing || !flags_.tile.empty() || flags_.symbolic_tile;
  }

  void AnswerAnalyses(const Question& question) {
    if (!question.to_input) return;
    const OpView op(module_, module_.instruction(question.id));
    const std::vector<ArrayMaps> maps = OutputToInput(op, question.number, *context_, options());
    const Shape& output = indexing::ElementShape(*op.instruction().shape, question.number);
    AnalysisFlags analyses{
        flags_.utilization, flags_.coalescing, flags_.symbolic_tile, flags_.sound, {}};
    if (!flags_.tile.empty()) {
      const std::optional<std::vector<int64_t>> sizes = ParseIndex(flags_.tile);
      if (!sizes || static_cast<int64_t>(sizes->size()) != output.rank() ||
          std::ranges::any_of(*sizes, [](int64_t size) { return size < 1; })) {
        return session_.ReportEnvironment(fmt::format("--tile={}: `{}` has {} dimensions",
                                                      flags_.tile, op.instruction().name,
                                                      output.rank()));
      }
      analyses.tile = *sizes;
    }
    std::vector<std::string> operands;
    for (size_t i = 0; i < maps.size(); ++i) {
      if (IsOfWholeTuple(maps[i], op.operand_shape(static_cast<int64_t>(i)))) continue;
      const Shape& operand = indexing::ElementShape(op.operand_shape(static_cast<int64_t>(i)),
                                                    std::max<int64_t>(maps[i].tuple_element, 0));
      if (maps[i].maps.empty() || !operand.IsArray()) continue;
      const std::string& name =
          std::string(module_.instruction(op.instruction().operands[i].id).name);
      if (flags_.json) {
        operands.push_back(fmt::format("\n    {{\"id\": {}, \"instruction\": \"{}\"{}}}", i,
                                       EscapeJson(name),
                                       AnalysesJson(maps[i].maps, output, operand, analyses)));
      } else {
        operands.push_back(fmt::format("operand {} {}\n{}", i, name,
                                       AnalysesText(maps[i].maps, output, operand, analyses)));
      }
    }
    if (flags_.json) {
      items_.push_back(fmt::format("{}, \"operands\": [{}]}}", QuestionHead(question),
                                   fmt::join(operands, ",")));
    } else {
      out_ += Heading(question) + fmt::format("{}", fmt::join(operands, ""));
    }
  }

  // --- Exactness --------------------------------------------------------------------------------

  void AnswerCheck(const Question& question) {
    const Instruction& instruction = module_.instruction(question.id);
    const int64_t count = question.to_input ? static_cast<int64_t>(instruction.operands.size())
                                            : indexing::OutputCount(*instruction.shape);
    out_ += Heading(question);
    for (int64_t i = 0; i < count; ++i) {
      CheckOptions check;
      check.sound = flags_.sound;
      const absl::StatusOr<CheckResult> result = CheckMaps(
          module_, question.id, question.to_input, question.to_input ? question.number : i,
          question.to_input ? i : question.number, check);
      out_ += fmt::format("{} {}: {}\n", question.to_input ? "operand" : "output", i,
                          CheckText(result));
      if (result.ok() && result->missed > 0) session_.AddFinding();
    }
  }

  static std::string CheckText(const absl::StatusOr<CheckResult>& result) {
    if (!result.ok()) return fmt::format("not checked: {}", std::string(result.status().message()));
    if (result->missed > 0) {
      return fmt::format("wrong for {} of {} elements: {}", result->missed, result->checked,
                         result->example);
    }
    if (result->overestimated > 0) {
      return fmt::format("nothing missed; wider than what was seen for {} of {} elements: {}",
                         result->overestimated, result->checked, result->example);
    }
    return fmt::format("exact for {} elements", result->checked);
  }

  // Of a fusion or call, what happens inside.
  InstructionId GroupStart(InstructionId id) const {
    const Instruction& instruction = module_.instruction(id);
    if (instruction.opcode != Opcode::kFusion) return id;
    return module_.computation(instruction.Get<Attr::kCalls>()).root;
  }

  InstructionId OperandOf(const Question& question) const {
    return module_.instruction(question.id).operands[static_cast<size_t>(question.number)].id;
  }

  void RunChain() {
    context_ = std::make_unique<ExprContext>();
    const std::optional<InstructionId> from = FindInstruction(flags_.from);
    const std::optional<InstructionId> to = FindInstruction(flags_.to);
    if (!from || !to) return;
    if (module_.instruction(*from).computation != module_.instruction(*to).computation) {
      return session_.ReportEnvironment(
          fmt::format("`{}` and `{}` are in different computations", flags_.from, flags_.to));
    }
    const MapSet maps = MapsBetween(module_, *from, *to, *context_, options());
    if (maps.empty()) {
      return session_.ReportEnvironment(
          fmt::format("neither of `{}` and `{}` is made from the other", flags_.from, flags_.to));
    }
    if (flags_.json) {
      items_.push_back(fmt::format("\n  {{\"from\": \"{}\", \"to\": \"{}\", \"maps\": {}}}",
                                   EscapeJson(flags_.from), EscapeJson(flags_.to),
                                   MapSetJson(module_, maps)));
    } else {
      out_ +=
          fmt::format("{} -> {}\n", flags_.from, flags_.to) + MapSetReport(module_, maps, report_);
    }
  }

  std::optional<InstructionId> FindInstruction(std::string_view name) {
    if (name.starts_with('%')) name.remove_prefix(1);
    std::optional<InstructionId> found;
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.name != name || !instruction.computation.valid()) continue;
      const bool is_better = !found || instruction.computation == module_.entry_id();
      if (is_better) found = module_.id_of(instruction);
    }
    if (!found) {
      session_.ReportEnvironment(
          fmt::format("no instruction `{}`{}", name, DidYouMean(name, Names())));
    }
    return found;
  }

  // Unknown maps of tuples speak of no array in particular.
  static bool IsOfWholeTuple(const ArrayMaps& maps, const Shape& shape) {
    return shape.IsTuple() &&
           (maps.tuple_element < 0 || maps.tuple_element >= shape.element_count());
  }

  void MakePhysical(const OpView& op, const Question& question,
                    std::vector<ArrayMaps>& maps) const {
    for (size_t i = 0; i < maps.size(); ++i) {
      const int64_t number = static_cast<int64_t>(i);
      const Shape& array = op.operand_shape(question.to_input ? number : question.number);
      if (IsOfWholeTuple(maps[i], array)) continue;
      const int64_t element = std::max<int64_t>(maps[i].tuple_element, 0);
      const Shape& operand =
          indexing::ElementShape(op.operand_shape(question.to_input ? number : question.number),
                                 question.to_input ? element : 0);
      const Shape& output = indexing::ElementShape(*op.instruction().shape,
                                                   question.to_input ? question.number : number);
      MapSet physical;
      for (const IndexingMap& map : maps[i].maps) {
        physical.Insert(question.to_input ? PhysicalMap(map, output, operand)
                                          : PhysicalMap(map, operand, output));
      }
      maps[i].maps = std::move(physical);
    }
  }

  // --- Text and JSON ----------------------------------------------------------------------------

  std::string Heading(const Question& question) const {
    if (!has_heading_) return "";
    const Instruction& instruction = module_.instruction(question.id);
    const bool is_tuple = instruction.shape->IsTuple();
    const std::string part = !question.to_input ? fmt::format(", from operand {}", question.number)
                             : is_tuple         ? fmt::format(", output {}", question.number)
                                                : "";
    const Shape& shape = question.to_input
                             ? indexing::ElementShape(*instruction.shape, question.number)
                             : *instruction.shape;
    return fmt::format("{}{} = {} {}({}){}\n", out_.empty() ? "" : "\n", instruction.name,
                       is_tuple && !question.to_input ? "(...)" : ShapeText(shape),
                       OpcodeName(instruction.opcode), OperandNames(instruction), part);
  }

  // Of long lists the first names only: they stand before each of as many outputs.
  std::string OperandNames(const Instruction& instruction) const {
    constexpr size_t kMaxNames = 8;
    const size_t count = std::min(instruction.operands.size(), kMaxNames);
    std::vector<std::string_view> names;
    for (size_t i = 0; i < count; ++i) {
      names.push_back(module_.instruction(instruction.operands[i].id).name);
    }
    if (count < instruction.operands.size()) names.push_back("...");
    return fmt::format("{}", fmt::join(names, ", "));
  }

  std::string GroupsText(const std::vector<GroupedMaps>& groups) const {
    std::string text;
    for (const GroupedMaps& group : groups) {
      text += fmt::format("{}{}\n{}", module_.instruction(group.instruction).name,
                          ElementText(group), MapSetReport(module_, group.maps, report_));
    }
    return text;
  }

  std::string ElementText(const GroupedMaps& group) const {
    if (!module_.instruction(group.instruction).shape->IsTuple()) return "";
    return group.element == ArrayMaps::kAllElements ? "{*}" : fmt::format("{{{}}}", group.element);
  }

  std::string QuestionJson(const Question& question, const std::vector<ArrayMaps>& maps) const {
    const Instruction& instruction = module_.instruction(question.id);
    std::vector<std::string> arrays;
    for (size_t i = 0; i < maps.size(); ++i) {
      if (maps[i].maps.empty()) continue;
      const std::string name =
          question.to_input
              ? fmt::format("\"instruction\": \"{}\", ",
                            EscapeJson(module_.instruction(instruction.operands[i].id).name))
              : "";
      arrays.push_back(fmt::format("\n    {{\"id\": {}, {}\"element\": {}, \"maps\": {}}}", i, name,
                                   maps[i].tuple_element, MapSetJson(module_, maps[i].maps)));
    }
    return fmt::format("{}, \"{}\": [{}]}}", QuestionHead(question),
                       question.to_input ? "operands" : "outputs", fmt::join(arrays, ","));
  }

  std::string GroupsJson(const Question& question, const std::vector<GroupedMaps>& groups) const {
    std::vector<std::string> items;
    for (const GroupedMaps& group : groups) {
      items.push_back(
          fmt::format("\n    {{\"instruction\": \"{}\", \"element\": {}, \"maps\": {}}}",
                      EscapeJson(module_.instruction(group.instruction).name), group.element,
                      MapSetJson(module_, group.maps)));
    }
    return fmt::format("{}, \"groups\": [{}]}}", QuestionHead(question), fmt::join(items, ","));
  }

  std::string QuestionHead(const Question& question) const {
    const Instruction& instruction = module_.instruction(question.id);
    return fmt::format(
        "\n  {{\"instruction\": \"{}\", \"opcode\": \"{}\", \"computation\": \"{}\", \"shape\": "
        "\"{}\", \"direction\": \"{}\", \"{}\": {}",
        EscapeJson(instruction.name), OpcodeName(instruction.opcode),
        EscapeJson(module_.computation(instruction.computation).name),
        EscapeJson(ShapeText(*instruction.shape)), question.to_input ? "out-to-in" : "in-to-out",
        question.to_input ? "output" : "operand", question.number);
  }

  indexing::IndexingOptions options() { return {.sound = flags_.sound, .cache = &cache_}; }

  static constexpr size_t kMaxContextSize = size_t{64} << 20;
  const Module& module_;
  const IndexFlags& flags_;
  const InstructionFilter& filter_;
  Session& session_;
  indexing::ReportOptions report_;
  std::unique_ptr<ExprContext> context_;
  indexing::IndexingCache cache_;
  bool has_heading_ = true;
  std::string out_;
  std::vector<std::string> items_;
};

}  // namespace

void IndexModule(const Module& module, const IndexFlags& flags, const InstructionFilter& filter,
                 Session& session) {
  ModuleIndex(module, flags, filter, session).Run();
}

}  // namespace hlo::tools

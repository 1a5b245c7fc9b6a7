// Of --element, --check, the analyses and --grouped the first that is asked for is the answer, else
// it is plain maps. Answers are collected and written at the end, as JSON is one list. Expressions
// live in a context that only grows: past a limit it is given up between questions, together with
// the cache, which points into it.
#include "tools/index_module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "indexing/grouped.h"
#include "indexing/op_maps.h"
#include "indexing/provenance.h"
#include "parser/spelling.h"
#include "support/render_diagnostic.h"
#include "tools/index_analyses.h"
#include "tools/index_check.h"
#include "tools/index_json.h"
#include "tools/index_text.h"

namespace hlo::tools {

using indexing::ArrayMaps;
using indexing::ExprContext;
using indexing::GroupedMaps;
using indexing::IndexingMap;
using indexing::MapSet;

namespace {

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
    const std::vector<Question> questions = Questions(module_, flags_, filter_);
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

  void ReportNoMatch() {
    if (!flags_.instructions.empty()) {
      session_.ReportEnvironment(
          fmt::format("no instruction with operands matches `{}`{}", flags_.instructions,
                      DidYouMean(flags_.instructions, InstructionNames(module_))));
    } else {
      session_.ReportEnvironment(
          fmt::format("no instruction with operands has an opcode matching `{}`", flags_.opcodes));
    }
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
      items_.push_back(QuestionJson(module_, question, maps));
    } else if (flags_.by_producer && question.to_input) {
      out_ += Heading(question) + GroupsText(module_, ByProducer(op, maps), report_);
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
      items_.push_back(GroupsJson(module_, question, groups));
    } else {
      out_ += Heading(question) + GroupsText(module_, groups, report_);
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
      for (const indexing::ProvenanceStep& step : steps) out_ += StepText(module_, step);
    } else {
      for (const indexing::NeededElements& read : steps.front().reads) {
        out_ += "  " + NeededText(module_, read) + "\n";
      }
    }
  }

  static bool IsInside(const std::vector<int64_t>& index, const Shape& shape) {
    if (static_cast<int64_t>(index.size()) != shape.rank()) return false;
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] < 0 || index[d] >= shape.dims()[d]) return false;
    }
    return true;
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
      items_.push_back(fmt::format("{}, \"operands\": [{}]}}", QuestionHeadJson(module_, question),
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
    const std::optional<InstructionId> from = FindNamed(flags_.from);
    const std::optional<InstructionId> to = FindNamed(flags_.to);
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

  std::optional<InstructionId> FindNamed(std::string_view name) {
    const std::optional<InstructionId> found = FindInstruction(module_, name);
    if (!found) {
      session_.ReportEnvironment(
          fmt::format("no instruction `{}`{}", name, DidYouMean(name, InstructionNames(module_))));
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

  std::string Heading(const Question& question) const {
    if (!has_heading_) return "";
    return (out_.empty() ? "" : "\n") + QuestionHeading(module_, question);
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

// Whoever looks for a NaN wants the instruction to blame. That is the first one that has a NaN at
// an element for which its operands have none; where they have one, it was there from the beginning
// (else the run would have stopped before) and has only been moved since: it is followed back
// through the plan to the constant or parameter it came in by.
//
// Arrays filled with NaN are common and harmless: results that loops fill row by row, the fill
// value of a gather. So instructions that only move elements are never to blame for what they move,
// and an instruction that computes is for what its result shows. `select` counts as computing
// where it could have chosen better: what it does not choose does not matter.
#include "interp/inspect/first_nan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interp/inspect/inspect.h"
#include "ir/leaves.h"
#include "ir/run_time_dims.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

bool IsFaulty(double value, NanKind kind) {
  return kind == NanKind::kNan ? std::isnan(value) : !std::isfinite(value);
}

bool HoldsFloats(ElementType type) { return IsFloat(type) || IsComplex(type); }

// Calls visit(real part, imaginary part) for elements from `begin` on until it returns false.
template <typename Visit>
void ForEachFloat(const ArrayRef& array, int64_t begin, int64_t end, const Visit& visit) {
  DispatchElementType<kFloat | kComplex>(array.element_type, [&]<typename T>() {
    const T* elements = reinterpret_cast<const T*>(array.bytes);
    for (int64_t i = begin; i < end; ++i) {
      bool goes_on = true;
      if constexpr ((kTypeClassOf<T> & kComplex) != 0) {
        goes_on = visit(i, static_cast<double>(elements[i].real()),
                        static_cast<double>(elements[i].imag()));
      } else if constexpr (std::is_same_v<T, double>) {
        goes_on = visit(i, elements[i], 0.0);
      } else {
        goes_on = visit(i, static_cast<double>(static_cast<float>(elements[i])), 0.0);
      }
      if (!goes_on) return;
    }
  });
}

// The elements of an array that hold what is looked for.
struct ArrayFaults {
  int64_t count = 0;
  int64_t first = -1;  // linear index
};
ArrayFaults FaultsIn(const ArrayRef& array, int64_t begin, int64_t end, NanKind kind,
                     bool first_only) {
  ArrayFaults faults;
  if (!HoldsFloats(array.element_type)) return faults;
  ForEachFloat(array, begin, end, [&](int64_t i, double real, double imaginary) {
    if (!IsFaulty(real, kind) && !IsFaulty(imaginary, kind)) return true;
    if (faults.first < 0) faults.first = i;
    ++faults.count;
    return !first_only;
  });
  return faults;
}

bool HasFault(const ArrayRef& array, NanKind kind) {
  return FaultsIn(array, 0, array.element_count(), kind, true).first >= 0;
}

bool IsFaultAt(const ArrayRef& array, int64_t element, NanKind kind) {
  return FaultsIn(array, element, element + 1, kind, true).first >= 0;
}

ArrayRef ArrayOf(const Literal& literal) {
  return {literal.shape().element_type(), RunTimeDims(literal), literal.bytes()};
}

void AddArrays(const Literal& literal, std::vector<const Literal*>& arrays) {
  ForEachLeaf(literal, [&](const Literal& leaf) {
    if (leaf.shape().IsArray()) arrays.push_back(&leaf);
  });
}

// Whether a scatter stores its updates as they are.
bool Overwrites(const Module& module, const Instruction& instruction) {
  const ComputationId* function = instruction.attributes.GetIf<Attr::kToApply>();
  return function != nullptr &&
         module.root(module.computation(*function)).opcode == Opcode::kParameter;
}

bool OnlyMoves(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kScatter) return Overwrites(module, instruction);
  return HasTrait(instruction.opcode, kMovesElements);
}

// The operand that array leaf `leaf` of all operands is (a part of).
size_t OperandOfLeaf(const Module& module, const Instruction& instruction, size_t leaf) {
  size_t count = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    count += static_cast<size_t>(ArrayLeafCount(*module.operand(instruction, i).shape));
    if (leaf < count) return i;
  }
  return instruction.operands.size() - 1;
}

// `[1,0]`, nothing for a scalar.
std::string IndexText(std::span<const int64_t> dims, int64_t element) {
  if (dims.empty()) return "";
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = element % dims[d];
    element /= dims[d];
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

// `NaN at [1,0] (2 of 6 elements)`.
std::string FaultText(const ArrayRef& array, int64_t element, NanKind kind) {
  const ArrayFaults faults = FaultsIn(array, 0, array.element_count(), kind, false);
  const bool is_nan = IsFaultAt(array, element, NanKind::kNan);
  std::string text = is_nan ? "NaN" : "infinity";
  if (array.dims.empty()) return text;
  return text + fmt::format(" at {} ({} of {} elements)", IndexText(array.dims, element),
                            faults.count, array.element_count());
}

}  // namespace

// --- Origins -----------------------------------------------------------------------------------

ValueOrigins::ValueOrigins(const Plan& plan, std::span<const Literal* const> arguments,
                           NanKind kind)
    : plan_(plan), kind_(kind) {
  for (const Literal* argument : arguments) AddArrays(*argument, arguments_);
  AddProducers(*plan.entry);
}

void ValueOrigins::AddProducers(const Region& region) {
  for (const Step& step : region.steps) {
    for (size_t i = 0; i < step.results.size(); ++i) {
      producers_[plan_.slot(step.results[i]).buffer] = {&step, i};
    }
    if (step.kind == StepKind::kKernel) continue;  // functions are called, not observed
    for (const auto& nested : step.regions) AddProducers(*nested);
    if (step.kind != StepKind::kWhile) continue;
    // The body sees the state of the loop in slots of its own.
    const std::vector<SlotId>& parameters = step.regions[1]->parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      producers_[plan_.slot(parameters[i]).buffer] = {&step, i};
    }
  }
}

std::optional<ValueOrigins::Origin> ValueOrigins::Find(SlotId slot) const {
  std::vector<BufferId> seen;
  return FindIn(slot, seen);
}

std::optional<ValueOrigins::Origin> ValueOrigins::FindIn(SlotId id,
                                                         std::vector<BufferId>& seen) const {
  const Slot& slot = plan_.slot(id);
  if (std::ranges::find(seen, slot.buffer) != seen.end()) return std::nullopt;
  seen.push_back(slot.buffer);
  const Buffer& buffer = plan_.buffer(slot.buffer);
  if (buffer.kind != Buffer::Kind::kArena) return HeldBy(buffer, slot);
  const auto producer = producers_.find(slot.buffer);
  return producer == producers_.end() ? std::nullopt : FindMade(producer->second, seen);
}

// What a loop starts with comes before what its body leaves.
std::optional<ValueOrigins::Origin> ValueOrigins::FindMade(const Producer& producer,
                                                           std::vector<BufferId>& seen) const {
  const Step& step = *producer.step;
  std::vector<SlotId> sources;
  switch (step.kind) {
    case StepKind::kKernel:
      if (!OnlyMoves(*plan_.module, plan_.instruction(step))) break;
      sources.assign(step.operands.begin(), step.operands.end());
      break;
    case StepKind::kWhile:
      sources = {step.moves[producer.leaf].from, step.regions[1]->results[producer.leaf]};
      break;
    case StepKind::kConditional:
      for (const auto& branch : step.regions) sources.push_back(branch->results[producer.leaf]);
      break;
  }
  for (SlotId source : sources) {
    if (std::optional<Origin> origin = FindIn(source, seen)) return origin;
  }
  return std::nullopt;
}

std::optional<ValueOrigins::Origin> ValueOrigins::HeldBy(const Buffer& buffer,
                                                         const Slot& slot) const {
  ArrayRef array = {slot.shape->element_type(), slot.shape->dims(), buffer.constant};
  if (buffer.kind == Buffer::Kind::kArgument) {
    array = ArrayOf(*arguments_[static_cast<size_t>(buffer.argument)]);
  }
  if (!HasFault(array, kind_)) return std::nullopt;
  return Origin{buffer.instruction, array};
}

// --- Finding -----------------------------------------------------------------------------------

FirstNanFinder::FirstNanFinder(const Plan& plan, std::span<const Literal* const> arguments,
                               NanKind kind, LiteralText literal_text)
    : plan_(plan),
      module_(*plan.module),
      kind_(kind),
      literal_text_(std::move(literal_text)),
      origins_(plan, arguments, kind) {}

void FirstNanFinder::BeforeIteration(const Step&, int64_t iteration) {
  path_.BeforeIteration(iteration);
}

// What the step may overwrite is copied.
void FirstNanFinder::BeforeStep(const Step& step, const Evaluation& evaluation) {
  path_.BeforeStep(step);
  saved_.clear();
  if (step.kind != StepKind::kKernel) return;
  for (size_t i = 0; i < evaluation.operands().size(); ++i) {
    const ArrayRef& operand = evaluation.operand(i);
    const bool is_shared = std::ranges::any_of(
        evaluation.results(),
        [&](const MutableArrayRef& result) { return result.bytes == operand.bytes; });
    if (!is_shared) continue;
    absl::StatusOr<Literal> copy = ToLiteral(operand);
    if (copy.ok()) saved_.emplace(i, *std::move(copy));
  }
}

ArrayRef FirstNanFinder::OperandBefore(const Evaluation& evaluation, size_t i) const {
  const auto saved = saved_.find(i);
  return saved == saved_.end() ? evaluation.operand(i) : ArrayOf(saved->second);
}

absl::Status FirstNanFinder::AfterStep(const Step& step, const Evaluation& evaluation) {
  path_.AfterStep(step);
  if (step.kind != StepKind::kKernel) return absl::OkStatus();
  for (size_t leaf = 0; leaf < evaluation.results().size(); ++leaf) {
    const MutableArrayRef& made = evaluation.result(leaf);
    const ArrayRef result = {made.element_type, made.dims, made.bytes};
    if (!HasFault(result, kind_)) continue;
    std::optional<Finding> finding = Examine(step, evaluation, result);
    if (!finding) continue;
    finding->leaf = leaf;
    return Keep(step, evaluation, *std::move(finding));
  }
  return absl::OkStatus();
}

// Elements of elementwise instructions have operands of their own.
bool FirstNanFinder::IsElementByElement(const Evaluation& evaluation,
                                        const ArrayRef& result) const {
  if (GetOpcodeInfo(evaluation.instruction().opcode).family != OpcodeFamily::kElementwise) {
    return false;
  }
  for (size_t i = 0; i < evaluation.operands().size(); ++i) {
    const ArrayRef operand = OperandBefore(evaluation, i);
    if (!operand.dims.empty() && !std::ranges::equal(operand.dims, result.dims)) return false;
  }
  return true;
}

// The operand from which `element` of the result has its fault.
std::optional<size_t> FirstNanFinder::FaultyOperand(const Evaluation& evaluation,
                                                    int64_t element) const {
  const auto is_faulty = [&](size_t i) {
    const ArrayRef operand = OperandBefore(evaluation, i);
    return IsFaultAt(operand, operand.dims.empty() ? 0 : element, kind_);
  };
  if (evaluation.instruction().opcode == Opcode::kSelect) {
    const ArrayRef predicate = OperandBefore(evaluation, 0);
    const bool chosen = predicate.bytes[predicate.dims.empty() ? 0 : element] != std::byte{0};
    return chosen ? 1 : 2;
  }
  for (size_t i = 0; i < evaluation.operands().size(); ++i) {
    if (is_faulty(i)) return i;
  }
  return std::nullopt;
}

// Whether a select has no better choice: state that is kept or replaced by more of the same.
bool FirstNanFinder::IsFaultyEitherWay(const Evaluation& evaluation, int64_t element) const {
  if (evaluation.instruction().opcode != Opcode::kSelect) return false;
  const auto is_faulty = [&](size_t i) {
    const ArrayRef operand = OperandBefore(evaluation, i);
    return IsFaultAt(operand, operand.dims.empty() ? 0 : element, kind_);
  };
  return is_faulty(1) && is_faulty(2);
}

// Nothing where the step only moves what was there.
std::optional<FirstNanFinder::Finding> FirstNanFinder::Examine(const Step& step,
                                                               const Evaluation& evaluation,
                                                               const ArrayRef& result) const {
  Finding finding;
  if (IsElementByElement(evaluation, result)) {
    const int64_t count = result.element_count();
    int64_t entered = -1;
    for (int64_t i = 0; i < count; ++i) {
      i = FaultsIn(result, i, count, kind_, true).first;
      if (i < 0) break;
      if (IsFaultyEitherWay(evaluation, i)) continue;
      const std::optional<size_t> operand = FaultyOperand(evaluation, i);
      if (!operand) {  // made here
        finding.element = i;
        return finding;
      }
      if (entered < 0) {
        entered = i;
        finding.entered_by = operand;
      }
    }
    if (entered < 0) return std::nullopt;
    finding.element = entered;
  } else {
    finding.element = FaultsIn(result, 0, result.element_count(), kind_, true).first;
    for (size_t i = 0; i < evaluation.operands().size() && !finding.entered_by; ++i) {
      if (HasFault(OperandBefore(evaluation, i), kind_)) finding.entered_by = i;
    }
  }
  if (!finding.entered_by) return finding;
  if (OnlyMoves(module_, evaluation.instruction())) return std::nullopt;
  finding.origin = origins_.Find(step.operands[*finding.entered_by]);
  return finding;
}

absl::Status FirstNanFinder::Keep(const Step& step, const Evaluation& evaluation, Finding finding) {
  finding.is_element_by_element = IsElementByElement(
      evaluation, {evaluation.result(finding.leaf).element_type,
                   evaluation.result(finding.leaf).dims, evaluation.result(finding.leaf).bytes});
  ExecutedInstruction& executed = finding.executed;
  executed.instruction = step.instruction;
  for (size_t i = 0; i < evaluation.operands().size(); ++i) {
    HLO_ASSIGN_OR_RETURN(executed.operands.emplace_back(), ToLiteral(OperandBefore(evaluation, i)));
  }
  for (const MutableArrayRef& made : evaluation.results()) {
    HLO_ASSIGN_OR_RETURN(executed.results.emplace_back(), ToLiteral(made));
  }
  finding.loops.assign(path_.loops().begin(), path_.loops().end());
  finding_ = std::move(finding);
  return absl::DataLossError("NaN");
}

void FirstNanFinder::CheckResult(const Literal& result) {
  std::vector<const Literal*> leaves;
  AddArrays(result, leaves);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ArrayRef array = ArrayOf(*leaves[i]);
    Finding finding;
    finding.element = FaultsIn(array, 0, array.element_count(), kind_, true).first;
    if (finding.element < 0) continue;
    finding.is_moved = true;
    finding.leaf = i;
    finding.origin = origins_.Find(plan_.entry->results[i]);
    finding.executed.instruction = module_.entry().root;
    finding.executed.results.push_back(*leaves[i]);
    finding_ = std::move(finding);
    return;
  }
}

// --- Reporting ---------------------------------------------------------------------------------

std::string FirstNanFinder::ElementText(const ArrayRef& array, int64_t element) const {
  const int64_t size = ElementByteSize(array.element_type);
  const absl::StatusOr<Literal> scalar =
      ToLiteral(ArrayRef{array.element_type, {}, array.bytes + element * size});
  return scalar.ok() ? literal_text_(*scalar) : "";
}

// The elements where they are few, what they are like where not.
std::string FirstNanFinder::ValueText(const Literal& literal) const {
  constexpr int64_t kMostShown = 8;
  if (literal.element_count() <= kMostShown) return literal_text_(literal);
  const ArrayStatistics statistics = MakeStatistics(ArrayOf(literal));
  return fmt::format("{} elements, min {:.6g} max {:.6g} mean {:.6g} nan {} inf {}",
                     statistics.count, statistics.min, statistics.max, statistics.mean,
                     statistics.nan_count, statistics.infinity_count);
}

void FirstNanFinder::Report(DiagnosticSink& sink) const {
  const Finding& finding = *finding_;
  const Instruction& instruction = module_.instruction(finding.executed.instruction);
  const Literal& result = finding.executed.results[finding.is_moved ? 0 : finding.leaf];
  const std::string faults = FaultText(ArrayOf(result), finding.element, kind_);
  std::string source;
  if (finding.origin) {
    const Instruction& origin = module_.instruction(finding.origin->instruction);
    source = fmt::format("{} `{}`", OpcodeName(origin.opcode), origin.name);
  }
  if (finding.is_moved) {
    sink.Error(Rule::kRunFirstNan, instruction.opcode_range,
               "the result has {}{}; nothing computes with it", faults,
               source.empty() ? "" : " from " + source);
  } else if (!finding.entered_by) {
    sink.Error(Rule::kRunFirstNan, instruction.opcode_range, "`{}` makes {}", instruction.name,
               faults);
  } else {
    sink.Error(Rule::kRunFirstNan, instruction.opcode_range, "`{}` takes {}{}", instruction.name,
               faults, source.empty() ? "" : " from " + source);
  }
  if (!finding.is_moved) ReportOperands(sink, instruction);
  if (finding.origin) ReportOrigin(sink);
  ReportPlace(sink, instruction);
}

// The operands' elements that the first fault is made of, else the operands as a whole.
void FirstNanFinder::ReportOperands(DiagnosticSink& sink, const Instruction& instruction) const {
  constexpr size_t kMostShown = 8;
  const std::vector<Literal>& operands = finding_->executed.operands;
  for (size_t i = 0; i < std::min(operands.size(), kMostShown); ++i) {
    const size_t number = OperandOfLeaf(module_, instruction, i);
    const Operand& operand = instruction.operands[number];
    const auto is_same = [&](const Operand& other) { return other.id == operand.id; };
    if (std::ranges::any_of(std::span<const Operand>(instruction.operands).first(number), is_same))
      continue;
    const std::string_view name = module_.instruction(operand.id).name;
    const ArrayRef array = ArrayOf(operands[i]);
    const SourceRange range =
        operand.range.begin == operand.range.end ? instruction.opcode_range : operand.range;
    if (finding_->is_element_by_element) {
      const int64_t element = array.dims.empty() ? 0 : finding_->element;
      sink.Note(range, "`{}`{} is {}", name, IndexText(array.dims, element),
                ElementText(array, element));
    } else {
      sink.Note(range, "`{}` is {}", name, ValueText(operands[i]));
    }
  }
}

void FirstNanFinder::ReportOrigin(DiagnosticSink& sink) const {
  const Instruction& origin = module_.instruction(finding_->origin->instruction);
  const ArrayRef& array = finding_->origin->array;
  const int64_t first = FaultsIn(array, 0, array.element_count(), kind_, true).first;
  sink.Note(origin.name_range, "`{}` holds {}", origin.name, FaultText(array, first, kind_));
}

// The iterations, innermost loop first, and what the program says of where it comes from.
void FirstNanFinder::ReportPlace(DiagnosticSink& sink, const Instruction& instruction) const {
  std::string place;
  for (size_t i = finding_->loops.size(); i-- > 0;) {
    const LoopIteration& loop = finding_->loops[i];
    place += fmt::format("{}iteration {} of `{}`", place.empty() ? "" : ", in ", loop.iteration,
                         module_.instruction(loop.loop).name);
  }
  const Computation& computation = module_.computation(instruction.computation);
  if (instruction.computation != module_.entry_id() || !place.empty()) {
    sink.Note(computation.name_range, "in computation `{}`{}", computation.name,
              place.empty() ? "" : ", " + place);
  }
  const Metadata* metadata = instruction.attributes.GetIf<Attr::kMetadata>();
  if (metadata == nullptr || (metadata->op_name.empty() && metadata->source_file.empty())) return;
  std::string text(metadata->op_name);
  if (!metadata->source_file.empty()) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " at ", metadata->source_file,
                        metadata->source_line);
  }
  sink.Note(instruction.name_range, "it is {}", text);
}

absl::StatusOr<Repro> FirstNanFinder::MakeProgram(int64_t max_constant_elements) const {
  const Finding& finding = *finding_;
  const Instruction& instruction = module_.instruction(finding.executed.instruction);
  if (!finding.is_moved && CanRunAlone(instruction)) {
    return MakeRepro(module_, finding.executed, max_constant_elements);
  }
  const Literal& value = finding.executed.results[finding.is_moved ? 0 : finding.leaf];
  return MakeValueRepro(instruction.name, value, max_constant_elements);
}

}  // namespace hlo

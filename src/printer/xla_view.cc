// A new module is put together from the values of the old one: first the names in the order of
// the text, then computations and instructions in the order of printing, with every reference
// translated.
#include "printer/xla_view.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ir/canonical_sharding.h"
#include "ir/comparison_type.h"
#include "ir/unique_names.h"
#include "printer/xla_frames.h"
#include "printer/xla_order.h"
#include "support/number_format.h"

namespace hlo {
namespace {

// XLA keeps metadata only for the sake of these.
bool HasMainField(const Metadata& metadata) {
  return !metadata.op_type.empty() || !metadata.op_name.empty() || !metadata.source_file.empty() ||
         !metadata.scheduling_name.empty() || metadata.stack_frame_id != 0 ||
         !metadata.metadata_payload.empty();
}

// What XLA's six digits leave of a number.
double WithSixDigits(double value) {
  char text[kMaxNumberSize];
  const char* end = WriteGeneral(text, value, 6);
  double rounded = value;
  std::from_chars(text, end, rounded);
  return rounded;
}

class XlaView {
 public:
  explicit XlaView(const Module& source)
      : source_(source),
        view_(source.source()),
        frames_(source.stack_frames()),
        computation_ids_(source.computations().size()),
        instruction_ids_(source.instructions().size()),
        threads_(source.computations().size()),
        frame_ids_(source.instructions().size()) {}

  Module Make() {
    MakeNames();
    RebuildFrames();
    HandThreadsDown();
    const std::vector<ComputationId> order = XlaComputationOrder(source_);
    for (size_t i = 0; i < order.size(); ++i) computation_ids_[order[i].value] = ComputationId(i);
    XlaPostOrder post_order(source_);
    std::vector<std::vector<InstructionId>> bodies;
    for (ComputationId id : order) bodies.push_back(InstructionOrder(id, post_order));
    uint32_t next = 0;
    for (const std::vector<InstructionId>& body : bodies) {
      for (InstructionId id : body) instruction_ids_[id.value] = InstructionId(next++);
    }
    for (size_t i = 0; i < order.size(); ++i) AddComputation(order[i], bodies[i]);
    view_.set_name(source_.name());
    view_.set_entry(computation_ids_[source_.entry_id().value]);
    view_.mutable_stack_frames() = std::move(frames_.tables());
    AddModuleAttributes();
    return std::move(view_);
  }

 private:
  // --- Names and frames, in the order of the text --------------------------------------------

  void MakeNames() {
    UniqueNames computation_names;
    UniqueNames instruction_names;
    computation_names_.reserve(source_.computations().size());
    instruction_names_.resize(source_.instructions().size());
    for (const Computation& computation : source_.computations()) {
      computation_names_.push_back(
          view_.arena().CopyText(computation_names.Add(SanitizeName(computation.name))));
      for (InstructionId id : computation.instructions) {
        instruction_names_[id.value] =
            view_.arena().CopyText(instruction_names.Add(source_.instruction(id).name));
      }
    }
  }

  void RebuildFrames() {
    for (size_t i = 0; i < source_.instructions().size(); ++i) {
      const Metadata* metadata = source_.instructions()[i].attributes.GetIf<Attr::kMetadata>();
      if (metadata != nullptr) frame_ids_[i] = frames_.Add(metadata->stack_frame_id);
    }
  }

  // An asynchronous start gives its thread to what it wraps and to all below; the last one stands
  // (grammar.md 6.3).
  void HandThreadsDown() {
    for (size_t i = 0; i < threads_.size(); ++i) {
      threads_[i] = source_.computations()[i].execution_thread;
    }
    std::vector<int64_t> runs(threads_.size(), 0);  // the run of equal threads that came last
    std::string_view last_thread;
    int64_t run = 0;
    for (const Computation& computation : source_.computations()) {
      for (InstructionId id : computation.instructions) {
        const Instruction& instruction = source_.instruction(id);
        if (instruction.opcode != Opcode::kAsyncStart) continue;
        const auto* given = instruction.attributes.GetIf<Attr::kAsyncExecutionThread>();
        const std::string_view thread = given == nullptr ? std::string_view("main") : *given;
        if (run == 0 || thread != last_thread) ++run;
        last_thread = thread;
        HandThreadDown(instruction, thread, run, &runs);
      }
    }
  }

  void HandThreadDown(const Instruction& caller, std::string_view thread, int64_t run,
                      std::vector<int64_t>* runs) {
    std::vector<ComputationId> pending = Callees(caller);
    while (!pending.empty()) {
      const ComputationId id = pending.back();
      pending.pop_back();
      if (std::exchange((*runs)[id.value], run) == run) continue;
      threads_[id.value] = thread;
      for (InstructionId callee : source_.computation(id).instructions) {
        const std::vector<ComputationId> below = Callees(source_.instruction(callee));
        pending.insert(pending.end(), below.begin(), below.end());
      }
    }
  }

  // --- Order ---------------------------------------------------------------------------------

  // A schedule is the order of the text; the bodies of fusions have none.
  std::vector<InstructionId> InstructionOrder(ComputationId id, XlaPostOrder& post_order) {
    if (fused_.empty()) FindFused();
    const Computation& computation = source_.computation(id);
    const bool scheduled = source_.is_scheduled() || source_.form() == ModuleForm::kInstruction;
    if (scheduled && !fused_[id.value]) return computation.instructions;
    return post_order.Of(computation);
  }

  void FindFused() {
    fused_.resize(source_.computations().size());
    for (const Instruction& instruction : source_.instructions()) {
      if (!instruction.Has(Attr::kFusionKind)) continue;
      for (ComputationId callee : Callees(instruction)) fused_[callee.value] = true;
    }
  }

  // --- Computations and instructions ---------------------------------------------------------

  void AddComputation(ComputationId id, const std::vector<InstructionId>& body) {
    const Computation& old = source_.computation(id);
    Computation computation;
    computation.name = computation_names_[id.value];
    computation.execution_thread = threads_[id.value];
    computation.spelling = IsSingleOperation(old) ? Spelling::kAsyncSugar : Spelling::kNamed;
    computation.root = Translate(old.root);
    for (InstructionId parameter : old.parameters) {
      computation.parameters.push_back(Translate(parameter));
    }
    for (InstructionId instruction : body) {
      computation.instructions.push_back(Translate(instruction));
      AddInstruction(instruction);
    }
    view_.AddComputation(std::move(computation));
  }

  // Whether an asynchronous caller of the computation prints as sugar: one operation besides
  // parameters.
  bool IsSingleOperation(const Computation& computation) {
    if (asynchronous_.empty()) FindAsynchronous();
    const ComputationId id(static_cast<size_t>(&computation - source_.computations().data()));
    return asynchronous_[id.value] &&
           std::all_of(computation.instructions.begin(), computation.instructions.end(),
                       [&](InstructionId instruction) {
                         return instruction == computation.root ||
                                HasTrait(source_.instruction(instruction).opcode,
                                         kParameterPayload);
                       });
  }

  void FindAsynchronous() {
    asynchronous_.resize(source_.computations().size());
    for (const Instruction& instruction : source_.instructions()) {
      const ComputationId* calls = instruction.attributes.GetIf<Attr::kCalls>();
      if (calls != nullptr && FindAttributeUse(instruction.opcode, Attr::kAsyncExecutionThread)) {
        asynchronous_[calls->value] = true;
      }
    }
  }

  void AddInstruction(InstructionId id) {
    Instruction instruction = source_.instruction(id);
    instruction.name = instruction_names_[id.value];
    instruction.computation = computation_ids_[instruction.computation.value];
    instruction.spelling = Spelling::kNamed;
    std::vector<Operand> operands(instruction.operands.begin(), instruction.operands.end());
    for (Operand& operand : operands) operand.id = Translate(operand.id);
    instruction.operands = Copied(operands);
    instruction.attributes = TranslateAttributes(id);
    view_.AddInstruction(instruction);
  }

  InstructionId Translate(InstructionId id) const { return instruction_ids_[id.value]; }
  ComputationId Translate(ComputationId id) const { return computation_ids_[id.value]; }

  template <typename T>
  List<T> Copied(const std::vector<T>& items) {
    return view_.arena().CopyItems(std::span<const T>(items));
  }
  template <typename T>
  AttributeValue Value(const T& value) {
    return AttributeValue::Make(value, view_.arena());
  }

  // --- Attributes ----------------------------------------------------------------------------

  AttributeMap TranslateAttributes(InstructionId id) {
    const Instruction& instruction = source_.instruction(id);
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : instruction.attributes) {
      if (IsDiscarded(instruction, attribute)) continue;
      Attribute& copy = attributes.emplace_back(attribute);
      TranslateAttribute(id, instruction, &copy);
    }
    AddDerived(instruction, &attributes);
    return AttributeMap(Copied(attributes));
  }

  bool IsDiscarded(const Instruction& instruction, const Attribute& attribute) {
    // The sugared form of an update or done needs to know its body.
    if (attribute.attr == Attr::kCalls &&
        IsSingleOperation(source_.computation(attribute.value.Get<ComputationId>()))) {
      return false;
    }
    const AttributeUse* use = FindAttributeUse(instruction.opcode, attribute.attr);
    if (use != nullptr && use->presence == AttributeUse::Presence::kDiscarded) return true;
    switch (attribute.attr) {
      case Attr::kMetadata: {
        Metadata metadata = attribute.value.Get<Metadata>();
        metadata.stack_frame_id = frame_ids_[source_.id_of(instruction).value];
        return !HasMainField(metadata);
      }
      case Attr::kCompareType:
        return attribute.value.Get<ComparisonType>() ==
               DefaultComparisonType(source_.operand(instruction, 0).shape->element_type());
      case Attr::kAsyncExecutionThread:
        return attribute.value.Get<String>() == "main";
      default:
        return false;
    }
  }

  void TranslateAttribute(InstructionId id, const Instruction& instruction, Attribute* attribute) {
    const AttributeValue& old = attribute->value;
    switch (attribute->attr) {
      case Attr::kBody:
      case Attr::kCondition:
      case Attr::kTrueComputation:
      case Attr::kFalseComputation:
      case Attr::kSelect:
      case Attr::kScatter:
      case Attr::kCalls:
        attribute->value = Value(Translate(old.Get<ComputationId>()));
        break;
      case Attr::kToApply:
        TranslateToApply(instruction, attribute);
        break;
      case Attr::kBranchComputations:
      case Attr::kCalledComputations:
        attribute->value = Value(TranslateList(old.Get<ComputationList>()));
        break;
      case Attr::kControlPredecessors:
        attribute->value = Value(TranslateList(old.Get<InstructionList>()));
        break;
      case Attr::kMetadata: {
        Metadata metadata = old.Get<Metadata>();
        metadata.stack_frame_id = frame_ids_[id.value];
        attribute->value = Value(metadata);
        break;
      }
      case Attr::kSharding:
        attribute->value =
            Value(CanonicalSharding(old.Get<Sharding>(), *instruction.shape, view_.arena()));
        break;
      case Attr::kReplicaGroups:
        attribute->value = Value(CanonicalReplicaGroups(old.Get<ReplicaGroups>(), view_.arena()));
        break;
      case Attr::kConstantValue:
        attribute->value = Value(TranslateLiteral(old.Get<LiteralRef>()));
        break;
      case Attr::kEpsilon:
        attribute->value = Value(WithSixDigits(old.Get<double>()));
        break;
      default:
        break;
    }
  }

  template <typename Id>
  List<Id> TranslateList(const List<Id>& list) {
    std::vector<Id> translated;
    for (Id id : list) translated.push_back(Translate(id));
    return Copied(translated);
  }

  LiteralRef TranslateLiteral(LiteralRef old) {
    Literal copy = *old.literal;
    TranslateElements(copy);
    return {view_.AddLiteral(std::move(copy))};
  }

  void TranslateElements(Literal& literal) {
    for (Literal& element : literal.tuple_elements()) TranslateElements(element);
    if (literal.is_bare_scalar()) ExpandBareScalar(literal);
    if (!literal.shape().IsArray() || !IsComplex(literal.shape().element_type())) return;
    // A complex number whose real part is NaN loses its imaginary part (grammar.md 2.9).
    DispatchElementType<kComplex>(literal.shape().element_type(), [&]<typename T>() {
      for (T& element : literal.elements<T>()) {
        if (std::isnan(element.real())) element = T(element.real(), element.real());
      }
    });
  }

  // XLA keeps, and prints, the zeros behind a number that is given for an array. A short text must
  // not become one of any size, though.
  static void ExpandBareScalar(Literal& literal) {
    constexpr int64_t kMostElements = int64_t{1} << 20;
    const absl::StatusOr<int64_t> count = ElementCount(literal.shape());
    if (!count.ok() || *count > kMostElements) return;
    absl::StatusOr<Literal> expanded = literal.Expanded();
    if (expanded.ok()) literal = *std::move(expanded);
  }

  // Where an opcode has a list of computations besides, to_apply is put into that.
  void TranslateToApply(const Instruction& instruction, Attribute* attribute) {
    const ComputationId callee = Translate(attribute->value.Get<ComputationId>());
    if (FindAttributeUse(instruction.opcode, Attr::kCalledComputations) == nullptr) {
      attribute->value = Value(callee);
      return;
    }
    attribute->attr = Attr::kCalledComputations;
    attribute->value = Value(Copied(std::vector<ComputationId>{callee}));
  }

  // What XLA fills in, whatever the text says.
  void AddDerived(const Instruction& instruction, std::vector<Attribute>* attributes) {
    for (const AttributeUse& use : GetOpcodeInfo(instruction.opcode).attributes) {
      if (use.attr == Attr::kOutfeedShape && !instruction.Has(use.attr)) {
        const ShapeRef shape{source_.operand(instruction, 0).shape};
        attributes->push_back({use.attr, {}, Value(shape)});
      }
      // The dimensions of an elementwise call are always all of them.
      if (use.attr == Attr::kDimensions && use.presence == AttributeUse::Presence::kShown &&
          HasTrait(instruction.opcode, kEmbedded)) {
        SetAllDimensions(instruction.shape->rank(), attributes);
      }
    }
  }

  void SetAllDimensions(int64_t rank, std::vector<Attribute>* attributes) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
    std::erase_if(*attributes, [](const Attribute& a) { return a.attr == Attr::kDimensions; });
    attributes->push_back({Attr::kDimensions, {}, Value(Copied(dims))});
  }

  // --- The module line -----------------------------------------------------------------------

  void AddModuleAttributes() {
    view_.set_attributes(source_.attributes());
    if (source_.form() == ModuleForm::kInstruction) {
      view_.SetModuleAttribute<Attr::kIsScheduled>(true);
    }
    if (const auto* aliases = source_.GetIf<Attr::kInputOutputAlias>()) {
      view_.SetModuleAttribute<Attr::kInputOutputAlias>(SortedAliases(*aliases));
    }
    if (const auto* donors = source_.GetIf<Attr::kBufferDonor>()) {
      std::vector<BufferDonor> sorted(donors->begin(), donors->end());
      std::sort(sorted.begin(), sorted.end(), [](const BufferDonor& a, const BufferDonor& b) {
        if (a.parameter != b.parameter) return a.parameter < b.parameter;
        return std::lexicographical_compare(a.parameter_index.begin(), a.parameter_index.end(),
                                            b.parameter_index.begin(), b.parameter_index.end());
      });
      view_.SetModuleAttribute<Attr::kBufferDonor>(Copied(sorted));
    }
  }

  // In the order of the outputs; of two for one output the first counts.
  ParameterAliases SortedAliases(const ParameterAliases& aliases) {
    std::vector<ParameterAlias> sorted(aliases.begin(), aliases.end());
    std::stable_sort(
        sorted.begin(), sorted.end(), [](const ParameterAlias& a, const ParameterAlias& b) {
          return std::lexicographical_compare(a.output_index.begin(), a.output_index.end(),
                                              b.output_index.begin(), b.output_index.end());
        });
    sorted.erase(std::unique(sorted.begin(), sorted.end(),
                             [](const ParameterAlias& a, const ParameterAlias& b) {
                               return a.output_index == b.output_index;
                             }),
                 sorted.end());
    return Copied(sorted);
  }

  const Module& source_;
  Module view_;
  FrameRebuilder frames_;
  std::vector<std::string_view> computation_names_;
  std::vector<std::string_view> instruction_names_;
  std::vector<ComputationId> computation_ids_;  // by old id
  std::vector<InstructionId> instruction_ids_;
  std::vector<std::string_view> threads_;
  std::vector<int32_t> frame_ids_;  // new ones, by old instruction
  std::vector<bool> fused_;
  std::vector<bool> asynchronous_;
};

}  // namespace

Module MakeXlaView(const Module& module) { return XlaView(module).Make(); }

}  // namespace hlo

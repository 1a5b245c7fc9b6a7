// A copy of the module, its computations in the order of printing, is changed step by step: names,
// frames and threads in the order of the text, then every body and its attributes.
#include "printer/xla_view.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ir/canonical_sharding.h"
#include "ir/comparison_type.h"
#include "ir/module_builder.h"
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

// For each id its place in `order`.
std::vector<ComputationId> Inverse(std::span<const ComputationId> order) {
  std::vector<ComputationId> places(order.size());
  for (size_t i = 0; i < order.size(); ++i) places[order[i].value] = ComputationId(i);
  return places;
}

// Whether the elements of `literal` are not as XLA has them.
bool IsForeign(const Literal& literal) {
  if (literal.shape().IsTuple()) return std::ranges::any_of(literal.tuple_elements(), IsForeign);
  return literal.is_bare_scalar() ||
         (literal.shape().IsArray() && IsComplex(literal.shape().element_type()));
}

class XlaView {
 public:
  explicit XlaView(const Module& source) : XlaView(source, XlaComputationOrder(source)) {}

  Module Make() {
    builder_.MakeNamesUnique(text_order_);
    HandThreadsDown();
    FindCallers();
    AdaptComputations();
    for (size_t i = 0; i < view_.instructions().size(); ++i) AdaptInstruction(InstructionId(i));
    builder_.SetStackFrames(std::move(frames_.tables()));
    AdaptModuleAttributes();
    builder_.SetForm(ModuleForm::kFull);
    return std::move(builder_).Finish();
  }

 private:
  XlaView(const Module& source, const std::vector<ComputationId>& order)
      : builder_(CloneModule(source, order)), text_order_(Inverse(order)) {}

  // --- Threads -------------------------------------------------------------------------------

  // An asynchronous start gives its thread to what it wraps and to all below; the last one stands
  // (grammar.md 6.3).
  void HandThreadsDown() {
    std::vector<int64_t> runs(view_.computations().size(),
                              0);  // the run of equal threads that came last
    std::string_view last_thread;
    int64_t run = 0;
    for (ComputationId computation : text_order_) {
      for (InstructionId id : view_.computation(computation).instructions) {
        const Instruction& instruction = view_.instruction(id);
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
      builder_.SetExecutionThread(id, thread);
      for (InstructionId callee : view_.computation(id).instructions) {
        const std::vector<ComputationId> below = Callees(view_.instruction(callee));
        pending.insert(pending.end(), below.begin(), below.end());
      }
    }
  }

  // --- Computations --------------------------------------------------------------------------

  void FindCallers() {
    for (const Instruction& instruction : view_.instructions()) {
      if (instruction.Has(Attr::kFusionKind)) {
        for (ComputationId callee : Callees(instruction)) fused_[callee.value] = true;
      }
      const ComputationId* calls = instruction.attributes.GetIf<Attr::kCalls>();
      if (calls != nullptr && FindAttributeUse(instruction.opcode, Attr::kAsyncExecutionThread)) {
        asynchronous_[calls->value] = true;
      }
    }
  }

  void AdaptComputations() {
    XlaPostOrder post_order(view_);
    const bool is_scheduled = view_.is_scheduled() || view_.form() == ModuleForm::kInstruction;
    for (ComputationId id : text_order_) {
      builder_.SetSpelling(id, IsSingleOperation(id) ? Spelling::kAsyncSugar : Spelling::kNamed);
      // A schedule is the order of the text; the bodies of fusions have none.
      if (is_scheduled && !fused_[id.value]) continue;
      builder_.SetOrder(id, post_order.Of(view_.computation(id)));
    }
  }

  // Whether an asynchronous caller of the computation prints as sugar: one operation besides
  // parameters.
  bool IsSingleOperation(ComputationId id) const {
    const Computation& computation = view_.computation(id);
    return asynchronous_[id.value] &&
           std::ranges::all_of(computation.instructions, [&](InstructionId instruction) {
             return instruction == computation.root ||
                    HasTrait(view_.instruction(instruction).opcode, kParameterPayload);
           });
  }

  // --- Instructions --------------------------------------------------------------------------

  void AdaptInstruction(InstructionId id) {
    const Instruction& instruction = view_.instruction(id);
    builder_.SetSpelling(id, Spelling::kNamed);
    for (const Attribute& attribute : AttributeMap(instruction.attributes)) {
      AdaptAttribute(id, attribute);
    }
    AddDerived(id);
  }

  void AdaptAttribute(InstructionId id, const Attribute& attribute) {
    switch (attribute.attr) {
      case Attr::kMetadata:
        AdaptMetadata(id, attribute.value.Get<Metadata>());
        break;
      case Attr::kToApply:
        AdaptToApply(id, attribute.value.Get<ComputationId>());
        break;
      case Attr::kSharding:
        builder_.Set<Attr::kSharding>(
            id, CanonicalSharding(attribute.value.Get<Sharding>(), *view_.instruction(id).shape,
                                  scratch_));
        break;
      case Attr::kReplicaGroups:
        builder_.Set<Attr::kReplicaGroups>(
            id, CanonicalReplicaGroups(attribute.value.Get<ReplicaGroups>(), scratch_));
        break;
      case Attr::kConstantValue:
        AdaptLiteral(id, *attribute.value.Get<LiteralRef>().literal);
        break;
      case Attr::kEpsilon:
        builder_.Set<Attr::kEpsilon>(id, WithSixDigits(attribute.value.Get<double>()));
        break;
      default:
        break;
    }
    if (IsDiscarded(view_.instruction(id), attribute)) {
      builder_.RemoveAttribute(id, attribute.attr);
    }
  }

  bool IsDiscarded(const Instruction& instruction, const Attribute& attribute) const {
    // The sugared form of an update or done needs to know its body.
    if (attribute.attr == Attr::kCalls && IsSingleOperation(attribute.value.Get<ComputationId>())) {
      return false;
    }
    const AttributeUse* use = FindAttributeUse(instruction.opcode, attribute.attr);
    if (use != nullptr && use->presence == AttributeUse::Presence::kDiscarded) return true;
    switch (attribute.attr) {
      case Attr::kMetadata:
        return !HasMainField(instruction.Get<Attr::kMetadata>());
      case Attr::kCompareType:
        return attribute.value.Get<ComparisonType>() ==
               DefaultComparisonType(view_.operand(instruction, 0).shape->element_type());
      case Attr::kAsyncExecutionThread:
        return attribute.value.Get<String>() == "main";
      default:
        return false;
    }
  }

  void AdaptMetadata(InstructionId id, Metadata metadata) {
    const int32_t frame = frames_.Add(metadata.stack_frame_id);
    if (std::exchange(metadata.stack_frame_id, frame) == frame) return;
    builder_.Set<Attr::kMetadata>(id, metadata);
  }

  void AdaptLiteral(InstructionId id, const Literal& literal) {
    if (!IsForeign(literal)) return;
    Literal adapted = literal;
    AdaptElements(adapted);
    builder_.Set<Attr::kConstantValue>(id, {&adapted});
  }

  void AdaptElements(Literal& literal) {
    for (Literal& element : literal.tuple_elements()) AdaptElements(element);
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
  void AdaptToApply(InstructionId id, ComputationId callee) {
    if (FindAttributeUse(view_.instruction(id).opcode, Attr::kCalledComputations) == nullptr)
      return;
    builder_.RemoveAttribute(id, Attr::kToApply);
    builder_.Set<Attr::kCalledComputations>(id, std::vector<ComputationId>{callee});
  }

  // What XLA fills in, whatever the text says.
  void AddDerived(InstructionId id) {
    const Instruction& instruction = view_.instruction(id);
    for (const AttributeUse& use : GetOpcodeInfo(instruction.opcode).attributes) {
      if (use.attr == Attr::kOutfeedShape && !instruction.Has(use.attr)) {
        builder_.Set<Attr::kOutfeedShape>(id, {view_.operand(instruction, 0).shape});
      }
      // The dimensions of an elementwise call are always all of them.
      if (use.attr == Attr::kDimensions && use.presence == AttributeUse::Presence::kShown &&
          HasTrait(instruction.opcode, kEmbedded)) {
        std::vector<int64_t> dims(static_cast<size_t>(instruction.shape->rank()));
        std::iota(dims.begin(), dims.end(), int64_t{0});
        builder_.Set<Attr::kDimensions>(id, dims);
      }
    }
  }

  // --- The module line -----------------------------------------------------------------------

  void AdaptModuleAttributes() {
    if (view_.form() == ModuleForm::kInstruction) builder_.SetModule<Attr::kIsScheduled>(true);
    if (const auto* aliases = view_.GetIf<Attr::kInputOutputAlias>()) {
      builder_.SetModule<Attr::kInputOutputAlias>(SortedAliases(*aliases));
    }
    if (const auto* donors = view_.GetIf<Attr::kBufferDonor>()) {
      std::vector<BufferDonor> sorted(donors->begin(), donors->end());
      std::sort(sorted.begin(), sorted.end(), [](const BufferDonor& a, const BufferDonor& b) {
        if (a.parameter != b.parameter) return a.parameter < b.parameter;
        return std::lexicographical_compare(a.parameter_index.begin(), a.parameter_index.end(),
                                            b.parameter_index.begin(), b.parameter_index.end());
      });
      builder_.SetModule<Attr::kBufferDonor>(sorted);
    }
  }

  // In the order of the outputs; of two for one output the first counts.
  static std::vector<ParameterAlias> SortedAliases(const ParameterAliases& aliases) {
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
    return sorted;
  }

  ModuleBuilder builder_;
  const Module& view_ = builder_.module();
  const std::vector<ComputationId> text_order_;
  FrameRebuilder frames_{view_.stack_frames()};
  std::vector<bool> fused_ = std::vector<bool>(view_.computations().size());  // by computation
  std::vector<bool> asynchronous_ = fused_;
  Arena scratch_;
};

}  // namespace

Module MakeXlaView(const Module& module) { return XlaView(module).Make(); }

}  // namespace hlo

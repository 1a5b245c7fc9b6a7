// An element of an operand reaches those of the result whose bits differ when it is changed, on the
// reference backend. From the result's side all that the map leaves out is changed at once, which
// must not matter; then some of what it has, one by one. Only what is missed is proof: a dependence
// that was not seen may show with other values, for which there are rounds.
#include "tools/index_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "indexing/grouped.h"
#include "indexing/image.h"
#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/make_plan.h"
#include "ir/index_space.h"
#include "ir/layout_index.h"
#include "ir/module_builder.h"
#include "support/diagnostic.h"
#include "support/status_macros.h"

namespace hlo::tools {
namespace {

using indexing::ArrayMaps;
using indexing::ElementSet;
using indexing::ElementSetText;
using indexing::ElementShape;
using indexing::Unite;

// The instruction as a program of its own: operands are parameters.
class Subject {
 public:
  static absl::StatusOr<std::unique_ptr<Subject>> Make(const Module& module, InstructionId id) {
    auto subject = std::unique_ptr<Subject>(new Subject(Isolated(module, id)));
    HLO_RETURN_IF_ERROR(subject->Plan());
    return subject;
  }

  const Module& module() const { return module_; }
  const Instruction& instruction() const { return module_.root(module_.entry()); }

  absl::StatusOr<Literal> Run(std::span<const Literal> operands) {
    HLO_RETURN_IF_ERROR(executor_->Run(operands));
    return executor_->Result();
  }

 private:
  explicit Subject(Module module) : module_(std::move(module)) {}

  static Module Isolated(const Module& module, InstructionId id) {
    ModuleBuilder builder("subject");
    const ComputationId entry = builder.AddComputation("main");
    const Instruction& instruction = module.instruction(id);
    CloneMap map;
    std::vector<InstructionId> parameters;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const Shape& shape = *module.instruction(instruction.operands[i].id).shape;
      parameters.push_back(builder.AddParameter(entry, shape, fmt::format("p{}", i)));
      map.instructions.emplace(instruction.operands[i].id, parameters.back());
    }
    const InstructionId root = builder.CloneInstruction(module, id, entry, map);
    builder.SetOperands(root, parameters);
    builder.SetRoot(entry, root);
    builder.SetEntry(entry);
    return std::move(builder).Finish();
  }

  absl::Status Plan() {
    DiagnosticSink sink(module_.source());
    const std::optional<RunnableModule> runnable = RunnableModule::Verify(module_, sink);
    const PlanOptions definition = {.backend = FindBackend("reference")};
    if (runnable) plan_ = MakePlan(*runnable, sink, definition);
    if (!plan_) {
      return absl::UnimplementedError(sink.diagnostics().empty()
                                          ? "it cannot run by itself"
                                          : sink.diagnostics().front().message);
    }
    HLO_ASSIGN_OR_RETURN(executor_, Executor::Create(*plan_, device_));
    return absl::OkStatus();
  }

  Module module_;
  std::optional<hlo::Plan> plan_;
  DeviceContext device_;
  std::unique_ptr<Executor> executor_;
};

int64_t CountOf(const Shape& shape) { return ElementCount(shape).value_or(INT64_MAX); }

// Numbers of all kinds, and changes to them.
class Values {
 public:
  explicit Values(uint32_t seed) : random_(seed) {}

  absl::StatusOr<Literal> Make(const Shape& shape) {
    if (!shape.IsArray()) return absl::UnimplementedError("operands that are no arrays");
    HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Zeros(shape));
    for (int64_t i = 0; i < literal.element_count(); ++i) Set(literal, i);
    return literal;
  }

  // Small numbers: whole ones may be indices.
  void Set(Literal& literal, int64_t i) {
    DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
      T& element = literal.elements<T>()[static_cast<size_t>(i)];
      constexpr TypeSet kClass = kTypeClassOf<T>;
      if constexpr (kClass == kFloat || kClass == kComplex) {
        element = T(static_cast<float>(Pick(2'000, 100'000)) / 16'384.0f);
      } else {
        element = static_cast<T>(Pick(0, 3));
      }
    });
  }

  // Something else, by much, up or down.
  void Change(Literal& literal, int64_t i, bool up) {
    DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
      T& element = literal.elements<T>()[static_cast<size_t>(i)];
      constexpr TypeSet kClass = kTypeClassOf<T>;
      const float change = static_cast<float>(Pick(8, 64)) * (up ? 1.0f : -1.0f);
      if constexpr (kClass == kFloat) {
        element = T(static_cast<float>(element) + change);
      } else if constexpr (kClass == kComplex) {
        element = element + T(change);
      } else if constexpr (kClass == kPred) {
        element = !element;
      } else {
        element = static_cast<T>(static_cast<int64_t>(element) + (up ? 1 : -1));
      }
    });
  }

  int64_t Pick(int64_t lower, int64_t upper) {
    return std::uniform_int_distribution<int64_t>(lower, upper)(random_);
  }

 private:
  std::mt19937 random_;
};

class Check {
 public:
  Check(Subject& subject, int64_t output, int64_t operand, const CheckOptions& options)
      : subject_(subject),
        output_(output),
        operand_(operand),
        options_(options),
        values_(options.seed) {}

  absl::StatusOr<CheckResult> Run(bool to_input) {
    const OpView op(subject_.module(), subject_.instruction());
    if (operand_ >= op.operand_count()) return absl::InvalidArgumentError("no such operand");
    const Shape& result = ElementShape(*subject_.instruction().shape, output_);
    if (!result.IsArray()) return absl::UnimplementedError("results that are no arrays");
    if (CountOf(result) > options_.max_elements) return TooLarge();
    for (int64_t i = 0; i < op.operand_count(); ++i) {
      if (CountOf(op.operand_shape(i)) > options_.max_elements) return TooLarge();
    }
    HLO_RETURN_IF_ERROR(MakeOperands());
    const indexing::IndexingOptions indexing_options{.sound = options_.sound};
    const std::vector<ArrayMaps> maps =
        to_input ? OutputToInput(op, output_, context_, indexing_options)
                 : InputToOutput(op, operand_, context_, indexing_options);
    maps_ = maps[static_cast<size_t>(to_input ? operand_ : output_)].maps;
    if (maps_.HasUnknown()) return absl::UnimplementedError("the maps are unknown");
    from_ = to_input ? result.dims() : op.operand_shape(operand_).dims();
    to_ = to_input ? op.operand_shape(operand_).dims() : result.dims();
    for (int64_t element :
         Samples(to_input ? CountOf(result) : CountOf(op.operand_shape(operand_)))) {
      HLO_RETURN_IF_ERROR(to_input ? CheckOutputElement(element) : CheckInputElement(element));
    }
    return result_;
  }

 private:
  static absl::Status TooLarge() { return absl::UnimplementedError("it is too large to be run"); }

  // Values for all operands, and the result they give.
  absl::Status MakeOperands() {
    const OpView op(subject_.module(), subject_.instruction());
    operands_.clear();
    for (int64_t i = 0; i < op.operand_count(); ++i) {
      HLO_ASSIGN_OR_RETURN(Literal value, values_.Make(op.operand_shape(i)));
      operands_.push_back(std::move(value));
    }
    HLO_ASSIGN_OR_RETURN(base_, subject_.Run(operands_));
    return absl::OkStatus();
  }

  std::vector<int64_t> Samples(int64_t count) {
    std::vector<int64_t> samples;
    for (int64_t i = 0; i < std::min(count, options_.max_samples); ++i) {
      samples.push_back(count <= options_.max_samples ? i : values_.Pick(0, count - 1));
    }
    return samples;
  }

  // The elements that the maps lead to, with the start indices of this run.
  absl::StatusOr<ElementSet> Claimed(int64_t element) const {
    constexpr int64_t kMaxPoints = 1 << 20;
    ElementSet claimed;
    for (const indexing::IndexingMap& map : maps_) {
      const std::optional<ElementSet> image =
          ImageOf(map, MultiIndex(from_, element), to_, kMaxPoints,
                  [this](const indexing::RuntimeOrigin& origin, std::span<const int64_t> index) {
                    return ReadStart(origin, index);
                  });
      if (!image) return absl::ResourceExhaustedError("its maps are too large to be enumerated");
      Unite(claimed, *image);
    }
    return claimed;
  }

  // Starts are read from operands, or from parameters of the computation that is called.
  std::optional<int64_t> ReadStart(const indexing::RuntimeOrigin& origin,
                                   std::span<const int64_t> index) const {
    const Instruction& instruction = subject_.module().instruction(origin.instruction);
    if (instruction.opcode != Opcode::kParameter) return std::nullopt;
    const bool is_direct = instruction.computation == subject_.module().entry_id() ||
                           (subject_.instruction().Has(Attr::kCalls) &&
                            instruction.computation == subject_.instruction().Get<Attr::kCalls>());
    if (!is_direct) return std::nullopt;
    const Literal& literal =
        operands_[static_cast<size_t>(instruction.Get<Attr::kParameterNumber>())];
    if (!IsInteger(literal.shape().element_type())) return std::nullopt;
    const int64_t position = LinearIndex(literal.shape().dims(), index);
    return DispatchElementType<kInteger>(literal.shape().element_type(), [&]<typename T>() {
      return static_cast<int64_t>(literal.elements<T>()[static_cast<size_t>(position)]);
    });
  }

  // Which elements of the output differ from the first run.
  ElementSet Differing(const Literal& result) const {
    const auto array = [this](const Literal& literal) -> const Literal& {
      return literal.shape().IsTuple() ? literal.tuple_elements()[static_cast<size_t>(output_)]
                                       : literal;
    };
    const Literal& before = array(base_);
    const Literal& after = array(result);
    ElementSet differing;
    const int64_t count = before.element_count();
    const int64_t size = count == 0 ? 0 : before.byte_size() / count;
    for (int64_t i = 0; i < count; ++i) {
      if (std::memcmp(before.bytes() + i * size, after.bytes() + i * size,
                      static_cast<size_t>(size)) != 0) {
        differing.push_back(i);
      }
    }
    return differing;
  }

  absl::StatusOr<ElementSet> ChangedBy(std::span<const int64_t> elements, bool up) {
    std::vector<Literal> operands = operands_;
    for (int64_t e : elements) values_.Change(operands[static_cast<size_t>(operand_)], e, up);
    HLO_ASSIGN_OR_RETURN(const Literal result, subject_.Run(operands));
    return Differing(result);
  }

  // Changes of one element, up and down, reach what they reach.
  absl::Status CheckInputElement(int64_t element) {
    ElementSet all_claimed, all_reached;
    bool is_complete = true;
    for (int round = 0; round < options_.rounds; ++round) {
      if (round > 0) HLO_RETURN_IF_ERROR(MakeOperands());
      HLO_ASSIGN_OR_RETURN(const ElementSet claimed, Claimed(element));
      ElementSet reached;
      for (bool up : {true, false, true}) {
        HLO_ASSIGN_OR_RETURN(const ElementSet changed, ChangedBy(std::span(&element, 1), up));
        Unite(reached, changed);
      }
      is_complete &= std::ranges::includes(claimed, reached);
      Unite(all_claimed, claimed);
      Unite(all_reached, reached);
    }
    Record(element, all_claimed, is_complete, std::ranges::includes(all_reached, all_claimed),
           all_reached);
    return absl::OkStatus();
  }

  // Changing everything that the map leaves out changes nothing; changing what it has does.
  absl::Status CheckOutputElement(int64_t element) {
    ElementSet claimed, tried, read;
    bool is_complete = true;
    for (int round = 0; round < options_.rounds; ++round) {
      if (round > 0) HLO_RETURN_IF_ERROR(MakeOperands());
      HLO_ASSIGN_OR_RETURN(claimed, Claimed(element));
      HLO_ASSIGN_OR_RETURN(const bool is_reached, IsReachedFromOthers(element, claimed));
      is_complete &= !is_reached;
      HLO_RETURN_IF_ERROR(AddRead(element, claimed, tried, read));
    }
    Record(element, claimed, is_complete, read.size() == tried.size(), {});
    return absl::OkStatus();
  }

  // Whether elements that are not among `claimed` matter to `element`.
  absl::StatusOr<bool> IsReachedFromOthers(int64_t element, const ElementSet& claimed) {
    ElementSet others;
    const int64_t count = operands_[static_cast<size_t>(operand_)].element_count();
    for (int64_t e = 0; e < count; ++e) {
      if (!std::ranges::binary_search(claimed, e)) others.push_back(e);
    }
    for (bool up : {true, false}) {
      HLO_ASSIGN_OR_RETURN(const ElementSet changed, ChangedBy(others, up));
      if (std::ranges::binary_search(changed, element)) return true;
    }
    return false;
  }

  // Tries some of `claimed`, always the same ones where sets are the same; adds them to `tried`,
  // and to `read` those that matter to `element`.
  absl::Status AddRead(int64_t element, const ElementSet& claimed, ElementSet& tried,
                       ElementSet& read) {
    constexpr size_t kMaxChanges = 6;
    const size_t step = (claimed.size() + kMaxChanges - 1) / kMaxChanges;
    for (size_t i = claimed.empty() ? 0 : static_cast<size_t>(element) % step; i < claimed.size();
         i += step) {
      Unite(tried, {claimed[i]});
      for (bool up : {true, false, true}) {
        HLO_ASSIGN_OR_RETURN(const ElementSet changed, ChangedBy(std::span(&claimed[i], 1), up));
        if (std::ranges::binary_search(changed, element)) Unite(read, {claimed[i]});
      }
    }
    return absl::OkStatus();
  }

  void Record(int64_t element, const ElementSet& claimed, bool is_complete, bool is_tight,
              const ElementSet& reached) {
    ++result_.checked;
    const bool is_first =
        !is_complete ? result_.missed == 0 : result_.missed + result_.overestimated == 0;
    if (!is_complete) ++result_.missed;
    if (!is_tight) ++result_.overestimated;
    if ((is_complete && is_tight) || !is_first) return;
    result_.example = fmt::format("of {} the map has {}", ElementSetText({element}, from_),
                                  ElementSetText(claimed, to_));
    if (!reached.empty()) result_.example += ", seen was " + ElementSetText(reached, to_);
  }

  Subject& subject_;
  int64_t output_, operand_;
  CheckOptions options_;
  Values values_;
  indexing::ExprContext context_;
  std::vector<Literal> operands_;
  Literal base_;
  indexing::MapSet maps_;
  std::span<const int64_t> from_, to_;
  CheckResult result_;
};

}  // namespace

absl::StatusOr<CheckResult> CheckMaps(const Module& module, InstructionId id, bool to_input,
                                      int64_t output, int64_t operand,
                                      const CheckOptions& options) {
  if (CountOf(ElementShape(*module.instruction(id).shape, output)) > options.max_elements) {
    return absl::UnimplementedError("it is too large to be run");
  }
  HLO_ASSIGN_OR_RETURN(const std::unique_ptr<Subject> subject, Subject::Make(module, id));
  return Check(*subject, output, operand, options).Run(to_input);
}

}  // namespace hlo::tools

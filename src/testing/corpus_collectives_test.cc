// Every collective of the corpus' dumps, which are made for 4 to 512 devices: cut down to 16
// participants and short dimensions, run on them, and its results compared with what its definition
// (semantics.md 14.3) says in other instructions, run on one device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interp/arguments.h"
#include "interp/inspect/extract.h"
#include "ir/module_builder.h"
#include "ir/participant_groups.h"
#include "support/status_macros.h"
#include "testing/run_module.h"
#include "testing/run_participants.h"
#include "testing/xla_cases.h"

namespace hlo::testing {
namespace {

const std::filesystem::path kModels = AnswersFolder("corpus") / "models";

bool IsTested(const Instruction& instruction) {
  return GetOpcodeInfo(instruction.opcode).family == OpcodeFamily::kCollective &&
         (FindAttributeUse(instruction.opcode, Attr::kReplicaGroups) != nullptr ||
          FindAttributeUse(instruction.opcode, Attr::kSourceTargetPairs) != nullptr);
}

// What makes two collectives the same for a test.
std::string KindOf(const Module& module, const Instruction& instruction, const std::string& how) {
  std::string text =
      fmt::format("{} {} {}", OpcodeName(instruction.opcode), ShapeText(*instruction.shape), how);
  for (const Operand& operand : instruction.operands) {
    text += " " + ShapeText(*module.instruction(operand.id).shape);
  }
  if (const ComputationId* reducer = instruction.attributes.GetIf<Attr::kToApply>()) {
    const Instruction& root = module.root(module.computation(*reducer));
    text += fmt::format(" {} {}", OpcodeName(root.opcode), ShapeText(*root.shape));
  }
  const OpView op(module, instruction);
  const auto groups = ListedGroups(instruction.Get<Attr::kReplicaGroups>());
  if (groups.ok()) {
    for (const auto& group : *groups) text += fmt::format(" {{{}}}", fmt::join(group, ","));
  }
  for (const IntList& pair : instruction.Get<Attr::kSourceTargetPairs>()) {
    text += fmt::format(" {}>{}", pair[0], pair[1]);
  }
  return text;
}

// Builds what a participant computes of everybody's operands, with instructions that are no
// collectives. Parameter k is operand k of member 0, and so on.
class Definition {
 public:
  explicit Definition(const Module& module)
      : module_(module), op_(module, module.root(module.entry())), builder_("definition") {}

  // The result of member `position` of a group of `members`.
  Module OfGroup(size_t members, size_t position) {
    if (const ComputationId* reducer = op_.instruction().attributes.GetIf<Attr::kToApply>()) {
      reducer_ = builder_.CloneComputation(module_, *reducer, map_);
    }
    main_ = builder_.AddComputation("main");
    for (size_t m = 0; m < members; ++m) {
      for (int64_t i = 0; i < op_.operand_count(); ++i) {
        parameters_.push_back(
            builder_.AddParameter(main_, op_.operand_shape(i), fmt::format("p{}.{}", m, i)));
      }
    }
    std::vector<InstructionId> results;
    for (int64_t i = 0; i < op_.operand_count(); ++i) {
      results.push_back(ResultOf(i, members, position));
    }
    return FinishWith(results);
  }

  // Zeros: nobody sends to it.
  Module OfNobody() {
    main_ = builder_.AddComputation("main");
    std::vector<InstructionId> results;
    for (int64_t i = 0; i < op_.operand_count(); ++i) {
      const Shape& shape = op_.operand_shape(i);
      const Shape scalar = Shape::Scalar(shape.element_type());
      const InstructionId zero = builder_.AddConstant(main_, *Literal::Zeros(scalar));
      results.push_back(builder_.Add(main_, Opcode::kBroadcast, shape, {zero}));
      builder_.Set<Attr::kDimensions>(results.back(), std::span<const int64_t>());
    }
    return FinishWith(results);
  }

 private:
  Module FinishWith(const std::vector<InstructionId>& results) {
    std::vector<Shape> shapes;
    for (InstructionId result : results) shapes.push_back(*builder_.instruction(result).shape);
    const bool is_array = op_.written_shape()->IsArray();
    builder_.SetRoot(
        main_,
        is_array ? results[0] : builder_.Add(main_, Opcode::kTuple, Shape::Tuple(shapes), results));
    builder_.SetEntry(main_);
    return std::move(builder_).Finish();
  }

  InstructionId Parameter(size_t member, int64_t operand) const {
    return parameters_[member * static_cast<size_t>(op_.operand_count()) +
                       static_cast<size_t>(operand)];
  }
  const Shape& ShapeOf(InstructionId id) { return *builder_.instruction(id).shape; }

  InstructionId Convert(InstructionId value, ElementType type) {
    Shape shape = ShapeOf(value);
    if (shape.element_type() == type) return value;
    shape = Shape::ArrayWithDefaultLayout(type, shape.dims());
    return builder_.Add(main_, Opcode::kConvert, shape, {value});
  }

  // Left to right, in the reducer's type.
  InstructionId Reduced(int64_t operand, size_t members) {
    const ElementType type = op_.operand_shape(operand).element_type();
    const Computation& reducer = builder_.module().computation(reducer_);
    const ElementType fold_type = builder_.instruction(reducer.parameters[0]).shape->element_type();
    InstructionId sum = Convert(Parameter(0, operand), fold_type);
    std::vector<int64_t> dimensions;
    for (int64_t d = 0; d < ShapeOf(sum).rank(); ++d) dimensions.push_back(d);
    for (size_t m = 1; m < members; ++m) {
      const InstructionId next = Convert(Parameter(m, operand), fold_type);
      const Shape shape = ShapeOf(sum);
      sum = builder_.Add(main_, Opcode::kMap, shape, {sum, next});
      builder_.Set<Attr::kDimensions>(sum, std::span<const int64_t>(dimensions));
      builder_.Set<Attr::kToApply>(sum, reducer_);
    }
    return Convert(sum, type);
  }

  // Block `block` of `count` along dimension d.
  InstructionId Block(InstructionId value, int64_t d, size_t block, size_t count) {
    Shape shape = ShapeOf(value);
    const int64_t size = shape.dim(d) / static_cast<int64_t>(count);
    std::vector<SliceRange> slices;
    for (int64_t k = 0; k < shape.rank(); ++k) slices.push_back({0, shape.dim(k), 1});
    slices[static_cast<size_t>(d)] = {static_cast<int64_t>(block) * size,
                                      static_cast<int64_t>(block + 1) * size, 1};
    shape.set_dim(d, size);
    const InstructionId slice = builder_.Add(main_, Opcode::kSlice, shape, {value});
    builder_.Set<Attr::kSliceRanges>(slice, std::span<const SliceRange>(slices));
    return slice;
  }

  InstructionId Concatenated(const std::vector<InstructionId>& parts, int64_t d) {
    Shape shape = ShapeOf(parts[0]);
    shape.set_dim(d, shape.dim(d) * static_cast<int64_t>(parts.size()));
    const InstructionId whole = builder_.Add(main_, Opcode::kConcatenate, shape, parts);
    const int64_t dimensions[] = {d};
    builder_.Set<Attr::kDimensions>(whole, std::span<const int64_t>(dimensions));
    return whole;
  }

  InstructionId ResultOf(int64_t operand, size_t members, size_t position) {
    std::vector<InstructionId> parts;
    const bool has_dimension = op_.Has(Attr::kDimensions);
    const int64_t d = has_dimension ? op_.Get<Attr::kDimensions>()[0] : 0;
    switch (op_.opcode()) {
      case Opcode::kAllReduce:
        return Reduced(operand, members);
      case Opcode::kReduceScatter:
        return Block(Reduced(operand, members), d, position, members);
      case Opcode::kAllGather:
        for (size_t m = 0; m < members; ++m) parts.push_back(Parameter(m, operand));
        return Concatenated(parts, d);
      case Opcode::kAllToAll:
        if (!has_dimension) {
          return Parameter(static_cast<size_t>(operand), static_cast<int64_t>(position));
        }
        for (size_t m = 0; m < members; ++m) {
          parts.push_back(Block(Parameter(m, operand), d, position, members));
        }
        return Concatenated(parts, d);
      default:  // broadcast, permute: what the first member has
        return Parameter(0, operand);
    }
  }

  const Module& module_;
  const OpView op_;
  ModuleBuilder builder_;
  CloneMap map_;
  ComputationId reducer_;
  ComputationId main_;
  std::vector<InstructionId> parameters_;
};

// Whose operands make the result of participant `me`, in order, and its place among them.
struct Sources {
  std::vector<ParticipantId> members;
  size_t position = 0;
};
absl::StatusOr<Sources> SourcesOf(const OpView& op, const DeviceCounts& counts, ParticipantId me) {
  if (op.opcode() == Opcode::kCollectivePermute) {
    HLO_ASSIGN_OR_RETURN(const auto pairs, PermutePairs(op, counts));
    for (const auto& [source, target] : pairs) {
      if (target == me) return Sources{{source}, 0};
    }
    return Sources();
  }
  HLO_ASSIGN_OR_RETURN(const IdGroups groups, ParticipantGroups(op, counts));
  for (const std::vector<ParticipantId>& group : groups) {
    const auto found = std::ranges::find(group, me);
    if (found != group.end()) return Sources{group, static_cast<size_t>(found - group.begin())};
  }
  return Sources();
}

absl::Status CheckCollective(const Module& cut) {
  const OpView op(cut, cut.root(cut.entry()));
  const DeviceCounts counts = DeviceCountsOf(cut, {});
  std::vector<std::vector<Literal>> arguments;
  for (int64_t id = 0; id < counts.replicas * counts.partitions; ++id) {
    const ArgumentGenerator generator(cut, FakeKind::kRandom, static_cast<uint64_t>(id));
    HLO_ASSIGN_OR_RETURN(arguments.emplace_back(), generator.MakeAll());
  }
  HLO_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                       RunOnParticipants(cut, counts, arguments));
  for (size_t id = 0; id < results.size(); ++id) {
    HLO_ASSIGN_OR_RETURN(const Sources sources,
                         SourcesOf(op, counts, static_cast<ParticipantId>(id)));
    Definition definition(cut);
    const Module expected = sources.members.empty()
                                ? definition.OfNobody()
                                : definition.OfGroup(sources.members.size(), sources.position);
    std::vector<Literal> operands;
    for (ParticipantId member : sources.members) {
      const std::vector<Literal>& own = arguments[static_cast<size_t>(member)];
      // An operand that is there twice is one parameter.
      for (int64_t i = 0; i < op.operand_count(); ++i) {
        const auto& parameters = cut.entry().parameters;
        const auto number = std::ranges::find(parameters, cut.id_of(op.operand(i)));
        operands.push_back(own[static_cast<size_t>(number - parameters.begin())]);
      }
    }
    HLO_ASSIGN_OR_RETURN(Literal result, RunModule(expected, operands));
    result.set_shape(results[id].shape());
    if (result == results[id]) continue;
    return absl::InternalError(fmt::format("participant {} has another result", id));
  }
  return absl::OkStatus();
}

TEST(CorpusCollectivesTest, AreWhatTheirDefinitionsSay) {
  std::map<std::string, int64_t> counts;
  std::set<std::string> known;
  if (!std::filesystem::exists(kModels)) GTEST_SKIP() << "no corpus at " << kModels;
  for (const auto& file : std::filesystem::directory_iterator(kModels)) {
    const absl::StatusOr<Module> module =
        ParseText(file.path().filename(), ReadModuleText(file.path()));
    if (!module.ok()) continue;
    for (const Instruction& instruction : module->instructions()) {
      if (!IsTested(instruction)) continue;
      std::string how;
      const auto cut = ExtractCutCollective(*module, module->id_of(instruction),
                                            {.participants = 16, .dimension = 12}, &how);
      ASSERT_TRUE(cut.ok()) << file.path() << ": " << cut.status();
      ++counts[std::string(OpcodeName(instruction.opcode))];
      if (!known.insert(KindOf(*cut, cut->root(cut->entry()), how)).second) continue;
      const absl::Status status = CheckCollective(*cut);
      EXPECT_TRUE(status.ok()) << file.path() << ": " << instruction.name << " (" << how
                               << "): " << status;
    }
  }
  for (const auto& [opcode, count] : counts) {
    RecordProperty(opcode, fmt::format("{}", count));
    std::printf("%s: %ld\n", opcode.c_str(), static_cast<long>(count));
  }
  std::printf("%zu kinds\n", known.size());
}

}  // namespace
}  // namespace hlo::testing

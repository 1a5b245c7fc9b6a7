// A table from instructions to sets of maps, filled along the edges of the computation. Every
// composed map is simplified; equal ones merge, and too many become one unknown map.
#include "indexing/grouped.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "indexing/compose.h"
#include "indexing/op_query.h"
#include "indexing/operands_first.h"
#include "indexing/simplify.h"

namespace hlo::indexing {
namespace {

IndexingMap SimplifiedComposition(const IndexingMap& first, const IndexingMap& second,
                                  const IndexingOptions& options) {
  IndexingMap map = Compose(first, second);
  Simplify(map, SimplifyMode::kReplacePoints, options.sound);
  RemoveUnused(map);
  return map;
}

// Sets of maps by value, in the order values are reached.
class MapTable {
 public:
  MapTable(ExprContext& context, const IndexingOptions& options)
      : context_(context), options_(options) {}

  void Insert(InstructionId id, int64_t element, IndexingMap map) {
    MapSet& maps = SetOf(id, element);
    if (maps.size() == 1 && maps.maps()[0].IsUnknown()) return;
    maps.Insert(std::move(map));
    if (maps.size() > options_.max_maps) maps = UnknownMaps(context_);
  }

  // The entries of one instruction, by element.
  std::vector<std::pair<int64_t, MapSet>> EntriesOf(InstructionId id) const {
    const auto found = table_.find(id);
    return found == table_.end() ? std::vector<std::pair<int64_t, MapSet>>() : found->second;
  }

  std::vector<GroupedMaps> Take(std::span<const InstructionId> order) {
    std::vector<GroupedMaps> groups;
    for (InstructionId id : order) {
      for (auto& [element, maps] : table_[id]) groups.push_back({id, element, std::move(maps)});
    }
    return groups;
  }

 private:
  MapSet& SetOf(InstructionId id, int64_t element) {
    auto& entries = table_[id];
    for (auto& [known, maps] : entries) {
      if (known == element) return maps;
    }
    return entries.emplace_back(element, MapSet()).second;
  }

  ExprContext& context_;
  const IndexingOptions& options_;
  absl::flat_hash_map<InstructionId, std::vector<std::pair<int64_t, MapSet>>> table_;
};

// What the start leads to itself: the identity, or nothing known of a tuple inside a tuple.
IndexingMap StartMap(const Module& module, InstructionId start, int64_t element,
                     ExprContext& context) {
  const Shape& shape = *module.instruction(start).shape;
  if (element >= OutputCount(shape) || !ElementShape(shape, element).IsArray() ||
      shape.HasUnboundedDim()) {
    return IndexingMap::Unknown(context);
  }
  return IndexingMap::Identity(context, ElementShape(shape, element).dims());
}

class BackwardWalk {
 public:
  BackwardWalk(const Module& module, ExprContext& context, const IndexingOptions& options)
      : module_(module), context_(context), options_(options), table_(context, options) {}

  std::vector<GroupedMaps> Run(InstructionId start, int64_t output,
                               std::span<const InstructionId> fused) {
    OperandsFirstOrder operands_first(module_, fused);
    operands_first.Add(start);
    std::vector<InstructionId> order = operands_first.Take();
    std::ranges::reverse(order);
    table_.Insert(start, output, StartMap(module_, start, output, context_));
    for (InstructionId id : order) {
      if (!operands_first.IsPassed(id)) continue;
      for (const auto& [element, maps] : table_.EntriesOf(id)) Pass(id, element, maps);
    }
    return table_.Take(order);
  }

 private:
  void Pass(InstructionId id, int64_t element, const MapSet& maps) {
    const OpView op(module_, module_.instruction(id));
    if (maps.HasUnknown() || element == ArrayMaps::kAllElements) {
      for (const Operand& operand : op.instruction().operands) AddUnknown(operand.id);
      return;
    }
    const std::vector<ArrayMaps> operands = OutputToInput(op, element, context_, options_);
    for (size_t i = 0; i < operands.size(); ++i) {
      const InstructionId operand = op.instruction().operands[i].id;
      for (const IndexingMap& second : operands[i].maps) {
        if (second.IsUnknown()) {
          AddUnknown(operand);
          continue;
        }
        for (const IndexingMap& first : maps) {
          table_.Insert(operand, operands[i].tuple_element,
                        SimplifiedComposition(first, second, options_));
        }
      }
    }
  }

  void AddUnknown(InstructionId id) {
    const bool is_tuple = module_.instruction(id).shape->IsTuple();
    table_.Insert(id, is_tuple ? ArrayMaps::kAllElements : 0, IndexingMap::Unknown(context_));
  }

  const Module& module_;
  ExprContext& context_;
  const IndexingOptions& options_;
  MapTable table_;
};

class ForwardWalk {
 public:
  ForwardWalk(const Module& module, ExprContext& context, const IndexingOptions& options)
      : module_(module), context_(context), options_(options), table_(context, options) {}

  std::vector<GroupedMaps> Run(InstructionId start, int64_t element) {
    table_.Insert(start, element, StartMap(module_, start, element, context_));
    OperandsFirstOrder operands_first(module_, {});
    const ComputationId computation = module_.instruction(start).computation;
    for (InstructionId id : module_.computation(computation).instructions) operands_first.Add(id);
    const std::vector<InstructionId> order = operands_first.Take();
    for (InstructionId id : order) {
      if (id == start) continue;
      const OpView op(module_, module_.instruction(id));
      for (int64_t i = 0; i < op.operand_count(); ++i) Pass(op, id, i);
    }
    return table_.Take(order);
  }

 private:
  void Pass(const OpView& op, InstructionId id, int64_t operand) {
    const InstructionId source = op.instruction().operands[static_cast<size_t>(operand)].id;
    for (const auto& [element, maps] : table_.EntriesOf(source)) {
      const std::vector<ArrayMaps> outputs = InputToOutput(op, operand, context_, options_);
      for (size_t k = 0; k < outputs.size(); ++k) {
        PassTo(op, id, static_cast<int64_t>(k), element, maps, outputs[k].maps);
      }
    }
  }

  void PassTo(const OpView& op, InstructionId id, int64_t output, int64_t element,
              const MapSet& maps, const MapSet& steps) {
    if (op.opcode() == Opcode::kGetTupleElement && element != ArrayMaps::kAllElements &&
        element != op.Get<Attr::kIndex>()) {
      return;
    }
    // Opcodes that hand a tuple on hand element k on as element k.
    const bool hands_on_tuple = op.operand(0).shape->IsTuple() && op.instruction().shape->IsTuple();
    if (hands_on_tuple && element != output && element != ArrayMaps::kAllElements) return;
    for (const IndexingMap& second : steps) {
      for (const IndexingMap& first : maps) {
        table_.Insert(id, output, SimplifiedComposition(first, second, options_));
      }
    }
  }

  const Module& module_;
  ExprContext& context_;
  const IndexingOptions& options_;
  MapTable table_;
};

ComputationId CalledBy(const OpView& op) {
  return op.opcode() == Opcode::kFusion ? op.Get<Attr::kCalls>() : op.Get<Attr::kToApply>();
}

}  // namespace

std::vector<GroupedMaps> GroupedOutputToInput(const Module& module, InstructionId start,
                                              int64_t output, ExprContext& context,
                                              const IndexingOptions& options,
                                              std::span<const InstructionId> fused) {
  return BackwardWalk(module, context, options).Run(start, output, fused);
}

std::vector<GroupedMaps> GroupedInputToOutput(const Module& module, InstructionId start,
                                              int64_t element, ExprContext& context,
                                              const IndexingOptions& options) {
  return ForwardWalk(module, context, options).Run(start, element);
}

MapSet MapsBetween(const Module& module, InstructionId from, InstructionId to, ExprContext& context,
                   const IndexingOptions& options) {
  const auto collect = [&](std::vector<GroupedMaps> groups) {
    MapSet maps;
    for (const GroupedMaps& group : groups) {
      if (group.instruction != to) continue;
      for (const IndexingMap& map : group.maps) maps.Insert(map);
    }
    return maps;
  };
  MapSet maps = collect(GroupedOutputToInput(module, from, 0, context, options));
  return maps.empty() ? collect(GroupedInputToOutput(module, from, 0, context, options)) : maps;
}

std::vector<GroupedMaps> ByProducer(const OpView& op, std::span<const ArrayMaps> operands) {
  std::vector<GroupedMaps> producers;
  for (size_t i = 0; i < operands.size(); ++i) {
    const InstructionId id = op.instruction().operands[i].id;
    auto known = std::ranges::find_if(producers, [&](const GroupedMaps& group) {
      return group.instruction == id && group.element == operands[i].tuple_element;
    });
    if (known == producers.end()) {
      known = producers.insert(producers.end(), {id, operands[i].tuple_element, {}});
    }
    for (const IndexingMap& map : operands[i].maps) known->maps.Insert(map);
  }
  return producers;
}

namespace {
bool IsIdentity(const IndexingMap& map) {
  for (size_t i = 0; i < map.results.size(); ++i) {
    if (!map.results[i].IsVariable() || map.results[i].variable() != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return true;
}
}  // namespace

IndexingMap PhysicalMap(const IndexingMap& map, const Shape& from, const Shape& to) {
  if (map.IsUnknown() || !from.IsArray() || !to.IsArray()) return map;
  const IndexingMap enter = PhysicalToLogical(map.context(), from);
  const IndexingMap leave = LogicalToPhysical(map.context(), to);
  IndexingMap physical = !enter.IsUnknown() && IsIdentity(enter) ? map : Compose(enter, map);
  if (!leave.IsUnknown() && IsIdentity(leave)) return physical;
  return Compose(physical, leave);
}

// --- fusion, call -------------------------------------------------------------------------------

namespace {

// Takes the answer from the cache, or makes it and leaves it there.
void Remembered(const OpQuery& query, bool to_input, OpFunction make, ArrayMapsList& maps) {
  IndexingCache* cache = query.options.cache;
  if (cache == nullptr) return make(query, maps);
  const ComputationId called = CalledBy(query.op);
  if (const ArrayMapsList* known = cache->Find(called, to_input, query.index)) {
    maps = *known;
    return;
  }
  make(query, maps);
  cache->Insert(called, to_input, query.index, maps);
}

void ThroughBodyToInput(const OpQuery& query, ArrayMapsList& maps) {
  const Module& module = query.op.module();
  const Computation& called = module.computation(CalledBy(query.op));
  for (ArrayMaps& operand : maps) operand = {};
  for (GroupedMaps& group :
       GroupedOutputToInput(module, called.root, query.index, query.context, query.options)) {
    const Instruction& instruction = module.instruction(group.instruction);
    if (instruction.opcode != Opcode::kParameter) continue;
    ArrayMaps& operand = maps[static_cast<size_t>(instruction.Get<Attr::kParameterNumber>())];
    const bool is_first = operand.maps.empty();
    operand = is_first ? ArrayMaps{std::move(group.maps), group.element}
                       // Several elements of a tuple: what is said is of all of them.
                       : ArrayMaps{UnknownMaps(query.context), ArrayMaps::kAllElements};
  }
}

void ThroughBodyToOutput(const OpQuery& query, ArrayMapsList& maps) {
  const Module& module = query.op.module();
  const Computation& called = module.computation(CalledBy(query.op));
  const InstructionId parameter = called.parameters[static_cast<size_t>(query.index)];
  if (!module.instruction(parameter).shape->IsArray()) return;
  for (ArrayMaps& output : maps) output.maps = {};
  for (GroupedMaps& group :
       GroupedInputToOutput(module, parameter, 0, query.context, query.options)) {
    if (group.instruction != called.root) continue;
    maps[static_cast<size_t>(std::max<int64_t>(group.element, 0))].maps = std::move(group.maps);
  }
}

}  // namespace

void CallToInput(const OpQuery& query, ArrayMapsList& maps) {
  Remembered(query, /*to_input=*/true, ThroughBodyToInput, maps);
}

void CallToOutput(const OpQuery& query, ArrayMapsList& maps) {
  Remembered(query, /*to_input=*/false, ThroughBodyToOutput, maps);
}

}  // namespace hlo::indexing

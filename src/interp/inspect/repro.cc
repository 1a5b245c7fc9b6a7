// The instruction is copied into a module where its operands are constants, parameters, and what
// makes tuples and run-time sizes of these.
#include "interp/inspect/repro.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/called_computations.h"
#include "ir/index_space.h"
#include "ir/leaves.h"
#include "ir/module_builder.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

// `shape` with those dimensions dynamic that have other sizes in `array`, besides those that are.
Shape WithDynamicDims(Shape shape, const Literal& array) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) != array.shape().dim(d)) shape.set_dynamic(d, true);
  }
  return shape;
}

Shape StaticShape(Shape shape) {
  for (int64_t d = 0; d < shape.rank(); ++d) shape.set_dynamic(d, false);
  return shape;
}

// `array` in the corner of an array of the sizes of `shape`, zeros around it.
absl::StatusOr<Literal> Padded(const Literal& array, const Shape& shape) {
  HLO_ASSIGN_OR_RETURN(Literal padded, Literal::Zeros(shape));
  const auto size = static_cast<size_t>(ElementByteSize(shape.element_type()));
  const std::byte* from = array.bytes();
  for (const Index& index : IndexSpace(array.shape().dims())) {
    const int64_t to =
        LinearIndex(shape.dims(), std::span<const int64_t>(index.data(), index.size()));
    std::memcpy(padded.bytes() + static_cast<size_t>(to) * size, from, size);
    from += size;
  }
  return padded;
}

// The computations that `instruction` calls, callees first, each once.
void CollectCallees(const Module& module, const Instruction& instruction,
                    std::vector<ComputationId>& callees) {
  ForEachCalledComputation(instruction, [&](Attr, ComputationId id) {
    if (std::ranges::find(callees, id) != callees.end()) return;
    for (InstructionId nested : module.computation(id).instructions) {
      CollectCallees(module, module.instruction(nested), callees);
    }
    callees.push_back(id);
  });
}

class ReproBuilder {
 public:
  ReproBuilder(const Module& module, const ExecutedInstruction& executed,
               int64_t max_constant_elements)
      : module_(module),
        executed_(executed),
        max_constant_elements_(max_constant_elements),
        builder_("repro") {}

  // The text defines computations before they are called.
  absl::StatusOr<Repro> Build() {
    const Instruction& executed = module_.instruction(executed_.instruction);
    std::vector<ComputationId> callees;
    CollectCallees(module_, executed, callees);
    CloneMap map;
    for (ComputationId callee : callees) builder_.CloneComputation(module_, callee, map);
    main_ = builder_.AddComputation("main");
    for (const Operand& operand : executed.operands) {
      const Instruction& instruction = module_.instruction(operand.id);
      if (map.instructions.contains(operand.id)) {  // it has its arrays twice
        next_operand_ += static_cast<size_t>(ArrayLeafCount(*instruction.shape));
        continue;
      }
      HLO_ASSIGN_OR_RETURN(map.instructions[operand.id],
                           Define(std::string(instruction.name), *instruction.shape));
    }
    const InstructionId root =
        builder_.CloneInstruction(module_, executed_.instruction, main_, map);
    builder_.SetRoot(main_, root);
    builder_.SetEntry(main_);
    return Repro{std::move(builder_).Finish(), std::move(parameters_)};
  }

 private:
  // A value of `shape` from the next arrays of the operands.
  absl::StatusOr<InstructionId> Define(const std::string& name, const Shape& shape) {
    if (shape.IsTuple()) return DefineTuple(name, shape);
    if (shape.IsToken()) return builder_.Add(main_, Opcode::kAfterAll, shape, {}, name);
    if (!shape.IsArray()) {
      return absl::UnimplementedError(
          fmt::format("its operand `{}` is no value that text can hold", name));
    }
    const Literal& array = executed_.operands[next_operand_++];
    const Shape sized = WithDynamicDims(shape, array);
    if (array.element_count() > max_constant_elements_) {
      const InstructionId parameter = builder_.AddParameter(main_, sized, name);
      parameters_.emplace_back(builder_.instruction(parameter).name, &array);
      return parameter;
    }
    if (sized.HasDynamicDim()) return DefineDynamic(name, sized, array);
    return DefineConstant(name, sized, array);
  }

  absl::StatusOr<InstructionId> DefineTuple(const std::string& name, const Shape& shape) {
    std::vector<InstructionId> elements;
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      HLO_ASSIGN_OR_RETURN(elements.emplace_back(),
                           Define(fmt::format("{}.element{}", name, i), shape.element(i)));
    }
    return builder_.Add(main_, Opcode::kTuple, shape, elements, name);
  }

  InstructionId DefineConstant(const std::string& name, const Shape& shape, Literal array) {
    array.set_shape(shape);
    return builder_.AddConstant(main_, std::move(array), name);
  }

  // Constants have their full sizes: one of these, cut down dimension by dimension.
  absl::StatusOr<InstructionId> DefineDynamic(const std::string& name, const Shape& shape,
                                              const Literal& array) {
    Shape cut = StaticShape(shape);
    HLO_ASSIGN_OR_RETURN(Literal full, Padded(array, cut));
    InstructionId value = DefineConstant(name + ".full", cut, std::move(full));
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!shape.is_dynamic(d)) continue;
      HLO_ASSIGN_OR_RETURN(Literal size, Literal::Zeros(Shape::Scalar(ElementType::kS32)));
      size.elements<int32_t>()[0] = static_cast<int32_t>(array.shape().dim(d));
      const InstructionId size_id =
          builder_.AddConstant(main_, std::move(size), fmt::format("{}.size{}", name, d));
      cut.set_dynamic(d, true);
      const std::string cut_name = cut == shape ? name : fmt::format("{}.cut{}", name, d);
      value = builder_.Add(main_, Opcode::kSetDimensionSize, cut, {value, size_id}, cut_name);
      const int64_t dimensions[] = {d};
      builder_.Set<Attr::kDimensions>(value, std::span<const int64_t>(dimensions));
    }
    return value;
  }

  const Module& module_;
  const ExecutedInstruction& executed_;
  int64_t max_constant_elements_;
  ModuleBuilder builder_;
  ComputationId main_;
  std::vector<std::pair<std::string, const Literal*>> parameters_;
  size_t next_operand_ = 0;
};

}  // namespace

bool CanRunAlone(const Instruction& instruction) {
  return GetOpcodeInfo(instruction.opcode).family != OpcodeFamily::kEffects ||
         instruction.opcode == Opcode::kInfeed;
}

absl::StatusOr<Repro> MakeRepro(const Module& module, const ExecutedInstruction& executed,
                                int64_t max_constant_elements) {
  const Instruction& instruction = module.instruction(executed.instruction);
  if (!CanRunAlone(instruction)) {
    return absl::UnimplementedError(
        fmt::format("`{}` has a partner elsewhere", OpcodeName(instruction.opcode)));
  }
  return ReproBuilder(module, executed, max_constant_elements).Build();
}

Repro MakeValueRepro(std::string_view name, const Literal& value, int64_t max_constant_elements) {
  ModuleBuilder builder("repro");
  const ComputationId main = builder.AddComputation("main");
  std::vector<std::pair<std::string, const Literal*>> parameters;
  InstructionId root;
  if (value.element_count() <= max_constant_elements) {
    root = builder.AddConstant(main, value, name);
  } else {
    root = builder.AddParameter(main, value.shape(), name);
    parameters.emplace_back(name, &value);
  }
  builder.SetRoot(main, root);
  builder.SetEntry(main);
  return {std::move(builder).Finish(), std::move(parameters)};
}

// The result of an infeed is (item, token).
Literal InfeedItem(const Module& module, const ExecutedInstruction& executed) {
  size_t next = 0;
  return *LiteralOfLeaves(
      module.instruction(executed.instruction).shape->element(0),
      [&](const Shape&) -> absl::StatusOr<Literal> { return executed.results[next++]; });
}

}  // namespace hlo

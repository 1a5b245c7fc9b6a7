#include "interp/repro.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "ir/called_computations.h"
#include "ir/index_space.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

// The texts of the computations `instruction` calls, callees first, each once.
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

std::string_view WithoutRoot(std::string_view text) {
  constexpr std::string_view kRoot = "ROOT ";
  return text.starts_with(kRoot) ? text.substr(kRoot.size()) : text;
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

class ReproWriter {
 public:
  ReproWriter(const Module& module, const ExecutedInstruction& executed,
              int64_t max_constant_elements,
              const std::function<std::string(const Literal&)>& literal_text)
      : module_(module),
        instruction_(module.instruction(executed.instruction)),
        operands_(executed.operands),
        max_constant_elements_(max_constant_elements),
        literal_text_(literal_text) {}

  absl::StatusOr<Repro> Write() {
    repro_.text = "HloModule repro\n\n";
    WriteCallees();
    repro_.text += "ENTRY main {\n";
    for (size_t i = 0; i < instruction_.operands.size(); ++i) {
      const Instruction& operand = module_.operand(instruction_, i);
      HLO_RETURN_IF_ERROR(Define(std::string(operand.name), *operand.shape));
    }
    DefinePredecessors();
    repro_.text +=
        fmt::format("  ROOT {}\n}}\n", WithoutRoot(module_.source()->text(instruction_.range)));
    return std::move(repro_);
  }

 private:
  void WriteCallees() {
    std::vector<ComputationId> callees;
    CollectCallees(module_, instruction_, callees);
    for (ComputationId callee : callees) {
      const Computation& computation = module_.computation(callee);
      if (computation.spelling != Spelling::kNamed) continue;
      repro_.text += fmt::format("{}\n\n", module_.source()->text(computation.range));
    }
  }

  // Makes `name` a value of `shape` from the next arrays of the operands. An operand that stands
  // there twice is defined once.
  absl::Status Define(const std::string& name, const Shape& shape) {
    const bool is_new = defined_.insert(name).second;
    if (shape.IsTuple()) return DefineTuple(name, shape, is_new);
    if (shape.IsToken()) {
      if (is_new) Line(name, shape, "after-all()");
      return absl::OkStatus();
    }
    if (!shape.IsArray()) {
      return absl::UnimplementedError(
          fmt::format("its operand `{}` is no value that text can hold", name));
    }
    const Literal& array = operands_[next_operand_++];
    if (!is_new) return absl::OkStatus();
    if (array.element_count() > max_constant_elements_) {
      Line(name, shape, fmt::format("parameter({})", repro_.parameters.size()));
      repro_.parameters.emplace_back(name, &array);
      return absl::OkStatus();
    }
    if (shape.HasDynamicDim()) return DefineDynamic(name, shape, array);
    Line(name, shape, fmt::format("constant({})", literal_text_(array)));
    return absl::OkStatus();
  }

  absl::Status DefineTuple(const std::string& name, const Shape& shape, bool is_new) {
    std::vector<std::string> names;
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      names.push_back(fmt::format("{}.element{}", name, i));
      HLO_RETURN_IF_ERROR(Define(names.back(), shape.element(i)));
    }
    if (is_new) Line(name, shape, fmt::format("tuple({})", fmt::join(names, ", ")));
    return absl::OkStatus();
  }

  // Constants have their full sizes: one of these, cut down dimension by dimension.
  absl::Status DefineDynamic(const std::string& name, const Shape& shape, const Literal& array) {
    Shape cut = StaticShape(shape);
    HLO_ASSIGN_OR_RETURN(const Literal full, Padded(array, cut));
    std::string from = name + ".full";
    Line(from, cut, fmt::format("constant({})", literal_text_(full)));
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (!shape.is_dynamic(d)) continue;
      const std::string size = fmt::format("{}.size{}", name, d);
      Line(size, Shape::Scalar(ElementType::kS32),
           fmt::format("constant({})", array.shape().dim(d)));
      cut.set_dynamic(d, true);
      const std::string to = cut == shape ? name : fmt::format("{}.cut{}", name, d);
      Line(to, cut, fmt::format("set-dimension-size({}, {}), dimensions={{{}}}", from, size, d));
      from = to;
    }
    return absl::OkStatus();
  }

  // What only had to happen before is there as a token.
  void DefinePredecessors() {
    const auto* predecessors = instruction_.attributes.GetIf<Attr::kControlPredecessors>();
    if (predecessors == nullptr) return;
    for (InstructionId id : *predecessors) {
      const std::string name(module_.instruction(id).name);
      if (defined_.insert(name).second) Line(name, Shape::Token(), "after-all()");
    }
  }

  void Line(std::string_view name, const Shape& shape, std::string_view rest) {
    repro_.text += fmt::format("  {} = {} {}\n", name, ShapeTextWithLayout(shape), rest);
  }

  const Module& module_;
  const Instruction& instruction_;
  std::span<const Literal> operands_;
  int64_t max_constant_elements_;
  const std::function<std::string(const Literal&)>& literal_text_;
  Repro repro_;
  absl::flat_hash_set<std::string> defined_;
  size_t next_operand_ = 0;
};

// A value of `shape` with the arrays of `leaves` from `next` on.
Literal FromLeaves(const Shape& shape, std::span<const Literal> leaves, size_t& next) {
  if (!shape.IsTuple()) return leaves[next++];
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(FromLeaves(element, leaves, next));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace

absl::StatusOr<Repro> MakeRepro(const Module& module, const ExecutedInstruction& executed,
                                int64_t max_constant_elements,
                                const std::function<std::string(const Literal&)>& literal_text) {
  const Instruction& instruction = module.instruction(executed.instruction);
  const bool has_partner = GetOpcodeInfo(instruction.opcode).family == OpcodeFamily::kEffects &&
                           instruction.opcode != Opcode::kInfeed;
  if (has_partner) {
    return absl::UnimplementedError(
        fmt::format("`{}` has a partner elsewhere", OpcodeName(instruction.opcode)));
  }
  return ReproWriter(module, executed, max_constant_elements, literal_text).Write();
}

// The result of an infeed is (item, token).
Literal InfeedItem(const Module& module, const ExecutedInstruction& executed) {
  size_t next = 0;
  return FromLeaves(module.instruction(executed.instruction).shape->element(0), executed.results,
                    next);
}

}  // namespace hlo

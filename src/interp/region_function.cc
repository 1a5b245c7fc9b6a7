// Functions that kernels call per element: a region with its parameters and results in memory of
// their own.
#include <algorithm>
#include <cstring>

#include "interp/plan_executor.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

bool IsCommutative(Opcode opcode) {
  constexpr Opcode kCommutative[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kAnd, Opcode::kOr,
                                     Opcode::kXor};
  return std::ranges::find(kCommutative, opcode) != std::end(kCommutative);
}

// The number of the parameter that `instruction` is (a copy of), or -1.
int64_t ParameterNumber(const Module& module, const Instruction& instruction) {
  const Instruction* source = &instruction;
  while (source->opcode == Opcode::kCopy) source = &module.operand(*source, 0);
  return source->opcode == Opcode::kParameter ? source->Get<Attr::kParameterNumber>() : -1;
}

// The opcode of a root that is just `opcode(param0, param1)` over scalars of one type.
Opcode BinaryOpcode(const Module& module, const Instruction& root) {
  const OpcodeInfo& info = GetOpcodeInfo(root.opcode);
  if (info.family != OpcodeFamily::kElementwise || !info.attributes.empty() ||
      root.operands.size() != 2) {
    return Opcode::kParameter;
  }
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = *module.operand(root, i).shape;
    if (!shape.IsScalar() || shape.element_type() != root.shape->element_type()) {
      return Opcode::kParameter;
    }
  }
  int64_t first = ParameterNumber(module, module.operand(root, 0));
  int64_t second = ParameterNumber(module, module.operand(root, 1));
  bool matches =
      (first == 0 && second == 1) || (first == 1 && second == 0 && IsCommutative(root.opcode));
  return matches ? root.opcode : Opcode::kParameter;
}

// A copy whose usual sizes the compiler knows.
void CopyElement(std::byte* to, const std::byte* from, size_t byte_size) {
  if (byte_size == 4) {
    std::memcpy(to, from, 4);
  } else if (byte_size == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, byte_size);
  }
}

}  // namespace

RegionFunction::RegionFunction(PlanExecutor& executor, const Module& module, const Region& region)
    : executor_(executor) {
  const Computation& computation = module.computation(region.computation);
  const Instruction& root = module.root(computation);
  if (region.converts) return;  // it is more than its computation
  parameter_ = ParameterNumber(module, root);
  if (computation.parameters.size() == 2) binary_opcode_ = BinaryOpcode(module, root);
}

absl::Status RegionFunction::Call(std::span<const std::byte* const> arguments,
                                  std::span<std::byte* const> results) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    CopyElement(parameters[i].bytes, arguments[i], parameter_byte_sizes_[i]);
  }
  HLO_RETURN_IF_ERROR(executor_.RunSteps(sequence));
  for (size_t i = 0; i < sequence.results.size(); ++i) {
    CopyElement(results[i], sequence.results[i].bytes, result_byte_sizes_[i]);
  }
  return absl::OkStatus();
}

void RegionFunction::MeasureArrays() {
  for (const MutableArrayRef& array : parameters) {
    parameter_byte_sizes_.push_back(static_cast<size_t>(array.byte_size()));
  }
  for (const ArrayRef& array : sequence.results) {
    result_byte_sizes_.push_back(static_cast<size_t>(array.byte_size()));
  }
}

}  // namespace hlo

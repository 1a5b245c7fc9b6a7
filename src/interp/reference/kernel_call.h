// One instruction made in code and evaluated by its reference kernel: for tests.
#ifndef HLOKIT_INTERP_REFERENCE_KERNEL_CALL_H_
#define HLOKIT_INTERP_REFERENCE_KERNEL_CALL_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/kernel/device.h"
#include "ir/literal.h"
#include "ir/module_builder.h"

namespace hlo::reference {

class KernelCall {
 public:
  KernelCall(Opcode opcode, const Shape& result_shape);

  KernelCall& Operand(Literal operand);
  template <Attr kAttr>
  KernelCall& With(const AttributeType<kAttr>& value) {
    builder_.Set<kAttr>(instruction_, value);
    return *this;
  }
  // The same for attributes that are lists.
  template <Attr kAttr, typename T = int64_t>
  KernelCall& WithList(std::vector<T> items) {
    return With<kAttr>(items);
  }
  KernelCall& On(DeviceContext& device) {
    device_ = &device;
    return *this;
  }

  // The result; a tuple for opcodes with several results.
  absl::StatusOr<Literal> Run();

 private:
  ModuleBuilder builder_{"test"};
  ComputationId computation_;
  InstructionId instruction_;
  std::vector<Literal> operands_;
  std::vector<InstructionId> operand_ids_;
  DeviceContext default_device_;
  DeviceContext* device_ = &default_device_;
};

// An array of type T.
template <typename T>
Literal MakeArray(std::vector<int64_t> dims, const std::vector<T>& elements) {
  Literal literal = *Literal::Uninitialized(Shape::ArrayWithDefaultLayout(kElementTypeOf<T>, dims));
  HLO_CHECK(literal.element_count() == static_cast<int64_t>(elements.size()));
  std::copy(elements.begin(), elements.end(), literal.elements<T>().begin());
  return literal;
}
template <typename T>
Literal MakeVector(const std::vector<T>& elements) {
  return MakeArray<T>({static_cast<int64_t>(elements.size())}, elements);
}
template <typename T>
std::vector<T> ToVector(const Literal& literal) {
  const std::span<const T> elements = literal.elements<T>();
  int64_t count = static_cast<int64_t>(elements.size());
  if (!literal.dynamic_sizes().empty()) {
    count = 1;
    for (int64_t size : literal.dynamic_sizes()) count *= size;
  }
  return std::vector<T>(elements.begin(), elements.begin() + count);
}

inline Shape ArrayShape(ElementType type, std::vector<int64_t> dims) {
  return Shape::ArrayWithDefaultLayout(type, dims);
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_KERNEL_CALL_H_

#include "verifier/constant_value.h"

#include "ir/literal.h"

namespace hlo {

std::optional<int64_t> ConstantInteger(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kConstant) return std::nullopt;
  const Literal* literal = instruction.Get<Attr::kConstantValue>().literal;
  if (literal == nullptr || literal->is_elided() || !literal->shape().IsScalar()) {
    return std::nullopt;
  }
  const ElementType type = literal->shape().element_type();
  if (!IsInteger(type)) return std::nullopt;
  if (type == ElementType::kU64) {
    const uint64_t value = literal->elements<uint64_t>()[0];
    if (value > INT64_MAX) return std::nullopt;
    return static_cast<int64_t>(value);
  }
  return DispatchElementType<kInteger>(type, [literal]<typename T>() {
    return std::optional<int64_t>(static_cast<int64_t>(literal->elements<T>()[0]));
  });
}

}  // namespace hlo

// 128 bits have room for every s64 and every u64. Nothing is computed: other instructions have no
// value here, nor has an elided constant.
#include "ir/constant_value.h"

#include "ir/literal.h"

namespace hlo {

std::optional<__int128> ConstantInteger(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kConstant) return std::nullopt;
  const Literal* literal = instruction.Get<Attr::kConstantValue>().literal;
  if (literal == nullptr || literal->is_elided() || !literal->shape().IsScalar()) {
    return std::nullopt;
  }
  const ElementType type = literal->shape().element_type();
  if (!IsInteger(type)) return std::nullopt;
  return DispatchElementType<kInteger>(type, [literal]<typename T>() -> std::optional<__int128> {
    const T value = literal->elements<T>()[0];
    if constexpr (std::is_same_v<T, uint64_t>) return value;
    return static_cast<int64_t>(value);
  });
}

}  // namespace hlo

// What the functors make of what they take, for tiles of all types.
#include "interp/kernel/scalar_ops_binary.h"
#include "interp/kernel/scalar_ops_compare.h"
#include "interp/kernel/scalar_ops_unary.h"
#include "interp/simd/loops/block_kernels.h"

namespace hlo::simd {
namespace {

template <typename Fn, typename... Operands>
std::optional<ElementType> ResultOf() {
  if constexpr (std::is_invocable_v<Fn, Operands...>) {
    return kElementTypeOf<std::invoke_result_t<Fn, Operands...>>;
  }
  return std::nullopt;
}

template <typename T>
std::optional<ElementType> FunctorResult(Opcode opcode) {
  switch (opcode) {
#define HLO_UNARY(Name, ...) \
  case Opcode::k##Name:      \
    return ResultOf<Name##Fn, T>();
#define HLO_BINARY(Name, ...) \
  case Opcode::k##Name:       \
    return ResultOf<Name##Fn, T, T>();
#define HLO_OPCODE(Name, ...)
#include "ir/opcodes.def"
    case Opcode::kClamp:
      return ResultOf<ClampFn, T, T, T>();
    default:  // no functor
      return std::nullopt;
  }
}

}  // namespace

std::optional<ElementType> ElementwiseResult(Opcode opcode, ElementType type) {
  return DispatchElementType<kAnyArray>(type, [&]<typename T>() -> std::optional<ElementType> {
    if constexpr (kTypeClassOf<T> == kFloat && !RealElement<T>) {
      return std::nullopt;  // tiles hold them widened
    } else {
      return FunctorResult<T>(opcode);
    }
  });
}

}  // namespace hlo::simd

// compare, clamp and select: semantics.md 4.2 and 4.3.
#include <limits>

#include "interp/kernel/device.h"
#include "interp/kernel/scalar_ops_compare.h"
#include "interp/reference/element_size.h"
#include "interp/reference/elementwise.h"
#include "interp/reference/eval.h"
#include "interp/reference/set_result.h"

namespace hlo::reference {
namespace {

// Null where T has no such comparison.
template <typename Fn, typename T>
BinaryLoop<T, bool> ComparisonLoop() {
  if constexpr (std::invocable<Fn, T, T>) {
    return BinaryLoopOf<Fn, T, bool>;
  } else {
    return nullptr;
  }
}

template <typename T>
BinaryLoop<T, bool> ComparisonLoop(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return ComparisonLoop<EqFn, T>();
    case ComparisonDirection::kNe:
      return ComparisonLoop<NeFn, T>();
    case ComparisonDirection::kGe:
      return ComparisonLoop<GeFn, T>();
    case ComparisonDirection::kGt:
      return ComparisonLoop<GtFn, T>();
    case ComparisonDirection::kLe:
      return ComparisonLoop<LeFn, T>();
    case ComparisonDirection::kLt:
      return ComparisonLoop<LtFn, T>();
  }
  HLO_UNREACHABLE();
}

// The codes of floats, in an integer type of their size.
struct FloatBits {
  ElementType integer_type;
  int64_t sign_bit;
  int64_t magnitude_mask;
  bool is_fnuz;
};

FloatBits BitsOf(ElementType type) {
  if (type == ElementType::kF64) {
    return {ElementType::kU64, std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max(), false};
  }
  const FloatFormat& format = GetElementTypeInfo(type).format;
  const int byte_size = ElementByteSize(type);
  return {byte_size == 4   ? ElementType::kU32
          : byte_size == 2 ? ElementType::kU16
                           : ElementType::kU8,
          format.sign_bit(), format.magnitude_mask(), format.kind == FloatKind::kFnuz};
}

// Codes become integers in the order of the floats: magnitude m, or ~m where the sign is set. In
// fnuz formats negative numbers use m - 1, which puts the one NaN, coded as -0, lowest.
void MakeTotalOrderKeys(const FloatBits& format, int64_t* codes, int64_t count) {
  const int64_t offset = format.is_fnuz ? 1 : 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t magnitude = codes[i] & format.magnitude_mask;
    const bool is_negative = (codes[i] & format.sign_bit) != 0;
    codes[i] = is_negative ? ~((magnitude - offset) & format.magnitude_mask) : magnitude;
  }
}

absl::Status EvalTotalOrder(Evaluation& e) {
  const ElementType type = e.operand(0).element_type;
  if (e.operand(1).element_type != type) return NotDefinedFor(e, e.operand(1).element_type);
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  const FloatBits format = BitsOf(type);
  const BinaryLoop<int64_t, bool> compare = ComparisonLoop<int64_t>(e.Get<Attr::kDirection>());
  int64_t keys[2][kElementwiseBlockSize];
  bool* result = reinterpret_cast<bool*>(e.result().bytes);
  ForEachBlock(operands.element_count(), [&](int64_t begin, int64_t count) {
    for (int k = 0; k < 2; ++k) {
      ConvertElements(format.integer_type, operands[k].bytes + begin * ElementByteSize(type),
                      ElementType::kS64, reinterpret_cast<std::byte*>(keys[k]), count);
      MakeTotalOrderKeys(format, keys[k], count);
    }
    compare(keys[0], keys[1], result + begin, count);
  });
  return absl::OkStatus();
}

absl::Status SelectElements(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  const MutableArrayRef& result = e.result();
  ScratchPool& pool = e.device().scratch();
  const ConvertedArray on_true(pool, operands[1], result.element_type);
  const ConvertedArray on_false(pool, operands[2], result.element_type);
  const bool* predicate = reinterpret_cast<const bool*>(operands[0].bytes);
  DispatchElementSize(ElementByteSize(result.element_type), [&]<typename T>() {
    const T* when_true = reinterpret_cast<const T*>(on_true.ref().bytes);
    const T* when_false = reinterpret_cast<const T*>(on_false.ref().bytes);
    T* target = reinterpret_cast<T*>(result.bytes);
    for (int64_t i = 0; i < operands.element_count(); ++i) {
      target[i] = predicate[i] ? when_true[i] : when_false[i];
    }
  });
  return absl::OkStatus();
}

// A scalar predicate chooses whole values, tuples too: leaves of the first come before leaves of
// the second.
absl::Status SelectValues(Evaluation& e) {
  const bool predicate = *reinterpret_cast<const bool*>(e.operand(0).bytes);
  const size_t leaf_count = e.results().size();
  const size_t first = predicate ? 1 : 1 + leaf_count;
  for (size_t i = 0; i < leaf_count; ++i)
    HLO_RETURN_IF_ERROR(SetResult(e, e.operand(first + i), i));
  return absl::OkStatus();
}

}  // namespace

absl::Status EvalCompare(Evaluation& e) {
  if (e.Get<Attr::kCompareType>() == ComparisonType::kTotalOrder &&
      e.op().Has(Attr::kCompareType) && IsFloat(e.operand(0).element_type)) {
    return EvalTotalOrder(e);
  }
  HLO_ASSIGN_OR_RETURN(const ElementType type, ComputeType(e, kAnyArray));
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  return DispatchComputeType<kAnyArray>(type, [&]<typename T>() -> absl::Status {
    const BinaryLoop<T, bool> loop = ComparisonLoop<T>(e.Get<Attr::kDirection>());
    if (loop == nullptr) return NotDefinedFor(e, type);
    RunBinary<T, bool>(operands, e.result(), loop);
    return absl::OkStatus();
  });
}

absl::Status EvalClamp(Evaluation& e) {
  constexpr TypeSet kOrdered = kPred | kInteger | kFloat;
  HLO_ASSIGN_OR_RETURN(const ElementType type, ComputeType(e, kOrdered));
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e, true));
  return DispatchComputeType<kOrdered>(type, [&]<typename T>() -> absl::Status {
    RunTernary<T>(operands, e.result(), TernaryLoopOf<ClampFn, T>);
    return absl::OkStatus();
  });
}

absl::Status EvalSelect(Evaluation& e) {
  return e.operand(0).dims.empty() ? SelectValues(e) : SelectElements(e);
}

}  // namespace hlo::reference

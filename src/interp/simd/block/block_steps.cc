// What each step is in a block: the actions that make its result.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "interp/simd/base/reach.h"
#include "interp/simd/block/block.h"
#include "interp/simd/block/reduced_rows.h"
#include "interp/simd/loops/precision_kernels.h"
#include "interp/simd/loops/stochastic_conversion.h"

namespace hlo::simd {
namespace {

const Shape& ShapeOf(const Plan& plan, SlotId slot) { return *plan.slot(slot).shape; }

// Of a step that is its instruction.
OpView OpOf(const Plan& plan, const Step& step) {
  return OpView(*plan.module, plan.instruction(step));
}

bool IsConversion(const Plan& plan, const Step& step) {
  return step.opcode == Opcode::kConvert || step.opcode != plan.instruction(step).opcode;
}

// Whether `opcode` makes numbers of `type` of such, computed in the tile's type.
bool NeverRounds(Opcode opcode, ElementType type) {
  return HasTrait(opcode, kChoosesElements) || (HasTrait(opcode, kNeverRounds) && IsClosed(type));
}

// The type of what an elementwise opcode makes of operands of `type`; nothing if that is unknown.
std::optional<ElementType> ResultOf(Opcode opcode, ElementType type) {
  const std::optional<ElementType> result = ElementwiseResult(opcode, TileType(type));
  return result == TileType(type) ? type : result;
}

// Whether the processor has an instruction for it, whose NaN are those of operands or have no bits
// but the highest.
bool IsArithmetic(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kMultiply ||
         opcode == Opcode::kDivide || opcode == Opcode::kSqrt;
}

// Whether `step` compares floats in their total order.
bool IsOrderedByBits(const Plan& plan, const Step& step) {
  return step.opcode == Opcode::kCompare &&
         IsFloat(ShapeOf(plan, step.operands[0]).element_type()) &&
         OpOf(plan, step).Get<Attr::kCompareType>() == ComparisonType::kTotalOrder;
}
// Whether tiles hold floats of `type` in their total order: those that are the upper bits of what
// the tile holds. Others become quiet there if they are NaN.
bool KeepsOrder(ElementType type) { return !IsNarrow(type) || type == ElementType::kBf16; }
// The integers that loops make of them.
ElementType OrderType(ElementType type) {
  if (!KeepsOrder(type)) return ElementType::kS16;
  return type == ElementType::kF64 ? ElementType::kS64 : ElementType::kS32;
}

// The type whose precision reduce-precision leaves, if that is one that blocks round to: it has the
// exponents of its operand's tile, so that no number is too large or too small for it.
std::optional<ElementType> PrecisionOf(const Plan& plan, const Step& step) {
  const OpView op = OpOf(plan, step);
  const ElementType type = ShapeOf(plan, step.operands[0]).element_type();
  const int64_t exponent_bits = op.Get<Attr::kExponentBits>();
  const int64_t mantissa_bits = op.Get<Attr::kMantissaBits>();
  for (const ElementType kept : {type, ElementType::kBf16}) {
    const FloatFormat& format = GetElementTypeInfo(kept).format;
    const FloatFormat& own = GetElementTypeInfo(TileType(type)).format;
    if (format.exponent_bits == own.exponent_bits && exponent_bits == own.exponent_bits &&
        (mantissa_bits == format.mantissa_bits ||
         (kept == type && mantissa_bits > format.mantissa_bits))) {
      return kept;
    }
  }
  return std::nullopt;
}

// Whether reduce-precision leaves as many bits as it has to.
bool HasPrecision(const Plan& plan, const Step& step) {
  const OpView op = OpOf(plan, step);
  return op.Get<Attr::kExponentBits>() >= 1 && op.Get<Attr::kMantissaBits>() >= 0;
}

// The loops that leave other precisions, one after the other; null: nothing to do.
std::array<TileLoop, 2> PrecisionLoops(const Plan& plan, const Step& step) {
  const OpView op = OpOf(plan, step);
  const ElementType type = TileType(ShapeOf(plan, step.operands[0]).element_type());
  const PrecisionKernels& kernels = GetPrecisionKernels();
  return {kernels.round_mantissa(type, op.Get<Attr::kMantissaBits>()),
          kernels.limit_exponent(type, op.Get<Attr::kExponentBits>())};
}

TileLoop StochasticLoop(const Plan& plan, const Step& step) {
  const auto type_of = [&](SlotId slot) { return ShapeOf(plan, slot).element_type(); };
  return StochasticConversion(type_of(step.operands[0]), type_of(step.operands[1]),
                              type_of(step.results[0]));
}

bool TakesReduce(const Plan& plan, const Step& step) {
  if (step.operands.size() != 2 || step.regions.size() != 1) return false;
  const FunctionForm& form = step.regions[0]->form;
  const ElementType type = ShapeOf(plan, step.operands[0]).element_type();
  if (!form.IsBinary() || form.element_type != type ||
      ShapeOf(plan, step.operands[1]).element_type() != type ||
      ShapeOf(plan, step.results[0]).element_type() != type) {
    return false;
  }
  if (!HasTiles(type)) return false;
  // A product of narrow floats is rounded at every step.
  if (IsNarrow(type) && form.opcode == Opcode::kMultiply) return false;
  return GetRowReductions().reduce(form.opcode, TileType(type)) != nullptr;
}

}  // namespace

bool BlockBuilder::Takes(const Plan& plan, const Step& step, bool in_function) {
  if (step.kind != StepKind::kKernel || step.results.size() != 1 || step.operands.empty()) {
    return false;
  }
  const auto is_fine = [&](SlotId slot) {
    return !plan.slot(slot).is_dynamic && !ShapeOf(plan, slot).HasDynamicDim() &&
           HasTiles(ShapeOf(plan, slot).element_type());
  };
  if (!std::ranges::all_of(step.operands, is_fine) || !is_fine(step.results[0]) ||
      !IsWithinReach(plan, step)) {
    return false;
  }
  const ElementType result = ShapeOf(plan, step.results[0]).element_type();
  const ElementType first = ShapeOf(plan, step.operands[0]).element_type();
  const auto are_of = [&](size_t begin, ElementType type) {
    return std::ranges::all_of(step.operands.subspan(begin), [&](SlotId slot) {
      return ShapeOf(plan, slot).element_type() == type;
    });
  };
  if (IsConversion(plan, step)) return step.operands.size() == 1;
  if (step.opcode == Opcode::kReduce) return TakesReduce(plan, step);
  if (GetOpcodeInfo(step.opcode).family != OpcodeFamily::kElementwise) return false;
  switch (step.opcode) {
    case Opcode::kSelect:
      return first == ElementType::kPred && are_of(1, result);
    case Opcode::kCompare:
      return are_of(1, first) && (in_function || !IsOrderedByBits(plan, step) || KeepsOrder(first));
    case Opcode::kReducePrecision:
      return result == first && IsFloat(first) && HasPrecision(plan, step);
    case Opcode::kStochasticConvert:
      return step.operands.size() == 2 && StochasticLoop(plan, step) != nullptr;
    default:  // the tables of loops say
      return are_of(0, first) && result == ResultOf(step.opcode, first) &&
             GetBlockKernels().elementwise(step.opcode, TileType(first)) != nullptr;
  }
}

namespace {

// Of tiles: what chains of f64 do where they begin and end.
TileOperation ConversionOf(ElementType from, ElementType to) {
  using Kind = TileOperation::Kind;
  if (to == ElementType::kF64 && (from == ElementType::kF32 || from == ElementType::kS32)) {
    return {Kind::kWiden, Opcode::kConvert, from};
  }
  if (from == ElementType::kF64 && to == ElementType::kF32) {
    return {Kind::kNarrow, Opcode::kConvert, to};
  }
  TileOperation conversion = {Kind::kConvert, Opcode::kConvert, from};
  conversion.to = to;
  return conversion;
}

}  // namespace

// The real part alone is converted, and what becomes complex has no imaginary one.
BlockBuilder::ValueId BlockBuilder::Converted(ValueId value, ElementType from, ElementType to) {
  if (value == kNoValue || from == to) return value;
  const TileLevel level = ValueAt(value).level;
  if (IsComplex(from) != IsComplex(to)) {
    const ElementType part = ComponentType(IsComplex(from) ? from : to);
    if (from != part && to != part) return Converted(Converted(value, from, part), part, to);
  }
  if (TileType(from) == TileType(to)) return Rounded(value, to);
  if (IsInteger(from) && IsInteger(to) && HaveSameTiles(from, to)) return value;
  if (from == ElementType::kF64 && IsByteFloat(to)) {  // not by way of f32
    return Apply(GetByteFloatLoops(to).round_f64, {value}, to, level);
  }
  if (ValueAt(value).row_value != kNoValue) {
    const ValueId row = Converted(ValueAt(value).row_value, from, to);
    return row == kNoValue ? kNoValue : RepeatedRow(row, to);
  }
  const TileLoop loop = GetBlockKernels().convert(TileType(from), TileType(to));
  const TileOperation operation = ConversionOf(TileType(from), TileType(to));
  return Rounded(Apply(loop, {value}, TileType(to), level, operation), to);
}

// What lies in memory as `type` and is, widened, `value`, or nothing.
BlockBuilder::ValueId BlockBuilder::WidenedFrom(ValueId value, ElementType type) const {
  const int64_t maker = ValueAt(value).maker;
  if (maker < 0) return kNoValue;
  const PendingAction& widening = pending_[static_cast<size_t>(maker)];
  const bool is_widened =
      widening.operation.kind == Operation::Kind::kWiden && widening.operation.type == type;
  return is_widened ? widening.operands[0] : kNoValue;
}

// Floats of `type` as integers in their total order. What tiles do not hold so has to be read, or
// to be what was rounded, whose NaN are quiet anyway.
BlockBuilder::ValueId BlockBuilder::Ordered(ValueId value, ElementType type) {
  const TileLevel level = ValueAt(value).level;
  const BlockKernels& kernels = GetBlockKernels();
  if (KeepsOrder(type)) {
    return Apply(kernels.order(TileType(type)), {value}, OrderType(type), level);
  }
  ValueId narrow = WidenedFrom(value, type);
  const int64_t maker = ValueAt(value).maker;
  if (narrow == kNoValue && maker >= 0 &&
      pending_[static_cast<size_t>(maker)].operation.kind == Operation::Kind::kRound) {
    narrow = Apply(kernels.narrow(type), {value}, BitsType(type), level);
  }
  if (narrow == kNoValue) return kNoValue;
  return Apply(kernels.order(type), {narrow}, OrderType(type), level);
}

// Of the tile's type, and not rounded.
BlockBuilder::ValueId BlockBuilder::ReducedRows(const Step& step, ValueId init) {
  const ElementType type = TypeOf(step.results[0]);
  const Opcode opcode = step.regions[0]->form.opcode;
  PendingAction pending;
  pending.action.kind = Action::Kind::kReduce;
  pending.action.level = TileLevel::kRow;
  pending.operands[0] = ValueOf(step.operands[0], TileLevel::kFull);
  pending.operands[1] = init;
  if (pending.operands[0] == kNoValue || init == kNoValue) return kNoValue;
  pending.action.row_loop = GetRowReductions().reduce(opcode, TileType(type));
  // Loops of rows widen by themselves.
  const ValueId narrow = WidenedFrom(pending.operands[0], ElementType::kBf16);
  if (narrow != kNoValue) {
    pending.operands[0] = narrow;
    pending.action.row_loop = GetRowReductions().reduce(opcode, ElementType::kBf16);
  } else {
    pending.operation = {Operation::Kind::kFold, opcode, TileType(type)};
  }
  pending.result = NewValue(TileType(type), TileLevel::kRow);
  const ValueId result = pending.result;
  Push(std::move(pending));
  return result;
}

BlockBuilder::ValueId BlockBuilder::AddReduce(const Step& step) {
  const ElementType type = TypeOf(step.results[0]);
  const ValueId result = ReducedRows(step, ValueOf(step.operands[1], TileLevel::kFull));
  return NeverRounds(step.regions[0]->form.opcode, type) ? result : Rounded(result, type);
}

BlockBuilder::ValueId BlockBuilder::AddElementwise(const Step& step, TileLevel level) {
  const BlockKernels& kernels = GetBlockKernels();
  ValueId operands[3] = {kNoValue, kNoValue, kNoValue};
  for (size_t i = 0; i < step.operands.size(); ++i) {
    operands[i] = ValueOf(step.operands[i], level);
    if (operands[i] == kNoValue) return kNoValue;
  }
  const ElementType type = TypeOf(step.operands[0]);
  const ElementType result = TypeOf(step.results[0]);
  Operation operation = {
      .kind = Operation::Kind::kElementwise, .opcode = step.opcode, .type = TileType(type)};
  TileLoop loop = nullptr;
  if (step.opcode == Opcode::kReducePrecision) {
    ValueId reduced = operands[0];
    if (const auto precision = PrecisionOf(plan_, step)) {
      reduced = Rounded(reduced, *precision);
    } else {
      for (const TileLoop reduce : PrecisionLoops(plan_, step)) {
        if (reduce != nullptr) reduced = Apply(reduce, {reduced}, TileType(type), level);
      }
    }
    return Rounded(reduced, result);
  }
  if (step.opcode == Opcode::kSelect) {
    operation.type = TileType(result);
    loop = kernels.select(ElementByteSize(operation.type));
  } else if (step.opcode == Opcode::kCompare) {
    if (IsOrderedByBits(plan_, step)) {
      operation.type = OrderType(type);
      for (ValueId& operand : std::span(operands).first(2)) {
        operand = Ordered(operand, type);
        if (operand == kNoValue) return kNoValue;
      }
    }
    operation.direction = OpOf(plan_, step).Get<Attr::kDirection>();
    loop = kernels.compare(operation.direction, operation.type);
  } else if (step.opcode == Opcode::kStochasticConvert) {
    loop = StochasticLoop(plan_, step);
  } else {
    const auto find = is_exact_ ? kernels.exact : kernels.elementwise;
    loop = find(step.opcode, TileType(type));
  }
  const bool rounds = IsNarrow(result) && !NeverRounds(step.opcode, result);
  operation.is_of_bf16 = rounds && type == ElementType::kBf16 && result == type;
  const ValueId value = Apply(loop, {operands[0], operands[1], operands[2]},
                              rounds ? TileType(result) : result, level, operation);
  return rounds ? Rounded(value, result, IsArithmetic(step.opcode)) : value;
}

bool BlockBuilder::Add(const Step& step) {
  const SlotId slot = step.results[0];
  const int64_t count = CountOf(slot);
  ValueId value = kNoValue;
  if (step.opcode == Opcode::kReduce) {
    if (count == 0 || CountOf(step.operands[0]) != count_) return false;
    value = RowLength(plan_, step) == row_length_ ? AddReduce(step) : AddTotal(step);
  } else {
    if (count != count_ && count * row_length_ != count_) return false;
    const TileLevel level = LevelOf(count);
    value = IsConversion(plan_, step) ? Converted(ValueOf(step.operands[0], level),
                                                  TypeOf(step.operands[0]), TypeOf(slot))
                                      : AddElementwise(step, level);
  }
  if (value == kNoValue) return false;
  made_[plan_.slot(slot).buffer.value] = value;
  made_types_[plan_.slot(slot).buffer.value] = TypeOf(slot);
  return true;
}

bool BlockBuilder::AddUnchanged(SlotId slot) {
  // A NaN of a narrow float is no longer the same when it was widened.
  if (IsNarrow(TypeOf(slot))) return false;
  const ValueId value = ValueOf(slot, TileLevel::kFull);
  if (value == kNoValue) return false;
  made_[plan_.slot(slot).buffer.value] = value;
  made_types_[plan_.slot(slot).buffer.value] = TypeOf(slot);
  return true;
}

}  // namespace hlo::simd

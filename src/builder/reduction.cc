// Computations and sizes are judged by inference. Resolved here is what HLO does not know: SAME and
// VALID padding, a sort along dimension -1, scalars beside arrays in Map. The shape of a scan is
// put together from what a step returns, with the steps as one more dimension of each output:
// without inputs nothing else says how many there are (builder.md 2).
#include "builder/reduction.h"

#include <algorithm>
#include <numeric>

#include "builder/broadcasting.h"
#include "builder/called_computations.h"
#include "builder/operation.h"

namespace hlo::ops {
namespace {

bool CheckMapDimensions(Operation& operation, Ops operands, Ints dimensions) {
  int64_t rank = 0;
  for (const Op& operand : operands) rank = std::max(rank, operand.shape().rank());
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  if (std::ranges::equal(dimensions, all)) return true;
  operation.Fail(Rule::kMapDimensions, "dimensions={{{}}} are not all {} dimensions in order",
                 fmt::join(dimensions, ","), rank);
  return false;
}

}  // namespace

Op Map(const HloBuilder& builder, Ops operands, const Callee& computation, Ints dimensions,
       Ops static_operands, SourceLocation at) {
  Operation operation("Map", at, builder, operands);
  if (!operation.Check(computation) || !CheckMapDimensions(operation, operands, dimensions)) {
    return operation.Invalid();
  }
  if (!static_operands.empty()) {
    return operation.Fail(Rule::kBuilderMapStaticOperands, "{} static operands are given",
                          static_operands.size());
  }
  std::vector<Op> arrays = operands.ToVector();
  BroadcastScalars(operation, arrays, Rule::kMapSameShape);
  return operation.Add(Opcode::kMap, arrays)
      .Set<Attr::kDimensions>(ToList(dimensions))
      .SetCallee<Attr::kToApply>(computation)
      .Infer();
}

// --- Reductions ----------------------------------------------------------------------------------

namespace {

bool CheckInits(Operation& operation, Ops operands, Ops init_values, Rule rule) {
  if (!operation.ok() || operands.size() == init_values.size()) return operation.ok();
  operation.Fail(rule, "{} operands and {} init values", operands.size(), init_values.size());
  return false;
}

Op AddReduce(Operation& operation, Ops operands, Ops init_values, const Callee& computation,
             Ints dimensions) {
  if (!operation.Check(computation) ||
      !CheckInits(operation, operands, init_values, Rule::kReduceOperandCount)) {
    return operation.Invalid();
  }
  return operation.Add(Opcode::kReduce, Joined(operands, init_values))
      .Set<Attr::kDimensions>(ToList(dimensions))
      .SetCallee<Attr::kToApply>(computation)
      .Infer();
}

Op AddReduceWindow(Operation& operation, Ops operands, Ops init_values, const Callee& computation,
                   const WindowLists& lists) {
  const auto window = MakeWindow(operation, lists);
  if (!window || !operation.Check(computation) ||
      !CheckInits(operation, operands, init_values, Rule::kReduceWindowOperandCount)) {
    return operation.Invalid();
  }
  return operation.Add(Opcode::kReduceWindow, Joined(operands, init_values))
      .Set<Attr::kWindow>({*window})
      .SetCallee<Attr::kToApply>(computation)
      .Infer();
}

}  // namespace

Op Reduce(const Op& operand, const Op& init_value, const Callee& computation, Ints dimensions,
          SourceLocation at) {
  Operation operation("Reduce", at, {operand, init_value});
  return AddReduce(operation, {operand}, {init_value}, computation, dimensions);
}

Op Reduce(const HloBuilder& builder, Ops operands, Ops init_values, const Callee& computation,
          Ints dimensions, SourceLocation at) {
  Operation operation("Reduce", at, builder, Joined(operands, init_values));
  return AddReduce(operation, operands, init_values, computation, dimensions);
}

Op ReduceAll(const Op& operand, const Op& init_value, const Callee& computation,
             SourceLocation at) {
  Operation operation("ReduceAll", at, {operand, init_value});
  std::vector<int64_t> dimensions(operand.shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return AddReduce(operation, {operand}, {init_value}, computation, dimensions);
}

Op ReduceWindow(const Op& operand, const Op& init_value, const Callee& computation,
                Ints window_dimensions, Ints window_strides, Padding padding, SourceLocation at) {
  Operation operation("ReduceWindow", at, {operand, init_value});
  if (!operation.ok()) return operation.Invalid();
  return ReduceWindow(operation.builder(), {operand}, {init_value}, computation, window_dimensions,
                      window_strides, padding, at);
}

Op ReduceWindow(const HloBuilder& builder, Ops operands, Ops init_values, const Callee& computation,
                Ints window_dimensions, Ints window_strides, Padding padding, SourceLocation at) {
  Operation operation("ReduceWindow", at, builder, Joined(operands, init_values));
  if (operands.empty()) {
    return operation.Fail(Rule::kReduceWindowOperandCount, "there are no operands");
  }
  const auto pairs =
      MakePadding(operation, operands[0].shape(), window_dimensions, window_strides, padding);
  if (!pairs) return operation.Invalid();
  return AddReduceWindow(
      operation, operands, init_values, computation,
      {.sizes = window_dimensions, .strides = window_strides, .padding = *pairs});
}

Op ReduceWindowWithGeneralPadding(const HloBuilder& builder, Ops operands, Ops init_values,
                                  const Callee& computation, const WindowLists& window,
                                  SourceLocation at) {
  Operation operation("ReduceWindowWithGeneralPadding", at, builder, Joined(operands, init_values));
  return AddReduceWindow(operation, operands, init_values, computation, window);
}

// --- SelectAndScatter ----------------------------------------------------------------------------

namespace {

Op AddSelectAndScatter(Operation& operation, const Op& operand, const Callee& select,
                       const WindowLists& lists, const Op& source, const Op& init_value,
                       const Callee& scatter) {
  const auto window = MakeWindow(operation, lists);
  if (!window || !operation.Check(select) || !operation.Check(scatter)) return operation.Invalid();
  return operation.Add(Opcode::kSelectAndScatter, {operand, source, init_value})
      .Set<Attr::kWindow>({*window})
      .SetCallee<Attr::kSelect>(select)
      .SetCallee<Attr::kScatter>(scatter)
      .Infer();
}

}  // namespace

Op SelectAndScatter(const Op& operand, const Callee& select, Ints window_dimensions,
                    Ints window_strides, Padding padding, const Op& source, const Op& init_value,
                    const Callee& scatter, SourceLocation at) {
  Operation operation("SelectAndScatter", at, {operand, source, init_value});
  const auto pairs =
      MakePadding(operation, operand.shape(), window_dimensions, window_strides, padding);
  if (!pairs) return operation.Invalid();
  return AddSelectAndScatter(
      operation, operand, select,
      {.sizes = window_dimensions, .strides = window_strides, .padding = *pairs}, source,
      init_value, scatter);
}

Op SelectAndScatterWithGeneralPadding(const Op& operand, const Callee& select,
                                      Ints window_dimensions, Ints window_strides,
                                      ListArg<PaddingPair> padding, const Op& source,
                                      const Op& init_value, const Callee& scatter,
                                      SourceLocation at) {
  Operation operation("SelectAndScatterWithGeneralPadding", at, {operand, source, init_value});
  return AddSelectAndScatter(
      operation, operand, select,
      {.sizes = window_dimensions, .strides = window_strides, .padding = padding}, source,
      init_value, scatter);
}

// --- Scan, Sort, TopK ----------------------------------------------------------------------------

namespace {

// How many steps there are, as inputs and the argument have it.
std::optional<int64_t> ScanLength(Operation& operation, Ops inputs, int64_t dimension,
                                  std::optional<int64_t> given) {
  if (!operation.ok()) return std::nullopt;
  if (inputs.empty()) {
    if (!given) operation.Fail(Rule::kBuilderScanLength, "neither inputs nor a size are given");
    return given;
  }
  if (!operation.CheckDimension(dimension, inputs[0].shape().rank(), Rule::kScanDimension)) {
    return std::nullopt;
  }
  const int64_t size = inputs[0].shape().dim(dimension);
  if (!given || *given == size) return size;
  operation.Fail(Rule::kScanSameLength, "scan_dimension_size is {}, dimension {} of `{}` has {}",
                 *given, dimension, ShapeText(inputs[0].shape()), size);
  return std::nullopt;
}

// What a step returns, the outputs with `length` elements along `dimension`: always as a tuple.
std::optional<Shape> ScannedShape(Operation& operation, const Callee& computation,
                                  int64_t carry_count, int64_t dimension, int64_t length) {
  const Shape& step = operation.ResultOf(computation);
  std::vector<Shape> results(1, step);
  if (step.IsTuple()) results.assign(step.elements().begin(), step.elements().end());
  for (int64_t i = 0; i < std::ssize(results) - carry_count; ++i) {
    if (!operation.CheckDimension(dimension, results[i].rank() + 1, Rule::kScanDimension)) {
      return std::nullopt;
    }
    Shape whole = Shape::Array(results[i].element_type(), {});
    for (int64_t d = 0; d <= results[i].rank(); ++d) {
      if (d == dimension) whole.AppendDim(length);
      if (d < results[i].rank()) whole.AppendDim(results[i].dim(d), results[i].is_dynamic(d));
    }
    results[i] = std::move(whole);
  }
  return Shape::Tuple(std::move(results));
}

}  // namespace

Op Scan(const HloBuilder& builder, Ops inputs, Ops inits, const Callee& computation,
        int64_t scan_dimension, std::optional<int64_t> scan_dimension_size,
        const ScanOptions& options, SourceLocation at) {
  Operation operation("Scan", at, builder, Joined(inputs, inits));
  const auto length = ScanLength(operation, inputs, scan_dimension, scan_dimension_size);
  if (!length || !operation.Check(computation)) return operation.Invalid();
  const auto carry_count = static_cast<int64_t>(inits.size());
  const std::optional<Shape> shape =
      ScannedShape(operation, computation, carry_count, scan_dimension, *length);
  if (!shape) return operation.Invalid();
  return operation.Add(Opcode::kScan, Joined(inputs, inits))
      .Set<Attr::kDimensions>(IntList(&scan_dimension, 1))
      .Set<Attr::kNumCarries>(carry_count)
      .SetIf<Attr::kIsReverse>(options.is_reverse, true)
      .SetGiven<Attr::kIsAssociative>(options.is_associative)
      .SetCallee<Attr::kToApply>(computation)
      .As(*shape);
}

namespace {

Op AddSort(Operation& operation, Ops operands, const Callee& comparator, int64_t dimension,
           bool is_stable) {
  if (!operation.Check(comparator)) return operation.Invalid();
  if (dimension == -1 && !operands.empty()) dimension = operands[0].shape().rank() - 1;
  return operation.Add(Opcode::kSort, operands)
      .Set<Attr::kDimensions>(IntList(&dimension, 1))
      .SetIf<Attr::kIsStable>(is_stable, true)
      .SetCallee<Attr::kToApply>(comparator)
      .Infer();
}

}  // namespace

Op Sort(Ops operands, const Callee& comparator, int64_t dimension, bool is_stable,
        SourceLocation at) {
  Operation operation("Sort", at, operands);
  return AddSort(operation, operands, comparator, dimension, is_stable);
}

Op Sort(const Op& keys, const std::optional<Op>& values, int64_t dimension, SourceLocation at) {
  std::vector<Op> operands = {keys};
  if (values) operands.push_back(*values);
  Operation operation("Sort", at, operands);
  std::vector<ElementType> types;
  for (const Op& operand : operands) {
    if (!operand.shape().IsArray()) {
      return operation.Fail(Rule::kSortSameDims, "`{}` is no array", ShapeText(operand.shape()));
    }
    types.push_back(operand.shape().element_type());
  }
  return AddSort(operation, operands, LessThanComputation(operation, types), dimension, false);
}

Op TopK(const Op& operand, int64_t k, bool largest, bool is_stable, SourceLocation at) {
  Operation operation("TopK", at, {operand});
  return operation.Add(Opcode::kTopK, {operand})
      .Set<Attr::kK>(k)
      .Set<Attr::kLargest>(largest)
      .Set<Attr::kIsStable>(is_stable)
      .Infer();
}

}  // namespace hlo::ops

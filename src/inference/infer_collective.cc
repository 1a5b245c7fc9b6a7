// Opcodes that exchange data between devices (verifier.md 3.10). How many shards there are is
// read off the written result; that it fits the replica groups is for the verifier.
#include "inference/compatibility.h"
#include "inference/dimension_list.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "inference/permute_slices.h"
#include "support/checked_math.h"
#include "support/count_text.h"

namespace hlo {
namespace {

std::vector<Shape> OperandShapes(const OpView& op, int64_t count) {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < count; ++i) shapes.push_back(op.operand_shape(i));
  return shapes;
}

Shape OperandsAsOne(const OpView& op) { return OneOrTuple(OperandShapes(op, op.operand_count())); }

bool CheckSomeArrays(const OpView& op, Rule rule, DiagnosticSink& sink) {
  if (op.operand_count() == 0) {
    return sink.Error(rule, op.opcode_range(), "`{}` has no operands", OpcodeName(op.opcode()));
  }
  return CheckArrays(op, rule, sink);
}

// The arrays that `results` says there are: itself for one operand, its elements for several.
std::optional<std::span<const Shape>> ResultArrays(const OpView& op, const Shape& results,
                                                   Rule rule, DiagnosticSink& sink) {
  if (op.operand_count() == 1) return std::span<const Shape>(&results, 1);
  if (results.IsTuple() && results.element_count() == op.operand_count()) {
    return results.elements();
  }
  return sink.Error(rule, op.shape_range(), "the result `{}` is not a tuple of {} arrays",
                    ShapeText(results), op.operand_count());
}

bool CheckShardDimension(const OpView& op, int64_t dimension, const Shape& shape, Rule rule,
                         DiagnosticSink& sink) {
  if (dimension >= 0 && shape.IsArray() && dimension < shape.rank()) return true;
  return sink.Error(rule, op.attribute_range(Attr::kDimensions),
                    "`dimensions={{{}}}` names no dimension of `{}`", dimension, ShapeText(shape));
}

// Operand `i` with dimension `dimension` as many times as long as the written `result` is.
std::optional<Shape> GatheredArray(const OpView& op, int64_t i, int64_t dimension,
                                   const Shape& result, DiagnosticSink& sink) {
  Shape gathered = op.operand_shape(i);
  if (!CheckShardDimension(op, dimension, gathered, Rule::kAllGatherDimension, sink) ||
      !CheckShardDimension(op, dimension, result, Rule::kAllGatherDimension, sink)) {
    return std::nullopt;
  }
  const int64_t size = gathered.dim(dimension);
  gathered.set_dynamic(dimension, size == Shape::kUnbounded);
  if (size == Shape::kUnbounded || result.is_unbounded(dimension)) {
    gathered.set_dim(dimension, Shape::kUnbounded);
    return gathered;
  }
  if (size == 0) {
    return sink.Error(Rule::kAllGatherOperandNonzero, op.operand_range(i),
                      "the gathered dimension {} of `{}` has no elements", dimension,
                      ShapeText(gathered));
  }
  const std::optional<int64_t> total = CheckedMul(size, CeilDiv(result.dim(dimension), size));
  if (!total) {
    return sink.Error(Rule::kShapeCountOverflow, op.operand_range(i),
                      "the gathered size of dimension {} exceeds 2^63 - 1", dimension);
  }
  gathered.set_dim(dimension, *total);
  return gathered;
}

std::optional<Shape> GatheredShape(const OpView& op, const Shape& results, DiagnosticSink& sink) {
  if (!CheckSomeArrays(op, Rule::kAllGatherOperands, sink)) return std::nullopt;
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  if (!dimension) return std::nullopt;
  const std::optional<std::span<const Shape>> arrays =
      ResultArrays(op, results, Rule::kAllGatherTupleResult, sink);
  if (!arrays) return std::nullopt;
  std::vector<Shape> gathered;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    std::optional<Shape> array = GatheredArray(op, i, *dimension, (*arrays)[i], sink);
    if (!array) return std::nullopt;
    gathered.push_back(*std::move(array));
  }
  return OneOrTuple(std::move(gathered));
}

// Operand `i` with dimension `dimension` cut into as many parts as the written `result` says.
std::optional<Shape> ScatteredArray(const OpView& op, int64_t i, int64_t dimension,
                                    const Shape& result, DiagnosticSink& sink) {
  Shape scattered = op.operand_shape(i);
  if (!CheckShardDimension(op, dimension, scattered, Rule::kReduceScatterDimension, sink) ||
      !CheckShardDimension(op, dimension, result, Rule::kReduceScatterDimension, sink)) {
    return std::nullopt;
  }
  const int64_t size = scattered.dim(dimension);
  if (IsDynamicDim(scattered, dimension) || result.is_unbounded(dimension)) {
    scattered.set_dim(dimension, Shape::kUnbounded);
    scattered.set_dynamic(dimension, true);
    return scattered;
  }
  if (result.dim(dimension) == 0) {
    return sink.Error(Rule::kReduceScatterOutputNonzero, op.shape_range(),
                      "dimension {} of the result `{}` has no elements", dimension,
                      ShapeText(result));
  }
  const int64_t shard_count = CeilDiv(size, result.dim(dimension));
  if (shard_count > 0 && size % shard_count != 0) {
    return sink.Error(Rule::kReduceScatterDivisible, op.operand_range(i),
                      "dimension {} of `{}` does not divide into {} shards", dimension,
                      ShapeText(scattered), shard_count);
  }
  scattered.set_dim(dimension, shard_count > 0 ? size / shard_count : 0);
  return scattered;
}

// Whether two arrays lie in memory alike, whichever memory that is.
bool HaveSameLayouts(const Shape& a, const Shape& b) {
  if (!a.layout() || !b.layout()) return true;
  Layout moved = *a.layout();
  moved.memory_space = b.layout()->memory_space;
  return moved == *b.layout();
}

bool CheckEqualArrays(const OpView& op, DiagnosticSink& sink) {
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand_shape(i);
    const Shape& first = op.operand_shape(0);
    if (Compatible(first, operand) && HaveSameLayouts(first, operand) &&
        !operand.HasUnboundedDim()) {
      continue;
    }
    const Rule rule = operand.HasUnboundedDim() ? Rule::kDynamicUnboundedUnsupported
                                                : Rule::kAllToAllTupleSameShape;
    return sink.Error(
        rule, op.operand_range(i),
        "operand {} is `{}`, all must have one bounded shape, operand 0 has `{}`", i,
        HaveSameLayouts(first, operand) ? ShapeText(operand) : ShapeTextWithLayout(operand),
        HaveSameLayouts(first, operand) ? ShapeText(first) : ShapeTextWithLayout(first));
  }
  return true;
}

// --- collective-permute ------------------------------------------------------------------------

bool CheckPermuted(const OpView& op, DiagnosticSink& sink) {
  return PermutesSlices(op) ? CheckPermutedSlices(op, sink)
                            : CheckSomeArrays(op, Rule::kCollectivePermuteOperands, sink);
}

}  // namespace

std::optional<Shape> InferAllGather(const OpView& op, DiagnosticSink& sink) {
  return GatheredShape(op, *op.written_shape(), sink);
}

// (operands, gathered)
std::optional<Shape> InferAllGatherStart(const OpView& op, DiagnosticSink& sink) {
  const Shape& written = *op.written_shape();
  if (!written.IsTuple() || written.element_count() != 2) {
    return sink.Error(Rule::kAllGatherStartTuple, op.shape_range(),
                      "the result `{}` is not a pair of operands and gathered arrays",
                      ShapeText(written));
  }
  std::optional<Shape> gathered = GatheredShape(op, written.element(1), sink);
  if (!gathered) return std::nullopt;
  return Shape::Tuple({OperandsAsOne(op), *std::move(gathered)});
}

// An operand that no all-gather-start made is for the rules of pairs to report.
std::optional<Shape> InferAllGatherDone(const OpView& op, DiagnosticSink&) {
  const Shape& operand = op.operand_shape(0);
  if (!operand.IsTuple() || operand.element_count() < 2) return *op.written_shape();
  return operand.element(1);
}

std::optional<Shape> InferAllReduce(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kAllReduceOperands, sink)) return std::nullopt;
  return OperandsAsOne(op);
}

std::optional<Shape> InferAllReduceStart(const OpView& op, DiagnosticSink& sink) {
  return InferAllReduce(op, sink);
}

std::optional<Shape> InferAllReduceDone(const OpView& op, DiagnosticSink&) {
  return op.operand_shape(0);
}

// With `dimensions` one array is split and joined along that dimension, without it each operand
// goes to another device.
std::optional<Shape> InferAllToAll(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArrays(op, Rule::kAllToAllNotTupleOperand, sink)) return std::nullopt;
  if (!op.Has(Attr::kDimensions)) {
    if (!CheckEqualArrays(op, sink)) return std::nullopt;
    return Shape::Tuple(OperandShapes(op, op.operand_count()));
  }
  if (op.operand_count() != 1) {
    return sink.Error(Rule::kAllToAllArraySingle, op.opcode_range(),
                      "`all-to-all` along a dimension takes 1 operand, found {}",
                      op.operand_count());
  }
  const Shape& operand = op.operand_shape(0);
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  if (!dimension || !CheckShardDimension(op, *dimension, operand, Rule::kAllToAllDimension, sink)) {
    return std::nullopt;
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!IsBoundedDim(operand, d)) continue;
    return sink.Error(Rule::kAllToAllNoBounded, op.operand_range(0),
                      "dimension {} of `{}` has a bounded dynamic size", d, ShapeText(operand));
  }
  return operand;
}

// The root is the last operand when it is dynamic.
std::optional<Shape> InferCollectiveBroadcast(const OpView& op, DiagnosticSink& sink) {
  const bool has_root = op.Get<Attr::kHasDynamicRoot>();
  const int64_t data_count = op.operand_count() - (has_root ? 1 : 0);
  if (has_root && data_count < 1) {
    return sink.Error(Rule::kCollectiveBroadcastDynamicRoot, op.opcode_range(),
                      "with a dynamic root there are data and the root, found {}",
                      CountText(op.operand_count(), "operand"));
  }
  if (!CheckSomeArrays(op, Rule::kCollectiveBroadcastOperand, sink)) return std::nullopt;
  return OneOrTuple(OperandShapes(op, data_count));
}

std::optional<Shape> InferCollectivePermute(const OpView& op, DiagnosticSink& sink) {
  if (!CheckPermuted(op, sink)) return std::nullopt;
  return PermutesSlices(op) ? op.operand_shape(1) : OperandsAsOne(op);
}

// (operands, results, context...)
std::optional<Shape> InferCollectivePermuteStart(const OpView& op, DiagnosticSink& sink) {
  if (!CheckPermuted(op, sink)) return std::nullopt;
  Shape result = PermutesSlices(op) ? Shape::Tuple({op.operand_shape(0), op.operand_shape(1)})
                                    : Shape::Tuple({OperandsAsOne(op), OperandsAsOne(op)});
  const Shape& written = *op.written_shape();
  for (int64_t i = 2; written.IsTuple() && i < written.element_count(); ++i) {
    result.AppendElement(written.element(i));
  }
  return result;
}

std::optional<Shape> InferCollectivePermuteDone(const OpView& op, DiagnosticSink& sink) {
  const Shape& operand = op.operand_shape(0);
  if (!operand.IsTuple() || operand.element_count() < 2) {
    return sink.Error(Rule::kCollectivePermuteDoneTuple, op.operand_range(0),
                      "the operand `{}` is not the result of a `collective-permute-start`",
                      ShapeText(operand));
  }
  return operand.element(1);
}

std::optional<Shape> InferRaggedAllToAll(const OpView& op, DiagnosticSink& sink) {
  if (!CheckArray(op, 0, Rule::kRaggedAllToAllOutputArray, sink) ||
      !CheckArray(op, 1, Rule::kRaggedAllToAllOutputArray, sink)) {
    return std::nullopt;
  }
  for (int64_t i = 2; i < op.operand_count(); ++i) {
    const Shape& indices = op.operand_shape(i);
    if (!indices.IsArray() || indices.rank() < 1 || indices.rank() > 2) {
      return sink.Error(Rule::kRaggedAllToAllIndexRank, op.operand_range(i),
                        "operand {} is `{}`, not an array of 1 or 2 dimensions", i,
                        ShapeText(indices));
    }
    if (Compatible(indices, op.operand_shape(2))) continue;
    return sink.Error(Rule::kRaggedAllToAllIndexSameShape, op.operand_range(i),
                      "operand {} is `{}`, operand 2 `{}`", i, ShapeText(indices),
                      ShapeText(op.operand_shape(2)));
  }
  return op.operand_shape(1);
}

std::optional<Shape> InferReduceScatter(const OpView& op, DiagnosticSink& sink) {
  if (!CheckSomeArrays(op, Rule::kReduceScatterOperands, sink)) return std::nullopt;
  const std::optional<int64_t> dimension = SingleDimension(op, sink);
  if (!dimension) return std::nullopt;
  const std::optional<std::span<const Shape>> arrays =
      ResultArrays(op, *op.written_shape(), Rule::kReduceScatterOperands, sink);
  if (!arrays) return std::nullopt;
  std::vector<Shape> scattered;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    std::optional<Shape> array = ScatteredArray(op, i, *dimension, (*arrays)[i], sink);
    if (!array) return std::nullopt;
    scattered.push_back(*std::move(array));
  }
  return OneOrTuple(std::move(scattered));
}

std::optional<Shape> InferPartitionId(const OpView& op, DiagnosticSink& sink) {
  const Shape id = Shape::Scalar(ElementType::kU32);
  if (op.written_shape() == nullptr || Compatible(id, *op.written_shape())) return id;
  return sink.Error(Rule::kReplicaIdShape, op.shape_range(),
                    "the result of `{}` is `u32[]`, not `{}`", OpcodeName(op.opcode()),
                    ShapeText(*op.written_shape()));
}

std::optional<Shape> InferReplicaId(const OpView& op, DiagnosticSink& sink) {
  return InferPartitionId(op, sink);
}

}  // namespace hlo

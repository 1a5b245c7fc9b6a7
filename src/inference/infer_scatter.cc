// scatter of N operands: N operands, the indices, N updates (verifier.md 3.8).
#include "inference/compatibility.h"
#include "inference/index_vector_checks.h"
#include "inference/infer.h"
#include "inference/operand_checks.h"
#include "inference/signature.h"

namespace hlo {
namespace {

bool CheckScatterLists(const OpView& op, const Shape& operand, const Shape& indices,
                       const Shape& updates, DiagnosticSink& sink) {
  const DimensionList window = DimensionList::Of<Attr::kUpdateWindowDims>(op, sink);
  const DimensionList inserted = DimensionList::Of<Attr::kInsertedWindowDims>(op, sink);
  const DimensionList map = DimensionList::Of<Attr::kScatterDimsToOperandDims>(op, sink);
  const DimensionList batching = DimensionList::Of<Attr::kInputBatchingDims>(op, sink);
  const DimensionList indices_batching =
      DimensionList::Of<Attr::kScatterIndicesBatchingDims>(op, sink);
  const IndexMapRules map_rules = {Rule::kScatterMapSize, Rule::kScatterMapRange,
                                   Rule::kScatterMapUnique};
  const BatchingRules batching_rules = {
      Rule::kScatterBatchingSameLength,    Rule::kScatterInputBatchingRange,
      Rule::kScatterInputBatchingSorted,   Rule::kScatterIndicesBatchingRange,
      Rule::kScatterIndicesBatchingUnique, Rule::kScatterBatchingDisjoint};
  return window.Increasing(Rule::kScatterUpdateWindowSorted) &&
         window.InRange(updates.rank(), Rule::kScatterUpdateWindowRange) &&
         inserted.Increasing(Rule::kScatterInsertedSorted) &&
         inserted.InRange(operand.rank(), Rule::kScatterInsertedRange) &&
         CheckIndexMap(op, map, indices, operand.rank(), map_rules, sink) &&
         CheckBatching(op, batching, indices_batching, operand.rank(), indices.rank(),
                       batching_rules, sink) &&
         CheckDisjoint(batching, inserted, Rule::kScatterBatchingDisjoint, sink) &&
         CheckDisjoint(batching, map, Rule::kScatterBatchingDisjoint, sink);
}

bool CheckScatterRanks(const OpView& op, int64_t k, const Shape& indices, DiagnosticSink& sink) {
  const int64_t updates_number = op.operand_count() / 2 + 1 + k;
  const Shape& operand = op.operand_shape(k);
  const Shape& updates = op.operand_shape(updates_number);
  const int64_t window_count = static_cast<int64_t>(op.Get<Attr::kUpdateWindowDims>().size());
  if (updates.rank() != indices.rank() - 1 + window_count) {
    return sink.Error(Rule::kScatterUpdatesRank, op.operand_range(updates_number),
                      "the updates `{}` have {} dimensions instead of {} of the indices and {} of "
                      "the window",
                      ShapeText(updates), updates.rank(), indices.rank() - 1, window_count);
  }
  const int64_t inserted_count = static_cast<int64_t>(op.Get<Attr::kInsertedWindowDims>().size());
  const int64_t batching_count = static_cast<int64_t>(op.Get<Attr::kInputBatchingDims>().size());
  if (operand.rank() != window_count + inserted_count + batching_count) {
    return sink.Error(Rule::kScatterWindowRank, op.operand_range(k),
                      "{} window, {} inserted and {} batching dimensions do not make the {} of "
                      "`{}`",
                      window_count, inserted_count, batching_count, operand.rank(),
                      ShapeText(operand));
  }
  return true;
}

// Window dimensions of the updates fit into the operand, the others are those of the indices.
bool CheckScatterBounds(const OpView& op, int64_t k, const Shape& indices, DiagnosticSink& sink) {
  const int64_t updates_number = op.operand_count() / 2 + 1 + k;
  const Shape& operand = op.operand_shape(k);
  const Shape& updates = op.operand_shape(updates_number);
  int64_t window = 0;
  int64_t batch = 0;
  for (int64_t d = 0; d < updates.rank(); ++d) {
    if (Contains(op.Get<Attr::kUpdateWindowDims>(), d)) {
      while (Contains(op.Get<Attr::kInsertedWindowDims>(), window) ||
             Contains(op.Get<Attr::kInputBatchingDims>(), window)) {
        ++window;
      }
      if (!updates.is_unbounded(d) && !operand.is_unbounded(window) &&
          updates.dim(d) > operand.dim(window)) {
        return sink.Error(Rule::kScatterWindowBound, op.operand_range(updates_number),
                          "dimension {} of the updates `{}` exceeds dimension {} of `{}`", d,
                          ShapeText(updates), window, ShapeText(operand));
      }
      ++window;
    } else {
      if (batch == op.Get<Attr::kIndexVectorDim>()) ++batch;
      if (!SizesCompatible(updates.dim(d), indices.dim(batch))) {
        return sink.Error(Rule::kScatterScatterBound, op.operand_range(updates_number),
                          "dimension {} of the updates `{}` differs from dimension {} of the "
                          "indices `{}`",
                          d, ShapeText(updates), batch, ShapeText(indices));
      }
      ++batch;
    }
  }
  return true;
}

// The elements of the operands take the place of initial values.
ReducerUse ScatterReducer(const OpView& op) {
  ReducerUse use;
  use.mismatch_rule = Rule::kScatterReducer;
  const int64_t count = op.operand_count() / 2;
  for (int64_t k = 0; k < count; ++k) {
    use.inputs.push_back({op.operand_shape(count + 1 + k).element_type(),
                          Shape::Scalar(op.operand_shape(k).element_type()), op.operand_range(k)});
  }
  return use;
}

bool CheckScatterReducer(const OpView& op, DiagnosticSink& sink) {
  const std::optional<Signature> reducer = SignatureOf<Attr::kToApply>(op);
  return reducer && CheckReducer(op, *reducer, ScatterReducer(op), sink);
}

}  // namespace

std::optional<Shape> InferScatter(const OpView& op, DiagnosticSink& sink) {
  const int64_t count = op.operand_count() / 2;
  if (!CheckArrays(op, Rule::kScatterOperandArray, sink) ||
      !CheckElementType(op, count, kInteger, Rule::kScatterIndicesIntegral, sink) ||
      !CheckIndexVectorDim(op, op.operand_shape(count), Rule::kScatterIndexVectorDim, sink)) {
    return std::nullopt;
  }
  const Shape indices = WithVectorDim(op, op.operand_shape(count));
  std::vector<Shape> results;
  for (int64_t k = 0; k < count; ++k) {
    const Shape& updates = op.operand_shape(count + 1 + k);
    if (!CheckScatterLists(op, op.operand_shape(k), indices, updates, sink) ||
        !CheckScatterRanks(op, k, indices, sink) || !CheckScatterBounds(op, k, indices, sink)) {
      return std::nullopt;
    }
    results.push_back(op.operand_shape(k));
  }
  if (!CheckScatterReducer(op, sink)) return std::nullopt;
  return OneOrTuple(std::move(results));
}

}  // namespace hlo

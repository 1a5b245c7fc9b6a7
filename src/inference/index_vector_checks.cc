// The order matters (verifier.md 3.8): behind CheckIndexVectorDim, WithVectorDim gives the index
// array the dimension that was only implied, and everything else takes that shape, of which the
// index vector dimension can be asked. Rules come from the caller: nothing here knows whether it
// serves gather or scatter.
#include "inference/index_vector_checks.h"

#include "inference/compatibility.h"

namespace hlo {

Shape WithVectorDim(const OpView& op, const Shape& indices) {
  Shape result = indices;
  if (op.Get<Attr::kIndexVectorDim>() == indices.rank()) result.AppendDim(1);
  return result;
}

bool CheckIndexVectorDim(const OpView& op, const Shape& indices, Rule rule, DiagnosticSink& sink) {
  const int64_t dimension = op.Get<Attr::kIndexVectorDim>();
  if (dimension >= 0 && dimension <= indices.rank()) return true;
  return sink.Error(rule, op.attribute_range(Attr::kIndexVectorDim),
                    "`index_vector_dim={}` is not in 0 ... {} for indices `{}`", dimension,
                    indices.rank(), ShapeText(indices));
}

bool CheckIndexMap(const OpView& op, const DimensionList& map, const Shape& indices, int64_t rank,
                   const IndexMapRules& rules, DiagnosticSink& sink) {
  const int64_t vector_size = indices.dim(op.Get<Attr::kIndexVectorDim>());
  if (!SizesCompatible(map.size(), vector_size)) {
    return sink.Error(rules.size, map.range(), "`{}` maps {} indices, an index vector has {}",
                      map.Text(), map.size(), vector_size);
  }
  return map.InRange(rank, rules.range) && map.Distinct(rules.unique);
}

bool CheckBatching(const OpView& op, const DimensionList& operand, const DimensionList& indices,
                   int64_t operand_rank, int64_t indices_rank, const BatchingRules& rules,
                   DiagnosticSink& sink) {
  if (operand.size() != indices.size()) {
    return sink.Error(rules.same_length, operand.size() > 0 ? operand.range() : indices.range(),
                      "`{}` and `{}` differ in length", operand.Text(), indices.Text());
  }
  if (!operand.InRange(operand_rank, rules.operand_range) ||
      !operand.Increasing(rules.operand_sorted) ||
      !indices.InRange(indices_rank, rules.indices_range) ||
      !indices.Distinct(rules.indices_unique)) {
    return false;
  }
  if (indices.Contains(op.Get<Attr::kIndexVectorDim>())) {
    return sink.Error(rules.disjoint, indices.range(), "`{}` names the index vector dimension",
                      indices.Text());
  }
  return true;
}

bool CheckDisjoint(const DimensionList& batching, const DimensionList& other, Rule rule,
                   DiagnosticSink& sink) {
  for (int64_t dimension : batching.numbers()) {
    if (!other.Contains(dimension)) continue;
    return sink.Error(rule, batching.range(), "dimension {} is in `{}` and in `{}`", dimension,
                      batching.Text(), other.Text());
  }
  return true;
}

}  // namespace hlo

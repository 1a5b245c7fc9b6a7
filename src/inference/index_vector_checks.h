// What gather and scatter share: index vectors and batching dimensions (verifier.md 3.8). The
// checks report under the rules of the opcode and say whether they passed.
#ifndef HLOKIT_INFERENCE_INDEX_VECTOR_CHECKS_H_
#define HLOKIT_INFERENCE_INDEX_VECTOR_CHECKS_H_

#include <cstdint>
#include <string_view>

#include "inference/dimension_list.h"
#include "ir/op_view.h"
#include "ir/shape.h"
#include "support/diagnostic.h"

namespace hlo {

// The dimensions of index arrays, with the implied one of size 1 where index_vector_dim is the
// rank.
Shape WithVectorDim(const OpView& op, const Shape& indices);

// `index_vector_dim` names a dimension of the indices or the one behind the last.
bool CheckIndexVectorDim(const OpView& op, const Shape& indices, Rule rule, DiagnosticSink& sink);

// The list that says where the components of an index vector belong.
struct IndexMapRules {
  Rule size;
  Rule range;
  Rule unique;
};
bool CheckIndexMap(const OpView& op, const DimensionList& map, const Shape& indices, int64_t rank,
                   const IndexMapRules& rules, DiagnosticSink& sink);

// The lists that pair batching dimensions of the operand and of the indices.
struct BatchingRules {
  Rule same_length;
  Rule operand_range;
  Rule operand_sorted;
  Rule indices_range;
  Rule indices_unique;
  Rule disjoint;
};
bool CheckBatching(const OpView& op, const DimensionList& operand, const DimensionList& indices,
                   int64_t operand_rank, int64_t indices_rank, const BatchingRules& rules,
                   DiagnosticSink& sink);

// No batching dimension is in `other` too.
bool CheckDisjoint(const DimensionList& batching, const DimensionList& other, Rule rule,
                   DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_INDEX_VECTOR_CHECKS_H_

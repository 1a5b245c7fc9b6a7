// Shardings by named mesh axes (verifier.md 1.13, sharding.mesh-*).
#ifndef HLOKIT_VERIFIER_SHARDING_MESH_H_
#define HLOKIT_VERIFIER_SHARDING_MESH_H_

#include "verifier/rule_context.h"

namespace hlo {

// Whether text could say it: the axes of the mesh, its devices, and that the leaf names parts of
// it.
bool CheckMeshForm(const RuleContext& context, SourceRange range, const ShardingLeaf& leaf);

// The rest of the rules, for leaves of that form.
void CheckMesh(const RuleContext& context, SourceRange range, const ShardingLeaf& leaf,
               int64_t partition_count);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_SHARDING_MESH_H_

// Numbers of devices, and meshes, as shardings and replica groups have them. Readers of text check
// them where they stand; here are those that programs hand over.
#ifndef HLOKIT_VERIFIER_DEVICE_LISTS_H_
#define HLOKIT_VERIFIER_DEVICE_LISTS_H_

#include "ir/attribute_values.h"
#include "verifier/rule_context.h"

namespace hlo {

struct IotaRules {
  Rule size;         // sizes below 1, or none
  Rule permutation;  // numbers that do not reorder the dimensions
};

// The functions below report at `range`, and say whether all is well.
bool CheckIota(const RuleContext& context, SourceRange range, const IotaDevices& iota,
               const IotaRules& rules);
// Axes and device ids (sharding.mesh-axes, sharding.mesh-device-ids).
bool CheckMeshDevices(const RuleContext& context, SourceRange range, const Mesh& mesh);
// A whole axis of the mesh, or a part that divides it (sharding.mesh-axis-ref,
// sharding.mesh-sub-axis).
bool CheckAxisRef(const RuleContext& context, SourceRange range, const Mesh& mesh,
                  const AxisRef& ref);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_DEVICE_LISTS_H_

// What the functions of collective.h do about devices. Not part of the interface.
#ifndef HLOKIT_BUILDER_COLLECTIVE_DEVICES_H_
#define HLOKIT_BUILDER_COLLECTIVE_DEVICES_H_

#include "builder/collective.h"
#include "builder/operation.h"

namespace hlo::ops {

// The attributes that say who takes part.
Draft& SetDevices(Draft& draft, const CollectiveOptions& options);

// There are shards, one for each member of a group; otherwise `rule`.
bool CheckShards(Operation& operation, const DeviceGroups& groups, int64_t shard_count, Rule rule);

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_COLLECTIVE_DEVICES_H_

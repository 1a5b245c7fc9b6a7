// All operations, as functions of namespace hlo::ops. An operation of values is found without
// naming the namespace; one that starts from a builder needs it, or a using-directive. Each family
// has a header of its own. docs/builder.md lists them with the HLO that they make.
#ifndef HLOKIT_BUILDER_OPERATIONS_H_
#define HLOKIT_BUILDER_OPERATIONS_H_

#include "builder/collective.h"
#include "builder/contraction.h"
#include "builder/control_flow.h"
#include "builder/data_movement.h"
#include "builder/effects.h"
#include "builder/elementwise.h"
#include "builder/hlo_builder.h"
#include "builder/indexing.h"
#include "builder/linalg.h"
#include "builder/random.h"
#include "builder/reduction.h"

#endif  // HLOKIT_BUILDER_OPERATIONS_H_

// Which elements one element is made of, instruction by instruction.
#ifndef HLOKIT_INDEXING_PROVENANCE_H_
#define HLOKIT_INDEXING_PROVENANCE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "indexing/image.h"
#include "indexing/op_maps.h"
#include "ir/module.h"

namespace hlo::indexing {

// What is needed of one array.
struct NeededElements {
  InstructionId instruction;
  int64_t element = 0;      // of a tuple; ArrayMaps::kAllElements: any
  bool may_be_any = false;  // the maps are unknown, or too large to be followed
  ElementSet elements;
};

struct ProvenanceStep {
  NeededElements needed;
  std::vector<NeededElements> reads;  // by operand; operands that are not read are left out
};

// Everything that element `index` of output `output` of `start` is made of within its computation,
// consumers before producers. Starts that are read at run time may have any value.
std::vector<ProvenanceStep> ProvenanceOf(const Module& module, InstructionId start, int64_t output,
                                         std::span<const int64_t> index, ExprContext& context,
                                         const IndexingOptions& options = {});

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_PROVENANCE_H_

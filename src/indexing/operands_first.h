// The order in which values flow.
#ifndef HLOKIT_INDEXING_OPERANDS_FIRST_H_
#define HLOKIT_INDEXING_OPERANDS_FIRST_H_

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

namespace hlo::indexing {

// Instructions with what they are made of, operands before users.
class OperandsFirstOrder {
 public:
  // What is not `fused` is listed, but not what it is made of; empty: everything is.
  OperandsFirstOrder(const Module& module, std::span<const InstructionId> fused)
      : module_(module), fused_(fused) {}

  void Add(InstructionId start) {
    if (!seen_.insert(start).second) return;
    std::vector<Visit> stack = {{start, 0}};
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const Instruction& instruction = module_.instruction(visit.id);
      if (!IsPassed(visit.id) || visit.next_operand == instruction.operands.size()) {
        order_.push_back(visit.id);
        stack.pop_back();
        continue;
      }
      const InstructionId operand = instruction.operands[visit.next_operand++].id;
      if (seen_.insert(operand).second) stack.push_back({operand, 0});
    }
  }

  bool IsPassed(InstructionId id) const {
    return fused_.empty() || std::ranges::find(fused_, id) != fused_.end();
  }

  std::vector<InstructionId> Take() { return std::move(order_); }

 private:
  struct Visit {
    InstructionId id;
    size_t next_operand;
  };

  const Module& module_;
  std::span<const InstructionId> fused_;
  absl::flat_hash_set<InstructionId> seen_;
  std::vector<InstructionId> order_;
};

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_OPERANDS_FIRST_H_

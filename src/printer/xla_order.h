// The orders in which XLA prints (grammar.md 10.3, 10.4).
#ifndef HLOKIT_PRINTER_XLA_ORDER_H_
#define HLOKIT_PRINTER_XLA_ORDER_H_

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace hlo {

// The computations that `instruction` calls, in the order XLA keeps them.
std::vector<ComputationId> Callees(const Instruction& instruction);

// Callees before callers.
std::vector<ComputationId> XlaComputationOrder(const Module& module);

// Operands before users, each tree of unused instructions where its root stands.
class XlaPostOrder {
 public:
  explicit XlaPostOrder(const Module& module);
  std::vector<InstructionId> Of(const Computation& computation);

 private:
  enum class State : uint8_t { kNew, kVisiting, kVisited };
  void Walk(InstructionId start, std::vector<InstructionId>* order);
  void Push(InstructionId id) {
    if (states_[id.value] != State::kVisited) stack_.push_back(id);
  }

  const Module& module_;
  std::vector<State> states_;
  std::vector<bool> used_;
  std::vector<InstructionId> stack_;
};

}  // namespace hlo

#endif  // HLOKIT_PRINTER_XLA_ORDER_H_

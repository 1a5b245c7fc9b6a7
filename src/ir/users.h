// Who uses what: the users of each instruction and the callers of each computation, as they are
// when the index is made. For a module that changes, ModuleBuilder keeps track (module_builder.h).
#ifndef HLOKIT_IR_USERS_H_
#define HLOKIT_IR_USERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "ir/module.h"

namespace hlo {

class Users {
 public:
  // Takes time in proportion to the module. The index stays valid when the module moves.
  explicit Users(const Module& module);

  // The instructions that have `id` as an operand, in the order of their ids; one that has it
  // twice stands there once. Control successors are not users.
  std::span<const InstructionId> Of(InstructionId id) const { return users_.Of(id.value); }
  // The instructions that name `id` in an attribute, once each.
  std::span<const InstructionId> CallersOf(ComputationId id) const { return callers_.Of(id.value); }

 private:
  // For each key a list, all in one array.
  class Lists {
   public:
    std::span<const InstructionId> Of(size_t key) const {
      return std::span(items_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
    }
    // `visit(add)` calls add(key, user) for every pair, users in ascending order; it is called
    // twice.
    template <typename Visit>
    void Fill(size_t key_count, const Visit& visit);

   private:
    std::vector<uint32_t> starts_;
    std::vector<InstructionId> items_;
  };

  Lists users_;
  Lists callers_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_USERS_H_

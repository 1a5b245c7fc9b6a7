// What many rules ask of a module, derived once: users, callers, reachability.
#ifndef HLOKIT_VERIFIER_MODULE_FACTS_H_
#define HLOKIT_VERIFIER_MODULE_FACTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace hlo {

// One computation named by one attribute.
struct CallSite {
  InstructionId caller;
  Attr attr;
};

// Calls visit(computation id) for every computation that `attribute` names.
template <typename Visitor>
void ForEachCallIn(const Attribute& attribute, Visitor visit);

// Calls visit(attr, computation id) for every computation that `instruction` names.
template <typename Visitor>
void ForEachCall(const Instruction& instruction, Visitor visit);

class ModuleFacts {
 public:
  explicit ModuleFacts(const Module& module);

  // The instructions that have `id` as an operand, in the order of the text; one that has it twice
  // stands twice.
  std::span<const InstructionId> users(InstructionId id) const {
    return {users_.data() + user_starts_[id.value],
            user_starts_[id.value + 1] - user_starts_[id.value]};
  }
  bool HasUsers(InstructionId id) const {
    return user_starts_[id.value] != user_starts_[id.value + 1];
  }
  // Who names the computation; nobody if there is none, as where an instruction's computation was
  // not read to its end (parser.h).
  std::span<const CallSite> callers(ComputationId id) const {
    if (!id.valid()) return {};
    return {callers_.data() + caller_starts_[id.value],
            caller_starts_[id.value + 1] - caller_starts_[id.value]};
  }
  // For each different shape of the module the first instruction that has it. Shapes are interned:
  // a dump repeats a few hundred of them tens of thousands of times.
  std::span<const InstructionId> first_of_shapes() const { return first_of_shapes_; }
  // The first call that closes a cycle of computations calling each other, or an invalid id.
  InstructionId cycle_caller() const { return cycle_caller_; }
  // Whether the entry computation calls `id`, directly or not.
  bool IsReachable(ComputationId id) const { return is_reachable_[id.value]; }
  // The thread that a computation runs on: what an async-start gives it, or what it is declared
  // with. A start gives its thread to the computation it wraps and to all below that one; where two
  // starts disagree, the later one stands (grammar.md 6.3).
  std::string_view thread(ComputationId id) const {
    return id.valid() ? threads_[id.value] : std::string_view();
  }
  // Whether an async-start wraps the computation.
  bool IsAsyncWrapped(ComputationId id) const { return is_async_wrapped_[id.value]; }

 private:
  void CollectUsers(const Module& module);
  void CollectCallers(const Module& module);
  void CollectShapes(const Module& module);
  void Walk(const Module& module);
  void CollectThreads(const Module& module);

  std::vector<uint32_t> user_starts_;
  std::vector<InstructionId> users_;
  std::vector<uint32_t> caller_starts_;
  std::vector<CallSite> callers_;
  std::vector<InstructionId> first_of_shapes_;
  std::vector<bool> is_reachable_;
  std::vector<std::string_view> threads_;
  std::vector<bool> is_async_wrapped_;
  InstructionId cycle_caller_;
};

namespace internal {
enum class CallKind : uint8_t { kNone, kOne, kList };
template <typename T>
inline constexpr CallKind kCallKindOf = std::is_same_v<T, ComputationId>     ? CallKind::kOne
                                        : std::is_same_v<T, ComputationList> ? CallKind::kList
                                                                             : CallKind::kNone;
inline constexpr CallKind kCallKinds[] = {
#define HLO_ATTRIBUTE(Name, text, Type) kCallKindOf<Type>,
#include "ir/attributes.def"
};
}  // namespace internal

template <typename Visitor>
void ForEachCallIn(const Attribute& attribute, Visitor visit) {
  switch (internal::kCallKinds[static_cast<size_t>(attribute.attr)]) {
    case internal::CallKind::kNone:
      break;
    case internal::CallKind::kOne:
      visit(attribute.value.Get<ComputationId>());
      break;
    case internal::CallKind::kList:
      for (ComputationId id : attribute.value.Get<ComputationList>()) visit(id);
      break;
  }
}

template <typename Visitor>
void ForEachCall(const Instruction& instruction, Visitor visit) {
  for (const Attribute& attribute : instruction.attributes) {
    ForEachCallIn(attribute, [&](ComputationId id) { visit(attribute.attr, id); });
  }
}

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_MODULE_FACTS_H_

// Where an asynchronous context comes from (verifier.md 1.10, "Producer tracing").
#ifndef HLOKIT_VERIFIER_PRODUCER_H_
#define HLOKIT_VERIFIER_PRODUCER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verifier/rule_context.h"

namespace hlo {

struct Producer {
  InstructionId id;  // invalid: there is none
  // On the way is a while loop, so that this is one of several instructions it may come from.
  bool through_loop = false;
};

// Goes back from instructions through tuples, get-tuple-elements, barriers, copies, marker
// custom-calls and while loops to the instruction that starts an asynchronous operation. Remembers
// the ways it went, so that all of a module's contexts are traced in linear time.
class ProducerTracer {
 public:
  // `context` must outlive the tracer.
  explicit ProducerTracer(const RuleContext& context) : context_(context) {}

  Producer Trace(InstructionId id);

 private:
  friend class ProducerSearch;
  // A part of an instruction's value: the indices that lead to it, innermost first.
  using Part = std::pair<InstructionId, std::vector<int64_t>>;

  const RuleContext& context_;
  absl::flat_hash_map<Part, Producer> known_;
};

// Whether `user` may hold an asynchronous context in its hands on the way to its done.
bool IsIntermediary(const Instruction& user);

// Whether `user`, no part of an asynchronous chain itself, may take the context of one: what hands
// it on does, and what calls computations.
bool MayHoldContext(const Instruction& user);

// Whether a context that `id` makes leaves its computation by the root, or goes into a loop or a
// call: its done is then somewhere else.
bool IsCarriedAway(const RuleContext& context, InstructionId id);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_PRODUCER_H_

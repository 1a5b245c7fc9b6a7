// Where an asynchronous context comes from (verifier.md 1.10, "Producer tracing").
#ifndef HLOKIT_VERIFIER_PRODUCER_H_
#define HLOKIT_VERIFIER_PRODUCER_H_

#include "verifier/rule_context.h"

namespace hlo {

// Goes back from `id` through tuples, get-tuple-elements, barriers, copies, marker custom-calls and
// while loops to the instruction that starts an asynchronous operation; an invalid id when there is
// none.
InstructionId TraceProducer(const RuleContext& context, InstructionId id);

// Whether `user` may hold an asynchronous context in its hands on the way to its done.
bool IsIntermediary(const Instruction& user);

// Whether a context that `id` makes leaves its computation by the root, or goes into a loop or a
// call: its done is then somewhere else.
bool IsCarriedAway(const RuleContext& context, InstructionId id);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_PRODUCER_H_

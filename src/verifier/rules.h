// The rules by topic. Each function checks its topic and reports through the context; none looks
// at what another has found. The per-instruction ones run only when the instruction's premises
// (InferShape) hold.
#ifndef HLOKIT_VERIFIER_RULES_H_
#define HLOKIT_VERIFIER_RULES_H_

#include "verifier/rule_context.h"

namespace hlo {

// --- Per instruction, by family (verifier.md 3): rules_<family>.cc -------------------------------

void VerifyElementwise(const RuleContext& context, const OpView& op);
void VerifyDataMovement(const RuleContext& context, const OpView& op);
void VerifyReduction(const RuleContext& context, const OpView& op);
void VerifyContraction(const RuleContext& context, const OpView& op);
void VerifyIndexing(const RuleContext& context, const OpView& op);
void VerifyLinalg(const RuleContext& context, const OpView& op);
void VerifyRandom(const RuleContext& context, const OpView& op);
void VerifyControlFlow(const RuleContext& context, const OpView& op);
void VerifyCollective(const RuleContext& context, const OpView& op);
void VerifyEffects(const RuleContext& context, const OpView& op);

// --- Once for the module -------------------------------------------------------------------------

// Computations have instructions, roots and parameters 0 ... k-1, operands belong to the same
// computation, no computation calls itself (verifier.md 1.3). False when the other rules cannot
// be asked.
bool VerifyStructure(const RuleContext& context);

// One function Verify<Name>(const RuleContext&) for each topic, in the order they run.
#define HLO_MODULE_TOPICS(TOPIC)                                              \
  TOPIC(Header)              /* the HloModule line: verifier.md 1.1 */        \
  TOPIC(Comments)            /* those that silence rules */                   \
  TOPIC(Names)               /* 1.2 */                                        \
  TOPIC(Computations)        /* roots, entry, reachability: 1.3 */            \
  TOPIC(Order)               /* cycles, schedules: 1.3, 1.7 */                \
  TOPIC(EntryLayout)         /* 1.4 */                                        \
  TOPIC(Aliases)             /* input/output aliases, donors: 1.4 */          \
  TOPIC(CallContexts)        /* 1.5 */                                        \
  TOPIC(Threads)             /* 1.6 */                                        \
  TOPIC(ControlDependencies) /* 1.8 */                                        \
  TOPIC(Channels)            /* channels and start/done pairs: 1.9.1, 1.10 */ \
  TOPIC(ChannelOrder)        /* 1.7 */                                        \
  TOPIC(Deadlock)            /* 1.9.2 */                                      \
  TOPIC(Async)               /* 1.10 */                                       \
  TOPIC(Tokens)              /* 1.11 */                                       \
  TOPIC(Fusions)             /* 1.12 */                                       \
  TOPIC(Shardings)           /* 1.13 */                                       \
  TOPIC(Provenance)          /* 1.14 */                                       \
  TOPIC(Buffers)             /* 1.15 */                                       \
  TOPIC(Unbounded)           /* 1.16 */                                       \
  TOPIC(Memory)              /* layouts and memory spaces: 1.17 */            \
  TOPIC(Shapes)              /* sizes, layouts: 2.1, 2.2 */                   \
  TOPIC(CollectiveAgreement) /* what collectives agree on: 3.10 */            \
  TOPIC(Performance)         /* perf.* */                                     \
  TOPIC(MissingEntryLayout)  /* 1.4; last: see there */

#define HLO_DECLARE_TOPIC(Name) void Verify##Name(const RuleContext& context);
HLO_MODULE_TOPICS(HLO_DECLARE_TOPIC)
#undef HLO_DECLARE_TOPIC

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_RULES_H_

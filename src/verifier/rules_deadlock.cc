// A simulation of the sends and receives of a scheduled module: would devices wait for each other
// for ever? Source: verifier.md 1.7 (schedule.deadlock), 1.9.2.
//
// The walk is in one of three states: idle, or with sends (receives) whose counterparts are still
// expected. A set of source-target pairs is acyclic and unique when no device is source or target
// twice and following the edges never returns.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/participant_groups.h"
#include "verifier/instruction_kind.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

constexpr std::string_view kPairsKey = "_xla_send_recv_source_target_pairs";

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// The first pair whose source or target another pair has already, in words; empty when all differ.
std::string DescribeRepeated(const Pairs& pairs) {
  absl::flat_hash_set<int64_t> sources;
  absl::flat_hash_set<int64_t> targets;
  for (const auto& [source, target] : pairs) {
    if (!sources.insert(source).second) return fmt::format("source {}", source);
    if (!targets.insert(target).second) return fmt::format("target {}", target);
  }
  return "";
}

bool IsUnique(const Pairs& pairs) { return DescribeRepeated(pairs).empty(); }

// Only for unique pairs: each source has one target, so a walk of as many steps as there are pairs
// either ends or goes round.
bool IsAcyclic(const Pairs& pairs) {
  absl::flat_hash_map<int64_t, int64_t> next(pairs.begin(), pairs.end());
  absl::flat_hash_set<int64_t> done;
  for (const auto& [source, target] : pairs) {
    absl::flat_hash_set<int64_t> path;
    for (int64_t at = source; !done.contains(at);) {
      if (!path.insert(at).second) return false;
      auto edge = next.find(at);
      if (edge == next.end()) break;
      at = edge->second;
    }
    done.insert(path.begin(), path.end());
  }
  return true;
}

Pairs Joined(const Pairs& a, const Pairs& b) {
  Pairs joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

class Automaton {
 public:
  explicit Automaton(const RuleContext& context) : context_(context) {}

  void Walk(const Computation& computation) {
    if (++depth_ <= kMaxDepth) {
      for (InstructionId id : computation.instructions) Step(context_.module().instruction(id));
    }
    --depth_;
  }

  void End() const {
    for (const Pending& pending : pending_) ReportLonely(*pending.instruction);
    for (const Pending& pending : early_) ReportLonely(*pending.instruction);
  }

 private:
  struct Pending {
    const Instruction* instruction;
    Pairs pairs;
  };

  void ReportLonely(const Instruction& transfer) const {
    context_.Report(Rule::kScheduleDeadlock, transfer.name_range,
                    "`{}` waits for a `{}` of the same pairs that never comes", transfer.name,
                    OpcodeName(transfer.opcode == Opcode::kSend ? Opcode::kRecv : Opcode::kSend));
  }

  void Step(const Instruction& instruction) {
    if (instruction.opcode == Opcode::kSend || instruction.opcode == Opcode::kRecv) {
      StepTransfer(instruction);
    } else if (IsCollective(instruction.opcode) && !pending_.empty()) {
      context_.Report(Rule::kSendrecvNoCollectiveBetween, instruction.opcode_range,
                      "`{}` while `{}` waits for its counterpart", OpcodeName(instruction.opcode),
                      pending_.front().instruction->name);
    }
    ForEachCall(instruction, [&](Attr, ComputationId id) { WalkCallee(instruction, id); });
  }

  // Embedded computations hold no transfers; async ones of several instructions run beside this
  // one.
  void WalkCallee(const Instruction& caller, ComputationId id) {
    if (!HasTrait(caller.opcode, kControlFlowCall)) return;
    if (caller.opcode == Opcode::kAsyncUpdate || caller.opcode == Opcode::kAsyncDone) return;
    if (!walked_.insert(id).second) return;
    const Computation& callee = context_.module().computation(id);
    bool is_own_thread = caller.opcode == Opcode::kAsyncStart &&
                         callee.instructions.size() > callee.parameters.size() + 1;
    if (is_own_thread) {
      Automaton other(context_);
      other.Walk(callee);
      other.End();
    } else {
      Walk(callee);
    }
  }

  void StepTransfer(const Instruction& transfer) {
    if (transfer.Get<Attr::kIsHostTransfer>()) return;
    if (FrontendValue(transfer, "_xla_send_recv_pipeline")) return;
    std::optional<Pairs> pairs = PairsOf(transfer);
    if (!pairs) return;
    if (pending_.empty() || pending_.front().instruction->opcode == transfer.opcode) {
      Open(transfer, std::move(*pairs));
    } else {
      Close(transfer, std::move(*pairs));
    }
  }

  SourceRange PairsRange(const Instruction& transfer, std::string_view text) const {
    return context_.Within(context_.View(transfer).attribute_range(Attr::kFrontendAttributes),
                           text);
  }

  std::optional<Pairs> PairsOf(const Instruction& transfer) {
    std::optional<std::string_view> text = FrontendValue(transfer, kPairsKey);
    std::optional<Pairs> pairs = text ? ParsePairs(*text) : std::nullopt;
    if (!pairs) {
      context_.Report(Rule::kScheduleDeadlock, transfer.name_range,
                      "`{}` has no pairs in `frontend_attributes={{{}=...}}`", transfer.name,
                      kPairsKey);
      return std::nullopt;
    }
    if (!IsUnique(*pairs)) {
      context_.Report(Rule::kSendrecvPairsUnique, PairsRange(transfer, *text),
                      "the pairs `{}` of `{}` have {} twice", *text, transfer.name,
                      DescribeRepeated(*pairs));
      return std::nullopt;
    }
    if (!IsAcyclic(*pairs)) {
      context_.Report(Rule::kSendrecvPairsNoCycle, PairsRange(transfer, *text),
                      "the pairs `{}` of `{}` go round in a circle", *text, transfer.name);
      return std::nullopt;
    }
    return pairs;
  }

  // A further send while receives are expected must not close a circle of waiting devices.
  void Open(const Instruction& transfer, Pairs pairs) {
    if (TakeMatch(early_, pairs)) return;
    if (IsAnyWaiting(pairs)) CheckWaiting(transfer, pairs);
    for (const auto& [source, target] : pairs) {
      ++waiting_[source];
      ++waiting_[target];
    }
    pending_.push_back({&transfer, std::move(pairs)});
  }

  bool IsAnyWaiting(const Pairs& pairs) const {
    const auto is_waiting = [this](int64_t device) {
      const auto count = waiting_.find(device);
      return count != waiting_.end() && count->second > 0;
    };
    return std::ranges::any_of(
        pairs, [&](const auto& pair) { return is_waiting(pair.first) || is_waiting(pair.second); });
  }

  void CheckWaiting(const Instruction& transfer, const Pairs& pairs) const {
    for (const Pending& pending : pending_) {
      Pairs joined = Joined(pending.pairs, pairs);
      if (IsUnique(joined) && IsAcyclic(joined)) continue;
      context_.Report(Rule::kSendrecvStateMachine, transfer.name_range,
                      "`{}` and `{}` make devices wait for each other", pending.instruction->name,
                      transfer.name);
      context_.Note(Rule::kSendrecvStateMachine, pending.instruction->name_range, "`{}` is here",
                    pending.instruction->name);
      return;
    }
  }

  void Close(const Instruction& transfer, Pairs pairs) {
    if (!TakeMatch(pending_, pairs)) {
      early_.push_back({&transfer, std::move(pairs)});
      return;
    }
    for (const auto& [source, target] : pairs) {
      --waiting_[source];
      --waiting_[target];
    }
  }

  static bool TakeMatch(std::vector<Pending>& waiting, const Pairs& pairs) {
    auto match = std::find_if(waiting.begin(), waiting.end(),
                              [&](const Pending& pending) { return pending.pairs == pairs; });
    if (match == waiting.end()) return false;
    waiting.erase(match);
    return true;
  }

  const RuleContext& context_;
  // Calls nest no deeper in programs that anybody runs.
  static constexpr int kMaxDepth = 1000;
  int depth_ = 0;
  std::vector<Pending> pending_;  // all sends, or all receives
  std::vector<Pending> early_;    // counterparts that came before what they match
  // How often each device occurs in `pending_`: only those that do can wait for each other.
  absl::flat_hash_map<int64_t, int64_t> waiting_;
  absl::flat_hash_set<ComputationId> walked_;
};

}  // namespace

void VerifyDeadlock(const RuleContext& context) {
  if (!context.IsOn(Rule::kScheduleDeadlock) || !context.module().is_scheduled()) return;
  Automaton automaton(context);
  automaton.Walk(context.module().entry());
  automaton.End();
}

}  // namespace hlo

// Channels, and the pairs of start and done that share a context. Source: verifier.md 1.7
// (channel order), 1.9.1, 1.10 (pair.*).
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "verifier/instruction_kind.h"
#include "verifier/producer.h"
#include "verifier/rules.h"

namespace hlo {
namespace {

bool IsTransfer(Opcode opcode) { return opcode == Opcode::kSend || opcode == Opcode::kRecv; }

// The done of a start, the start of a done; nothing for other opcodes.
struct Pair {
  Opcode start;
  Opcode done;
};
constexpr Pair kPairs[] = {
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone},
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone},
    {Opcode::kCopyStart, Opcode::kCopyDone},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone},
    {Opcode::kSend, Opcode::kSendDone},
    {Opcode::kRecv, Opcode::kRecvDone},
};
const Pair* PairOf(Opcode opcode) {
  for (const Pair& pair : kPairs) {
    if (pair.start == opcode || pair.done == opcode) return &pair;
  }
  return nullptr;
}

// Users that count: a control_dep custom-call only orders.
std::vector<InstructionId> CountedUsers(const RuleContext& context, InstructionId id) {
  std::vector<InstructionId> users;
  for (InstructionId user : context.facts().users(id)) {
    if (!IsCustomCall(context.module().instruction(user), "control_dep")) users.push_back(user);
  }
  return users;
}

bool IsAsyncRoot(const RuleContext& context, const Instruction& instruction) {
  const Computation& computation = context.module().computation(instruction.computation);
  if (computation.root != context.module().id_of(instruction)) return false;
  for (const CallSite& site : context.facts().callers(instruction.computation)) {
    if (IsAsync(context.module().instruction(site.caller).opcode)) return true;
  }
  return false;
}

// A start's context goes one way: to its done, or to something that hands it on.
void CheckSingleUser(const RuleContext& context, const OpView& op, const Pair& pair) {
  if (IsAsyncRoot(context, op.instruction())) return;
  Rule rule = IsTransfer(op.opcode()) ? Rule::kChannelSingleUser : Rule::kPairStartSingleUser;
  std::vector<InstructionId> users =
      CountedUsers(context, context.module().id_of(op.instruction()));
  if (users.size() != 1) {
    context.Report(rule, op.instruction().name_range, "`{}` has {} users instead of 1, its `{}`",
                   op.instruction().name, users.size(), OpcodeName(pair.done));
    return;
  }
  const Instruction& user = context.module().instruction(users[0]);
  if (user.opcode == pair.done || IsIntermediary(user)) return;
  context.Report(rule, user.opcode_range, "`{}` takes `{}`, which only `{}` may end",
                 OpcodeName(user.opcode), op.instruction().name, OpcodeName(pair.done));
}

// Whether inference has refused the operand as no context at all.
bool IsRefused(const OpView& op) {
  const bool takes_tuple = op.opcode() == Opcode::kCopyDone || op.opcode() == Opcode::kRecvDone ||
                           op.opcode() == Opcode::kCollectivePermuteDone;
  return takes_tuple && !op.operand_shape(0).IsTuple();
}

void CheckDoneOperand(const RuleContext& context, ProducerTracer& tracer, const OpView& op,
                      const Pair& pair) {
  const Instruction& operand = op.operand(0);
  if (operand.opcode == pair.start || IsRefused(op)) return;
  Rule rule = IsTransfer(pair.start) ? Rule::kChannelDoneOperand : Rule::kPairDoneOperand;
  if (IsTransfer(pair.start) && operand.opcode == Opcode::kGetTupleElement) return;
  const InstructionId producer = tracer.Trace(op.instruction().operands[0].id).id;
  if (producer.valid() && context.module().instruction(producer).opcode == pair.start) return;
  context.Report(rule, op.operand_range(0), "`{}` does not come from `{}`", operand.name,
                 OpcodeName(pair.start));
}

void CheckPairs(const RuleContext& context, ProducerTracer& tracer, const OpView& op) {
  const Pair* pair = PairOf(op.opcode());
  if (pair == nullptr) return;
  if (pair->start == op.opcode()) {
    CheckSingleUser(context, op, *pair);
  } else if (op.operand_count() == 1) {
    CheckDoneOperand(context, tracer, op, *pair);
  }
}

// --- Channel ids ---------------------------------------------------------------------------------

std::string ChannelText(const int64_t* channel) {
  return channel == nullptr ? "no channel" : fmt::format("channel {}", *channel);
}

// A done directly behind its start says the same of the channel.
void CheckDoneMatches(const RuleContext& context, const OpView& start) {
  std::vector<InstructionId> users =
      CountedUsers(context, context.module().id_of(start.instruction()));
  if (users.size() != 1) return;
  const Instruction& done = context.module().instruction(users[0]);
  const Pair* pair = PairOf(start.opcode());
  if (done.opcode != pair->done) return;
  const int64_t* start_channel = start.instruction().attributes.GetIf<Attr::kChannelId>();
  const int64_t* done_channel = done.attributes.GetIf<Attr::kChannelId>();
  bool is_same = (start_channel == nullptr) == (done_channel == nullptr) &&
                 (start_channel == nullptr || *start_channel == *done_channel);
  OpView view = context.View(done);
  if (!is_same) {
    context.Report(Rule::kChannelDoneMatches, view.attribute_range(Attr::kChannelId),
                   "`{}` has {}, `{}` has {}", done.name, ChannelText(done_channel),
                   start.instruction().name, ChannelText(start_channel));
  } else if (done.Get<Attr::kIsHostTransfer>() != start.Get<Attr::kIsHostTransfer>()) {
    context.Report(Rule::kChannelDoneMatches, view.attribute_range(Attr::kIsHostTransfer),
                   "of `{}` and `{}` only one is a host transfer", start.instruction().name,
                   done.name);
  }
}

void CheckPositive(const RuleContext& context, const OpView& op) {
  const int64_t* channel = op.instruction().attributes.GetIf<Attr::kChannelId>();
  if (channel == nullptr || *channel > 0) return;
  bool is_enforced = op.opcode() == Opcode::kAllReduce;
  context.Report(is_enforced ? Rule::kChannelPositive : Rule::kChannelPositiveOther,
                 op.attribute_range(Attr::kChannelId), "`channel_id={}` is not positive", *channel);
}

// What two host transfers of one channel must share; operands may differ but not their shapes.
bool IsSameTransfer(const OpView& a, const OpView& b) {
  if (a.opcode() != b.opcode() || *a.written_shape() != *b.written_shape()) return false;
  for (int64_t i = 0; i < a.operand_count(); ++i) {
    if (a.operand_shape(i) != b.operand_shape(i)) return false;
  }
  return a.Get<Attr::kFrontendAttributes>() == b.Get<Attr::kFrontendAttributes>();
}

class ChannelTable {
 public:
  explicit ChannelTable(const RuleContext& context) : context_(context) {}

  void Add(const OpView& op) {
    const int64_t* channel = op.instruction().attributes.GetIf<Attr::kChannelId>();
    if (channel == nullptr) return;
    if (op.Get<Attr::kIsHostTransfer>()) {
      AddHostTransfer(*channel, op);
    } else {
      (op.opcode() == Opcode::kSend ? sends_ : recvs_).try_emplace(*channel, &op.instruction());
    }
    AddToComputation(*channel, op);
  }

  void ReportLonely() const {
    ReportWithout(sends_, recvs_, "recv");
    ReportWithout(recvs_, sends_, "send");
  }

 private:
  using Channels = std::map<int64_t, const Instruction*>;

  void AddHostTransfer(int64_t channel, const OpView& op) {
    auto [entry, is_new] = host_transfers_.try_emplace({channel, op.opcode()}, &op.instruction());
    if (is_new || IsSameTransfer(context_.View(*entry->second), op)) return;
    context_.Report(Rule::kChannelHostTransferIdentical, op.instruction().name_range,
                    "`{}` differs from another host transfer on channel {}", op.instruction().name,
                    channel);
    context_.Note(Rule::kChannelHostTransferIdentical, entry->second->name_range, "the other one");
  }

  void AddToComputation(int64_t channel, const OpView& op) {
    auto key = std::tuple(op.instruction().computation, channel, op.opcode());
    auto [entry, is_new] = in_computation_.try_emplace(key, &op.instruction());
    if (is_new) return;
    context_.Report(Rule::kModuleUniqueChannel, op.attribute_range(Attr::kChannelId),
                    "channel {} has a `{}` in this computation already", channel,
                    OpcodeName(op.opcode()));
    context_.Note(Rule::kModuleUniqueChannel, entry->second->name_range, "this one");
  }

  void ReportWithout(const Channels& channels, const Channels& counterparts,
                     std::string_view what) const {
    for (const auto& [channel, instruction] : channels) {
      if (counterparts.contains(channel)) continue;
      context_.Report(Rule::kChannelCounterpart, instruction->name_range,
                      "no {} of channel {} in this module", what, channel);
    }
  }

  const RuleContext& context_;
  Channels sends_;
  Channels recvs_;
  std::map<std::pair<int64_t, Opcode>, const Instruction*> host_transfers_;
  std::map<std::tuple<ComputationId, int64_t, Opcode>, const Instruction*> in_computation_;
};

// --- Order in a schedule -------------------------------------------------------------------------

// A channel's instructions in the order the documents want them: recv, send, then the dones.
int StageOf(Opcode opcode) {
  if (opcode == Opcode::kRecv) return 0;
  return opcode == Opcode::kSend ? 1 : 2;
}

void CheckScheduledChannels(const RuleContext& context, const Computation& computation) {
  absl::flat_hash_map<int64_t, const Instruction*> latest;
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = context.module().instruction(id);
    const Pair* pair = PairOf(instruction.opcode);
    const int64_t* channel = instruction.attributes.GetIf<Attr::kChannelId>();
    if (pair == nullptr || !IsTransfer(pair->start) || channel == nullptr) continue;
    const Instruction*& last = latest[*channel];
    if (last != nullptr && StageOf(last->opcode) > StageOf(instruction.opcode)) {
      context.Report(Rule::kScheduleChannelOrder, instruction.name_range,
                     "`{}` of channel {} is scheduled after its `{}`",
                     OpcodeName(instruction.opcode), *channel, OpcodeName(last->opcode));
      context.Note(Rule::kScheduleChannelOrder, last->name_range, "scheduled before");
    } else {
      last = &instruction;
    }
  }
}

}  // namespace

void VerifyChannels(const RuleContext& context) {
  ChannelTable table(context);
  ProducerTracer tracer(context);
  for (const Instruction& instruction : context.module().instructions()) {
    OpView op = context.View(instruction);
    OpcodeFamily family = GetOpcodeInfo(op.opcode()).family;
    if (family != OpcodeFamily::kCollective && family != OpcodeFamily::kEffects) continue;
    CheckPositive(context, op);
    CheckPairs(context, tracer, op);
    if (!IsTransfer(op.opcode())) continue;
    CheckDoneMatches(context, op);
    table.Add(op);
  }
  table.ReportLonely();
}

void VerifyChannelOrder(const RuleContext& context) {
  if (!context.module().is_scheduled()) return;
  for (const Computation& computation : context.module().computations()) {
    CheckScheduledChannels(context, computation);
  }
}

}  // namespace hlo

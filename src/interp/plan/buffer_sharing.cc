// The pass walks the plan in order of execution. A buffer's own [first, last] says when its
// contents are wanted; a group of joined buffers holds at every position the contents of at most
// one of them. Inside a while body the parameters' groups stay apart from the carried buffers,
// which are reserved for the whole loop, until the body's results have been settled.
#include "interp/plan/buffer_sharing.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

#include "interp/plan/passes.h"

namespace hlo {
namespace {

bool SameArray(const Slot& a, const Slot& b) {
  return a.shape->element_type() == b.shape->element_type() &&
         std::ranges::equal(a.shape->dims(), b.shape->dims());
}

}  // namespace

BufferSharing::BufferSharing(Plan& plan) : plan_(plan), preferred_(plan.buffers.size()) {
  for (const Buffer& buffer : plan_.buffers) {
    groups_.push_back({BufferId(groups_.size()), buffer.first, buffer.last});
  }
}

void BufferSharing::Run() {
  VisitRegion(*plan_.entry);
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    BufferId home = Find(BufferId(i));
    Buffer& buffer = plan_.buffers[i];
    if (home.value != i) buffer.shares = home;
    buffer.first = groups_[home.value].first;
    buffer.last = groups_[home.value].last;
  }
}

BufferId BufferSharing::Find(BufferId id) {
  while (groups_[id.value].parent != id) {
    BufferId& parent = groups_[id.value].parent;
    parent = groups_[parent.value].parent;
    id = parent;
  }
  return id;
}

void BufferSharing::Join(BufferId joining, BufferId home) {
  joining = Find(joining);
  home = Find(home);
  if (joining == home) return;
  Group& group = groups_[home.value];
  group.first = std::min(group.first, groups_[joining.value].first);
  group.last = std::max(group.last, groups_[joining.value].last);
  groups_[joining.value].parent = home;
}

bool BufferSharing::SameSize(BufferId a, BufferId b) const {
  return plan_.buffers[a.value].byte_size == plan_.buffers[b.value].byte_size;
}

bool BufferSharing::IsArena(BufferId id) const {
  return plan_.buffers[id.value].kind == Buffer::Kind::kArena;
}

bool BufferSharing::IsBornIn(const Region& region, SlotId slot) {
  BufferId buffer = BufferOf(slot);
  return IsArena(buffer) && GroupOf(buffer).first > region.begin;
}

void BufferSharing::VisitRegion(Region& region) {
  for (Step& step : region.steps) VisitStep(step);
}

void BufferSharing::VisitStep(Step& step) {
  switch (step.kind) {
    case StepKind::kKernel:
      for (auto& function : step.regions) VisitRegion(*function);
      ShareOperands(step);
      return;
    case StepKind::kWhile:
      ShareInitialValues(step);
      PreferCarriedMemory(*step.regions[1]);
      for (auto& region : step.regions) VisitRegion(*region);
      FinishBody(step);
      return;
    case StepKind::kConditional:
      for (auto& branch : step.regions) {
        VisitRegion(*branch);
        FinishBranch(*branch);
      }
      return;
  }
}

// The kernel says which operands its results may replace (evaluation.h). An operand's memory goes
// to one result at most; those that want a certain one come first.
void BufferSharing::ShareOperands(Step& step) {
  if (step.kernel->overwrite == Overwrite::kNone) return;
  absl::InlinedVector<BufferId, 4> given;
  absl::InlinedVector<bool, 4> is_done(step.results.size());
  for (const bool only_preferred : {true, false}) {
    for (size_t i = 0; i < step.results.size(); ++i) {
      if (is_done[i]) continue;
      const BufferId result = BufferOf(step.results[i]);
      const BufferId preferred = preferred_[result.value];
      for (size_t j = 0; j < step.operands.size() && !is_done[i]; ++j) {
        const BufferId home = BufferOf(step.operands[j]);
        if (only_preferred && (!preferred.valid() || Find(home) != Find(preferred))) continue;
        if (!MayReplace(step, i, j) || std::ranges::find(given, home) != given.end()) continue;
        Join(result, home);
        given.push_back(home);
        is_done[i] = true;
      }
    }
  }
}

// Whether result `i` may take the memory of operand `j`, which nobody reads any more.
bool BufferSharing::MayReplace(const Step& step, size_t i, size_t j) const {
  const bool has_updates = step.kernel->overwrite == Overwrite::kSameNumber;
  const bool is_update = has_updates && i < step.kernel->same_number_count;
  const Slot& result = plan_.slot(step.results[i]);
  const Slot& operand = plan_.slot(step.operands[j]);
  if (is_update ? j != i : has_updates && j < step.kernel->same_number_count) return false;
  if (result.is_dynamic || operand.is_dynamic || !SameArray(result, operand)) return false;
  const Buffer& buffer = plan_.buffer(operand.buffer);
  if (buffer.kind != Buffer::Kind::kArena || buffer.last != step.end) return false;
  if (!plan_.is_whole(step.results[i])) return false;
  // Element k of a part is not element k of the buffer.
  const auto is_in_memory = [&](SlotId other) { return BufferOf(other) == operand.buffer; };
  return std::ranges::all_of(
             step.operands,
             [&](SlotId other) { return !is_in_memory(other) || plan_.is_whole(other); }) &&
         (!is_update || std::ranges::count_if(step.operands, is_in_memory) == 1);
}

void BufferSharing::ShareInitialValues(Step& step) {
  for (const Move& move : step.moves) {
    BufferId from = BufferOf(move.from);
    BufferId to = BufferOf(move.to);
    const Buffer& buffer = plan_.buffer(from);
    bool is_last_use = buffer.kind == Buffer::Kind::kArena && buffer.last == step.begin;
    bool is_taken = std::ranges::any_of(
        step.moves, [&](const Move& other) { return Find(BufferOf(other.to)) == Find(from); });
    if (IsDynamic(move.from) || !is_last_use || is_taken || !SameSize(from, to)) continue;
    Join(to, from);
  }
}

void BufferSharing::PreferCarriedMemory(const Region& body) {
  for (size_t i = 0; i < body.results.size(); ++i) {
    preferred_[BufferOf(body.results[i]).value] = BufferOf(body.parameters[i]);
  }
}

// Result i of the body must end up in carried slot i, whose memory parameter i has had so far.
void BufferSharing::FinishBody(Step& step) {
  Region& body = *step.regions[1];
  std::vector<size_t> moved;
  absl::flat_hash_set<BufferId> overwritten;  // groups that moves write to
  for (size_t i = 0; i < body.results.size(); ++i) {
    SlotId result = body.results[i];
    BufferId made = BufferOf(result);
    BufferId home = BufferOf(body.parameters[i]);
    if (result == body.targets[i]) continue;
    if (!IsDynamic(result) && !IsDynamic(body.targets[i]) && IsArena(made)) {
      if (Find(made) == Find(home)) continue;
      if (IsBornIn(body, result) && GroupOf(home).last < GroupOf(made).first &&
          SameSize(made, home)) {
        Join(made, home);
        continue;
      }
    }
    moved.push_back(i);
    overwritten.insert(Find(home));
  }
  // All moves happen at once: what one reads and another overwrites goes through a detour.
  std::vector<Move> last_moves;
  for (size_t i : moved) {
    SlotId from = body.results[i];
    BufferId source = Find(BufferOf(from));
    bool is_own = source == Find(BufferOf(body.parameters[i]));
    if (!is_own && overwritten.contains(source)) {
      SlotId staging = NewStagingSlot(from, body.end);
      body.moves.push_back({from, staging});
      from = staging;
    }
    last_moves.push_back({from, body.targets[i]});
  }
  body.moves.insert(body.moves.end(), last_moves.begin(), last_moves.end());
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    Join(BufferOf(body.parameters[i]), BufferOf(body.targets[i]));
  }
}

void BufferSharing::FinishBranch(Region& branch) {
  for (size_t i = 0; i < branch.results.size(); ++i) {
    SlotId result = branch.results[i];
    SlotId target = branch.targets[i];
    if (!IsDynamic(result) && !IsDynamic(target) && IsBornIn(branch, result) &&
        SameSize(BufferOf(result), BufferOf(target))) {
      Join(BufferOf(result), BufferOf(target));
    } else {
      branch.moves.push_back({result, target});
    }
  }
}

SlotId BufferSharing::NewStagingSlot(SlotId like, int64_t position) {
  Slot slot = plan_.slot(like);
  Buffer buffer = plan_.buffer(slot.buffer);
  buffer.kind = Buffer::Kind::kArena;
  buffer.first = buffer.last = position;
  slot.buffer = BufferId(plan_.buffers.size());
  slot.literal = nullptr;
  plan_.buffers.push_back(buffer);
  plan_.slots.push_back(slot);
  groups_.push_back({slot.buffer, position, position});
  preferred_.emplace_back();
  return SlotId(plan_.slots.size() - 1);
}

bool ShareBuffers(Plan& plan, const PassContext&) {
  BufferSharing(plan).Run();
  return true;
}

}  // namespace hlo

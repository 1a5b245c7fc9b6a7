// Pass deduplicate: what is computed twice of the same arrays is computed once, as where functions
// that were dissolved had been called with the same arguments. Of small arrays only: to keep a
// large one takes memory, and a block makes an element as fast as it reads it.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "interp/plan/passes.h"
#include "interp/plan/purity.h"
#include "ir/computation_equality.h"

namespace hlo {
namespace {

constexpr int64_t kMaxByteSize = int64_t{32} << 10;  // of a result
constexpr int64_t kMaxConstantByteSize = 64;         // of constants that are compared

class Deduplicator {
 public:
  explicit Deduplicator(Plan& plan) : plan_(plan), same_(plan.buffers.size()) {
    for (size_t i = 0; i < same_.size(); ++i) same_[i] = BufferId(i);
  }

  void Run() {
    FindEqualConstants();
    VisitRegion(*plan_.entry);
    for (Slot& slot : plan_.slots) slot.buffer = same_[slot.buffer.value];
  }

 private:
  // What is known of a step that was kept.
  struct Known {
    Opcode opcode;
    InstructionId instruction;
    std::span<const SlotId> operands;
    SlotId result;
  };

  BufferId BufferOf(SlotId slot) const { return same_[plan_.slot(slot).buffer.value]; }

  void FindEqualConstants() {
    absl::flat_hash_map<std::pair<ElementType, std::string_view>, BufferId> first;
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      if (slot.literal == nullptr || slot.is_dynamic || slot.byte_size > kMaxConstantByteSize ||
          slot.byte_size != plan_.buffer(slot.buffer).byte_size) {
        continue;
      }
      const std::string_view bytes(reinterpret_cast<const char*>(slot.literal->bytes()),
                                   static_cast<size_t>(slot.byte_size));
      same_[slot.buffer.value] =
          first.try_emplace({slot.shape->element_type(), bytes}, slot.buffer).first->second;
    }
  }

  // What is computed in a region is there in its own steps' regions, and nowhere behind it.
  void VisitRegion(Region& region) {
    const size_t outer_count = known_hashes_.size();
    std::erase_if(region.steps, [&](Step& step) {
      if (step.kind != StepKind::kKernel) {
        for (const auto& nested : step.regions) VisitRegion(*nested);
        return false;
      }
      return MayMerge(step) && IsKnown(step);
    });
    while (known_hashes_.size() > outer_count) {
      known_[known_hashes_.back()].pop_back();
      known_hashes_.pop_back();
    }
  }

  bool MayMerge(const Step& step) const {
    return step.results.size() == 1 && IsPureAndCheap(plan_.instruction(step)) &&
           !plan_.slot(step.results[0]).is_dynamic &&
           plan_.slot(step.results[0]).byte_size <= kMaxByteSize &&
           std::ranges::none_of(step.operands,
                                [&](SlotId slot) { return plan_.slot(slot).is_dynamic; });
  }

  // If a step like it was kept its result is the other one's; otherwise it is kept.
  bool IsKnown(const Step& step) {
    const uint64_t hash = HashOf(step);
    auto& candidates = known_[hash];
    const auto found =
        std::ranges::find_if(candidates, [&](const Known& known) { return AreSame(step, known); });
    if (found != candidates.end()) {
      same_[plan_.slot(step.results[0]).buffer.value] = BufferOf(found->result);
      return true;
    }
    candidates.push_back({step.opcode, step.instruction, step.operands, step.results[0]});
    known_hashes_.push_back(hash);
    return false;
  }

  uint64_t HashOf(const Step& step) const {
    uint64_t hash = absl::HashOf(step.opcode, plan_.slot(step.results[0]).byte_size);
    for (SlotId operand : step.operands) hash = absl::HashOf(hash, BufferOf(operand));
    return hash;
  }

  bool HaveSameShape(SlotId a, SlotId b) const {
    const Shape &x = *plan_.slot(a).shape, &y = *plan_.slot(b).shape;
    return x.element_type() == y.element_type() && std::ranges::equal(x.dims(), y.dims());
  }

  bool AreSame(const Step& step, const Known& known) const {
    const auto are_same = [&](SlotId a, SlotId b) {
      return BufferOf(a) == BufferOf(b) && HaveSameShape(a, b);
    };
    return step.opcode == known.opcode && HaveSameShape(step.results[0], known.result) &&
           std::ranges::equal(step.operands, known.operands, are_same) &&
           HaveSameAttributes(step, known);
  }

  bool HaveSameAttributes(const Step& step, const Known& known) const {
    if (step.instruction == known.instruction) return true;
    const Instruction& a = plan_.instruction(step);
    const Instruction& b = plan_.module->instruction(known.instruction);
    // Conversions of operands and values have none.
    const bool are_instructions = step.opcode == a.opcode && step.opcode == b.opcode;
    return are_instructions && EqualAttributes(*plan_.module, a, b);
  }

  Plan& plan_;
  std::vector<BufferId> same_;  // by buffer: the one that holds the same
  absl::flat_hash_map<uint64_t, absl::InlinedVector<Known, 1>> known_;  // by hash
  std::vector<uint64_t> known_hashes_;                                  // in their order
};

}  // namespace

bool DeduplicateSteps(Plan& plan, const PassContext& context) {
  // Who watches wants to see all steps.
  if (context.fuses) Deduplicator(plan).Run();
  return true;
}

}  // namespace hlo

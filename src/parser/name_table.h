// The names of one body, by hash. Slots are small, because a body of ten thousands of names is
// limited by the cache lines it touches; the texts stand in the module.
#ifndef HLOKIT_PARSER_NAME_TABLE_H_
#define HLOKIT_PARSER_NAME_TABLE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/hash_bytes.h"

namespace hlo {

class NameTable {
 public:
  // Starts the table of a new body, whose instructions get ids from `first_id` on. Slots of earlier
  // bodies are told by their smaller ids: clearing is free. A small body does not use the wide
  // table a large one left behind.
  void Clear(InstructionId first_id) {
    first_id_ = first_id;
    used_count_ = 0;
    if (slots_.size() > kSmallSlotCount) slots_.resize(kSmallSlotCount);
  }

  // The instruction called `name`, or an invalid id.
  InstructionId Find(const Module& module, std::string_view name) const {
    if (slots_.empty()) return InstructionId();
    const Slot& slot = slots_[FindSlot(module, name, HashBytes(name))];
    return IsUsed(slot) ? slot.id : InstructionId();
  }

  // The hash of a name that is inserted soon; its place is called from memory meanwhile.
  uint32_t Prepare(std::string_view name) const {
    const uint32_t hash = HashBytes(name);
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)], 1);
    return hash;
  }

  // Adds a name; returns the instruction that has it already and keeps it, or an invalid id.
  InstructionId Insert(const Module& module, std::string_view name, uint32_t hash,
                       InstructionId id) {
    if (2 * (used_count_ + 1) > slots_.size()) Grow();
    Slot& slot = slots_[FindSlot(module, name, hash)];
    if (IsUsed(slot)) return slot.id;
    slot = {hash, id};
    ++used_count_;
    return InstructionId();
  }

  template <typename Function>
  void ForEach(Function function) const {
    for (const Slot& slot : slots_) {
      if (IsUsed(slot)) function(slot.id);
    }
  }

 private:
  static constexpr size_t kSmallSlotCount = 256;
  struct Slot {
    uint32_t hash = 0;
    InstructionId id;
  };

  bool IsUsed(const Slot& slot) const { return slot.id.valid() && slot.id >= first_id_; }

  // Where `name` is, or would be. There are free slots.
  size_t FindSlot(const Module& module, std::string_view name, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; IsUsed(slots_[i]); i = (i + 1) & mask) {
      if (slots_[i].hash == hash && EqualBytes(module.instruction(slots_[i].id).name, name)) break;
    }
    return i;
  }

  void Place(const Slot& slot) {
    const size_t mask = slots_.size() - 1;
    size_t i = slot.hash & mask;
    while (IsUsed(slots_[i])) i = (i + 1) & mask;
    slots_[i] = slot;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kSmallSlotCount : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (IsUsed(slot)) Place(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them used
  size_t used_count_ = 0;
  InstructionId first_id_;
};

}  // namespace hlo

#endif  // HLOKIT_PARSER_NAME_TABLE_H_

// Pass share: which buffers lie in the same memory.
#ifndef HLOKIT_INTERP_PLAN_BUFFER_SHARING_H_
#define HLOKIT_INTERP_PLAN_BUFFER_SHARING_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "interp/plan/plan.h"

namespace hlo {

// Joins buffers whose contents can follow each other in the same memory without a copy: the result
// of an instruction takes over an operand that nobody reads later, results of while bodies and
// branches are made where they must end up. Fills in the moves that remain.
class BufferSharing {
 public:
  explicit BufferSharing(Plan& plan);

  void Run();

 private:
  // Buffers that share memory.
  struct Group {
    BufferId parent;
    int64_t first;  // of all members
    int64_t last;
  };

  void VisitRegion(Region& region);
  void VisitStep(Step& step);
  void ShareOperands(Step& step);
  bool MayReplace(const Step& step, size_t i, size_t j) const;
  void ShareInitialValues(Step& step);
  void FinishBody(Step& step);
  void FinishBranch(Region& branch);
  void PreferCarriedMemory(const Region& body);

  BufferId BufferOf(SlotId slot) const { return plan_.slot(slot).buffer; }
  bool IsDynamic(SlotId slot) const { return plan_.slot(slot).is_dynamic; }
  BufferId Find(BufferId id);
  Group& GroupOf(BufferId id) { return groups_[Find(id).value]; }
  // Lets `joining`'s group lie in `home`'s memory.
  void Join(BufferId joining, BufferId home);
  bool SameSize(BufferId a, BufferId b) const;
  bool IsArena(BufferId id) const;
  // Whether the memory of `slot` is made inside `region` and nowhere else.
  bool IsBornIn(const Region& region, SlotId slot);
  SlotId NewStagingSlot(SlotId like, int64_t position);

  Plan& plan_;
  std::vector<Group> groups_;        // by buffer
  std::vector<BufferId> preferred_;  // by buffer: the memory its contents must end up in
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_PLAN_BUFFER_SHARING_H_

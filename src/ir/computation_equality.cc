// Both computations are walked side by side; operands are the same when they stand at the same
// place. Pairs that were compared once are not compared again, so that shared callees cost once.
#include "ir/computation_equality.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace hlo {
namespace {

// What says where an instruction comes from, not what it does.
bool IsProvenance(Attr attr) {
  return attr == Attr::kMetadata || attr == Attr::kOrigin || attr == Attr::kStatistics;
}

class Comparison {
 public:
  explicit Comparison(const Module& module) : module_(module) {}

  bool AreEqual(ComputationId a, ComputationId b) {
    Enqueue(a, b);
    return AreAllEqual();
  }

  bool HaveEqualAttributes(const Instruction& a, const Instruction& b) {
    const absl::flat_hash_map<InstructionId, InstructionId> none;
    partner_ = &none;
    return Include(a, b) && Include(b, a) && AreAllEqual();
  }

 private:
  // Those that are left to compare.
  bool AreAllEqual() {
    while (!pending_.empty()) {
      const auto [x, y] = pending_.back();
      pending_.pop_back();
      if (!HaveEqualBodies(module_.computation(x), module_.computation(y))) return false;
    }
    return true;
  }

  void Enqueue(ComputationId a, ComputationId b) {
    if (a != b && seen_.insert({a, b}).second) pending_.push_back({a, b});
  }

  bool HaveEqualBodies(const Computation& a, const Computation& b) {
    if (a.instructions.size() != b.instructions.size()) return false;
    absl::flat_hash_map<InstructionId, InstructionId> partner;
    for (size_t i = 0; i < a.instructions.size(); ++i) {
      partner[a.instructions[i]] = b.instructions[i];
    }
    partner_ = &partner;
    for (size_t i = 0; i < a.instructions.size(); ++i) {
      if (!AreEqual(module_.instruction(a.instructions[i]), module_.instruction(b.instructions[i])))
        return false;
    }
    return Match(a.root, b.root);
  }

  bool Match(InstructionId a, InstructionId b) const {
    const auto found = partner_->find(a);
    return found != partner_->end() ? found->second == b : a == b;
  }

  bool AreEqual(const Instruction& a, const Instruction& b) {
    return a.opcode == b.opcode && *a.shape == *b.shape &&
           std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                      [this](const Operand& x, const Operand& y) { return Match(x.id, y.id); }) &&
           Include(a, b) && Include(b, a);
  }

  // Whether each attribute of `a` stands in `b`, with the same value.
  bool Include(const Instruction& a, const Instruction& b) {
    return std::all_of(a.attributes.begin(), a.attributes.end(), [&](const Attribute& attribute) {
      if (IsProvenance(attribute.attr)) return true;
      const Attribute* other = b.attributes.Find(attribute.attr);
      return other != nullptr && HaveSameValues(attribute, *other);
    });
  }

  bool HaveSameValues(const Attribute& a, const Attribute& b) {
    switch (a.attr) {
#define HLO_ATTRIBUTE(Name, text, Type) \
  case Attr::k##Name:                   \
    return IsSame(a.value.Get<Type>(), b.value.Get<Type>());
#include "ir/attributes.def"
    }
    HLO_UNREACHABLE();
  }

  template <typename T>
  bool IsSame(const T& a, const T& b) {
    return a == b;
  }
  // Include looks from both sides; the pair is compared once.
  bool IsSame(const ComputationId& a, const ComputationId& b) {
    if (a.valid() != b.valid()) return false;
    if (a.valid() && !seen_.contains({b, a})) Enqueue(a, b);
    return true;
  }
  bool IsSame(const ComputationList& a, const ComputationList& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(),
        [this](const ComputationId& x, const ComputationId& y) { return IsSame(x, y); });
  }
  bool IsSame(const InstructionList& a, const InstructionList& b) const {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(),
        [this](InstructionId x, InstructionId y) { return Match(x, y) || Match(y, x); });
  }

  const Module& module_;
  std::vector<std::pair<ComputationId, ComputationId>> pending_;
  absl::flat_hash_set<std::pair<ComputationId, ComputationId>> seen_;
  const absl::flat_hash_map<InstructionId, InstructionId>* partner_ = nullptr;
};

}  // namespace

bool EqualComputations(const Module& module, ComputationId a, ComputationId b) {
  return Comparison(module).AreEqual(a, b);
}

bool EqualAttributes(const Module& module, const Instruction& a, const Instruction& b) {
  return Comparison(module).HaveEqualAttributes(a, b);
}

}  // namespace hlo

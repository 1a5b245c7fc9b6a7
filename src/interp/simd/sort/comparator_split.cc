// A step that reads one element alone has a twin if there is one that does the same with the other
// element. Twins whose results are read by others than twins make keys.
#include "interp/simd/sort/comparator_split.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace hlo::simd {
namespace {

// Operations of vectors (opcodes.def). What takes less is sooner made for each pair than moved with
// each element.
constexpr int64_t kMinKeyCost = 4;
constexpr size_t kMaxKeys = 4;

class Splitter {
 public:
  Splitter(const Plan& plan, const Region& region) : plan_(plan), region_(region) {}

  ComparatorSplit Split() {
    for (size_t k = 0; k + 1 < region_.parameters.size(); k += 2) {
      twins_[BufferOf(region_.parameters[k])] = BufferOf(region_.parameters[k + 1]);
    }
    for (const Step& step : region_.steps) FindTwin(step);
    ComparatorSplit split;
    for (const Step& step : region_.steps) {
      if (!IsTwin(step)) split.answering_steps.push_back(&step);
    }
    for (const Step* step : split.answering_steps) {
      for (SlotId operand : step->operands) wanted_.insert(BufferOf(operand));
    }
    for (SlotId result : region_.results) wanted_.insert(BufferOf(result));
    int64_t cost = 0;
    for (const auto& [later, earlier] : pairs_) {
      split.key_steps.push_back(later);
      cost += GetOpcodeInfo(later->opcode).operations;
      const SlotId of_later = later->results[0], of_earlier = earlier->results[0];
      if (!wanted_.contains(BufferOf(of_later)) && !wanted_.contains(BufferOf(of_earlier)))
        continue;
      split.later.push_back(of_later);
      split.earlier.push_back(of_earlier);
    }
    if (cost >= kMinKeyCost && split.later.size() <= kMaxKeys) return split;
    ComparatorSplit whole;
    for (const Step& step : region_.steps) whole.answering_steps.push_back(&step);
    return whole;
  }

 private:
  struct Pair {
    const Step* later;
    const Step* earlier;
  };

  size_t BufferOf(SlotId slot) const { return plan_.slot(slot).buffer.value; }
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }
  bool IsTwin(const Step& step) const {
    return std::ranges::any_of(
        pairs_, [&](const Pair& pair) { return pair.later == &step || pair.earlier == &step; });
  }

  static bool IsPlain(const Step& step) {
    return step.kind == StepKind::kKernel && step.results.size() == 1 && step.regions.empty() &&
           GetOpcodeInfo(step.opcode).family == OpcodeFamily::kElementwise;
  }
  bool AreEqualConstants(SlotId a, SlotId b) const {
    const Slot &x = plan_.slot(a), &y = plan_.slot(b);
    if (x.buffer == y.buffer) return plan_.buffer(x.buffer).kind == Buffer::Kind::kConstant;
    const Buffer &left = plan_.buffer(x.buffer), &right = plan_.buffer(y.buffer);
    return left.kind == Buffer::Kind::kConstant && right.kind == Buffer::Kind::kConstant &&
           x.byte_size == y.byte_size && left.byte_size == right.byte_size &&
           left.constant != nullptr && right.constant != nullptr &&
           std::memcmp(left.constant, right.constant, static_cast<size_t>(left.byte_size)) == 0;
  }
  // Whether `b` is of the earlier element what `a` is of the later one.
  bool AreTwins(SlotId a, SlotId b) const {
    if (TypeOf(a) != TypeOf(b)) return false;
    const auto twin = twins_.find(BufferOf(a));
    return twin != twins_.end() ? twin->second == BufferOf(b) : AreEqualConstants(a, b);
  }
  // What an elementwise instruction says beside its operands.
  bool HaveEqualAttributes(const Step& a, const Step& b) const {
    const Instruction &x = plan_.instruction(a), &y = plan_.instruction(b);
    if (x.opcode != y.opcode) return false;
    if (x.opcode == Opcode::kCompare) {
      return x.Get<Attr::kDirection>() == y.Get<Attr::kDirection>() &&
             x.Get<Attr::kCompareType>() == y.Get<Attr::kCompareType>();
    }
    return x.opcode != Opcode::kReducePrecision ||
           (x.Get<Attr::kExponentBits>() == y.Get<Attr::kExponentBits>() &&
            x.Get<Attr::kMantissaBits>() == y.Get<Attr::kMantissaBits>());
  }

  void FindTwin(const Step& step) {
    const auto reads_later = [&](SlotId slot) { return twins_.contains(BufferOf(slot)); };
    if (!IsPlain(step) || !std::ranges::any_of(step.operands, reads_later)) return;
    for (const Step& other : region_.steps) {
      if (!IsPlain(other) || step.opcode != other.opcode || IsTwin(other) ||
          TypeOf(step.results[0]) != TypeOf(other.results[0]) ||
          !HaveEqualAttributes(step, other) ||
          !std::ranges::equal(step.operands, other.operands,
                              [&](SlotId a, SlotId b) { return AreTwins(a, b); })) {
        continue;
      }
      twins_[BufferOf(step.results[0])] = BufferOf(other.results[0]);
      pairs_.push_back({&step, &other});
      return;
    }
  }

  const Plan& plan_;
  const Region& region_;
  absl::flat_hash_map<size_t, size_t>
      twins_;                           // buffers of the earlier element by those of the later
  std::vector<Pair> pairs_;             // in order
  absl::flat_hash_set<size_t> wanted_;  // buffers
};

}  // namespace

ComparatorSplit SplitComparator(const Plan& plan, const Region& region) {
  return Splitter(plan, region).Split();
}

}  // namespace hlo::simd

// A search over (instruction, leaf) pairs, from a value to those who use it. Where an opcode uses
// an operand in a way that restricts it, the range is narrowed; where it hands the operand's
// elements on, the search goes on behind it.
#include "interp/argument_uses.h"

#include <algorithm>
#include <set>

namespace hlo {
namespace {

void Limit(ValueRange& range, int64_t limit) {
  limit = std::max<int64_t>(limit, 1);
  range.index_limit = std::min(range.index_limit.value_or(limit), limit);
}

// The positions a slice of `sizes` can take along `dims` of `shape`, the fewest of them.
int64_t FewestPositions(const Shape& shape, std::span<const int64_t> dims,
                        std::span<const int64_t> sizes) {
  int64_t fewest = INT64_MAX;
  for (int64_t d : dims) {
    if (d < 0 || d >= shape.rank()) continue;
    int64_t size = d < static_cast<int64_t>(sizes.size()) ? sizes[d] : 1;
    fewest = std::min(fewest, shape.dim(d) - size + 1);
  }
  return fewest;
}

}  // namespace

class ValueRangeFinder::Search {
 public:
  explicit Search(const ValueRangeFinder& finder) : finder_(finder), module_(finder.module_) {}

  ValueRange Run(Leaf start) {
    Visit(start.instruction, start.leaf);
    while (!open_.empty()) {
      Leaf leaf = open_.back();
      open_.pop_back();
      for (const Use& use : finder_.uses_[leaf.instruction.value]) Follow(leaf, use);
      FollowElement(leaf);
    }
    return range_;
  }

 private:
  void Visit(InstructionId instruction, int64_t leaf) {
    if (seen_.insert({instruction.value, leaf}).second) open_.push_back({instruction, leaf});
  }
  void VisitParameter(ComputationId computation, size_t number, int64_t leaf) {
    const std::vector<InstructionId>& parameters = module_.computation(computation).parameters;
    if (number < parameters.size()) Visit(parameters[number], leaf);
  }

  // To the get-tuple-element instructions that take out what the leaf is in.
  void FollowElement(const Leaf& leaf) {
    const Shape& shape = *module_.instruction(leaf.instruction).shape;
    if (!shape.IsTuple()) return;
    const int64_t element = finder_.tuple_leaves_.ElementOf(shape, leaf.leaf);
    const auto users = finder_.element_uses_.find({leaf.instruction, element});
    if (users == finder_.element_uses_.end()) return;
    const int64_t start = finder_.tuple_leaves_.Start(shape, element);
    for (InstructionId user : users->second) Visit(user, leaf.leaf - start);
  }

  void Follow(const Leaf& leaf, const Use& use) {
    const Instruction& user = module_.instruction(use.user);
    if (user.opcode == Opcode::kTuple) {
      Visit(use.user, finder_.tuple_leaves_.Start(*user.shape, use.operand) + leaf.leaf);
    } else if (user.opcode == Opcode::kOptimizationBarrier) {
      Visit(use.user, leaf.leaf);
    } else if (user.opcode == Opcode::kCall) {
      VisitParameter(user.Get<Attr::kToApply>(), use.operand, leaf.leaf);
    } else if (user.opcode == Opcode::kFusion) {
      VisitParameter(user.Get<Attr::kCalls>(), use.operand, leaf.leaf);
    } else if (user.opcode == Opcode::kWhile) {
      VisitParameter(user.Get<Attr::kBody>(), 0, leaf.leaf);
    } else {
      Narrow(user, use);
    }
  }

  void Narrow(const Instruction& user, const Use& use) {
    const Shape& first = *module_.operand(user, 0).shape;
    if (user.opcode == Opcode::kGather && use.operand == 1) {
      Limit(range_, FewestPositions(first, user.Get<Attr::kStartIndexMap>(),
                                    user.Get<Attr::kSliceSizes>()));
    } else if (user.opcode == Opcode::kScatter && use.operand == user.operands.size() / 2) {
      Limit(range_, FewestPositions(first, user.Get<Attr::kScatterDimsToOperandDims>(), {}));
    } else if (user.opcode == Opcode::kDynamicSlice && use.operand >= 1) {
      NarrowStart(first, use.operand - 1, user.Get<Attr::kDynamicSliceSizes>());
    } else if (user.opcode == Opcode::kDynamicUpdateSlice && use.operand >= 2) {
      NarrowStart(first, use.operand - 2, module_.operand(user, 1).shape->dims());
    } else if ((user.opcode == Opcode::kDivide || user.opcode == Opcode::kRemainder) &&
               use.operand == 1) {
      range_.is_divisor = true;
    } else if (user.opcode == Opcode::kSqrt || user.opcode == Opcode::kRsqrt ||
               user.opcode == Opcode::kLog || (user.opcode == Opcode::kPower && use.operand == 0)) {
      range_.is_positive = true;
    } else if (user.opcode == Opcode::kAdd) {
      // x + epsilon below a root: only worth following when a root comes next.
      if (FeedsRoot(use.user)) range_.is_positive = true;
    } else if (user.opcode == Opcode::kDot || user.opcode == Opcode::kConvolution) {
      NarrowContraction(user, use);
    } else if (HasTrait(user.opcode, kMovesElements | kChoosesElements)) {
      Visit(use.user, 0);
    }
  }

  void NarrowStart(const Shape& shape, size_t start_number, std::span<const int64_t> sizes) {
    int64_t dim = static_cast<int64_t>(start_number);
    Limit(range_, FewestPositions(shape, {&dim, 1}, sizes));
  }

  // Weights: the right-hand side of a contraction.
  void NarrowContraction(const Instruction& user, const Use& use) {
    if (use.operand != 1) return;
    const Shape& weights = *module_.operand(user, 1).shape;
    absl::StatusOr<int64_t> count = ElementCount(weights);
    if (!count.ok() || *count == 0) return;
    int64_t terms = 1;
    if (const auto* labels = user.attributes.GetIf<Attr::kDimLabels>()) {
      terms = *count / std::max<int64_t>(1, weights.dim(labels->kernel_output_feature));
    } else {
      for (int64_t d : user.Get<Attr::kRhsContractingDims>()) terms *= weights.dim(d);
    }
    range_.term_count = std::max(range_.term_count, terms);
  }

  bool FeedsRoot(InstructionId id) const {
    return std::ranges::any_of(finder_.uses_[id.value], [&](const Use& use) {
      Opcode opcode = module_.instruction(use.user).opcode;
      return opcode == Opcode::kSqrt || opcode == Opcode::kRsqrt;
    });
  }

  const ValueRangeFinder& finder_;
  const Module& module_;
  ValueRange range_;
  std::vector<Leaf> open_;
  std::set<std::pair<uint32_t, int64_t>> seen_;
};

ValueRangeFinder::ValueRangeFinder(const Module& module)
    : module_(module), uses_(module.instructions().size()) {
  for (size_t i = 0; i < module.instructions().size(); ++i) {
    const Instruction& instruction = module.instructions()[i];
    if (instruction.opcode == Opcode::kGetTupleElement) {
      element_uses_[{instruction.operands[0].id, instruction.Get<Attr::kIndex>()}].emplace_back(i);
      continue;
    }
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      uses_[instruction.operands[k].id.value].push_back(
          {InstructionId(i), static_cast<uint32_t>(k)});
    }
  }
}

std::vector<ValueRange> ValueRangeFinder::Find(InstructionId value) const {
  std::vector<ValueRange> ranges;
  int64_t leaf_count = module_.instruction(value).shape->LeafCount();
  for (int64_t leaf = 0; leaf < leaf_count; ++leaf) {
    ranges.push_back(Search(*this).Run({value, leaf}));
  }
  return ranges;
}

}  // namespace hlo

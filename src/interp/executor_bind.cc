// Binding a plan to memory. Addresses are computed once: arena and constants when the executor is
// made, arguments at each Run, where only the references to them are patched. Run-time sizes of a
// dynamic slot have one place, which all references to the slot share.
#include <cstdlib>

#include <fmt/format.h>

#include "interp/plan_executor.h"
#include "support/checked_math.h"
#include "support/huge_pages.h"

namespace hlo {

absl::Status PlanExecutor::Bind() {
  constexpr size_t kAlignment = 64;
  size_t byte_size = static_cast<size_t>(plan_.arena_byte_size) + kAlignment;
  arena_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, byte_size)));
  if (arena_ == nullptr) {
    return absl::ResourceExhaustedError(
        fmt::format("{} bytes of memory are not to be had", byte_size));
  }
  AskForHugePages(arena_.get(), byte_size);
  device_.scratch().set_limit(plan_.scratch_byte_size);
  argument_uses_.resize(static_cast<size_t>(plan_.argument_count()));
  BindSizes();
  BindSequence(*plan_.entry, entry_);
  return absl::OkStatus();
}

void PlanExecutor::BindSizes() {
  first_size_.assign(plan_.slots.size(), -1);
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const Slot& slot = plan_.slots[i];
    if (!slot.is_dynamic) continue;
    first_size_[i] = static_cast<int64_t>(sizes_.size());
    bool has_own_sizes = slot.literal != nullptr && !slot.literal->dynamic_sizes().empty();
    std::span<const int64_t> sizes =
        has_own_sizes ? slot.literal->dynamic_sizes() : slot.shape->dims();
    sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
  }
}

int64_t* PlanExecutor::DynamicSizesOf(SlotId id) {
  if (sizes_.empty()) return nullptr;
  const int64_t first = first_size_[id.value];
  return first < 0 ? nullptr : sizes_.data() + first;
}

std::span<const int64_t> PlanExecutor::SizesOf(SlotId id) const {
  std::span<const int64_t> bounds = plan_.slot(id).shape->dims();
  int64_t first = first_size_[id.value];
  return first < 0 ? bounds : std::span<const int64_t>(sizes_.data() + first, bounds.size());
}

// `bytes` stays where it is from now on: addresses of arguments are remembered for patching.
template <typename Byte>
void PlanExecutor::BindAddress(SlotId id, Byte*& bytes) {
  const Slot& slot = plan_.slot(id);
  const Buffer& buffer = plan_.buffer(slot.buffer);
  if (buffer.kind == Buffer::Kind::kArena) {
    bytes = arena_.get() + buffer.offset + slot.offset;
  } else if constexpr (std::is_const_v<Byte>) {
    if (buffer.kind == Buffer::Kind::kConstant) {
      bytes = buffer.constant + slot.offset;
    } else {
      argument_uses_[static_cast<size_t>(buffer.argument)].uses.push_back({&bytes, slot.offset});
    }
  }
}

template <typename Byte>
void PlanExecutor::BindRef(SlotId id, BasicArrayRef<Byte>& ref) {
  ref.element_type = plan_.slot(id).shape->element_type();
  ref.dims = SizesOf(id);
  BindAddress(id, ref.bytes);
}

template <typename Byte>
void PlanExecutor::BindRefs(std::span<const SlotId> slots, std::vector<BasicArrayRef<Byte>>& refs) {
  refs.resize(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) BindRef(slots[i], refs[i]);
}

void PlanExecutor::BindMoves(std::span<const Move> moves, std::vector<BoundMove>& bound) {
  bound.resize(moves.size());
  for (size_t i = 0; i < moves.size(); ++i) {
    const auto [from, to] = moves[i];
    BindAddress(from, bound[i].from);
    BindAddress(to, bound[i].to);
    bound[i].byte_size = static_cast<size_t>(
        ArrayRef{plan_.slot(from).shape->element_type(), SizesOf(from), nullptr}.byte_size());
    if (int64_t* const to_sizes = DynamicSizesOf(to)) {
      DynamicMove& dynamic = dynamic_moves_.emplace_back();
      BindRef(from, dynamic.from);
      dynamic.to_sizes = to_sizes;
      bound[i].dynamic = &dynamic;
    }
  }
}

void PlanExecutor::BindSequence(const Region& region, Sequence& sequence) {
  sequence.steps.reserve(region.steps.size());
  for (const Step& step : region.steps) sequence.steps.push_back(BindStep(step));
  BindMoves(region.moves, sequence.moves);
  for (const Move& move : region.moves) {
    const int64_t byte_size = plan_.slot(move.to).byte_size;
    sequence.move_work = CheckedAdd(sequence.move_work, byte_size).value_or(INT64_MAX);
  }
  BindRefs(region.results, sequence.results);
}

void PlanExecutor::BindFunction(const Region& region, StepEvaluation& evaluation) {
  RegionFunction& function = evaluation.functions.emplace_back(*this, region);
  BindRefs(region.parameters, function.parameters);
  BindSequence(region, function.sequence);
  function.MeasureArrays();
}

BoundStep PlanExecutor::BindStep(const Step& step) {
  const InstructionId program =
      step.program == nullptr ? InstructionId() : step.program->instruction();
  const InstructionId evaluated = program.valid() ? program : step.instruction;
  StepEvaluation& evaluation = evaluations_.emplace_back(
      *this, step, OpView(*plan_.module, plan_.module->instruction(evaluated)));
  BindRefs(step.operands, evaluation.operand_refs);
  BindRefs(step.results, evaluation.result_refs);
  evaluation.Publish();
  evaluation.SetProgram(step.program.get());
  switch (step.kind) {
    case StepKind::kKernel:
      for (const auto& region : step.regions) BindFunction(*region, evaluation);
      for (size_t i = 0; i < step.results.size(); ++i) {
        if (int64_t* sizes = DynamicSizesOf(step.results[i])) {
          std::span<const int64_t> bounds = plan_.slot(step.results[i]).shape->dims();
          evaluation.dynamic_results.push_back({i, sizes, bounds});
        }
      }
      if (step.kept_loop > 0) {
        open_loops_[static_cast<size_t>(step.kept_loop - 1)]->kept_steps.push_back(&evaluation);
      }
      evaluation.run = step.kernel->prepare != nullptr ? PrepareAndRun : evaluation.PreparedRun();
      return {&evaluation, step.work};
    case StepKind::kWhile:
      loops_.push_back(&evaluation);
      BindMoves(step.moves, evaluation.moves);
      break;
    case StepKind::kConditional:
      break;
  }
  evaluation.sequences.resize(step.regions.size());
  if (step.kind == StepKind::kWhile) open_loops_.push_back(&evaluation);
  for (size_t i = 0; i < step.regions.size(); ++i) {
    BindSequence(*step.regions[i], evaluation.sequences[i]);
  }
  if (step.kind == StepKind::kWhile) open_loops_.pop_back();
  evaluation.run = step.kind == StepKind::kWhile ? RunWhile : RunConditional;
  return {&evaluation, step.work};
}

}  // namespace hlo

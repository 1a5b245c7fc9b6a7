// Pass fuse of the simd backend: groups of steps (region_groups.cc) and single ones become what the
// backend does together.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "interp/simd/block/function_map.h"
#include "interp/simd/fuse/add_epilogues.h"
#include "interp/simd/fuse/block_update.h"
#include "interp/simd/fuse/region_fuser.h"
#include "interp/simd/fuse/step_reads.h"
#include "interp/simd/onednn/onednn.h"
#include "interp/simd/product/dot.h"
#include "interp/simd/reduce/reduce.h"
#include "interp/simd/reduce/reduce_function.h"
#include "interp/simd/reduce/scatter_function.h"
#include "interp/simd/reduce/select_and_scatter_function.h"
#include "interp/simd/reduce/window_function.h"
#include "interp/simd/simd.h"
#include "interp/simd/sort/comparator_sort.h"

namespace hlo::simd {

// --- Single steps

// What a dot may read for `slot`: what it is converted from, what a reader shows.
DotProgram::Source RegionFuser::DotSource(SlotId slot) const {
  DotProgram::Source source = {.array = slot};
  const auto converted = converted_.find(context_.BufferOf(slot));
  if (converted != converted_.end() && IsOfTypeMade(slot) &&
      !context_.updated_buffers.contains(context_.BufferOf(converted->second))) {
    source = {.array = converted->second, .is_converted = true};
  }
  const IndexedRead* read = AnyReadOf(source.array);
  if (read != nullptr && read->source.valid()) source.read = read;
  return source;
}

// A dot that reads operands where they come from, if there are such.
std::optional<RegionFuser::Replacement> RegionFuser::FindDot(const Step& step) const {
  if (step.opcode != Opcode::kDot || step.operands.size() != 2) return std::nullopt;
  const std::array sources = {DotSource(step.operands[0]), DotSource(step.operands[1])};
  if (sources[0].is_operand() && sources[1].is_operand()) return std::nullopt;
  const auto dot = DotProgram::Make(plan_, step, sources);
  return dot == nullptr ? std::nullopt : std::optional(Replacement{dot, dot->operands()});
}

// What reduces, scatters or maps and calls no function for each element, or reads what its operand
// is converted from.
std::optional<RegionFuser::Replacement> RegionFuser::FindReduce(const Step& step) {
  if (const auto extreme = FindExtreme(step)) {
    return Replacement{extreme, extreme->operands()};
  }
  if (const auto reduce = MakeFunctionReduce(plan_, step)) {
    return Replacement{reduce, reduce->operands()};
  }
  if (const auto windows = MakeFunctionWindows(plan_, step)) {
    return Replacement{windows, windows->operands()};
  }
  if (const auto selection = FunctionSelectAndScatter::Make(plan_, step)) {
    return Replacement{selection, selection->operands()};
  }
  if (const auto scatter = FunctionScatter::Make(plan_, step)) {
    return Replacement{scatter, scatter->operands()};
  }
  if (const auto map = FunctionMap::Make(plan_, step)) return Replacement{map, map->operands()};
  const auto reduce = FindConversionReduce(step);
  return reduce == nullptr ? std::nullopt : std::optional(Replacement{reduce, reduce->operands()});
}

std::shared_ptr<const CountedExtreme> RegionFuser::FindExtreme(const Step& step) const {
  if (step.opcode != Opcode::kReduce || step.operands.size() != 4) return nullptr;
  const IndexedRead* places = ReadOf(step.operands[1]);
  return places == nullptr ? nullptr : CountedExtreme::Make(plan_, step, *places);
}

std::shared_ptr<const ConversionReduce> RegionFuser::FindConversionReduce(const Step& step) const {
  if (step.opcode != Opcode::kReduce) return nullptr;
  const auto source = converted_.find(context_.BufferOf(step.operands[0]));
  if (source == converted_.end() || ReadOf(source->second) != nullptr ||
      AnyReadOf(step.operands[0]) != nullptr || !IsOfTypeMade(step.operands[0])) {
    return nullptr;
  }
  return ConversionReduce::Make(plan_, step, source->second);
}

// A sort that calls no function for each comparison.
std::optional<RegionFuser::Replacement> RegionFuser::FindSort(const Step& step) const {
  const auto sort = ComparatorSort::Make(plan_, step);
  return sort == nullptr ? std::nullopt : std::optional(Replacement{sort, sort->operands()});
}

// --- Blocks

void RegionFuser::StartBlocks() {
  for (size_t g = 0; g < groups_.size(); ++g) {
    FuseGroup& group = groups_[g];
    if (group.parent != g) continue;
    auto builder = std::make_unique<BlockBuilder>(plan_, group.count, group.row_length);
    const bool fits = std::ranges::all_of(group.members, [&](size_t position) {
      const Step& step = region_.steps[position];
      for (SlotId operand : step.operands) {
        if (const IndexedRead* read = ReadOf(operand)) builder->AddRead(operand, read);
      }
      return builder->Add(step);
    });
    if (!fits) continue;
    for (SlotId operand : builder->operands()) context_.CountRead(operand);
    for (size_t position : group.members) group_of_[position] = g;
    group.builder = std::move(builder);
  }
  for (size_t position = 0; position < region_.steps.size(); ++position) {
    const Step& step = region_.steps[position];
    if (group_of_[position] != kNoGroup || context_.reader_numbers.contains(&step)) continue;
    if (!replacements_.contains(position)) {
      if (std::optional<Replacement> dot = FindDot(step)) replacements_[position] = *std::move(dot);
    }
    if (const auto found = replacements_.find(position); found != replacements_.end()) {
      for (SlotId operand : found->second.operands) {
        context_.CountRead(operand);
      }
      continue;
    }
    for (SlotId operand : step.operands) context_.CountRead(operand);
    for (const Move& move : step.moves) context_.CountRead(move.from);
  }
  for (SlotId result : region_.results) context_.returned_buffers.insert(context_.BufferOf(result));
}

namespace {

// Buffers of the function that a member called are wanted no more.
void Forget(Plan& plan, const Region& region) {
  const auto forget = [&](SlotId slot) {
    Buffer& buffer = plan.buffer(plan.slot(slot).buffer);
    if (buffer.kind == Buffer::Kind::kArena) buffer.kind = Buffer::Kind::kInside;
  };
  std::ranges::for_each(region.parameters, forget);
  for (const Step& step : region.steps) {
    std::ranges::for_each(step.results, forget);
    for (const auto& nested : step.regions) Forget(plan, *nested);
  }
}

}  // namespace

Step RegionFuser::MakeBlockStep(FuseGroup& group, std::vector<Step>& members) {
  Step block;
  std::vector<SlotId> results;
  for (Step& member : members) {
    const SlotId result = member.results[0];
    if (context_.IsNeeded(result)) {
      results.push_back(result);
      if (IsOutputAlone(result)) group.builder->AddOutput(result);
      if (context_.pieces.contains(context_.BufferOf(result))) group.builder->AddPiece(result);
    } else {
      plan_.buffer(plan_.slot(result).buffer).kind = Buffer::Kind::kInside;
    }
    for (const auto& region : member.regions) Forget(plan_, *region);
  }
  std::vector<SlotId> operands;
  block.program = group.builder->Finish(results, operands);
  block.opcode = members.back().opcode;
  block.instruction = members.back().instruction;
  block.operands = plan_.lists.CopyItems(std::span<const SlotId>(operands));
  block.results = plan_.lists.CopyItems(std::span<const SlotId>(results));
  block.covered = std::move(members);
  PutIntoPlace(block);
  return block;
}

void RegionFuser::EmitReader(SlotId slot, std::vector<Step>& steps) {
  const auto found = waiting_.find(context_.BufferOf(slot));
  if (found == waiting_.end()) return;
  Step step = std::move(found->second);
  waiting_.erase(found);
  for (SlotId operand : step.operands) EmitReader(operand, steps);
  steps.push_back(std::move(step));
}

void RegionFuser::EmitReaders(const Step& step, std::vector<Step>& steps) {
  ForEachRead(step, [&](SlotId slot) { EmitReader(slot, steps); });
}

void RegionFuser::Finish() {
  std::vector<Step> steps = std::exchange(region_.steps, {});
  std::vector<std::vector<Step>> members(groups_.size());
  std::vector<SlotId> kept_readers;
  for (size_t position = 0; position < steps.size(); ++position) {
    Step& step = steps[position];
    if (const auto reader = context_.reader_numbers.find(&step);
        reader != context_.reader_numbers.end()) {
      const FuseContext::Reader& how = context_.readers[reader->second];
      if (context_.pieced_together.contains(&step)) continue;
      if (how.is_kept && how.stays) {
        EmitReaders(step, region_.steps);
        region_.steps.push_back(std::move(step));
      } else if (how.is_kept) {
        kept_readers.push_back(step.results[0]);
        waiting_[context_.BufferOf(step.results[0])] = std::move(step);
      } else {
        plan_.buffer(plan_.slot(step.results[0]).buffer).kind = Buffer::Kind::kInside;
      }
      continue;
    }
    const size_t g = group_of_[position];
    if (g == kNoGroup) {
      if (const auto found = replacements_.find(position); found != replacements_.end()) {
        step.operands = plan_.lists.CopyItems(found->second.operands);
        step.program = found->second.program;
      }
      EmitReaders(step, region_.steps);
      region_.steps.push_back(std::move(step));
      continue;
    }
    members[g].push_back(std::move(step));
    if (position != groups_[g].members.back()) continue;
    Step block = MakeBlockStep(groups_[g], members[g]);
    // A conversion of what nobody reads makes nothing.
    if (block.results.empty()) continue;
    for (SlotId operand : block.operands) EmitReader(operand, region_.steps);
    region_.steps.push_back(std::move(block));
  }
  for (SlotId result : kept_readers) EmitReader(result, region_.steps);
}

void FuseSteps(Plan& plan) {
  FuseContext context(plan);
  context.FindUpdates(*plan.entry);
  context.regions.push_back(std::make_unique<RegionFuser>(context, *plan.entry));
  context.regions.back()->FindGroups();
  for (const auto& region : context.regions) region->StartBlocks();
  for (size_t i = context.readers.size(); i-- > 0;) {
    FuseContext::Reader& reader = context.readers[i];
    reader.is_kept = context.IsNeeded(reader.step->results[0]);
    if (!reader.is_kept) continue;
    for (SlotId operand : reader.step->operands) context.CountRead(operand);
  }
  for (const auto& region : context.regions) region->FindPieces();
  for (const auto& region : context.regions) region->Finish();
  onednn::LeaveToLibrary(plan);
  AddEpilogues(plan);
  JoinUpdates(plan);
}

}  // namespace hlo::simd

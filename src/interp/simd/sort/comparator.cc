// The function is evaluated for pairs that need no answer, too, which changes nothing: its
// instructions have no effects and cannot fail. Its block has the bits of the reference kernels,
// since other last bits would be another order.
#include "interp/simd/sort/comparator.h"

#include <algorithm>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/sort/comparator_split.h"

namespace hlo::simd {
namespace {

// Whether elements can come as the function's parameters take them: of one type for both of a pair.
bool FitsOperands(const Plan& plan, const Step& step, const Region& region) {
  if (region.parameters.size() != 2 * step.operands.size() || region.results.size() != 1 ||
      step.results.size() != step.operands.size()) {
    return false;
  }
  const auto type_of = [&](SlotId slot) { return plan.slot(slot).shape->element_type(); };
  for (size_t k = 0; k < step.results.size(); ++k) {
    if (type_of(step.results[k]) != type_of(step.operands[k])) return false;
  }
  for (size_t k = 0; k < region.parameters.size(); ++k) {
    const Slot& operand = plan.slot(step.operands[k / 2]);
    if (operand.is_dynamic || operand.shape->HasDynamicDim() ||
        type_of(region.parameters[k]) != type_of(region.parameters[k / 2 * 2])) {
      return false;
    }
  }
  return type_of(region.results[0]) == ElementType::kPred;
}

}  // namespace

void Comparator::AddSource(const FunctionBlock::Source& source, size_t operand_count,
                           std::span<const ElementType> types) {
  if (source.parameter < 0) {
    sources_.push_back({Source::Kind::kConstant, source.operand});
    return;
  }
  const auto parameter = static_cast<size_t>(source.parameter);
  const size_t number = parameter / 2;
  const bool is_key = number >= operand_count;
  const Array read = {.operand = is_key ? kNoOperand : number,
                      .type = types[number],
                      .key = is_key ? number - operand_count : 0};
  auto array = std::ranges::find_if(arrays_, [&](const Array& other) {
    return other.operand == read.operand && other.key == read.key;
  });
  if (array == arrays_.end()) array = arrays_.insert(array, read);
  sources_.push_back({parameter % 2 == 0 ? Source::Kind::kLater : Source::Kind::kEarlier,
                      static_cast<size_t>(array - arrays_.begin())});
}

void Comparator::AddKeySource(const FunctionBlock::Source& source,
                              std::span<const ElementType> types) {
  if (source.parameter < 0) {
    key_sources_.push_back({source.operand, std::nullopt});
  } else {
    const auto number = static_cast<size_t>(source.parameter);
    key_sources_.push_back({number, types[number]});
  }
}

std::optional<Comparator> Comparator::Make(const Plan& plan, const Step& step) {
  const Region& region = *step.regions[0];
  if (!FitsOperands(plan, step, region)) return std::nullopt;
  const ComparatorSplit split = SplitComparator(plan, region);
  std::vector<SlotId> parameters = region.parameters, elements;
  std::vector<ElementType> types;
  for (size_t k = 0; k < split.later.size(); ++k) {
    parameters.insert(parameters.end(), {split.later[k], split.earlier[k]});
  }
  for (size_t k = 0; k < parameters.size(); k += 2) {
    if (k < region.parameters.size()) elements.push_back(parameters[k]);
    types.push_back(plan.slot(parameters[k]).shape->element_type());
  }
  const FunctionPart answer(split.answering_steps, parameters, region.results);
  Comparator comparator;
  comparator.operands_.assign(step.operands.begin(), step.operands.end());
  FunctionBlock function =
      MakeFunctionBlock(plan, answer, kMaxPairs, /*is_exact=*/true, comparator.operands_);
  if (function.block == nullptr) return std::nullopt;
  comparator.block_ = std::move(function.block);
  for (const FunctionBlock::Source& source : function.sources) {
    comparator.AddSource(source, step.operands.size(), types);
  }
  if (split.later.empty()) return comparator;
  const FunctionPart key_part(split.key_steps, elements, split.later);
  FunctionBlock keys =
      MakeFunctionBlock(plan, key_part, kMaxPairs, /*is_exact=*/true, comparator.operands_);
  if (keys.block == nullptr) return std::nullopt;
  comparator.key_block_ = std::move(keys.block);
  for (const FunctionBlock::Source& source : keys.sources) {
    comparator.AddKeySource(source, types);
  }
  comparator.key_types_.assign(types.begin() + std::ssize(step.operands), types.end());
  return comparator;
}

Comparison::Comparison(const Comparator& comparator, Evaluation& e)
    : registers_(e.device().scratch(), comparator.block_->register_byte_size()),
      operands_(e.device().scratch()),
      result_{ElementType::kPred, {}, nullptr},
      comparator_(comparator) {
  operands_.reserve(comparator.sources_.size());
  for (const Comparator::Source& source : comparator.sources_) {
    const bool is_constant = source.kind == Comparator::Source::Kind::kConstant;
    operands_.push_back(is_constant
                            ? e.operand(source.number)
                            : ArrayRef{comparator.arrays_[source.number].type, {}, nullptr});
  }
}

int64_t Comparison::ScratchByteSize(const Comparator& comparator) {
  return comparator.block_->register_byte_size();
}

void Comparison::Run(std::span<const std::byte* const> later,
                     std::span<const std::byte* const> earlier, int64_t count, uint8_t* answers) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Comparator::Source& source = comparator_.sources_[i];
    if (source.kind == Comparator::Source::Kind::kLater) {
      operands_[i].bytes = later[source.number];
    } else if (source.kind == Comparator::Source::Kind::kEarlier) {
      operands_[i].bytes = earlier[source.number];
    }
  }
  result_.bytes = reinterpret_cast<std::byte*>(answers);
  comparator_.block_->RunTile(count, operands_, std::span(&result_, 1), registers_.get());
}

ElementKeys::ElementKeys(const Comparator& comparator, Evaluation& e)
    : storage_(e.device().scratch(), ScratchByteSize(comparator)),
      elements_(e.device().scratch()),
      operands_(e.device().scratch()),
      keys_(e.device().scratch()),
      registers_(storage_.get()),
      block_(*comparator.key_block_) {
  std::byte* next = registers_ + Aligned(block_.register_byte_size());
  for (const Comparator::KeySource& source : comparator.key_sources_) {
    if (!source.type) {
      elements_.push_back(nullptr);
      operands_.push_back(e.operand(source.operand));
      continue;
    }
    elements_.push_back(next);
    operands_.push_back({*source.type, {}, next});
    next += ElementsByteSize(source);
  }
  for (const ElementType type : comparator.key_types_) keys_.push_back({type, {}, nullptr});
}

int64_t ElementKeys::ElementsByteSize(const Comparator::KeySource& source) {
  return source.type ? Aligned(Comparator::kMaxPairs * ElementByteSize(*source.type)) : 0;
}

int64_t ElementKeys::ScratchByteSize(const Comparator& comparator) {
  if (!comparator.has_keys()) return 0;
  int64_t byte_size = Aligned(comparator.key_block_->register_byte_size());
  for (const Comparator::KeySource& source : comparator.key_sources_) {
    byte_size += ElementsByteSize(source);
  }
  return byte_size;
}

void ElementKeys::Run(int64_t count) { block_.RunTile(count, operands_, keys_, registers_); }

}  // namespace hlo::simd

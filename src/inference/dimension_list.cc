// The first wrong number is reported and no other: one mistake, one message. Distinct compares each
// number with all before it, which is cheap behind InRange: no list has more different numbers than
// there are dimensions.
#include "inference/dimension_list.h"

#include <algorithm>
#include <functional>

#include "support/count_text.h"

namespace hlo {

bool Contains(std::span<const int64_t> numbers, int64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::string DimensionList::Text() const {
  return fmt::format("{}={{{}}}", AttributeName(attr_), fmt::join(numbers_, ","));
}

bool DimensionList::InRange(int64_t rank, Rule rule) const {
  for (int64_t number : numbers_) {
    if (number < 0) {
      return sink_->Error(Rule::kShapeDimensionNumber, range(),
                          "`{}` names dimension {}; dimensions count from 0", Text(), number);
    }
    if (number >= rank) {
      return sink_->Error(rule, range(), "`{}` names dimension {}, but there {} {}", Text(), number,
                          rank == 1 ? "is" : "are", CountText(rank, "dimension"));
    }
  }
  return true;
}

bool DimensionList::Distinct(Rule rule) const {
  for (auto number = numbers_.begin(); number != numbers_.end(); ++number) {
    if (std::find(numbers_.begin(), number, *number) == number) continue;
    return sink_->Error(rule, range(), "`{}` names dimension {} twice", Text(), *number);
  }
  return true;
}

bool DimensionList::Increasing(Rule rule) const {
  const bool increasing = std::adjacent_find(numbers_.begin(), numbers_.end(),
                                             std::greater_equal<int64_t>()) == numbers_.end();
  if (increasing) return true;
  return sink_->Error(rule, range(), "`{}` is not strictly ascending", Text());
}

bool CheckDimension(const OpView& op, Attr attr, int64_t dimension, int64_t rank, Rule rule,
                    DiagnosticSink& sink) {
  if (dimension >= 0 && dimension < rank) return true;
  if (dimension < 0) rule = Rule::kShapeDimensionNumber;
  return sink.Error(rule, op.attribute_range(attr), "`{}` is {}, but the array has {}",
                    AttributeName(attr), dimension, CountText(rank, "dimension"));
}

std::optional<int64_t> SingleDimension(const OpView& op, DiagnosticSink& sink) {
  const DimensionList dimensions = DimensionList::Of<Attr::kDimensions>(op, sink);
  if (dimensions.size() == 1) return dimensions[0];
  return sink.Error(Rule::kAttrSingleDimension, dimensions.range(),
                    "`{}` of `{}` names {} dimensions instead of one", dimensions.Text(),
                    OpcodeName(op.opcode()), dimensions.size());
}

}  // namespace hlo

// Dimension numbers that an attribute lists, and what opcodes demand of them.
#ifndef HLOKIT_INFERENCE_DIMENSION_LIST_H_
#define HLOKIT_INFERENCE_DIMENSION_LIST_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/op_view.h"
#include "support/diagnostic.h"
#include "support/permutation.h"

namespace hlo {

bool Contains(std::span<const int64_t> numbers, int64_t number);

// One attribute's list. The checks report under the rule they are given, at the attribute, and
// say whether the list passed.
class DimensionList {
 public:
  template <Attr kAttr>
  static DimensionList Of(const OpView& op, DiagnosticSink& sink) {
    return DimensionList(op, kAttr, op.Get<kAttr>(), sink);
  }
  DimensionList(const OpView& op, Attr attr, IntList numbers, DiagnosticSink& sink)
      : op_(op), attr_(attr), numbers_(numbers), sink_(&sink) {}

  std::span<const int64_t> numbers() const { return numbers_; }
  int64_t size() const { return static_cast<int64_t>(numbers_.size()); }
  int64_t operator[](int64_t i) const { return numbers_[i]; }
  bool Contains(int64_t number) const { return hlo::Contains(numbers_, number); }
  SourceRange range() const { return op_.attribute_range(attr_); }
  // "dimensions={1,0}"
  std::string Text() const;

  // Every number names one of `rank` dimensions. Negative numbers, which count from the end in
  // some interfaces but never in HLO, are reported as shape.dimension-number.
  bool InRange(int64_t rank, Rule rule) const;
  bool Distinct(Rule rule) const;
  bool Increasing(Rule rule) const;  // strictly

 private:
  OpView op_;
  Attr attr_;
  IntList numbers_;
  DiagnosticSink* sink_;
};

// `dimension`, the value of `attr`, names one of `rank` dimensions.
bool CheckDimension(const OpView& op, Attr attr, int64_t dimension, int64_t rank, Rule rule,
                    DiagnosticSink& sink);

// The one number that `dimensions` of some opcodes holds.
std::optional<int64_t> SingleDimension(const OpView& op, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_DIMENSION_LIST_H_

// The widths of `padded_dimensions` are those of the memory: the element with index e stands at
// sum_k e[m_k] * prod_{j<k} width[m_j], m = minor_to_major. Hence one width for each dimension, and
// none below its size.
#include "verifier/legacy_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "inference/dimension_list.h"
#include "support/count_text.h"

namespace hlo {
namespace {

class LegacyChecker {
 public:
  LegacyChecker(const Shape& shape, const RuleModes& modes, SourceRange range, DiagnosticSink& sink)
      : shape_(shape), modes_(modes), range_(range), sink_(sink) {}

  void Check(const LegacyLayout& layout) {
    CheckOrder(layout);
    CheckWidths(layout.padded_dimensions);
    if (layout.padding_value) CheckValue(*layout.padding_value, !layout.padded_dimensions.empty());
  }

 private:
  template <typename... Args>
  void Report(Rule rule, fmt::format_string<Args...> format, Args&&... args) {
    if (std::optional<Severity> severity = SeverityIn(rule, modes_)) {
      sink_.Report(*severity, RuleId(rule), range_,
                   fmt::format(format, std::forward<Args>(args)...));
    }
  }

  void CheckOrder(const LegacyLayout& layout) {
    if (!layout.minor_to_major) {
      Report(Rule::kLayoutMinorToMajorRequired, "the layout of `{}` has no `minor_to_major`",
             ShapeText(shape_));
      return;
    }
    const std::vector<int64_t>& order = *layout.minor_to_major;
    if (static_cast<int64_t>(order.size()) != shape_.rank()) {
      Report(Rule::kLayoutMinorToMajorLength, "`minor_to_major: [{}]` has {} for the {} of `{}`",
             fmt::join(order, ","), CountText(static_cast<int64_t>(order.size()), "number"),
             CountText(shape_.rank(), "dimension"), ShapeText(shape_));
    } else if (!IsPermutation(order, shape_.rank())) {
      Report(Rule::kLayoutMinorToMajorPermutation,
             "`minor_to_major: [{}]` does not name each of {} once", fmt::join(order, ","),
             CountText(shape_.rank(), "dimension"));
    }
  }

  void CheckWidths(const std::vector<int64_t>& widths) {
    if (widths.empty()) return;
    if (static_cast<int64_t>(widths.size()) != shape_.rank()) {
      Report(Rule::kLayoutPaddedDimsLength, "`padded_dimensions: [{}]` has {} for the {} of `{}`",
             fmt::join(widths, ","), CountText(static_cast<int64_t>(widths.size()), "width"),
             CountText(shape_.rank(), "dimension"), ShapeText(shape_));
      return;
    }
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (widths[d] >= shape_.dim(d)) continue;
      Report(Rule::kLayoutPaddedDimsWidth, "dimension {} of `{}` is padded from {} to {}", d,
             ShapeText(shape_), shape_.dim(d), widths[d]);
      return;
    }
  }

  void CheckValue(int64_t value, bool is_padded) {
    if (!is_padded) {
      Report(Rule::kLayoutPaddingValueAlone, "`padding_value: {}` without `padded_dimensions`",
             value);
    } else if (value == static_cast<int64_t>(PaddingValue::kInvalid)) {
      Report(Rule::kLayoutPaddingValue, "`padding_value: {}` where dimensions are padded",
             EnumText(PaddingValue::kInvalid));
    }
    constexpr auto kCount = static_cast<int64_t>(std::size(EnumTexts<PaddingValue>::kTexts));
    if (value < 0 || value >= kCount) {
      Report(Rule::kLayoutPaddingValue, "`padding_value: {}` is not in 0 ... {}", value,
             kCount - 1);
    }
  }

  const Shape& shape_;
  const RuleModes& modes_;
  SourceRange range_;
  DiagnosticSink& sink_;
};

}  // namespace

bool VerifyLegacyLayout(const Shape& shape, const LegacyLayout& layout, const RuleModes& modes,
                        SourceRange range, DiagnosticSink& sink) {
  const int64_t errors_before = sink.error_count();
  LegacyChecker(shape, modes, range, sink).Check(layout);
  return sink.error_count() == errors_before;
}

}  // namespace hlo

// The layout of XLA's older messages, which pads dimensions. Current text has no syntax for it;
// programs that read such messages check them here.
// Source: the shapes and layout document, verifier.md 2.2 "Older layout form".
#ifndef HLOKIT_VERIFIER_LEGACY_LAYOUT_H_
#define HLOKIT_VERIFIER_LEGACY_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/shape.h"
#include "support/diagnostic.h"
#include "verifier/rule.h"

namespace hlo {

// The fields as the message has them.
struct LegacyLayout {
  std::optional<std::vector<int64_t>> minor_to_major = std::nullopt;
  std::vector<int64_t> padded_dimensions = {};  // empty: the message has none
  // The number of a PaddingValue, or whatever else the message says.
  std::optional<int64_t> padding_value = std::nullopt;
};

// Reports at `range` what is wrong with the layout of the array `shape`. Whether there was no
// error.
bool VerifyLegacyLayout(const Shape& shape, const LegacyLayout& layout, const RuleModes& modes,
                        SourceRange range, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_LEGACY_LAYOUT_H_

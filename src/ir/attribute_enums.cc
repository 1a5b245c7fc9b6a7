// One search for all enums, text by text: the longest list has under twenty. Whether case matters
// is a column of attribute_enums.def.
#include "ir/attribute_enums.h"

#include "absl/strings/match.h"

namespace hlo {

std::optional<size_t> FindEnumText(std::string_view text, std::span<const std::string_view> texts,
                                   bool case_sensitive) {
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool found = case_sensitive ? texts[i] == text
                                      : absl::EqualsIgnoreCase({texts[i].data(), texts[i].size()},
                                                               {text.data(), text.size()});
    if (found) return i;
  }
  return std::nullopt;
}

}  // namespace hlo

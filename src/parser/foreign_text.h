// Files of other kinds that are given where HLO text is expected.
#ifndef HLOKIT_PARSER_FOREIGN_TEXT_H_
#define HLOKIT_PARSER_FOREIGN_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hlo {

struct ForeignText {
  uint32_t offset;               // where it shows
  std::string_view description;  // what it is and what to do: "this is a jaxpr: ..."
};

// What `text` is when its first bytes are those of something else than HLO text; nothing for what
// may be HLO.
std::optional<ForeignText> FindForeignText(std::string_view text);

}  // namespace hlo

#endif  // HLOKIT_PARSER_FOREIGN_TEXT_H_

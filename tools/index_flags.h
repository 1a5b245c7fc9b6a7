// What hlo-index is asked, as its parts share it.
#ifndef HLOKIT_TOOLS_INDEX_FLAGS_H_
#define HLOKIT_TOOLS_INDEX_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hlo::tools {

struct IndexFlags {
  // Which instructions.
  std::string instructions;  // a pattern of names; empty: all
  std::string opcodes;
  bool root = false;
  std::string from, to;  // a chain

  // Which maps.
  std::string direction = "out-to-in";
  std::optional<uint32_t> output, operand;
  bool grouped = false;
  bool by_producer = false;
  bool physical = false;
  bool sound = false;
  std::string style = "xla";
  bool json = false;

  // What is said about them.
  std::string element;
  bool why = false;
  bool utilization = false;
  std::optional<uint32_t> coalescing;  // the vector width
  std::string tile;
  bool symbolic_tile = false;
  bool check = false;

  // Maps given as text.
  std::string print, simplify, remove_unused, remove_unused_symbols, rescale;
  std::vector<std::string> compose;
  bool preserve_points = false;

  bool towards_inputs() const { return direction != "in-to-out"; }
  bool towards_outputs() const { return direction != "out-to-in"; }
  bool HasMapText() const {
    return !print.empty() || !simplify.empty() || !remove_unused.empty() ||
           !remove_unused_symbols.empty() || !rescale.empty() || !compose.empty();
  }
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_INDEX_FLAGS_H_

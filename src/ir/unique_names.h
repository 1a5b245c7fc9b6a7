// Names that are fit for HLO text, made unique XLA's way (grammar.md 7.2, 7.3).
#ifndef HLOKIT_IR_UNIQUE_NAMES_H_
#define HLOKIT_IR_UNIQUE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace hlo {

// Characters that no name may have become `_`, reserved prefixes and type names are changed
// (grammar.md 7.2).
std::string SanitizeName(std::string_view name);

class UniqueNames {
 public:
  // `name`, or the nearest one that was not returned or reserved before.
  std::string Add(std::string_view name);
  // `name` is taken; it may be so already.
  void Reserve(std::string_view name);

 private:
  struct Numbers {
    absl::flat_hash_set<int64_t> used;
    int64_t next = 0;
  };
  absl::flat_hash_map<std::string, Numbers> by_root_;
};

}  // namespace hlo

#endif  // HLOKIT_IR_UNIQUE_NAMES_H_

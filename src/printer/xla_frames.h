// Stack-frame tables as XLA rebuilds them (grammar.md 7.9).
#ifndef HLOKIT_PRINTER_XLA_FRAMES_H_
#define HLOKIT_PRINTER_XLA_FRAMES_H_

#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace hlo {

// Takes over frames one by one, in the order of their first use.
class FrameRebuilder {
 public:
  explicit FrameRebuilder(const StackFrameTables& source) : source_(source) {}

  // The new id of frame `id`, its ancestors included; 0 when there is no such frame.
  int32_t Add(int32_t id);
  StackFrameTables& tables() { return tables_; }

 private:
  int32_t AddName(std::vector<std::string_view>* names,
                  absl::flat_hash_map<std::string_view, int32_t>* ids, std::string_view name);
  int32_t AddLocation(int32_t id);

  const StackFrameTables& source_;
  StackFrameTables tables_;
  absl::flat_hash_map<int32_t, int32_t> frames_;  // old id to new
  absl::flat_hash_map<std::string_view, int32_t> file_names_;
  absl::flat_hash_map<std::string_view, int32_t> function_names_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t>, int32_t>
      locations_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> unique_frames_;
};

}  // namespace hlo

#endif  // HLOKIT_PRINTER_XLA_FRAMES_H_

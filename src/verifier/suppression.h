// Comments in the text that silence rules:
//
//   // hlo-verify: allow(inst.dead, fusion)      before the module's first line: everywhere
//   x = f32[] add(a, b)  // hlo-verify: allow(inst.dead)         on this line
//   // hlo-verify: allow(inst.dead)              alone on its line: on the next line that is
//                                                not a comment
// An instruction that stands on such a line is covered with all its lines, so that it may be
// broken and joined: a comment in it, behind it or before it speaks of the whole of it.
#ifndef HLOKIT_VERIFIER_SUPPRESSION_H_
#define HLOKIT_VERIFIER_SUPPRESSION_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "ir/source_lookup.h"
#include "support/diagnostic.h"

namespace hlo {

class Suppressions {
 public:
  // The module must outlive this.
  explicit Suppressions(const Module& module);

  bool empty() const { return everywhere_.empty() && on_line_.empty(); }
  bool Covers(const Diagnostic& diagnostic) const;

 private:
  using Patterns = std::vector<std::string_view>;
  void AddComment(SourceRange comment);
  // The instruction that takes a line, or lines, at `offset`; not one that is written as an
  // operand.
  InstructionId InstructionAt(uint32_t offset) const;

  const Module& module_;
  std::optional<SourceLookup> lookup_;  // made for the first comment
  Patterns everywhere_;
  absl::flat_hash_map<int64_t, Patterns> on_line_;
  absl::flat_hash_map<InstructionId, Patterns> in_instruction_;
};

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_SUPPRESSION_H_

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

#include "ir/module.h"
#include "ir/source_lookup.h"
#include "support/diagnostic.h"

namespace hlo {

class Suppressions {
 public:
  // The module must outlive this.
  explicit Suppressions(const Module& module);

  bool empty() const { return allowances_.empty(); }
  bool Covers(const Diagnostic& diagnostic) const;

 private:
  struct Allowance {
    std::string_view pattern;
    int64_t line = 0;           // 0: the whole module
    InstructionId instruction;  // the one meant, if any
  };
  void AddComment(SourceRange comment);
  // The instruction that takes a line, or lines, at `offset`; not one that is written as an
  // operand.
  InstructionId InstructionAt(uint32_t offset) const;

  const Module& module_;
  std::optional<SourceLookup> lookup_;  // made for the first comment
  std::vector<Allowance> allowances_;
};

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_SUPPRESSION_H_

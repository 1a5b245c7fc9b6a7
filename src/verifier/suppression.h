// Comments in the text that silence rules:
//
//   // hlo-verify: allow(inst.dead, fusion)      before the module's first line: everywhere
//   x = f32[] add(a, b)  // hlo-verify: allow(inst.dead)         on this line
//   // hlo-verify: allow(inst.dead)              alone on its line: on the next line that is
//                                                not a comment
#ifndef HLOKIT_VERIFIER_SUPPRESSION_H_
#define HLOKIT_VERIFIER_SUPPRESSION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

class Suppressions {
 public:
  explicit Suppressions(const Module& module);

  bool empty() const { return allowances_.empty(); }
  bool Covers(const Diagnostic& diagnostic) const;

 private:
  struct Allowance {
    std::string_view pattern;
    int64_t line = 0;  // 0: the whole module
  };
  void AddComment(const Module& module, SourceRange comment);

  std::vector<Allowance> allowances_;
};

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_SUPPRESSION_H_

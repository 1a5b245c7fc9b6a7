// Which comments of the source stand where: a comment belongs to the innermost computation
// around it, so that it stays there wherever the computation is printed. And where the source has
// empty lines.
#ifndef HLOKIT_PRINTER_COMMENT_PLAN_H_
#define HLOKIT_PRINTER_COMMENT_PLAN_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace hlo {

class CommentPlan {
 public:
  // Without any comment when `wanted` is false.
  CommentPlan(const Module& module, bool wanted);

  struct Comment {
    std::string_view text;
    uint32_t begin = 0;
    bool trailing = false;  // something stands before it on its line
    bool after_blank_line = false;
  };
  // In the order of the text.
  std::span<const Comment> OutsideComputations() const { return outside_; }
  std::span<const Comment> Inside(ComputationId id) const;
  // Whether an empty line stands directly before byte `offset`.
  bool IsAfterBlankLine(uint32_t offset) const;

 private:
  struct Interval {
    SourceRange range;
    ComputationId id;
  };
  std::vector<Interval> SortedComputations(const Module& module) const;
  Comment MakeComment(SourceRange range) const;

  std::string_view source_;
  std::vector<Comment> outside_;
  std::vector<std::vector<Comment>> inside_;  // by computation; empty without comments
};

}  // namespace hlo

#endif  // HLOKIT_PRINTER_COMMENT_PLAN_H_

// Comments and computations are passed in the order of the text. Computations nest, so the open
// ones are a stack, whose top is the innermost. Bodies behind asynchronous sugar have no braces
// that a comment could stand in.
#include "printer/comment_plan.h"

#include <algorithm>

namespace hlo {

CommentPlan::CommentPlan(const Module& module, bool wanted) {
  if (module.source() == nullptr) return;
  source_ = module.source()->text();
  if (!wanted || module.comments().empty()) return;
  inside_.resize(module.computations().size());
  // Computations nest properly, so the open ones form a stack.
  const std::vector<Interval> intervals = SortedComputations(module);
  std::vector<Interval> open;
  size_t next = 0;
  for (SourceRange comment : module.comments()) {
    while (next < intervals.size() && intervals[next].range.begin <= comment.begin) {
      const Interval& interval = intervals[next++];
      while (!open.empty() && open.back().range.end <= interval.range.begin) open.pop_back();
      open.push_back(interval);
    }
    while (!open.empty() && open.back().range.end <= comment.begin) open.pop_back();
    std::vector<Comment>& place = open.empty() ? outside_ : inside_[open.back().id.value];
    place.push_back(MakeComment(comment));
  }
}

std::vector<CommentPlan::Interval> CommentPlan::SortedComputations(const Module& module) const {
  std::vector<Interval> intervals;
  for (size_t i = 0; i < module.computations().size(); ++i) {
    const Computation& computation = module.computations()[i];
    if (computation.range.empty() || computation.spelling == Spelling::kAsyncSugar) continue;
    intervals.push_back({computation.range, ComputationId(i)});
  }
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.end > b.range.end;
  });
  return intervals;
}

CommentPlan::Comment CommentPlan::MakeComment(SourceRange range) const {
  const size_t before = range.begin == 0 ? std::string_view::npos
                                         : source_.find_last_not_of(" \t", range.begin - size_t{1});
  Comment comment;
  comment.text = source_.substr(range.begin, range.end - range.begin);
  comment.begin = range.begin;
  comment.trailing =
      before != std::string_view::npos && source_[before] != '\n' && source_[before] != '\r';
  comment.after_blank_line = IsAfterBlankLine(range.begin);
  return comment;
}

std::span<const CommentPlan::Comment> CommentPlan::Inside(ComputationId id) const {
  if (inside_.empty()) return {};
  return inside_[id.value];
}

bool CommentPlan::IsAfterBlankLine(uint32_t offset) const {
  int line_ends = 0;
  for (size_t i = std::min<size_t>(offset, source_.size()); i > 0; --i) {
    const char c = source_[i - 1];
    if (c == '\n') ++line_ends;
    if (c != '\n' && c != '\r' && c != ' ' && c != '\t') break;
  }
  return line_ends >= 2;
}

}  // namespace hlo

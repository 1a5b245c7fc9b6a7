// Line starts are found once, on the first question: texts without errors never pay for them.
#include "support/source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/check.h"

namespace hlo {

SourceText::SourceText(std::string name) : name_(std::move(name)), has_places_(false) {}

SourceText::SourceText(std::string name, std::string text)
    : SourceText(std::move(name), std::move(text), 1) {}

SourceText::SourceText(std::string name, std::string text, int64_t first_line)
    : name_(std::move(name)), text_(std::move(text)), first_line_(first_line) {
  HLO_CHECK(text_.size() <= kMaxByteSize);
}

size_t SourceText::LineIndex(uint32_t offset) const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    const char* begin = text_.data();
    const char* end = begin + text_.size();
    for (const char* p = begin; p < end;) {
      p = static_cast<const char*>(std::memchr(p, '\n', end - p));
      if (p == nullptr) break;
      line_starts_.push_back(static_cast<uint32_t>(++p - begin));
    }
  }
  return std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin() -
         1;
}

LineColumn SourceText::Locate(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  size_t line = LineIndex(offset);
  return {first_line_ + static_cast<int64_t>(line),
          static_cast<int64_t>(offset - line_starts_[line]) + 1};
}

std::string_view SourceText::LineAt(uint32_t offset, SourceRange* range) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  size_t line = LineIndex(offset);
  size_t begin = line_starts_[line];
  size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] - size_t{1} : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  if (range != nullptr) *range = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace hlo

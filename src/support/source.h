// Source text and places in it.
#ifndef HLOKIT_SUPPORT_SOURCE_H_
#define HLOKIT_SUPPORT_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hlo {

// Bytes [begin, end) of a source text.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool empty() const { return begin == end; }
  bool operator==(const SourceRange&) const = default;
};

// The smallest range that covers both.
inline SourceRange Join(SourceRange first, SourceRange last) { return {first.begin, last.end}; }

// 1-based; columns count bytes. Lines end at LF only (grammar.md 1.10).
struct LineColumn {
  int64_t line = 1;
  int64_t column = 1;

  bool operator==(const LineColumn&) const = default;
};

// An immutable text with the name it is reported under. Ranges are 32 bit: texts hold at most
// kMaxByteSize bytes; who reads files checks that.
class SourceText {
 public:
  static constexpr uint64_t kMaxByteSize = 0xfffffff0u;

  // Of what is made in code: it has a name, and neither text nor places.
  explicit SourceText(std::string name);
  SourceText(std::string name, std::string text);
  // A part of a larger file, as --split-input-file makes them: positions are reported as those
  // of the file, whose `first_line` (1-based) is this text's first.
  SourceText(std::string name, std::string text, int64_t first_line);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(SourceRange range) const {
    return std::string_view(text_).substr(range.begin, range.end - range.begin);
  }
  int64_t first_line() const { return first_line_; }
  bool has_places() const { return has_places_; }

  // Where byte `offset` is, in lines of the file. Offsets past the end mean the end.
  LineColumn Locate(uint32_t offset) const;

  // The line (without its end) that holds byte `offset`, and the range it takes.
  std::string_view LineAt(uint32_t offset, SourceRange* range = nullptr) const;

 private:
  size_t LineIndex(uint32_t offset) const;

  std::string name_;
  std::string text_;
  int64_t first_line_ = 1;
  bool has_places_ = true;
  mutable std::vector<uint32_t> line_starts_;  // made on the first Locate
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_SOURCE_H_

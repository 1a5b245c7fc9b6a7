// Text that grows by very many short pieces: appending is a bounds check and a copy.
#ifndef HLOKIT_SUPPORT_TEXT_WRITER_H_
#define HLOKIT_SUPPORT_TEXT_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "support/number_format.h"

namespace hlo {

class TextWriter {
 public:
  explicit TextWriter(size_t expected_byte_size = 0) { text_.resize(expected_byte_size + 64); }

  size_t size() const { return size_; }
  std::string_view text() const { return {text_.data(), size_}; }

  void Append(char c) {
    *Reserve(1) = c;
    ++size_;
  }
  void Append(std::string_view piece) {
    if (piece.empty()) return;  // memcpy takes no null pointer, not even for nothing
    char* end = Reserve(piece.size());
    std::memcpy(end, piece.data(), piece.size());
    size_ += piece.size();
  }
  void AppendInt(int64_t value) { Commit(WriteInt(Reserve(kMaxNumberSize), value)); }

  // Room for `byte_count` bytes at the end, to be filled by hand; Commit takes the new end.
  char* Reserve(size_t byte_count) {
    if (size_ + byte_count > text_.size()) Grow(byte_count);
    return text_.data() + size_;
  }
  void Commit(const char* end) { size_ = static_cast<size_t>(end - text_.data()); }

  // Cuts the text back to its first `byte_size` bytes.
  void Truncate(size_t byte_size) { size_ = std::min(size_, byte_size); }

  std::string Take() {
    text_.resize(size_);
    size_ = 0;
    return std::move(text_);
  }

 private:
  void Grow(size_t byte_count) { text_.resize(std::max(text_.size() * 2, size_ + byte_count)); }

  std::string text_;  // its tail behind size_ is scratch
  size_t size_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_TEXT_WRITER_H_

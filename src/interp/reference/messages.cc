// A message has copies: its sender goes on, and may write over its arrays before anybody takes them
// (semantics.md 14.4). They outlive the step, and how many are on their way nobody knows before, so
// that they are no scratch memory. Storing sets run-time sizes, as for any array that becomes a
// result; what has no place there is an error that names the sender.
#include "interp/reference/messages.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/reference/set_result.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

template <typename Byte>
std::string ArrayText(const BasicArrayRef<Byte>& array) {
  return fmt::format("{}[{}]", ElementTypeName(array.element_type), fmt::join(array.dims, ","));
}

absl::Status Mismatch(const Message& message, const std::string& sent, const std::string& taken) {
  const std::string sender =
      message.sender == nullptr ? "the sender" : fmt::format("`{}`", message.sender->name);
  return absl::InvalidArgumentError(
      fmt::format("{} sends {} where this takes {}", sender, sent, taken));
}

}  // namespace

Message MakeMessage(const Evaluation& e, std::span<const ArrayRef> arrays) {
  Message message;
  message.sender = &e.instruction();
  for (const ArrayRef& array : arrays) {
    Message::Array& copy = message.arrays.emplace_back();
    copy.element_type = array.element_type;
    copy.dims.assign(array.dims.begin(), array.dims.end());
    copy.bytes.assign(array.bytes, array.bytes + array.byte_size());
  }
  return message;
}

absl::Status StoreMessage(Evaluation& e, const Message& message, size_t first, size_t count) {
  if (message.arrays.size() != count) {
    return Mismatch(message, fmt::format("{} arrays", message.arrays.size()),
                    std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const ArrayRef array = message.arrays[i].ref();
    const MutableArrayRef& result = e.result(first + i);
    // Sizes that only the run knows may be smaller than those written.
    const bool fits = array.element_type == result.element_type &&
                      array.dims.size() == result.dims.size() &&
                      SetResult(e, array, first + i).ok();
    if (!fits) return Mismatch(message, ArrayText(array), ArrayText(result));
  }
  return absl::OkStatus();
}

}  // namespace hlo::reference

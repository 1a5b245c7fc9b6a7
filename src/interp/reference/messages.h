// Arrays in and out of messages.
#ifndef HLOKIT_INTERP_REFERENCE_MESSAGES_H_
#define HLOKIT_INTERP_REFERENCE_MESSAGES_H_

#include <cstddef>
#include <span>

#include "interp/kernel/transport.h"

namespace hlo::reference {

// Copies of `arrays`, as sent by the instruction of `e`.
Message MakeMessage(const Evaluation& e, std::span<const ArrayRef> arrays);

// Makes results first ... first + count - 1 the arrays of `message`. Fails when they are of another
// kind, and names both instructions.
absl::Status StoreMessage(Evaluation& e, const Message& message, size_t first, size_t count);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_MESSAGES_H_

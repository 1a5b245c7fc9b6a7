// Sizes and starts around the 64 bytes of a line, each with each; bytes before and behind the copy
// must stay.
#include "support/stream_copy.h"

#include <gtest/gtest.h>

#include <vector>

namespace hlo {
namespace {

TEST(StreamCopyTest, CopiesFromAndToAnywhereAndNothingElse) {
  constexpr size_t kRoom = 512;
  std::vector<std::byte> from(kRoom);
  for (size_t i = 0; i < kRoom; ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
  for (size_t byte_size : {0, 1, 15, 63, 64, 65, 128, 200, 300}) {
    for (size_t to_start : {0, 1, 16, 63, 64, 100}) {
      for (size_t from_start : {0, 3, 32, 64}) {
        std::vector<std::byte> to(kRoom), expected(kRoom);
        StreamCopy(to.data() + to_start, from.data() + from_start, byte_size);
        FinishStreams();
        std::memcpy(expected.data() + to_start, from.data() + from_start, byte_size);
        EXPECT_EQ(to, expected) << byte_size << " " << to_start << " " << from_start;
      }
    }
  }
}

}  // namespace
}  // namespace hlo

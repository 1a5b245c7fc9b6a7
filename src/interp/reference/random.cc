// Threefry and Philox after Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011),
// arranged over arrays as semantics.md 12.3 has it.
#include "interp/reference/random.h"

#include <algorithm>
#include <bit>

namespace hlo::reference {
namespace {

uint32_t Low(uint64_t word) { return static_cast<uint32_t>(word); }
uint32_t High(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

size_t SplitDimension(std::span<const int64_t> dims) {
  auto even = std::ranges::find_if(dims, [](int64_t size) { return size % 2 == 0; });
  if (even == dims.end()) even = std::ranges::max_element(dims);
  return static_cast<size_t>(even - dims.begin());
}

}  // namespace

std::array<uint32_t, 2> Threefry2x32(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {Low(key), High(key), Low(key) ^ High(key) ^ 0x1BD11BDA};
  uint32_t x0 = Low(counter) + keys[0];
  uint32_t x1 = High(counter) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

std::array<uint32_t, 4> Philox4x32(uint64_t key, unsigned __int128 counter) {
  const uint64_t low = static_cast<uint64_t>(counter);
  const uint64_t high = static_cast<uint64_t>(counter >> 64);
  std::array<uint32_t, 4> c = {Low(low), High(low), Low(high), High(high)};
  uint32_t key0 = Low(key);
  uint32_t key1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{c[0]} * 0xD2511F53;
    const uint64_t product1 = uint64_t{c[2]} * 0xCD9E8D57;
    c = {High(product1) ^ c[1] ^ key0, Low(product1), High(product0) ^ c[3] ^ key1, Low(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return c;
}

void FillPhilox(uint64_t key, unsigned __int128 counter, std::span<uint32_t> words) {
  const auto word_count = static_cast<int64_t>(words.size());
  for (int64_t begin = 0; begin < word_count; begin += 4) {
    const std::array<uint32_t, 4> block = Philox4x32(key, counter++);
    std::copy_n(block.begin(), std::min<int64_t>(4, word_count - begin), words.begin() + begin);
  }
}

ElementPairs::ElementPairs(std::span<const int64_t> dims) {
  if (dims.empty()) return;
  const size_t split = SplitDimension(dims);
  for (size_t d = 0; d < split; ++d) outer_ *= dims[d];
  for (size_t d = split + 1; d < dims.size(); ++d) inner_ *= dims[d];
  size_ = dims[split];
  half_ = (size_ + 1) / 2;
}

void FillThreefry(uint64_t key, uint64_t counter, std::span<const int64_t> dims,
                  std::span<uint32_t> words) {
  ElementPairs(dims).ForEach([&](int64_t pair, int64_t first, int64_t second) {
    const std::array<uint32_t, 2> block = Threefry2x32(key, counter + pair);
    words[first] = block[0];
    if (second >= 0) words[second] = block[1];
  });
}

}  // namespace hlo::reference

// Each word has an array with an element for each block, and rounds are plain loops over the
// blocks, which the compiler makes vectors of, for each instruction set (semantics.md 12.1, 12.2).
#include "interp/simd/random_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/random_blocks.cc"
#include "interp/simd/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE uint32_t Rotated(uint32_t x, int by) { return x << by | x >> (32 - by); }

// Word w of block counter + i goes to words[w][i].
void Threefry(uint64_t key, uint64_t counter, uint32_t (*words)[kRandomBlocks]) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const auto low = static_cast<uint32_t>(key);
  const auto high = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {low, high, low ^ high ^ 0x1BD11BDA};
  uint32_t* x0 = words[0];
  uint32_t* x1 = words[1];
  for (int64_t i = 0; i < kRandomBlocks; ++i) {
    const uint64_t own = counter + static_cast<uint64_t>(i);
    x0[i] = static_cast<uint32_t>(own) + keys[0];
    x1[i] = static_cast<uint32_t>(own >> 32) + keys[1];
  }
  for (uint32_t group = 0; group < 5; ++group) {
    const int* by = kRotations[group % 2];
    const uint32_t add0 = keys[(group + 1) % 3];
    const uint32_t add1 = keys[(group + 2) % 3] + group + 1;
    for (int64_t i = 0; i < kRandomBlocks; ++i) {
      uint32_t a = x0[i], b = x1[i];
      for (int round = 0; round < 4; ++round) {
        a += b;
        b = Rotated(b, by[round]) ^ a;
      }
      x0[i] = a + add0;
      x1[i] = b + add1;
    }
  }
}

void Philox(uint64_t key, uint64_t low, uint64_t high, uint32_t (*words)[kRandomBlocks]) {
  for (int64_t i = 0; i < kRandomBlocks; ++i) {
    const uint64_t own = low + static_cast<uint64_t>(i);
    const uint64_t carried = high + (own < low ? 1 : 0);
    words[0][i] = static_cast<uint32_t>(own);
    words[1][i] = static_cast<uint32_t>(own >> 32);
    words[2][i] = static_cast<uint32_t>(carried);
    words[3][i] = static_cast<uint32_t>(carried >> 32);
  }
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int64_t i = 0; i < kRandomBlocks; ++i) {
      const uint64_t product0 = uint64_t{words[0][i]} * 0xD2511F53;
      const uint64_t product1 = uint64_t{words[2][i]} * 0xCD9E8D57;
      const uint32_t c1 = words[1][i], c3 = words[3][i];
      words[0][i] = static_cast<uint32_t>(product1 >> 32) ^ c1 ^ key0;
      words[1][i] = static_cast<uint32_t>(product1);
      words[2][i] = static_cast<uint32_t>(product0 >> 32) ^ c3 ^ key1;
      words[3][i] = static_cast<uint32_t>(product0);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

RandomBlocks AllBlocks() { return {Threefry, Philox}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllBlocks);

const RandomBlocks& GetRandomBlocks() {
  static const RandomBlocks blocks = HWY_DYNAMIC_DISPATCH(AllBlocks)();
  return blocks;
}

}  // namespace hlo::simd
#endif

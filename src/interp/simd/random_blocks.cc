// Plain loops over blocks, which the compiler makes vectors of, for each instruction set
// (semantics.md 12.1, 12.2). The short rounds of Threefry stay in registers from first to last.
#include "interp/simd/random_blocks.h"

#include "interp/simd/independent.h"

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

template <int kBy>
HWY_INLINE uint32_t Rotated(uint32_t x) {
  return x << kBy | x >> (32 - kBy);
}

// Four rounds, and the keys that follow them.
template <int kBy0, int kBy1, int kBy2, int kBy3>
HWY_INLINE void FourRounds(uint32_t key0, uint32_t key1, uint32_t& a, uint32_t& b) {
  a += b;
  b = Rotated<kBy0>(b) ^ a;
  a += b;
  b = Rotated<kBy1>(b) ^ a;
  a += b;
  b = Rotated<kBy2>(b) ^ a;
  a += b;
  b = Rotated<kBy3>(b) ^ a;
  a += key0;
  b += key1;
}

// The keys that are added in between.
struct ThreefryKeys {
  explicit ThreefryKeys(uint64_t key)
      : keys{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32), 0} {
    keys[2] = keys[0] ^ keys[1] ^ 0x1BD11BDA;
  }
  uint32_t keys[3];
};

// The words of a block: a and b hold its counter before. All that depends on constants alone is
// written out, so that rotations are single instructions.
HWY_INLINE void ThreefryBlock(const ThreefryKeys& with, uint32_t& a, uint32_t& b) {
  const auto [key0, key1, key2] = with.keys;
  a += key0;
  b += key1;
  FourRounds<13, 15, 26, 6>(key1, key2 + 1, a, b);
  FourRounds<17, 29, 16, 24>(key2, key0 + 2, a, b);
  FourRounds<13, 15, 26, 6>(key0, key1 + 3, a, b);
  FourRounds<17, 29, 16, 24>(key1, key2 + 4, a, b);
  FourRounds<13, 15, 26, 6>(key2, key0 + 5, a, b);
}

// Calls store(i, first word, second word) for the blocks from `counter` on.
template <typename Store>
HWY_INLINE void ForEachThreefryBlock(uint64_t key, uint64_t counter, Store&& store) {
  const ThreefryKeys keys(key);
  const auto low = static_cast<uint32_t>(counter);
  const auto high = static_cast<uint32_t>(counter >> 32);
  HLO_INDEPENDENT
  for (int32_t i = 0; i < kRandomBlocks; ++i) {
    uint32_t a = low + static_cast<uint32_t>(i);
    uint32_t b = high + (a < low ? 1 : 0);
    ThreefryBlock(keys, a, b);
    store(i, a, b);
  }
}

// Word w of block counter + i goes to words[w][i].
void Threefry(uint64_t key, uint64_t counter, uint32_t (*words)[kRandomBlocks]) {
  uint32_t* first = words[0];
  uint32_t* second = words[1];
  ForEachThreefryBlock(key, counter, [&](int32_t i, uint32_t a, uint32_t b) {
    first[i] = a;
    second[i] = b;
  });
}

// To words[2 * i + w].
void ThreefryPairs(uint64_t key, uint64_t counter, uint32_t* words) {
  ForEachThreefryBlock(key, counter, [&](int32_t i, uint32_t a, uint32_t b) {
    words[2 * i] = a;
    words[2 * i + 1] = b;
  });
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

RandomBlocks AllBlocks() { return {Threefry, ThreefryPairs, Philox}; }

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

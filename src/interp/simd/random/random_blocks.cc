// Many blocks side by side, for each instruction set (semantics.md 12.1, 12.2). The short rounds of
// Threefry stay in registers from first to last; Philox is plain loops, which the compiler makes
// vectors of.
#include "interp/simd/random/random_blocks.h"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/random/random_blocks.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<uint32_t>;
using Vector = hn::Vec<Words>;

// A round waits for the one before it. So many vectors of blocks fill the time.
constexpr size_t kAtOnce = 4;
static_assert(kRandomBlocks % (kAtOnce * hn::MaxLanes(Words())) == 0);

// As many words of as many vectors of blocks: a and b hold their counters before.
struct Blocks {
  Vector a[kAtOnce], b[kAtOnce];
};

// Where rotations are no instruction, whole bytes are moved in one instead of three.
template <int kBy>
HWY_INLINE Vector RotateLeft(Vector x) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  if constexpr (kBy % 8 == 0) {
    alignas(16) static constexpr std::array<uint8_t, 16> kFrom = [] {
      std::array<uint8_t, 16> from;
      for (int i = 0; i < 16; ++i) from[i] = i / 4 * 4 + (i + 4 - kBy / 8) % 4;
      return from;
    }();
    const hn::Repartition<uint8_t, Words> bytes;
    return hn::BitCast(
        Words(), hn::TableLookupBytes(hn::BitCast(bytes, x), hn::LoadDup128(bytes, kFrom.data())));
  }
#endif
  return hn::RotateRight<32 - kBy>(x);
}

template <int kBy>
HWY_INLINE void Round(Blocks& x) {
#pragma GCC unroll 4
  for (size_t k = 0; k < kAtOnce; ++k) {
    x.a[k] = hn::Add(x.a[k], x.b[k]);
    x.b[k] = hn::Xor(RotateLeft<kBy>(x.b[k]), x.a[k]);
  }
}

HWY_INLINE void AddKeys(uint32_t key_a, uint32_t key_b, Blocks& x) {
#pragma GCC unroll 4
  for (size_t k = 0; k < kAtOnce; ++k) {
    x.a[k] = hn::Add(x.a[k], hn::Set(Words(), key_a));
    x.b[k] = hn::Add(x.b[k], hn::Set(Words(), key_b));
  }
}

// Four rounds, and the keys that follow them.
template <int kBy0, int kBy1, int kBy2, int kBy3>
HWY_INLINE void FourRounds(uint32_t key_a, uint32_t key_b, Blocks& x) {
  Round<kBy0>(x);
  Round<kBy1>(x);
  Round<kBy2>(x);
  Round<kBy3>(x);
  AddKeys(key_a, key_b, x);
}

// The keys that are added in between.
struct ThreefryKeys {
  explicit ThreefryKeys(uint64_t key)
      : keys{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32), 0} {
    keys[2] = keys[0] ^ keys[1] ^ 0x1BD11BDA;
  }
  uint32_t keys[3];
};

// All that depends on constants alone is written out, so that rotations are single instructions.
HWY_INLINE void ThreefryRounds(const ThreefryKeys& with, Blocks& x) {
  const auto [key0, key1, key2] = with.keys;
  AddKeys(key0, key1, x);
  FourRounds<13, 15, 26, 6>(key1, key2 + 1, x);
  FourRounds<17, 29, 16, 24>(key2, key0 + 2, x);
  FourRounds<13, 15, 26, 6>(key0, key1 + 3, x);
  FourRounds<17, 29, 16, 24>(key1, key2 + 4, x);
  FourRounds<13, 15, 26, 6>(key2, key0 + 5, x);
}

// Calls store(i, first words, second words) for a vector of blocks, from block i on.
template <typename Store>
HWY_INLINE void ForEachThreefryBlock(uint64_t key, uint64_t counter, Store&& store) {
  const ThreefryKeys keys(key);
  const Words d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Vector low = hn::Set(d, static_cast<uint32_t>(counter));
  const Vector high = hn::Set(d, static_cast<uint32_t>(counter >> 32));
  const Vector one = hn::Set(d, 1);
  for (int64_t i = 0; i < kRandomBlocks; i += static_cast<int64_t>(kAtOnce) * lanes) {
    Blocks x;
#pragma GCC unroll 4
    for (size_t k = 0; k < kAtOnce; ++k) {
      const int64_t first = i + static_cast<int64_t>(k) * lanes;
      x.a[k] = hn::Add(low, hn::Iota(d, static_cast<uint32_t>(first)));
      x.b[k] = hn::Add(high, hn::IfThenElseZero(hn::Lt(x.a[k], low), one));  // carried
    }
    ThreefryRounds(keys, x);
#pragma GCC unroll 4
    for (size_t k = 0; k < kAtOnce; ++k) {
      store(i + static_cast<int64_t>(k) * lanes, x.a[k], x.b[k]);
    }
  }
}

// Word w of block counter + i goes to words[w][i].
void Threefry(uint64_t key, uint64_t counter, uint32_t (*words)[kRandomBlocks]) {
  ForEachThreefryBlock(key, counter, [&](int64_t i, Vector a, Vector b) HWY_ATTR {
    hn::StoreU(a, Words(), words[0] + i);
    hn::StoreU(b, Words(), words[1] + i);
  });
}

// To words[2 * i + w].
void ThreefryPairs(uint64_t key, uint64_t counter, uint32_t* words) {
  ForEachThreefryBlock(key, counter, [&](int64_t i, Vector a, Vector b) HWY_ATTR {
    hn::StoreInterleaved2(a, b, Words(), words + 2 * i);
  });
}

// To words[w][i].
void PhiloxRounds(uint64_t key, uint64_t low, uint64_t high, uint32_t (*words)[kRandomBlocks]) {
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

void Philox(uint64_t key, unsigned __int128 counter, uint32_t* to) {
  alignas(64) uint32_t words[4][kRandomBlocks];
  PhiloxRounds(key, static_cast<uint64_t>(counter), static_cast<uint64_t>(counter >> 64), words);
  const Words d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < kRandomBlocks; i += lanes) {
    hn::StoreInterleaved4(hn::Load(d, words[0] + i), hn::Load(d, words[1] + i),
                          hn::Load(d, words[2] + i), hn::Load(d, words[3] + i), d, to + 4 * i);
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

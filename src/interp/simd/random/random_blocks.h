// Blocks of the counter-based random generators, many at once. Source: Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3" (2011), as semantics.md 12.3 uses them.
#ifndef HLOKIT_INTERP_SIMD_RANDOM_RANDOM_BLOCKS_H_
#define HLOKIT_INTERP_SIMD_RANDOM_RANDOM_BLOCKS_H_

#include <cstdint>

namespace hlo::simd {

inline constexpr int64_t kRandomBlocks = 64;  // made at once

// Word w of the block of counter + i goes to words[w][i], where they lie side by side to
// words[2 * i + w] and, of Philox, words[4 * i + w].
struct RandomBlocks {
  // Threefry-2x32 with 20 rounds: two words.
  void (*threefry)(uint64_t key, uint64_t counter, uint32_t (*words)[kRandomBlocks]);
  void (*threefry_pairs)(uint64_t key, uint64_t counter, uint32_t* words);
  // Philox-4x32 with 10 rounds: four words; the counter has 128 bits.
  void (*philox)(uint64_t key, unsigned __int128 counter, uint32_t* words);
};

const RandomBlocks& GetRandomBlocks();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_RANDOM_RANDOM_BLOCKS_H_

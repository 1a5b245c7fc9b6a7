// The elements that some results of a fold take next.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_FOLD_OFFSETS_H_
#define HLOKIT_INTERP_SIMD_BLOCK_FOLD_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace hlo::simd {

// Where they lie: `offsets[i]` from a place they have in common. The functions bring elements of
// `size` bytes together; `from`: that place.
struct FoldOffsets {
  explicit FoldOffsets(std::span<const int64_t> offsets);

  void Gather(int64_t size, const std::byte* from, std::byte* to) const;
  // Only of those whose byte is 1: the others' may lie nowhere.
  void GatherSome(int64_t size, const std::byte* from, std::span<const uint8_t> takes,
                  std::byte* to) const;
  // Those at `count` places that follow each other, the elements of a place `pitch` of them behind
  // those of the one before.
  void GatherLines(int64_t size, const std::byte* from, int64_t count, std::byte* to,
                   int64_t pitch) const;

  // The other way: of each place to where GatherLines found its elements.
  void ScatterLines(int64_t size, const std::byte* from, int64_t pitch, int64_t count,
                    std::byte* to) const;

  std::span<const int64_t> offsets;
  bool is_dense = true;  // side by side
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_FOLD_OFFSETS_H_

// Counter-based random generators: pure functions of key and counter. Source: semantics.md 12.
#ifndef HLOKIT_INTERP_REFERENCE_RANDOM_H_
#define HLOKIT_INTERP_REFERENCE_RANDOM_H_

#include <array>
#include <cstdint>
#include <span>

namespace hlo::reference {

// One block of Threefry-2x32 with 20 rounds; 64-bit words are split low half first.
std::array<uint32_t, 2> Threefry2x32(uint64_t key, uint64_t counter);

// One block of Philox-4x32 with 10 rounds.
std::array<uint32_t, 4> Philox4x32(uint64_t key, unsigned __int128 counter);

// Writes the blocks of counter, counter + 1, ... one behind the other.
void FillPhilox(uint64_t key, unsigned __int128 counter, std::span<uint32_t> words);

// A pairing of the elements of an array: neighbours 2h and 2h + 1 along one dimension, the first
// of even size, else the first among the largest. The pairs have the row-major order of the shape
// with that dimension halved; the second element is missing at an odd end.
class ElementPairs {
 public:
  explicit ElementPairs(std::span<const int64_t> dims);

  int64_t pair_count() const { return outer_ * half_ * inner_; }
  // Elements before the dimension that pairs are taken along, of it, half as many, and behind it.
  int64_t outer() const { return outer_; }
  int64_t size() const { return size_; }
  int64_t half() const { return half_; }
  int64_t inner() const { return inner_; }

  // Calls function(p, first, second) for each pair p with the linear indices of its elements;
  // `second` is -1 where it is missing.
  template <typename Function>
  void ForEach(Function&& function) const {
    int64_t pair = 0;
    for (int64_t o = 0; o < outer_; ++o) {
      for (int64_t h = 0; h < half_; ++h) {
        for (int64_t i = 0; i < inner_; ++i) {
          const int64_t first = (o * size_ + 2 * h) * inner_ + i;
          function(pair++, first, 2 * h + 1 < size_ ? first + inner_ : -1);
        }
      }
    }
  }

 private:
  int64_t outer_ = 1;  // elements before the split dimension
  int64_t size_ = 1;   // of it
  int64_t half_ = 1;   // rounded up
  int64_t inner_ = 1;  // elements behind it
};

// Writes 32-bit words for an array of sizes `dims`, row-major: pair p gets the two words of block
// counter + p.
void FillThreefry(uint64_t key, uint64_t counter, std::span<const int64_t> dims,
                  std::span<uint32_t> words);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_RANDOM_H_

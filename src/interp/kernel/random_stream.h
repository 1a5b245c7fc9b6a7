// A small deterministic stream of random numbers for generated inputs: the same on every machine.
#ifndef HLOKIT_INTERP_KERNEL_RANDOM_STREAM_H_
#define HLOKIT_INTERP_KERNEL_RANDOM_STREAM_H_

#include <cmath>
#include <cstdint>
#include <numbers>

namespace hlo {

// SplitMix64 (Steele, Lea, Flood 2014).
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : state_(seed) {}

  // As if Next had been called `count` times.
  void Skip(uint64_t count) { state_ += count * kStep; }

  uint64_t Next() {
    uint64_t z = (state_ += kStep);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 2^53).
  int64_t NextBits() { return static_cast<int64_t>(Next() >> 11); }
  // Uniform in [0, 1): as many of these.
  static constexpr double kUnit = 0x1p-53;
  double NextUnit() { return static_cast<double>(NextBits()) * kUnit; }
  // Normal with mean 0 and deviation 1.
  double NextNormal() {
    double radius = std::sqrt(-2 * std::log(1 - NextUnit()));
    return radius * std::cos(2 * std::numbers::pi * NextUnit());
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;

  uint64_t state_;
};

// Integers of [lowest, highest], of fewer than 2^63: lowest + number mod count.
class IntegerRange {
 public:
  IntegerRange(int64_t lowest, int64_t highest)
      : lowest_(lowest),
        count_(static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest) + 1),
        inverse_(~uint64_t{0} / count_) {}

  int64_t Next(RandomStream& stream) const {
    return static_cast<int64_t>(static_cast<uint64_t>(lowest_) + Remainder(stream.Next()));
  }

 private:
  // The inverse is less than one below 2^64 / count, so what it finds is the quotient or one less:
  // several times as fast as a division.
  uint64_t Remainder(uint64_t number) const {
    const auto product = static_cast<unsigned __int128>(number) * inverse_;
    const uint64_t rest = number - static_cast<uint64_t>(product >> 64) * count_;
    return rest < count_ ? rest : rest - count_;
  }

  int64_t lowest_;
  uint64_t count_, inverse_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_RANDOM_STREAM_H_

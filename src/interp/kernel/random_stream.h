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
  // Uniform in [low, high].
  int64_t NextInteger(int64_t low, int64_t high) {
    uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    uint64_t offset = range == 0 ? Next() : Next() % range;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
  }
  // Normal with mean 0 and deviation 1.
  double NextNormal() {
    double radius = std::sqrt(-2 * std::log(1 - NextUnit()));
    return radius * std::cos(2 * std::numbers::pi * NextUnit());
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;

  uint64_t state_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_RANDOM_STREAM_H_

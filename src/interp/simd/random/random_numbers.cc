// rng (semantics.md 12.5): the words are those of the reference kernel, tile by tile, and become
// numbers by the loops over tiles that blocks have.
#include "interp/simd/random/random_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numbers>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/reference/random.h"
#include "interp/reference/random_draw.h"
#include "interp/reference/random_words.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/random/random_blocks.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::ElementPairs;
using reference::RandomDraw;

constexpr int64_t kTileWords = 4 * kRandomBlocks;
constexpr int64_t kPartTiles = 256;

// Calls function(t, words of tile t) for all tiles of so many words.
template <typename Function>
absl::Status ForEachTile(Evaluation& e, int64_t word_count, const Function& function) {
  const RandomDraw draw = reference::NextDraw(e, word_count);
  const int64_t tiles = CeilDiv(word_count, kTileWords);
  return ForEachPart(e.device(), CeilDiv(tiles, kPartTiles), [&](int64_t part) {
    alignas(64) uint32_t words[kTileWords];
    for (int64_t t = part * kPartTiles; t < std::min(tiles, (part + 1) * kPartTiles); ++t) {
      GetRandomBlocks().philox(
          draw.key, draw.counter + static_cast<unsigned __int128>(t * kRandomBlocks), words);
      function(t, words);
    }
  });
}

// Integers and truth values: of each one or two words.
absl::Status DrawWholeNumbers(Evaluation& e) {
  const MutableArrayRef& result = e.result();
  const int64_t words_each = reference::WordsPerElement(result.element_type);
  const int64_t count = result.element_count(), most = kTileWords / words_each;
  return ForEachTile(e, count * words_each, [&](int64_t t, const uint32_t* words) {
    const int64_t size = std::min(most, count - t * most);
    const MutableArrayRef tile = {result.element_type,
                                  {&size, 1},
                                  result.bytes + t * most * ElementByteSize(result.element_type)};
    reference::StoreUniforms({words, static_cast<size_t>(size * words_each)}, e.operand(0),
                             e.operand(1), tile);
  });
}

template <typename T>
using Tile = std::array<T, kTileWords * sizeof(uint32_t) / sizeof(T)>;

template <typename T>
TileLoop Loop(Opcode opcode) {
  return GetBlockKernels().elementwise(opcode, kElementTypeOf<T>);
}

// A loop whose second operand is the same for all elements.
template <typename T>
class LoopWith {
 public:
  LoopWith(Opcode opcode, T value) : loop_(Loop<T>(opcode)) { with_.fill(value); }
  void Run(T* x, int64_t count) const { loop_(x, with_.data(), nullptr, x, count); }

 private:
  TileLoop loop_;
  alignas(64) Tile<T> with_;
};

// Uniform numbers of [0, 1): the mantissa of a number of [1, 2), less 1, which is exact.
template <typename T>
class UnitTiles {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;

 public:
  void Make(uint32_t* words, T* to, int64_t count) const {
    Tile<Bits> bits;
    std::memcpy(bits.data(), words, static_cast<size_t>(count) * sizeof(Bits));
    shift_.Run(bits.data(), count);
    exponent_.Run(bits.data(), count);
    std::memcpy(to, bits.data(), static_cast<size_t>(count) * sizeof(Bits));
    less_one_.Run(to, count);
  }

 private:
  const LoopWith<Bits> shift_{Opcode::kShiftRightLogical,
                              static_cast<Bits>(8 * sizeof(T) - kMantissaBits)};
  const LoopWith<Bits> exponent_{Opcode::kOr, std::bit_cast<Bits>(T{1})};
  const LoopWith<T> less_one_{Opcode::kSubtract, T{1}};
};

// Numbers of a tile as they are in memory.
template <typename T>
void StoreNumbers(ElementType type, const T* from, int64_t count, std::byte* to) {
  if (IsNarrow(type)) {
    GetBlockKernels().narrow(type)(from, nullptr, nullptr, to, count);
  } else {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  }
}

template <typename T>
absl::Status DrawUniforms(Evaluation& e) {
  constexpr int64_t kMost = std::tuple_size_v<Tile<T>>;
  const MutableArrayRef& result = e.result();
  const T a = reference::ParameterAs<T>(e.operand(0)), b = reference::ParameterAs<T>(e.operand(1));
  const UnitTiles<T> units;
  // Without a range all are a, zeros of its sign.
  const LoopWith<T> scale(Opcode::kMultiply, b > a ? b - a : -T{0});
  const LoopWith<T> move(Opcode::kAdd, a);
  const int64_t count = result.element_count();
  constexpr int64_t kWords = sizeof(T) / sizeof(uint32_t);
  return ForEachTile(e, count * kWords, [&](int64_t t, uint32_t* words) {
    const int64_t size = std::min(kMost, count - t * kMost);
    alignas(64) Tile<T> numbers;
    units.Make(words, numbers.data(), size);
    scale.Run(numbers.data(), size);
    move.Run(numbers.data(), size);
    StoreNumbers(result.element_type, numbers.data(), size,
                 result.bytes + t * kMost * ElementByteSize(result.element_type));
  });
}

// Pairs of uniforms become pairs of normals (Box and Muller).
template <typename T>
class NormalTiles {
 public:
  NormalTiles(T mean, T deviation)
      : deviation_(Opcode::kMultiply, deviation), mean_(Opcode::kAdd, mean) {}

  // Numbers p of the first and the second of so many pairs, of two uniforms each.
  void Make(uint32_t* words, T* first, T* second, int64_t pairs) const {
    alignas(64) Tile<T> uniforms, radius;
    units_.Make(words, uniforms.data(), 2 * pairs);
    for (int64_t p = 0; p < pairs; ++p) {
      radius[static_cast<size_t>(p)] = uniforms[static_cast<size_t>(2 * p)];
      first[p] = uniforms[static_cast<size_t>(2 * p + 1)];
    }
    least_.Run(radius.data(), pairs);
    log_(radius.data(), nullptr, nullptr, radius.data(), pairs);
    twice_.Run(radius.data(), pairs);
    root_(radius.data(), nullptr, nullptr, radius.data(), pairs);
    angle_.Run(first, pairs);
    cosine_(first, nullptr, nullptr, second, pairs);
    sine_(first, nullptr, nullptr, first, pairs);
    for (T* numbers : {first, second}) {
      multiply_(numbers, radius.data(), nullptr, numbers, pairs);
      deviation_.Run(numbers, pairs);
      mean_.Run(numbers, pairs);
    }
  }

 private:
  const UnitTiles<T> units_;
  const LoopWith<T> least_{Opcode::kMaximum, T(1e-7)}, twice_{Opcode::kMultiply, T{-2}};
  const LoopWith<T> angle_{Opcode::kMultiply, 2 * std::numbers::pi_v<T>};
  const LoopWith<T> deviation_, mean_;
  const TileLoop log_ = Loop<T>(Opcode::kLog), root_ = Loop<T>(Opcode::kSqrt);
  const TileLoop sine_ = Loop<T>(Opcode::kSine), cosine_ = Loop<T>(Opcode::kCosine);
  const TileLoop multiply_ = Loop<T>(Opcode::kMultiply);
};

// Elements of so many pairs from `pair` on, of U's size, to their places.
template <typename U>
void StorePairs(const ElementPairs& pairs, int64_t pair, int64_t count, const U* first,
                const U* second, U* to) {
  while (count > 0) {
    const int64_t row = pair / pairs.inner(), column = pair % pairs.inner();
    const int64_t o = row / pairs.half(), h = row % pairs.half();
    U* next = to + (o * pairs.size() + 2 * h) * pairs.inner() + column;
    const bool are_neighbours = pairs.inner() == 1;
    const int64_t run = std::min(count, are_neighbours ? pairs.half() - h : pairs.inner() - column);
    const bool lacks_last = 2 * (are_neighbours ? h + run : h + 1) > pairs.size();
    if (are_neighbours) {
      for (int64_t i = 0; i < run; ++i) next[2 * i] = first[i];
      for (int64_t i = 0; i < run - (lacks_last ? 1 : 0); ++i) next[2 * i + 1] = second[i];
    } else {
      std::copy_n(first, run, next);
      if (!lacks_last) std::copy_n(second, run, next + pairs.inner());
    }
    pair += run, count -= run, first += run, second += run;
  }
}

template <typename T>
absl::Status DrawNormals(Evaluation& e) {
  const MutableArrayRef& result = e.result();
  const NormalTiles<T> normals(reference::ParameterAs<T>(e.operand(0)),
                               reference::ParameterAs<T>(e.operand(1)));
  const ElementPairs pairs(result.dims);
  constexpr int64_t kMost = std::tuple_size_v<Tile<T>> / 2;
  constexpr int64_t kWords = 2 * sizeof(T) / sizeof(uint32_t);
  return ForEachTile(e, pairs.pair_count() * kWords, [&](int64_t t, uint32_t* words) {
    const int64_t count = std::min(kMost, pairs.pair_count() - t * kMost);
    alignas(64) Tile<T> first, second, stored_first, stored_second;
    normals.Make(words, first.data(), second.data(), count);
    StoreNumbers(result.element_type, first.data(), count,
                 reinterpret_cast<std::byte*>(stored_first.data()));
    StoreNumbers(result.element_type, second.data(), count,
                 reinterpret_cast<std::byte*>(stored_second.data()));
    reference::DispatchElementSize(ElementByteSize(result.element_type), [&]<typename U>() {
      StorePairs(pairs, t * kMost, count, reinterpret_cast<const U*>(stored_first.data()),
                 reinterpret_cast<const U*>(stored_second.data()),
                 reinterpret_cast<U*>(result.bytes));
    });
  });
}

absl::Status RunRandomNumbers(Evaluation& e) {
  if (absl::Status status = reference::CheckDraw(e); !status.ok()) return status;
  const ElementType type = e.result().element_type;
  const bool is_wide = type == ElementType::kF64;
  if (e.Get<Attr::kDistribution>() == RandomDistribution::kNormal) {
    return is_wide ? DrawNormals<double>(e) : DrawNormals<float>(e);
  }
  if (!IsFloat(type)) return DrawWholeNumbers(e);
  return is_wide ? DrawUniforms<double>(e) : DrawUniforms<float>(e);
}

}  // namespace

const Kernel* FindRandomNumbersKernel(const OpView& op) {
  if (op.written_shape()->HasDynamicDim()) return nullptr;
  static constexpr Kernel kKernel = {.run = RunRandomNumbers};
  return &kKernel;
}

}  // namespace hlo::simd

// rng-bit-generator (semantics.md 12.3): the same words as the reference kernel's, from blocks that
// are made many at once.
#include "interp/simd/random/random_bits.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "interp/kernel/device.h"
#include "interp/reference/eval.h"
#include "interp/reference/random.h"
#include "interp/reference/random_words.h"
#include "interp/reference/strided.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/random/random_blocks.h"
#include "support/checked_math.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

using reference::ElementPairs;

constexpr int64_t kPartWords = 32 * 1024;

// `count` pairs from `counter` on, side by side.
void StoreNeighbours(uint64_t key, uint64_t counter, int64_t count, uint32_t* to, bool streams) {
  constexpr int64_t kByteSize = 2 * kRandomBlocks * sizeof(uint32_t);
  alignas(64) uint32_t words[2 * kRandomBlocks];
  const int64_t whole = count / kRandomBlocks * kRandomBlocks;
  for (int64_t done = 0; done < count; done += kRandomBlocks) {
    uint32_t* next = to + 2 * done;
    const uint64_t own = counter + static_cast<uint64_t>(done);
    if (done < whole && !streams) {
      GetRandomBlocks().threefry_pairs(key, own, next);
      continue;
    }
    GetRandomBlocks().threefry_pairs(key, own, words);
    const int64_t size = std::min<int64_t>(kByteSize, (count - done) * 2 * sizeof(uint32_t));
    StreamCopy(reinterpret_cast<std::byte*>(next), reinterpret_cast<const std::byte*>(words),
               static_cast<size_t>(size));
  }
  FinishStreams();
}

// `count` pairs from `counter` on: their first words to `first`, their second ones to `second`;
// none is written to a null pointer.
void StorePairs(uint64_t key, uint64_t counter, int64_t count, uint32_t* first, uint32_t* second) {
  alignas(64) uint32_t words[2][kRandomBlocks];
  for (int64_t done = 0; done < count; done += kRandomBlocks) {
    GetRandomBlocks().threefry(key, counter + static_cast<uint64_t>(done), words);
    const int64_t blocks = std::min(kRandomBlocks, count - done);
    const auto size = static_cast<size_t>(blocks) * sizeof(uint32_t);
    std::memcpy(first + done, words[0], size);
    if (second != nullptr) std::memcpy(second + done, words[1], size);
  }
}

absl::Status StoreThreefry(const DeviceContext& device, uint64_t key, uint64_t counter,
                           const ElementPairs& pairs, uint32_t* words) {
  // Rows of pairs whose first words lie side by side, as the second ones do; pairs of neighbours
  // are one row, but for the last of each, which may lack its second word.
  const int64_t inner = pairs.inner();
  const int64_t row_count = inner == 1 ? pairs.outer() : pairs.outer() * pairs.half();
  const int64_t row_pairs = inner == 1 ? pairs.half() : inner;
  const int64_t part_pairs = std::min(row_pairs, kPartWords / 2);
  const int64_t row_parts =
      std::max<int64_t>(1, CeilDiv(row_pairs, std::max<int64_t>(1, part_pairs)));
  const int64_t rows = std::max<int64_t>(1, kPartWords / 2 / std::max<int64_t>(1, row_pairs));
  const bool streams = pairs.pair_count() >= kStreamedSize / int64_t{2 * sizeof(uint32_t)};
  return ForEachPart(device, CeilDiv(row_count, rows) * row_parts, [&](int64_t part) {
    const int64_t begin = part % row_parts * part_pairs;
    const int64_t count = std::min(part_pairs, row_pairs - begin);
    const int64_t first_row = part / row_parts * rows;
    for (int64_t row = first_row; row < std::min(row_count, first_row + rows); ++row) {
      const uint64_t own = counter + static_cast<uint64_t>(row * row_pairs + begin);
      if (inner == 1) {
        uint32_t* first = words + row * pairs.size() + 2 * begin;
        const bool lacks_last = 2 * (begin + count) > pairs.size();
        const int64_t whole = lacks_last ? count - 1 : count;
        StoreNeighbours(key, own, whole, first, streams);
        if (lacks_last) {
          StorePairs(key, own + static_cast<uint64_t>(whole), 1, first + 2 * whole, nullptr);
        }
      } else {
        const int64_t o = row / pairs.half(), h = row % pairs.half();
        uint32_t* first = words + (o * pairs.size() + 2 * h) * inner + begin;
        StorePairs(key, own, count, first, 2 * h + 1 < pairs.size() ? first + inner : nullptr);
      }
    }
  });
}

absl::Status StorePhilox(const DeviceContext& device, uint64_t key, unsigned __int128 counter,
                         int64_t word_count, uint32_t* words) {
  return ForEachPart(device, CeilDiv(word_count, kPartWords), [&](int64_t part) {
    const int64_t end = std::min(word_count, (part + 1) * kPartWords);
    for (int64_t at = part * kPartWords; at < end; at += 4 * kRandomBlocks) {
      const unsigned __int128 own = counter + static_cast<unsigned __int128>(at / 4);
      const int64_t count = std::min(4 * kRandomBlocks, end - at);
      if (count == 4 * kRandomBlocks) {
        GetRandomBlocks().philox(key, own, words + at);
      } else {
        alignas(64) uint32_t last[4 * kRandomBlocks];
        GetRandomBlocks().philox(key, own, last);
        std::copy_n(last, count, words + at);
      }
    }
  });
}

// The words of all elements, from the counter on that is in the state, which moves behind them.
absl::Status StoreWords(Evaluation& e, std::span<uint64_t> state, uint32_t* words) {
  const MutableArrayRef& bits = e.results().back();
  const uint64_t key = state[0];
  const int64_t word_count = reference::WordCount(bits);
  if (e.Get<Attr::kRandomAlgorithm>() == RandomAlgorithm::kThreeFry) {
    Index dims(bits.dims.begin(), bits.dims.end());
    if (reference::WordsPerElement(bits.element_type) == 2) dims = {word_count};
    const ElementPairs pairs(reference::AsSpan(dims));
    const uint64_t counter = state[1];
    state[1] += static_cast<uint64_t>(pairs.pair_count());
    return StoreThreefry(e.device(), key, counter, pairs, words);
  }
  // In the form of two words the key doubles as high word of the counter.
  const uint64_t high = state.size() == 3 ? state[2] : key;
  const unsigned __int128 counter = (static_cast<unsigned __int128>(high) << 64) | state[1];
  const auto next = counter + static_cast<unsigned __int128>((word_count + 3) / 4);
  state[1] = static_cast<uint64_t>(next);
  if (state.size() == 3) state[2] = static_cast<uint64_t>(next >> 64);
  return StorePhilox(e.device(), key, counter, word_count, words);
}

// Elements that are parts of words.
absl::Status StoreParts(Evaluation& e, std::span<uint64_t> state) {
  const MutableArrayRef& bits = e.results().back();
  const int64_t count = bits.element_count();
  const ScratchArray<uint32_t> words(e.device().scratch(), count);
  const absl::Status status = StoreWords(e, state, words.get());
  if (!status.ok()) return status;
  const int64_t width = BitWidth(bits.element_type);
  const TileLoop cut = width == 8 || width == 16
                           ? GetBlockKernels().convert(ElementType::kU32, *UnsignedTypeOf(width))
                           : nullptr;
  return ForEachPart(e.device(), CeilDiv(count, kPartWords), [&](int64_t part) {
    const int64_t begin = part * kPartWords, size = std::min(kPartWords, count - begin);
    const MutableArrayRef own = {
        bits.element_type, {&size, 1}, bits.bytes + begin * ElementByteSize(bits.element_type)};
    if (cut != nullptr) return cut(words.get() + begin, nullptr, nullptr, own.bytes, size);
    reference::StoreBits({words.get() + begin, static_cast<size_t>(size)}, own);
  });
}

bool HasWholeWords(ElementType type) { return BitWidth(type) == 32 || BitWidth(type) == 64; }

const Shape& BitsOf(const OpView& op) {
  const Shape& result = *op.written_shape();
  return result.IsTuple() ? result.element(result.element_count() - 1) : result;
}

int64_t ScratchByteSize(const OpView& op) {
  const Shape& bits = BitsOf(op);
  if (HasWholeWords(bits.element_type())) return 0;
  constexpr int64_t kMost = INT64_MAX / int64_t{sizeof(uint32_t)};
  return std::min(ElementCount(bits).value_or(kMost), kMost) * int64_t{sizeof(uint32_t)};
}

absl::Status RunRandomBits(Evaluation& e) {
  const ArrayRef& state = e.operand(0);
  const MutableArrayRef& bits = e.results().back();
  const auto size = static_cast<size_t>(state.element_count());
  const bool is_threefry = e.Get<Attr::kRandomAlgorithm>() == RandomAlgorithm::kThreeFry;
  if (state.element_type != ElementType::kU64 || size < 2 || size > (is_threefry ? 2 : 3)) {
    // Which says what is wrong.
    return e.RunInstead(reference::FindKernel(Opcode::kRngBitGenerator));
  }
  uint64_t after[3];
  std::memcpy(after, state.bytes, size * sizeof(uint64_t));
  const std::span<uint64_t> moved(after, size);
  const absl::Status status = HasWholeWords(bits.element_type)
                                  ? StoreWords(e, moved, reinterpret_cast<uint32_t*>(bits.bytes))
                                  : StoreParts(e, moved);
  if (e.results().size() == 2) std::memcpy(e.result(0).bytes, after, size * sizeof(uint64_t));
  return status;
}

}  // namespace

const Kernel* FindRandomBitsKernel(const OpView& op) {
  const Shape& bits = BitsOf(op);
  const bool are_bits =
      bits.IsArray() && (IsInteger(bits.element_type()) || IsFloat(bits.element_type()));
  if (!are_bits || bits.HasDynamicDim()) return nullptr;
  static constexpr Kernel kKernel = {.run = RunRandomBits, .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

// A few thousand are brought into the order of their low bytes in an array on the stack, and from
// there into that of their high bytes. More of them are moved in place to where those with their
// high byte belong, each to where the one is that is in its way; then they differ in their low byte
// alone, and are written anew from how many there are of each.
//
// Highway's sort divides vectors by compressing them, which is an instruction of AVX-512; for 16
// bits there is nothing like it before.
#include "interp/simd/sort/byte_sort.h"

#include <algorithm>
#include <array>
#include <utility>

#include "interp/simd/instruction_set.h"

namespace hlo::simd {
namespace {

constexpr size_t kShort = 8192;

constexpr size_t kBytes = 256;
using PerByte = std::array<size_t, kBytes>;

size_t LowByte(uint16_t integer) { return integer % kBytes; }
size_t HighByte(uint16_t integer) { return integer / kBytes; }

// How many there are of each becomes where these begin.
void BecomeBegins(PerByte& counts) {
  size_t begin = 0;
  for (size_t& count : counts) begin += std::exchange(count, begin);
}

void SortShort(std::span<uint16_t> integers) {
  PerByte low = {}, high = {};
  for (uint16_t integer : integers) {
    ++low[LowByte(integer)];
    ++high[HighByte(integer)];
  }
  BecomeBegins(low);
  BecomeBegins(high);
  std::array<uint16_t, kShort> by_low;
  for (uint16_t integer : integers) by_low[low[LowByte(integer)]++] = integer;
  for (uint16_t integer : std::span(by_low).first(integers.size())) {
    integers[high[HighByte(integer)]++] = integer;
  }
}

// Orders them by their high bytes. Returns how many there are of each.
PerByte MoveByHighByte(std::span<uint16_t> integers) {
  PerByte counts = {};
  for (uint16_t integer : integers) ++counts[HighByte(integer)];
  PerByte places = counts;
  BecomeBegins(places);
  size_t end = 0;
  for (size_t byte = 0; byte < kBytes; ++byte) {
    end += counts[byte];
    while (places[byte] != end) {
      uint16_t moved = integers[places[byte]];
      for (size_t own = HighByte(moved); own != byte; own = HighByte(moved)) {
        std::swap(moved, integers[places[own]++]);
      }
      integers[places[byte]++] = moved;
    }
  }
  return counts;
}

// Those that have the same high byte.
void SortByLowByte(std::span<uint16_t> integers) {
  PerByte counts = {};
  for (uint16_t integer : integers) ++counts[LowByte(integer)];
  const size_t high = integers.front() - LowByte(integers.front());
  auto to = integers.begin();
  for (size_t byte = 0; byte < kBytes; ++byte) {
    to = std::fill_n(to, counts[byte], static_cast<uint16_t>(high + byte));
  }
}

}  // namespace

void SortByBytes(std::span<uint16_t> integers) {
  if (integers.size() <= kShort) return SortShort(integers);
  size_t begin = 0;
  for (size_t count : MoveByHighByte(integers)) {
    if (count > 0) SortByLowByte(integers.subspan(begin, count));
    begin += count;
  }
}

bool IsByteSortFaster() {
  static const bool is_faster = !HasAvx512();
  return is_faster;
}

}  // namespace hlo::simd

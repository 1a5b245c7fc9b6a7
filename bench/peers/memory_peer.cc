// What memory allows, as a peer: loops that read and write as many bytes as a program has inputs
// and outputs, and do nothing else.
//   memory_peer copy BYTES THREADS    memcpy
//   memory_peer read BYTES THREADS    a sum of 64-bit words
//   memory_peer write BYTES THREADS   memset
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "bench/peers/timed_loop.h"

namespace {

// Large pages where there are some, as the program's arrays have.
char* Allocate(size_t byte_size) {
  constexpr size_t kPage = size_t{1} << 21;
  const size_t rounded = (byte_size + kPage - 1) / kPage * kPage;
  char* memory = static_cast<char*>(std::aligned_alloc(kPage, rounded));
  madvise(memory, rounded, MADV_HUGEPAGE);
  std::memset(memory, 1, rounded);
  return memory;
}

// Calls part(begin, size) for the share of each thread, whole cache lines.
template <typename Part>
void Split(size_t byte_size, int threads, Part&& part) {
  const size_t share = (byte_size / threads + 63) / 64 * 64;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; ++i) {
    const size_t begin = std::min(byte_size, i * share);
    part(begin, std::min(share, byte_size - begin));
  }
}

uint64_t Sum(const char* memory, size_t byte_size) {
  const auto* words = reinterpret_cast<const uint64_t*>(memory);
  uint64_t sum = 0;
  for (size_t i = 0; i < byte_size / sizeof(uint64_t); ++i) sum += words[i];
  return sum;
}

int Serve(const std::string& kind, size_t byte_size, int threads) {
  char* from = Allocate(byte_size);
  char* to = kind == "copy" ? Allocate(byte_size) : from;
  volatile uint64_t sink = 0;
  return hlo::bench::ServeTimes([&] {
    Split(byte_size, threads, [&](size_t begin, size_t size) {
      if (kind == "copy") {
        std::memcpy(to + begin, from + begin, size);
      } else if (kind == "write") {
        std::memset(to + begin, 2, size);
      } else {
        sink = Sum(from + begin, size);
      }
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 4 ? argv[1] : "";
  if (kind != "copy" && kind != "read" && kind != "write") {
    std::cerr << "usage: memory_peer copy|read|write BYTES THREADS\n";
    return 2;
  }
  return Serve(kind, std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]));
}

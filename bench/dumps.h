// The large dumps of the shared corpus, for benchmarks.
#ifndef HLOKIT_BENCH_DUMPS_H_
#define HLOKIT_BENCH_DUMPS_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/source.h"

namespace hlo::bench {

using Source = std::shared_ptr<const SourceText>;

// The texts of at least two megabytes, by name; none, which is said, without the corpus.
inline std::vector<Source> ReadDumps() {
  constexpr uintmax_t kLeastFileByteSize = uintmax_t{1} << 21;
  const std::filesystem::path models =
      std::filesystem::path(HLOKIT_SOURCE_DIR) / ".." / "shared" / "corpus" / "models";
  std::vector<Source> sources;
  if (!std::filesystem::is_directory(models)) {
    std::cerr << "no corpus at " << models << ": nothing to measure\n";
    return sources;
  }
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.file_size() < kLeastFileByteSize) continue;
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    sources.push_back(
        std::make_shared<SourceText>(entry.path().stem().string(), std::move(text).str()));
  }
  std::ranges::sort(sources, {}, [](const Source& source) { return source->name(); });
  return sources;
}

}  // namespace hlo::bench

#endif  // HLOKIT_BENCH_DUMPS_H_

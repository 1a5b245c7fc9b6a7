// What is widened stays in the caches of the processor that reduces it. An array that was widened
// as a whole would have to be read again, in part from another processor's caches.
#include "interp/simd/reduce/narrow_windows.h"

#include <algorithm>

#include "interp/reference/scratch.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kSize = sizeof(float);              // of an element in a tile
constexpr int64_t kBandByteSize = int64_t{64} << 10;  // of input rows, about
constexpr int64_t kPartWork = int64_t{1} << 15;       // elements: some 5 us
constexpr int64_t kMostElements = int64_t{1} << 20;   // that a part widens at a time

}  // namespace

// Result rows [first, end) of a line, and the input rows [in_first, in_end) under their windows.
struct NarrowWindows::Band {
  int64_t line, first, end;
  int64_t in_first = 0, in_end = 0;
};

struct NarrowWindows::Job {
  const WindowCombination& combination;
  const WindowStarts& starts;
  TileLoop widen, narrow;
  int64_t size;  // of an element
  const std::byte* from;
  std::byte* to;
};

std::optional<NarrowWindows> NarrowWindows::Make(std::span<const WindowPass> passes) {
  if (passes.empty() || passes.size() > 2) return std::nullopt;
  const auto is_long = [](const WindowPass& pass) {
    return std::max(pass.in(), pass.out()) > kMostPlaces;
  };
  if (std::ranges::any_of(passes, is_long)) return std::nullopt;
  NarrowWindows made;
  const WindowPass& first = passes[0];
  if (first.inner() > 1) made.rows_ = &first;
  if (first.inner() == 1 || passes.size() == 2) made.elements_ = &passes.back();
  if (passes.size() == 2 && (made.rows_ == nullptr || !first.HasRowsOf(passes[1]))) {
    return std::nullopt;
  }
  if (made.rows_ != nullptr && first.MakesFromNeighbours()) return std::nullopt;
  if (first.result_count() == 0 || passes.back().result_count() == 0) return std::nullopt;
  made.line_count_ = made.rows_ != nullptr ? first.outer() : 1;
  made.line_rows_ = made.rows_ != nullptr ? first.out() : first.outer();
  made.in_row_ = made.rows_ != nullptr ? first.inner() : first.in();
  made.out_row_ =
      made.elements_ != nullptr ? made.elements_->out() * made.elements_->inner() : made.in_row_;
  if (made.in_row_ == 0) return std::nullopt;  // windows that lie on padding alone
  made.ChooseBands();
  // Longer rows are cut where their elements are independent (window_pass.cc).
  const bool fits = std::max(made.most_in_rows_ * made.in_row_, made.out_row_) <= kMostElements;
  return fits ? std::optional(made) : std::nullopt;
}

void NarrowWindows::ChooseBands() {
  const int64_t in_rows = rows_ != nullptr ? rows_->in() : line_rows_;
  const int64_t rows = std::max<int64_t>(1, kBandByteSize / kSize / in_row_);
  band_rows_ =
      std::clamp<int64_t>(rows * line_rows_ / std::max<int64_t>(1, in_rows), 1, line_rows_);
  bands_of_line_ = CeilDiv(line_rows_, band_rows_);
  if (rows_ == nullptr) most_in_rows_ = band_rows_;
  for (int64_t b = 0; rows_ != nullptr && b < bands_of_line_; ++b) {
    const Band band = BandAt(b);
    most_in_rows_ = std::max(most_in_rows_, band.in_end - band.in_first);
  }
  const int64_t band_work = most_in_rows_ * in_row_;
  bands_of_part_ = std::clamp<int64_t>(kPartWork / band_work, 1, line_count_ * bands_of_line_);
}

NarrowWindows::Band NarrowWindows::BandAt(int64_t index) const {
  Band band = {index / bands_of_line_, index % bands_of_line_ * band_rows_, 0};
  band.end = std::min(line_rows_, band.first + band_rows_);
  if (rows_ == nullptr) {
    band.in_first = band.first;
    band.in_end = band.end;
    return band;
  }
  band.in_first = rows_->in();
  for (int64_t row = band.first; row < band.end; ++row) {
    const reference::WindowRun run = rows_->run(row);
    if (run.count == 0) continue;
    const int64_t last = run.base_first + (run.count - 1) * run.base_step;
    band.in_first = std::min({band.in_first, run.base_first, last});
    band.in_end = std::max({band.in_end, run.base_first + 1, last + 1});
  }
  band.in_first = std::min(band.in_first, band.in_end);
  return band;
}

// Input rows of a band, a row that is reduced to one, and the results of a row.
int64_t NarrowWindows::PartByteSize() const {
  return Aligned(most_in_rows_ * in_row_ * kSize) + Aligned(in_row_ * kSize) +
         Aligned(out_row_ * kSize);
}

int64_t NarrowWindows::ScratchByteSize() const {
  return PartsAtOnce(CeilDiv(line_count_ * bands_of_line_, bands_of_part_)) * PartByteSize();
}

absl::Status NarrowWindows::Run(const DeviceContext& device, const WindowCombination& combination,
                                ElementType type, const std::byte* from, const WindowStarts& starts,
                                std::byte* to) const {
  const BlockKernels& kernels = GetBlockKernels();
  const Job job = {
      combination, starts, kernels.widen(type), kernels.narrow(type), ElementByteSize(type),
      from,        to};
  const int64_t band_count = line_count_ * bands_of_line_;
  return ForEachPart(device, CeilDiv(band_count, bands_of_part_), [&](int64_t part) {
    const ScratchArray<std::byte> memory(device.scratch(), PartByteSize());
    const int64_t end = std::min(band_count, (part + 1) * bands_of_part_);
    for (int64_t band = part * bands_of_part_; band < end; ++band) {
      RunBand(job, BandAt(band), memory.get());
    }
  });
}

void NarrowWindows::RunBand(const Job& job, const Band& band, std::byte* memory) const {
  std::byte* const row = memory + Aligned(most_in_rows_ * in_row_ * kSize);
  std::byte* const made = row + Aligned(in_row_ * kSize);
  const int64_t in_rows = rows_ != nullptr ? rows_->in() : line_rows_;
  job.widen(job.from + (band.line * in_rows + band.in_first) * in_row_ * job.size, nullptr, nullptr,
            memory, (band.in_end - band.in_first) * in_row_);
  const size_t pass_count = rows_ != nullptr && elements_ != nullptr ? 2 : 1;
  const WindowPass::Line line = {memory, nullptr, in_row_, band.in_first};
  for (int64_t r = band.first; r < band.end; ++r) {
    const std::byte* reduced = memory + (r - band.in_first) * in_row_ * kSize;
    if (rows_ != nullptr) {
      rows_->ReduceRow(job.combination, line, job.starts.Of(0, pass_count), r, row);
      reduced = row;
    }
    if (elements_ != nullptr) {
      elements_->RunLine(job.combination, {reduced, made, elements_->inner()},
                         job.starts.Of(pass_count - 1, pass_count));
      reduced = made;
    }
    job.narrow(reduced, nullptr, nullptr,
               job.to + (band.line * line_rows_ + r) * out_row_ * job.size, out_row_);
  }
}

}  // namespace hlo::simd

// The function takes an element of each of many lines at a time (function_fold.h), and what it
// returns are results: as many steps as a line has elements, where windows one by one take half
// their square. The order is the definition's.
#include "interp/simd/reduce/cumulative_function.h"

#include <algorithm>
#include <utility>

#include "interp/kernel/device.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/simd/base/parallel.h"
#include "ir/index_space.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kCheckEvery = 256;             // steps
constexpr int64_t kPartSize = int64_t{1} << 14;  // elements that are worth a part of their own

class CumulativeFunction final : public FoldProgram {
 public:
  CumulativeFunction(FunctionFold fold, std::span<const int64_t> dims, size_t dimension)
      : FoldProgram(std::move(fold)),
        length_(dims[dimension]),
        inner_(CountElements(dims.subspan(dimension + 1))),
        line_count_(CountElements(dims.first(dimension)) * inner_) {}

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override {
    return fold_.ScratchByteSize() +
           fold_.TilesAtOnce() * FunctionFold::kMaxTile * int64_t{sizeof(int64_t)};
  }

  absl::Status Run(Evaluation& e) const;

 private:
  // Where the first element of a line lies; the next is `inner_` behind it.
  int64_t FirstOf(int64_t line) const { return line / inner_ * length_ * inner_ + line % inner_; }
  void MakeLines(const DeviceContext& device, const FoldOffsets& firsts, FoldTile& tile) const;

  int64_t length_, inner_;
  int64_t line_count_;
};

absl::Status RunCumulativeFunction(Evaluation& e) {
  return static_cast<const CumulativeFunction*>(e.program())->Run(e);
}

const Kernel& CumulativeFunction::kernel() const {
  static constexpr Kernel kKernel = {.run = RunCumulativeFunction};
  return kKernel;
}

void CumulativeFunction::MakeLines(const DeviceContext& device, const FoldOffsets& firsts,
                                   FoldTile& tile) const {
  for (int64_t i = 0; i < length_ && !device.is_interrupted(); i += kCheckEvery) {
    tile.MakeLine(i * inner_, inner_, std::min(kCheckEvery, length_ - i), firsts);
  }
}

absl::Status CumulativeFunction::Run(Evaluation& e) const {
  const int64_t tile_size = FunctionFold::TileSize(line_count_, ThreadCount(e.device()));
  const int64_t tile_count = CeilDiv(line_count_, tile_size);
  const double work = static_cast<double>(length_) * static_cast<double>(tile_size);
  const auto tiles_in_part = static_cast<int64_t>(std::clamp(kPartSize / work, 1.0, 1e6));
  return ForEachPart(e.device(), CeilDiv(tile_count, tiles_in_part), [&](int64_t part) {
    FoldTile tile(fold_, e);
    const ScratchArray<int64_t> firsts(e.device().scratch(), FunctionFold::kMaxTile);
    const int64_t end = std::min(tile_count, (part + 1) * tiles_in_part);
    for (int64_t t = part * tiles_in_part; t < end && !e.device().is_interrupted(); ++t) {
      const int64_t begin = t * tile_size, size = std::min(tile_size, line_count_ - begin);
      for (int64_t k = 0; k < size; ++k) firsts.get()[k] = FirstOf(begin + k);
      tile.Start(size);
      MakeLines(e.device(), FoldOffsets({firsts.get(), static_cast<size_t>(size)}), tile);
    }
  });
}

}  // namespace

std::shared_ptr<const FoldProgram> MakeCumulativeFunction(FunctionFold fold,
                                                          std::span<const int64_t> dims,
                                                          int64_t dimension) {
  return std::make_shared<CumulativeFunction>(std::move(fold), dims,
                                              static_cast<size_t>(dimension));
}

}  // namespace hlo::simd

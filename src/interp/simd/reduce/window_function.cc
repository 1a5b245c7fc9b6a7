// Neighbouring results take the elements at one position of their windows together
// (function_fold.h), position after position in the order of the definition (window_tile.h).
#include "interp/simd/reduce/window_function.h"

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/cumulative.h"
#include "interp/simd/reduce/cumulative_function.h"
#include "interp/simd/reduce/window_tile.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kCheckEvery = 256;             // elements of each result
constexpr int64_t kPartSize = int64_t{1} << 14;  // elements that are worth a part of their own

static_assert(FunctionFold::kMaxTile <= WindowTile::kMaxSize);

class FunctionWindows final : public FoldProgram {
 public:
  FunctionWindows(FunctionFold fold, size_t dimension_count)
      : FoldProgram(std::move(fold)), dimension_count_(dimension_count) {}

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override {
    return fold_.ScratchByteSize() +
           fold_.TilesAtOnce() * WindowTile::ScratchByteSize(dimension_count_);
  }

  absl::Status Run(Evaluation& e) const;

 private:
  size_t dimension_count_;  // that have a window
};

struct Grid : WindowGrid {
  explicit Grid(const Evaluation& e)
      : WindowGrid(e.Get<Attr::kWindow>(), e.operand(0).dims, e.result(0).dims) {}
};

void TakeAll(const DeviceContext& device, const WindowTile& windows, FoldTile& tile) {
  const FoldOffsets offsets(windows.firsts());
  int64_t until_check = kCheckEvery;
  windows.ForEachPosition([&](int64_t place, std::span<const uint8_t> covers) {
    if (covers.empty()) {
      tile.Take(place, offsets);
    } else {
      tile.TakeSome(place, offsets, covers);
    }
    if (--until_check > 0) return true;
    until_check = kCheckEvery;
    return !device.is_interrupted();
  });
}

absl::Status RunFunctionWindows(Evaluation& e) {
  return static_cast<const FunctionWindows*>(e.program())->Run(e);
}

const Kernel& FunctionWindows::kernel() const {
  static constexpr Kernel kKernel = {.run = RunFunctionWindows, .prepare = Prepare<Grid>};
  return kKernel;
}

absl::Status FunctionWindows::Run(Evaluation& e) const {
  const WindowGrid& grid = PreparedOf<Grid>(e);
  const int64_t count = fold_.result_count();
  // Which tiles there are makes no difference to a result.
  const int64_t tile_size = FunctionFold::TileSize(count, ThreadCount(e.device()));
  const int64_t tile_count = CeilDiv(count, tile_size);
  const double work = grid.most_covered() * static_cast<double>(tile_size);
  const auto tiles_in_part = static_cast<int64_t>(std::clamp(kPartSize / work, 1.0, 1e6));
  return ForEachPart(e.device(), CeilDiv(tile_count, tiles_in_part), [&](int64_t part) {
    WindowTile windows(grid, e.device().scratch());
    FoldTile tile(fold_, e);
    const int64_t end = std::min(tile_count, (part + 1) * tiles_in_part);
    for (int64_t t = part * tiles_in_part; t < end && !e.device().is_interrupted(); ++t) {
      const int64_t begin = t * tile_size, size = std::min(tile_size, count - begin);
      windows.SetTo(begin, size);
      tile.Start(size);
      TakeAll(e.device(), windows, tile);
      tile.Store(begin);
    }
  });
}

}  // namespace

std::shared_ptr<const FoldProgram> MakeFunctionWindows(const Plan& plan, const Step& step) {
  if (!CallsFunctions(plan, step, Opcode::kReduceWindow, 1)) return nullptr;
  const OpView op(*plan.module, plan.instruction(step));
  const Shape& input = *plan.slot(step.operands[0]).shape;
  const Shape& result = *plan.slot(step.results[0]).shape;
  const Window window = op.Get<Attr::kWindow>();
  if (!WindowGrid::Suits(window, input.dims(), result.dims(), /*allows_holes=*/true)) {
    return nullptr;
  }
  for (size_t k = 1; k < step.results.size(); ++k) {
    if (!std::ranges::equal(plan.slot(step.operands[k]).shape->dims(), input.dims())) {
      return nullptr;
    }
  }
  std::optional<FunctionFold> fold = FunctionFold::Make(plan, step, /*has_lines=*/false);
  if (!fold) return nullptr;
  // Of few results each call makes all (FunctionFold::Make), and would read as many elements where
  // a line's step has fewer.
  const std::optional<int64_t> dimension = CumulativeDimension(window, input.dims());
  if (dimension && fold->result_count() >= FunctionFold::kMinTile) {
    return MakeCumulativeFunction(*std::move(fold), input.dims(), *dimension);
  }
  const WindowGrid grid(window, input.dims(), result.dims());
  return std::make_shared<FunctionWindows>(*std::move(fold), grid.dimension_count());
}

}  // namespace hlo::simd

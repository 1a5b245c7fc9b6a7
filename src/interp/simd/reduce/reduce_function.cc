// Neighbouring results take their elements together (function_fold.h), one after the other in the
// order of the definition.
#include "interp/simd/reduce/reduce_function.h"

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/reduce_loops.h"
#include "interp/simd/base/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kCheckEvery = 256;  // elements of each result

class FunctionReduce final : public FoldProgram {
 public:
  using FoldProgram::FoldProgram;

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override {
    const int64_t offsets = FunctionFold::kMaxTile * int64_t{sizeof(int64_t)};
    return fold_.ScratchByteSize() + fold_.TilesAtOnce() * offsets;
  }

  absl::Status Run(Evaluation& e) const;
};

// Where the first elements of results `begin` and behind lie.
void FindOffsets(const reference::ReduceLoops& loops, int64_t begin, std::span<int64_t> offsets) {
  const Index &dims = loops.kept_dims, &strides = loops.kept_strides;
  Index at(dims.size());
  int64_t rest = begin, offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    at[d] = rest % dims[d];
    rest /= dims[d];
    offset += at[d] * strides[d];
  }
  for (int64_t& first : offsets) {
    first = offset;
    for (size_t d = dims.size(); d-- > 0;) {
      offset += strides[d];
      if (++at[d] < dims[d]) break;
      offset -= strides[d] * dims[d];
      at[d] = 0;
    }
  }
}

// What lies equally far apart, along the innermost dimensions, is a line.
void TakeAll(const DeviceContext& device, const reference::ReduceLoops& loops,
             const FoldOffsets& offsets, FoldTile& tile) {
  Index dims = loops.reduced_dims, strides = loops.reduced_strides;
  int64_t line = 1, stride = 1;
  if (!dims.empty()) {
    stride = strides.back();
    do {
      line *= dims.back();
      dims.pop_back();
      strides.pop_back();
    } while (!dims.empty() && strides.back() == line * stride);
  }
  int64_t until_check = kCheckEvery;
  bool is_running = true;
  reference::ForEachOffset(reference::AsSpan(dims), reference::AsSpan(strides), [&](int64_t place) {
    for (int64_t begin = 0; begin < line && is_running; begin += kCheckEvery) {
      const int64_t count = std::min(kCheckEvery, line - begin);
      tile.TakeLine(place + begin * stride, stride, count, offsets);
      until_check -= count;
      if (until_check > 0) continue;
      until_check = kCheckEvery;
      is_running = !device.is_interrupted();
    }
  });
}

absl::Status RunFunctionReduce(Evaluation& e) {
  return static_cast<const FunctionReduce*>(e.program())->Run(e);
}

const Kernel& FunctionReduce::kernel() const {
  static constexpr Kernel kKernel = {.run = RunFunctionReduce,
                                     .prepare = Prepare<reference::ReduceLoops>};
  return kKernel;
}

absl::Status FunctionReduce::Run(Evaluation& e) const {
  const auto& loops = PreparedOf<reference::ReduceLoops>(e);
  const int64_t count = fold_.result_count();
  // Which tiles there are makes no difference to a result.
  const int64_t tile_size = FunctionFold::TileSize(count, ThreadCount(e.device()));
  return ForEachPart(e.device(), CeilDiv(count, tile_size), [&](int64_t part) {
    const int64_t begin = part * tile_size, size = std::min(tile_size, count - begin);
    const ScratchArray<int64_t> offsets(e.device().scratch(), size);
    const std::span<int64_t> all(offsets.get(), static_cast<size_t>(size));
    FindOffsets(loops, begin, all);
    FoldTile tile(fold_, e);
    tile.Start(size);
    TakeAll(e.device(), loops, FoldOffsets(all), tile);
    tile.Store(begin);
  });
}

}  // namespace

std::shared_ptr<const FoldProgram> MakeFunctionReduce(const Plan& plan, const Step& step) {
  if (!CallsFunctions(plan, step, Opcode::kReduce, 1)) return nullptr;
  std::optional<FunctionFold> fold = FunctionFold::Make(plan, step, /*has_lines=*/true);
  return fold ? std::make_shared<FunctionReduce>(*std::move(fold)) : nullptr;
}

}  // namespace hlo::simd

// iota (semantics.md 6) in parts: numbers that go on from one element to the next, or one number
// for a run of elements.
#include "interp/simd/iota.h"

#include <algorithm>

#include "interp/kernel/array_view.h"
#include "interp/kernel/device.h"
#include "interp/simd/block_kernels.h"
#include "interp/simd/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements

// Elements [begin, end) of rows of `size` numbers, each of them `inner` times.
template <typename T>
void Fill(int64_t begin, int64_t end, int64_t size, int64_t inner, T* to) {
  int64_t number = begin / inner % size;
  int64_t skipped = begin % inner;
  while (begin < end) {
    if (inner == 1) {
      const int64_t count = std::min(size - number, end - begin);
      for (int64_t i = 0; i < count; ++i) to[begin + i] = static_cast<T>(number + i);
      begin += count;
      number = 0;
    } else {
      const int64_t count = std::min(inner - skipped, end - begin);
      std::fill_n(to + begin, count, static_cast<T>(number));
      begin += count;
      skipped = 0;
      number = number + 1 == size ? 0 : number + 1;
    }
  }
}

template <typename T>
absl::Status RunIota(Evaluation& e) {
  const MutableArrayRef& result = e.result();
  const auto dimension = static_cast<size_t>(e.Get<Attr::kIotaDimension>());
  int64_t inner = 1;
  for (size_t d = dimension + 1; d < result.dims.size(); ++d) inner *= result.dims[d];
  const int64_t count = result.element_count();
  T* const to = reinterpret_cast<T*>(result.bytes);
  return ForEachPart(e.device(), CeilDiv(count, kPartSize), [&](int64_t part) {
    Fill(part * kPartSize, std::min(count, (part + 1) * kPartSize), result.dims[dimension], inner,
         to);
  });
}

template <typename T>
constexpr Kernel kIotaKernel = {.run = RunIota<T>};

}  // namespace

const Kernel* FindIotaKernel(const OpView& op) {
  const Shape& shape = *op.written_shape();
  if (shape.HasDynamicDim() || shape.element_type() == ElementType::kPred) return nullptr;
  return ForTile(shape.element_type(),
                 []<typename T>() -> const Kernel* { return &kIotaKernel<T>; });
}

}  // namespace hlo::simd

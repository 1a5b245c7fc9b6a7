// iota (semantics.md 6) in parts: numbers that go on from one element to the next, or one number
// for a run of elements.
#include "interp/simd/movement/iota.h"

#include <algorithm>
#include <cstring>

#include "interp/kernel/array_view.h"
#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/count_elements.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements

// Elements [begin, end) of rows of `size` numbers, for which `to` has room.
void CountRows(ElementType type, int64_t begin, int64_t end, int64_t size, std::byte* to) {
  const int64_t element_size = ElementByteSize(type), count = end - begin;
  const int64_t first = begin % size;
  const int64_t up = std::min(size - first, count);
  CountElements(type, first, /*stride=*/1, up, to);
  int64_t done = std::min(size, count);
  CountElements(type, 0, /*stride=*/1, done - up, to + up * element_size);
  for (int64_t more = 0; done < count; done += more) {  // whole rows, but for the last ones
    more = std::min(done, count - done);
    std::memcpy(to + done * element_size, to, static_cast<size_t>(more * element_size));
  }
}

// The same where each number is there `inner` times; Bits are as large as elements.
template <typename Bits>
void CountRuns(ElementType type, int64_t begin, int64_t end, int64_t size, int64_t inner,
               std::byte* to) {
  constexpr int64_t kNumbers = 256;
  Bits numbers[kNumbers];
  Bits* elements = reinterpret_cast<Bits*>(to);
  int64_t skipped = begin % inner;
  for (int64_t run = begin / inner; begin < end;) {
    const int64_t first = run % size;
    const int64_t runs = std::min({kNumbers, size - first, CeilDiv(end - begin + skipped, inner)});
    CountElements(type, first, /*stride=*/1, runs, reinterpret_cast<std::byte*>(numbers));
    for (int64_t i = 0; i < runs; ++i) {
      const int64_t count = std::min(inner - skipped, end - begin);
      elements = std::fill_n(elements, count, numbers[i]);
      begin += count;
      skipped = 0;
    }
    run += runs;
  }
}

absl::Status RunIota(Evaluation& e) {
  const MutableArrayRef& result = e.result();
  const ElementType type = result.element_type;
  const auto dimension = static_cast<size_t>(e.Get<Attr::kIotaDimension>());
  const int64_t size = result.dims[dimension];
  int64_t inner = 1;
  for (size_t d = dimension + 1; d < result.dims.size(); ++d) inner *= result.dims[d];
  const int64_t count = result.element_count();
  return ForEachPart(e.device(), CeilDiv(count, kPartSize), [&](int64_t part) {
    const int64_t begin = part * kPartSize, end = std::min(count, begin + kPartSize);
    std::byte* const to = result.bytes + begin * ElementByteSize(type);
    if (inner == 1) return CountRows(type, begin, end, size, to);
    reference::DispatchElementSize(ElementByteSize(type), [&]<typename Bits>() {
      CountRuns<Bits>(type, begin, end, size, inner, to);
    });
  });
}

constexpr Kernel kIotaKernel = {.run = RunIota};

}  // namespace

const Kernel* FindIotaKernel(const OpView& op) {
  const Shape& shape = *op.written_shape();
  const bool is_fine = !shape.HasDynamicDim() && shape.element_type() != ElementType::kPred;
  return is_fine ? &kIotaKernel : nullptr;
}

}  // namespace hlo::simd

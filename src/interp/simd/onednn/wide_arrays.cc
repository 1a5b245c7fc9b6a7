// Conversions run on all threads, piece by piece: what is read and written stays in the caches for
// the part that comes next where arrays are small.
#include "interp/simd/onednn/wide_arrays.h"

#include <algorithm>

#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

constexpr int64_t kPiece = int64_t{1} << 14;  // elements: some 2 us

bool IsWide(ElementType type) { return type == ElementType::kF32; }

}  // namespace

int64_t WideByteSize(const Shape& shape) {
  return IsWide(shape.element_type())
             ? 0
             : Aligned(*ElementCount(shape) * static_cast<int64_t>(sizeof(float)));
}

absl::StatusOr<const std::byte*> Widened(const DeviceContext& device, const ArrayRef& array,
                                         std::byte* memory) {
  if (IsWide(array.element_type)) return array.bytes;
  const TileLoop widen = GetBlockKernels().widen(array.element_type);
  const int64_t count = array.element_count(), size = ElementByteSize(array.element_type);
  HLO_RETURN_IF_ERROR(ForEachPart(device, CeilDiv(count, kPiece), [&](int64_t piece) {
    const int64_t begin = piece * kPiece;
    widen(array.bytes + begin * size, nullptr, nullptr,
          memory + begin * static_cast<int64_t>(sizeof(float)), std::min(kPiece, count - begin));
  }));
  return memory;
}

WideResult::WideResult(const MutableArrayRef& result, std::byte* memory)
    : result_(result), bytes_(IsWide(result.element_type) ? result.bytes : memory) {}

void WideResult::Round(int64_t begin, int64_t end) const {
  if (IsWide(result_.element_type)) return;
  GetBlockKernels().narrow(result_.element_type)(
      bytes_ + begin * static_cast<int64_t>(sizeof(float)), nullptr, nullptr,
      result_.bytes + begin * ElementByteSize(result_.element_type), end - begin);
}

absl::Status WideResult::RoundAll(const DeviceContext& device) const {
  if (IsWide(result_.element_type)) return absl::OkStatus();
  const int64_t count = result_.element_count();
  return ForEachPart(device, CeilDiv(count, kPiece), [&](int64_t piece) {
    Round(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

}  // namespace hlo::simd::onednn

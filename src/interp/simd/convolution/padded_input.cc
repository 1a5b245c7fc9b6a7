// Lines of the innermost dimension that changes are filled one by one; where they lie in the others
// says whether they have elements.
#include "interp/simd/convolution/padded_input.h"

#include <algorithm>
#include <complex>

#include "interp/reference/strided_copy.h"
#include "interp/simd/base/parallel.h"
#include "ir/index_space.h"
#include "support/checked_math.h"

namespace hlo::simd {

using reference::DenseStrides;

std::pair<int64_t, int64_t> PresentElements(const PaddedDimension& dimension) {
  const int64_t first = dimension.low >= 0 ? 0 : CeilDiv(-dimension.low, dimension.dilation);
  const int64_t positions = dimension.size - dimension.low;
  const int64_t last =
      positions <= 0 ? 0 : std::min(dimension.input_size, CeilDiv(positions, dimension.dilation));
  return {first, std::max(first, last)};
}

int64_t PaddedCount(std::span<const PaddedDimension> padded) {
  double count = 1;
  for (const PaddedDimension& dimension : padded) count *= static_cast<double>(dimension.size);
  return static_cast<int64_t>(std::min(count, 0x1p50));
}

template <typename T>
absl::StatusOr<ScratchArray<T>> PadInput(const DeviceContext& device,
                                         std::span<const PaddedDimension> padded, const T* input) {
  const size_t rank = padded.size();
  Index input_sizes;
  for (const PaddedDimension& dimension : padded) input_sizes.push_back(dimension.input_size);
  const Index from_strides = DenseStrides(input_sizes);
  // Dimensions behind the last one that changes move as one.
  size_t inner = rank - 1;
  int64_t run = 1;
  while (inner > 0 && padded[inner].IsInside() && padded[inner].size == padded[inner].input_size) {
    run *= padded[inner--].size;
  }
  const int64_t count = PaddedCount(padded);
  ScratchArray<T> storage(device.scratch(), count);
  T* to = storage.get();
  // One part is some positions of all dimensions but the innermost that changes.
  const int64_t line = padded[inner].size * run;
  const int64_t line_count = line == 0 ? 0 : count / line;
  const int64_t lines = std::max<int64_t>(1, (int64_t{1} << 16) / std::max<int64_t>(1, line));
  const auto [first, last] = PresentElements(padded[inner]);
  const auto fill_line = [&, first = first, last = last](int64_t number) {
    T* target = to + number * line;
    std::fill_n(target, line, T{});
    const T* source = input;
    for (size_t d = inner; d-- > 0;) {
      const int64_t position = number % padded[d].size - padded[d].low;
      number /= padded[d].size;
      if (position < 0 || position % padded[d].dilation != 0) return;
      const int64_t q = position / padded[d].dilation;
      if (q >= padded[d].input_size) return;
      source += q * from_strides[d];
    }
    const int64_t dilation = padded[inner].dilation;
    if (dilation == 1) {
      std::copy_n(source + first * run, (last - first) * run,
                  target + (first + padded[inner].low) * run);
      return;
    }
    for (int64_t q = first; q < last; ++q) {
      std::copy_n(source + q * run, run, target + (q * dilation + padded[inner].low) * run);
    }
  };
  const absl::Status status = ForEachPart(device, CeilDiv(line_count, lines), [&](int64_t part) {
    const int64_t end = std::min(line_count, (part + 1) * lines);
    for (int64_t number = part * lines; number < end; ++number) fill_line(number);
  });
  if (!status.ok()) return status;
  return storage;
}

#define HLO_PAD_INPUT(T)                                                  \
  template absl::StatusOr<ScratchArray<T>> PadInput(const DeviceContext&, \
                                                    std::span<const PaddedDimension>, const T*);
HLO_PAD_INPUT(uint8_t)
HLO_PAD_INPUT(uint16_t)
HLO_PAD_INPUT(uint32_t)
HLO_PAD_INPUT(uint64_t)
HLO_PAD_INPUT(float)
HLO_PAD_INPUT(double)
HLO_PAD_INPUT(std::complex<float>)
HLO_PAD_INPUT(std::complex<double>)
#undef HLO_PAD_INPUT

}  // namespace hlo::simd

// reduce-window of numbers narrower than f32: each part widens the rows under its windows, and
// narrows what it makes of them.
#ifndef HLOKIT_INTERP_SIMD_REDUCE_NARROW_WINDOWS_H_
#define HLOKIT_INTERP_SIMD_REDUCE_NARROW_WINDOWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "interp/simd/reduce/window_pass.h"
#include "ir/element_type.h"

namespace hlo::simd {

class NarrowWindows {
 public:
  // The longest dimension, of input and result, that has windows: plans look at all of these.
  static constexpr int64_t kMostPlaces = int64_t{1} << 16;

  // `passes` must outlive it. Nothing where there are others than a pass over rows, one over the
  // elements within these, or both; where results are made from their neighbours; or where a
  // dimension is longer than kMostPlaces.
  static std::optional<NarrowWindows> Make(std::span<const WindowPass> passes);

  // Elements of `type` that are combined as tiles hold them.
  absl::Status Run(const DeviceContext& device, const WindowCombination& combination,
                   ElementType type, const std::byte* from, const WindowStarts& starts,
                   std::byte* to) const;
  int64_t ScratchByteSize() const;

 private:
  struct Band;  // of results
  struct Job;   // what Run is given

  NarrowWindows() = default;

  void ChooseBands();
  Band BandAt(int64_t index) const;
  void RunBand(const Job& job, const Band& band, std::byte* memory) const;
  int64_t PartByteSize() const;

  const WindowPass* rows_ = nullptr;      // null: only elements of a row are combined
  const WindowPass* elements_ = nullptr;  // null: only rows are
  // Elements of an input row, of a result row, and result rows in a line.
  int64_t in_row_ = 0, out_row_ = 0, line_rows_ = 0, line_count_ = 0;
  int64_t band_rows_ = 1, bands_of_line_ = 1, most_in_rows_ = 1, bands_of_part_ = 1;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_REDUCE_NARROW_WINDOWS_H_

// How a convolution is cut follows from its sizes alone: images first; of few images rows where the
// kernel is the smaller array, since every part reads all of it, else features. Features lie side
// by side in most images, so what such a part makes has to be copied to its place.
#include "interp/simd/onednn/convolution_parts.h"

#include <algorithm>
#include <bit>

#include "interp/simd/onednn/convolution_layouts.h"
#include "interp/simd/product/tile_kernels.h"
#include "support/checked_math.h"

namespace hlo::simd::onednn {
namespace {

// Nothing stops a part in the middle: some 10 ms of a processor.
constexpr double kMaxPartProducts = 0x1p30;
// Of one image without rows to cut.
constexpr double kMaxImageProducts = 0x1p33;
constexpr double kMaxParts = 0x1p14;

int64_t StrideBytes(const Layout& layout, int d) {
  return layout.format_desc.blocking.strides[d] * ElementSize(layout.data_type);
}

int64_t CountOf(const Layout& layout) {
  int64_t count = 1;
  for (int d = 0; d < layout.ndims; ++d) count *= layout.dims[d];
  return count;
}

double ByteCount(const Layout& layout) {
  return static_cast<double>(CountOf(layout)) * static_cast<double>(ElementSize(layout.data_type));
}

// The most pieces, up to `wanted`, that `size` can be cut into evenly, of `least` at least and in
// multiples of `unit`.
int64_t EvenCount(int64_t size, int64_t wanted, int64_t unit, int64_t least) {
  for (int64_t count = std::min(wanted, size / least); count > 1; --count) {
    if (size % count == 0 && size / count % unit == 0) return count;
  }
  return 1;
}

bool AreAlike(const ConvolutionSpec& a, const ConvolutionSpec& b) {
  const auto have_same_sizes = [](const Layout& x, const Layout& y) {
    return std::equal(x.dims, x.dims + x.ndims, y.dims);
  };
  return have_same_sizes(a.input, b.input) && have_same_sizes(a.result, b.result) &&
         a.padding_low == b.padding_low && a.padding_high == b.padding_high;
}

}  // namespace

int64_t ConvolutionParts::FeatureCount() const {
  return spec_.group_count > 1 ? spec_.group_count : spec_.result.dims[1];
}

// A few parts, of some 10 us and more, where there is little to do, up to sixteen where there is
// much: large ones are better, most of all where each element of the kernel meets next to nothing
// of a part and parts can be even. Two parts of 5 us are better than one: groups of next to no
// features make fewer products in that time, and vectors fewer of bf16 than matrix registers.
int64_t ConvolutionParts::WantedCount() const {
  const bool has_thin_groups = spec_.has_thin_groups();
  const bool is_bf16 = spec_.input.data_type == dnnl_bf16;
  const bool is_product = spec_.is_plain_product();
  const double least = has_thin_groups ? 0x1p18 : is_bf16 ? 0x1p22 : 0x1p20;
  const double least_of_two = has_thin_groups         ? 0x1p17
                              : !is_bf16              ? 0x1p19
                              : !HasMatrixRegisters() ? 0x1p20
                                                      : 0x1p22;
  const double most_few = has_thin_groups || is_product ? 4 : 16;
  const double least_few = spec_.products >= least_of_two ? 2 : 1;
  const double few = std::clamp(spec_.products / least, least_few, most_few);
  const double large = is_product ? 0x1p23 : 0x1p22;
  const double count = std::max(few, std::min(spec_.products / large, 16.0));
  return std::max(static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count))),
                  static_cast<int64_t>(spec_.products / kMaxPartProducts));
}

bool ConvolutionParts::IsBetterCutByFeatures(double part_count) const {
  // What a processor keeps for itself from part to part.
  constexpr double kCached = 0x1p20;
  const auto read_by_all = [&](double bytes) {
    return bytes > kCached ? part_count * bytes : bytes;
  };
  // Windows may skip most of the images.
  const double windows = ByteCount(spec_.result) / static_cast<double>(spec_.result.dims[1]) *
                         static_cast<double>(spec_.input.dims[1]) * spec_.window_size;
  const double input = std::min(ByteCount(spec_.input), windows);
  const double kernel = ByteCount(spec_.kernel), result = ByteCount(spec_.result);
  // What another processor has just packed comes from its caches.
  const double passed_on = spec_.is_kernel_fixed ? 0 : 2 * kernel;
  return kernel + read_by_all(input) + 3 * result <
         read_by_all(kernel) + passed_on + input + result;
}

void ConvolutionParts::ChoosePiece(int64_t least_count) {
  const int64_t images = spec_.result.dims[0], rows = spec_.result.dims[2];
  piece_ = {images, 0, rows, FeatureCount()};
  const int64_t wanted = std::max(least_count, WantedCount());
  const int64_t image_pieces = EvenCount(images, wanted, /*unit=*/1, /*least=*/1);
  piece_.images = images / image_pieces;
  const int64_t missing = CeilDiv(wanted, image_pieces);
  if (missing == 1) return;
  const bool is_forward = spec_.role == ConvolutionRole::kResult;
  if (is_forward && !IsBetterCutByFeatures(static_cast<double>(missing))) {
    piece_.rows = CeilDiv(rows, std::min(rows, missing));
    return;
  }
  const bool fills_vectors = spec_.products >= 0x1p20;
  const int64_t unit = fills_vectors ? 16 : 1, least = fills_vectors ? 32 : 1;
  piece_.features = FeatureCount() / EvenCount(FeatureCount(), missing, unit, least);
  if (is_forward && piece_.features == FeatureCount()) {
    piece_.rows = CeilDiv(rows, std::min(rows, missing));
  }
}

std::optional<size_t> ConvolutionParts::KindOf(const ConvolutionPiece& piece) {
  std::optional<ConvolutionSpec> spec = spec_.PieceOf(piece);
  if (!spec) return std::nullopt;
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (AreAlike(kinds_[kind].spec, *spec)) return kind;
  }
  // All kinds take the same blocks of the kernel.
  const Layout* const kernel =
      kinds_.empty() ? nullptr : &kinds_[0].forms.convolution->layout(spec_.kernel_argument());
  std::optional<ConvolutionForms> forms = ConvolutionForms::Make(*spec, kernel);
  if (!forms) return std::nullopt;
  kinds_.push_back({*std::move(spec), *std::move(forms)});
  return kinds_.size() - 1;
}

bool ConvolutionParts::AddParts() {
  const Layout &input = spec_.input, &result = spec_.result;
  const int64_t features = FeatureCount();
  const bool has_groups = spec_.group_count > 1;
  const auto feature_bytes = [&](const Layout& images) {
    return StrideBytes(images, 1) * (images.dims[1] / features);
  };
  block_count_ = features / piece_.features;
  block_byte_size_ = StrideBytes(spec_.kernel, spec_.feature_dimension()) * piece_.features;
  for (int64_t block = 0; block < block_count_; ++block) {
    const int64_t feature = block * piece_.features;
    for (int64_t image = 0; image < result.dims[0]; image += piece_.images) {
      for (int64_t row = 0; row < result.dims[2]; row += piece_.rows) {
        ConvolutionPiece piece = piece_;
        piece.first_row = row;
        piece.rows = std::min(piece_.rows, result.dims[2] - row);
        const std::optional<size_t> kind = KindOf(piece);
        if (!kind) return false;
        const int64_t first_row = row == 0 ? 0 : spec_.FirstInputRow(row);
        parts_.push_back({*kind, block,
                          image * StrideBytes(input, 0) + first_row * StrideBytes(input, 2) +
                              (has_groups ? feature * feature_bytes(input) : 0),
                          image * StrideBytes(result, 0) + row * StrideBytes(result, 2) +
                              feature * feature_bytes(result)});
      }
    }
  }
  return true;
}

void ConvolutionParts::AddPacking() {
  if (kernel_reorder() == nullptr) return;
  // Several blocks are pieces enough. Of the library's layouts each lets whole blocks of so many
  // features be cut off.
  constexpr int64_t kUnit = 64, kMost = 8;
  const bool is_cut = block_count_ > 1 || spec_.group_count > 1;
  const int64_t count = is_cut ? 1 : EvenCount(FeatureCount(), kMost, kUnit, kUnit);
  if (count > 1 && AddPackingPieces(count)) return;
  packing_ = {{kinds_[0].forms.kernel_reorder, 0}};
}

bool ConvolutionParts::AddPackingPieces(int64_t count) {
  const Layout& packed = kernel_reorder()->layout(DNNL_ARG_TO);
  const int d = spec_.feature_dimension();
  const int64_t size = FeatureCount() / count;
  std::vector<int64_t> sizes(spec_.kernel.dims, spec_.kernel.dims + spec_.kernel.ndims);
  sizes[static_cast<size_t>(d)] = size;
  const std::optional<Layout> from = WithSizes(spec_.kernel, sizes);
  if (!from) return false;
  packing_.clear();
  for (int64_t piece = 0; piece < count; ++piece) {
    const std::optional<Layout> to = PieceOf(packed, d, piece * size, size);
    auto reorder = to ? Form::MakeReorder(*from, *to) : nullptr;
    if (reorder == nullptr || reorder->implementation().starts_with("ref")) return false;
    packing_.push_back({std::move(reorder), piece * size * StrideBytes(spec_.kernel, d)});
  }
  return true;
}

bool ConvolutionParts::has_dense_results() const {
  if (block_count_ > 1) return false;
  const Layout& result = spec_.result;
  const auto is_outside = [&](int outer, int inner) {
    return result.dims[outer] == 1 || result.dims[inner] == 1 ||
           StrideBytes(result, outer) > StrideBytes(result, inner);
  };
  const bool cuts_rows = piece_.rows < result.dims[2];
  if (cuts_rows && piece_.images > 1) return false;
  for (int d = 1; d < result.ndims; ++d) {
    if (!is_outside(0, d) || (cuts_rows && d != 2 && !is_outside(2, d))) return false;
  }
  return true;
}

int64_t ConvolutionParts::ResultBegin(const ConvolutionPart& part) const {
  return part.result / ElementSize(spec_.result.data_type);
}

int64_t ConvolutionParts::ResultCount(const ConvolutionPart& part) const {
  return CountOf(kinds_[part.kind].spec.result);
}

std::optional<ConvolutionParts> ConvolutionParts::Make(ConvolutionSpec spec, int64_t least_count) {
  if (spec.products / kMaxParts > kMaxPartProducts) return std::nullopt;
  ConvolutionParts parts(std::move(spec));
  parts.ChoosePiece(least_count);
  if (!parts.AddParts()) {
    // The library may have the whole of it, if not those at its edges.
    if (parts.piece_.rows == parts.spec_.result.dims[2]) return std::nullopt;
    parts = ConvolutionParts(std::move(parts.spec_));
    parts.ChoosePiece(1);
    parts.piece_.rows = parts.spec_.result.dims[2];
    if (!parts.AddParts()) return std::nullopt;
  }
  WithOneThread(*FindLibrary(), [&] { parts.AddPacking(); });
  const double part_products = parts.spec_.products / static_cast<double>(parts.parts_.size());
  return part_products > kMaxImageProducts ? std::nullopt : std::optional(std::move(parts));
}

std::shared_ptr<const ConvolutionParts> ConvolutionPartsCache::Make(ConvolutionSpec spec,
                                                                    int64_t least_count) {
  std::vector<int64_t> key = {static_cast<int64_t>(spec.role), spec.group_count,
                              spec.is_kernel_fixed ? 1 : 0, least_count};
  for (const Layout* layout : {&spec.input, &spec.kernel, &spec.result}) {
    key.insert(key.end(), {layout->data_type, layout->ndims});
    key.insert(key.end(), layout->dims, layout->dims + layout->ndims);
    const dnnl_dim_t* const strides = layout->format_desc.blocking.strides;
    key.insert(key.end(), strides, strides + layout->ndims);
  }
  for (const auto* of_dimensions :
       {&spec.strides, &spec.dilations, &spec.padding_low, &spec.padding_high}) {
    key.insert(key.end(), of_dimensions->begin(), of_dimensions->end());
  }
  key.insert(key.end(), spec.flips.begin(), spec.flips.end());
  const auto [found, is_new] = made_.try_emplace(std::move(key));
  if (is_new) {
    if (auto parts = ConvolutionParts::Make(std::move(spec), least_count)) {
      found->second = std::make_shared<const ConvolutionParts>(*std::move(parts));
    }
  }
  return found->second;
}

}  // namespace hlo::simd::onednn

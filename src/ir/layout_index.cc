// A layout is a chain of coordinate changes: logical dimensions ordered from major to minor, then
// one step for each `*` and each tile; the row-major position of the last coordinates is the place
// in memory. The inverse undoes the chain and finds padding where a coordinate is past its size.
#include "ir/layout_index.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "fmt/format.h"
#include "ir/index_space.h"
#include "ir/run_time_dims.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

absl::Status TooLarge() {
  return absl::ResourceExhaustedError("the padded array has more than 2^63 - 1 elements");
}

}  // namespace

absl::StatusOr<LayoutIndex> LayoutIndex::Make(std::span<const int64_t> dims, const Layout& layout) {
  if (!layout.IsOrderOf(static_cast<int64_t>(dims.size()))) {
    return absl::InvalidArgumentError(fmt::format("layout `{}` does not fit an array of rank {}",
                                                  LayoutText(layout), dims.size()));
  }
  LayoutIndex result;
  result.minor_to_major_ = layout.minor_to_major;
  size_t longest_tile = 0;
  for (const Tile& tile : layout.tiles) longest_tile = std::max(longest_tile, tile.dims.size());
  // f32[]{:T(128)}: a tile longer than the rank sees sizes of 1 in front.
  result.leading_ones_ = longest_tile > dims.size() ? longest_tile - dims.size() : 0;
  result.dims_.assign(result.leading_ones_, 1);
  for (size_t k = dims.size(); k-- > 0;) {
    result.dims_.push_back(dims[layout.minor_to_major[k]]);
  }
  for (const Tile& tile : layout.tiles) HLO_RETURN_IF_ERROR(result.AddTile(tile));
  const std::optional<int64_t> count = CheckedProduct(result.dims_);
  const int64_t alignment = layout.extras ? layout.extras->tail_padding_alignment : 1;
  if (!count || !CheckedAdd(*count, alignment)) return TooLarge();
  result.element_count_ = alignment > 1 ? CeilDiv(*count, alignment) * alignment : *count;
  return result;
}

// A tile of k entries applies to the k minor-most dimensions; its `*` entries first merge theirs
// with the next more minor one.
absl::Status LayoutIndex::AddTile(const Tile& tile) {
  if (tile.dims.empty() || tile.dims.back() == Tile::kCombineDimension) {
    return absl::InvalidArgumentError("a tile ends in a size");
  }
  const size_t first = dims_.size() - tile.dims.size();
  DimensionVector sizes;
  for (int64_t size : tile.dims) {
    if (size == Tile::kCombineDimension) {
      const size_t merged = first + sizes.size();
      Coordinates dims = dims_;
      const std::optional<int64_t> product = CheckedMul(dims[merged], dims[merged + 1]);
      if (!product) return TooLarge();
      dims[merged + 1] = *product;
      dims.erase(dims.begin() + merged);
      AddStep({merged, {}, dims_}, std::move(dims));
    } else if (size < 1) {
      return absl::InvalidArgumentError(fmt::format("a tile has the size {}", size));
    } else {
      sizes.push_back(size);
    }
  }
  Coordinates dims = dims_;
  for (size_t k = 0; k < sizes.size(); ++k) dims[first + k] = CeilDiv(dims[first + k], sizes[k]);
  dims.insert(dims.end(), sizes.begin(), sizes.end());
  AddStep({first, std::move(sizes), dims_}, std::move(dims));
  return absl::OkStatus();
}

void LayoutIndex::AddStep(Step step, Coordinates new_dims) {
  steps_.push_back(std::move(step));
  dims_ = std::move(new_dims);
}

void LayoutIndex::Apply(const Step& step, Coordinates& coordinates) {
  if (step.tile.empty()) {
    coordinates[step.first + 1] += coordinates[step.first] * step.dims[step.first + 1];
    coordinates.erase(coordinates.begin() + step.first);
    return;
  }
  for (size_t k = 0; k < step.tile.size(); ++k) {
    int64_t& coordinate = coordinates[step.first + k];
    const int64_t place = coordinate % step.tile[k];
    coordinate /= step.tile[k];
    coordinates.push_back(place);
  }
}

void LayoutIndex::Undo(const Step& step, Coordinates& coordinates) {
  if (step.tile.empty()) {
    const int64_t minor_size = step.dims[step.first + 1];
    const int64_t merged = coordinates[step.first];
    coordinates[step.first] = merged % minor_size;
    coordinates.insert(coordinates.begin() + step.first, merged / minor_size);
    return;
  }
  const size_t outer_rank = step.dims.size();
  for (size_t k = 0; k < step.tile.size(); ++k) {
    coordinates[step.first + k] =
        coordinates[step.first + k] * step.tile[k] + coordinates[outer_rank + k];
  }
  coordinates.resize(outer_rank);
}

int64_t LayoutIndex::Position(std::span<const int64_t> index) const {
  Coordinates coordinates(leading_ones_, 0);
  for (size_t k = minor_to_major_.size(); k-- > 0;)
    coordinates.push_back(index[minor_to_major_[k]]);
  for (const Step& step : steps_) Apply(step, coordinates);
  return LinearIndex(dims_, coordinates);
}

bool LayoutIndex::IndexAt(int64_t position, std::span<int64_t> index) const {
  Coordinates coordinates(dims_.size());
  for (size_t d = dims_.size(); d-- > 0;) {
    if (dims_[d] == 0) return false;
    coordinates[d] = position % dims_[d];
    position /= dims_[d];
  }
  if (position != 0) return false;  // in the tail
  for (size_t s = steps_.size(); s-- > 0;) {
    const Coordinates& dims = steps_[s].dims;
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return false;
    Undo(steps_[s], coordinates);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (coordinates[d] >= dims[d]) return false;
    }
  }
  for (size_t k = 0; k < minor_to_major_.size(); ++k) {
    index[minor_to_major_[k]] = coordinates[coordinates.size() - 1 - k];
  }
  return true;
}

namespace {

// How many bits one element takes in the memory image: E(n) where it asks for packing.
absl::StatusOr<int> PackedBitWidth(ElementType type, const Layout& layout) {
  const int whole_bytes = ElementByteSize(type) * 8;
  const int64_t asked = layout.extras ? layout.extras->element_size_in_bits : 0;
  if (asked == 0 || asked == whole_bytes) return whole_bytes;
  if (asked == BitWidth(type)) return BitWidth(type);
  if (asked == 1 && type == ElementType::kPred) return 1;
  return absl::InvalidArgumentError(
      fmt::format("an element of type {} does not take {} bits", ElementTypeName(type), asked));
}

absl::StatusOr<std::vector<std::byte>> ZeroBytes(int64_t byte_size) {
  try {
    return std::vector<std::byte>(static_cast<size_t>(byte_size));
  } catch (const std::exception&) {  // bad_alloc, or longer than a vector can be
    return absl::ResourceExhaustedError(
        fmt::format("no memory for the {} bytes of a memory image", byte_size));
  }
}

}  // namespace

Index MultiIndex(std::span<const int64_t> dims, int64_t linear) {
  Index index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return index;
}

absl::StatusOr<Literal> Relayout(const Literal& literal, const Layout& layout) {
  Shape shape = literal.shape();
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(
        fmt::format("{} is no array: it has no layout", ShapeText(shape)));
  }
  HLO_RETURN_IF_ERROR(LayoutIndex::Make(shape.dims(), layout).status());
  shape.set_layout(layout);
  Literal result = literal;  // elements are stored row-major under every layout
  result.set_shape(shape);
  return result;
}

namespace {

// Where the elements of an array stand in its memory image, and how large they are there.
struct ImageForm {
  LayoutIndex positions;
  int64_t element_size;  // bytes of an element of a literal
  int bit_width;         // of an element in the image
  int64_t byte_size;     // of the image before packing

  bool is_packed() const { return bit_width != element_size * 8; }
  int64_t image_byte_size() const {
    return is_packed() ? CeilDiv(positions.element_count() * bit_width, 8) : byte_size;
  }
};

absl::Status CheckPadding(const Shape& shape, const LegacyPadding& padding) {
  const std::vector<int64_t>& padded = padding.padded_dims;
  bool covers = static_cast<int64_t>(padded.size()) == shape.rank();
  for (int64_t d = 0; covers && d < shape.rank(); ++d) covers = padded[d] >= shape.dim(d);
  if (!covers) {
    return absl::InvalidArgumentError(
        fmt::format("the padded sizes do not cover {}", ShapeText(shape)));
  }
  if (padding.value.shape().element_type() == shape.element_type()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("the padding value of {} is a {}", ShapeText(shape),
                  ElementTypeName(padding.value.shape().element_type())));
}

absl::StatusOr<ImageForm> MakeImageForm(const Shape& shape, const LegacyPadding* padding) {
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(
        fmt::format("{} is no array: it has no memory image", ShapeText(shape)));
  }
  if (padding != nullptr) HLO_RETURN_IF_ERROR(CheckPadding(shape, *padding));
  const Layout layout = shape.layout() ? *shape.layout() : Layout::Default(shape.rank());
  const std::span<const int64_t> memory_dims =
      padding == nullptr ? shape.dims() : std::span<const int64_t>(padding->padded_dims);
  HLO_ASSIGN_OR_RETURN(LayoutIndex positions, LayoutIndex::Make(memory_dims, layout));
  HLO_ASSIGN_OR_RETURN(const int bit_width, PackedBitWidth(shape.element_type(), layout));
  const int64_t element_size = ElementByteSize(shape.element_type());
  const std::optional<int64_t> byte_size = CheckedMul(positions.element_count(), element_size);
  if (!byte_size) return TooLarge();
  return ImageForm{std::move(positions), element_size, bit_width, *byte_size};
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> MemoryImage(const Literal& literal,
                                                   const LegacyPadding* padding) {
  HLO_ASSIGN_OR_RETURN(const ImageForm form, MakeImageForm(literal.shape(), padding));
  HLO_ASSIGN_OR_RETURN(std::vector<std::byte> image, ZeroBytes(form.byte_size));
  if (padding != nullptr) {
    for (int64_t i = 0; i < form.positions.element_count(); ++i) {
      std::memcpy(&image[i * form.element_size], padding->value.bytes(), form.element_size);
    }
  }
  const std::span<const int64_t> sizes = RunTimeDims(literal);
  const std::byte* element = literal.bytes();
  for (const Index& index : IndexSpace(sizes)) {
    std::memcpy(&image[form.positions.Position(index) * form.element_size], element,
                form.element_size);
    element += form.element_size;
  }
  if (!form.is_packed()) return image;
  return PackBits(form.bit_width, form.element_size, image.data(), form.positions.element_count());
}

absl::StatusOr<Literal> FromMemoryImage(const Shape& shape, std::span<const std::byte> image,
                                        const LegacyPadding* padding) {
  HLO_ASSIGN_OR_RETURN(const ImageForm form, MakeImageForm(shape, padding));
  if (shape.HasDynamicDim()) {
    return absl::InvalidArgumentError(fmt::format(
        "{} has dynamic dimensions, whose sizes no memory image tells", ShapeText(shape)));
  }
  if (static_cast<int64_t>(image.size()) != form.image_byte_size()) {
    return absl::InvalidArgumentError(fmt::format("{} takes {} bytes of memory, the image has {}",
                                                  ShapeTextWithLayout(shape),
                                                  form.image_byte_size(), image.size()));
  }
  std::vector<std::byte> unpacked;
  if (form.is_packed()) {
    HLO_ASSIGN_OR_RETURN(unpacked, ZeroBytes(form.byte_size));
    UnpackBits(form.bit_width, form.element_size, IsSigned(shape.element_type()), image.data(),
               unpacked.data(), form.positions.element_count());
    image = unpacked;
  }
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(shape));
  std::byte* element = literal.bytes();
  for (const Index& index : IndexSpace(shape)) {
    std::memcpy(element, &image[form.positions.Position(index) * form.element_size],
                form.element_size);
    if (shape.element_type() == ElementType::kPred) *element = std::byte{*element != std::byte{0}};
    element += form.element_size;
  }
  return literal;
}

std::vector<std::byte> PackBits(int bit_width, int64_t byte_size, const std::byte* elements,
                                int64_t count) {
  std::vector<std::byte> packed((count * bit_width + 7) / 8);
  for (int64_t i = 0; i < count; ++i) {
    for (int b = 0; b < bit_width; ++b) {
      const bool bit = (std::to_integer<int>(elements[i * byte_size + b / 8]) >> (b % 8)) & 1;
      const int64_t position = i * bit_width + b;
      packed[position / 8] |= static_cast<std::byte>(bit << (position % 8));
    }
  }
  return packed;
}

void UnpackBits(int bit_width, int64_t byte_size, bool sign_extend, const std::byte* packed,
                std::byte* elements, int64_t count) {
  std::fill_n(elements, count * byte_size, std::byte{0});
  for (int64_t i = 0; i < count; ++i) {
    bool bit = false;
    for (int b = 0; b < byte_size * 8; ++b) {
      const int64_t position = i * bit_width + b;
      if (b < bit_width) {
        bit = (std::to_integer<int>(packed[position / 8]) >> (position % 8)) & 1;
      } else if (!sign_extend) {
        break;
      }
      elements[i * byte_size + b / 8] |= static_cast<std::byte>(bit << (b % 8));
    }
  }
}

}  // namespace hlo

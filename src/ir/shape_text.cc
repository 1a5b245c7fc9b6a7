// Shapes as text (grammar.md 2.7, 2.8, 10.7): one writer for messages and for the printer.
#include <fmt/format.h>

#include <iterator>
#include <string>

#include "ir/layout.h"
#include "ir/shape.h"

namespace hlo {
namespace {

using Out = std::back_insert_iterator<std::string>;

struct ShapeWriter {
  std::string& text;
  bool layouts;
  bool index_comments;

  void Write(const Shape& shape);
  void WriteArray(const Shape& shape);
  void WriteLayout(const Layout& layout);
  void WriteTile(const Tile& tile);
  void WriteExtrasBeforeMemorySpace(const LayoutExtras& extras);
  void WriteExtrasAfterMemorySpace(const LayoutExtras& extras);
  Out out() { return std::back_inserter(text); }
};

void ShapeWriter::Write(const Shape& shape) {
  if (shape.IsBuffer()) {
    text += 'b';
  } else if (!shape.IsTuple()) {
    return WriteArray(shape);
  }
  text += '(';
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    if (i > 0) text += ", ";
    if (index_comments && i > 0 && i % 5 == 0) fmt::format_to(out(), "/*index={}*/", i);
    Write(shape.element(i));
  }
  text += ')';
}

void ShapeWriter::WriteArray(const Shape& shape) {
  text += ElementTypeName(shape.element_type());
  text += '[';
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d > 0) text += ',';
    if (shape.is_unbounded(d)) {
      text += '?';
    } else {
      if (shape.is_dynamic(d)) text += "<=";
      fmt::format_to(out(), "{}", shape.dim(d));
    }
  }
  text += ']';
  // A scalar's empty list of dimensions is shown only to carry a tail.
  if (layouts && shape.layout() && (shape.rank() > 0 || shape.layout()->HasTail())) {
    WriteLayout(*shape.layout());
  }
}

void ShapeWriter::WriteTile(const Tile& tile) {
  text += '(';
  for (size_t i = 0; i < tile.dims.size(); ++i) {
    if (i > 0) text += ',';
    if (tile.dims[i] == Tile::kCombineDimension) {
      text += '*';
    } else {
      fmt::format_to(out(), "{}", tile.dims[i]);
    }
  }
  text += ')';
}

void ShapeWriter::WriteLayout(const Layout& layout) {
  fmt::format_to(out(), "{{{}", fmt::join(layout.minor_to_major, ","));
  if (layout.HasTail()) {
    text += ':';
    if (!layout.tiles.empty()) {
      text += 'T';
      for (const Tile& tile : layout.tiles) WriteTile(tile);
    }
    if (layout.extras) WriteExtrasBeforeMemorySpace(*layout.extras);
    if (layout.memory_space != 0) fmt::format_to(out(), "S({})", layout.memory_space);
    if (layout.extras) WriteExtrasAfterMemorySpace(*layout.extras);
  }
  text += '}';
}

void ShapeWriter::WriteExtrasBeforeMemorySpace(const LayoutExtras& extras) {
  if (extras.tail_padding_alignment != 1) {
    fmt::format_to(out(), "L({})", extras.tail_padding_alignment);
  }
  if (extras.index_type) fmt::format_to(out(), "#({})", ElementTypeName(*extras.index_type));
  if (extras.pointer_type) fmt::format_to(out(), "*({})", ElementTypeName(*extras.pointer_type));
  if (extras.element_size_in_bits != 0) {
    fmt::format_to(out(), "E({})", extras.element_size_in_bits);
  }
}

void ShapeWriter::WriteExtrasAfterMemorySpace(const LayoutExtras& extras) {
  if (!extras.splits.empty()) {
    text += "SC";
    for (const SplitConfig& split : extras.splits) {
      fmt::format_to(out(), "({}:{})", split.dimension, fmt::join(split.split_indices, ","));
    }
  }
  if (extras.physical_shape) {
    text += "P(";
    Write(*extras.physical_shape);
    text += ')';
  }
  if (extras.dynamic_shape_metadata_prefix_bytes != 0) {
    fmt::format_to(out(), "M({})", extras.dynamic_shape_metadata_prefix_bytes);
  }
}

}  // namespace

std::string ShapeText(const Shape& shape, bool index_comments) {
  std::string text;
  ShapeWriter{text, /*layouts=*/false, index_comments}.Write(shape);
  return text;
}

std::string ShapeTextWithLayout(const Shape& shape, bool index_comments) {
  std::string text;
  ShapeWriter{text, /*layouts=*/true, index_comments}.Write(shape);
  return text;
}

std::string LayoutText(const Layout& layout) {
  std::string text;
  ShapeWriter{text, /*layouts=*/true, /*index_comments=*/true}.WriteLayout(layout);
  return text;
}

}  // namespace hlo

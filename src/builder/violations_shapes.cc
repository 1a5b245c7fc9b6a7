// Shapes and layouts that callers hand over. Source: verifier.md 2.1, 2.2.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;

// A parameter f32[4,2] with that layout.
void Lay(HloBuilder& b, const Layout& layout) {
  Shape shape = Shape::Array(ElementType::kF32, {{4, 2}});
  shape.set_layout(layout);
  Parameter(b, 0, shape, "p");
}
void LayOrder(HloBuilder& b, DimensionVector minor_to_major) {
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  Lay(b, layout);
}
void LayTile(HloBuilder& b, DimensionVector sizes) {
  Layout layout = Layout::Default(2);
  layout.tiles = {Tile{std::move(sizes)}};
  Lay(b, layout);
}
void LayExtras(HloBuilder& b, void (*change)(LayoutExtras& extras)) {
  LayoutExtras extras;
  change(extras);
  Layout layout = Layout::Default(2);
  layout.extras = std::make_shared<LayoutExtras>(std::move(extras));
  Lay(b, layout);
}

// The shape with a layout for arrays of that rank.
Shape Laid(Shape shape, int64_t rank) {
  shape.set_layout(Layout::Default(rank));
  return shape;
}

constexpr Violation kViolations[] = {
    {"shape.dim-nonnegative", "",
     [](HloBuilder& b, Ops) { Parameter(b, 0, Shape::Array(ElementType::kF32, {{-3}}), "p"); }},
    {"shape.count-overflow", "f32[]",
     [](HloBuilder&, Ops x) {
       Broadcast(x[0], {int64_t{1} << 40, int64_t{1} << 40});
     }},
    {"shape.rank", "f32[]",
     [](HloBuilder&, Ops x) { Broadcast(x[0], std::vector<int64_t>(70, 1)); }},
    {"shape.dim-nonnegative", "f32[2] f32[]",
     [](HloBuilder& b, Ops) {
       CustomCall(b, "t", {}, Shape::Tuple({Shape::Array(ElementType::kF32, {{-2}})}));
     }},
    {"shape.rank", "",
     [](HloBuilder& b, Ops) {
       Parameter(b, 0, Shape::Array(ElementType::kF32, std::vector<int64_t>(65, 1)), "p");
     }},
    {"shape.zero-size", "f32[2,0]", [](HloBuilder&, Ops x) { Neg(x[0]); }},
    {"shape.byte-overflow", "f64[]",
     [](HloBuilder&, Ops x) { Broadcast(x[0], {int64_t{1} << 61}); }},
    {"shape.non-array-dims", "",
     [](HloBuilder& b, Ops) { Parameter(b, 0, Shape::Array(ElementType::kToken, {{2}}), "p"); }},
    {"shape.non-array-dims", "f32[2,2] f32[2]",
     [](HloBuilder&, Ops x) { Dot(x[0], x[1], {.preferred_element_type = ElementType::kTuple}); }},
    {"shape.non-array-dims", "", [](HloBuilder& b, Ops) { Iota(b, ElementType::kBuffer, 3); }},
    {"inst.nesting-depth", "",
     [](HloBuilder& b, Ops) {
       Shape shape = Shape::Token();
       for (int i = 0; i < 1500; ++i) shape = Shape::Tuple({std::move(shape)});
       Parameter(b, 0, shape, "p");
     }},
    {"layout.on-array-only", "",
     [](HloBuilder& b, Ops) {
       Shape shape = Shape::Token();
       shape.set_layout(Layout::Default(0));
       Parameter(b, 0, shape, "p");
     }},
    {"layout.minor-to-major-length", "", [](HloBuilder& b, Ops) { LayOrder(b, {0}); }},
    {"layout.minor-to-major-length", "f32[]",
     [](HloBuilder&, Ops x) { Outfeed(x[0], Laid(x[0].shape(), 2)); }},
    {"layout.minor-to-major-length", "f32[]",
     [](HloBuilder& b, Ops x) {
       CustomCallWithLayout(b, "t", x, Shape::Scalar(ElementType::kF32), {Laid(x[0].shape(), 1)});
     }},
    {"layout.minor-to-major-permutation", "",
     [](HloBuilder& b, Ops) {
       LayOrder(b, {0, 0});
     }},
    {"layout.tail-padding", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.tail_padding_alignment = 0; });
     }},
    {"layout.tile-empty", "", [](HloBuilder& b, Ops) { LayTile(b, {}); }},
    {"layout.tile-dimension", "", [](HloBuilder& b, Ops) { LayTile(b, {0}); }},
    {"layout.tile-rank", "",
     [](HloBuilder& b, Ops) {
       LayTile(b, {2, 2, 2});
     }},
    {"layout.tile-combine", "",
     [](HloBuilder& b, Ops) {
       LayTile(b, {2, Tile::kCombineDimension});
     }},
    {"layout.sparse-index-type", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.index_type = ElementType::kU32; });
     }},
    {"layout.sparse-pointer-type", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.pointer_type = ElementType::kU32; });
     }},
    {"layout.physical-shape", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b,
                 [](LayoutExtras& extras) { extras.physical_shape = std::make_shared<Shape>(); });
     }},
    {"layout.element-size", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.element_size_in_bits = -1; });
     }},
    {"layout.element-size-fits", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.element_size_in_bits = 5; });
     }},
    {"layout.memory-space", "",
     [](HloBuilder& b, Ops) {
       Layout layout = Layout::Default(2);
       layout.memory_space = -1;
       Lay(b, layout);
     }},
    {"layout.split-dimension", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.splits = {{2, {1}}}; });
     }},
    {"layout.split-unique", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.splits = {{0, {1}}, {0, {2}}}; });
     }},
    {"layout.split-increasing", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.splits = {{0, {2, 1}}}; });
     }},
    {"layout.split-bound", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.splits = {{0, {4}}}; });
     }},
    {"layout.metadata-prefix", "",
     [](HloBuilder& b, Ops) {
       LayExtras(b, [](LayoutExtras& extras) { extras.dynamic_shape_metadata_prefix_bytes = -1; });
     }},
};

}  // namespace

Violations ShapeViolations() { return kViolations; }

}  // namespace hlo::testing

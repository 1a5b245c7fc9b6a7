// A call has several arguments and fails for one that does not fit, so fitting ones must be
// frequent: values share one element type and a few sizes, and most numbers are 0, 1 or 2. Numbers
// that overflow and shapes without hope are rarer, values of other programs very rare.
#include "builder/random_arguments.h"

#include "builder/operation_examples.h"

namespace hlo::testing {

using namespace ops;

namespace {

constexpr ElementType kAllTypes[] = {
#define HLO_ELEMENT_TYPE(Name, ...) ElementType::k##Name,
#include "ir/element_types.def"
};

constexpr int64_t kWild[] = {
    -1, -2, 5, 7, 64, INT32_MAX, INT64_MIN, INT64_MAX, INT64_MIN + 1, int64_t{1} << 40};

}  // namespace

RandomArguments::RandomArguments(HloBuilder& builder, uint32_t seed)
    : random_(seed), builder_(builder), other_("other"), inner_(builder.CreateSubBuilder("inner")) {
  type_ = one_of({ElementType::kF32, ElementType::kF32, ElementType::kS32, ElementType::kPred,
                  ElementType::kC64, ElementType::kU8, ElementType::kBf16});
  AddParameters();
  AddComputations();
}

void RandomArguments::AddParameters() {
  std::vector<int64_t> dims;
  for (int64_t rank = Below(4); rank > 0; --rank) dims.push_back(Below(5));
  const Shape array = Shape::Array(type_, dims);
  const Shape scalar = Shape::Scalar(type_);
  const Shape index = Shape::Scalar(ElementType::kS32);
  Shape mask = array;
  mask.set_element_type(ElementType::kPred);
  std::vector<Shape> shapes = {
      array, array, scalar, scalar, index, mask, Shape::Scalar(ElementType::kPred)};
  for (int64_t i = Below(4); i > 0; --i) {
    shapes.push_back(one_of({Shape::Token(), Shape::Tuple({array, index}), MakeShape("s32[2]"),
                             MakeShape("u32[2]"), MakeShape("u64[2]"), MakeShape("f32[<=3,2]"),
                             MakeShape("f32[?]"), MakeShape("((s32[]),(s32[]))"),
                             MakeShape("f32[0,3]"), MakeShape("s32[4,1]"), Shape::Opaque()}));
  }
  for (const Shape& shape : shapes) {
    Add(Parameter(builder_, static_cast<int64_t>(values_.size()), shape, ""));
  }
}

void RandomArguments::AddComputations() {
  const Shape scalar = Shape::Scalar(type_);
  const auto add = [&](std::vector<Shape> parameters, const HloBuilder::Body& body) {
    computations_.push_back(builder_.AddComputation("f", parameters, body));
  };
  add({scalar, scalar}, [](HloBuilder&, Ops x) { return Max(x[0], x[1]); });
  add({scalar, scalar}, [](HloBuilder&, Ops x) { return Eq(x[0], x[1]); });
  add({scalar}, [](HloBuilder&, Ops x) { return x[0]; });
  add({scalar, scalar}, [](HloBuilder& f, Ops x) { return Tuple(f, {x[0], x[1]}); });
  const Shape any = x().shape();
  add({any}, [](HloBuilder&, Ops x) { return x[0]; });
  add({any}, [](HloBuilder& f, Ops) { return ConstantR0<bool>(f, false); });
}

HloBuilder& RandomArguments::b() {
  if (!Rarely()) return builder_;
  return flag() ? other_ : inner_;
}

Op RandomArguments::x() {
  if (!Rarely() || !Rarely()) return values_[Below(std::ssize(values_))];
  switch (Below(3)) {
    case 0:
      return Parameter(other_, Below(1000), shape(), "");
    case 1:
      return Parameter(inner_, Below(1000), shape(), "");
  }
  return {};
}

std::vector<Op> RandomArguments::xs() {
  std::vector<Op> list;
  if (flag()) return {x()};
  for (int64_t i = Below(4); i > 0; --i) list.push_back(flag() && !list.empty() ? list[0] : x());
  return list;
}

Callee RandomArguments::f() {
  return Rarely() && Rarely() ? Callee() : computations_[Below(std::ssize(computations_))];
}

int64_t RandomArguments::n() { return Below(8) > 0 ? Below(3) : kWild[Below(std::size(kWild))]; }

std::vector<int64_t> RandomArguments::ns() {
  std::vector<int64_t> list;
  for (int64_t i = Below(4); i > 0; --i) list.push_back(n());
  return list;
}

std::vector<int64_t> RandomArguments::sizes() {
  const Shape& shape = values_[Below(std::ssize(values_))].shape();
  std::vector<int64_t> list;
  switch (Below(6)) {
    case 0:
      return ns();
    case 1:
      list.assign(shape.rank(), 1);
      return list;
    case 2:
      list.assign(shape.rank(), 0);
      return list;
    case 3:
      for (int64_t d = 0; d < shape.rank(); ++d) list.push_back(d);
      return list;
  }
  list.assign(shape.dims().begin(), shape.dims().end());
  return list;
}

ElementType RandomArguments::type() {
  return Below(3) > 0 ? type_ : kAllTypes[Below(std::size(kAllTypes))];
}

Shape RandomArguments::MadeShape() {
  switch (Below(8)) {
    case 0:
      return Shape::Array(type(), ns());
    case 1:
      return Shape::Array(type(), std::vector<int64_t>(65, 1));
    case 2:
      return Shape::Tuple({shape(), shape()});
    case 3:
      return Shape::Tuple({});
    case 4:
      return Shape::Buffer(Shape::Array(type(), sizes()));
    case 5: {
      Shape array = Shape::Array(type(), sizes());
      if (array.rank() > 0) array.set_dynamic(0, true);
      return array;
    }
    case 6: {
      Shape nested = Shape::Scalar(type());
      for (int64_t i = Below(2000); i > 0; --i) nested = Shape::Tuple({std::move(nested)});
      return nested;
    }
  }
  Shape array = Shape::Array(type(), sizes());
  array.set_layout(layout());
  return array;
}

Shape RandomArguments::shape() {
  if (Below(6) == 0) return MadeShape();
  Shape shape = values_[Below(std::ssize(values_))].shape();
  if (flag()) shape.FillDefaultLayouts();
  return shape;
}

std::vector<bool> RandomArguments::flags() {
  std::vector<bool> list;
  for (int64_t i = Below(4); i > 0; --i) list.push_back(flag());
  return list;
}

std::optional<Layout> RandomArguments::layout() {
  if (flag()) return std::nullopt;
  Layout layout = Layout::Default(Below(4));
  if (flag()) return layout;
  const std::vector<int64_t> order = ns();
  layout.minor_to_major.assign(order.begin(), order.end());
  const std::vector<int64_t> tile = ns();
  layout.tiles.push_back({DimensionVector(tile.begin(), tile.end())});
  layout.memory_space = n();
  LayoutExtras extras;
  extras.tail_padding_alignment = n();
  extras.element_size_in_bits = n();
  extras.splits = {{n(), DimensionVector(order.begin(), order.end())}};
  layout.extras = std::make_shared<LayoutExtras>(std::move(extras));
  return layout;
}

DeviceGroups RandomArguments::groups() {
  switch (Below(6)) {
    case 0:
      return DeviceGroups({{0, 1}, {2, 3}});
    case 1:
      return DeviceGroups({ns(), ns()});
    case 2:
      return DeviceGroups::Iota(n(), n(), ns(), ns());
    case 3:
      return DeviceGroups::Mesh({{"a", n()}, {"b", n()}}, {"a"});
    case 4:
      return DeviceGroups::Mesh({{"a", 2}, {"a", n()}}, {"a", "c", "a"});
  }
  return {};
}

std::optional<ChannelHandle> RandomArguments::channel() {
  if (flag()) return std::nullopt;
  return ChannelHandle{
      n(), one_of({ChannelHandle::Type::kDeviceToDevice, ChannelHandle::Type::kDeviceToHost,
                   ChannelHandle::Type::kHostToDevice})};
}

CollectiveOptions RandomArguments::collective() {
  CollectiveOptions options = {.groups = groups(), .channel = channel()};
  if (flag()) options.use_global_device_ids = flag();
  return options;
}

std::vector<std::pair<int64_t, int64_t>> RandomArguments::pairs() {
  std::vector<std::pair<int64_t, int64_t>> list;
  for (int64_t i = Below(3); i > 0; --i) list.push_back({n(), n()});
  return list;
}

Sharding RandomArguments::sharding() {
  switch (Below(3)) {
    case 0:
      return builder_.ReplicatedSharding();
    case 1:
      return builder_.MaximalSharding(n());
  }
  return builder_.TiledSharding(sizes(), ns());
}

}  // namespace hlo::testing

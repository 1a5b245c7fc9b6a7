// Batch normalisation and Fourier transforms: everything of a feature, or of a transform, reaches
// everything of it.
#include "indexing/op_query.h"

namespace hlo::indexing {
namespace {

// The arrays of a batch normalisation are of the operand's shape, or have one element a feature.
enum class Kind { kArray, kFeatures };

Kind KindOf(const Shape& shape, const Shape& operand) {
  return shape.rank() == operand.rank() && operand.rank() > 1 ? Kind::kArray : Kind::kFeatures;
}

// From one array to another through their feature; everything else is free.
IndexingMap ThroughFeature(const OpQuery& query, std::span<const int64_t> from, Kind from_kind,
                           std::span<const int64_t> to, Kind to_kind) {
  const int64_t feature = query.op.Get<Attr::kFeatureIndex>();
  MapBuilder builder(query.context, from);
  const Expr shared = builder.dim(from_kind == Kind::kArray ? feature : 0);
  std::vector<Expr> results;
  for (size_t d = 0; d < to.size(); ++d) {
    const bool is_feature = to_kind == Kind::kFeatures || static_cast<int64_t>(d) == feature;
    results.push_back(is_feature ? shared : builder.AddRange(to[d]));
  }
  return builder.Build(std::move(results));
}

// Of operand i, does output k depend on it element by element, through the feature, or not?
enum class Link { kNone, kElement, kFeature };

MapSet LinkMap(const OpQuery& query, Link link, const Shape& from, const Shape& to) {
  const Shape& operand = query.op.operand_shape(0);
  switch (link) {
    case Link::kNone:
      return {};
    case Link::kElement:
      return IndexingMap::Identity(query.context, from.dims());
    case Link::kFeature:
      return ThroughFeature(query, from.dims(), KindOf(from, operand), to.dims(),
                            KindOf(to, operand));
  }
  return {};
}

using LinkFunction = Link (*)(int64_t output, int64_t operand);

void ToInput(const OpQuery& query, LinkFunction link, ArrayMapsList& maps) {
  const Shape& output = ElementShape(query.result_shape(), query.index);
  for (size_t i = 0; i < maps.size(); ++i) {
    const int64_t operand = static_cast<int64_t>(i);
    maps[i] = {LinkMap(query, link(query.index, operand), output, query.op.operand_shape(operand))};
  }
}

void ToOutput(const OpQuery& query, LinkFunction link, ArrayMapsList& maps) {
  for (size_t i = 0; i < maps.size(); ++i) {
    const int64_t output = static_cast<int64_t>(i);
    maps[i].maps = LinkMap(query, link(output, query.index), query.op.operand_shape(query.index),
                           ElementShape(query.result_shape(), output));
  }
}

// operand, scale, offset, mean, variance.
Link InferenceLink(int64_t, int64_t operand) {
  return operand == 0 ? Link::kElement : Link::kFeature;
}
// operand, scale, offset -> normalised, mean, variance.
Link TrainingLink(int64_t output, int64_t operand) {
  return output == 0 || operand == 0 ? Link::kFeature : Link::kNone;
}
// operand, scale, mean, variance, gradient -> gradients of operand, scale, offset.
Link GradLink(int64_t output, int64_t operand) {
  if (output == 0) return Link::kFeature;
  if (output == 1) return operand == 1 ? Link::kNone : Link::kFeature;
  return operand == 4 ? Link::kFeature : Link::kNone;
}

// The last dimensions are transformed: any element there reaches any.
IndexingMap FftMap(const OpQuery& query, std::span<const int64_t> from,
                   std::span<const int64_t> to) {
  const size_t transformed = query.op.Get<Attr::kFftLength>().size();
  MapBuilder builder(query.context, from);
  std::vector<Expr> results;
  for (size_t d = 0; d < to.size(); ++d) {
    results.push_back(d + transformed >= to.size() ? builder.AddRange(to[d])
                                                   : builder.dim(static_cast<int64_t>(d)));
  }
  return builder.Build(std::move(results));
}

}  // namespace

void BatchNormInferenceToInput(const OpQuery& query, ArrayMapsList& maps) {
  ToInput(query, InferenceLink, maps);
}
void BatchNormInferenceToOutput(const OpQuery& query, ArrayMapsList& maps) {
  ToOutput(query, InferenceLink, maps);
}
void BatchNormTrainingToInput(const OpQuery& query, ArrayMapsList& maps) {
  ToInput(query, TrainingLink, maps);
}
void BatchNormTrainingToOutput(const OpQuery& query, ArrayMapsList& maps) {
  ToOutput(query, TrainingLink, maps);
}
void BatchNormGradToInput(const OpQuery& query, ArrayMapsList& maps) {
  ToInput(query, GradLink, maps);
}
void BatchNormGradToOutput(const OpQuery& query, ArrayMapsList& maps) {
  ToOutput(query, GradLink, maps);
}

void FftToInput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0] = {FftMap(query, query.output_dims(), query.operand_dims(0))};
}
void FftToOutput(const OpQuery& query, ArrayMapsList& maps) {
  maps[0].maps = FftMap(query, query.operand_dims(0), query.result_shape().dims());
}

}  // namespace hlo::indexing

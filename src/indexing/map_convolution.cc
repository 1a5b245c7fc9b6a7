// convolution (indexing.md 2.5): the ranges are the kernel's position along each spatial dimension
// and the input feature within its group; XLA adds one over all batch groups, where the exact map
// derives the group from the output feature.
#include <algorithm>
#include <utility>

#include "indexing/compose.h"
#include "indexing/map_window.h"
#include "indexing/op_query.h"
#include "indexing/simplify.h"

namespace hlo::indexing {
namespace {

class ConvolutionMaps {
 public:
  explicit ConvolutionMaps(const OpQuery& query)
      : query_(query),
        labels_(query.op.Get<Attr::kDimLabels>()),
        window_(WindowDimensions(query.op.Get<Attr::kWindow>(), labels_.input_spatial.size())),
        feature_groups_(query.op.Get<Attr::kFeatureGroupCount>()),
        batch_groups_(query.op.Get<Attr::kBatchGroupCount>()),
        input_(query.operand_dims(0)),
        kernel_(query.operand_dims(1)),
        output_(query.result_shape().dims()) {}

  // Both maps, with the ranges neither needs removed from both.
  std::pair<IndexingMap, IndexingMap> ToInput() const {
    IndexingMap input = InputMap();
    IndexingMap kernel = KernelMap();
    Simplify(input, SimplifyMode::kReplacePoints, query_.options.sound);
    Simplify(kernel, SimplifyMode::kReplacePoints, query_.options.sound);
    DropUnusedInBoth(input, kernel);
    return {std::move(input), std::move(kernel)};
  }

  IndexingMap InputToOutput() const {
    const IndexingMap places = PlacesMap(query_.context, SizesOf(input_, labels_.input_spatial),
                                         window_, SizesOf(output_, labels_.output_spatial));
    if (places.IsUnknown()) return places;
    MapBuilder builder(query_.context, input_);
    std::vector<Expr> replacements;
    for (int64_t d : labels_.input_spatial) replacements.push_back(builder.dim(d));
    for (const WindowDimension& w : window_) replacements.push_back(builder.AddRange(w.size));
    std::vector<Expr> results(output_.size());
    Place(results, labels_.output_batch, OutputBatch(builder));
    Place(results, labels_.output_feature, OutputFeature(builder));
    return Finish(builder, places, replacements, std::move(results), labels_.output_spatial);
  }

  // A kernel element reaches every place of the output of its feature.
  IndexingMap KernelToOutput() const {
    MapBuilder builder(query_.context, kernel_);
    std::vector<Expr> results(output_.size());
    for (size_t d = 0; d < output_.size(); ++d) {
      results[d] = static_cast<int64_t>(d) == labels_.output_feature
                       ? builder.dim(labels_.kernel_output_feature)
                       : builder.AddRange(output_[d]);
    }
    return builder.Build(std::move(results));
  }

 private:
  static void Place(std::vector<Expr>& results, int64_t dimension, Expr expr) {
    results[static_cast<size_t>(dimension)] = expr;
  }
  static std::vector<int64_t> SizesOf(std::span<const int64_t> dims, IntList which) {
    std::vector<int64_t> sizes;
    for (int64_t d : which) sizes.push_back(dims[static_cast<size_t>(d)]);
    return sizes;
  }
  int64_t output_features() const { return output_[static_cast<size_t>(labels_.output_feature)]; }
  int64_t kernel_inputs() const {
    return kernel_[static_cast<size_t>(labels_.kernel_input_feature)];
  }
  int64_t output_batch() const { return output_[static_cast<size_t>(labels_.output_batch)]; }

  IndexingMap InputMap() const {
    IndexingMap windows = WindowMap(query_.context, SizesOf(output_, labels_.output_spatial),
                                    window_, SizesOf(input_, labels_.input_spatial));
    if (windows.IsUnknown()) return windows;
    MapBuilder builder(query_.context, output_);
    std::vector<Expr> replacements;
    for (int64_t d : labels_.output_spatial) replacements.push_back(builder.dim(d));
    for (const WindowDimension& w : window_) replacements.push_back(builder.AddRange(w.size));
    const Expr feature = builder.AddRange(kernel_inputs());
    std::vector<Expr> results(input_.size());
    Place(results, labels_.input_batch, InputBatch(builder));
    Place(results, labels_.input_feature, InputFeature(builder, feature));
    return Finish(builder, windows, replacements, std::move(results), labels_.input_spatial);
  }

  // The spatial map's results and constraints in terms of the whole map. What it says of single
  // variables stays a constraint beside the full interval (indexing_xla.md 4).
  IndexingMap Finish(MapBuilder& builder, IndexingMap spatial, std::span<const Expr> replacements,
                     std::vector<Expr> results, IntList places) const {
    const std::vector<Variable> full = AllVariables(spatial);
    Simplify(spatial, SimplifyMode::kReplacePoints, query_.options.sound);
    for (size_t i = 0; i < places.size(); ++i) {
      Place(results, places[i], Substitute(spatial.results[i], replacements));
    }
    IndexingMap map = builder.Build(std::move(results));
    if (spatial.IsKnownEmpty()) {
      map.MakeEmpty();
      return map;
    }
    for (const Constraint& constraint : spatial.constraints) {
      map.AddConstraint(Substitute(constraint.expr, replacements), constraint.bounds);
    }
    for (size_t i = 0; i < full.size() && !map.IsKnownEmpty(); ++i) {
      const Interval& bounds = spatial.variable(static_cast<int64_t>(i)).bounds;
      if (bounds == full[i].bounds) continue;
      if (query_.options.sound) {
        map.AddConstraint(replacements[i], bounds);
      } else {
        map.constraints.push_back({replacements[i], bounds});
      }
    }
    return map;
  }

  static std::vector<Variable> AllVariables(const IndexingMap& map) {
    std::vector<Variable> all = map.dims;
    all.insert(all.end(), map.ranges.begin(), map.ranges.end());
    return all;
  }

  Expr InputBatch(MapBuilder& builder) const {
    const Expr batch = builder.dim(labels_.output_batch);
    if (batch_groups_ <= 1) return batch;
    if (!query_.options.sound) return builder.AddRange(batch_groups_) * output_batch() + batch;
    const Expr group =
        FloorDiv(builder.dim(labels_.output_feature), output_features() / batch_groups_);
    return group * output_batch() + batch;
  }

  Expr InputFeature(MapBuilder& builder, Expr feature) const {
    if (feature_groups_ <= 1) return feature;
    const Expr group =
        FloorDiv(builder.dim(labels_.output_feature), output_features() / feature_groups_);
    return group * kernel_inputs() + feature;
  }

  Expr OutputBatch(MapBuilder& builder) const {
    const Expr batch = builder.dim(labels_.input_batch);
    return batch_groups_ <= 1 ? batch : Mod(batch, output_batch());
  }

  // All output features of the group that an input element belongs to.
  Expr OutputFeature(MapBuilder& builder) const {
    const int64_t groups = std::max(batch_groups_, feature_groups_);
    if (groups <= 1) return builder.AddRange(output_features());
    const int64_t group_size = output_features() / groups;
    const Expr within = builder.AddRange(group_size);
    const Expr group = batch_groups_ > 1
                           ? FloorDiv(builder.dim(labels_.input_batch), output_batch())
                           : FloorDiv(builder.dim(labels_.input_feature), kernel_inputs());
    return group * group_size + within;
  }

  IndexingMap KernelMap() const {
    MapBuilder builder(query_.context, output_);
    std::vector<Expr> results(kernel_.size());
    for (size_t i = 0; i < window_.size(); ++i) {
      const Expr position = builder.AddRange(window_[i].size);
      Place(results, labels_.kernel_spatial[i],
            window_[i].reversal ? -position + (window_[i].size - 1) : position);
    }
    Place(results, labels_.kernel_input_feature, builder.AddRange(kernel_inputs()));
    Place(results, labels_.kernel_output_feature, builder.dim(labels_.output_feature));
    return builder.Build(std::move(results));
  }

  static void MarkUsedRanges(const IndexingMap& map, std::vector<bool>& used) {
    std::vector<bool> variables = UsedVariables(map);
    for (const Constraint& constraint : map.constraints) {
      MarkVariables(constraint.expr, variables);
    }
    for (size_t i = 0; i < used.size(); ++i) {
      if (variables[static_cast<size_t>(map.first_range()) + i]) used[i] = true;
    }
  }

  static void DropUnusedInBoth(IndexingMap& input, IndexingMap& kernel) {
    if (input.IsUnknown() || kernel.IsUnknown()) return;
    std::vector<bool> drop(kernel.ranges.size());
    MarkUsedRanges(input, drop);
    MarkUsedRanges(kernel, drop);
    drop.flip();
    DropRanges(kernel, drop);
    drop.resize(input.ranges.size());
    DropRanges(input, drop);
  }

  const OpQuery& query_;
  ConvolutionDimensionNumbers labels_;
  std::vector<WindowDimension> window_;
  int64_t feature_groups_, batch_groups_;
  std::span<const int64_t> input_, kernel_, output_;
};

}  // namespace

void ConvolutionToInput(const OpQuery& query, ArrayMapsList& maps) {
  auto [input, kernel] = ConvolutionMaps(query).ToInput();
  maps[0] = {std::move(input)};
  maps[1] = {std::move(kernel)};
}

void ConvolutionToOutput(const OpQuery& query, ArrayMapsList& maps) {
  if (query.index > 1) return;
  const ConvolutionMaps convolution(query);
  IndexingMap map = query.index == 0 ? convolution.InputToOutput() : convolution.KernelToOutput();
  Simplify(map, SimplifyMode::kReplacePoints, query.options.sound);
  RemoveUnused(map);
  maps[0].maps = map;
}

}  // namespace hlo::indexing

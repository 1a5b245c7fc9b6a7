// A convolution, or the gradient of one by its images, cut into parts that are convolutions for
// oneDNN, each on one thread of ours.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_PARTS_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_PARTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/simd/onednn/convolution_form.h"

namespace hlo::simd::onednn {

struct ConvolutionPart {
  size_t kind;     // of ConvolutionParts::kinds()
  int64_t block;   // of the kernel: blocks are pieces of its features, `block_byte_size` apart
  int64_t input;   // bytes from the array's first to the part's
  int64_t result;  // the same
};

// Packs some features of a block of the kernel.
struct KernelPacking {
  std::shared_ptr<const Form> reorder;
  int64_t block;  // bytes from the block's first to what is packed
};

// Parts of as many rows, in the same place to the edges, differ in their addresses only.
struct ConvolutionPartKind {
  ConvolutionSpec spec;
  ConvolutionForms forms;
};

class ConvolutionParts {
 public:
  // At least `least_count` parts where sizes allow it, also of what is too little for that. Nothing
  // where the library has nothing fast for the arrays.
  static std::optional<ConvolutionParts> Make(ConvolutionSpec spec, int64_t least_count = 1);

  // Of the whole convolution.
  const ConvolutionSpec& spec() const { return spec_; }
  const std::vector<ConvolutionPartKind>& kinds() const { return kinds_; }
  const std::vector<ConvolutionPart>& parts() const { return parts_; }
  int64_t block_count() const { return block_count_; }
  int64_t block_byte_size() const { return block_byte_size_; }
  // How a block becomes what all kinds take, by itself and in pieces side by side; null, and none:
  // blocks are taken as they lie.
  const Form* kernel_reorder() const { return kinds_[0].forms.kernel_reorder.get(); }
  const std::vector<KernelPacking>& packing() const { return packing_; }
  // Whether what a part makes lies in the result without gaps.
  bool has_dense_results() const;
  // Which elements these are: the first, and their number.
  int64_t ResultBegin(const ConvolutionPart& part) const;
  int64_t ResultCount(const ConvolutionPart& part) const;

 private:
  explicit ConvolutionParts(ConvolutionSpec spec) : spec_(std::move(spec)) {}
  void ChoosePiece(int64_t least_count);
  int64_t FeatureCount() const;
  int64_t WantedCount() const;
  bool IsBetterCutByFeatures(double part_count) const;
  bool AddParts();
  std::optional<size_t> KindOf(const ConvolutionPiece& piece);
  void AddPacking();
  bool AddPackingPieces(int64_t count);

  ConvolutionSpec spec_;
  ConvolutionPiece piece_ = {};  // the largest
  std::vector<ConvolutionPartKind> kinds_;
  std::vector<ConvolutionPart> parts_;
  std::vector<KernelPacking> packing_;
  int64_t block_count_ = 1;
  int64_t block_byte_size_ = 0;
};

// The convolutions of a plan by their sizes: models repeat them, and to make one takes up to a
// millisecond.
class ConvolutionPartsCache {
 public:
  // See ConvolutionParts::Make; null for nothing.
  std::shared_ptr<const ConvolutionParts> Make(ConvolutionSpec spec, int64_t least_count);

 private:
  absl::flat_hash_map<std::vector<int64_t>, std::shared_ptr<const ConvolutionParts>> made_;
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_CONVOLUTION_PARTS_H_

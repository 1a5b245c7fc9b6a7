// Elementwise work on the result of a dot or convolution as part of the same step: bias, scale,
// residual and activation are done to what a part of it made while that is in the caches.
#ifndef HLOKIT_INTERP_SIMD_PRODUCT_EPILOGUE_H_
#define HLOKIT_INTERP_SIMD_PRODUCT_EPILOGUE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/plan/plan.h"
#include "interp/simd/block/block.h"
#include "interp/simd/product/matrix_product.h"
#include "interp/simd/product/tile_product.h"
#include "support/status_macros.h"

namespace hlo::simd {

// The product makes the first of the step's results, the block the others: one of these may lie
// where the product does.
class Epilogue {
 public:
  // `operands`: which of the step's operands those of the block are; kMade: what the product makes.
  static constexpr int64_t kMade = -1;
  Epilogue(std::shared_ptr<const Block> block, std::vector<int64_t> operands)
      : block_(std::move(block)), operands_(std::move(operands)) {}

  // What one part at a time takes, and what all do that are done at once.
  int64_t PartByteSize() const { return block_->register_byte_size(); }
  int64_t ScratchByteSize() const { return block_->ScratchByteSize(); }
  // What a product takes that takes `own_byte_size` alone.
  int64_t ScratchBehind(int64_t own_byte_size) const {
    const int64_t parts = PartsAtOnce(INT64_MAX) * PartByteSize();
    return std::max(CheckedAdd(own_byte_size, parts).value_or(INT64_MAX), ScratchByteSize());
  }
  // Whether `count` elements from `begin` on can be done by themselves.
  bool TakesPart(int64_t begin, int64_t count) const {
    return begin % block_->part_unit() == 0 && count % block_->part_unit() == 0;
  }
  // Does elements [begin, end) of what the product makes.
  void RunPart(Evaluation& e, int64_t begin, int64_t end) const;
  // Does all of them, on all threads.
  absl::Status Run(Evaluation& e) const;

 private:
  using Operands = absl::InlinedVector<ArrayRef, 16>;
  Operands OperandsOf(const Evaluation& e) const;

  std::shared_ptr<const Block> block_;
  std::vector<int64_t> operands_;
};

// A step whose result a block may follow in the same step.
class ProductProgram : public StepProgram {
 public:
  // The same with an epilogue, whose operands come behind the product's.
  virtual std::shared_ptr<const StepProgram> With(Epilogue epilogue) const = 0;
  const std::optional<Epilogue>& epilogue() const { return epilogue_; }
  size_t InnerResultCount() const override { return epilogue_ ? 1 : 0; }

 protected:
  std::optional<Epilogue> epilogue_;
};

// Of the program of `e`, which is null or a ProductProgram; null: there is none.
inline const Epilogue* EpilogueOf(const Evaluation& e) {
  const auto* program = static_cast<const ProductProgram*>(e.program());
  return program == nullptr || !program->epilogue() ? nullptr : &*program->epilogue();
}

// What follows a product that is there as a whole.
inline absl::Status RunEpilogue(Evaluation& e) {
  const Epilogue* const epilogue = EpilogueOf(e);
  return epilogue == nullptr ? absl::OkStatus() : epilogue->Run(e);
}

// Calls run(watch), which makes a product as the result of `e`, and does what follows it: a few
// rows, of `row_size` elements, at a time where these can be finished by themselves; 0: they
// cannot.
template <typename RunProduct>
absl::Status RunWithEpilogue(Evaluation& e, int64_t row_size, ProductWatch watch,
                             const RunProduct& run) {
  const Epilogue* const epilogue = EpilogueOf(e);
  const bool finishes_rows =
      epilogue != nullptr && row_size > 0 && epilogue->TakesPart(0, row_size);
  const auto run_part = [&](int64_t begin, int64_t end) { epilogue->RunPart(e, begin, end); };
  const ProductWatch::Finish finish(run_part);
  if (finishes_rows) watch.finish = &finish;
  HLO_RETURN_IF_ERROR(run(watch));
  return finishes_rows ? absl::OkStatus() : RunEpilogue(e);
}
template <typename T>
absl::Status RunWithEpilogue(Evaluation& e, const MatrixProduct<T>& product, ProductData<T> rows,
                             ProductData<T> columns, const T* packed, ProductWatch watch = {}) {
  const MutableArrayRef& result = e.result();
  return RunWithEpilogue(e, product.FinishedRowSize(/*has_packed=*/packed != nullptr), watch,
                         [&](const ProductWatch& seen) {
                           return product.Run(e.device(), rows, columns, packed,
                                              result.element_type, result.bytes, seen);
                         });
}
// The same in matrix registers.
inline absl::Status RunWithEpilogue(Evaluation& e, const TileProduct& product,
                                    const std::byte* rows, const std::byte* columns,
                                    const std::byte* packed) {
  const MutableArrayRef& result = e.result();
  return RunWithEpilogue(e, product.FinishedRowSize(), {}, [&](const ProductWatch& seen) {
    return product.Run(e.device(), rows, columns, packed, result.bytes, seen);
  });
}

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_PRODUCT_EPILOGUE_H_

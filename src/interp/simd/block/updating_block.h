// Blocks whose results, or some of them, dynamic-update-slices put into arrays, or are the pieces
// of a concatenation.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_UPDATING_BLOCK_H_
#define HLOKIT_INTERP_SIMD_BLOCK_UPDATING_BLOCK_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "interp/simd/block/block.h"
#include "interp/simd/block/run_time_start.h"
#include "interp/simd/movement/box_copy.h"

namespace hlo::simd {

// A box of an array that a result of a block replaces.
class ArrayUpdate {
 public:
  ArrayUpdate(const Shape& array, const Shape& box, std::vector<RunTimeStart> starts);

  // Whether a box of these sizes lies in one piece of the array.
  static bool IsOnePiece(const Shape& box, const Shape& array);

  bool is_one_piece() const { return is_one_piece_; }
  int64_t element_size() const { return element_size_; }
  int64_t count() const { return count_; }  // of the box's elements
  // The same where operands from number `first` on are one further behind.
  void MoveOperands(int64_t first);

  // Makes the result the array as it was, and finds the box in it.
  absl::Status Begin(const DeviceContext& device, std::span<const ArrayRef> operands,
                     const ArrayRef& array, MutableArrayRef& result) const;
  // Elements [begin, end) of the box, which would begin at `made`, where it begins at `to`.
  // `streams`: past the caches, where that is runs of whole lines.
  void Put(const std::byte* made, int64_t begin, int64_t end, std::byte* to, bool streams) const;

 private:
  int64_t element_size_, count_;
  bool is_one_piece_;
  std::vector<RunTimeStart> starts_;
  BoxCopy whole_, box_;
};

// Operands are the arrays, those of the block, and the starts; results the arrays, and what else
// the block makes. Of pieces there are no arrays among the operands: what is around them others
// make.
class UpdatingBlock final : public StepProgram {
 public:
  static constexpr size_t kMaxUpdates = 4;

  // `results`: which of the step's results those of the block are.
  UpdatingBlock(std::shared_ptr<const Block> block, size_t operand_count,
                std::vector<size_t> results, std::vector<ArrayUpdate> updates);
  // The first results are pieces. `streams`: of an array that is to be written past the caches.
  static std::shared_ptr<const UpdatingBlock> OfPieces(std::shared_ptr<const Block> block,
                                                       size_t operand_count,
                                                       std::vector<size_t> results,
                                                       std::vector<ArrayUpdate> pieces,
                                                       bool streams);

  bool makes_pieces() const { return makes_pieces_; }
  const std::shared_ptr<const Block>& block() const { return block_; }
  size_t operand_count() const { return operand_count_; }  // of the block
  std::span<const size_t> results() const { return results_; }
  std::span<const ArrayUpdate> updates() const { return updates_; }

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override;

 private:
  using Results = absl::InlinedVector<MutableArrayRef, 6>;

  static absl::Status RunUpdatingBlock(Evaluation& e) {
    return static_cast<const UpdatingBlock*>(e.program())->Run(e);
  }
  absl::Status Run(Evaluation& e) const;
  absl::Status RunParts(const DeviceContext& device, std::span<const ArrayRef> operands,
                        std::span<const MutableArrayRef> results) const;
  void RunPart(int64_t begin, int64_t end, std::span<const ArrayRef> operands,
               std::span<const MutableArrayRef> results, std::byte* room) const;
  // How many elements of the block there are for one of the box: more in rows that are reduced.
  int64_t ElementsOf(const ArrayUpdate& update) const { return block_->count() / update.count(); }
  // Calls visit(k, update) for results k of the block that go into several pieces of an array.
  template <typename Visit>
  void ForEachInPieces(Visit&& visit) const {
    for (size_t k = 0; k < results_.size(); ++k) {
      if (results_[k] >= updates_.size()) continue;
      const ArrayUpdate& update = updates_[results_[k]];
      if (!update.is_one_piece()) visit(k, update);
    }
  }
  int64_t MadeByteSize(const ArrayUpdate& update) const;
  int64_t PartByteSize() const { return block_->register_byte_size() + made_byte_size_; }

  std::shared_ptr<const Block> block_;
  size_t operand_count_;
  std::vector<size_t> results_;
  std::vector<ArrayUpdate> updates_;
  bool makes_pieces_ = false;
  bool streams_ = false;
  int64_t chunk_size_, part_size_;  // elements
  int64_t made_byte_size_ = 0;      // of what is made before it is put where it belongs
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_UPDATING_BLOCK_H_

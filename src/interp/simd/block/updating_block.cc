// Where a box lies in one piece of its array the block writes it there. Others are made some tiles
// at a time, which stay in the caches, and put run by run where they belong.
#include "interp/simd/block/updating_block.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/block/indexed_read.h"
#include "support/checked_math.h"
#include "support/status_macros.h"
#include "support/stream_copy.h"

namespace hlo::simd {
namespace {

constexpr int64_t kTilesAtOnce = 4;
constexpr int64_t kPartSize = 1 << 15;  // elements
constexpr int64_t kStackByteSize = 16 << 10;

// Whether runs so far apart are whole lines of the caches.
bool AreLines(const std::byte* first, int64_t size, int64_t stride) {
  const auto begin = reinterpret_cast<uintptr_t>(first);
  return (static_cast<int64_t>(begin) | size | stride) % kAlignment == 0;
}

std::array<Kernel, UpdatingBlock::kMaxUpdates + 1> KernelsOf(RunKernel run) {
  std::array<Kernel, UpdatingBlock::kMaxUpdates + 1> kernels;
  for (size_t count = 0; count < kernels.size(); ++count) {
    kernels[count] = {.run = run, .overwrite = Overwrite::kSameNumber, .same_number_count = count};
  }
  return kernels;
}

}  // namespace

ArrayUpdate::ArrayUpdate(const Shape& array, const Shape& box, std::vector<RunTimeStart> starts)
    : element_size_(ElementByteSize(array.element_type())),
      count_(CountElements(box.dims())),
      is_one_piece_(IsOnePiece(box, array)),
      starts_(std::move(starts)) {
  const std::vector<int64_t> strides = DenseStridesOf(array);
  whole_ = BoxCopy(element_size_, array.dims(), strides, strides);
  box_ = BoxCopy(element_size_, box.dims(), DenseStridesOf(box), strides);
}

// Behind the first dimension of which it has several elements it has all.
bool ArrayUpdate::IsOnePiece(const Shape& box, const Shape& array) {
  bool is_inside = false;
  for (int64_t d = 0; d < box.rank(); ++d) {
    if (is_inside && box.dim(d) != array.dim(d)) return false;
    is_inside |= box.dim(d) > 1;
  }
  return true;
}

void ArrayUpdate::MoveOperands(int64_t first) {
  for (RunTimeStart& start : starts_) start.operand += start.operand >= first ? 1 : 0;
}

absl::Status ArrayUpdate::Begin(const DeviceContext& device, std::span<const ArrayRef> operands,
                                const ArrayRef& array, MutableArrayRef& result) const {
  // The result may have been given the operand's memory.
  if (result.bytes != array.bytes) {
    HLO_RETURN_IF_ERROR(whole_.Run(device, array.bytes, result.bytes));
  }
  result.bytes += OffsetOf(starts_, operands) * element_size_;
  return absl::OkStatus();
}

void ArrayUpdate::Put(const std::byte* made, int64_t begin, int64_t end, std::byte* to,
                      bool streams) const {
  const int64_t run = box_.run_size();
  const int64_t last = end * element_size_;
  for (int64_t at = begin * element_size_; at < last;) {
    // Whole runs, or what there is of one.
    const int64_t done = at % run;
    const int64_t count = done == 0 ? std::max<int64_t>(1, (last - at) / run) : 1;
    const int64_t size = std::min(run - done, last - at);
    box_.ForEachRow(
        at / run, at / run + count,
        [&](int64_t source, int64_t target, int64_t runs, int64_t from_stride, int64_t to_stride) {
          std::byte* const target_run = to + target + done;
          const auto copy =
              streams && AreLines(target_run, size, to_stride) ? StreamRuns : CopyRuns;
          copy(size, runs, made + source + done, from_stride, target_run, to_stride);
        });
    at += count == 1 ? size : count * run;
  }
}

UpdatingBlock::UpdatingBlock(std::shared_ptr<const Block> block, size_t operand_count,
                             std::vector<size_t> results, std::vector<ArrayUpdate> updates)
    : block_(std::move(block)),
      operand_count_(operand_count),
      results_(std::move(results)),
      updates_(std::move(updates)),
      chunk_size_(kTilesAtOnce * block_->tile_size()),
      part_size_(std::max<int64_t>(1, kPartSize / chunk_size_) * chunk_size_) {
  for (const ArrayUpdate& update : updates_) {
    if (update.is_one_piece()) continue;
    made_byte_size_ += MadeByteSize(update);
  }
}

std::shared_ptr<const UpdatingBlock> UpdatingBlock::OfPieces(std::shared_ptr<const Block> block,
                                                             size_t operand_count,
                                                             std::vector<size_t> results,
                                                             std::vector<ArrayUpdate> pieces,
                                                             bool streams) {
  auto made = std::make_shared<UpdatingBlock>(std::move(block), operand_count, std::move(results),
                                              std::move(pieces));
  made->makes_pieces_ = true;
  made->streams_ = streams;
  return made;
}

int64_t UpdatingBlock::MadeByteSize(const ArrayUpdate& update) const {
  const int64_t most = std::min(chunk_size_, block_->count());
  return Aligned(most / ElementsOf(update) * update.element_size());
}

const Kernel& UpdatingBlock::kernel() const {
  static const auto kernels = KernelsOf(RunUpdatingBlock);
  // Element k of a piece is not element k of the array.
  static constexpr Kernel kOfPieces = {.run = RunUpdatingBlock};
  return makes_pieces_ ? kOfPieces : kernels[updates_.size()];
}

int64_t UpdatingBlock::ScratchByteSize() const {
  if (made_byte_size_ == 0) return block_->ScratchByteSize();
  return PartByteSize() * PartsAtOnce(CeilDiv(block_->count(), part_size_));
}

std::string UpdatingBlock::Text() const {
  if (makes_pieces_) return block_->Text() + ", into a concatenation";
  return block_->Text() + (updates_.size() == 1 ? ", into an array" : ", into arrays");
}

absl::Status UpdatingBlock::Run(Evaluation& e) const {
  Results results;
  for (const size_t number : results_) {
    MutableArrayRef& result = results.emplace_back(e.result(number));
    if (makes_pieces_ || number >= updates_.size()) continue;
    HLO_RETURN_IF_ERROR(
        updates_[number].Begin(e.device(), e.operands(), e.operand(number), result));
  }
  const size_t array_count = makes_pieces_ ? 0 : updates_.size();
  const auto operands = e.operands().subspan(array_count, operand_count_);
  return made_byte_size_ == 0 ? block_->Run(e.device(), operands, results)
                              : RunParts(e.device(), operands, results);
}

absl::Status UpdatingBlock::RunParts(const DeviceContext& device,
                                     std::span<const ArrayRef> operands,
                                     std::span<const MutableArrayRef> results) const {
  const int64_t count = block_->count();
  if (count <= part_size_ && PartByteSize() <= kStackByteSize) {
    alignas(kAlignment) std::byte room[kStackByteSize];
    RunPart(0, count, operands, results, room);
    return absl::OkStatus();
  }
  return ForEachPart(device, CeilDiv(count, part_size_), [&](int64_t part) {
    const ScratchArray<std::byte> room(device.scratch(), PartByteSize());
    RunPart(part * part_size_, std::min(count, (part + 1) * part_size_), operands, results,
            room.get());
  });
}

void UpdatingBlock::RunPart(int64_t begin, int64_t end, std::span<const ArrayRef> operands,
                            std::span<const MutableArrayRef> results, std::byte* room) const {
  Results made(results.begin(), results.end());
  for (int64_t at = begin; at < end; at += chunk_size_) {
    const int64_t chunk_end = std::min(end, at + chunk_size_);
    std::byte* next = room;
    ForEachInPieces([&](size_t k, const ArrayUpdate& update) {
      made[k].bytes = next - at / ElementsOf(update) * update.element_size();
      next += MadeByteSize(update);
    });
    block_->RunTiles(at, chunk_end, operands, made, next);
    ForEachInPieces([&](size_t k, const ArrayUpdate& update) {
      update.Put(made[k].bytes, at / ElementsOf(update), chunk_end / ElementsOf(update),
                 results[k].bytes, streams_);
    });
  }
  if (streams_) FinishStreams();
}

}  // namespace hlo::simd

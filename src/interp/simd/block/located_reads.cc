// Reads without a copy: where arrays are read in runs of elements that lie side by side, each tile
// is one run of all of them, or some that follow each other evenly, as the rows of a grid do. Of a
// tile then only the addresses are found; chains go through several runs one by one.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/block/block.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

// Shorter ones, or than a chain's groups, take longer than their copies.
constexpr int64_t kShortestRun = 32;
constexpr int64_t kLongestRun = 4096;
constexpr int64_t kLongRun = 256;
constexpr int64_t kMostElements = 1024;  // of a tile of several runs

// Not above `most`, which is positive.
int64_t LargestDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

// --- Where runs are

// So many elements that whatever it reads is runs of them, which lie side by side each; 0: it reads
// in other ways, or nothing.
int64_t BlockBuilder::RunLength(const PendingAction& pending) const {
  const Action& action = pending.action;
  const bool is_read_once = pending.period > 0 && pending.period <= kMaxPeriod;
  if (pending.is_constant || is_read_once || action.level != TileLevel::kFull) return 0;
  if (action.kind == Action::Kind::kRead) {
    const std::vector<Block::Stride>& strides = action.reads[0].strides;
    return !strides.empty() && strides.back().stride == 1 ? strides.back().size : 0;
  }
  if (action.kind != Action::Kind::kReadPieces) return 0;
  int64_t run = 0;
  for (const Block::Read& piece : action.reads) {
    if (piece.row_stride == 0) return 0;
    run = std::gcd(run, piece.row_length);
  }
  return run;
}

// So many rows of run_length_ elements that whatever it reads is groups of them, evenly spaced
// each; 0: it does not read such rows.
int64_t BlockBuilder::RunCount(const PendingAction& pending) const {
  const int64_t run = RunLength(pending);
  if (run_length_ == 0 || run == 0 || run % run_length_ != 0) return 0;
  const std::vector<Block::Stride>& strides = pending.action.reads[0].strides;
  const bool is_row = pending.action.kind == Action::Kind::kRead && run == run_length_;
  if (!is_row) return run / run_length_;
  return strides.size() == 1 ? 1 : strides[strides.size() - 2].size;
}

// Tiles of one run, or of several that follow each other evenly, of whatever is read in runs, which
// are multiples of `unit`. 0: nothing is, or runs are too short, or divide into no tiles.
int64_t BlockBuilder::TileOfRuns(int64_t unit) {
  if (row_length_ > 1 || is_of_function_) return 0;
  const int64_t group = HasWide() ? GetChainKernels64().group_size : GetChainKernels32().group_size;
  const int64_t shortest = std::max(kShortestRun, group);
  int64_t common = 0;
  for (const PendingAction& pending : pending_) {
    if (const int64_t run = RunLength(pending); run >= shortest) common = std::gcd(common, run);
  }
  if (common == 0 || common == count_) return 0;
  run_length_ = LargestDivisor(common, kLongestRun);
  if (run_length_ < shortest || run_length_ % unit != 0) return run_length_ = 0;
  // Long runs are tiles of their own where loops read them, too.
  const bool is_one = run_length_ >= kMostElements || (run_length_ >= kLongRun && !AreOfChains());
  if (is_one) return run_length_;
  int64_t rows = 0;
  for (const PendingAction& pending : pending_) {
    if (const int64_t count = RunCount(pending); count > 0) rows = std::gcd(rows, count);
  }
  return run_length_ * LargestDivisor(rows, kMostElements / run_length_);
}

// Tiles of whole rows, multiples of `unit` and of about `tile` elements, so that what is read in
// runs of many rows is read where it lies; `tile` itself if there is no such.
int64_t BlockBuilder::TileInRuns(int64_t unit, int64_t tile) {
  int64_t common = 0;
  for (const PendingAction& pending : pending_) {
    const int64_t run = RunLength(pending);
    if (run >= tile && run % unit == 0) common = std::gcd(common, run);
  }
  if (common == 0) return tile;
  const int64_t of_run = unit * LargestDivisor(common / unit, tile / unit);
  if (of_run < tile / 2) return tile;
  return run_length_ = of_run;
}

// Whether all that reads runs may be links of chains.
bool BlockBuilder::AreOfChains() const {
  absl::flat_hash_set<ValueId> runs;
  for (const PendingAction& pending : pending_) {
    if (RunCount(pending) > 0) runs.insert(pending.result);
  }
  return std::ranges::none_of(pending_, [&](const PendingAction& pending) {
    const auto is_run = [&](ValueId operand) { return runs.contains(operand); };
    return !IsLink(pending) && std::ranges::any_of(pending.operands, is_run);
  });
}

// Whether it is read where it lies: `pending`'s value gets its place then. `whole`: what is not
// read by chains alone, but as if it were dense.
bool BlockBuilder::IsLocated(const PendingAction& pending, int64_t tile,
                             const absl::flat_hash_set<ValueId>& whole) {
  const int64_t count = RunCount(pending);
  Place& place = ValueAt(pending.result).place;
  if (count * run_length_ % tile != 0 || count == 0 || place.kind != Place::Kind::kNone) {
    return false;
  }
  const std::vector<Block::Stride>& strides = pending.action.reads[0].strides;
  const bool is_row =
      pending.action.kind == Action::Kind::kRead && strides.back().size == run_length_;
  if (is_row && tile > run_length_) {
    if (whole.contains(pending.result)) return false;
    place.row_stride = strides[strides.size() - 2].stride;
  }
  place.kind = Place::Kind::kPointer;
  place.level = TileLevel::kFull;
  return true;
}

// Reads that need no copy come first, those of the same sizes together.
void BlockBuilder::LocateReads(Block& block) {
  if (run_length_ == 0 || count_ <= block.tile_) return;
  absl::flat_hash_set<ValueId> whole;
  for (const PendingAction& pending : pending_) {
    whole.insert(std::begin(pending.operands), std::end(pending.operands));
  }
  std::vector<Action> located;
  int64_t end = 0, run = 0;
  bool has_rows = false;
  std::erase_if(pending_, [&](PendingAction& pending) {
    if (!IsLocated(pending, block.tile_, whole)) return false;
    Place& place = ValueAt(pending.result).place;
    place.at = std::exchange(end, end + int64_t{sizeof(std::byte*)});
    run = std::gcd(run, RunLength(pending));
    has_rows |= place.row_stride.has_value();
    Action& action = pending.action;
    action.result = place;
    for (Block::Read& read : action.reads) read.address_at = place.at;
    if (action.kind == Action::Kind::kReadPieces) {
      action.kind = Action::Kind::kLocatePiece;
      located.push_back(std::move(action));
      return true;
    }
    action.kind = Action::Kind::kLocate;
    const auto is_alike = [&](const Action& other) {
      return other.kind == action.kind && other.result.element_size == place.element_size &&
             std::ranges::equal(other.reads[0].strides, action.reads[0].strides, {},
                                &Block::Stride::size, &Block::Stride::size);
    };
    const auto alike = std::ranges::find_if(located, is_alike);
    if (alike != located.end()) {
      alike->reads.push_back(std::move(action.reads[0]));
    } else {
      located.push_back(std::move(action));
    }
    return true;
  });
  for (PendingAction& pending : pending_) {
    const auto reads_rows = [&](const PendingAction& member) {
      return std::ranges::any_of(member.operands, [&](ValueId operand) {
        return operand != kNoValue && ValueAt(operand).place.row_stride.has_value();
      });
    };
    if (std::ranges::any_of(pending.members, reads_rows)) pending.chain_row_length = run_length_;
  }
  if (has_rows) {
    block.part_unit_ = block.tile_;
  } else {
    block.run_size_ = run;
  }
  block.register_byte_size_ = Aligned(end);
  std::ranges::move(located, std::back_inserter(block.actions_));
}

// --- Finding them

// By the index of element `begin` of a read of these sizes.
void Block::Locate(const Action& action, int64_t begin, const TileArrays& arrays) {
  int64_t index[kMaxReadRank];
  const std::vector<Stride>& sizes = action.reads[0].strides;
  const size_t rank = sizes.size();
  for (size_t d = rank; d-- > 0;) {
    index[d] = begin % sizes[d].size;
    begin /= sizes[d].size;
  }
  for (const Read& read : action.reads) {
    int64_t offset = OffsetAt(read, arrays.operands);
    for (size_t d = 0; d < rank; ++d) offset += index[d] * read.strides[d].stride;
    StoreAddress(action, read, offset, arrays);
  }
}

// The same of a concatenation one of whose pieces has the whole tile.
void Block::LocatePiece(const Action& action, int64_t begin, const TileArrays& arrays) {
  int64_t length = 0;
  for (const Read& piece : action.reads) length += piece.row_length;
  const int64_t row = begin / length;
  int64_t at = begin % length;
  const Read* piece = action.reads.data();
  for (; at >= piece->row_length; ++piece) at -= piece->row_length;
  const int64_t offset = OffsetAt(*piece, arrays.operands) + row * piece->row_stride + at;
  StoreAddress(action, *piece, offset, arrays);
}

void Block::StoreAddress(const Action& action, const Read& read, int64_t offset,
                         const TileArrays& arrays) {
  *reinterpret_cast<const std::byte**>(arrays.registers + read.address_at) =
      arrays.operands[static_cast<size_t>(read.operand)].bytes +
      offset * action.result.element_size;
}

}  // namespace hlo::simd

// Pass fuse of the simd backend: which steps become blocks.
//
// A group grows while steps are visited in order. A step joins the groups that made its operands if
// all run over the same elements, or rows of them; it closes those that it reads and cannot join,
// and a closed group takes no more members. So whoever reads a group from outside comes after its
// last member, which is where its block stands.
//
// Broadcasts, slices and the like are nobody's members: whoever reads them does what they do, by an
// IndexedRead, and they stay steps only if something else reads them as well. Then most of them
// move to right before their first reader, since what they read may be in a block by then. Products
// read in the same way, also through transposes of any kind. Reshapes are no steps by now (pass
// views): another shape of what such a step makes is read as if the reshape were a step like it.
#ifndef HLOKIT_INTERP_SIMD_FUSE_REGION_FUSER_H_
#define HLOKIT_INTERP_SIMD_FUSE_REGION_FUSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "interp/plan/plan.h"
#include "interp/simd/block/block.h"
#include "interp/simd/block/indexed_read.h"
#include "interp/simd/product/dot.h"
#include "interp/simd/reduce/counted_extreme.h"
#include "interp/simd/reduce/reduce.h"

namespace hlo::simd {

// Steps that may become a block.
struct FuseGroup {
  int64_t count = 0;
  int64_t row_length = 1;
  int64_t column_batch = 1;     // whose entries' columns are reduced
  std::vector<size_t> members;  // positions in the region, increasing
  bool is_open = true;
  size_t parent = 0;                      // itself, or the group it has become part of
  std::unique_ptr<BlockBuilder> builder;  // null: its steps stay single
};

class RegionFuser;

// What is known of all regions.
struct FuseContext {
  explicit FuseContext(Plan& plan) : plan(plan) {}

  size_t BufferOf(SlotId slot) const { return plan.slot(slot).buffer.value; }

  void FindUpdates(const Region& region) {
    for (const Step& step : region.steps) {
      if (step.opcode == Opcode::kDynamicUpdateSlice || step.opcode == Opcode::kScatter) {
        updated_buffers.insert(BufferOf(step.operands[0]));
      }
      for (const auto& nested : step.regions) FindUpdates(*nested);
    }
  }

  Plan& plan;
  absl::flat_hash_map<size_t, std::unique_ptr<IndexedRead>> reads;  // by slot
  // The same by buffer: what a reader makes may be shown in another shape by other slots, which
  // read it in memory.
  absl::flat_hash_map<size_t, const IndexedRead*> reads_of_buffers;
  // The slots that steps like those made, by buffer.
  absl::flat_hash_map<size_t, SlotId> made_by_readers;
  // What steps write to in place: a later read of what it was before would need a copy of it all.
  absl::flat_hash_set<size_t> updated_buffers;
  // In order of execution, regions in regions included.
  struct Reader {
    const Step* step;
    bool stays;  // where it is, if it is kept
    bool is_kept = false;
  };
  std::vector<Reader> readers;  // broadcasts and the like
  absl::flat_hash_map<const Step*, size_t> reader_numbers;
  // How many steps and blocks read a buffer as an array, and the buffers that a region returns.
  absl::flat_hash_map<size_t, int> read_counts;
  absl::flat_hash_set<size_t> returned_buffers;
  // Arrays that blocks put into a concatenation, by buffer, and concatenations made that way.
  struct Piece {
    SlotId slot;     // as the concatenation reads it
    SlotId whole;    // its result
    int64_t offset;  // bytes
  };
  absl::flat_hash_map<size_t, Piece> pieces;
  absl::flat_hash_set<const Step*> pieced_together;
  void CountRead(SlotId slot) { ++read_counts[BufferOf(slot)]; }
  bool IsNeeded(SlotId slot) const {
    return read_counts.contains(BufferOf(slot)) || returned_buffers.contains(BufferOf(slot));
  }
  std::vector<std::unique_ptr<RegionFuser>> regions;
};

class RegionFuser {
 public:
  RegionFuser(FuseContext& context, Region& region)
      : context_(context), plan_(context.plan), region_(region) {}

  void FindGroups();
  // Starts the blocks, and notes which buffers they and the other steps read.
  void StartBlocks();
  // Finds the concatenations whose operands blocks make where they end up.
  void FindPieces();
  // Puts the blocks in place of their members.
  void Finish();

 private:
  static constexpr size_t kNoGroup = SIZE_MAX;

  // What a single step is replaced by, with what it reads then.
  struct Replacement {
    std::shared_ptr<const StepProgram> program;
    std::span<const SlotId> operands;
  };
  DotProgram::Source DotSource(SlotId slot) const;
  std::optional<Replacement> FindDot(const Step& step) const;
  std::optional<Replacement> FindReduce(const Step& step);
  std::shared_ptr<const CountedExtreme> FindExtreme(const Step& step) const;
  // Of what is converted, as it is before; null: there is none.
  std::shared_ptr<const ConversionReduce> FindConversionReduce(const Step& step) const;
  std::optional<Replacement> FindSort(const Step& step) const;

  const Shape& ShapeOf(SlotId slot) const { return *plan_.slot(slot).shape; }
  int64_t CountOf(SlotId slot) const { return ElementCount(ShapeOf(slot)).value_or(-1); }

  size_t Find(size_t group) const {
    while (groups_[group].parent != group) group = groups_[group].parent;
    return group;
  }
  // The open group that makes `slot`.
  size_t OpenGroupOf(SlotId slot) {
    const auto found = makers_.find(context_.BufferOf(slot));
    if (found == makers_.end()) return kNoGroup;
    const size_t group = Find(found->second);
    return groups_[group].is_open ? group : kNoGroup;
  }
  size_t OpenGroupOfElements(SlotId slot);
  void NoteElementReads(const Step& step, size_t group);
  // How blocks and products read `slot`; null: in memory.
  const IndexedRead* AnyReadOf(SlotId slot) const {
    const auto found = context_.reads.find(slot.value);
    return found == context_.reads.end() ? ReadOfOtherShape(slot) : found->second.get();
  }
  const IndexedRead* ReadOfOtherShape(SlotId slot) const;
  // The same for blocks. Elements far apart are better moved once, by a kernel for that.
  const IndexedRead* ReadOf(SlotId slot) const {
    const IndexedRead* read = AnyReadOf(slot);
    return read == nullptr || read->is_far ? nullptr : read;
  }
  // The array behind `slot`; invalid for counters and where there are several.
  SlotId SourceOf(SlotId slot) const {
    const IndexedRead* read = ReadOf(slot);
    return read == nullptr ? slot : read->is_counter ? SlotId() : read->source;
  }

  // Whether `slot` is a result of the program that no step reads. Those of loops' regions are read
  // by the next round.
  bool IsOutputAlone(SlotId slot) const {
    return region_.role == Region::Role::kEntry &&
           !context_.read_counts.contains(context_.BufferOf(slot));
  }

  void Close(SlotId slot);
  void CloseBehind(SlotId array);
  void CloseAllRead(const Step& step);
  std::unique_ptr<IndexedRead> FindRead(const Step& step) const;
  std::unique_ptr<IndexedRead> NegatedRead(SlotId slot) const;
  void AddReader(const Step& step, std::unique_ptr<IndexedRead> read);
  bool IsOfTypeMade(SlotId slot) const;
  bool CanJoin(const Step& step, SlotId operand, const FuseGroup& group, int64_t row_length) const;
  int64_t TileRowLength(const Step& step);
  void Join(size_t position, const Step& step, int64_t row_length);
  bool Merge(size_t from, size_t into);
  bool ComesFrom(SlotId slot, size_t group) const;
  bool ComesFrom(const IndexedRead& read, size_t group) const;
  bool ReadsFrom(const Step& step, size_t group) const;
  bool IsMadeBy(SlotId slot, size_t group) const;
  std::vector<SlotId> ScatteredReadsOf(size_t group) const;
  bool ReadAlike(size_t a, size_t b) const;
  void MergeNeighbours();
  int64_t RepeatedRowLength(const FuseGroup& group) const;
  void EmitReaders(const Step& step, std::vector<Step>& steps);
  void EmitReader(SlotId slot, std::vector<Step>& steps);
  Step MakeBlockStep(FuseGroup& group, std::vector<Step>& members);
  bool MakesPiece(SlotId slot, const absl::flat_hash_set<size_t>& products) const;
  bool IsOfPieces(const Step& concatenation, const absl::flat_hash_set<size_t>& products,
                  absl::flat_hash_map<size_t, size_t>& counts) const;
  void NotePieces(const Step& concatenation);
  void PutIntoPlace(Step& block);

  FuseContext& context_;
  Plan& plan_;
  Region& region_;
  std::vector<FuseGroup> groups_;
  absl::flat_hash_map<size_t, size_t> makers_;           // group by buffer
  absl::flat_hash_map<size_t, ElementType> made_types_;  // the same of what they make
  absl::flat_hash_map<size_t, size_t> element_readers_;  // the last group that reads it, by buffer
  absl::flat_hash_set<size_t> totals_;                   // buffers: there when all tiles are
  absl::flat_hash_map<size_t, SlotId> converted_;        // from what, by buffer of the result
  absl::flat_hash_map<size_t, SlotId> negated_;          // the same of floats that are negated
  std::vector<size_t> group_of_;                         // by position
  absl::flat_hash_map<size_t, Replacement> replacements_;  // by position
  absl::flat_hash_map<size_t, Step> waiting_;              // readers not in place yet, by buffer
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_FUSE_REGION_FUSER_H_

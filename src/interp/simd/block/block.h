// Blocks: connected elementwise steps, with the broadcasts, slices and counters they read and the
// reductions of rows among them, done together tile by tile. Tiles are small enough that what lies
// between the steps stays in the first-level cache.
//
// A block runs over the `count` elements of its full arrays in row-major order. Where it reduces,
// these are rows of `row_length` elements, tiles are whole rows, and there are values by row too.
// Its totals are reductions of longer rows, of some rows of the block each, and of columns.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_BLOCK_H_
#define HLOKIT_INTERP_SIMD_BLOCK_BLOCK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "interp/kernel/device.h"
#include "interp/plan/plan.h"
#include "interp/simd/block/chain.h"
#include "interp/simd/block/column_pieces.h"
#include "interp/simd/block/indexed_read.h"
#include "interp/simd/block/run_time_start.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"
#include "interp/simd/loops/tile_place.h"

namespace hlo::simd {

class Block final : public StepProgram {
 public:
  // Runs all tiles. Operands and results are those of the step.
  absl::Status Run(const DeviceContext& device, std::span<const ArrayRef> operands,
                   std::span<const MutableArrayRef> results) const;

  // For those who run tiles themselves: the elements of a tile at most, the bytes it takes for
  // itself, aligned to 64, and the run of one, of the first `count` elements of all arrays.
  int64_t tile_size() const { return tile_; }
  int64_t register_byte_size() const { return register_byte_size_; }
  void RunTile(int64_t count, std::span<const ArrayRef> operands,
               std::span<const MutableArrayRef> results, std::byte* registers) const {
    RunTiles(0, count, operands, results, registers);
  }
  // The same for those who run many over the same constants: first what is made of these alone,
  // then tiles without it, with registers that keep it.
  void StartTiles(std::span<const ArrayRef> operands, std::byte* registers) const;
  void RunNextTile(int64_t count, std::span<const ArrayRef> operands,
                   std::span<const MutableArrayRef> results, std::byte* registers) const;
  // The tiles of elements [begin, end), which are multiples of part_unit().
  void RunTiles(int64_t begin, int64_t end, std::span<const ArrayRef> operands,
                std::span<const MutableArrayRef> results, std::byte* registers) const;
  int64_t count() const { return count_; }
  int64_t part_unit() const { return part_unit_; }
  bool has_table() const { return table_operand_ >= 0; }
  // Whether some results are not there before all tiles are: it is run as a whole then.
  bool has_totals() const { return !totals_.empty(); }
  // Whether it takes element k of the operand only for its own element k, or that of a row.
  bool ReadsEvenly(size_t operand) const { return reads_evenly_[operand]; }
  static constexpr size_t kMaxReadRank = 16;  // dimensions that a read goes through

  // Of a small block, for those who run it again and again.
  class RepeatedCalls;

  const Kernel& kernel() const override;
  int64_t ScratchByteSize() const override;
  std::string Text() const override { return table_operand_ < 0 ? "" : ", by a table"; }

 private:
  friend class BlockBuilder;

  // For the registers of a block of one part.
  static constexpr int64_t kStackByteSize = DeviceContext::kMomentaryByteSize;

  // After tiles and registers are known.
  void ChooseParts();
  int64_t LeastPartSize() const;
  // Where columns are reduced, of each entry of a batch.
  void ChoosePieces(int64_t batch);
  // The first `count` elements, in parts.
  absl::Status RunParts(const DeviceContext& device, int64_t count,
                        std::span<const ArrayRef> operands,
                        std::span<const MutableArrayRef> results) const;
  absl::Status RunPieces(const DeviceContext& device, std::span<const ArrayRef> operands,
                         std::span<const MutableArrayRef> results) const;
  void RunPiecesFrom(int64_t begin, int64_t end, const TileArrays& arrays) const;
  void RunTile(const Tile& tile, const TileArrays& arrays) const;
  // block_table.cc
  absl::Status RunByTable(const DeviceContext& device, std::span<const ArrayRef> operands,
                          std::span<const MutableArrayRef> results) const;
  int64_t TableByteSize() const;

  // block_totals.cc: a result whose elements are reductions of several rows, or of columns.
  struct Total {
    size_t result;             // its number, or kNoResult
    int64_t count;             // of its elements, which may lie in a larger array (block_update.h)
    size_t init;               // the number of the operand with the initial value
    ElementType type;          // of the result
    ElementType part_type;     // of the tile, or f64
    RowLoop loop;              // of rows
    CombineRows combine_rows;  // of columns; null: sums of floats
    bool is_of_columns;
    int64_t batch_count;
    int64_t outer_count;  // of rows: so many times all results of an entry have a row
  };
  static constexpr size_t kNoResult = SIZE_MAX;
  absl::Status RunTotals(const DeviceContext& device, std::span<const ArrayRef> operands,
                         std::span<const MutableArrayRef> results) const;
  std::byte* PartsByResult(const Total& total, std::byte* parts) const;
  void FinishRows(const Total& total, const std::byte* parts, const std::byte* init,
                  std::byte* result) const;
  void FinishColumns(const Total& total, int64_t entry, const std::byte* parts,
                     const std::byte* init, int64_t begin, int64_t end, std::byte* result) const;
  int64_t PartsByteSize(const Total& total) const;
  int64_t TotalByteSize(const Total& total) const;
  int64_t TotalsByteSize() const;

  using Place = TilePlace;
  // One dimension of a read.
  struct Stride {
    int64_t size;
    int64_t stride;
  };
  // Where elements are in an array, in the order in which a block goes through them.
  struct Read {
    int64_t operand = -1;
    int64_t offset = 0;  // of the first element
    std::vector<Stride> strides;
    std::vector<RunTimeStart> starts;
    // Of a piece: elements that follow each other in a row of all pieces, and, where they lie side
    // by side and rows evenly, from row to row; else 0.
    int64_t row_length = 0;
    int64_t row_stride = 0;
    int64_t address_at = 0;  // kLocate, kLocatePiece: the register of the address, in bytes
  };
  struct Action {
    enum class Kind : uint8_t {
      kLoop,
      kCopy,
      kRead,
      kReadPieces,
      kLocate,
      kLocatePiece,
      kCount,
      kRepeat,
      kReduce,
      kReduceColumns,
      kChain
    };
    Kind kind = Kind::kLoop;
    TileLevel level = TileLevel::kFull;
    TileLoop loop = nullptr;
    RowLoop row_loop = nullptr;
    // kReduceColumns: combines the columns of a tile, and `loop` that with those of the tiles
    // before; null: they are sums of floats, in f64.
    CombineRows combine_rows = nullptr;
    Place operands[3];
    Place result;
    int64_t count = 0;                     // elements, where that is not a tile of the level
    ElementType type = ElementType::kF32;  // kCount, kReduceColumns: of the elements
    // kRead, kCount: one; kReadPieces, kLocatePiece: one a piece; kLocate: some of the same sizes.
    std::vector<Read> reads;
    std::shared_ptr<const Chain> chain;
  };

  Tile TileAt(int64_t begin, int64_t end) const;
  void Do(const Action& action, const Tile& tile, const TileArrays& arrays) const;
  void DoOther(const Action& action, const Tile& tile, const TileArrays& arrays) const;
  void ReduceColumns(const Action& action, const Tile& tile, const TileArrays& arrays) const;

  // small_block.cc: an action of a block that is one small tile. Arrays are bases by number: the
  // registers, then the operands, then the results.
  struct Call {
    enum class Kind : uint16_t {
      kLoop,
      kCopyScalar,
      kCopyRun,
      kReadScalar,
      kReadRun,   // of elements that lie side by side
      kReadRuns,  // of others
      kReadPieces,
      kFill,  // with one element
      kCountScalar,
      kRepeat,
      kReduce,
      kOther,
    };
    static constexpr size_t kPlaceCount = 4;  // operands of a loop, and its result
    Kind kind;
    uint16_t number;               // of elements, or of the action: once_, then actions_
    int32_t offsets[kPlaceCount];  // bytes behind the bases
    uint8_t bases[kPlaceCount];
    TileLoop loop;
  };
  static constexpr size_t kMaxBases = 256;
  static constexpr size_t kFirstOperand = 1;  // of the bases: behind the registers
  class CallWriter;
  void MakeCalls(size_t operand_count, size_t result_count);
  const Action& ActionAt(size_t number) const {
    return number < once_.size() ? once_[number] : actions_[number - once_.size()];
  }
  int64_t CountOf(const Action& action) const;
  Call::Kind CallKindOf(const Action& action) const;
  // Of the first element.
  static int64_t OffsetAt(const Read& read, std::span<const ArrayRef> operands) {
    return read.offset + OffsetOf(read.starts, operands);
  }
  // Of an executor that runs the block again: the calls with the addresses they go to.
  class BoundCalls;
  static absl::StatusOr<std::unique_ptr<KernelState>> PrepareSmall(Evaluation& e);
  static absl::Status RunSmall(Evaluation& e);
  // Where the array lies that the action reads, at the first element it reads.
  static const std::byte* SourceOf(const Action& action, std::span<const ArrayRef> operands) {
    const Read& read = action.reads[0];
    return operands[static_cast<size_t>(read.operand)].bytes +
           OffsetAt(read, operands) * action.result.element_size;
  }
  // The addresses that calls count from.
  static void FindBases(std::byte* registers, std::span<const ArrayRef> operands,
                        std::span<const MutableArrayRef> results, std::byte** bases);
  void RunCalls(std::span<const ArrayRef> operands, std::span<const MutableArrayRef> results) const;
  void RunOther(const Call& call, std::byte* const* bases, std::span<const ArrayRef> operands,
                std::span<const MutableArrayRef> results) const;

  static void Count(const Action& action, std::span<const ArrayRef> operands, int64_t first,
                    int64_t count, std::byte* to);
  // Each of `rows` elements `row_length` times.
  static void RepeatRows(const std::byte* from, std::byte* to, int64_t element_size, int64_t rows,
                         int64_t row_length);
  template <typename T>
  static void ReadElements(const Read& read, std::span<const ArrayRef> operands, int64_t begin,
                           int64_t count, T* to);
  // located_reads.cc: where the elements of a tile lie that are read without a copy of them.
  static void Locate(const Action& action, int64_t begin, const TileArrays& arrays);
  static void LocatePiece(const Action& action, int64_t begin, const TileArrays& arrays);
  static void StoreAddress(const Action& action, const Read& read, int64_t offset,
                           const TileArrays& arrays);
  template <typename T>
  static void ReadPartOfRow(std::span<const Read> pieces, std::span<const ArrayRef> operands,
                            int64_t row, int64_t begin, int64_t count, T* to);
  template <typename T>
  static void ReadPieces(std::span<const Read> pieces, std::span<const ArrayRef> operands,
                         int64_t begin, int64_t count, T* to);

  int64_t count_ = 0;
  int64_t row_length_ = 1;
  int64_t tile_ = 0;                // elements, whole rows
  int64_t part_unit_ = 1;           // elements: rows, or tiles
  int64_t run_size_ = 0;            // elements, whole tiles, of reads without a copy; 0: none
  int64_t part_size_ = 0;           // elements, whole tiles
  bool runs_on_stack_ = false;      // all of it is one part that finds room there
  int64_t register_byte_size_ = 0;  // of all registers, and the room that chains take
  int64_t room_ = 0;                // where in the registers that is
  bool streams_ = false;            // past the caches
  int64_t table_operand_ = -1;      // whose elements alone, of 16 bits, say what the result's are
  std::vector<Action> once_;        // what is the same for all tiles
  std::vector<Action> actions_;
  std::vector<Total> totals_;
  std::optional<ColumnPieces> columns_;  // where some are of columns
  int64_t pieces_of_part_ = 1;
  std::vector<Call> calls_;         // of small blocks: all actions; of others none
  std::vector<bool> reads_evenly_;  // by operand
  bool may_overwrite_ = true;
};

// What a loop does, for those who know another way to do it.
struct TileOperation {
  enum class Kind : uint8_t { kOther, kElementwise, kConvert, kRound, kWiden, kNarrow, kFold };
  Kind kind = Kind::kOther;
  Opcode opcode = Opcode::kCopy;  // kElementwise, kFold: of a row
  // Of the tile; kWiden, kNarrow: of what has less bits than its wide form, which is f32, or f64
  // for elements of 4 bytes.
  ElementType type = ElementType::kF32;
  bool is_arithmetic_result = false;  // kRound: chain_kernels.h
  bool is_of_bf16 =
      false;  // kElementwise in f32: operands are bf16, and the result is rounded to it
  ComparisonDirection direction = ComparisonDirection::kEq;  // of kCompare
  ElementType to = ElementType::kF32;                        // kConvert: from `type`
};

// Makes a block of steps that were found to fit together (fuse.cc).
class BlockBuilder {
 public:
  BlockBuilder(const Plan& plan, int64_t count, int64_t row_length);
  // For the steps of a function that is called per element: its scalars become arrays of `count`.
  // `is_exact`: results are the reference kernels' bit for bit, of all opcodes.
  static BlockBuilder OfFunction(const Plan& plan, int64_t count, bool is_exact);

  // Whether blocks have loops for `step`: types, attributes, static shapes. Those of functions may
  // have one for it, as Add finds out, where others have none.
  static bool Takes(const Plan& plan, const Step& step, bool in_function = false);

  // Reads of `slot` go by `read`; before the steps that read it.
  void AddRead(SlotId slot, const IndexedRead* read) { reads_[slot.value] = read; }
  // No step reads `slot`, which is among the results.
  void AddOutput(SlotId slot) { outputs_.insert(slot.value); }
  // `slot`, which is among the results, is put piece by piece into a larger array.
  void AddPiece(SlotId slot) { pieces_.insert(slot.value); }
  // The arrays it reads so far.
  std::span<const SlotId> operands() const { return operands_; }
  // The next step in order of execution. False when it does not fit after all.
  bool Add(const Step& step);
  // No step makes `slot`, which is among the results as it is read.
  bool AddUnchanged(SlotId slot);
  // The finished block with `results` among the values the steps made. `operands` receives the
  // slots it reads. Null when it cannot be made.
  std::shared_ptr<const Block> Finish(std::span<const SlotId> results,
                                      std::vector<SlotId>& operands);

 private:
  using Place = Block::Place;
  using Action = Block::Action;
  using Operation = TileOperation;
  // An array within the block.
  struct Value {
    ElementType type;  // the tile's is TileType(type)
    TileLevel level;
    Place place;               // of operands that are read in place
    int64_t maker = -1;        // the action that fills its register
    bool is_constant = false;  // over all tiles
    int64_t period = 0;        // of constants: after so many elements they repeat; 0: unknown
    int64_t span = 0;          // of constants: so many elements are read
    int64_t row_value = -1;    // what it repeats for each row, if it does
    int64_t reader_count = 0;  // operands of actions, once there are chains
    int64_t chain = -1;        // the number of the one that makes it, if any
  };
  using ValueId = int64_t;
  static constexpr ValueId kNoValue = -1;

  TileLevel LevelOf(int64_t count) const {
    return count == count_ ? TileLevel::kFull : TileLevel::kRow;
  }
  int64_t CountOf(SlotId slot) const;
  ElementType TypeOf(SlotId slot) const { return plan_.slot(slot).shape->element_type(); }
  int64_t OperandNumber(SlotId slot);
  ValueId NewValue(ElementType type, TileLevel level);
  ValueId ValueOf(SlotId slot, TileLevel level);
  ValueId ReadValue(const IndexedRead& read, ElementType type, TileLevel level);
  ValueId NegatedInRows(ValueId value, const IndexedRead& read, ElementType type, TileLevel level);
  bool IsMadeHere(const IndexedRead& read) const;
  std::optional<Block::Read> ReadBy(const IndexedRead& read);
  ValueId RepeatedRow(ValueId row, ElementType type);
  ValueId OperandValue(SlotId slot, TileLevel level);
  ValueId WidenedRead(Action action, ElementType type, TileLevel level, bool is_constant);
  // The value that `loop` makes.
  ValueId Apply(TileLoop loop, std::initializer_list<ValueId> operands, ElementType type,
                TileLevel level, TileOperation operation = {});
  ValueId Widened(ValueId value, ElementType type, TileLevel level);
  ValueId Rounded(ValueId value, ElementType type, bool is_arithmetic_result = false);
  ValueId Converted(ValueId value, ElementType from, ElementType to);
  ValueId Viewed(ValueId value, ElementType from, ElementType to);
  ValueId WidenedFrom(ValueId value, ElementType type) const;
  ValueId Ordered(ValueId value, ElementType type);
  ValueId ReducedRows(const Step& step, ValueId init);
  ValueId AddReduce(const Step& step);
  ValueId AddElementwise(const Step& step, TileLevel level);

  struct PendingAction {
    Action action;
    ValueId operands[3] = {kNoValue, kNoValue, kNoValue};
    ValueId result = kNoValue;
    bool is_constant = false;
    int64_t period = 0;  // of reads: after how many elements they repeat; 0: never
    TileOperation operation;
    // kChain: its parts, and the length of the rows that it goes through one by one, or 0.
    std::vector<PendingAction> members;
    int64_t chain_row_length = 0;
    int64_t chain_number = -1;
  };
  class ChainWriter;
  // chain_joins.cc: members of a chain, one behind the other, that one link does.
  struct Join {
    size_t count;
    ValueId number, left, right;                // what is shifted, and by how much
    ValueId addend = kNoValue, sum = kNoValue;  // of a round
    ValueId result;
  };
  class JoinFinder;
  std::optional<Join> JoinAt(const PendingAction& chain, size_t first) const;
  // `fetches`: what the next tile will read, which the chain asks the caches for.
  std::shared_ptr<const Chain> WriteChain(const PendingAction& chain,
                                          std::span<const Place> fetches, int64_t tile) const;
  std::vector<Place> FetchesOfNextTile() const;
  Value& ValueAt(ValueId id) { return values_[static_cast<size_t>(id)]; }
  const Value& ValueAt(ValueId id) const { return values_[static_cast<size_t>(id)]; }

  void Push(PendingAction pending);
  bool HasWide() const;
  void ChooseTile(Block& block);
  static int64_t RowStrideOf(const Block::Read& piece);
  int64_t RunLength(const PendingAction& pending) const;
  int64_t RunCount(const PendingAction& pending) const;
  int64_t TileOfRuns(int64_t unit);
  int64_t TileInRuns(int64_t unit, int64_t tile);
  bool AreOfChains() const;
  bool IsLocated(const PendingAction& pending, int64_t tile,
                 const absl::flat_hash_set<ValueId>& whole);
  int64_t TableOperand(std::span<const SlotId> results) const;  // block_table.cc
  // block_totals.cc
  struct PendingTotal {
    SlotId made;
    Opcode opcode;
    ValueId parts;  // of rows of the block
    int64_t init;   // operand
    bool is_of_columns;
    int64_t batch_count, outer_count;  // ReducedShape
  };
  ValueId NeutralValue(Opcode opcode, ElementType type);
  ValueId AddTotal(const Step& step);
  ValueId PartsOfColumns(const Step& step, ValueId init);
  bool IsTotal(SlotId result) const;
  void PlaceTotals(Block& block, std::span<const SlotId> results);
  void FindConstants(const Block& block);
  void PlaceRegisters(Block& block);
  void LocateReads(Block& block);

  // Results, block_results.cc.
  bool NarrowsAtOnce(ValueId id, ElementType type, std::span<const SlotId> results) const;
  void ReadPlainResults(std::span<const SlotId> results);
  // An action that writes a result, and the number of the one it follows at once.
  struct PlacedStore {
    int64_t behind;
    PendingAction action;
  };
  void NumberMakers();
  void HoistActions();
  int64_t LastOperandRead() const;
  void InsertStores(std::vector<PlacedStore> stores);
  void PlaceResults(Block& block, std::span<const SlotId> results);

  // Chains, chain_builder.cc.
  static const ChainKernels& KernelsOf(const PendingAction& pending);
  LinkFunction LinkOf(const PendingAction& pending) const;
  bool IsLink(const PendingAction& pending) const { return LinkOf(pending) != nullptr; }
  void SplitClamps();
  PendingAction PartOfClamp(const PendingAction& clamp, Opcode opcode, ValueId a, ValueId b) const;
  void FormChains();
  bool CanPass(const PendingAction& pending, const PendingAction& chain) const;
  bool CanJoin(const PendingAction& pending, const PendingAction& chain) const;
  bool WritesElements(const PendingAction& pending) const;
  static constexpr int64_t kMaxPeriod = 4096;  // of reads that are done once if tiles fit them
  static int64_t WholeGroups(int64_t period);
  bool Streams(const PendingAction& member) const;
  static constexpr int64_t kFewMembers = 2;  // of a chain
  bool IsWorthwhile(const PendingAction& chain) const;
  void CloseChain(PendingAction& chain, std::vector<PendingAction>& actions);
  int64_t ChainRowLength(const PendingAction& chain) const;
  bool IsSplat(const PendingAction& chain, ValueId operand) const;
  Chain::Spread SpreadOf(const PendingAction& chain, ValueId operand) const;
  void DropUnread();
  void FindSpans(const Block& block);
  // Calls visit(value, spread) for what the action reads that others make.
  void ForEachRead(const PendingAction& pending,
                   absl::FunctionRef<void(ValueId value, Chain::Spread spread)> visit) const;

  const Plan& plan_;
  int64_t count_;
  int64_t row_length_;
  bool is_of_function_ = false;
  bool is_exact_ = false;
  std::vector<Value> values_;
  std::vector<PendingAction> pending_;
  std::vector<SlotId> operands_;
  std::vector<bool> reads_evenly_;  // by operand: element k for element k only
  absl::flat_hash_map<size_t, const IndexedRead*> reads_;  // by slot
  absl::flat_hash_set<size_t> outputs_;                    // slots
  absl::flat_hash_set<size_t> pieces_;                     // slots
  std::vector<PendingTotal> totals_;
  int64_t column_batch_ = 1;                             // whose entries' columns are reduced
  int64_t run_length_ = 0;                               // of a row of what is read in runs, or 0
  std::vector<bool> streams_;                            // by result: past the caches
  absl::flat_hash_map<size_t, ValueId> made_;            // by buffer
  absl::flat_hash_map<size_t, ElementType> made_types_;  // the same
  absl::flat_hash_map<size_t, ValueId> read_values_;     // by 2 * slot + level
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_BLOCK_H_

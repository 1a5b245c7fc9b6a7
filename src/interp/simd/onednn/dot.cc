// dot (semantics.md 10.1) by oneDNN, in parts that our threads take (product_parts.h). Columns that
// are the same in all runs are packed once, those of many rows in every run.
#include "interp/simd/onednn/dot.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/base/reach.h"
#include "interp/simd/instruction_set.h"
#include "interp/simd/onednn/one_thread.h"
#include "interp/simd/onednn/product_parts.h"
#include "interp/simd/onednn/written_types.h"
#include "interp/simd/product/byte_products.h"
#include "interp/simd/product/dot.h"
#include "interp/simd/product/epilogue.h"
#include "interp/simd/product/tile_kernels.h"
#include "interp/simd/product/tile_product.h"
#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

int64_t ByteSizeOf(const std::optional<CollectedRows>& rows) {
  return rows ? rows->count * rows->byte_size : 0;
}

class LibraryDot final : public ProductProgram {
 public:
  LibraryDot(OpView op, InstructionId instruction, std::array<OperandPlace, 2> places,
             std::shared_ptr<const ProductParts> parts, std::string reads, bool are_columns_fixed)
      : instruction_(instruction),
        places_(std::move(places)),
        parts_(std::move(parts)),
        reads_(std::move(reads)),
        element_size_(ElementByteSize(op.operand_shape(0).element_type())),
        out_element_size_(ElementByteSize(op.written_shape()->element_type())),
        are_columns_fixed_(are_columns_fixed) {}

  const ProductParts& parts() const { return *parts_; }
  // Whether the epilogue follows each part, not all of them.
  bool finishes_parts() const { return finishes_parts_; }
  // Where an element of an operand, or of the result, lies.
  const std::byte* Operand(const Evaluation& e, size_t i, int64_t offset) const {
    return e.operand(i).bytes + (places_[i].offset + offset) * element_size_;
  }
  std::byte* Result(const Evaluation& e, int64_t offset) const {
    return e.result().bytes + offset * out_element_size_;
  }

  const Kernel& kernel() const override;
  InstructionId instruction() const override { return instruction_; }
  std::shared_ptr<const StepProgram> With(Epilogue epilogue) const override;
  int64_t ScratchByteSize() const override;
  int64_t StateByteSize(IsFixedOperand is_fixed) const override {
    return is_fixed(1) ? parts_->packed_byte_size() : 0;
  }
  std::string Text() const override {
    return fmt::format("{}, oneDNN {}", reads_, parts_->form(0).implementation());
  }

 private:
  InstructionId instruction_;
  std::array<OperandPlace, 2> places_;
  std::shared_ptr<const ProductParts> parts_;
  std::string reads_;  // what our own program says of the operands
  int64_t element_size_, out_element_size_;
  bool are_columns_fixed_;
  bool finishes_parts_ = false;
};

std::shared_ptr<const StepProgram> LibraryDot::With(Epilogue epilogue) const {
  auto program = std::make_shared<LibraryDot>(*this);
  program->finishes_parts_ = parts_->has_dense_results() &&
                             std::ranges::all_of(parts_->parts(), [&](const ProductPart& part) {
                               return epilogue.TakesPart(part.out, parts_->ResultCount(part.kind));
                             });
  program->epilogue_ = std::move(epilogue);
  return program;
}

// As many threads as there are processors are at work.
int64_t LibraryDot::ScratchByteSize() const {
  const int64_t collected =
      Aligned(ByteSizeOf(parts_->Collected(0))) + Aligned(ByteSizeOf(parts_->RowsToCollect(0)));
  const int64_t part = std::max(parts_->scratch_byte_size() + collected,
                                finishes_parts_ ? epilogue_->PartByteSize() : 0);
  const int64_t own = PartsAtOnce(std::ssize(parts_->parts())) * part +
                      (are_columns_fixed_ ? 0 : parts_->packed_byte_size());
  return epilogue_ ? std::max(own, epilogue_->ScratchByteSize()) : own;
}

class DotState final : public KernelState {
 public:
  static absl::StatusOr<std::unique_ptr<KernelState>> Make(Evaluation& e);

  explicit DotState(const LibraryDot& dot) : dot_(dot), parts_(dot.parts()) {}

  absl::Status Run(Evaluation& e) const;

 private:
  absl::Status Compile();
  absl::Status RunParts(Evaluation& e, int64_t first, const std::byte* packed) const;
  absl::Status RunPart(Evaluation& e, size_t number, const std::byte* packed, bool adds) const;
  absl::Status PackColumns(const Evaluation& e, const DeviceContext& device,
                           std::byte* packed) const;

  const LibraryDot& dot_;
  const ProductParts& parts_;
  Stream stream_;
  std::vector<Call> calls_;                   // of the parts
  std::vector<std::optional<Call>> packing_;  // of the blocks; none where we pack them
  AlignedMemory packed_;                      // of columns that are always the same
};

absl::StatusOr<std::unique_ptr<KernelState>> DotState::Make(Evaluation& e) {
  const auto& dot = static_cast<const LibraryDot&>(*e.program());
  auto state = std::make_unique<DotState>(dot);
  absl::Status status;
  WithOneThread(*FindLibrary(), [&] { status = state->Compile(); });
  HLO_RETURN_IF_ERROR(status);
  if (e.IsFixed(1) && dot.parts().packed_byte_size() > 0) {
    state->packed_ = AlignedMemory(dot.parts().packed_byte_size());
    HLO_RETURN_IF_ERROR(state->PackColumns(e, e.device(), state->packed_.get()));
  }
  return state;
}

absl::Status DotState::Compile() {
  // Calls of one kind share what is compiled.
  std::array<const Call*, ProductParts::kKindCount> made = {};
  const auto make = [&](PartKind kind, const Form& form, std::span<const int> arguments) {
    return made[kind] == nullptr ? Call::Make(form, arguments) : made[kind]->Again();
  };
  constexpr std::array kArrays = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
  constexpr std::array kReordered = {DNNL_ARG_FROM, DNNL_ARG_TO};
  calls_.reserve(parts_.parts().size());
  for (const ProductPart& part : parts_.parts()) {
    HLO_ASSIGN_OR_RETURN(Call call, make(part.kind, parts_.form(part.kind), kArrays));
    calls_.push_back(std::move(call));
    made[part.kind] = &calls_.back();
  }
  made = {};
  packing_.resize(parts_.blocks().size());
  for (size_t i = 0; i < packing_.size(); ++i) {
    const PartKind kind = parts_.blocks()[i].kind;
    const ColumnPacking& packing = parts_.packing(kind);
    if (packing.own) continue;
    HLO_ASSIGN_OR_RETURN(packing_[i], make(kind, *packing.form, kReordered));
    made[kind] = &*packing_[i];
  }
  return absl::OkStatus();
}

absl::Status DotState::PackColumns(const Evaluation& e, const DeviceContext& device,
                                   std::byte* packed) const {
  return ForEachOnOneThread(device, std::ssize(packing_), [&](int64_t i) {
    const ColumnBlock& block = parts_.blocks()[i];
    const std::byte* const from = dot_.Operand(e, 1, block.columns);
    if (const auto& own = parts_.packing(block.kind).own) {
      own->Run(from, packed + block.packed);
      return absl::OkStatus();
    }
    const ScratchArray<std::byte> scratch(device.scratch(), parts_.scratch_byte_size());
    return packing_[i]->Run(stream_, Arrays(from, packed + block.packed), scratch.get());
  });
}

absl::Status DotState::Run(Evaluation& e) const {
  const DeviceContext& device = e.device();
  const std::byte* packed = packed_.get();
  ScratchArray<std::byte> memory;
  if (packed == nullptr && parts_.packed_byte_size() > 0) {
    memory = {device.scratch(), parts_.packed_byte_size()};
    HLO_RETURN_IF_ERROR(PackColumns(e, device, memory.get()));
    packed = memory.get();
  }
  const int64_t sum_count = parts_.sum_count();
  HLO_RETURN_IF_ERROR(ForEachOnOneThread(device, std::ssize(calls_) / sum_count, [&](int64_t i) {
    return RunParts(e, i * sum_count, packed);
  }));
  const bool is_finished = dot_.finishes_parts() || !dot_.epilogue();
  return is_finished ? absl::OkStatus() : dot_.epilogue()->Run(e);
}

// Those that make pieces of the same sums.
absl::Status DotState::RunParts(Evaluation& e, int64_t first, const std::byte* packed) const {
  for (int64_t i = first; i < first + parts_.sum_count(); ++i) {
    HLO_RETURN_IF_ERROR(RunPart(e, static_cast<size_t>(i), packed, /*adds=*/i > first));
  }
  if (dot_.finishes_parts()) {
    const ProductPart& part = parts_.parts()[static_cast<size_t>(first)];
    dot_.epilogue()->RunPart(e, part.out, part.out + parts_.ResultCount(part.kind));
  }
  return absl::OkStatus();
}

absl::Status DotState::RunPart(Evaluation& e, size_t number, const std::byte* packed,
                               bool adds) const {
  const ProductPart& part = parts_.parts()[number];
  const std::byte* const columns =
      part.block >= 0 ? packed + parts_.blocks()[static_cast<size_t>(part.block)].packed
                      : dot_.Operand(e, 1, part.columns);
  std::byte* const out = dot_.Result(e, part.out);
  const std::byte* rows = dot_.Operand(e, 0, part.rows);
  const auto rows_to_collect = parts_.RowsToCollect(part.kind);
  const auto collected = parts_.Collected(part.kind);
  const ScratchArray<std::byte> dense_rows(e.device().scratch(), ByteSizeOf(rows_to_collect));
  const ScratchArray<std::byte> made(e.device().scratch(), ByteSizeOf(collected));
  if (rows_to_collect) {
    CollectRows(*rows_to_collect, rows, dense_rows.get());
    rows = dense_rows.get();
  }
  const ScratchArray<std::byte> scratch(e.device().scratch(), parts_.scratch_byte_size());
  std::byte* const results = collected ? made.get() : out;
  HLO_RETURN_IF_ERROR(calls_[number].Run(stream_, Arrays(rows, columns, results), scratch.get()));
  if (collected) (adds ? AddRows : StoreRows)(*collected, results, out);
  return absl::OkStatus();
}

const Kernel& LibraryDot::kernel() const {
  static constexpr Kernel kKernel = {
      .run = [](Evaluation& e) { return e.state<DotState>().Run(e); }, .prepare = DotState::Make};
  return kKernel;
}

constexpr int64_t kLeastRows = 16;  // and columns and terms: with fewer memory is what limits
constexpr int64_t kManyToPack = int64_t{1} << 20;  // elements of columns

// The terms of both sides lie side by side.
bool HasDenseTerms(const ProductShape& shape) {
  return shape.sum.IsDense(&ProductDimension::row_stride) &&
         shape.sum.IsDense(&ProductDimension::column_stride);
}

// Few rows by many columns, the terms of both side by side.
bool HasFewRowsForMany(const ProductShape& shape) {
  constexpr int64_t kFewRows = 32, kSomeRows = 64, kMany = int64_t{1} << 22;
  const int64_t size = Times(shape.columns.count(), shape.sum.count());
  return size >= kManyToPack && shape.rows.count() <= (size < kMany ? kFewRows : kSomeRows) &&
         HasDenseTerms(shape);
}

// Some rows by many columns in lines, from which ours copies pieces: the library reads lines a
// multiple of a page apart, which push each other out of the caches, again and again. Others it
// multiplies faster, unless memory limits.
bool HasLinesForOurs(const ProductShape& shape) {
  constexpr int64_t kPageSize = 4096;
  constexpr int64_t kSomeRows = 32, kMany = int64_t{1} << 22;  // elements of columns
  if (!MatrixProduct<float>::ReadsManyColumns(shape)) return false;
  const int64_t distance = shape.sum.Distance(&ProductDimension::column_stride);
  return distance * static_cast<int64_t>(sizeof(float)) % kPageSize == 0 ||
         (shape.rows.count() <= kSomeRows &&
          Times(shape.columns.count(), shape.sum.count()) >= kMany);
}

// Many rows, side by side, by some columns, that change or not: ours takes the rows for columns.
bool HasRowsForOurs(const ProductShape& shape) {
  return MatrixProduct<float>::ReadsManyColumns(Turned(shape));
}

// From how many rows on, where vectors multiply bf16, those of the library are faster than ours:
// these read columns as they lie, the terms of both sides side by side (line_products.h), or lines
// of columns (paired_rows.h), which the library turns for each part.
int64_t LeastBf16Rows(const ProductShape& shape, bool are_columns_fixed) {
  constexpr int64_t kOutOfCaches = int64_t{1} << 24;
  constexpr int64_t kShortSum = 256, kLongSum = 512;
  const int64_t size = Times(shape.columns.count(), shape.sum.count());
  if (!shape.sum.IsDense(&ProductDimension::column_stride)) {
    if (size < kManyToPack) return 4;
    return are_columns_fixed ? kLeastRows : kMaxWideRows + 1;
  }
  if (!shape.sum.IsDense(&ProductDimension::row_stride)) return 4;
  // What comes from memory is ours whatever the sums are.
  const auto has_fewer_terms = [&](int64_t count) {
    return size < kOutOfCaches && shape.sum.count() < count;
  };
  if (has_fewer_terms(kShortSum)) return 4;
  return are_columns_fixed || has_fewer_terms(kLongSum) ? kLeastRows : kMaxWideRows + 1;
}

// Columns that are the same in all runs, unless bringing them to another layout, and memory for it,
// wins little for few rows.
bool KeepsPacked(const ProductShape& shape, bool are_columns_fixed) {
  return are_columns_fixed && (shape.rows.count() >= kLeastRows ||
                               Times(shape.columns.count(), shape.sum.count()) < kManyToPack);
}

// From how many rows on packing columns that change is nothing beside them. Those of narrow types
// the library packs for each part by itself.
int64_t LeastRowsToPackFor(ElementType type) {
  if (type == ElementType::kS8) return std::numeric_limits<int64_t>::max();
  return type == ElementType::kBf16 ? 2048 : 1024;
}

// Few rows of bytes by many columns that are not packed once, the terms of both side by side, which
// ours takes as they lie (line_products.h).
bool HasByteLines(const ProductShape& shape, bool are_columns_fixed) {
  constexpr int64_t kMany = int64_t{1} << 22;
  const int64_t size = Times(shape.columns.count(), shape.sum.count());
  const bool has_many = size >= kMany || CutsByteSums(shape.sum.count());
  return size >= kManyToPack && shape.rows.count() <= (has_many ? kMaxDotLines : kLeastRows) &&
         !KeepsPacked(shape, are_columns_fixed) && HasDenseTerms(shape) &&
         AvailableByteProducts() == ByteProducts::kFour;
}

// Whether the library multiplies 8-bit integers faster than we do. Sums that it makes in pieces, by
// columns that are not packed, it makes by its plain product.
bool AreBytesFaster(const ProductShape& shape, bool are_columns_fixed) {
  if (HasMatrixRegisters() || HasByteLines(shape, are_columns_fixed)) return false;
  constexpr int64_t kFewRows = 64;
  const int64_t rows = shape.rows.count();
  if (!CutsByteSums(shape.sum.count()) || KeepsPacked(shape, are_columns_fixed)) return rows >= 4;
  return rows >= 8 && (rows <= kFewRows || !shape.sum.IsDense(&ProductDimension::column_stride));
}

// Few rows by many columns, which our matrix registers pack in parts or load as they lie.
bool HasFewRowsForTiles(const ProductShape& shape) {
  return shape.rows.count() < shape.columns.count() &&
         Times(shape.columns.count(), shape.sum.count()) >= kManyToPack &&
         TileProduct::TakesFewLines(shape, ElementType::kBf16);
}

// Columns in lines, whose terms our matrix registers join for all columns of a part at once. The
// more rows there are, the less that is of the work.
bool HasLinesForTiles(const ProductShape& shape) {
  struct Least {
    int64_t most_rows, columns, size;  // size: elements of columns
  };
  static constexpr Least kLeast[] = {{64, 512, int64_t{1} << 17},
                                     {128, 768, int64_t{1} << 19},
                                     {INT64_MAX, 768, int64_t{1} << 20}};
  constexpr int64_t kLeastRun = 64;  // that lie side by side
  const int64_t rows = shape.rows.count(), columns = shape.columns.count();
  const Least& least =
      *std::ranges::find_if(kLeast, [&](const Least& some) { return rows <= some.most_rows; });
  return HasMatrixRegisters() && shape.batch.count() == 1 && columns >= least.columns &&
         Times(columns, shape.sum.count()) >= least.size &&
         shape.columns.RunSize(&ProductDimension::column_stride) >= kLeastRun;
}

// Whether the library multiplies so many rows faster than we do.
bool AreRowsFaster(const ProductShape& shape, ElementType type, bool are_columns_fixed) {
  const int64_t rows = shape.rows.count();
  if (type == ElementType::kS8) return AreBytesFaster(shape, are_columns_fixed);
  if (type == ElementType::kBf16) {
    // Ours widens them as it goes.
    if (!HasFastBf16Products()) return false;
    if (HasFewRowsForTiles(shape) || HasLinesForTiles(shape)) return false;
    if (HasBf16Vectors()) return rows >= LeastBf16Rows(shape, are_columns_fixed);
  }
  if (rows < kLeastRows || HasRowsForOurs(shape)) return false;
  // Ours packs such rows, and reads the columns as they lie.
  return are_columns_fixed || !(HasFewRowsForMany(shape) || HasLinesForOurs(shape));
}

// Whether the library wins anything, and in a single run what it takes to make it.
bool IsWorthIt(const Plan& plan, const ProductShape& shape, ElementType type,
               bool are_columns_fixed, bool repeats) {
  if (plan.library_use == LibraryUse::kWherePossible) return true;
  if (!AreRowsFaster(shape, type, are_columns_fixed) ||
      std::min(shape.columns.count(), shape.sum.count()) < kLeastRows) {
    return false;
  }
  const int64_t products = Times(Times(shape.rows.count(), shape.columns.count()),
                                 Times(shape.sum.count(), shape.batch.count()));
  // Large ones of ours take half to all of its time with AVX2.
  if (!HasAvx512() && products >= int64_t{1} << 26) return false;
  const int least_repeated = type == ElementType::kS8 ? 16 : 15;
  return products >= int64_t{1} << (repeats ? least_repeated : 30);
}

// What the library makes of bf16 by its plain product, our matrix registers make in 0.5 to 0.9 of
// the time.
bool IsSlow(const Plan& plan, const ProductParts& parts, ElementType type) {
  return plan.library_use != LibraryUse::kWherePossible && type == ElementType::kBf16 &&
         HasMatrixRegisters() && parts.form(0).implementation().starts_with("gemm");
}

bool IsEmpty(const ProductShape& shape) {
  return std::min({shape.rows.count(), shape.columns.count(), shape.sum.count(),
                   shape.batch.count()}) == 0;
}

// A step whose operands lie at `places` of the arrays that `reads` says.
struct ProductStep {
  const Plan& plan;
  const Step& step;
  const std::array<OperandPlace, 2>& places;
  std::string reads;
};

std::shared_ptr<const StepProgram> MakeProgram(const ProductStep& of, const ProductShape& shape,
                                               bool repeats, ProductPartsCache& products) {
  const OpView op(*of.plan.module, of.plan.instruction(of.step));
  const ElementType type = op.operand_shape(0).element_type();
  const bool are_columns_fixed = of.plan.is_fixed(of.step.operands[1], of.step.kept_loop);
  if (IsEmpty(shape) || !IsWorthIt(of.plan, shape, type, are_columns_fixed, repeats) ||
      FindLibrary() == nullptr) {
    return nullptr;
  }
  std::shared_ptr<const ProductParts> parts;
  WithOneThread(*FindLibrary(), [&] {
    parts = products.Make(
        shape, type, op.written_shape()->element_type(),
        KeepsPacked(shape, are_columns_fixed) || shape.rows.count() >= LeastRowsToPackFor(type));
  });
  if (parts == nullptr || IsSlow(of.plan, *parts, type)) return nullptr;
  return std::make_shared<LibraryDot>(op, of.step.instruction, of.places, std::move(parts),
                                      of.reads, are_columns_fixed);
}

}  // namespace

std::shared_ptr<const StepProgram> MakeDotProgram(const Plan& plan, const Step& step, bool repeats,
                                                  ProductPartsCache& products) {
  const bool is_dot = step.kind == StepKind::kKernel && step.opcode == Opcode::kDot &&
                      plan.instruction(step).opcode == Opcode::kDot && step.operands.size() == 2;
  if (!is_dot) return nullptr;
  const OpView op(*plan.module, plan.instruction(step));
  if (!IsWithinReach(plan, step) || !HasWrittenTypes(plan, step, op) ||
      op.operand_shape(0).element_type() != op.operand_shape(1).element_type() ||
      op.written_shape()->HasDynamicDim()) {
    return nullptr;
  }
  const auto* own = static_cast<const DotProgram*>(step.program.get());
  const std::array<OperandPlace, 2> places = own == nullptr ? OwnPlaces(op) : own->places();
  const ProductStep of = {plan, step, places, own == nullptr ? "" : own->Text()};
  return MakeProgram(of, DotShape(op, places, /*may_swap=*/false).product, repeats, products);
}

std::shared_ptr<const StepProgram> MakeProductProgram(const Plan& plan, const Step& step,
                                                      const ProductShape& shape, bool repeats,
                                                      ProductPartsCache& products) {
  const OpView op(*plan.module, plan.instruction(step));
  const std::array<OperandPlace, 2> places = OwnPlaces(op);
  return MakeProgram({plan, step, places, ""}, shape, repeats, products);
}

}  // namespace hlo::simd::onednn

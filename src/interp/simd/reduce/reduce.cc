// reduce (semantics.md 9.1), also of what is converted, which need not be written then. The input
// is read in runs that lie in one piece: either terms of one sum, or one term of each of several
// sums side by side. The terms are cut into pieces, each with sums of its own, which depend on
// sizes alone; these are combined in order at the end. Sums of floats are f64 (row_kernels.h),
// those of complex numbers pairs of f64, and their terms rows of floats, real and imaginary parts
// in turn. Where only few terms of a sum lie side by side, and there are more elsewhere, each of
// these few has a sum of its own until the end.
#include "interp/simd/reduce/reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/scratch.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/loops/block_kernels.h"
#include "interp/simd/loops/row_kernels.h"
#include "interp/simd/reduce/window_pass.h"
#include "interp/simd/simd.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kTile = 1024;  // elements of a run that are combined at once
// Elements that are worth a part of their own, and of large arrays, where parts are many.
constexpr int64_t kPieceSize = int64_t{1} << 16;
constexpr int64_t kLargePieceSize = int64_t{1} << 18;
constexpr int64_t kManyParts = 64;
constexpr int64_t kRowsAtOnce = 2048;   // whose sums stay in a cache
constexpr int64_t kShortRow = 16;       // floats
constexpr int64_t kShortRowSums = 256;  // of rows that are joined

struct Dimension {
  int64_t size;
  int64_t stride;  // elements
};

bool IsRealOrComplex(ElementType type) { return IsFloat(type) || IsComplex(type); }

// What sums by `opcode` of elements of `type` are.
ElementType SumType(Opcode opcode, ElementType type) {
  if (opcode != Opcode::kAdd) return TileType(type);
  if (IsComplex(type)) return ElementType::kC128;
  return IsFloat(type) ? ElementType::kF64 : TileType(type);
}

// Dimensions as one, outermost first; neighbours that are one in memory are joined.
class Dimensions {
 public:
  void Add(Dimension dimension) {
    count_ *= dimension.size;
    if (dimension.size == 1) return;
    if (!list_.empty() && list_.back().stride == dimension.size * dimension.stride) {
      list_.back() = {list_.back().size * dimension.size, dimension.stride};
      return;
    }
    list_.push_back(dimension);
  }
  int64_t count() const { return count_; }
  // The size of the innermost one if its elements lie side by side, else 1.
  int64_t run() const { return !list_.empty() && list_.back().stride == 1 ? list_.back().size : 1; }
  // The innermost one.
  Dimension last() const { return list_.empty() ? Dimension{1, 0} : list_.back(); }
  int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (size_t d = list_.size(); d-- > 0;) {
      offset += index % list_[d].size * list_[d].stride;
      index /= list_[d].size;
    }
    return offset;
  }

 private:
  std::vector<Dimension> list_;
  int64_t count_ = 1;
};

// How a reduction is cut into pieces: some results as a whole, or parts of the terms of some.
struct Pieces {
  // Results of a piece are a multiple of `fold`.
  Pieces(const Dimensions& kept, const Dimensions& terms, bool has_rows, int64_t fold) {
    const int64_t size =
        std::clamp(kept.count() * terms.count() / kManyParts, kPieceSize, kLargePieceSize);
    kept_size = std::clamp<int64_t>(size / std::max<int64_t>(1, terms.count()),
                                    has_rows ? 1 : std::min(kTile, kept.run()),
                                    std::max<int64_t>(1, kept.count()));
    kept_size = CeilDiv(kept_size, fold) * fold;
    kept_count = CeilDiv(kept.count(), kept_size);
    term_size = kept_count < 16 ? std::max<int64_t>(1, size / kept_size)
                                : std::max<int64_t>(1, terms.count());
    term_count = std::max<int64_t>(1, CeilDiv(terms.count(), term_size));
  }

  int64_t kept_size;   // results of a piece
  int64_t kept_count;  // pieces of results
  int64_t term_size;   // terms of a piece
  int64_t term_count;  // pieces of terms
};

class Reduction {
 public:
  explicit Reduction(Evaluation& e)
      : Reduction(e.op(), 0, e.operand(0).element_type, e.Function(Attr::kToApply).form().opcode) {}
  // Of array `array`, whose input is of `type`, which may be converted to the written one.
  Reduction(const OpView& op, size_t array, ElementType type, Opcode opcode);

  absl::Status Run(Evaluation& e) const;
  // What that takes: a sum for each result and each piece of terms, and rounded ones.
  double ScratchByteSize() const;

 private:
  static constexpr int64_t kLeastRow = 32;  // of pairs that are worth columns

  // Some neighbouring results and some neighbouring terms of each.
  struct Piece {
    int64_t kept_begin, kept_end;
    int64_t term_begin, term_end;
  };

  // `count` elements of `type` at `from` as accumulators, at `tile` or where they are.
  const void* Load(ElementType type, const std::byte* from, int64_t count, std::byte* tile) const;
  void ReduceRows(const std::byte* input, const Piece& piece, std::byte* sums) const;
  void ReduceRuns(const std::byte* from, int64_t stride, int64_t row_count, int64_t count,
                  std::byte* sums) const;
  void ReduceRun(const std::byte* from, int64_t count, std::byte* sum) const;
  void SumPairs(const std::byte* from, int64_t count, double* sum) const;
  void ReduceColumns(const std::byte* input, const Piece& piece, std::byte* sums) const;
  int64_t ReduceShortRows(const std::byte* from, int64_t count, int64_t rows, std::byte* sum) const;
  int64_t SumShortRows(const std::byte* from, int64_t count, int64_t rows, double* sum) const;
  void Store(std::byte* sums, int64_t count, const std::byte* init, std::byte* results) const;
  std::byte* At(std::byte* sums, int64_t i) const { return sums + i * sum_size_; }

  size_t array_;
  ElementType type_;         // of the input
  ElementType result_type_;  // and of the initial value
  ElementType sum_type_;     // f64, c128, or the tile's
  int64_t element_size_, sum_size_;
  int64_t part_count_;  // of an element: 2 of complex numbers
  Dimensions kept_, terms_;
  int64_t fold_ = 1;  // sums of a result: of the terms that lie side by side
  bool has_rows_;     // runs are terms of one sum
  TileLoop combine_;
  RowLoop combine_row_;
  SumTerms sum_terms_ = nullptr;  // sums of floats, where values need not become f64 first
  SumRows sum_rows_ = nullptr;
  SumPairRows sum_pairs_ = nullptr;  // of complex numbers
  Opcode opcode_;
};

// The dimensions of terms; those with a window of a reduce-window whose windows cover all elements.
std::vector<int64_t> ReducedDimensions(const OpView& op) {
  if (op.opcode() != Opcode::kReduceWindow) {
    const auto dimensions = op.Get<Attr::kDimensions>();
    return {dimensions.begin(), dimensions.end()};
  }
  std::vector<int64_t> dimensions;
  const Window window = op.Get<Attr::kWindow>();
  for (int64_t d = 0; d < op.operand_shape(0).rank(); ++d) {
    if (!IsTrivialWindow(WindowDimensionAt(window, d))) dimensions.push_back(d);
  }
  return dimensions;
}

// The first of the innermost dimensions if these are reduced, have few elements, and more terms of
// sums of real numbers lie elsewhere; otherwise the rank.
int64_t FirstFolded(const Shape& input, std::span<const int64_t> reduced) {
  constexpr int64_t kMaxFold = 32, kMinTerms = 16;
  const auto is_reduced = [&](int64_t d) { return std::ranges::find(reduced, d) != reduced.end(); };
  int64_t first = input.rank(), fold = 1, terms = 1;
  while (first > 0 && (is_reduced(first - 1) || input.dim(first - 1) == 1)) {
    fold *= input.dim(--first);
  }
  for (int64_t d = 0; d < first; ++d) terms *= is_reduced(d) ? input.dim(d) : 1;
  const bool is_worth_it = fold > 1 && fold <= kMaxFold && terms >= kMinTerms;
  return is_worth_it && !IsComplex(input.element_type()) ? first : input.rank();
}

Reduction::Reduction(const OpView& op, size_t array, ElementType type, Opcode opcode)
    : array_(array), type_(type), opcode_(opcode) {
  const Shape& input = op.operand_shape(static_cast<int64_t>(array));
  const std::vector<int64_t> reduced = ReducedDimensions(op);
  result_type_ = input.element_type();
  element_size_ = ElementByteSize(type_);
  part_count_ = IsComplex(type_) ? 2 : 1;
  sum_type_ = SumType(opcode_, type_);
  sum_size_ = ElementByteSize(sum_type_);
  std::vector<int64_t> strides(static_cast<size_t>(input.rank()), 1);
  for (size_t d = strides.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * input.dim(static_cast<int64_t>(d));
  }
  const int64_t first_folded = FirstFolded(input, reduced);
  for (int64_t d = 0; d < input.rank(); ++d) {
    const bool is_term = std::ranges::find(reduced, d) != reduced.end() && d < first_folded;
    if (d >= first_folded) fold_ *= input.dim(d);
    (is_term ? terms_ : kept_).Add({input.dim(d), strides[static_cast<size_t>(d)]});
  }
  has_rows_ = terms_.run() > 1 || kept_.run() == 1;
  combine_ = GetBlockKernels().elementwise(opcode_, sum_type_);
  combine_row_ = GetRowKernels().reduce(opcode_, sum_type_);
  if (opcode_ == Opcode::kAdd && IsRealOrComplex(type_)) {
    const ElementType part_type = IsComplex(type_) ? ComponentType(type_) : type_;
    sum_terms_ = GetRowKernels().sum_terms(part_type);
    sum_rows_ = GetRowKernels().sum_rows(part_type);
    sum_pairs_ = GetRowKernels().sum_pairs(part_type);
  }
}

const void* Reduction::Load(ElementType type, const std::byte* from, int64_t count,
                            std::byte* tile) const {
  const BlockKernels& kernels = GetBlockKernels();
  const ElementType tile_type = TileType(type);
  if (tile_type == type) {
    if (sum_type_ == type) return from;
    kernels.convert(type, sum_type_)(from, nullptr, nullptr, tile, count);
    return tile;
  }
  if (sum_type_ == tile_type) {
    kernels.widen(type)(from, nullptr, nullptr, tile, count);
    return tile;
  }
  alignas(64) float widened[kTile];
  kernels.widen(type)(from, nullptr, nullptr, widened, count);
  kernels.convert(tile_type, sum_type_)(widened, nullptr, nullptr, tile, count);
  return tile;
}

void Reduction::ReduceRows(const std::byte* input, const Piece& piece, std::byte* sums) const {
  const int64_t run = terms_.run();
  const Dimension rows = kept_.last();
  for (int64_t k = piece.kept_begin; k < piece.kept_end;) {
    const int64_t base = kept_.Offset(k);
    const int64_t row_count = std::min(rows.size - k % rows.size, piece.kept_end - k);
    for (int64_t t = piece.term_begin; t < piece.term_end;) {
      const int64_t count = std::min(run - t % run, piece.term_end - t);
      ReduceRuns(input + (base + terms_.Offset(t)) * element_size_, rows.stride, row_count, count,
                 At(sums, k - piece.kept_begin));
      t += count;
    }
    k += row_count;
  }
}

// The same `count` terms of neighbouring results, whose elements are `stride` apart.
void Reduction::ReduceRuns(const std::byte* from, int64_t stride, int64_t row_count, int64_t count,
                           std::byte* sums) const {
  if (sum_terms_ != nullptr && part_count_ == 2 && count < kLeastRow) {
    return sum_pairs_(from, stride, row_count, count, reinterpret_cast<double*>(sums));
  }
  for (int64_t row = 0; row < row_count; ++row) {
    ReduceRun(from + row * stride * element_size_, count, At(sums, row));
  }
}

// Terms side by side.
void Reduction::ReduceRun(const std::byte* from, int64_t count, std::byte* sum) const {
  if (sum_terms_ == nullptr) {
    alignas(64) std::byte tile[kTile * sizeof(double)];
    for (int64_t done = 0; done < count; done += kTile) {
      const int64_t size = std::min(kTile, count - done);
      combine_row_(Load(type_, from + done * element_size_, size, tile), sum, sum, 1, size);
    }
  } else if (part_count_ == 2) {
    SumPairs(from, count, reinterpret_cast<double*>(sum));
  } else {
    sum_terms_(from, count, reinterpret_cast<double*>(sum));
  }
}

// A run of complex numbers is rows of so many parts, whose columns are summed before these are.
void Reduction::SumPairs(const std::byte* from, int64_t count, double* sum) const {
  constexpr int64_t kMaxPairs = 64;
  alignas(64) double sums[2 * kMaxPairs];
  const auto rows_of_all = static_cast<uint64_t>(std::max<int64_t>(1, count / kSummedRows));
  const int64_t pairs =
      std::min<int64_t>(kMaxPairs, static_cast<int64_t>(std::bit_floor(rows_of_all)));
  std::fill_n(sums, 2 * pairs, -0.0);  // which leaves the sign of what is added to it
  for (int64_t done = 0; done < count;) {
    const int64_t width = std::min(pairs, count - done);
    const int64_t rows = std::min(kSummedRows, (count - done) / width);
    sum_rows_(from + done * element_size_, 2 * width, rows, 2 * width, sums);
    done += rows * width;
  }
  for (int64_t half = pairs; half > 1; half /= 2) {
    for (int64_t i = 0; i < half; ++i) sums[i] += sums[half + i];
  }
  sum[0] += sums[0];
  sum[1] += sums[1];
}

// Rows that lie one behind the other, some of them as one long row, and the halves of that as one
// in the end. Returns how many it took of `rows`.
int64_t Reduction::ReduceShortRows(const std::byte* from, int64_t count, int64_t rows,
                                   std::byte* sum) const {
  alignas(64) std::byte tile[kTile * sizeof(double)], all[kTile * sizeof(double)];
  const auto most = static_cast<uint64_t>(std::min(kTile / count, rows));
  const auto joined = static_cast<int64_t>(std::bit_floor(most));
  const int64_t width = joined * count;
  std::memcpy(all, Load(type_, from, width, tile), static_cast<size_t>(width * sum_size_));
  int64_t done = joined;
  for (; done + joined <= rows; done += joined) {
    combine_(all, Load(type_, from + done * count * element_size_, width, tile), nullptr, all,
             width);
  }
  for (int64_t half = joined / 2; half > 0; half /= 2) {
    combine_(all, At(all, half * count), nullptr, all, half * count);
  }
  combine_(sum, all, nullptr, sum, count);
  return done;
}

// The same of sums of floats, or of the parts of complex numbers.
int64_t Reduction::SumShortRows(const std::byte* from, int64_t count, int64_t rows,
                                double* sum) const {
  alignas(64) double sums[kShortRowSums];
  const int64_t parts = part_count_ * count;
  const auto most = static_cast<uint64_t>(std::min(kShortRowSums / parts, rows / kSummedRows));
  const auto joined = static_cast<int64_t>(std::bit_floor(most));
  std::fill_n(sums, joined * parts, -0.0);  // which leaves the sign of what is added to it
  int64_t done = 0;
  while (done + joined <= rows) {
    const int64_t long_rows = std::min(kSummedRows, (rows - done) / joined);
    sum_rows_(from + done * count * element_size_, joined * parts, long_rows, joined * parts, sums);
    done += long_rows * joined;
  }
  for (int64_t half = joined / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half * parts; ++i) sums[i] += sums[half * parts + i];
  }
  for (int64_t i = 0; i < parts; ++i) sum[i] += sums[i];
  return done;
}

void Reduction::ReduceColumns(const std::byte* input, const Piece& piece, std::byte* sums) const {
  constexpr int64_t kManyRows = 4;            // that are worth being joined
  constexpr int64_t kSumColumns = 2 * kTile;  // whose sums stay in the first-level cache
  alignas(64) std::byte tile[kTile * sizeof(double)];
  const int64_t run = kept_.run();
  const Dimension steps = terms_.last();
  for (int64_t k = piece.kept_begin; k < piece.kept_end;) {
    const int64_t most = sum_rows_ == nullptr ? kTile : kSumColumns / part_count_;
    const int64_t count = std::min({most, run - k % run, piece.kept_end - k});
    const int64_t base = kept_.Offset(k);
    std::byte* sum = At(sums, k - piece.kept_begin);
    for (int64_t t = piece.term_begin; t < piece.term_end;) {
      const std::byte* from = input + (base + terms_.Offset(t)) * element_size_;
      const int64_t rows_left = std::min(steps.size - t % steps.size, piece.term_end - t);
      int64_t rows = 1;
      if (sum_rows_ == nullptr && steps.stride == count && rows_left >= kManyRows &&
          count <= kTile / kManyRows) {
        rows = ReduceShortRows(from, count, rows_left, sum);
      } else if (sum_rows_ == nullptr) {
        combine_(sum, Load(type_, from, count, tile), nullptr, sum, count);
      } else if (steps.stride == count && part_count_ * count <= kShortRow &&
                 rows_left >= kManyRows * kSummedRows) {
        rows = SumShortRows(from, count, rows_left, reinterpret_cast<double*>(sum));
      } else {
        rows = std::min(kSummedRows, rows_left);
        sum_rows_(from, part_count_ * steps.stride, rows, part_count_ * count,
                  reinterpret_cast<double*>(sum));
      }
      t += rows;
    }
    k += count;
  }
}

double Reduction::ScratchByteSize() const {
  const Pieces pieces(kept_, terms_, has_rows_, fold_);
  return static_cast<double>(kept_.count()) * static_cast<double>(pieces.term_count) *
         static_cast<double>(sum_size_);
}

// Rounded once: f64 to f32 to narrower.
void Reduction::Store(std::byte* sums, int64_t count, const std::byte* init,
                      std::byte* results) const {
  const BlockKernels& kernels = GetBlockKernels();
  if (fold_ > 1) {
    count /= fold_;
    combine_row_(sums, init, sums, count, fold_);
  }
  const ElementType tile_type = TileType(result_type_);
  const bool is_narrow = IsNarrow(result_type_);
  if (sum_type_ == tile_type && !is_narrow) {
    std::memcpy(results, sums, static_cast<size_t>(count * sum_size_));
    return;
  }
  alignas(64) float rounded[kTile];  // where results are narrow
  for (int64_t i = 0; i < count; i += kTile) {
    const int64_t size = std::min(kTile, count - i);
    const void* values = sums + i * sum_size_;
    std::byte* to = results + i * ElementByteSize(result_type_);
    if (sum_type_ != tile_type) {
      void* target = is_narrow ? static_cast<void*>(rounded) : to;
      kernels.convert(sum_type_, tile_type)(values, nullptr, nullptr, target, size);
      values = target;
    }
    if (is_narrow) kernels.narrow(result_type_)(values, nullptr, nullptr, to, size);
  }
}

absl::Status Reduction::Run(Evaluation& e) const {
  const int64_t kept_count = kept_.count();
  const int64_t term_count = terms_.count();
  const Pieces pieces(kept_, terms_, has_rows_, fold_);
  const int64_t term_pieces = pieces.term_count;
  ScratchPool& pool = e.device().scratch();
  // The initial value enters sums and products once; to others it may come as often as it likes.
  alignas(16) std::byte narrow_init[16], init[16];
  const ArrayRef& start = e.operand(e.results().size() + array_);
  std::memcpy(narrow_init, start.bytes, static_cast<size_t>(start.byte_size()));
  std::memmove(init, Load(result_type_, narrow_init, 1, init), static_cast<size_t>(sum_size_));
  const bool enters_once =
      opcode_ == Opcode::kAdd || opcode_ == Opcode::kMultiply || opcode_ == Opcode::kXor;
  alignas(16) std::byte neutral[16] = {};
  if (opcode_ == Opcode::kMultiply) neutral[0] = std::byte{1};  // an integer
  if (sum_terms_ != nullptr) {  // f64, one or two: the zero that leaves signs as they are
    neutral[7] = neutral[15] = std::byte{0x80};
  }
  const std::byte* input = e.operand(array_).bytes;
  const auto piece_of = [&](int64_t part) {
    Piece piece;
    piece.kept_begin = part / term_pieces * pieces.kept_size;
    piece.kept_end = std::min(kept_count, piece.kept_begin + pieces.kept_size);
    piece.term_begin = part % term_pieces * pieces.term_size;
    piece.term_end = std::min(term_count, piece.term_begin + pieces.term_size);
    return piece;
  };
  const auto reduce = [&](const Piece& piece, std::byte* sums) {
    const bool is_later = piece.term_begin > 0 || fold_ > 1;
    FillElements(sums, is_later && enters_once ? neutral : init, sum_size_,
                 piece.kept_end - piece.kept_begin);
    has_rows_ ? ReduceRows(input, piece, sums) : ReduceColumns(input, piece, sums);
  };
  // Sums of all terms are results at once, while they are in a cache.
  if (term_pieces == 1) {
    const int64_t most = has_rows_ ? std::min(kRowsAtOnce, pieces.kept_size) : pieces.kept_size;
    return ForEachPart(e.device(), pieces.kept_count, [&](int64_t part) {
      const Piece all = piece_of(part);
      const int64_t room = std::min(most, all.kept_end - all.kept_begin);
      const ScratchArray<std::byte> sums(pool, room * sum_size_);
      for (Piece piece = all; piece.kept_begin < all.kept_end; piece.kept_begin += most) {
        piece.kept_end = std::min(all.kept_end, piece.kept_begin + most);
        reduce(piece, sums.get());
        Store(sums.get(), piece.kept_end - piece.kept_begin, init,
              e.result(array_).bytes + piece.kept_begin / fold_ * ElementByteSize(result_type_));
      }
    });
  }
  const ScratchArray<std::byte> sums(pool, kept_count * term_pieces * sum_size_);
  const absl::Status status =
      ForEachPart(e.device(), pieces.kept_count * term_pieces, [&](int64_t part) {
        const Piece piece = piece_of(part);
        reduce(piece, At(sums.get(), part % term_pieces * kept_count + piece.kept_begin));
      });
  if (!status.ok()) return status;
  for (int64_t p = 1; p < term_pieces; ++p) {
    combine_(sums.get(), At(sums.get(), p * kept_count), nullptr, sums.get(), kept_count);
  }
  Store(sums.get(), kept_count, init, e.result(array_).bytes);
  return absl::OkStatus();
}

absl::Status RunReduce(Evaluation& e) { return PreparedOf<Reduction>(e).Run(e); }

// Several arrays, each by an opcode of its own.
struct ArrayReductions {
  explicit ArrayReductions(Evaluation& e) {
    const FunctionForm& form = e.Function(Attr::kToApply).form();
    for (size_t k = 0; k < e.results().size(); ++k) {
      list.emplace_back(e.op(), k, e.operand(k).element_type, form.Of(k).opcode);
    }
  }

  std::vector<Reduction> list;
};

absl::Status RunReduceOfArrays(Evaluation& e) {
  for (const Reduction& reduction : PreparedOf<ArrayReductions>(e).list) {
    HLO_RETURN_IF_ERROR(reduction.Run(e));
  }
  return absl::OkStatus();
}

// One array after the other; sums are as large as those of additions at most.
int64_t ScratchOf(const OpView& op) {
  double most = 0;
  for (int64_t k = 0; k < op.operand_count() / 2; ++k) {
    const ElementType type = op.operand_shape(k).element_type();
    const Reduction reduction(op, static_cast<size_t>(k), type, Opcode::kAdd);
    most = std::max(most, reduction.ScratchByteSize());
  }
  return reference::ByteSizeOf(most);
}

constexpr Kernel kReduceKernel = {
    .run = RunReduce, .prepare = Prepare<Reduction>, .scratch_byte_size = ScratchOf};
constexpr Kernel kReduceOfArraysKernel = {
    .run = RunReduceOfArrays, .prepare = Prepare<ArrayReductions>, .scratch_byte_size = ScratchOf};

// Whether array `k` of so many is reduced by loops, in any order, when `form` is what combines it.
bool HasLoops(const OpView& op, int64_t k, int64_t count, const FunctionForm& form) {
  const Shape& input = op.operand_shape(k);
  const Shape& written = *op.written_shape();
  const Shape& result = written.IsTuple() ? written.element(k) : written;
  const ElementType type = input.element_type();
  if (!form.IsBinary() || form.element_type != type || !HasTiles(type) || !result.IsArray() ||
      op.operand_shape(count + k).element_type() != type || result.element_type() != type ||
      input.HasDynamicDim()) {
    return false;
  }
  const ElementType sum_type = SumType(form.opcode, type);
  const bool has_row_loop =
      IsComplex(type) || GetRowKernels().reduce(form.opcode, sum_type) != nullptr;
  if (!has_row_loop || GetBlockKernels().elementwise(form.opcode, sum_type) == nullptr) {
    return false;
  }
  switch (form.opcode) {
    case Opcode::kAdd:  // of several arrays narrow floats round at every step
      return count == 1 || !IsNarrow(type);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    case Opcode::kMultiply:  // floats round at every step
      return !IsRealOrComplex(type);
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<const ConversionReduce> ConversionReduce::Make(const Plan& plan, const Step& step,
                                                               SlotId source) {
  if (step.opcode != Opcode::kReduce || step.operands.size() != 2 ||
      FindKernel(plan, step) != &kReduceKernel) {
    return nullptr;
  }
  const Shape& from = *plan.slot(source).shape;
  const Shape& to = *plan.slot(step.operands[0]).shape;
  const bool is_sum = step.regions[0]->form.opcode == Opcode::kAdd;
  const bool is_widened =
      is_sum && from.element_type() == ElementType::kBf16 && to.element_type() == ElementType::kF32;
  if ((from.element_type() != to.element_type() && !is_widened) || plan.slot(source).is_dynamic ||
      from.HasDynamicDim() || ElementCount(from) != ElementCount(to)) {
    return nullptr;
  }
  auto program = std::make_shared<ConversionReduce>();
  program->operands_ = {source, step.operands[1]};
  program->scratch_byte_size_ = ScratchOf(OpView(*plan.module, plan.instruction(step)));
  return program;
}

const Kernel& ConversionReduce::kernel() const { return kReduceKernel; }

const Kernel* FindReduceKernel(const OpView& op, const FunctionForm& form) {
  const int64_t count = op.operand_count() / 2;
  if (op.operand_count() != 2 * count || op.written_shape()->IsTuple() != (count > 1) ||
      (count > 1 && form.kind != FunctionForm::Kind::kByArray)) {
    return nullptr;
  }
  for (int64_t k = 0; k < count; ++k) {
    if (!HasLoops(op, k, count, form.Of(static_cast<size_t>(k))) ||
        !std::ranges::equal(op.operand_shape(k).dims(), op.operand_shape(0).dims())) {
      return nullptr;
    }
  }
  return count == 1 ? &kReduceKernel : &kReduceOfArraysKernel;
}

}  // namespace hlo::simd

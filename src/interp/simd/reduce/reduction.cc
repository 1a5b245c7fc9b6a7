// The input is read in runs that lie in one piece: either terms of one sum, or one term of each of
// several sums side by side. The terms are cut into pieces, each with sums of its own, which depend
// on sizes alone; these are combined in order at the end. Sums of floats are f64 (row_kernels.h),
// those of complex numbers pairs of f64, and their terms rows of floats, real and imaginary parts
// in turn. Where only few terms of a sum lie side by side, and there are more elsewhere, each of
// these few has a sum of its own until the end.
#include "interp/simd/reduce/reduction.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "interp/reference/scratch.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/reduce/window_pass.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo::simd {
namespace {

constexpr int64_t kTile = 1024;             // elements of a run that are combined at once
constexpr int64_t kSumColumns = 2 * kTile;  // whose sums stay in the first-level cache
// Elements that are worth a part of their own, and of large arrays, where parts are many.
constexpr int64_t kPieceSize = int64_t{1} << 16;
constexpr int64_t kLargePieceSize = int64_t{1} << 18;
constexpr int64_t kManyParts = 64;
constexpr int64_t kRowsAtOnce = 2048;   // whose sums stay in a cache
constexpr int64_t kShortRow = 16;       // floats
constexpr int64_t kShortRowSums = 256;  // of rows that are joined

// How a reduction is cut into pieces: some results as a whole, or parts of the terms of some.
struct Pieces {
  // Results of a piece are a multiple of `fold`, and `least` unless there are fewer.
  Pieces(const ReductionDimensions& kept, const ReductionDimensions& terms, int64_t least,
         int64_t fold) {
    const int64_t size =
        std::clamp(kept.count() * terms.count() / kManyParts, kPieceSize, kLargePieceSize);
    kept_size = std::clamp<int64_t>(size / std::max<int64_t>(1, terms.count()), least,
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

}  // namespace

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
  combine_row_ = GetRowReductions().reduce(opcode_, sum_type_);
  if (opcode_ == Opcode::kAdd && IsRealOrComplex(type_)) {
    const ElementType part_type = IsComplex(type_) ? ComponentType(type_) : type_;
    sum_terms_ = GetRowReductions().sum_terms(part_type);
    sum_rows_ = GetRowReductions().sum_rows(part_type);
    sum_pairs_ = GetRowReductions().sum_pairs(part_type);
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
  const ReductionDimension rows = kept_.last();
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

// What comes from memory is read in lines of 4 KB, where so many sums are made at a time.
int64_t Reduction::LeastKept() const {
  constexpr int64_t kCached = int64_t{1} << 23;
  if (has_rows_) return 1;
  const bool takes_lines =
      sum_rows_ != nullptr && element_size_ < 4 && kept_.count() * terms_.count() > kCached;
  return std::min(takes_lines ? kSumColumns : kTile, kept_.run());
}

void Reduction::ReduceColumns(const std::byte* input, const Piece& piece, std::byte* sums) const {
  constexpr int64_t kManyRows = 4;  // that are worth being joined
  alignas(64) std::byte tile[kTile * sizeof(double)];
  const int64_t run = kept_.run();
  const ReductionDimension steps = terms_.last();
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
  const Pieces pieces(kept_, terms_, LeastKept(), fold_);
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
  const Pieces pieces(kept_, terms_, LeastKept(), fold_);
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

}  // namespace hlo::simd

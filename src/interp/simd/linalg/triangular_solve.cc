// triangular-solve (semantics.md 11.3), with the bits of the definition: an unknown takes the
// products with those before it one after the other.
//
// L is widened once for each matrix, its rows and columns in the order they are solved in. X lies
// in tiles of 16 columns, which know nothing of each other and are the parts of threads; of each a
// few rows take what all rows before them say, as a product, then what they say of each other.
// Small systems, and single columns, are solved as by the reference kernel, those of a batch on
// several threads; those that are smaller yet some at a time (small_matrices.h). Complex numbers
// are multiplied without a look at infinities: where there are such, and NaN, the reference kernel
// has the step.
#include "interp/simd/linalg/triangular_solve.h"

#include "interp/kernel/prepared.h"
#include "interp/reference/triangular_system.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/linalg/linalg_parts.h"
#include "interp/simd/linalg/planes.h"
#include "interp/simd/linalg/small_matrices.h"
#include "interp/simd/linalg/subtract_tile.h"
#include "interp/simd/vector/independent.h"

namespace hlo::simd {
namespace {

using reference::Round;
using reference::Widen;
using reference::WideOf;

constexpr int64_t kRowsAtOnce = 4;
constexpr int64_t kPanelRows = 64;  // of L, which stay in the cache for some tiles
constexpr int64_t kBlock = 64;      // of L, widened at a time

struct Form : reference::TriangularForm {
  explicit Form(const OpView& op)
      : TriangularForm(op, op.operand_shape(1).dims()),
        tile_count(CeilDiv(width, kTileWidth)),
        group(std::clamp<int64_t>((int64_t{1} << 23) / std::max<int64_t>(1, size * size), 1, 8)),
        parts(MatrixCount(op.operand_shape(1)),
              static_cast<double>(size) * static_cast<double>(size) *
                  static_cast<double>(tile_count * kTileWidth) / 2) {}

  // Whether there is nothing to gain by tiles.
  bool is_small() const { return width == 1 || (size <= kTileWidth && width <= kTileWidth); }
  // Doubles of one plane: of L, and of the tiles that a part has at a time.
  int64_t triangle_count() const { return size * size; }
  int64_t tiles_count() const { return std::min(group, tile_count) * size * kTileWidth; }

  int64_t tile_count;
  int64_t group;  // tiles of a part
  LinalgParts parts;
};

using Job = LinalgJob<Form>;

template <typename T>
class Solver {
 public:
  Solver(Job& job, const DeviceContext* device)
      : job_(job),
        device_(device),
        form_(job.form),
        memory_(job.e.device().scratch(),
                kPlaneCount<T> * std::max(form_.triangle_count(), form_.tiles_count())),
        own_tiles_(device == nullptr ? TilesMemory() : ScratchArray<double>()),
        triangle_{memory_.get(), form_.size, form_.triangle_count()} {}

  // Some of `count` systems from `matrix` on, if they are small; returns how many.
  int64_t RunSome(int64_t matrix, int64_t count) {
    if constexpr (kPlaneCount<T> == 1) {
      if (std::max(form_.size, form_.width) > kSmallSize) return 0;
      const int64_t some = count - count % kMatricesAtOnce;
      for (int64_t m = matrix; m < matrix + some; m += kMatricesAtOnce) {
        GetSmallMatrices<T>().solve(form_, MatrixAt(m), GivenAt(m), SolutionAt(m));
      }
      return some;
    }
    return 0;
  }

  // Fails with kCancelled.
  absl::Status Run(int64_t matrix) {
    const int64_t size = form_.size;
    const T* a = MatrixAt(matrix);
    const T* b = GivenAt(matrix);
    T* x = SolutionAt(matrix);
    if (form_.is_small()) {
      reference::SolveTriangular<T>(form_, a, b, reinterpret_cast<WideOf<T>*>(memory_.get()), x);
      return absl::OkStatus();
    }
    HLO_RETURN_IF_ERROR(ForEachPartOf(device_, CeilDiv(size, kBlock), [&](int64_t part) {
      for (int64_t block = 0; block <= part; ++block) LoadBlock(a, part * kBlock, block * kBlock);
    }));
    return ForEachPartOf(device_, CeilDiv(form_.tile_count, form_.group), [&](int64_t part) {
      SolveTiles(b, part * form_.group, std::min(form_.tile_count, (part + 1) * form_.group), x);
    });
  }

 private:
  const T* MatrixAt(int64_t matrix) const {
    return reinterpret_cast<const T*>(job_.e.operand(0).bytes) + matrix * form_.size * form_.size;
  }
  const T* GivenAt(int64_t matrix) const {
    return reinterpret_cast<const T*>(job_.e.operand(1).bytes) + matrix * form_.size * form_.width;
  }
  T* SolutionAt(int64_t matrix) const {
    return reinterpret_cast<T*>(job_.e.result().bytes) + matrix * form_.size * form_.width;
  }

  // Entries of L on and below the diagonal.
  void LoadBlock(const T* a, int64_t row, int64_t column) {
    for (int64_t s = row; s < std::min(form_.size, row + kBlock); ++s) {
      for (int64_t t = column; t < std::min(s + 1, column + kBlock); ++t) {
        SetNumber(triangle_, s, t, form_.Coefficient(a, form_.RowOf(s), form_.RowOf(t)));
      }
    }
  }

  // Tiles [tile, end), a panel of L at a time.
  void SolveTiles(const T* b, int64_t tile, int64_t end, T* x) {
    const ScratchArray<double> memory = device_ == nullptr ? ScratchArray<double>() : TilesMemory();
    double* const first = device_ == nullptr ? own_tiles_.get() : memory.get();
    const auto unknowns = [&](int64_t t) {
      return Planes<double>{first + (t - tile) * form_.size * kTileWidth, kTileWidth,
                            form_.tiles_count()};
    };
    for (int64_t t = tile; t < end; ++t) Load(b, t, unknowns(t));
    for (int64_t panel = 0; panel < form_.size; panel += kPanelRows) {
      for (int64_t t = tile; t < end; ++t) {
        SolvePanel(panel, std::min(form_.size, panel + kPanelRows), WidthOf(t), unknowns(t));
      }
    }
    for (int64_t t = tile; t < end; ++t) Store(t, unknowns(t), x);
  }

  ScratchArray<double> TilesMemory() const {
    return {job_.e.device().scratch(), kPlaneCount<T> * form_.tiles_count()};
  }

  // Where the s-th row has column c of X, in operand and result.
  int64_t PlaceOf(int64_t s, int64_t c) const { return form_.PlaceOf(form_.RowOf(s), c); }
  int64_t WidthOf(int64_t tile) const {
    return std::min(kTileWidth, form_.width - tile * kTileWidth);
  }

  void Load(const T* b, int64_t tile, Planes<double> unknowns) const {
    const int64_t width = WidthOf(tile);
    for (int64_t s = 0; s < form_.size; ++s) {
      for (int64_t c = 0; c < kTileWidth; ++c) {
        const bool is_there = c < width;
        SetNumber(unknowns, s, c,
                  is_there ? Widen(b[PlaceOf(s, tile * kTileWidth + c)]) : WideOf<T>(0));
      }
    }
  }

  void Store(int64_t tile, Planes<double> unknowns, T* x) {
    const int64_t width = WidthOf(tile);
    bool is_finite = true;
    for (int64_t s = 0; s < form_.size; ++s) {
      for (int64_t c = 0; c < width; ++c) {
        const WideOf<T> number = NumberAt<T>(unknowns, s, c);
        is_finite &= IsFinite(number);
        x[PlaceOf(s, tile * kTileWidth + c)] = static_cast<T>(number);
      }
    }
    if (kPlaneCount<T> == 2 && !is_finite) job_.is_finite = false;
  }

  // Rows [row, end) of a tile of so many columns.
  void SolvePanel(int64_t row, int64_t end, int64_t width, Planes<double> unknowns) const {
    const TileSubtraction& subtract = GetTileSubtraction();
    const SubtractTile subtract_tile = kPlaneCount<T> == 2 ? subtract.complex : subtract.real;
    for (; row < end; row += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, end - row);
      if (row > 0) subtract_tile(count, row, triangle_.At(row, 0), unknowns, unknowns.At(row, 0));
      for (int64_t s = row; s < row + count; ++s) {
        if (s > row) {
          subtract_tile(1, s - row, triangle_.At(s, row), unknowns.At(row, 0), unknowns.At(s, 0));
        }
        Divide(s, width, unknowns);
      }
    }
  }

  // Row s by the diagonal, rounded.
  void Divide(int64_t s, int64_t width, Planes<double> unknowns) const {
    const WideOf<T> diagonal = NumberAt<T>(triangle_, s, s);
    HLO_INDEPENDENT
    for (int64_t c = 0; c < width; ++c) {
      const WideOf<T> number = NumberAt<T>(unknowns, s, c);
      SetNumber(unknowns, s, c, Round<T>(form_.unit_diagonal ? number : number / diagonal));
    }
  }

  Job& job_;
  const DeviceContext* device_;
  const Form& form_;
  ScratchArray<double> memory_;
  ScratchArray<double> own_tiles_;  // of a solver that stays on its thread
  Planes<double> triangle_;         // L
};

template <typename T>
absl::Status Run(Evaluation& e) {
  return RunLinalg<Solver<T>, Form>(e, Opcode::kTriangularSolve);
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  if (ElementCount(op.operand_shape(1)).value_or(1) == 0) return 0;
  const Form form(op);
  const int64_t matrices = form.parts.AtOnce();
  const int64_t groups =
      matrices > 1 ? matrices : PartsAtOnce(CeilDiv(form.tile_count, form.group));
  const int64_t size = kPlaneCount<T> * static_cast<int64_t>(sizeof(double)) *
                       (matrices * std::max(form.triangle_count(), form.tiles_count()) +
                        groups * form.tiles_count());
  return kPlaneCount<T> == 2 ? ScratchWithReference(op, size) : size;
}

template <typename T>
constexpr Kernel kTriangularSolve = {
    .run = Run<T>, .prepare = Prepare<Form>, .scratch_byte_size = ScratchByteSize<T>};

}  // namespace

const Kernel* FindTriangularSolveKernel(const OpView& op) {
  const Shape& result = *op.written_shape();
  if (result.HasDynamicDim()) return nullptr;
  for (int64_t i = 0; i < 2; ++i) {
    const Shape& operand = op.operand_shape(i);
    if (operand.HasDynamicDim() || operand.element_type() != result.element_type()) return nullptr;
  }
  return FindLinalgKernel(result.element_type(), []<typename T>() { return &kTriangularSolve<T>; });
}

}  // namespace hlo::simd

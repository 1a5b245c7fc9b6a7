// cholesky (semantics.md 11.2), with the bits of the definition: entry (i, j) of the lower factor
// takes the products of its row and row j one after the other, whatever else happens in between.
//
//   columns of a panel:  4 tiles of 16     rows of the panel itself: one tile after the other
//   rows below it:       on all threads    from each tile what the columns before it say, as a
//                                          product, then what its own columns do, one by one
//
// Matrices of one tile are left to what the reference kernel does, on several threads; those of a
// batch that are smaller yet are done some at a time (small_matrices.h).
// Products read rows of the factor as they are and those of the tile turned, column by column.
// Complex numbers are multiplied without a look at infinities: where there are such, and NaN, the
// reference kernel has the step.
#include "interp/simd/linalg/cholesky.h"

#include <cmath>

#include "interp/kernel/prepared.h"
#include "interp/reference/cholesky_factor.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/linalg/linalg_parts.h"
#include "interp/simd/linalg/planes.h"
#include "interp/simd/linalg/small_matrices.h"
#include "interp/simd/linalg/subtract_tile.h"
#include "interp/simd/vector/independent.h"

namespace hlo::simd {
namespace {

using reference::Conjugate;
using reference::RealPart;
using reference::Round;
using reference::Widen;
using reference::WideOf;

constexpr int64_t kPanelTiles = 4;
constexpr int64_t kPanelWidth = kPanelTiles * kTileWidth;
constexpr int64_t kRowsOfPart = 64;
constexpr int64_t kRowsAtOnce = 16;  // that stay in the first-level cache for the tiles of a panel

struct Form {
  explicit Form(const OpView& op)
      : size(op.operand_shape(0).dims().back()),
        stride(CeilDiv(size, kTileWidth) * kTileWidth),
        lower(op.Get<Attr::kLower>()),
        parts(MatrixCount(op.operand_shape(0)), static_cast<double>(size) *
                                                    static_cast<double>(size) *
                                                    static_cast<double>(size) / 6) {}

  // Doubles of one plane: the factor, and the turned tiles of a panel.
  int64_t factor_count() const { return size * stride; }
  int64_t tiles_count() const { return kPanelWidth * stride; }

  int64_t size;
  int64_t stride;  // of the factor's rows
  bool lower;
  LinalgParts parts;
};

using Job = LinalgJob<Form>;

template <typename T>
class Factorization {
 public:
  Factorization(Job& job, const DeviceContext* device)
      : job_(job),
        device_(device),
        form_(job.form),
        memory_(job.e.device().scratch(),
                kPlaneCount<T> * (form_.factor_count() + form_.tiles_count())),
        factor_{memory_.get(), form_.stride, form_.factor_count()},
        tiles_{memory_.get() + kPlaneCount<T> * form_.factor_count(), kTileWidth,
               form_.tiles_count()} {}

  // Some of `count` matrices from `matrix` on, if they are small; returns how many.
  int64_t RunSome(int64_t matrix, int64_t count) {
    if constexpr (kPlaneCount<T> == 1) {
      if (size_ > kSmallSize) return 0;
      const int64_t some = count - count % kMatricesAtOnce;
      for (int64_t m = matrix; m < matrix + some; m += kMatricesAtOnce) {
        GetSmallMatrices<T>().factorize(OperandAt(m), size_, form_.lower, ResultAt(m));
      }
      return some;
    }
    return 0;
  }

  // Fails with kCancelled.
  absl::Status Run(int64_t matrix) {
    const T* from = OperandAt(matrix);
    T* to = ResultAt(matrix);
    if (size_ <= kTileWidth) {
      auto* const room = reinterpret_cast<WideOf<T>*>(memory_.get());
      reference::StoreCholeskyFactor<T>(from, size_, form_.lower, room, to);
      return absl::OkStatus();
    }
    HLO_RETURN_IF_ERROR(ForEachRows(0, [&](int64_t row, int64_t end) { Load(from, row, end); }));
    bool has_factor = true;
    for (int64_t panel = 0; panel < size_ && has_factor; panel += kPanelWidth) {
      const int64_t panel_end = std::min(size_, panel + kPanelWidth);
      for (int64_t tile = panel; tile < panel_end && has_factor; tile += kTileWidth) {
        has_factor = FactorizeTile(panel, tile);
      }
      if (!has_factor) break;
      HLO_RETURN_IF_ERROR(ForEachRows(
          panel_end, [&](int64_t row, int64_t end) { SolveRows(panel, panel_end, row, end); }));
    }
    if (!has_factor) {
      reference::StoreNoFactor(size_, to);
      return absl::OkStatus();
    }
    return ForEachRows(0, [&](int64_t row, int64_t end) { Store(row, end, to); });
  }

 private:
  const T* OperandAt(int64_t matrix) const {
    return reinterpret_cast<const T*>(job_.e.operand(0).bytes) + matrix * size_ * size_;
  }
  T* ResultAt(int64_t matrix) const {
    return reinterpret_cast<T*>(job_.e.result().bytes) + matrix * size_ * size_;
  }

  // function(row, end) for all rows from `begin` on.
  absl::Status ForEachRows(int64_t begin,
                           absl::FunctionRef<void(int64_t row, int64_t end)> function) {
    return ForEachPartOf(device_, CeilDiv(size_ - begin, kRowsOfPart), [&](int64_t part) {
      const int64_t row = begin + part * kRowsOfPart;
      function(row, std::min(size_, row + kRowsOfPart));
    });
  }

  // Rows of the given triangle; of the other one what tiles reach into is filled.
  void Load(const T* from, int64_t row, int64_t end) {
    for (int64_t i = row; i < end; ++i) {
      for (int64_t j = 0; form_.lower && j <= i; ++j) {
        SetNumber(factor_, i, j, Widen(from[i * size_ + j]));
      }
      for (int64_t j = i + 1; j % kTileWidth != 0; ++j) SetNumber(factor_, i, j, WideOf<T>(0));
    }
    if (form_.lower) return;
    for (int64_t j = 0; j < end; ++j) {
      for (int64_t i = std::max(j, row); i < end; ++i) {
        SetNumber(factor_, i, j, Conjugate(Widen(from[j * size_ + i])));
      }
    }
  }

  // Rows of the result.
  void Store(int64_t row, int64_t end, T* to) const {
    for (int64_t i = row; i < end; ++i) {
      std::fill_n(to + i * size_, size_, static_cast<T>(0.0f));
      for (int64_t j = 0; form_.lower && j <= i; ++j) {
        to[i * size_ + j] = static_cast<T>(NumberAt<T>(factor_, i, j));
      }
    }
    if (form_.lower) return;
    for (int64_t j = row; j < size_; ++j) {
      for (int64_t i = row; i < std::min(end, j + 1); ++i) {
        to[i * size_ + j] = static_cast<T>(Conjugate(NumberAt<T>(factor_, j, i)));
      }
    }
  }

  // Column by column the conjugates of the tile's rows.
  Planes<double> TurnedTile(int64_t tile) const {
    return tiles_.At(tile / kTileWidth % kPanelTiles * form_.stride, 0);
  }

  // The rows that have their diagonal in the tile. False when they have no factor.
  bool FactorizeTile(int64_t panel, int64_t tile) {
    const int64_t end = std::min(size_, tile + kTileWidth);
    for (int64_t before = panel; before < tile; before += kTileWidth) {
      SolveTile(before, tile, end);
    }
    if (tile > 0) {
      TurnRows(tile, end);
      Subtract(end - tile, tile, factor_.At(tile, 0), TurnedTile(tile), factor_.At(tile, tile));
    }
    for (int64_t j = tile; j < end; ++j) {
      if (!FactorizeColumn(tile, j, end)) return false;
    }
    return true;
  }

  // What columns before the tile have in its rows.
  void TurnRows(int64_t tile, int64_t end) {
    const Planes<double> turned = TurnedTile(tile);
    for (int64_t k = 0; k < tile; ++k) {
      for (int64_t j = 0; j < kTileWidth; ++j) {
        SetNumber(turned, k, j,
                  tile + j < end ? Conjugate(NumberAt<T>(factor_, tile + j, k)) : WideOf<T>(0));
      }
    }
  }

  // Column j, of a tile that begins at `tile`, down to the tile's last row.
  bool FactorizeColumn(int64_t tile, int64_t j, int64_t end) {
    double pivot = RealPart(NumberAt<T>(factor_, j, j));
    for (int64_t k = tile; k < j; ++k) pivot -= std::norm(NumberAt<T>(factor_, j, k));
    CheckFinite(pivot);
    if (!(pivot >= 0)) return false;
    const WideOf<T> diagonal = Round<T>(std::sqrt(pivot));
    SetNumber(factor_, j, j, diagonal);
    const Planes<double> turned = TurnedTile(tile);
    for (int64_t i = j + 1; i < end; ++i) {
      WideOf<T> sum = NumberAt<T>(factor_, i, j);
      for (int64_t k = tile; k < j; ++k) {
        sum -= NumberAt<T>(factor_, i, k) * Conjugate(NumberAt<T>(factor_, j, k));
      }
      const WideOf<T> x = Round<T>(sum / diagonal);
      SetNumber(factor_, i, j, x);
      SetNumber(turned, j, i - tile, Conjugate(x));
      CheckFinite(x);
    }
    return true;
  }

  // Rows below the panel.
  void SolveRows(int64_t panel, int64_t panel_end, int64_t row, int64_t end) {
    for (; row < end; row += kRowsAtOnce) {
      for (int64_t tile = panel; tile < panel_end; tile += kTileWidth) {
        SolveTile(tile, row, std::min(end, row + kRowsAtOnce));
      }
    }
  }

  // What rows below a tile's own have in its columns.
  void SolveTile(int64_t tile, int64_t row, int64_t end) {
    const Planes<double> turned = TurnedTile(tile);
    Subtract(end - row, tile, factor_.At(row, 0), turned, factor_.At(row, tile));
    WideOf<T> diagonal[kTileWidth];
    const int64_t width = std::min(kTileWidth, size_ - tile);
    for (int64_t j = 0; j < width; ++j) diagonal[j] = NumberAt<T>(factor_, tile + j, tile + j);
    for (; row < end; ++row) {
      for (int64_t j = 0; j < width; ++j) {
        const WideOf<T> x = Round<T>(NumberAt<T>(factor_, row, tile + j) / diagonal[j]);
        SubtractRow(x, turned.At(tile + j, 0), j + 1, factor_.At(row, tile));
        SetNumber(factor_, row, tile + j, x);
        CheckFinite(x);
      }
    }
  }

  // row[j] -= x * terms[j] for the columns from `begin` on.
  static void SubtractRow(double x, const Planes<double>& terms, int64_t begin,
                          const Planes<double>& row) {
    HLO_INDEPENDENT
    for (int64_t j = begin; j < kTileWidth; ++j) row.real[j] -= x * terms.real[j];
  }
  static void SubtractRow(std::complex<double> x, const Planes<double>& terms, int64_t begin,
                          const Planes<double>& row) {
    const double* real = terms.real;
    const double* imaginary = terms.real + terms.imaginary;
    double* row_imaginary = row.real + row.imaginary;
    HLO_INDEPENDENT
    for (int64_t j = begin; j < kTileWidth; ++j) {
      row.real[j] -= x.real() * real[j] - x.imag() * imaginary[j];
      row_imaginary[j] -= x.real() * imaginary[j] + x.imag() * real[j];
    }
  }

  static void Subtract(int64_t row_count, int64_t term_count, Planes<const double> a,
                       Planes<const double> b, Planes<double> c) {
    const TileSubtraction& subtract = GetTileSubtraction();
    (kPlaneCount<T> == 2 ? subtract.complex : subtract.real)(row_count, term_count, a, b, c);
  }

  template <typename Number>
  void CheckFinite(Number x) {
    if (kPlaneCount<T> == 2 && !IsFinite(x)) job_.is_finite = false;
  }

  Job& job_;
  const DeviceContext* device_;
  const Form& form_;
  const int64_t size_ = form_.size;
  ScratchArray<double> memory_;
  Planes<double> factor_;
  Planes<double> tiles_;
};

template <typename T>
absl::Status Run(Evaluation& e) {
  return RunLinalg<Factorization<T>, Form>(e, Opcode::kCholesky);
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  if (ElementCount(op.operand_shape(0)).value_or(1) == 0) return 0;
  const Form form(op);
  const int64_t size = kPlaneCount<T> * (form.factor_count() + form.tiles_count()) *
                       static_cast<int64_t>(sizeof(double)) * form.parts.AtOnce();
  return kPlaneCount<T> == 2 ? ScratchWithReference(op, size) : size;
}

template <typename T>
constexpr Kernel kCholesky = {
    .run = Run<T>, .prepare = Prepare<Form>, .scratch_byte_size = ScratchByteSize<T>};

}  // namespace

const Kernel* FindCholeskyKernel(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (operand.HasDynamicDim() || result.HasDynamicDim() ||
      operand.element_type() != result.element_type()) {
    return nullptr;
  }
  return FindLinalgKernel(operand.element_type(), []<typename T>() { return &kCholesky<T>; });
}

}  // namespace hlo::simd

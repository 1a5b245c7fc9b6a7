// Triangular systems (semantics.md 11.3) of one matrix, in all their forms.
#ifndef HLOKIT_INTERP_REFERENCE_TRIANGULAR_SYSTEM_H_
#define HLOKIT_INTERP_REFERENCE_TRIANGULAR_SYSTEM_H_

#include <cstdint>
#include <span>

#include "interp/reference/wide_number.h"
#include "ir/op_view.h"

namespace hlo::reference {

// All forms are L X = B with rows of X that are solved one after the other, from the first or from
// the last on. X op(A) = B is op(A)^T X^T = B^T, so that with `left_side` false everything is
// transposed.
struct TriangularForm {
  // `dims`: the sizes of B.
  TriangularForm(const OpView& op, std::span<const int64_t> dims)
      : left_side(op.Get<Attr::kLeftSide>()),
        unit_diagonal(op.Get<Attr::kUnitDiagonal>()),
        is_adjoint(op.Get<Attr::kTransposeA>() == TriangularTranspose::kAdjoint),
        is_transposed((is_adjoint || op.Get<Attr::kTransposeA>() ==
                                         TriangularTranspose::kTranspose) == left_side),
        forward(op.Get<Attr::kLower>() != is_transposed),
        size(dims[dims.size() - (left_side ? 2 : 1)]),
        width(dims[dims.size() - (left_side ? 1 : 2)]) {}

  // The row that is solved as the s-th.
  int64_t RowOf(int64_t s) const { return forward ? s : size - 1 - s; }
  // L at (i, j).
  template <typename T>
  WideOf<T> Coefficient(const T* a, int64_t i, int64_t j) const {
    const WideOf<T> entry = Widen(is_transposed ? a[j * size + i] : a[i * size + j]);
    return is_adjoint ? Conjugate(entry) : entry;
  }
  // Where X and B have their entry (i, c).
  int64_t PlaceOf(int64_t i, int64_t c) const { return left_side ? i * width + c : c * size + i; }

  bool left_side;
  bool unit_diagonal;
  bool is_adjoint;
  bool is_transposed;  // L is the operand transposed
  bool forward;
  int64_t size;   // rows of X
  int64_t width;  // columns of X
};

// x = X; `rows` has room for all of it.
template <typename T>
void SolveTriangular(const TriangularForm& form, const T* a, const T* b, WideOf<T>* rows, T* x) {
  const int64_t width = form.width;
  for (int64_t i = 0; i < form.size; ++i) {
    for (int64_t c = 0; c < width; ++c) rows[i * width + c] = Widen(b[form.PlaceOf(i, c)]);
  }
  for (int64_t s = 0; s < form.size; ++s) {
    const int64_t i = form.RowOf(s);
    WideOf<T>* row = rows + i * width;
    for (int64_t t = 0; t < s; ++t) {
      const int64_t k = form.RowOf(t);
      const WideOf<T> factor = form.Coefficient(a, i, k);
      const WideOf<T>* solved = rows + k * width;
      for (int64_t c = 0; c < width; ++c) row[c] -= factor * solved[c];
    }
    const WideOf<T> diagonal = form.unit_diagonal ? WideOf<T>(1) : form.Coefficient(a, i, i);
    for (int64_t c = 0; c < width; ++c) {
      row[c] = Round<T>(form.unit_diagonal ? row[c] : row[c] / diagonal);
    }
  }
  for (int64_t i = 0; i < form.size; ++i) {
    for (int64_t c = 0; c < width; ++c) x[form.PlaceOf(i, c)] = static_cast<T>(rows[i * width + c]);
  }
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_TRIANGULAR_SYSTEM_H_

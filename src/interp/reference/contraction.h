// What dot-like operations and convolution share: operands packed into dense arrays of a carrier
// type, in which products are summed (semantics.md 10.1).
#ifndef HLOKIT_INTERP_REFERENCE_CONTRACTION_H_
#define HLOKIT_INTERP_REFERENCE_CONTRACTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "interp/kernel/array_view.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided.h"

namespace hlo::reference {

// Integers wrap, so unsigned sums of their width are exact; pred counts its true products, and any
// count but 0 is true.
template <typename T>
using CarrierOf = std::conditional_t<
    kTypeClassOf<T> == kComplex || std::is_same_v<T, double>, T,
    std::conditional_t<
        kTypeClassOf<T> == kFloat, float,
        std::conditional_t<sizeof(T) == 8 || kTypeClassOf<T> == kPred, uint64_t, uint32_t>>>;

// Whether Ts are Cs as they are in memory: signed and unsigned integers of a width may stand in for
// each other.
template <typename T, typename C>
inline constexpr bool kIsCarrierOf = std::is_same_v<T, C> ||
                                     (std::is_same_v<T, int32_t> && std::is_same_v<C, uint32_t>) ||
                                     (std::is_same_v<T, int64_t> && std::is_same_v<C, uint64_t>);

// The elements of a dense array in another order of dimensions, as carriers.
template <typename C>
class Packed {
 public:
  // Element [i_0, i_1, ...] is the array's element with index i_k in dimension order[k]. The
  // array must live as long when its elements need no change.
  template <typename T>
  static Packed Make(const T* elements, std::span<const int64_t> dims,
                     std::span<const int64_t> order) {
    const Index packed_dims = Select(dims, order);
    const Index packed_strides = Select(AsSpan(DenseStrides(dims)), order);
    if constexpr (kIsCarrierOf<T, C>) {
      if (IsDense(dims, order)) return Packed(reinterpret_cast<const C*>(elements));
    }
    auto storage = std::make_unique_for_overwrite<C[]>(Product(AsSpan(packed_dims)));
    C* next = storage.get();
    ForEachOffset(AsSpan(packed_dims), AsSpan(packed_strides),
                  [&](int64_t offset) { *next++ = static_cast<C>(elements[offset]); });
    return Packed(std::move(storage));
  }

  // The bytes Make allocates.
  template <typename T>
  static double ByteSize(std::span<const int64_t> dims, std::span<const int64_t> order) {
    if (kIsCarrierOf<T, C> && IsDense(dims, order)) return 0;
    return SizeProduct(dims) * sizeof(C);
  }

  const C* data() const { return data_; }

 private:
  // Whether that order is the one in memory.
  static bool IsDense(std::span<const int64_t> dims, std::span<const int64_t> order) {
    return Select(AsSpan(DenseStrides(dims)), order) == DenseStrides(AsSpan(Select(dims, order)));
  }

  explicit Packed(const C* data) : data_(data) {}
  explicit Packed(std::unique_ptr<C[]> storage)
      : storage_(std::move(storage)), data_(storage_.get()) {}

  std::unique_ptr<C[]> storage_;
  const C* data_;
};

// out[r, c] = sum over k of rows[r, k] * columns[k, c] for `row_count` rows, `sum_count` terms and
// `column_count` columns; each sum starts at 0 and takes k in increasing order, product and sum
// rounded one by one.
template <typename C>
void MultiplyInOrder(int64_t row_count, int64_t sum_count, int64_t column_count, const C* rows,
                     const C* columns, C* out);

// accumulators[i] += factor * values[i].
template <typename C>
inline void AddScaled(C factor, const C* values, int64_t count, C* accumulators) {
  for (int64_t i = 0; i < count; ++i) accumulators[i] += factor * values[i];
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CONTRACTION_H_

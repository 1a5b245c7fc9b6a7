// What dot-like operations and convolution share: operands packed into dense arrays of a carrier
// type, in which products are summed (semantics.md 10.1).
#ifndef HLOKIT_INTERP_REFERENCE_CONTRACTION_H_
#define HLOKIT_INTERP_REFERENCE_CONTRACTION_H_

#include <cstdint>
#include <span>
#include <type_traits>

#include "interp/kernel/array_view.h"
#include "interp/kernel/scratch_pool.h"
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

// The order in which a dense array of sizes `dims` is packed: element [i_0, i_1, ...] is the
// array's element with index i_k in dimension order[k].
struct Packing {
  Packing(std::span<const int64_t> array_dims, std::span<const int64_t> order)
      : dims(Select(array_dims, order)),
        strides(Select(AsSpan(DenseStrides(array_dims)), order)),
        is_dense(strides == DenseStrides(AsSpan(dims))) {}

  template <typename T, typename C>
  void Copy(const T* elements, C* to) const {
    ForEachOffset(AsSpan(dims), AsSpan(strides),
                  [&](int64_t offset) { *to++ = static_cast<C>(elements[offset]); });
  }

  Index dims;
  Strides strides;  // in the array
  bool is_dense;    // it is the order in memory
};

// The elements of an array in the order of a packing, as carriers.
template <typename C>
class Packed {
 public:
  // The array must live as long when its elements need no change.
  template <typename T>
  Packed(ScratchPool& pool, const Packing& packing, const T* elements) {
    if constexpr (kIsCarrierOf<T, C>) {
      data_ = reinterpret_cast<const C*>(elements);
      if (packing.is_dense) return;
    }
    storage_ = ScratchArray<C>(pool, Product(AsSpan(packing.dims)));
    packing.Copy(elements, storage_.get());
    data_ = storage_.get();
  }

  // The bytes that takes for an array of Ts.
  template <typename T>
  static double ByteSize(const Packing& packing) {
    if (kIsCarrierOf<T, C> && packing.is_dense) return 0;
    return SizeProduct(AsSpan(packing.dims)) * sizeof(C);
  }

  const C* data() const { return data_; }

 private:
  ScratchArray<C> storage_;
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

// Tile loops of complex numbers. Where parts do not meet they are loops of parts; a product is
// computed in vectors and, where both of its parts are NaN, again by the functor, which recovers
// infinities.
#include <complex>

#include "interp/simd/loops/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interp/simd/loops/complex_kernels.cc"
#include "interp/simd/vector/targets.h"
// After targets.h.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "interp/simd/loops/complex_functions-inl.h"
#include "interp/simd/loops/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Part>
using Complex = std::complex<Part>;

// Fn of the parts one by one.
template <typename Fn, typename Part>
void UnaryParts(const void* a, const void*, const void*, void* result, int64_t count) {
  UnaryTile<Fn, Part>(a, nullptr, nullptr, result, 2 * count);
}
template <typename Fn, typename Part>
void BinaryParts(const void* a, const void* b, const void*, void* result, int64_t count) {
  BinaryTile<Fn, Part>(a, b, nullptr, result, 2 * count);
}

template <typename Part, int kPart>
void TakePart(const void* a, const void*, const void*, void* result, int64_t count) {
  const Part* x = As<Part>(a);
  Part* to = As<Part>(result);
  ForEachElement(count, [&](int64_t i) { to[i] = x[2 * i + kPart]; });
}
template <typename Part>
void FromReal(const void* a, const void*, const void*, void* result, int64_t count) {
  const Part* real = As<Part>(a);
  Part* to = As<Part>(result);
  ForEachElement(count, [&](int64_t i) {
    to[2 * i] = real[i];
    to[2 * i + 1] = 0;
  });
}
template <typename From, typename To>
void ConvertParts(const void* a, const void*, const void*, void* result, int64_t count) {
  const From* x = As<From>(a);
  To* to = As<To>(result);
  HLO_INDEPENDENT
  for (int64_t i = 0; i < 2 * count; ++i) to[i] = static_cast<To>(x[i]);
}

template <typename Part>
void Multiply(const void* a, const void* b, const void*, void* result, int64_t count) {
  const hn::ScalableTag<Part> d;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const Part* x = As<Part>(a);
  const Part* y = As<Part>(b);
  Part* to = As<Part>(result);
  const auto one_by_one = [&](int64_t begin, int64_t end) {
    const auto size = end - begin;
    BinaryTile<MultiplyFn, Complex<Part>>(x + 2 * begin, y + 2 * begin, nullptr, to + 2 * begin,
                                          size);
  };
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    hn::Vec<decltype(d)> x_real, x_imag, y_real, y_imag;
    hn::LoadInterleaved2(d, x + 2 * i, x_real, x_imag);
    hn::LoadInterleaved2(d, y + 2 * i, y_real, y_imag);
    const auto real = hn::Sub(hn::Mul(x_real, y_real), hn::Mul(x_imag, y_imag));
    const auto imag = hn::Add(hn::Mul(x_real, y_imag), hn::Mul(x_imag, y_real));
    if (!hn::AllFalse(d, hn::And(hn::IsNaN(real), hn::IsNaN(imag)))) {
      one_by_one(i, i + width);
    } else {
      hn::StoreInterleaved2(real, imag, d, to + 2 * i);
    }
  }
  one_by_one(i, count);
}

// --- Tables

template <typename Part>
TileLoop Loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return BinaryParts<AddFn, Part>;
    case Opcode::kSubtract:
      return BinaryParts<SubtractFn, Part>;
    case Opcode::kNegate:
      return UnaryParts<NegateFn, Part>;
    case Opcode::kReal:
      return TakePart<Part, 0>;
    case Opcode::kImag:
      return TakePart<Part, 1>;
    case Opcode::kMultiply:
      return Multiply<Part>;
    default:  // by the functor, if there is one
      return FunctorLoop<Complex<Part>>(opcode);
  }
}

TileLoop Exact(Opcode opcode, ElementType type) {
  switch (type) {
    case ElementType::kC64:
      return Loop<float>(opcode);
    case ElementType::kC128:
      return Loop<double>(opcode);
    default:  // no parts
      return nullptr;
  }
}

TileLoop Elementwise(Opcode opcode, ElementType type) {
  const TileLoop loop = type == ElementType::kC64 ? ComplexFunctionOf(opcode) : nullptr;
  return loop == nullptr ? Exact(opcode, type) : loop;
}

template <typename Part>
TileLoop CompareLoop(ComparisonDirection direction) {
  if (direction == ComparisonDirection::kEq) return BinaryTile<EqFn, Complex<Part>>;
  if (direction == ComparisonDirection::kNe) return BinaryTile<NeFn, Complex<Part>>;
  return nullptr;  // there is no order
}
TileLoop Compare(ComparisonDirection direction, ElementType type) {
  return type == ElementType::kC64 ? CompareLoop<float>(direction) : CompareLoop<double>(direction);
}

TileLoop Convert(ElementType from, ElementType to) {
  if (IsComplex(from) && IsComplex(to)) {
    return to == ElementType::kC128 ? ConvertParts<float, double> : ConvertParts<double, float>;
  }
  if (IsComplex(from)) return Elementwise(Opcode::kReal, from);
  return to == ElementType::kC128 ? FromReal<double> : FromReal<float>;
}

ComplexKernels AllKernels() { return {Elementwise, Exact, Compare, Convert}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlo::simd {

HWY_EXPORT(AllKernels);

const ComplexKernels& GetComplexKernels() {
  static const ComplexKernels kernels = HWY_DYNAMIC_DISPATCH(AllKernels)();
  return kernels;
}

}  // namespace hlo::simd
#endif

// Every pair of element types against an independent conversion: exact values as long double,
// narrow floats by SlowFloat. All codes of types up to 16 bits, edges and random bits of others.
#include "ir/element_conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "ir/element_traits.h"
#include "ir/slow_float.h"

namespace hlo {
namespace {

constexpr TypeSet kReal = kPred | kInteger | kFloat;

std::vector<ElementType> ArrayTypes() {
  return {
#define HLO_ARRAY_TYPE(Name, ...) ElementType::k##Name,
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
  };
}

const SlowFloat& Slow(ElementType type) {
  static auto& formats = *new std::vector<std::unique_ptr<SlowFloat>>(256);
  auto& slot = formats[static_cast<size_t>(type)];
  if (slot == nullptr) slot = std::make_unique<SlowFloat>(GetElementTypeInfo(type).format);
  return *slot;
}

bool IsNarrowFloat(ElementType type) { return IsFloat(type) && BitWidth(type) <= 16; }

// The elements to try, as bit patterns in the low bits.
std::vector<uint64_t> Samples(ElementType type) {
  std::vector<uint64_t> samples;
  if (type == ElementType::kPred) return {0, 1};
  if (BitWidth(type) <= 16) {
    for (uint64_t code = 0; code < (uint64_t{1} << BitWidth(type)); ++code) samples.push_back(code);
    return samples;
  }
  const auto add_float = [&](double x) {
    if (type == ElementType::kF32)
      samples.push_back(std::bit_cast<uint32_t>(static_cast<float>(x)));
    if (type == ElementType::kF64) samples.push_back(std::bit_cast<uint64_t>(x));
  };
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) samples.push_back(random() >> (random() % 64));
  if (IsFloat(type)) {
    // Around powers of two and half-way points of short mantissas, where rounding is decided.
    for (int exponent = -160; exponent <= 140; ++exponent) {
      for (double m :
           {1.0, 1.03125, 1.0625, 1.09375, 1.25, 1.5, 1.75, 1.9375, 1.96875, 1.99609375}) {
        for (double nudge : {-0x1p-40, 0.0, 0x1p-40}) {
          add_float(std::ldexp(m + nudge, exponent));
          add_float(-std::ldexp(m + nudge, exponent));
        }
      }
    }
    for (double x : std::initializer_list<double>{0.0, -0.0, INFINITY, -INFINITY, NAN,
                                                  -static_cast<double>(NAN), 464.0, 65520.0, 9.3e18,
                                                  -9.3e18, 0x1.fffffep63}) {
      add_float(x);
    }
  } else {
    for (int shift = 0; shift < 64; ++shift) {
      for (int64_t delta = -2; delta <= 2; ++delta) {
        samples.push_back((uint64_t{1} << shift) + delta);
      }
    }
  }
  return samples;
}

template <typename T>
T FromBits(uint64_t bits) {
  if constexpr (PredElement<T>) {
    return bits != 0;
  } else if constexpr (IntegerElement<T>) {
    return T(static_cast<typename IntegerTraits<T>::Native>(bits));
  } else {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
  }
}

// What an element is: a number that a long double holds exactly, or a NaN with a sign.
long double ExactValue(ElementType type, uint64_t bits) {
  if (IsNarrowFloat(type)) return Slow(type).Decode(static_cast<uint32_t>(bits));
  return DispatchElementType<kReal>(type, [&]<typename T>() -> long double {
    if constexpr (PredElement<T>) return FromBits<T>(bits);
    if constexpr (IntegerElement<T>) return NativeValue(FromBits<T>(bits));
    if constexpr (std::floating_point<T>) return FromBits<T>(bits);
    HLO_UNREACHABLE();
  });
}

uint64_t EncodeExpected(ElementType from, ElementType to, long double value) {
  const bool is_short = BitWidth(to) == 16;
  if (IsNarrowFloat(to)) {
    // Integers, and f64 on the way to 16 bits, are rounded to f32 first (semantics.md 1.3).
    const bool through_f32 = !IsFloat(from) || (from == ElementType::kF64 && is_short);
    return Slow(to).Encode(through_f32 ? static_cast<double>(static_cast<float>(value))
                                       : static_cast<double>(value));
  }
  return DispatchElementType<kReal>(to, [&]<typename T>() -> uint64_t {
    if constexpr (PredElement<T>) return std::isnan(value) || value != 0;
    if constexpr (std::same_as<T, float>) return std::bit_cast<uint32_t>(static_cast<float>(value));
    if constexpr (std::same_as<T, double>) {
      return std::bit_cast<uint64_t>(static_cast<double>(value));
    }
    if constexpr (IntegerElement<T>) {
      if (!IsFloat(from)) {  // the low bits
        const uint64_t bits = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                                        : static_cast<uint64_t>(value);
        return WidthBits(FromBits<T>(bits));
      }
      if (std::isnan(value)) return 0;
      const long double low = IntegerTraits<T>::kMin;
      const long double high = IntegerTraits<T>::kMax;
      const long double clamped = std::clamp(std::trunc(value), low, high);
      return WidthBits(FromBits<T>(clamped < 0
                                       ? static_cast<uint64_t>(static_cast<int64_t>(clamped))
                                       : static_cast<uint64_t>(clamped)));
    }
    HLO_UNREACHABLE();
  });
}

uint64_t ElementBits(ElementType type, const std::byte* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, ElementByteSize(type));
  return BitWidth(type) < 8 ? bits & ((1u << BitWidth(type)) - 1) : bits;
}

bool IsNanCode(ElementType type, uint64_t bits) {
  return (type == ElementType::kF32 || type == ElementType::kF64) &&
         std::isnan(ExactValue(type, bits));
}

void CheckPair(ElementType from, ElementType to) {
  const std::vector<uint64_t> samples = Samples(from);
  const int64_t count = static_cast<int64_t>(samples.size());
  std::vector<std::byte> source(count * ElementByteSize(from));
  DispatchElementType<kReal>(from, [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      const T element = FromBits<T>(samples[i]);
      std::memcpy(&source[i * sizeof(T)], &element, sizeof(T));
    }
  });
  std::vector<std::byte> target(count * ElementByteSize(to));
  ConvertElements(from, source.data(), to, target.data(), count);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t source_bits = ElementBits(from, &source[i * ElementByteSize(from)]);
    const uint64_t found = ElementBits(to, &target[i * ElementByteSize(to)]);
    uint64_t expected = source_bits;
    if (from != to) expected = EncodeExpected(from, to, ExactValue(from, source_bits));
    if (IsNanCode(to, expected) && IsNanCode(to, found)) continue;
    ASSERT_EQ(found, expected) << ElementTypeName(from) << " " << std::hex << source_bits << " -> "
                               << ElementTypeName(to);
  }
}

TEST(ElementConversionTest, AllPairsOfRealTypes) {
  for (ElementType from : ArrayTypes()) {
    for (ElementType to : ArrayTypes()) {
      if (IsComplex(from) || IsComplex(to)) continue;
      CheckPair(from, to);
    }
  }
}

template <typename From, typename To>
std::vector<To> Convert(std::vector<From> values) {
  std::vector<To> result(values.size());
  ConvertElements(kElementTypeOf<From>, reinterpret_cast<const std::byte*>(values.data()),
                  kElementTypeOf<To>, reinterpret_cast<std::byte*>(result.data()),
                  static_cast<int64_t>(values.size()));
  return result;
}

TEST(ElementConversionTest, RealsBecomeComplexWithoutImaginaryPart) {
  EXPECT_EQ((Convert<int32_t, C64>({16777217, -2})), (std::vector<C64>{16777216, -2}));
  EXPECT_EQ((Convert<Bf16, C128>({Bf16(1.5f)})), (std::vector<C128>{1.5}));
  EXPECT_EQ((Convert<double, C64>({0.1})), (std::vector<C64>{0.1f}));
}

TEST(ElementConversionTest, ComplexNumbersLoseTheirImaginaryPart) {
  EXPECT_EQ((Convert<C64, float>({{1.5, 2}, {-3, 0}})), (std::vector<float>{1.5, -3}));
  EXPECT_EQ((Convert<C128, int8_t>({{-300, 1}})), (std::vector<int8_t>{-128}));
  std::vector<std::byte> pred(2);
  const C64 numbers[] = {{0, 1}, {2, 0}};
  ConvertElements(ElementType::kC64, reinterpret_cast<const std::byte*>(numbers),
                  ElementType::kPred, pred.data(), 2);
  EXPECT_EQ(pred, (std::vector<std::byte>{std::byte{0}, std::byte{1}}));
}

TEST(ElementConversionTest, ComplexNumbersConvertPartByPart) {
  EXPECT_EQ((Convert<C128, C64>({{0.1, 1e300}})), (std::vector<C64>{{0.1f, INFINITY}}));
  EXPECT_EQ((Convert<C64, C128>({{0.1f, -2}})), (std::vector<C128>{{0.1f, -2}}));
}

TEST(ElementConversionTest, BlocksMeetWithoutSeams) {
  std::vector<int16_t> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int16_t>(i);
  const std::vector<Bf16> narrow = Convert<int16_t, Bf16>(values);
  const std::vector<C64> complex = Convert<int16_t, C64>(values);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(static_cast<float>(narrow[i]), static_cast<float>(Bf16(static_cast<float>(i))));
    ASSERT_EQ(complex[i], C64(static_cast<float>(i)));
  }
}

}  // namespace
}  // namespace hlo

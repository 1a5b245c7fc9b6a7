// The kernel of rng, which promises distributions and no bits: semantics.md 12.5.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "fmt/format.h"
#include "interp/kernel/device.h"
#include "interp/kernel/scalar_ops_binary.h"
#include "interp/reference/eval.h"
#include "interp/reference/random.h"
#include "interp/reference/random_draw.h"
#include "interp/reference/random_words.h"
#include "interp/reference/scratch.h"
#include "ir/element_conversion.h"

namespace hlo::reference {
namespace {

template <typename T>
std::span<T> Span(const ScratchArray<T>& array, int64_t count) {
  return {array.get(), static_cast<size_t>(count)};
}

void DrawWords(Evaluation& e, std::span<uint32_t> words) {
  const RandomDraw draw = NextDraw(e, static_cast<int64_t>(words.size()));
  FillPhilox(draw.key, draw.counter, words);
}

// `count` uniform numbers of [0, 1), with all bits of the mantissa of T random.
template <typename T>
void DrawUnitUniforms(Evaluation& e, std::span<T> result) {
  constexpr int kWords = sizeof(T) / sizeof(uint32_t);
  constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  using Bits = std::conditional_t<kWords == 1, uint32_t, uint64_t>;
  const auto count = static_cast<int64_t>(result.size());
  const ScratchArray<uint32_t> words(e.device().scratch(), count * kWords);
  DrawWords(e, Span(words, count * kWords));
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, &words[i * kWords], sizeof(bits));
    bits >>= sizeof(T) * 8 - kMantissaBits;
    result[i] = static_cast<T>(bits) * std::ldexp(T(1), -kMantissaBits);
  }
}

template <typename T>
void StoreAs(std::span<const T> values, const MutableArrayRef& result) {
  ConvertElements(kElementTypeOf<T>, reinterpret_cast<const std::byte*>(values.data()),
                  result.element_type, result.bytes, result.element_count());
}

template <typename T>
void UniformFloats(Evaluation& e) {
  const T a = ParameterAs<T>(e.operand(0));
  const T b = ParameterAs<T>(e.operand(1));
  const int64_t count = e.result().element_count();
  const ScratchArray<T> storage(e.device().scratch(), count);
  const std::span<T> values = Span(storage, count);
  DrawUnitUniforms<T>(e, values);
  for (T& value : values) value = b > a ? value * (b - a) + a : a;
  StoreAs<T>(values, e.result());
}

// Pairs of uniforms become pairs of normals (Box and Muller).
template <typename T>
void NormalFloats(Evaluation& e) {
  const T mean = ParameterAs<T>(e.operand(0));
  const T deviation = ParameterAs<T>(e.operand(1));
  const ElementPairs pairs(e.result().dims);
  ScratchPool& pool = e.device().scratch();
  const ScratchArray<T> uniforms(pool, 2 * pairs.pair_count());
  DrawUnitUniforms<T>(e, Span(uniforms, 2 * pairs.pair_count()));
  const ScratchArray<T> values(pool, e.result().element_count());
  pairs.ForEach([&](int64_t pair, int64_t first, int64_t second) {
    const T radius = std::sqrt(-2 * std::log(std::max(uniforms[2 * pair], T(1e-7))));
    const T angle = 2 * std::numbers::pi_v<T> * uniforms[2 * pair + 1];
    values[first] = mean + deviation * (std::sin(angle) * radius);
    if (second >= 0) values[second] = mean + deviation * (std::cos(angle) * radius);
  });
  StoreAs<T>(Span(values, e.result().element_count()), e.result());
}

// a + bits mod (b - a), in the width of the type.
template <typename T>
void StoreIntegers(std::span<const uint32_t> words, T a, T b, const MutableArrayRef& result) {
  StoreBits(words, result);
  const auto range = WidthBits(SubtractFn()(b, a));
  for (T& value : View<T>(result).elements()) {
    value = NativeValue(b) > NativeValue(a) ? T(Wrapping(a) + WidthBits(value) % range) : a;
  }
}

void StorePreds(std::span<const uint32_t> words, bool a, bool b, const MutableArrayRef& result) {
  bool* values = reinterpret_cast<bool*>(result.bytes);
  for (size_t i = 0; i < words.size(); ++i) values[i] = a | (b & (words[i] & 1));
}

void EvalUniform(Evaluation& e) {
  const MutableArrayRef& result = e.result();
  if (result.element_type == ElementType::kF64) {
    UniformFloats<double>(e);
  } else if (IsFloat(result.element_type)) {
    UniformFloats<float>(e);
  } else {
    const int64_t count = WordCount(result);
    const ScratchArray<uint32_t> words(e.device().scratch(), count);
    DrawWords(e, Span(words, count));
    StoreUniforms(Span(words, count), e.operand(0), e.operand(1), result);
  }
}

}  // namespace

RandomDraw NextDraw(Evaluation& e, int64_t word_count) {
  DeviceContext& device = e.device();
  const uint64_t ordinal = e.module().id_of(e.instruction()).value;
  const uint64_t key = device.seed() ^ ((ordinal * 0x9E3779B97F4A7C15) >> 32) ^
                       static_cast<uint64_t>(device.replica_id()) ^
                       (static_cast<uint64_t>(device.partition_id()) << 32);
  const RandomCounter counter = device.AdvanceRandomCounter(static_cast<uint64_t>(word_count));
  return {key, (static_cast<unsigned __int128>(counter.high) << 64) | counter.low};
}

void StoreUniforms(std::span<const uint32_t> words, const ArrayRef& a, const ArrayRef& b,
                   const MutableArrayRef& result) {
  if (result.element_type == ElementType::kPred) {
    StorePreds(words, ParameterAs<bool>(a), ParameterAs<bool>(b), result);
  } else {
    DispatchElementType<kInteger>(result.element_type, [&]<typename T>() {
      StoreIntegers<T>(words, ParameterAs<T>(a), ParameterAs<T>(b), result);
    });
  }
}

absl::Status CheckDraw(Evaluation& e) {
  const ElementType type = e.result().element_type;
  const RandomDistribution distribution = e.Get<Attr::kDistribution>();
  const TypeSet domain =
      distribution == RandomDistribution::kNormal ? kFloat : kPred | kInteger | kFloat;
  if (e.operands().size() == 2 && distribution != RandomDistribution::kInvalid &&
      IsIn(type, domain)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format("`rng` with distribution {} makes no {}",
                                                EnumText(distribution), ElementTypeName(type)));
}

// Words, of which uniforms are made, and numbers: of a normal distribution one uniform more than
// there are elements where these do not come in pairs.
double RngScratch(const OpView& op) {
  const ElementType type = op.written_shape()->element_type();
  const double count = SizeProduct(op.written_shape()->dims());
  if (!IsFloat(type)) return count * 4 * static_cast<double>(WordsPerElement(type));
  const double size = type == ElementType::kF64 ? sizeof(double) : sizeof(float);
  const bool is_normal = op.Get<Attr::kDistribution>() == RandomDistribution::kNormal;
  const double uniforms =
      is_normal ? 2 * static_cast<double>(ElementPairs(op.written_shape()->dims()).pair_count())
                : count;
  return size * (uniforms + std::max(uniforms, count));
}

absl::Status EvalRng(Evaluation& e) {
  if (absl::Status status = CheckDraw(e); !status.ok()) return status;
  if (e.Get<Attr::kDistribution>() == RandomDistribution::kUniform) {
    EvalUniform(e);
  } else if (e.result().element_type == ElementType::kF64) {
    NormalFloats<double>(e);
  } else {
    NormalFloats<float>(e);
  }
  return absl::OkStatus();
}

}  // namespace hlo::reference

// convert, reduce-precision and stochastic-convert: semantics.md 2, 5.2, 5.3.
#include <bit>

#include "fmt/format.h"
#include "interp/reference/elementwise.h"
#include "interp/reference/eval.h"
#include "interp/reference/set_result.h"

namespace hlo::reference {
namespace {

// A float format inside the integer that holds its bits.
template <typename T>
struct CarrierFormat {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  static constexpr int kExponentBits = static_cast<int>(sizeof(T)) * 8 - 1 - kMantissaBits;
  static constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  static constexpr Bits kInfinity = ((Bits{1} << kExponentBits) - 1) << kMantissaBits;
};

// Rounds a float to fewer bits of mantissa and exponent.
template <typename T>
class PrecisionReducer {
 public:
  PrecisionReducer(int64_t exponent_bits, int64_t mantissa_bits)
      : keeps_nan_(mantissa_bits > 0),
        dropped_mantissa_bits_(std::max<int64_t>(0, Format::kMantissaBits - mantissa_bits)) {
    if (exponent_bits >= Format::kExponentBits) return;
    const Bits bias = (Bits{1} << (Format::kExponentBits - 1)) - 1;
    const Bits reduced_bias = (Bits{1} << (exponent_bits - 1)) - 1;
    largest_exponent_ = (bias + reduced_bias) << Format::kMantissaBits;
    flushed_exponent_ = (bias - reduced_bias) << Format::kMantissaBits;
    reduces_exponent_ = true;
  }

  T operator()(T x) const {
    if (x != x) return keeps_nan_ ? x : std::numeric_limits<T>::infinity();
    Bits bits = RoundMantissa(std::bit_cast<Bits>(x));
    if (reduces_exponent_) bits = LimitExponent(bits);
    return std::bit_cast<T>(bits);
  }

 private:
  using Format = CarrierFormat<T>;
  using Bits = typename Format::Bits;

  // To nearest even; a carry raises the exponent, up to infinity.
  Bits RoundMantissa(Bits bits) const {
    if (dropped_mantissa_bits_ == 0) return bits;
    const Bits last = Bits{1} << dropped_mantissa_bits_;
    bits += ((bits & last) >> dropped_mantissa_bits_) + (last >> 1) - 1;
    return bits & ~(last - 1);
  }

  // Infinity above the range; below it zero: the reduced format has no subnormals.
  Bits LimitExponent(Bits bits) const {
    const Bits exponent = bits & Format::kInfinity;
    if (exponent > largest_exponent_) return (bits & Format::kSign) | Format::kInfinity;
    if (exponent <= flushed_exponent_) return bits & Format::kSign;
    return bits;
  }

  bool keeps_nan_;
  int64_t dropped_mantissa_bits_;
  bool reduces_exponent_ = false;
  Bits largest_exponent_ = 0;
  Bits flushed_exponent_ = 0;
};

// x rounded up or down in magnitude, up with the probability of its fractional part. Types and
// widths are known at run time only: the f64 and s64 here hold them all exactly.
class StochasticRounder {
 public:
  StochasticRounder(ElementType result_type, int random_bits) : random_bits_(random_bits) {
    const int width = BitWidth(result_type);
    max_ = std::numeric_limits<int64_t>::max() >> (64 - width);
    min_ = -max_ - 1;
  }

  int64_t operator()(double x, uint64_t random) const {
    if (x != x) return 0;
    if (x >= static_cast<double>(max_)) return max_;
    if (x <= static_cast<double>(min_)) return min_;
    const double magnitude = std::fabs(x);
    const double truncated = std::trunc(magnitude);
    const double fraction = magnitude - truncated;
    uint64_t result = static_cast<uint64_t>(truncated);
    if (random < static_cast<uint64_t>(std::ldexp(fraction, random_bits_))) ++result;
    return static_cast<int64_t>(std::signbit(x) ? 0 - result : result);
  }

 private:
  int random_bits_;
  int64_t max_;
  int64_t min_;
};

}  // namespace

absl::Status EvalConvert(Evaluation& e) { return SetResult(e, e.operand(0), 0); }

absl::Status EvalReducePrecision(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(const ElementType type, ComputeType(e, kFloat));
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  const int64_t exponent_bits = e.Get<Attr::kExponentBits>();
  const int64_t mantissa_bits = e.Get<Attr::kMantissaBits>();
  if (exponent_bits < 1 || mantissa_bits < 0) {
    return absl::InvalidArgumentError(
        fmt::format("`reduce-precision` needs exponent_bits >= 1 and mantissa_bits >= 0, not {} "
                    "and {}",
                    exponent_bits, mantissa_bits));
  }
  return DispatchComputeType<kFloat>(type, [&]<typename T>() -> absl::Status {
    const PrecisionReducer<T> reduce(exponent_bits, mantissa_bits);
    BlockReader<T> reader(operands[0], operands.element_count());
    BlockWriter<T> writer(e.result());
    ForEachBlock(operands.element_count(), [&](int64_t begin, int64_t count) {
      const T* values = reader.Read(begin, count);
      std::transform(values, values + count, writer.Begin(begin), reduce);
      writer.Commit(begin, count);
    });
    return absl::OkStatus();
  });
}

absl::Status EvalStochasticConvert(Evaluation& e) {
  const ElementType random_type = e.operand(1).element_type;
  const ElementType result_type = e.result().element_type;
  if (!IsFloat(e.operand(0).element_type)) return NotDefinedFor(e, e.operand(0).element_type);
  if (!IsUnsigned(random_type)) return NotDefinedFor(e, random_type);
  if (!IsSigned(result_type)) return NotDefinedFor(e, result_type);
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  const StochasticRounder round(result_type, BitWidth(random_type));
  BlockReader<double> x(operands[0], operands.element_count());
  BlockReader<uint64_t> random(operands[1], operands.element_count());
  BlockWriter<int64_t> writer(e.result());
  ForEachBlock(operands.element_count(), [&](int64_t begin, int64_t count) {
    const double* values = x.Read(begin, count);
    std::transform(values, values + count, random.Read(begin, count), writer.Begin(begin), round);
    writer.Commit(begin, count);
  });
  return absl::OkStatus();
}

}  // namespace hlo::reference

// Executes every elementwise opcode on every element type that its domain column names, as small
// programs. Floating-point results are compared with the same function in complex f64, integers
// with exact arithmetic in 128 bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testing/element_values.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using testing::ArrayTypes;
using testing::Complex;
using testing::ExpectNear;
using testing::MakeLiteral;
using testing::Values;

struct ElementwiseRow {
  Opcode opcode;
  TypeSet domain;
  TypeSet accepted;
  int operand_count;
};

std::vector<ElementwiseRow> ElementwiseRows() {
  return {
#define HLO_UNARY(Name, text, domain, ...) {Opcode::k##Name, domain, domain, 1},
#define HLO_BINARY(Name, text, domain, accepted, ...) {Opcode::k##Name, domain, accepted, 2},
#include "ir/opcodes.def"
  };
}

// The parts of complex numbers are f32 or f64, which classes of types cannot say.
bool IsPair(Opcode opcode, ElementType type) {
  return opcode != Opcode::kComplex || type == ElementType::kF32 || type == ElementType::kF64;
}

absl::StatusOr<Literal> RunText(std::string text, const std::vector<Literal>& arguments) {
  absl::StatusOr<Module> module = testing::ParseText("test", std::move(text));
  if (!module.ok()) return module.status();
  return testing::RunModule(*module, arguments);
}

// --- Elementwise -------------------------------------------------------------------------------

using UnaryFunction = std::function<Complex(Complex)>;
using BinaryFunction = std::function<Complex(Complex, Complex)>;

Complex Expm1(Complex z) { return std::exp(z) - 1.0; }

const std::map<Opcode, UnaryFunction>& UnaryFunctions() {
  static const std::map<Opcode, UnaryFunction> functions = {
      {Opcode::kAbs, [](Complex z) { return std::abs(z); }},
      {Opcode::kAcos, [](Complex z) { return std::acos(z); }},
      {Opcode::kAcosh, [](Complex z) { return std::acosh(z); }},
      {Opcode::kAsin, [](Complex z) { return std::asin(z); }},
      {Opcode::kAsinh, [](Complex z) { return std::asinh(z); }},
      {Opcode::kAtanh, [](Complex z) { return std::atanh(z); }},
      {Opcode::kCbrt, [](Complex z) { return std::cbrt(z.real()); }},
      {Opcode::kCeil, [](Complex z) { return std::ceil(z.real()); }},
      {Opcode::kCosh, [](Complex z) { return std::cosh(z); }},
      {Opcode::kCosine, [](Complex z) { return std::cos(z); }},
      {Opcode::kErf, [](Complex z) { return std::erf(z.real()); }},
      {Opcode::kExponential, [](Complex z) { return std::exp(z); }},
      {Opcode::kExponentialMinusOne, Expm1},
      {Opcode::kFloor, [](Complex z) { return std::floor(z.real()); }},
      {Opcode::kImag, [](Complex z) { return z.imag(); }},
      {Opcode::kIsFinite, [](Complex z) { return std::isfinite(z.real()); }},
      {Opcode::kLog, [](Complex z) { return std::log(z); }},
      {Opcode::kLogPlusOne, [](Complex z) { return std::log(1.0 + z); }},
      {Opcode::kLogistic, [](Complex z) { return 1.0 / (1.0 + std::exp(-z)); }},
      {Opcode::kNegate, [](Complex z) { return -z; }},
      {Opcode::kReal, [](Complex z) { return z.real(); }},
      {Opcode::kRoundNearestAfz, [](Complex z) { return std::round(z.real()); }},
      {Opcode::kRoundNearestEven, [](Complex z) { return std::nearbyint(z.real()); }},
      {Opcode::kRsqrt, [](Complex z) { return 1.0 / std::sqrt(z); }},
      {Opcode::kSign, [](Complex z) { return z / std::abs(z); }},
      {Opcode::kSine, [](Complex z) { return std::sin(z); }},
      {Opcode::kSinh, [](Complex z) { return std::sinh(z); }},
      {Opcode::kSqrt, [](Complex z) { return std::sqrt(z); }},
      {Opcode::kTan, [](Complex z) { return std::tan(z); }},
      {Opcode::kTanh, [](Complex z) { return std::tanh(z); }},
  };
  return functions;
}

const std::map<Opcode, BinaryFunction>& BinaryFunctions() {
  static const std::map<Opcode, BinaryFunction> functions = {
      {Opcode::kAdd, [](Complex a, Complex b) { return a + b; }},
      {Opcode::kAtan2,
       [](Complex y, Complex x) {
         const Complex i(0, 1);
         return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
       }},
      {Opcode::kComplex, [](Complex a, Complex b) { return Complex(a.real(), b.real()); }},
      {Opcode::kDivide, [](Complex a, Complex b) { return a / b; }},
      {Opcode::kMaximum, [](Complex a, Complex b) { return std::max(a.real(), b.real()); }},
      {Opcode::kMinimum, [](Complex a, Complex b) { return std::min(a.real(), b.real()); }},
      {Opcode::kMultiply, [](Complex a, Complex b) { return a * b; }},
      {Opcode::kPower, [](Complex a, Complex b) { return std::exp(b * std::log(a)); }},
      {Opcode::kRemainder, [](Complex a, Complex b) { return std::fmod(a.real(), b.real()); }},
      {Opcode::kSubtract, [](Complex a, Complex b) { return a - b; }},
  };
  return functions;
}

// Positive operands, where every function but acosh is real.
const std::vector<Complex> kFirst = {{0.5, 0.25}, {0.75, -0.5}, {0.25, 1}};
const std::vector<Complex> kSecond = {{1, -0.5}, {0.5, 0.25}, {2, 0.25}};

// --- Integers ----------------------------------------------------------------------------------

// Arithmetic on numbers of at most 64 bits (pred: 1), exact in 128 (semantics.md 3, 4.1).
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Unsigned;

struct IntegerType {
  explicit IntegerType(ElementType type)
      : is_pred(type == ElementType::kPred),
        is_signed(IsSigned(type)),
        width(is_pred ? 1 : BitWidth(type)) {}

  Wide Modulus() const { return Wide{1} << width; }
  // The bits of `x` as a number from 0 on.
  Wide Bits(Wide x) const { return (x % Modulus() + Modulus()) % Modulus(); }
  Wide Wrap(Wide x) const {
    const Wide bits = Bits(x);
    return is_signed && bits >= Modulus() / 2 ? bits - Modulus() : bits;
  }
  // Modulo 2^width.
  Wide Product(Wide a, Wide b) const {
    const Unsigned product = static_cast<Unsigned>(Bits(a)) * static_cast<Unsigned>(Bits(b));
    return static_cast<Wide>(product % static_cast<Unsigned>(Modulus()));
  }
  Wide HighProduct(Wide a, Wide b) const {
    if (is_signed) return (a * b) >> width;
    return static_cast<Wide>((static_cast<Unsigned>(a) * static_cast<Unsigned>(b)) >> width);
  }
  Wide Power(Wide base, Wide exponent) const {
    if (base == 1 || exponent == 0) return 1;
    if (exponent < 0) return 0;
    Wide power = 1;
    for (; exponent > 0; exponent /= 2, base = Product(base, base)) {
      if (exponent % 2 != 0) power = Product(power, base);
    }
    return power;
  }

  bool is_pred;
  bool is_signed;
  int width;
};

Wide IntegerUnary(Opcode opcode, const IntegerType& type, Wide x) {
  Wide ones = 0, leading_zeros = 0;
  for (int bit = 0; bit < type.width; ++bit) {
    const bool is_set = (type.Bits(x) >> bit & 1) != 0;
    ones += is_set;
    leading_zeros = is_set ? 0 : leading_zeros + 1;
  }
  if (opcode == Opcode::kAbs) return x < 0 ? -x : x;
  if (opcode == Opcode::kCountLeadingZeros) return leading_zeros;
  if (opcode == Opcode::kNegate) return -x;
  if (opcode == Opcode::kNot) return type.Modulus() - 1 - type.Bits(x);
  if (opcode == Opcode::kPopulationCount) return ones;
  if (opcode == Opcode::kSign) return x < 0 ? -1 : x > 0;
  ADD_FAILURE() << OpcodeName(opcode) << " has no integer function here";
  return 0;
}

Wide IntegerBinary(Opcode opcode, const IntegerType& type, Wide a, Wide b) {
  const bool is_out = type.Bits(b) >= type.width;
  const int amount = is_out ? type.width - 1 : static_cast<int>(type.Bits(b));
  const Wide top = type.Bits(a) >> (type.width - 1);
  if (opcode == Opcode::kAdd) return type.is_pred ? (a | b) : a + b;
  if (opcode == Opcode::kSubtract) return a - b;
  if (opcode == Opcode::kMultiply) return type.Product(a, b);
  if (opcode == Opcode::kMultiplyHigh) return type.HighProduct(a, b);
  if (opcode == Opcode::kAnd) return type.Bits(a) & type.Bits(b);
  if (opcode == Opcode::kOr) return type.Bits(a) | type.Bits(b);
  if (opcode == Opcode::kXor) return type.Bits(a) ^ type.Bits(b);
  if (opcode == Opcode::kDivide) return b == 0 ? -1 : a / b;
  if (opcode == Opcode::kRemainder) return b == 0 ? a : a % b;
  if (opcode == Opcode::kMaximum) return std::max(a, b);
  if (opcode == Opcode::kMinimum) return std::min(a, b);
  if (opcode == Opcode::kPower) return type.Power(a, b);
  if (opcode == Opcode::kShiftLeft) return is_out ? 0 : type.Product(a, Wide{1} << amount);
  if (opcode == Opcode::kShiftRightLogical) return is_out ? 0 : type.Bits(a) >> amount;
  if (opcode == Opcode::kShiftRightArithmetic) {
    return (type.Bits(a) - top * type.Modulus()) >> amount;
  }
  ADD_FAILURE() << OpcodeName(opcode) << " has no integer function here";
  return 0;
}

// Numbers around zero and at both ends of the range, and some in between.
std::vector<Wide> IntegerOperands(ElementType type, bool is_second) {
  const IntegerType integer(type);
  std::vector<Wide> values;
  for (Wide x : {Wide{0}, Wide{1}, Wide{2}, Wide{3}, Wide{5}, Wide{-1}, Wide{-3},
                 integer.Modulus() / 2, integer.Modulus() / 2 - 1, Wide{0x3C6EF372A54FF53A}}) {
    values.push_back(integer.Wrap(x));
  }
  const size_t count = values.size();
  std::vector<Wide> pairs;
  for (size_t i = 0; i < count * count; ++i) {
    pairs.push_back(values[is_second ? i / count : i % count]);
  }
  return pairs;
}

Literal MakeIntegers(ElementType type, const std::vector<Wide>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  Literal literal = *Literal::Zeros(Shape::ArrayWithDefaultLayout(type, dims));
  DispatchElementType<kPred | kInteger>(type, [&]<typename T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      literal.elements<T>()[i] = static_cast<T>(static_cast<int64_t>(values[i]));
    }
  });
  return literal;
}

std::vector<Wide> IntegersOf(const Literal& literal) {
  std::vector<Wide> values;
  DispatchElementType<kPred | kInteger>(literal.shape().element_type(), [&]<typename T>() {
    for (T element : literal.elements<T>()) {
      if constexpr (std::is_same_v<T, uint64_t>) {
        values.push_back(element);
      } else {
        values.push_back(static_cast<int64_t>(element));
      }
    }
  });
  return values;
}

// --- All pairs ---------------------------------------------------------------------------------

absl::StatusOr<Literal> RunRow(const ElementwiseRow& row, const std::vector<Literal>& operands) {
  const std::string shape = ShapeText(operands[0].shape());
  std::string text = fmt::format("HloModule m\nENTRY e {{\n  a = {} parameter(0)\n", shape);
  if (row.operand_count == 2) text += fmt::format("  b = {} parameter(1)\n", shape);
  text += fmt::format("  ROOT r = {}(a{})\n}}\n", OpcodeName(row.opcode),
                      row.operand_count == 2 ? ", b" : "");
  return RunText(text, operands);
}

void CheckIntegers(const ElementwiseRow& row, ElementType type, const std::string& what) {
  const std::vector<Wide> a = IntegerOperands(type, false), b = IntegerOperands(type, true);
  std::vector<Literal> operands = {MakeIntegers(type, a)};
  if (row.operand_count == 2) operands.push_back(MakeIntegers(type, b));
  const absl::StatusOr<Literal> result = RunRow(row, operands);
  ASSERT_TRUE(result.ok()) << what << ": " << result.status();
  const IntegerType integer(type);
  const std::vector<Wide> found = IntegersOf(*result);
  for (size_t i = 0; i < found.size(); ++i) {
    const Wide expected =
        integer.Wrap(row.operand_count == 1 ? IntegerUnary(row.opcode, integer, a[i])
                                            : IntegerBinary(row.opcode, integer, a[i], b[i]));
    EXPECT_TRUE(found[i] == expected)
        << what << " of " << static_cast<int64_t>(a[i]) << " and " << static_cast<int64_t>(b[i])
        << ": " << static_cast<int64_t>(found[i]) << ", expected "
        << static_cast<int64_t>(expected);
  }
}

void CheckFloats(const ElementwiseRow& row, ElementType type, const std::string& what) {
  std::vector<Literal> operands = {MakeLiteral(type, kFirst)};
  if (row.operand_count == 2) operands.push_back(MakeLiteral(type, kSecond));
  const absl::StatusOr<Literal> result = RunRow(row, operands);
  ASSERT_TRUE(result.ok()) << what << ": " << result.status();
  const std::vector<Complex> found = Values(*result);
  const std::vector<Complex> x = Values(operands.front()), y = Values(operands.back());
  for (size_t i = 0; i < found.size(); ++i) {
    const Complex expected = row.operand_count == 1 ? UnaryFunctions().at(row.opcode)(x[i])
                                                    : BinaryFunctions().at(row.opcode)(x[i], y[i]);
    ExpectNear(result->shape().element_type(), found[i], expected, what);
  }
}

TEST(DomainCoverageTest, EveryElementwiseOpcodeOnEveryTypeOfItsDomain) {
  int executed = 0;
  for (const ElementwiseRow& row : ElementwiseRows()) {
    for (ElementType type : ArrayTypes()) {
      if (!IsIn(type, row.domain) || !IsPair(row.opcode, type)) continue;
      const std::string what =
          fmt::format("{} on {}", OpcodeName(row.opcode), ElementTypeName(type));
      if (IsInteger(type) || type == ElementType::kPred) {
        CheckIntegers(row, type, what);
      } else {
        CheckFloats(row, type, what);
      }
      ++executed;
    }
  }
  EXPECT_GT(executed, 800);
}

// How a row is refused on a type: by a rule, or where XLA accepts the type when it runs
// (verifier.md 3.1, 3.2).
std::string RefusalOf(const ElementwiseRow& row, ElementType type) {
  if (IsIn(type, row.accepted) && IsPair(row.opcode, type)) {
    return fmt::format("`{}` is not defined for element type {}", OpcodeName(row.opcode),
                       ElementTypeName(type));
  }
  static const std::map<Opcode, std::string_view> rules = {
      {Opcode::kAbs, "[abs.unsigned]"},         {Opcode::kAnd, "[logical.element-type]"},
      {Opcode::kOr, "[logical.element-type]"},  {Opcode::kXor, "[logical.element-type]"},
      {Opcode::kAtan2, "[atan2.element-type]"}, {Opcode::kComplex, "[complex.component-type]"}};
  if (row.opcode == Opcode::kCbrt && IsComplex(type)) return "[cbrt.complex]";
  const auto found = rules.find(row.opcode);
  if (found != rules.end()) return std::string(found->second);
  return row.operand_count == 1 ? "[unary.element-type]" : "[binary.no-pred]";
}

TEST(DomainCoverageTest, OtherTypesAreRefused) {
  for (const ElementwiseRow& row : ElementwiseRows()) {
    for (ElementType type : ArrayTypes()) {
      if (IsIn(type, row.domain) && IsPair(row.opcode, type)) continue;
      std::vector<Literal> operands(static_cast<size_t>(row.operand_count),
                                    MakeLiteral(type, kFirst));
      const absl::Status status = RunRow(row, operands).status();
      EXPECT_TRUE(std::string(status.message()).ends_with(RefusalOf(row, type)))
          << OpcodeName(row.opcode) << " on " << ElementTypeName(type) << ": " << status;
    }
  }
}

// Real types drop imaginary parts; integers wrap integers and pred, and truncate and clamp floats
// (semantics.md 2).
Complex Converted(ElementType from, Complex value, ElementType to) {
  if (to == ElementType::kPred || IsComplex(to)) return testing::InType(to, value);
  if (!IsInteger(to) || IsInteger(from) || from == ElementType::kPred) {
    return testing::InType(to, value.real());
  }
  const double limit = std::ldexp(1.0, BitWidth(to) - (IsSigned(to) ? 1 : 0));
  return std::clamp(std::trunc(value.real()), IsSigned(to) ? -limit : 0.0, limit - 1);
}

TEST(DomainCoverageTest, EveryConversion) {
  for (ElementType from : ArrayTypes()) {
    for (ElementType to : ArrayTypes()) {
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  a = {}[3] parameter(0)\n  ROOT r = {}[3] "
          "convert(a)\n}}\n",
          ElementTypeName(from), ElementTypeName(to));
      const Literal operand = MakeLiteral(from, kSecond);
      const absl::StatusOr<Literal> result = RunText(text, {operand});
      ASSERT_TRUE(result.ok()) << text << result.status();
      const std::vector<Complex> values = Values(operand);
      const std::vector<Complex> found = Values(*result);
      for (size_t i = 0; i < values.size(); ++i) {
        ExpectNear(to, found[i], Converted(from, values[i], to), text);
      }
    }
  }
}

}  // namespace
}  // namespace hlo

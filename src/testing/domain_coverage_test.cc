// Executes every elementwise opcode on every element type that its domain column names, and every
// data movement opcode on every element type, as small programs. Floating-point results are
// compared with the same function in complex f64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interp/reference/element_conversion.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using Complex = std::complex<double>;

std::vector<ElementType> ArrayTypes() {
  return {
#define HLO_ARRAY_TYPE(Name, ...) ElementType::k##Name,
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
  };
}

struct ElementwiseRow {
  Opcode opcode;
  TypeSet domain;
  int operand_count;
};

std::vector<ElementwiseRow> ElementwiseRows() {
  return {
#define HLO_UNARY(Name, text, domain, ...) {Opcode::k##Name, domain, 1},
#define HLO_BINARY(Name, text, domain, ...) {Opcode::k##Name, domain, 2},
#include "ir/opcodes.def"
  };
}

// Pairs that the verifier lets through, as XLA's does, but semantics.md 4.1 gives no meaning.
bool HasMeaning(Opcode opcode, ElementType type) {
  static const std::set<Opcode> integers_only = {Opcode::kMultiplyHigh, Opcode::kShiftLeft,
                                                 Opcode::kShiftRightArithmetic,
                                                 Opcode::kShiftRightLogical};
  static const std::set<Opcode> not_complex = {Opcode::kMaximum, Opcode::kMinimum,
                                               Opcode::kRemainder};
  if (integers_only.contains(opcode)) return IsInteger(type);
  if (not_complex.contains(opcode)) return !IsComplex(type);
  if (opcode == Opcode::kComplex) return type == ElementType::kF32 || type == ElementType::kF64;
  return true;
}

absl::StatusOr<Literal> RunText(std::string text, const std::vector<Literal>& arguments) {
  absl::StatusOr<Module> module = testing::ParseText("test", std::move(text));
  if (!module.ok()) return module.status();
  return testing::RunModule(*module, arguments);
}

Literal MakeLiteral(ElementType type, const std::vector<Complex>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  Literal literal = *Literal::Zeros(Shape::ArrayWithDefaultLayout(type, dims));
  reference::ConvertElements(ElementType::kC128, reinterpret_cast<const std::byte*>(values.data()),
                             type, literal.bytes(), dims[0]);
  return literal;
}

std::vector<Complex> Values(const Literal& literal) {
  std::vector<Complex> values(literal.element_count());
  reference::ConvertElements(literal.shape().element_type(), literal.bytes(), ElementType::kC128,
                             reinterpret_cast<std::byte*>(values.data()), literal.element_count());
  return values;
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

// Half the distance of neighbouring numbers, some for the computation, and the smallest number.
double Tolerance(ElementType type, double magnitude) {
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  const FloatFormat& format = GetElementTypeInfo(type).format;
  return std::ldexp(magnitude, 2 - format.mantissa_bits) +
         std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
}

void ExpectNear(ElementType type, Complex found, Complex expected, const std::string& what) {
  // A real function that leaves the real line, a pole, or a number that e8m0 does not have.
  const bool is_complex_value = !IsComplex(type) && std::abs(expected.imag()) > 1e-12;
  const bool has_no_code = type == ElementType::kF8E8M0Fnu && expected.real() <= 0;
  if (is_complex_value || has_no_code || !std::isfinite(std::abs(expected))) {
    const FloatKind kind = GetElementTypeInfo(type).format.kind;
    EXPECT_TRUE(!std::isfinite(found.real()) || kind == FloatKind::kFinite) << what;
    return;
  }
  EXPECT_LE(std::abs(found - expected), Tolerance(type, std::abs(expected)))
      << what << ": " << found << " instead of " << expected;
}

void CheckValues(Opcode opcode, const Literal& result, const std::vector<Literal>& operands,
                 const std::string& what) {
  if (IsInteger(operands[0].shape().element_type())) return;
  if (operands[0].shape().element_type() == ElementType::kPred) return;
  const std::vector<Complex> found = Values(result);
  const std::vector<Complex> x = Values(operands[0]);
  const ElementType type = result.shape().element_type();
  for (size_t i = 0; i < found.size(); ++i) {
    if (operands.size() == 1) {
      ExpectNear(type, found[i], UnaryFunctions().at(opcode)(x[i]), what);
    } else {
      ExpectNear(type, found[i], BinaryFunctions().at(opcode)(x[i], Values(operands[1])[i]), what);
    }
  }
}

void CheckElementwise(const ElementwiseRow& row, ElementType type) {
  const std::string_view type_name = ElementTypeName(type);
  const std::string what = fmt::format("{} on {}", OpcodeName(row.opcode), type_name);
  std::vector<Literal> operands = {MakeLiteral(type, kFirst)};
  std::string text = fmt::format("ENTRY e {{\n  a = {}[3] parameter(0)\n", type_name);
  if (row.operand_count == 2) {
    operands.push_back(MakeLiteral(type, kSecond));
    text += fmt::format("  b = {}[3] parameter(1)\n", type_name);
  }
  text += fmt::format("  ROOT r = {}(a{})\n}}\n", OpcodeName(row.opcode),
                      row.operand_count == 2 ? ", b" : "");
  const absl::StatusOr<Literal> result = RunText("HloModule m\n" + text, operands);
  if (!HasMeaning(row.opcode, type)) {
    EXPECT_FALSE(result.ok()) << what;
    return;
  }
  ASSERT_TRUE(result.ok()) << what << ": " << result.status();
  CheckValues(row.opcode, *result, operands, what);
}

TEST(DomainCoverageTest, EveryElementwiseOpcodeOnEveryTypeOfItsDomain) {
  int executed = 0;
  for (const ElementwiseRow& row : ElementwiseRows()) {
    for (ElementType type : ArrayTypes()) {
      if (!IsIn(type, row.domain)) continue;
      CheckElementwise(row, type);
      ++executed;
    }
  }
  EXPECT_GT(executed, 800);
}

// --- Opcodes without a domain column -----------------------------------------------------------

// `T` stands for the element type. `a` is T[2,3], `s` a scalar T, `p` pred[2,3].
struct Program {
  std::string_view body;
  TypeSet domain = kAnyArray;
};
constexpr Program kPrograms[] = {
    {"ROOT r = pred[2,3] compare(a, a), direction=EQ"},
    {"ROOT r = pred[2,3] compare(a, a), direction=LE", kPred | kInteger | kFloat},
    {"ROOT r = pred[2,3] compare(a, a), direction=GT, type=TOTALORDER", kFloat},
    {"ROOT r = T[2,3] clamp(s, a, s)", kPred | kInteger | kFloat},
    {"ROOT r = T[2,3] select(p, a, a)"},
    {"ROOT r = T[2,3] reduce-precision(a), exponent_bits=4, mantissa_bits=3", kFloat},
    {"ROOT r = T[6] bitcast(a)"},
    {"ROOT r = T[2,3] bitcast-convert(a)"},
    {"ROOT r = T[4,2,3] broadcast(a), dimensions={1,2}"},
    {"ROOT r = T[2,6] concatenate(a, a), dimensions={1}"},
    {"ROOT r = T[2,3] copy(a)"},
    {"ROOT r = s32[] get-dimension-size(a), dimensions={1}"},
    {"ROOT r = T[2,3] iota(), iota_dimension=1", kInteger | kFloat | kComplex},
    {"ROOT r = T[4,2] pad(a, s), padding=1_0_1x-1_0"},
    {"ROOT r = T[3,2] reshape(a)"},
    {"ROOT r = T[2,3] reverse(a), dimensions={0,1}"},
    {"n = s32[] constant(1)\n  ROOT r = T[<=2,3] set-dimension-size(a, n), dimensions={0}"},
    {"ROOT r = T[1,2] slice(a), slice={[0:1], [0:3:2]}"},
    {"ROOT r = T[3,2] transpose(a), dimensions={1,0}"},
};

std::string Replace(std::string text, std::string_view name) {
  for (size_t at = 0; (at = text.find("T[", at)) != std::string::npos; at += name.size()) {
    text.replace(at, 1, name);
  }
  return text;
}

TEST(DomainCoverageTest, EveryDataMovementOpcodeOnEveryType) {
  for (const Program& program : kPrograms) {
    for (ElementType type : ArrayTypes()) {
      if (!IsIn(type, program.domain)) continue;
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  v = T[6] parameter(0)\n  a = T[2,3] reshape(v)\n"
          "  w = T[1] slice(v), slice={{[0:1]}}\n  s = T[] reshape(w)\n"
          "  p = pred[2,3] compare(a, a), direction=EQ\n  {}\n}}\n",
          program.body);
      std::vector<Complex> values = kFirst;
      values.insert(values.end(), kSecond.begin(), kSecond.end());
      const absl::StatusOr<Literal> result =
          RunText(Replace(text, ElementTypeName(type)), {MakeLiteral(type, values)});
      EXPECT_TRUE(result.ok()) << program.body << " on " << ElementTypeName(type) << ": "
                               << result.status();
    }
  }
}

TEST(DomainCoverageTest, EveryConversion) {
  for (ElementType from : ArrayTypes()) {
    for (ElementType to : ArrayTypes()) {
      const std::string text = fmt::format(
          "HloModule m\nENTRY e {{\n  a = {}[3] parameter(0)\n  ROOT r = {}[3] "
          "convert(a)\n}}\n",
          ElementTypeName(from), ElementTypeName(to));
      EXPECT_TRUE(RunText(text, {MakeLiteral(from, kFirst)}).ok()) << text;
    }
  }
}

}  // namespace
}  // namespace hlo

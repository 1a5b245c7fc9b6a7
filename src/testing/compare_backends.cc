// The reference backend runs on one thread, simd on one and on three: what these give must be the
// same bits.
#include "testing/compare_backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "interp/backends.h"
#include "interp/executor.h"
#include "ir/element_traits.h"

namespace hlo::testing {
namespace {

// Skips all tests where there is no such instruction set as HLOKIT_ISA asks for.
class ChosenInstructionSet final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (!IsInstructionSetThere()) GTEST_SKIP() << "the instruction set is not there";
  }
};
[[maybe_unused]] const auto* const environment =
    ::testing::AddGlobalTestEnvironment(new ChosenInstructionSet);

BackendRun RunOn(std::string_view backend, const Module& module, std::span<const Literal> arguments,
                 const CompareOptions& options, ThreadPool* pool = nullptr) {
  DeviceContext device;
  device.set_thread_pool(pool);
  device.set_max_iterations(100'000);
  device.set_max_work(options.max_work);
  absl::StatusOr<Literal> result =
      RunModule(module, arguments, device,
                PlanOptions{.backend = FindBackend(backend),
                            .freezes_arguments = options.freezes_arguments,
                            .library_use = options.library_use});
  if (!result.ok()) return {result.status(), std::nullopt};
  return {absl::OkStatus(), *std::move(result)};
}

}  // namespace

std::vector<const Literal*> Arrays(const Literal& literal) {
  if (literal.shape().IsArray()) return {&literal};
  std::vector<const Literal*> arrays;
  for (const Literal& element : literal.tuple_elements()) {
    const std::vector<const Literal*> inner = Arrays(element);
    arrays.insert(arrays.end(), inner.begin(), inner.end());
  }
  return arrays;
}

double ValueAt(const Literal& array, int64_t i) {
  double value = 0;
  DispatchElementType<kAnyArray>(array.shape().element_type(), [&]<typename T>() {
    const T element = array.elements<T>()[static_cast<size_t>(i)];
    if constexpr (kTypeClassOf<T> == kComplex) {
      value = std::abs(std::complex<double>(element));
    } else if constexpr (kTypeClassOf<T> == kFloat) {
      value = std::is_same_v<T, double> ? static_cast<double>(element)
                                        : static_cast<double>(static_cast<float>(element));
    } else if constexpr (kTypeClassOf<T> != kPred) {
      value = static_cast<double>(NativeValue(element));
    } else {
      value = element;
    }
  });
  return value;
}

const std::byte* ElementAt(const Literal& array, int64_t i) {
  return array.bytes() + i * ElementByteSize(array.shape().element_type());
}

double DistanceAt(const Literal& a, const Literal& b, int64_t i) {
  if (!IsComplex(a.shape().element_type())) return std::abs(ValueAt(a, i) - ValueAt(b, i));
  double distance = 0;
  DispatchElementType<kComplex>(a.shape().element_type(), [&]<typename T>() {
    const auto at = static_cast<size_t>(i);
    distance = std::abs(std::complex<double>(a.elements<T>()[at]) -
                        std::complex<double>(b.elements<T>()[at]));
  });
  return distance;
}

bool AreSameAt(const Literal& a, const Literal& b, int64_t i) {
  const auto are_same = []<typename T>(T x, T y) {
    return (x != x && y != y) || std::memcmp(&x, &y, sizeof(T)) == 0;
  };
  return DispatchElementType<kFloat | kComplex>(a.shape().element_type(), [&]<typename T>() {
    const T x = a.elements<T>()[static_cast<size_t>(i)],
            y = b.elements<T>()[static_cast<size_t>(i)];
    if constexpr (ComplexElement<T>) {
      return are_same(x.real(), y.real()) && are_same(x.imag(), y.imag());
    } else {
      return are_same(x, y);
    }
  });
}

bool AreSameBits(const Literal& a, const Literal& b) {
  const auto x = Arrays(a), y = Arrays(b);
  return std::ranges::equal(x, y, [](const Literal* left, const Literal* right) {
    return left->byte_size() == right->byte_size() &&
           std::memcmp(left->bytes(), right->bytes(), static_cast<size_t>(left->byte_size())) == 0;
  });
}

const simd::OpcodeTolerance* RowFor(const Module& module) {
  for (const Instruction& instruction : module.instructions()) {
    const simd::OpcodeTolerance* found = nullptr;
    for (const simd::OpcodeTolerance& row : simd::Tolerances()) {
      if (row.opcode != instruction.opcode) continue;
      const Shape& shape = *instruction.shape;
      if (shape.IsArray() && IsIn(shape.element_type(), row.types)) return &row;
      if (found == nullptr) found = &row;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

double UnitOf(ElementType type) {
  return type == ElementType::kF64 || type == ElementType::kC128 ? 0x1p-52 : 0x1p-23;
}

std::optional<Comparison> Compare(const std::string& name, const std::string& text,
                                  const CompareOptions& options) {
  constexpr FakeKind kind = FakeKind::kRandom;
  Comparison c;
  absl::StatusOr<Module> module = ParseText(name, text);
  if (!module.ok()) return std::nullopt;
  c.module.emplace(*std::move(module));
  // Inputs of hundreds of megabytes take longer to make than to use.
  double input_count = 0;
  for (const Instruction& instruction : c.module->instructions()) {
    if (instruction.opcode != Opcode::kParameter || !instruction.shape->IsArray()) continue;
    input_count += static_cast<double>(ElementCount(*instruction.shape).value_or(INT64_MAX));
  }
  if (input_count > static_cast<double>(options.max_work) / 4) return std::nullopt;
  const auto elided = ElidedConstants(*c.module);
  if (!FillElidedConstants(*c.module, elided, kind, 1).ok()) return std::nullopt;
  auto arguments = ArgumentGenerator(*c.module, kind, 1).MakeAll();
  if (!arguments.ok()) return std::nullopt;
  c.arguments = *std::move(arguments);
  if (options.change != nullptr) options.change(c.arguments);
  c.reference = RunOn("reference", *c.module, c.arguments, options);
  c.simd = RunOn("simd", *c.module, c.arguments, options);
  EXPECT_EQ(c.reference.status.code(), c.simd.status.code())
      << name << ": " << c.reference.status << " / " << c.simd.status;
  if (!c.reference.result || !c.simd.result) return std::nullopt;
  ThreadPool pool(3);
  const BackendRun threaded = RunOn("simd", *c.module, c.arguments, options, &pool);
  EXPECT_TRUE(threaded.result && AreSameBits(*threaded.result, *c.simd.result))
      << name << " depends on threads";
  return c;
}

void ExpectEqual(const Comparison& c) {
  ExpectNear(*c.simd.result, *c.reference.result, 0, [](const Literal&, int64_t) { return 0; });
}

void ExpectProductNear(const Comparison& c, const std::string& text, int64_t term_count) {
  const simd::OpcodeTolerance* row = RowFor(*c.module);
  ASSERT_NE(row, nullptr);
  std::vector<Literal> magnitudes = c.arguments;
  for (Literal& literal : magnitudes) {
    DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
      if constexpr (kTypeClassOf<T> == kFloat) {
        for (T& element : literal.elements<T>()) {
          if constexpr (std::is_same_v<T, double>) {
            element = std::abs(element);
          } else {
            element = static_cast<T>(std::abs(static_cast<float>(element)));
          }
        }
      } else if constexpr (kTypeClassOf<T> == kComplex) {
        for (T& element : literal.elements<T>()) {
          element = T(std::abs(element.real()) + std::abs(element.imag()), 0);
        }
      } else if constexpr (kTypeClassOf<T> == kSigned) {
        constexpr int64_t kMax = IntegerTraits<T>::kMax;
        for (T& element : literal.elements<T>()) {  // the least number's has no element
          const auto number = static_cast<int64_t>(element);
          if (number < 0) element = static_cast<T>(std::min(-(number + 1), kMax - 1) + 1);
        }
      }
    });
  }
  // What has run once is not too much.
  const BackendRun sums = RunOn("reference", *c.module, magnitudes, {.max_work = INT64_MAX});
  ASSERT_TRUE(sums.result);
  const double n = static_cast<double>(term_count);
  const double growth = std::min(n, 4 * std::sqrt(n) + 8) * row->sums;
  ExpectNear(*c.simd.result, *c.reference.result, row->ulp, [&](const Literal& array, int64_t i) {
    return growth * UnitOf(array.shape().element_type()) * ValueAt(*sums.result, i);
  });
  if (::testing::Test::HasFailure()) ADD_FAILURE() << text;
}

void ExpectSameDot(const std::string& text, const CompareOptions& options) {
  const std::optional<Comparison> c = Compare("dot", text, options);
  ASSERT_TRUE(c) << text;
  const OpView op(*c->module, c->module->root(c->module->entry()));
  int64_t term_count = 1;
  for (int64_t d : op.Get<Attr::kLhsContractingDims>()) term_count *= op.operand_shape(0).dim(d);
  ExpectProductNear(*c, text, term_count);
}

void ExpectSameConvolution(const std::string& text, const CompareOptions& options) {
  const std::optional<Comparison> c = Compare("convolution", text, options);
  ASSERT_TRUE(c) << text;
  const OpView op(*c->module, c->module->root(c->module->entry()));
  const int64_t outputs = op.operand_shape(1).dim(op.Get<Attr::kDimLabels>().kernel_output_feature);
  ExpectProductNear(*c, text,
                    ElementCount(op.operand_shape(1)).value() / std::max<int64_t>(1, outputs));
}

uint32_t SeedCount(uint32_t count) {
  const char* const factor = std::getenv("HLOKIT_SEED_FACTOR");
  return factor == nullptr ? count : count * static_cast<uint32_t>(std::max(1, std::atoi(factor)));
}

void ExpectSame(std::string (*make)(uint32_t seed), uint32_t count) {
  count = SeedCount(count);
  uint32_t run_count = 0;
  for (uint32_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = make(seed);
    const std::optional<Comparison> c = Compare(fmt::format("seed {}", seed), text);
    if (!c) continue;  // windows larger than what they are to lie in
    ++run_count;
    ExpectEqual(*c);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << text;
  }
  EXPECT_GT(run_count, count / 2);
}

}  // namespace hlo::testing

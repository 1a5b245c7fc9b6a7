// Runs every worked case of semantics.md chapter 20 (docs/spec), one test each; those for several
// participants on threads.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/run_module.h"
#include "testing/run_participants.h"

namespace hlo::testing {
namespace {

using nlohmann::json;

constexpr char kVectorsPath[] = HLOKIT_SOURCE_DIR "/testdata/vectors/evaluation.json";

// Those of a single participant, or those of several.
std::vector<json> LoadVectors(bool of_one_participant) {
  std::ifstream file(kVectorsPath);
  std::vector<json> vectors;
  json document = json::parse(file);
  for (json& vector : document["vectors"]) {
    const int64_t count = vector.value("replicas", 1) * vector.value("partitions", 1);
    if ((count == 1) == of_one_participant) vectors.push_back(std::move(vector));
  }
  return vectors;
}

double NumberOf(const json& item) {
  if (item.is_boolean()) return item.get<bool>() ? 1 : 0;
  if (item.is_number()) return item.get<double>();
  std::string text = item.get<std::string>();
  if (text == "-0") return -0.0;
  return std::stod(text);  // reads nan and inf too
}

// Integers beyond 2^53 are strings.
uint64_t IntegerOf(const json& item) {
  if (item.is_string()) {
    std::string text = item.get<std::string>();
    return text[0] == '-' ? static_cast<uint64_t>(std::stoll(text)) : std::stoull(text);
  }
  if (item.is_number_unsigned()) return item.get<uint64_t>();
  return static_cast<uint64_t>(item.get<int64_t>());
}

template <typename T>
T ElementOf(const json& item) {
  constexpr TypeSet kClass = kTypeClassOf<T>;
  if constexpr (kClass == kComplex) {
    using Part = typename T::value_type;
    if (!item.is_array()) return T(static_cast<Part>(NumberOf(item)), 0);
    return T(static_cast<Part>(NumberOf(item[0])), static_cast<Part>(NumberOf(item[1])));
  } else if constexpr (kClass == kFloat) {
    if constexpr (std::is_same_v<T, double>) {
      return NumberOf(item);
    } else {
      return static_cast<T>(static_cast<float>(NumberOf(item)));
    }
  } else if constexpr (kClass == kPred) {
    return NumberOf(item) != 0;
  } else {
    return static_cast<T>(static_cast<int64_t>(IntegerOf(item)));
  }
}

Literal LiteralOf(const json& tensor, bool use_bits) {
  Literal literal = *Literal::Zeros(MakeShape(tensor["shape"].get<std::string>()));
  const json& data = tensor["data"];
  if (use_bits && tensor.contains("bits")) {
    int64_t size = ElementByteSize(literal.shape().element_type());
    const json& bits = tensor["bits"];
    for (size_t i = 0; i < bits.size(); ++i) {
      uint64_t word = std::stoull(bits[i].get<std::string>(), nullptr, 16);
      std::memcpy(literal.bytes() + static_cast<int64_t>(i) * size, &word,
                  static_cast<size_t>(size));
    }
    return literal;
  }
  DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
    std::span<T> elements = literal.elements<T>();
    for (size_t i = 0; i < data.size(); ++i) elements[i] = ElementOf<T>(data[i]);
  });
  return literal;
}

void CollectArrays(const Literal& literal, std::vector<const Literal*>& arrays) {
  if (literal.shape().IsArray()) arrays.push_back(&literal);
  for (const Literal& element : literal.tuple_elements()) CollectArrays(element, arrays);
}

// Distance in representable values, zeros identified.
template <typename Float, typename Int>
uint64_t UlpDistance(Float a, Float b) {
  auto key = [](Float x) {
    Int bits = std::bit_cast<Int>(x);
    return bits < 0 ? std::numeric_limits<Int>::min() - bits : bits;
  };
  Int ka = key(a), kb = key(b);
  return ka > kb ? static_cast<uint64_t>(ka) - static_cast<uint64_t>(kb)
                 : static_cast<uint64_t>(kb) - static_cast<uint64_t>(ka);
}

template <typename T>
uint64_t UlpDistanceOf(T a, T b) {
  if constexpr (std::is_same_v<T, double>) {
    return UlpDistance<double, int64_t>(a, b);
  } else if constexpr (std::is_same_v<T, float>) {
    return UlpDistance<float, int32_t>(a, b);
  } else {
    // Narrow floats: count steps of the f32 grid that their own step spans.
    float x = static_cast<float>(a), y = static_cast<float>(b);
    float step = std::ldexp(1.0f, std::ilogb(std::max(std::abs(x), 1e-30f))) *
                 std::ldexp(1.0f, -GetElementTypeInfo(kElementTypeOf<T>).format.mantissa_bits);
    return static_cast<uint64_t>(std::ceil(std::abs(x - y) / step));
  }
}

struct Tolerance {
  bool is_exact = true;
  bool is_zero_sign_free = false;
  bool are_nan_bits_meant = false;
  uint64_t ulp = 0;
  double relative = 0;
  double absolute = 0;
};

Tolerance ToleranceOf(const std::string& text) {
  Tolerance tolerance;
  if (text == "exact" || text.starts_with("reference-only")) return tolerance;
  tolerance.is_exact = false;
  if (text.starts_with("ulp:")) tolerance.ulp = std::stoull(text.substr(4));
  if (text.starts_with("rel:")) tolerance.relative = std::stod(text.substr(4));
  if (text.starts_with("abs:")) tolerance.absolute = std::stod(text.substr(4));
  return tolerance;
}

// Where NaN bits are meant: the total order, bit casts, conversions to 8-bit floats.
bool AreNanBitsMeant(const std::string& name, ElementType result_type) {
  return name == "sort_f32_total_order_nan" || name.starts_with("bitcast_convert_") ||
         (name.starts_with("convert_") && BitWidth(result_type) == 8);
}

// A vector that gives the sign of a zero wrongly. (-0 - i) * (0 + i) has the imaginary part
// -0 * 1 + -1 * 0 = -0 + -0 = -0 by the formula of semantics.md 4.1; the vector says 0.
bool IsZeroSignFree(const std::string& name) { return name == "multiply_c64"; }

template <typename T>
bool Matches(T actual, T expected, const Tolerance& tolerance) {
  constexpr TypeSet kClass = kTypeClassOf<T>;
  if (std::memcmp(&actual, &expected, sizeof(T)) == 0) return true;
  if constexpr (kClass == kFloat) {
    double a = static_cast<double>(static_cast<float>(actual));
    double b = static_cast<double>(static_cast<float>(expected));
    if constexpr (std::is_same_v<T, double>) {
      a = actual;
      b = expected;
    }
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) && std::isnan(b) && !tolerance.are_nan_bits_meant;
    }
    if (tolerance.is_exact) return false;
    if (std::isinf(a) || std::isinf(b)) return a == b;
    if (tolerance.ulp > 0 && UlpDistanceOf(actual, expected) <= tolerance.ulp) return true;
    return std::abs(a - b) <=
           std::max(tolerance.absolute, tolerance.relative * std::max(1e-30, std::abs(b)));
  } else if constexpr (kClass == kComplex) {
    auto part_matches = [&](auto a, auto b) {
      bool is_sign_free = !tolerance.is_exact || tolerance.is_zero_sign_free;
      return a == b ? is_sign_free || std::signbit(a) == std::signbit(b)
                    : std::isnan(a) && std::isnan(b);
    };
    if (part_matches(actual.real(), expected.real()) &&
        part_matches(actual.imag(), expected.imag())) {
      return true;
    }
    if (tolerance.is_exact) return false;
    double scale = std::max(1e-30, static_cast<double>(std::abs(expected)));
    double epsilon = std::is_same_v<T, C64> ? 0x1p-23 : 0x1p-52;
    double bound = std::max({tolerance.absolute, tolerance.relative * scale,
                             static_cast<double>(tolerance.ulp) * epsilon * scale});
    return std::abs(actual - expected) <= bound;
  } else {
    return false;
  }
}

void ExpectMatch(const Literal& actual, const json& tensor, const Tolerance& tolerance) {
  Literal expected = LiteralOf(tensor, tolerance.is_exact);
  std::span<const int64_t> sizes =
      actual.dynamic_sizes().empty() ? actual.shape().dims() : actual.dynamic_sizes();
  ASSERT_EQ(actual.shape().element_type(), expected.shape().element_type());
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  ASSERT_EQ(count, expected.element_count());
  DispatchElementType<kAnyArray>(actual.shape().element_type(), [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      T a = actual.elements<T>()[static_cast<size_t>(i)];
      T b = expected.elements<T>()[static_cast<size_t>(i)];
      EXPECT_TRUE(Matches(a, b, tolerance))
          << "element " << i << ": expected " << tensor["data"][static_cast<size_t>(i)]
          << ", got bits 0x" << std::hex << [&] {
               uint64_t word = 0;
               std::memcpy(&word, &a, std::min(sizeof(T), sizeof(word)));
               return word;
             }();
    }
  });
}

// The result's arrays beside a list of outputs.
void ExpectOutputs(const Literal& result, const json& outputs, Tolerance tolerance,
                   const std::string& name) {
  std::vector<const Literal*> arrays;
  CollectArrays(result, arrays);
  ASSERT_EQ(arrays.size(), outputs.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    tolerance.are_nan_bits_meant = AreNanBitsMeant(name, arrays[i]->shape().element_type());
    ExpectMatch(*arrays[i], outputs[i], tolerance);
  }
}

class VectorTest : public ::testing::TestWithParam<json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VectorTest);

TEST_P(VectorTest, Gives) {
  const json& vector = GetParam();
  std::string name = vector["name"].get<std::string>();
  absl::StatusOr<Module> module = ParseText(name, vector["hlo"].get<std::string>());
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Literal> inputs;
  for (const json& tensor : vector["inputs"]) inputs.push_back(LiteralOf(tensor, true));
  absl::StatusOr<Literal> result = RunModule(*module, inputs);
  ASSERT_TRUE(result.ok()) << result.status();
  Tolerance tolerance = ToleranceOf(vector["tolerance"].get<std::string>());
  tolerance.is_zero_sign_free = IsZeroSignFree(name);
  ExpectOutputs(*result, vector["outputs"], tolerance, name);
}

class ParticipantVectorTest : public ::testing::TestWithParam<json> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ParticipantVectorTest);

TEST_P(ParticipantVectorTest, Gives) {
  const json& vector = GetParam();
  const std::string name = vector["name"].get<std::string>();
  const absl::StatusOr<Module> module = ParseText(name, vector["hlo"].get<std::string>());
  ASSERT_TRUE(module.ok()) << module.status();
  const DeviceCounts counts = {vector["replicas"].get<int64_t>(),
                               vector["partitions"].get<int64_t>()};
  std::vector<std::vector<Literal>> inputs(vector["devices"].size());
  const auto number_of = [&](const json& device) {
    return device["replica"].get<size_t>() * static_cast<size_t>(counts.partitions) +
           device["partition"].get<size_t>();
  };
  for (const json& device : vector["devices"]) {
    for (const json& tensor : device["inputs"]) {
      inputs.at(number_of(device)).push_back(LiteralOf(tensor, true));
    }
  }
  const auto results = RunOnParticipants(*module, counts, inputs);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), inputs.size());
  for (const json& device : vector["devices"]) {
    SCOPED_TRACE("participant " + std::to_string(number_of(device)));
    ExpectOutputs((*results)[number_of(device)], device["outputs"],
                  ToleranceOf(vector["tolerance"].get<std::string>()), name);
  }
}

INSTANTIATE_TEST_SUITE_P(Spec, ParticipantVectorTest, ::testing::ValuesIn(LoadVectors(false)),
                         [](const auto& info) {
                           return info.param["name"].template get<std::string>();
                         });

INSTANTIATE_TEST_SUITE_P(Spec, VectorTest, ::testing::ValuesIn(LoadVectors(true)),
                         [](const auto& info) {
                           return info.param["name"].template get<std::string>();
                         });

TEST(Vectors, AreThere) {
  EXPECT_FALSE(LoadVectors(true).empty());
  for (const json& vector : LoadVectors(true)) EXPECT_TRUE(vector.contains("inputs")) << vector;
  for (const json& vector : LoadVectors(false)) EXPECT_TRUE(vector.contains("devices")) << vector;
}

}  // namespace
}  // namespace hlo::testing

// A value has a random stream of its own, begun from the seed and the value's number, so that one
// can be made without the others. An element takes a fixed count of the stream's numbers: each part
// of a large array knows where in it to begin, and threads make the parts. In which range numbers
// lie follows from what the program does with the value (argument_uses.h).
#include "interp/arguments.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "interp/kernel/random_stream.h"
#include "interp/simd/random/uniform_floats.h"
#include "ir/element_traits.h"
#include "ir/leaves.h"
#include "support/status_macros.h"
#include "support/thread_pool.h"
#include "support/zeroed_arena.h"

namespace hlo {
namespace {

// In the order of the enumerators.
constexpr std::string_view kFakeKindNames[] = {"random", "normal",  "zeros", "ones",
                                               "iota",   "pattern", "nan"};

// The finite value of the narrow float type T nearest to `value`; a type without sign takes its
// magnitude. NaN stays NaN where T has one.
template <typename T>
T NearestFinite(double value) {
  constexpr FloatFormat kFormat = T::kFormat;
  constexpr double kHighest = DecodeFloat(kFormat, kFormat.max_finite());
  if (std::isnan(value)) return T(static_cast<float>(value));
  if constexpr (kFormat.kind == FloatKind::kExponentOnly) {
    constexpr double kLowest = DecodeFloat(kFormat, 0);  // there is no zero
    value = std::max(std::abs(value), kLowest);
  }
  return T(static_cast<float>(std::clamp(value, -kHighest, kHighest)));
}

// What becomes of numbers that a narrow float type does not have.
enum class Storing : uint8_t { kNearestFinite, kAsConverted };

// Stores `real` (and `imaginary`) as a T: integers are cut to their low bits, floats rounded.
template <typename T>
T MakeElement(double real, double imaginary, Storing storing) {
  constexpr TypeSet kClass = kTypeClassOf<T>;
  if constexpr (kClass == kComplex) {
    return T(static_cast<typename T::value_type>(real),
             static_cast<typename T::value_type>(imaginary));
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return static_cast<T>(real);
  } else if constexpr (kClass == kFloat) {
    return storing == Storing::kNearestFinite ? NearestFinite<T>(real)
                                              : T(static_cast<float>(real));
  } else if constexpr (kClass == kPred) {
    return real != 0;
  } else {
    return static_cast<T>(static_cast<int64_t>(real));
  }
}

// Writes element(i) -> (real, imaginary) into all of `literal`.
template <typename Element>
void Fill(Literal& literal, Element element, Storing storing = Storing::kNearestFinite) {
  DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
    std::span<T> elements = literal.elements<T>();
    for (size_t i = 0; i < elements.size(); ++i) {
      auto [real, imaginary] = element(static_cast<int64_t>(i));
      elements[i] = MakeElement<T>(real, imaginary, storing);
    }
  });
}

using Parts = std::pair<double, double>;

// The fixed pattern: small numbers in short cycles, shifted from leaf to leaf.
Parts PatternElement(ElementType type, int64_t i, int64_t leaf) {
  int64_t j = i + 5 * leaf;
  if (type == ElementType::kPred) return {static_cast<double>(j % 2), 0};
  if (IsInteger(type)) return {static_cast<double>(j % 5), 0};
  double real = static_cast<double>((j * 7 + 3) % 13 - 6) / 4;
  double imaginary = static_cast<double>((j * 5 + 1) % 11 - 5) / 4;
  return {real, imaginary};
}

// Floats in [-1, 1), or [0.5, 1.5) where a root, logarithm or quotient wants them; weights of
// contractions shrink with the number of terms so that results keep their size.
class RandomFloats {
 public:
  RandomFloats(const ValueRange& range, FakeKind kind)
      : keeps_off_zero_(range.is_positive || range.is_divisor),
        is_normal_(kind == FakeKind::kNormal && !keeps_off_zero_),
        scale_(std::sqrt(static_cast<double>(range.term_count))) {}

  bool is_uniform() const { return !is_normal_; }
  simd::UniformRange uniform_range() const {
    if (keeps_off_zero_) return {1, 0.5, 1};
    return {2, -1, scale_};
  }

  // How many numbers of the stream one of them takes.
  uint64_t draws() const { return is_normal_ ? 2 : 1; }

  double Next(RandomStream& stream) const {
    return is_normal_ ? stream.NextNormal() / scale_ : uniform_range().Next(stream);
  }

 private:
  bool keeps_off_zero_;
  bool is_normal_;
  double scale_;
};

IntegerRange RandomIntegers(const ValueRange& range, ElementType type) {
  constexpr int64_t kUsualHighest = 20;
  int value_bits = std::min(BitWidth(type) - (IsSigned(type) ? 1 : 0), 62);
  int64_t highest_of_type = (int64_t{1} << value_bits) - 1;
  if (range.index_limit) return {0, std::min(*range.index_limit - 1, highest_of_type)};
  int64_t highest = std::min(kUsualHighest, highest_of_type);
  int64_t lowest = IsSigned(type) && !range.is_positive ? -highest : 0;
  if (range.is_divisor) lowest = std::min<int64_t>(1, highest);
  return {lowest, highest};
}

class Generator {
 public:
  Generator(FakeKind kind, uint64_t seed, ThreadPool& threads)
      : kind_(kind), stream_(seed), threads_(threads) {}

  // `leaf` counts array leaves, `ranges` has one entry for each leaf of the value.
  void FillLeaf(Literal& literal, int64_t leaf, const ValueRange& range) {
    ElementType type = literal.shape().element_type();
    switch (kind_) {
      case FakeKind::kRandom:
      case FakeKind::kNormal:
        return FillRandom(literal, range);
      case FakeKind::kZeros:
        return;
      case FakeKind::kOnes:
        return Fill(literal, [](int64_t) { return Parts{1, 0}; });
      case FakeKind::kIota:
        return Fill(literal, [](int64_t i) { return Parts{static_cast<double>(i), 0}; });
      case FakeKind::kPattern:  // others make the same bits from its definition
        return Fill(
            literal, [&](int64_t i) { return PatternElement(type, i, leaf); },
            Storing::kAsConverted);
      case FakeKind::kNan: {
        double value = IsFloat(type) || IsComplex(type) ? NAN : 0;
        return Fill(literal, [&](int64_t) { return Parts{value, value}; });
      }
    }
    HLO_UNREACHABLE();
  }

 private:
  void FillRandom(Literal& literal, const ValueRange& range) {
    const ElementType type = literal.shape().element_type();
    if (type == ElementType::kPred) {
      return FillInParts(literal, 1, [](RandomStream& stream) {
        return Parts{static_cast<double>(stream.Next() >> 63), 0};
      });
    }
    if (IsInteger(type)) return FillIntegers(literal, RandomIntegers(range, type));
    const RandomFloats floats(range, kind_);
    if (floats.is_uniform() && type != ElementType::kF8E8M0Fnu) {  // which has neither 0 nor signs
      return FillUniform(literal, floats.uniform_range());
    }
    if (IsComplex(type)) {
      return FillInParts(literal, 2 * floats.draws(), [floats](RandomStream& stream) {
        const double real = floats.Next(stream);
        return Parts{real, floats.Next(stream)};
      });
    }
    FillInParts(literal, floats.draws(), [floats](RandomStream& stream) {
      return Parts{floats.Next(stream), 0};
    });
  }

  void FillIntegers(Literal& literal, const IntegerRange& range) {
    DispatchElementType<kInteger>(literal.shape().element_type(), [&]<typename T>() {
      ForEachPart(literal.elements<T>(), 1, [&](RandomStream stream, std::span<T> part) {
        for (T& to : part) to = static_cast<T>(range.Next(stream));
      });
    });
  }

  void FillUniform(Literal& literal, const simd::UniformRange& range) {
    const ElementType type = literal.shape().element_type();
    DispatchElementType<kFloat | kComplex>(type, [&]<typename T>() {
      const uint64_t draws = ComplexElement<T> ? 2 : 1;
      ForEachPart(literal.elements<T>(), draws, [&](RandomStream stream, std::span<T> part) {
        simd::FillUniform(type, range, stream, std::as_writable_bytes(part).data(),
                          static_cast<int64_t>(part.size()));
      });
    });
  }

  template <typename Element>
  void FillInParts(Literal& literal, uint64_t draws, Element element) {
    DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
      ForEachPart(literal.elements<T>(), draws, [&](RandomStream stream, std::span<T> part) {
        for (T& to : part) {
          const auto [real, imaginary] = element(stream);
          to = MakeElement<T>(real, imaginary, Storing::kNearestFinite);
        }
      });
    });
  }

  // Elements one behind the other in the stream, each of which takes `draws` of its numbers: so
  // each part of an array knows where in the stream it begins.
  template <typename T, typename FillPart>
  void ForEachPart(std::span<T> elements, uint64_t draws, FillPart fill_part) {
    constexpr size_t kPart = size_t{1} << 14;
    const auto fill = [&](int64_t part) {
      const size_t begin = static_cast<size_t>(part) * kPart;
      RandomStream stream = stream_;
      stream.Skip(begin * draws);
      fill_part(stream, elements.subspan(begin, std::min(kPart, elements.size() - begin)));
    };
    threads_.ForEach(static_cast<int64_t>((elements.size() + kPart - 1) / kPart), fill);
    stream_.Skip(elements.size() * draws);
  }

  FakeKind kind_;
  RandomStream stream_;
  ThreadPool& threads_;
};

// Streams of different values are independent, so that one can be made without the others.
uint64_t MixSeed(uint64_t seed, uint64_t number) {
  return RandomStream(seed ^ (number * 0xd1342543de82ef95u)).Next();
}

absl::StatusOr<Literal> Generate(const Shape& shape, FakeKind kind, uint64_t seed,
                                 int64_t first_array_leaf, const std::vector<ValueRange>& ranges,
                                 ThreadPool& threads, ZeroedArena& arena) {
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Zeros(shape, arena));
  Generator generator(kind, seed, threads);
  size_t number = 0;  // of the leaf
  int64_t array_leaf = first_array_leaf;
  ForEachLeaf(literal, [&](Literal& leaf) {
    const size_t i = number++;
    if (leaf.shape().IsArray()) generator.FillLeaf(leaf, array_leaf++, ranges[i]);
  });
  return literal;
}

}  // namespace

std::optional<FakeKind> ParseFakeKind(std::string_view text) {
  const auto* name = std::ranges::find(kFakeKindNames, text);
  if (name == std::end(kFakeKindNames)) return std::nullopt;
  return static_cast<FakeKind>(name - std::begin(kFakeKindNames));
}

std::span<const std::string_view> FakeKindNames() { return kFakeKindNames; }

ArgumentGenerator::ArgumentGenerator(const Module& module, FakeKind kind, uint64_t seed)
    : module_(module),
      finder_(module),
      kind_(kind),
      seed_(seed),
      threads_(std::make_unique<ThreadPool>(ThreadPool::ProcessorCount())) {
  int64_t leaf = 0;
  size_t byte_size = 0;
  for (InstructionId id : module.entry().parameters) {
    const Shape& shape = *module.instruction(id).shape;
    first_leaves_.push_back(leaf);
    leaf += ArrayLeafCount(shape);
    byte_size += static_cast<size_t>(DenseByteSizeOfLeaves(shape));
  }
  arena_ = std::make_unique<ZeroedArena>(byte_size);
}

ArgumentGenerator::~ArgumentGenerator() = default;

absl::StatusOr<Literal> ArgumentGenerator::Make(int64_t number) const {
  const InstructionId id = module_.entry().parameters[static_cast<size_t>(number)];
  return Make(number, *module_.instruction(id).shape);
}

absl::StatusOr<Literal> ArgumentGenerator::Make(int64_t number, const Shape& shape) const {
  const InstructionId id = module_.entry().parameters[static_cast<size_t>(number)];
  return Generate(shape, kind_, MixSeed(seed_, static_cast<uint64_t>(number)),
                  first_leaves_[static_cast<size_t>(number)], finder_.Find(id), *threads_, *arena_);
}

absl::StatusOr<std::vector<Literal>> ArgumentGenerator::MakeAll() const {
  std::vector<Literal> arguments;
  for (size_t i = 0; i < module_.entry().parameters.size(); ++i) {
    HLO_ASSIGN_OR_RETURN(Literal argument, Make(static_cast<int64_t>(i)));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::vector<InstructionId> ElidedConstants(const Module& module) {
  std::vector<InstructionId> elided;
  for (size_t i = 0; i < module.instructions().size(); ++i) {
    const LiteralRef* value = module.instructions()[i].attributes.GetIf<Attr::kConstantValue>();
    if (value != nullptr && value->literal->is_elided()) elided.emplace_back(i);
  }
  return elided;
}

absl::Status FillElidedConstants(Module& module, std::span<const InstructionId> elided,
                                 FakeKind kind, uint64_t seed) {
  if (elided.empty()) return absl::OkStatus();
  ValueRangeFinder finder(module);
  ThreadPool threads(ThreadPool::ProcessorCount());
  ZeroedArena arena(0);
  for (InstructionId id : elided) {
    HLO_ASSIGN_OR_RETURN(Literal literal,
                         Generate(*module.instruction(id).shape, kind, MixSeed(seed, ~id.value), 0,
                                  finder.Find(id), threads, arena));
    module.SetAttribute<Attr::kConstantValue>(id, {module.AddLiteral(std::move(literal))});
  }
  return absl::OkStatus();
}

}  // namespace hlo

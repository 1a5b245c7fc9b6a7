// As the reference kernel (semantics.md 11.4): every operation is rounded to the element type, sums
// are taken in f64. Arrays are [outer, feature, inner] with all features of an outer entry passed
// by together, where the reference goes feature by feature; so sums take another order, in parts
// that do not depend on the number of threads.
#include "interp/simd/batch_norm.h"

#include <algorithm>
#include <array>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/rounded.h"
#include "interp/simd/independent.h"
#include "interp/simd/parallel.h"
#include "ir/element_traits.h"
#include "ir/leaves.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements that are worth a part of their own
constexpr int64_t kMaxSumParts = 64;
constexpr int64_t kLanes = 8;  // of a sum over inner elements

template <typename T>
class BatchNorm {
  using N = Rounded<T>;

 public:
  explicit BatchNorm(Evaluation& e) : e_(e), epsilon_(N::Nearest(e.Get<Attr::kEpsilon>())) {
    const std::span<const int64_t> dims = e.operand(0).dims;
    const auto feature = static_cast<size_t>(e.Get<Attr::kFeatureIndex>());
    for (size_t d = 0; d < dims.size(); ++d) {
      (d < feature ? outer_ : d == feature ? features_ : inner_) *= dims[d];
    }
    term_count_ = N::Nearest(static_cast<double>(outer_ * inner_));
  }

  absl::Status Train() {
    std::vector<double> sums, squares;
    const T* x = Elements(0);
    const absl::Status status = Sum(
        [x](int64_t, int64_t i) {
          const N value = At(x, i);
          return std::pair(value.value, (value * value).value);
        },
        sums, squares);
    if (!status.ok()) return status;
    Fields<4> fields;
    for (int64_t f = 0; f < features_; ++f) {
      const N mean = N::Nearest(sums[static_cast<size_t>(f)]) / term_count_;
      const N variance = N::Nearest(squares[static_cast<size_t>(f)]) / term_count_ - mean * mean;
      Add(fields, {mean, Rsqrt(variance + epsilon_), At(Elements(1), f), At(Elements(2), f)});
      Store(1, f, mean);
      Store(2, f, variance);
    }
    return Map(fields, [x](const std::array<N, 4>& field, int64_t i) {
      const auto& [mean, inverse, scale, offset] = field;
      return ((At(x, i) - mean) * inverse) * scale + offset;
    });
  }

  absl::Status Infer() {
    Fields<2> fields;
    for (int64_t f = 0; f < features_; ++f) {
      const N scale = At(Elements(1), f) * Rsqrt(At(Elements(4), f) + epsilon_);
      Add(fields, {scale, At(Elements(2), f) - At(Elements(3), f) * scale});
    }
    const T* x = Elements(0);
    return Map(fields, [x](const std::array<N, 2>& field, int64_t i) {
      const auto& [scale, offset] = field;
      return At(x, i) * scale + offset;
    });
  }

  absl::Status Differentiate() {
    const T* x = Elements(0);
    const T* means = Elements(2);
    const T* gradient = Elements(4);
    std::vector<double> gradient_sums, product_sums;
    const absl::Status status = Sum(
        [=](int64_t f, int64_t i) {
          const N g = At(gradient, i);
          return std::pair(g.value, (g * (At(x, i) - At(means, f))).value);
        },
        gradient_sums, product_sums);
    if (!status.ok()) return status;
    Fields<5> fields;
    for (int64_t f = 0; f < features_; ++f) {
      const N variance = At(Elements(3), f) + epsilon_;
      const N inverse = Rsqrt(variance);
      const N sum = N::Nearest(gradient_sums[static_cast<size_t>(f)]);
      const N product = N::Nearest(product_sums[static_cast<size_t>(f)]);
      Add(fields,
          {At(means, f), variance, At(Elements(1), f) * inverse / term_count_, sum, product});
      Store(1, f, product * inverse);
      Store(2, f, sum);
    }
    const N m = term_count_;
    return Map(fields, [=](const std::array<N, 5>& field, int64_t i) {
      const auto& [mean, variance, factor, sum, product] = field;
      const N centred = At(x, i) - mean;
      return factor * (m * At(gradient, i) - sum - centred * product / variance);
    });
  }

 private:
  // Numbers of each feature, one kind behind the other: those of neighbours are loaded together.
  template <size_t kCount>
  using Fields = std::array<std::vector<typename N::Wide>, kCount>;
  template <size_t kCount>
  static void Add(Fields<kCount>& fields, const std::array<N, kCount>& numbers) {
    for (size_t k = 0; k < kCount; ++k) fields[k].push_back(numbers[k].value);
  }

  static N At(const T* elements, int64_t i) { return N::Of(elements[i]); }
  const T* Elements(size_t operand) const {
    return reinterpret_cast<const T*>(e_.operand(operand).bytes);
  }
  void Store(size_t result, int64_t i, N x) const {
    reinterpret_cast<T*>(e_.result(result).bytes)[i] = static_cast<T>(x.value);
  }

  // Outer entries to a part, for at most so many parts.
  int64_t EntriesOfPart(int64_t most_parts) const {
    const int64_t size = std::max<int64_t>(1, features_ * inner_);
    return std::max({int64_t{1}, kPartSize / size, CeilDiv(outer_, most_parts)});
  }

  // For each feature the sums of both parts of terms(feature, i), over all its elements i.
  template <typename Terms>
  absl::Status Sum(const Terms& terms, std::vector<double>& first, std::vector<double>& second) {
    const int64_t entries = EntriesOfPart(kMaxSumParts);
    const int64_t parts = CeilDiv(outer_, entries);
    std::vector<double> sums(static_cast<size_t>(2 * parts * features_));
    const absl::Status status = ForEachPart(e_.device(), parts, [&](int64_t part) {
      double* firsts = sums.data() + 2 * part * features_;
      double* seconds = firsts + features_;
      for (int64_t o = part * entries; o < std::min(outer_, (part + 1) * entries); ++o) {
        AddEntry(terms, o, firsts, seconds);
      }
    });
    first.assign(static_cast<size_t>(features_), 0);
    second.assign(static_cast<size_t>(features_), 0);
    for (int64_t part = 0; part < parts; ++part) {
      const double* firsts = sums.data() + 2 * part * features_;
      for (int64_t f = 0; f < features_; ++f) {
        first[static_cast<size_t>(f)] += firsts[f];
        second[static_cast<size_t>(f)] += firsts[features_ + f];
      }
    }
    return status;
  }

  template <typename Terms>
  void AddEntry(const Terms& terms, int64_t o, double* firsts, double* seconds) const {
    if (inner_ == 1) {
      HLO_INDEPENDENT
      for (int64_t f = 0; f < features_; ++f) {
        const auto [a, b] = terms(f, o * features_ + f);
        firsts[f] += a;
        seconds[f] += b;
      }
      return;
    }
    for (int64_t f = 0; f < features_; ++f) {
      const int64_t begin = (o * features_ + f) * inner_;
      double a[kLanes] = {}, b[kLanes] = {};
      int64_t i = 0;
      for (; i + kLanes <= inner_; i += kLanes) {
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          const auto [first, second] = terms(f, begin + i + lane);
          a[lane] += first;
          b[lane] += second;
        }
      }
      for (; i < inner_; ++i) {
        const auto [first, second] = terms(f, begin + i);
        a[0] += first;
        b[0] += second;
      }
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        firsts[f] += a[lane];
        seconds[f] += b[lane];
      }
    }
  }

  // Element i of the first result is function(numbers of its feature, i).
  template <size_t kCount, typename Function>
  absl::Status Map(const Fields<kCount>& fields, const Function& function) const {
    const int64_t entries = EntriesOfPart(INT64_MAX);
    T* result = reinterpret_cast<T*>(e_.result(0).bytes);
    std::array<const typename N::Wide*, kCount> columns;
    for (size_t k = 0; k < kCount; ++k) columns[k] = fields[k].data();
    const auto numbers_of = [columns](int64_t f) {
      std::array<N, kCount> numbers;
      for (size_t k = 0; k < kCount; ++k) numbers[k] = N{columns[k][f]};
      return numbers;
    };
    return ForEachPart(e_.device(), CeilDiv(outer_, entries), [&](int64_t part) {
      for (int64_t o = part * entries; o < std::min(outer_, (part + 1) * entries); ++o) {
        const int64_t entry = o * features_ * inner_;
        if (inner_ == 1) {
          HLO_INDEPENDENT
          for (int64_t f = 0; f < features_; ++f) {
            result[entry + f] = static_cast<T>(function(numbers_of(f), entry + f).value);
          }
          continue;
        }
        for (int64_t f = 0; f < features_; ++f) {
          const std::array<N, kCount> numbers = numbers_of(f);
          const int64_t begin = entry + f * inner_;
          HLO_INDEPENDENT
          for (int64_t i = begin; i < begin + inner_; ++i) {
            result[i] = static_cast<T>(function(numbers, i).value);
          }
        }
      }
    });
  }

  Evaluation& e_;
  const N epsilon_;
  N term_count_;
  int64_t outer_ = 1, features_ = 1, inner_ = 1;
};

template <typename T>
absl::Status Run(Evaluation& e) {
  BatchNorm<T> norm(e);
  switch (e.instruction().opcode) {
    case Opcode::kBatchNormTraining:
      return norm.Train();
    case Opcode::kBatchNormInference:
      return norm.Infer();
    default:  // kBatchNormGrad
      return norm.Differentiate();
  }
}

template <typename T>
constexpr Kernel kBatchNormKernel = {.run = Run<T>};

}  // namespace

const Kernel* FindBatchNormKernel(const OpView& op) {
  const Shape& x = op.operand_shape(0);
  const ElementType type = x.element_type();
  const int64_t features = x.dim(op.Get<Attr::kFeatureIndex>());
  // Either as x or a number for each feature.
  const auto is_plain = [&](const Shape& shape, bool is_whole) {
    return shape.element_type() == type && !shape.HasDynamicDim() &&
           (is_whole ? std::ranges::equal(shape.dims(), x.dims())
                     : shape.rank() == 1 && shape.dim(0) == features);
  };
  const bool is_gradient = op.opcode() == Opcode::kBatchNormGrad;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (!is_plain(op.operand_shape(i), i == 0 || (is_gradient && i == 4))) return nullptr;
  }
  const std::vector<const Shape*> results = LeavesOf(*op.written_shape());
  for (size_t i = 0; i < results.size(); ++i) {
    if (!is_plain(*results[i], i == 0)) return nullptr;
  }
  switch (type) {
    case ElementType::kF32:
      return &kBatchNormKernel<float>;
    case ElementType::kBf16:
      return &kBatchNormKernel<Bf16>;
    case ElementType::kF16:
      return &kBatchNormKernel<F16>;
    default:  // f64 would differ by the order of its sums
      return nullptr;
  }
}

}  // namespace hlo::simd

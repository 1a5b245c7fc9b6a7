// As the reference kernel (semantics.md 11.4): every operation is rounded to the element type, sums
// are taken in f64. Arrays are [outer, feature, inner] with all features of an outer entry passed
// by together, where the reference goes feature by feature; so sums take another order, in parts
// that do not depend on the number of threads.
#include "interp/simd/linalg/batch_norm.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/rounded.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/vector/independent.h"
#include "ir/element_traits.h"
#include "ir/leaves.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements that are worth a part of their own
constexpr int64_t kMaxSumParts = 64;
constexpr int64_t kLanes = 8;  // of a sum over inner elements

// The normalised array as [outer, feature, inner].
struct Planes {
  explicit Planes(const Evaluation& e) : Planes(e.op()) {}
  explicit Planes(const OpView& op) {
    const std::span<const int64_t> dims = op.operand_shape(0).dims();
    const auto feature = static_cast<size_t>(op.Get<Attr::kFeatureIndex>());
    for (size_t d = 0; d < dims.size(); ++d) {
      (d < feature ? outer : d == feature ? features : inner) *= dims[d];
    }
  }

  // Outer entries to a part, for at most so many parts.
  int64_t EntriesOfPart(int64_t most_parts) const {
    const int64_t size = std::max<int64_t>(1, features * inner);
    return std::max({int64_t{1}, kPartSize / size, CeilDiv(outer, most_parts)});
  }
  int64_t SumParts() const { return CeilDiv(outer, EntriesOfPart(kMaxSumParts)); }

  int64_t outer = 1, features = 1, inner = 1;
};

// Two sums for each feature, of parts and in all.
class Sums {
 public:
  Sums(const DeviceContext& device, const Planes& planes)
      : features_(planes.features),
        part_count_(planes.SumParts()),
        sums_(device.scratch(), Count(planes)) {}

  static int64_t Count(const Planes& planes) {
    return 2 * (planes.SumParts() + 1) * planes.features;
  }

  // The first sums of all features, then the second ones.
  double* OfPart(int64_t part) const { return sums_.get() + 2 * part * features_; }
  double first(int64_t f) const { return OfPart(part_count_)[f]; }
  double second(int64_t f) const { return OfPart(part_count_)[features_ + f]; }

  void AddParts() const {
    double* totals = OfPart(part_count_);
    std::fill_n(totals, 2 * features_, 0.0);
    for (int64_t part = 0; part < part_count_; ++part) {
      for (int64_t i = 0; i < 2 * features_; ++i) totals[i] += OfPart(part)[i];
    }
  }

 private:
  int64_t features_, part_count_;
  ScratchArray<double> sums_;
};

template <typename T>
class BatchNorm {
  using N = Rounded<T>;

 public:
  explicit BatchNorm(Evaluation& e)
      : e_(e),
        planes_(PreparedOf<Planes>(e)),
        epsilon_(N::Nearest(e.Get<Attr::kEpsilon>())),
        term_count_(N::Nearest(static_cast<double>(planes_.outer * planes_.inner))) {}

  absl::Status Train() {
    const Sums sums(e_.device(), planes_);
    const T* x = Elements(0);
    const absl::Status status = Sum(
        [x](int64_t, int64_t i) {
          const N value = At(x, i);
          return std::pair(value.value, (value * value).value);
        },
        sums);
    if (!status.ok()) return status;
    const Fields<4> fields(e_.device(), features_);
    for (int64_t f = 0; f < features_; ++f) {
      const N mean = N::Nearest(sums.first(f)) / term_count_;
      const N variance = N::Nearest(sums.second(f)) / term_count_ - mean * mean;
      fields.Set(f, {mean, Rsqrt(variance + epsilon_), At(Elements(1), f), At(Elements(2), f)});
      Store(1, f, mean);
      Store(2, f, variance);
    }
    return Map(fields, [x](const std::array<N, 4>& field, int64_t i) {
      const auto& [mean, inverse, scale, offset] = field;
      return ((At(x, i) - mean) * inverse) * scale + offset;
    });
  }

  absl::Status Infer() {
    const Fields<2> fields(e_.device(), features_);
    for (int64_t f = 0; f < features_; ++f) {
      const N scale = At(Elements(1), f) * Rsqrt(At(Elements(4), f) + epsilon_);
      fields.Set(f, {scale, At(Elements(2), f) - At(Elements(3), f) * scale});
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
    const Sums sums(e_.device(), planes_);
    const absl::Status status = Sum(
        [=](int64_t f, int64_t i) {
          const N g = At(gradient, i);
          return std::pair(g.value, (g * (At(x, i) - At(means, f))).value);
        },
        sums);
    if (!status.ok()) return status;
    const Fields<5> fields(e_.device(), features_);
    for (int64_t f = 0; f < features_; ++f) {
      const N variance = At(Elements(3), f) + epsilon_;
      const N inverse = Rsqrt(variance);
      const N sum = N::Nearest(sums.first(f));
      const N product = N::Nearest(sums.second(f));
      fields.Set(
          f, {At(means, f), variance, At(Elements(1), f) * inverse / term_count_, sum, product});
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
  class Fields {
   public:
    Fields(const DeviceContext& device, int64_t features)
        : features_(features), numbers_(device.scratch(), kCount * features) {}

    const typename N::Wide* column(size_t k) const { return numbers_.get() + k * features_; }
    void Set(int64_t f, const std::array<N, kCount>& numbers) const {
      for (size_t k = 0; k < kCount; ++k) numbers_[k * features_ + f] = numbers[k].value;
    }

   private:
    int64_t features_;
    ScratchArray<typename N::Wide> numbers_;
  };

  static N At(const T* elements, int64_t i) { return N::Of(elements[i]); }
  const T* Elements(size_t operand) const {
    return reinterpret_cast<const T*>(e_.operand(operand).bytes);
  }
  void Store(size_t result, int64_t i, N x) const {
    reinterpret_cast<T*>(e_.result(result).bytes)[i] = static_cast<T>(x.value);
  }

  // For each feature the sums of both parts of terms(feature, i), over all its elements i.
  template <typename Terms>
  absl::Status Sum(const Terms& terms, const Sums& sums) const {
    const int64_t entries = planes_.EntriesOfPart(kMaxSumParts);
    const absl::Status status = ForEachPart(e_.device(), planes_.SumParts(), [&](int64_t part) {
      double* firsts = sums.OfPart(part);
      double* seconds = firsts + features_;
      std::fill_n(firsts, 2 * features_, 0.0);
      for (int64_t o = part * entries; o < std::min(outer_, (part + 1) * entries); ++o) {
        AddEntry(terms, o, firsts, seconds);
      }
    });
    if (status.ok()) sums.AddParts();
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
    const int64_t entries = planes_.EntriesOfPart(INT64_MAX);
    T* result = reinterpret_cast<T*>(e_.result(0).bytes);
    const auto numbers_of = [&fields]<size_t... k>(int64_t f, std::index_sequence<k...>) {
      return std::array<N, kCount>{N{fields.column(k)[f]}...};
    };
    constexpr auto kNumbers = std::make_index_sequence<kCount>();
    return ForEachPart(e_.device(), CeilDiv(outer_, entries), [&](int64_t part) {
      for (int64_t o = part * entries; o < std::min(outer_, (part + 1) * entries); ++o) {
        const int64_t entry = o * features_ * inner_;
        if (inner_ == 1) {
          HLO_INDEPENDENT
          for (int64_t f = 0; f < features_; ++f) {
            result[entry + f] = static_cast<T>(function(numbers_of(f, kNumbers), entry + f).value);
          }
          continue;
        }
        for (int64_t f = 0; f < features_; ++f) {
          const std::array<N, kCount> numbers = numbers_of(f, kNumbers);
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
  const Planes& planes_;
  const N epsilon_, term_count_;
  const int64_t outer_ = planes_.outer, features_ = planes_.features, inner_ = planes_.inner;
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

// The sums, and up to five numbers of each feature.
int64_t ScratchByteSize(const OpView& op) {
  const int64_t count = ElementCount(op.operand_shape(0)).value_or(INT64_MAX);
  if (count == 0) return 0;
  if (count > INT64_MAX / 4096) return INT64_MAX;
  const Planes planes(op);
  return Sums::Count(planes) * static_cast<int64_t>(sizeof(double)) +
         5 * planes.features * static_cast<int64_t>(sizeof(float));
}

template <typename T>
constexpr Kernel kBatchNormKernel = {
    .run = Run<T>, .prepare = Prepare<Planes>, .scratch_byte_size = ScratchByteSize};

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

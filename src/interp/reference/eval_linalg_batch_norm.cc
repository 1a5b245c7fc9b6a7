// batch-norm-training, -inference and -grad (semantics.md 11.4): written as the elementwise ops and
// reductions they stand for, each rounded to the element type.
#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/rounded.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "ir/leaves.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The sum a `reduce` with a plain add gives: f64, in groups of 512 (9.1).
template <typename T>
class GroupedSum {
 public:
  void Add(Rounded<T> x) {
    group_ += x.value;
    if (++in_group_ == 512) Close();
  }
  Rounded<T> Total() {
    Close();
    return Rounded<T>::Nearest(total_);
  }

 private:
  void Close() {
    total_ += group_;
    group_ = 0;
    in_group_ = 0;
  }
  double total_ = 0;
  double group_ = 0;
  int in_group_ = 0;
};

// An array split into its features.
struct Features {
  explicit Features(const Evaluation& e) {
    const std::span<const int64_t> dims = e.operand(0).dims;
    const int64_t feature = e.Get<Attr::kFeatureIndex>();
    const Strides all_strides = DenseStrides(dims);
    count = dims[feature];
    stride = all_strides[feature];
    const int64_t excluded[] = {feature};
    const Index others = OtherDimensions(static_cast<int64_t>(dims.size()), excluded);
    sizes = Select(dims, AsSpan(others));
    strides = Select(AsSpan(all_strides), AsSpan(others));
  }

  // The number of elements of one feature.
  int64_t element_count() const { return Product(AsSpan(sizes)); }
  // visit(position) for the elements of feature f, row-major.
  template <typename Visit>
  void ForEach(int64_t f, Visit&& visit) const {
    ForEachOffset(AsSpan(sizes), AsSpan(strides),
                  [&](int64_t offset) { visit(f * stride + offset); });
  }

  int64_t count, stride;
  Index sizes, strides;
};

// Operands and results by element, in the type of the normalised operand.
template <typename T>
class Access {
 public:
  explicit Access(Evaluation& e) : epsilon(Rounded<T>::Nearest(e.Get<Attr::kEpsilon>())) {
    ScratchPool& pool = e.device().scratch();
    for (const ArrayRef& operand : e.operands()) operands_.emplace_back(pool, operand, kType);
    for (const MutableArrayRef& result : e.results()) results_.emplace_back(pool, result, kType);
  }
  ~Access() {
    for (ResultInType& result : results_) result.Finish();
  }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  Rounded<T> operand(size_t k, int64_t i) const {
    return Rounded<T>::Of(operands_[k].template data<T>()[i]);
  }
  void Store(size_t k, int64_t i, Rounded<T> x) const {
    View<T>(results_[k].ref()).data()[i] = static_cast<T>(x.value);
  }

  const Rounded<T> epsilon;

 private:
  static constexpr ElementType kType = kElementTypeOf<T>;
  absl::InlinedVector<ConvertedArray, 5> operands_;
  absl::InlinedVector<ResultInType, 3> results_;
};

template <typename T>
void Train(Evaluation& e, const Features& features) {
  const Access<T> a(e);
  const auto m = Rounded<T>::Nearest(static_cast<double>(features.element_count()));
  for (int64_t f = 0; f < features.count; ++f) {
    GroupedSum<T> sum, square_sum;
    features.ForEach(f, [&](int64_t i) {
      const Rounded<T> x = a.operand(0, i);
      sum.Add(x);
      square_sum.Add(x * x);
    });
    const Rounded<T> mean = sum.Total() / m;
    const Rounded<T> variance = square_sum.Total() / m - mean * mean;
    const Rounded<T> inverse = Rsqrt(variance + a.epsilon);
    features.ForEach(f, [&](int64_t i) {
      a.Store(0, i, ((a.operand(0, i) - mean) * inverse) * a.operand(1, f) + a.operand(2, f));
    });
    a.Store(1, f, mean);
    a.Store(2, f, variance);
  }
}

template <typename T>
void Infer(Evaluation& e, const Features& features) {
  const Access<T> a(e);
  for (int64_t f = 0; f < features.count; ++f) {
    const Rounded<T> scale = a.operand(1, f) * Rsqrt(a.operand(4, f) + a.epsilon);
    const Rounded<T> offset = a.operand(2, f) - a.operand(3, f) * scale;
    features.ForEach(f, [&](int64_t i) { a.Store(0, i, a.operand(0, i) * scale + offset); });
  }
}

template <typename T>
void Differentiate(Evaluation& e, const Features& features) {
  const Access<T> a(e);
  const auto m = Rounded<T>::Nearest(static_cast<double>(features.element_count()));
  for (int64_t f = 0; f < features.count; ++f) {
    const Rounded<T> mean = a.operand(2, f);
    const Rounded<T> variance = a.operand(3, f) + a.epsilon;
    const Rounded<T> inverse = Rsqrt(variance);
    GroupedSum<T> gradient_sum, product_sum;
    features.ForEach(f, [&](int64_t i) {
      gradient_sum.Add(a.operand(4, i));
      product_sum.Add(a.operand(4, i) * (a.operand(0, i) - mean));
    });
    const Rounded<T> db = gradient_sum.Total();
    const Rounded<T> s = product_sum.Total();
    const Rounded<T> factor = a.operand(1, f) * inverse / m;
    features.ForEach(f, [&](int64_t i) {
      const Rounded<T> centred = a.operand(0, i) - mean;
      a.Store(0, i, factor * (m * a.operand(4, i) - db - centred * s / variance));
    });
    a.Store(1, f, s * inverse);
    a.Store(2, f, db);
  }
}

// The feature vectors among the results have the sizes of operand 1.
absl::Status SetSizes(Evaluation& e) {
  for (size_t k = 0; k < e.results().size(); ++k) {
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, k, e.operand(k == 0 ? 0 : 1).dims));
  }
  return absl::OkStatus();
}

// What is not in the type of the normalised operand.
double ScratchOf(const OpView& op) {
  const ElementType type = op.operand_shape(0).element_type();
  double byte_size = 0;
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    byte_size += ConvertedByteSize(op.operand_shape(i), type);
  }
  for (const Shape* result : LeavesOf(*op.written_shape())) {
    byte_size += ConvertedByteSize(*result, type);
  }
  return byte_size;
}

}  // namespace

double BatchNormTrainingScratch(const OpView& op) { return ScratchOf(op); }
double BatchNormInferenceScratch(const OpView& op) { return ScratchOf(op); }
double BatchNormGradScratch(const OpView& op) { return ScratchOf(op); }

absl::StatusOr<std::unique_ptr<KernelState>> PrepareBatchNormTraining(Evaluation& e) {
  return Prepare<Features>(e);
}

absl::Status EvalBatchNormTraining(Evaluation& e) {
  HLO_RETURN_IF_ERROR(SetSizes(e));
  const Features& features = PreparedOf<Features>(e);
  DispatchElementType<kFloat>(e.operand(0).element_type,
                              [&]<typename T>() { Train<T>(e, features); });
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareBatchNormInference(Evaluation& e) {
  return Prepare<Features>(e);
}

absl::Status EvalBatchNormInference(Evaluation& e) {
  HLO_RETURN_IF_ERROR(SetSizes(e));
  const Features& features = PreparedOf<Features>(e);
  DispatchElementType<kFloat>(e.operand(0).element_type,
                              [&]<typename T>() { Infer<T>(e, features); });
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareBatchNormGrad(Evaluation& e) {
  return Prepare<Features>(e);
}

absl::Status EvalBatchNormGrad(Evaluation& e) {
  HLO_RETURN_IF_ERROR(SetSizes(e));
  const Features& features = PreparedOf<Features>(e);
  DispatchElementType<kFloat>(e.operand(0).element_type,
                              [&]<typename T>() { Differentiate<T>(e, features); });
  return absl::OkStatus();
}

}  // namespace hlo::reference

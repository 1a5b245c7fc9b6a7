// fft (semantics.md 11.1): one transform after the other, axis by axis, in complex<double>.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/eval.h"
#include "interp/reference/fft.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

using Complex = std::complex<double>;

// Where the lines of a multi-dimensional transform lie, with the plan of each axis.
class TransformPlan {
 public:
  explicit TransformPlan(std::span<const int64_t> lengths)
      : lengths_(lengths.begin(), lengths.end()),
        strides_(DenseStrides(lengths)),
        line_length_(LineLength(lengths)) {
    for (int64_t length : lengths) {
      plans_.emplace_back(length);
      scratch_count_ = std::max(scratch_count_, plans_.back().scratch_count());
    }
  }

  // The bytes of the plans, and those that a run needs: the elements, a line, and what the plan of
  // an axis needs.
  static double ByteSize(std::span<const int64_t> lengths) {
    double byte_size = 0;
    for (int64_t length : lengths) byte_size += FftPlan::ByteSize(length);
    return byte_size;
  }
  static double ScratchByteSize(std::span<const int64_t> lengths) {
    double of_plan = 0;
    for (int64_t length : lengths) of_plan = std::max(of_plan, FftPlan::ScratchCount(length));
    return sizeof(Complex) *
           (SizeProduct(lengths) + static_cast<double>(LineLength(lengths)) + of_plan);
  }

  std::span<const int64_t> lengths() const { return AsSpan(lengths_); }
  const Strides& strides() const { return strides_; }
  const FftPlan& axis(size_t axis) const { return plans_[axis]; }
  int64_t line_length() const { return line_length_; }
  int64_t scratch_count() const { return scratch_count_; }

 private:
  // Lines along the last axis are transformed where they are.
  static int64_t LineLength(std::span<const int64_t> lengths) {
    const std::span<const int64_t> others = lengths.first(lengths.size() - 1);
    return others.empty() ? 0 : *std::ranges::max_element(others);
  }

  Index lengths_;
  Strides strides_;
  int64_t line_length_;
  int64_t scratch_count_ = 0;
  std::vector<FftPlan> plans_;
};

// The elements of one multi-dimensional transform.
class Transform {
 public:
  Transform(ScratchPool& pool, const TransformPlan& plan)
      : plan_(plan),
        count_(Product(plan.lengths())),
        data_(pool, count_),
        line_(pool, plan.line_length()),
        scratch_(pool, plan.scratch_count()) {}

  std::span<const int64_t> lengths() const { return plan_.lengths(); }
  Complex* data() { return data_.get(); }
  void Clear() { std::fill_n(data_.get(), count_, Complex()); }

  void Run(size_t axis, bool inverse) {
    const int64_t length = lengths()[axis];
    const int64_t stride = plan_.strides()[axis];
    Index others(lengths().begin(), lengths().end());
    others[axis] = std::min<int64_t>(length, 1);
    ForEachOffset(AsSpan(others), AsSpan(plan_.strides()), [&](int64_t start) {
      if (stride == 1) return RunLine(axis, inverse, data_.get() + start);
      for (int64_t i = 0; i < length; ++i) line_[i] = data_[start + i * stride];
      RunLine(axis, inverse, line_.get());
      for (int64_t i = 0; i < length; ++i) data_[start + i * stride] = line_[i];
    });
  }

  // Completes lines along the last axis of which bins 0 ... length/2 are there by
  // X[length - k] = conj(X[k]).
  void MirrorLastAxis() {
    const int64_t length = lengths().back();
    for (int64_t start = 0; start < count_; start += length) {
      for (int64_t k = length / 2 + 1; k < length; ++k) {
        data_[start + k] = std::conj(data_[start + length - k]);
      }
    }
  }

 private:
  void RunLine(size_t axis, bool inverse, Complex* line) {
    const FftPlan& plan = plan_.axis(axis);
    inverse ? plan.Inverse(line, scratch_.get()) : plan.Forward(line, scratch_.get());
  }

  const TransformPlan& plan_;
  int64_t count_;
  ScratchArray<Complex> data_, line_, scratch_;
};

// Calls visit(from, to) for the elements that two dense boxes have in common: what is longer is
// cut, what is shorter stays as it is.
template <typename Visit>
void ForEachCommon(std::span<const int64_t> from_dims, std::span<const int64_t> to_dims,
                   Visit&& visit) {
  Index common(from_dims.begin(), from_dims.end());
  for (size_t d = 0; d < common.size(); ++d) common[d] = std::min(common[d], to_dims[d]);
  ForEachOffsets<2>(AsSpan(common),
                    {AsSpan(DenseStrides(from_dims)), AsSpan(DenseStrides(to_dims))},
                    [&](const std::array<int64_t, 2>& offsets) { visit(offsets[0], offsets[1]); });
}

void RunTransform(FftType type, Transform& transform) {
  const size_t last = transform.lengths().size() - 1;
  switch (type) {
    case FftType::kFft:
      for (size_t axis = 0; axis <= last; ++axis) transform.Run(axis, false);
      return;
    case FftType::kIfft:
      for (size_t axis = 0; axis <= last; ++axis) transform.Run(axis, true);
      return;
    case FftType::kRfft:
      transform.Run(last, false);
      for (size_t axis = 0; axis < last; ++axis) transform.Run(axis, false);
      return;
    case FftType::kIrfft:
      for (size_t axis = 0; axis < last; ++axis) transform.Run(axis, true);
      transform.MirrorLastAxis();
      transform.Run(last, true);
      return;
  }
}

// Rounds to the result's type; a real result takes the real part.
template <typename T>
T FromComplex(Complex x) {
  if constexpr (kTypeClassOf<T> == kComplex) {
    return static_cast<T>(x);
  } else {
    return static_cast<T>(x.real());
  }
}

template <typename T>
Complex ToComplex(T x) {
  if constexpr (kTypeClassOf<T> == kComplex) {
    return Complex(x);
  } else if constexpr (sizeof(T) < 4) {
    return static_cast<double>(static_cast<float>(x));
  } else {
    return static_cast<double>(x);
  }
}

// Puts the elements of `operand` from position `first` on, a box of sizes `dims`, into `transform`.
void LoadTransform(const ArrayRef& operand, int64_t first, std::span<const int64_t> dims,
                   Transform& transform) {
  DispatchElementType<kFloat | kComplex>(operand.element_type, [&]<typename T>() {
    const T* from = View<T>(operand).data() + first;
    ForEachCommon(dims, transform.lengths(),
                  [&](int64_t i, int64_t j) { transform.data()[j] = ToComplex(from[i]); });
  });
}

template <typename T>
void StoreTransform(Transform& transform, std::span<const int64_t> dims, T* result) {
  ForEachCommon(transform.lengths(), dims, [&](int64_t from, int64_t to) {
    result[to] = FromComplex<T>(transform.data()[from]);
  });
}

// The verifier only warns of negative lengths.
std::optional<int64_t> FindNegative(std::span<const int64_t> lengths) {
  const auto found = std::ranges::find_if(lengths, [](int64_t length) { return length < 0; });
  return found == lengths.end() ? std::nullopt : std::optional(*found);
}

struct PreparedFft {
  explicit PreparedFft(const Evaluation& e) {
    const std::span<const int64_t> lengths = e.Get<Attr::kFftLength>();
    batch_rank = e.operand(0).dims.size() - lengths.size();
    result_dims.assign(e.operand(0).dims.begin(), e.operand(0).dims.begin() + batch_rank);
    result_dims.insert(result_dims.end(), lengths.begin(), lengths.end());
    if (e.Get<Attr::kFftType>() == FftType::kRfft) result_dims.back() = result_dims.back() / 2 + 1;
    // Lengths that are not the sizes (only in unverified text, and length 0, which verifies): a
    // static result keeps the shape it is written with.
    if (!e.instruction().shape->HasDynamicDim()) {
      result_dims.assign(e.result().dims.begin(), e.result().dims.end());
    }
    negative_length = FindNegative(lengths);
    const bool is_empty = Product(lengths) == 0 || Product(AsSpan(result_dims)) == 0;
    if (!is_empty && !negative_length) plan.emplace(lengths);
  }

  size_t batch_rank;
  Index result_dims;
  std::optional<int64_t> negative_length;
  std::optional<TransformPlan> plan;  // none: there is nothing to transform
};

}  // namespace

double FftScratch(const OpView& op) {
  const auto lengths = op.Get<Attr::kFftLength>();
  return FindNegative(lengths) ? 0 : TransformPlan::ScratchByteSize(lengths);
}
double FftState(const OpView& op) {
  const auto lengths = op.Get<Attr::kFftLength>();
  return FindNegative(lengths) ? 0 : TransformPlan::ByteSize(lengths);
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareFft(Evaluation& e) {
  return Prepare<PreparedFft>(e);
}

absl::Status EvalFft(Evaluation& e) {
  const PreparedFft& fft = PreparedOf<PreparedFft>(e);
  if (fft.negative_length) {
    return absl::InvalidArgumentError(
        fmt::format("the length {} is negative", *fft.negative_length));
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(fft.result_dims)));
  if (!fft.plan) {
    // A transform of no element is an empty sum everywhere (semantics.md 11.1).
    std::memset(e.result().bytes, 0, static_cast<size_t>(e.result().byte_size()));
    return absl::OkStatus();
  }
  const std::span<const int64_t> operand_box = e.operand(0).dims.subspan(fft.batch_rank);
  const std::span<const int64_t> result_box = AsSpan(fft.result_dims).subspan(fft.batch_rank);
  const int64_t operand_step = Product(operand_box);
  const int64_t result_step = Product(result_box);
  const FftType type = e.Get<Attr::kFftType>();
  Transform transform(e.device().scratch(), *fft.plan);
  DispatchElementType<kFloat | kComplex>(e.result().element_type, [&]<typename T>() {
    for (int64_t b = 0; b < e.result().element_count() / result_step; ++b) {
      transform.Clear();
      LoadTransform(e.operand(0), b * operand_step, operand_box, transform);
      RunTransform(type, transform);
      StoreTransform<T>(transform, result_box,
                        reinterpret_cast<T*>(e.result().bytes) + b * result_step);
    }
  });
  return absl::OkStatus();
}

}  // namespace hlo::reference

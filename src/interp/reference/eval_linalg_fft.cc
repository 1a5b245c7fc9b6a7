// fft (semantics.md 11.1): one transform after the other, axis by axis, in complex<double>.
#include <algorithm>
#include <cstring>
#include <vector>

#include "interp/reference/eval.h"
#include "interp/reference/fft.h"
#include "interp/reference/forward.h"
#include "interp/reference/scratch.h"
#include "interp/reference/strided.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

using Complex = std::complex<double>;

// The elements of one multi-dimensional transform, with the plan of each axis.
class Transform {
 public:
  explicit Transform(std::span<const int64_t> lengths)
      : lengths_(lengths.begin(), lengths.end()),
        strides_(DenseStrides(lengths)),
        data_(static_cast<size_t>(Product(lengths))),
        line_(static_cast<size_t>(LineLength(lengths))) {
    for (int64_t length : lengths) plans_.emplace_back(length);
  }

  static double ByteSize(std::span<const int64_t> lengths) {
    double byte_size =
        sizeof(Complex) * (SizeProduct(lengths) + static_cast<double>(LineLength(lengths)));
    for (int64_t length : lengths) byte_size += FftPlan::ByteSize(length);
    return byte_size;
  }

  std::span<const int64_t> lengths() const { return AsSpan(lengths_); }
  Complex* data() { return data_.data(); }
  void Clear() { std::fill(data_.begin(), data_.end(), Complex()); }

  void Run(size_t axis, bool inverse) {
    const int64_t length = lengths_[axis];
    const int64_t stride = strides_[axis];
    Index others = lengths_;
    others[axis] = std::min<int64_t>(length, 1);
    ForEachOffset(AsSpan(others), AsSpan(strides_), [&](int64_t start) {
      if (stride == 1) return RunLine(axis, inverse, data_.data() + start);
      for (int64_t i = 0; i < length; ++i) line_[i] = data_[start + i * stride];
      RunLine(axis, inverse, line_.data());
      for (int64_t i = 0; i < length; ++i) data_[start + i * stride] = line_[i];
    });
  }

  // Completes lines along the last axis of which bins 0 ... length/2 are there by
  // X[length - k] = conj(X[k]).
  void MirrorLastAxis() {
    const int64_t length = lengths_.back();
    for (size_t start = 0; start < data_.size(); start += static_cast<size_t>(length)) {
      for (int64_t k = length / 2 + 1; k < length; ++k) {
        data_[start + k] = std::conj(data_[start + length - k]);
      }
    }
  }

 private:
  // Lines along the last axis are transformed where they are.
  static int64_t LineLength(std::span<const int64_t> lengths) {
    const std::span<const int64_t> others = lengths.first(lengths.size() - 1);
    return others.empty() ? 0 : *std::ranges::max_element(others);
  }

  void RunLine(size_t axis, bool inverse, Complex* line) {
    inverse ? plans_[axis].Inverse(line) : plans_[axis].Forward(line);
  }

  Index lengths_;
  Strides strides_;
  std::vector<FftPlan> plans_;
  std::vector<Complex> data_;
  std::vector<Complex> line_;
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

}  // namespace

double FftScratch(const OpView& op) { return Transform::ByteSize(op.Get<Attr::kFftLength>()); }

absl::Status EvalFft(Evaluation& e) {
  const std::span<const int64_t> lengths = e.Get<Attr::kFftLength>();
  const FftType type = e.Get<Attr::kFftType>();
  const size_t batch_rank = e.operand(0).dims.size() - lengths.size();
  Index result_dims(e.operand(0).dims.begin(), e.operand(0).dims.begin() + batch_rank);
  result_dims.insert(result_dims.end(), lengths.begin(), lengths.end());
  if (type == FftType::kRfft) result_dims.back() = result_dims.back() / 2 + 1;
  // Lengths that are not the sizes (only in unverified text, and length 0, which verifies): a
  // static result keeps the shape it is written with.
  if (!e.instruction().shape->HasDynamicDim()) {
    result_dims.assign(e.result().dims.begin(), e.result().dims.end());
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(result_dims)));
  // A transform of no element is an empty sum everywhere (semantics.md 11.1).
  if (Product(lengths) == 0) {
    std::memset(e.result().bytes, 0, static_cast<size_t>(e.result().byte_size()));
    return absl::OkStatus();
  }
  if (e.result().element_count() == 0) return absl::OkStatus();

  const std::span<const int64_t> operand_box = e.operand(0).dims.subspan(batch_rank);
  const std::span<const int64_t> result_box = AsSpan(result_dims).subspan(batch_rank);
  const int64_t operand_step = Product(operand_box);
  const int64_t result_step = Product(result_box);
  Transform transform(lengths);
  return DispatchElementType<kFloat | kComplex>(
      e.result().element_type, [&]<typename T>() -> absl::Status {
        for (int64_t b = 0; b < e.result().element_count() / result_step; ++b) {
          transform.Clear();
          LoadTransform(e.operand(0), b * operand_step, operand_box, transform);
          RunTransform(type, transform);
          StoreTransform<T>(transform, result_box,
                            reinterpret_cast<T*>(e.result().bytes) + b * result_step);
        }
        return absl::OkStatus();
      });
}

}  // namespace hlo::reference

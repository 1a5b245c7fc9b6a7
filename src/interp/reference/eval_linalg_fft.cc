// fft (semantics.md 11.1): one transform after the other, axis by axis, in complex<double>.
#include <algorithm>
#include <vector>

#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/fft.h"
#include "interp/reference/forward.h"
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
        line_(static_cast<size_t>(*std::max_element(lengths.begin(), lengths.end()))) {
    for (int64_t length : lengths) plans_.emplace_back(length);
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
      for (int64_t i = 0; i < length; ++i) line_[i] = data_[start + i * stride];
      inverse ? plans_[axis].Inverse(line_.data()) : plans_[axis].Forward(line_.data());
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
void StoreTransform(Transform& transform, std::span<const int64_t> dims, T* result) {
  ForEachCommon(transform.lengths(), dims, [&](int64_t from, int64_t to) {
    result[to] = FromComplex<T>(transform.data()[from]);
  });
}

}  // namespace

absl::Status EvalFft(Evaluation& e) {
  const std::span<const int64_t> lengths = e.Get<Attr::kFftLength>();
  const FftType type = e.Get<Attr::kFftType>();
  const size_t batch_rank = e.operand(0).dims.size() - lengths.size();
  Index result_dims(e.operand(0).dims.begin(), e.operand(0).dims.begin() + batch_rank);
  result_dims.insert(result_dims.end(), lengths.begin(), lengths.end());
  if (type == FftType::kRfft) result_dims.back() = result_dims.back() / 2 + 1;
  if (lengths.back() == 0) result_dims.back() = 0;
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(result_dims)));
  if (e.result().element_count() == 0) return absl::OkStatus();

  const ConvertedArray operand(e.operand(0), ElementType::kC128);
  const std::span<const int64_t> operand_box = operand.ref().dims.subspan(batch_rank);
  const std::span<const int64_t> result_box = AsSpan(result_dims).subspan(batch_rank);
  const int64_t operand_step = Product(operand_box);
  const int64_t result_step = Product(result_box);
  Transform transform(lengths);
  return DispatchElementType<kFloat | kComplex>(
      e.result().element_type, [&]<typename T>() -> absl::Status {
        for (int64_t b = 0; b < e.result().element_count() / result_step; ++b) {
          transform.Clear();
          const Complex* from = operand.data<Complex>() + b * operand_step;
          ForEachCommon(operand_box, transform.lengths(),
                        [&](int64_t i, int64_t j) { transform.data()[j] = from[i]; });
          RunTransform(type, transform);
          StoreTransform<T>(transform, result_box,
                            reinterpret_cast<T*>(e.result().bytes) + b * result_step);
        }
        return absl::OkStatus();
      });
}

}  // namespace hlo::reference

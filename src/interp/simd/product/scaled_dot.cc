// scaled-dot (semantics.md 10.3): both operands are multiplied by their scales, then by each other
// as in a dot. The definition multiplies by the scales of the rhs last. That differs in the last
// bits, and altogether where something on one of the two ways is too large or too small: there the
// reference kernel has the step.
#include "interp/simd/product/scaled_dot.h"

#include <array>
#include <optional>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/product/carrier_array.h"
#include "interp/simd/product/dot.h"
#include "interp/simd/product/magnitude_range.h"
#include "interp/simd/vector/independent.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements

ElementType ResultType(const OpView& op) { return op.written_shape()->element_type(); }

// The scale of operand `i`: there is none where it is missing, or a scalar, whatever its value.
std::optional<int64_t> ScaleOf(const OpView& op, int64_t i) {
  const int64_t scale = i + 2;
  if (scale >= op.operand_count() || op.operand_shape(scale).rank() == 0) return std::nullopt;
  return scale;
}

// An array whose every dimension is cut into as many blocks as the scale has places there.
class ScaleBlocks {
 public:
  ScaleBlocks(const Shape& data, const Shape& scale) {
    if (scale.rank() == 0) return;
    const int64_t last = data.rank() - 1;
    length_ = data.dim(last);
    scale_length_ = scale.dim(last);
    for (int64_t d = 0; d < last; ++d) {
      outer_.push_back({data.dim(d), scale.dim(d)});
      line_count_ *= data.dim(d);
    }
  }

  // to[i] = from[i] * scale of the block that element i is in.
  template <typename T>
  absl::Status Multiply(const DeviceContext& device, const T* from, const T* scale, T* to) const {
    if (line_count_ * length_ == 0) return absl::OkStatus();
    const int64_t lines = std::max<int64_t>(1, kPartSize / length_);
    return ForEachPart(device, CeilDiv(line_count_, lines), [&](int64_t part) {
      for (int64_t line = part * lines; line < std::min(line_count_, (part + 1) * lines); ++line) {
        MultiplyLine(from + line * length_, scale + ScaleLine(line) * scale_length_,
                     to + line * length_);
      }
    });
  }

 private:
  struct Dimension {
    int64_t size, scale_size;
  };

  // The line of the scale for a line of the array.
  int64_t ScaleLine(int64_t line) const {
    int64_t scale_line = 0, stride = 1;
    for (size_t d = outer_.size(); d-- > 0;) {
      const auto [size, scale_size] = outer_[d];
      scale_line += line % size / (size / scale_size) * stride;
      line /= size;
      stride *= scale_size;
    }
    return scale_line;
  }

  template <typename T>
  void MultiplyLine(const T* from, const T* scale, T* to) const {
    const int64_t block = length_ / scale_length_;
    if (block == 1) {
      HLO_INDEPENDENT
      for (int64_t i = 0; i < length_; ++i) to[i] = from[i] * scale[i];
      return;
    }
    for (int64_t begin = 0; begin < length_; begin += block) {
      const T factor = *scale++;
      HLO_INDEPENDENT
      for (int64_t i = begin; i < begin + block; ++i) to[i] = from[i] * factor;
    }
  }

  std::vector<Dimension> outer_;
  int64_t line_count_ = 1;
  int64_t length_ = 0;  // of a line
  int64_t scale_length_ = 0;
};

template <typename T>
struct ScaledProduct {
  explicit ScaledProduct(const OpView& op)
      : product(DotShape(op, OwnPlaces(op), /*may_swap=*/false).product),
        blocks{BlocksOf(op, 0), BlocksOf(op, 1)} {}

  static ScaleBlocks BlocksOf(const OpView& op, int64_t i) {
    const std::optional<int64_t> scale = ScaleOf(op, i);
    const Shape& data = op.operand_shape(i);
    return ScaleBlocks(data, scale ? op.operand_shape(*scale) : Shape::Scalar(ResultType(op)));
  }

  MatrixProduct<T> product;
  std::array<ScaleBlocks, 2> blocks;
};

// Operand `i` times its scale, in carriers.
template <typename T>
class ScaledOperand {
 public:
  absl::Status Fill(Evaluation& e, const ScaleBlocks& blocks, size_t i) {
    const ElementType type = e.result().element_type;
    HLO_ASSIGN_OR_RETURN(carriers_, CarrierArray<T>::Make(e.device(), e.operand(i), type));
    data_ = carriers_.data();
    const std::optional<int64_t> position = ScaleOf(e.op(), static_cast<int64_t>(i));
    if (!position) return absl::OkStatus();
    const ArrayRef& scale = e.operand(static_cast<size_t>(*position));
    HLO_ASSIGN_OR_RETURN(const CarrierArray<T> factors,
                         CarrierArray<T>::Make(e.device(), scale, type));
    scaled_ = ScratchArray<T>(e.device().scratch(), e.operand(i).element_count());
    data_ = scaled_.get();
    return blocks.Multiply(e.device(), carriers_.data(), factors.data(), scaled_.get());
  }

  // The bytes that takes.
  static int64_t ByteSize(const OpView& op, int64_t i) {
    const Shape& data = op.operand_shape(i);
    int64_t size = CarrierArray<T>::ByteSize(data, ResultType(op));
    if (const std::optional<int64_t> scale = ScaleOf(op, i)) {
      size += CarrierArray<T>::ByteSize(op.operand_shape(*scale), ResultType(op)) +
              ElementCount(data).value_or(INT64_MAX / 64) * static_cast<int64_t>(sizeof(T));
    }
    return size;
  }

  const T* data() const { return data_; }
  const T* without_scale() const { return carriers_.data(); }

 private:
  CarrierArray<T> carriers_;
  ScratchArray<T> scaled_;
  const T* data_ = nullptr;
};

// Whether nothing overflows on either way, or loses bits for being small.
template <typename T>
absl::StatusOr<bool> WaysMeet(Evaluation& e, const ScaledOperand<T>& lhs,
                              const ScaledOperand<T>& rhs) {
  const int64_t lhs_count = e.operand(0).element_count(), rhs_count = e.operand(1).element_count();
  HLO_ASSIGN_OR_RETURN(const auto scaled_lhs, RangeOf(e.device(), lhs.data(), lhs_count));
  HLO_ASSIGN_OR_RETURN(const auto scaled_rhs, RangeOf(e.device(), rhs.data(), rhs_count));
  if (rhs.data() == rhs.without_scale()) return scaled_lhs.IsNormal() && scaled_rhs.IsNormal();
  HLO_ASSIGN_OR_RETURN(const auto plain_rhs, RangeOf(e.device(), rhs.without_scale(), rhs_count));
  return scaled_lhs.IsNormal() && scaled_rhs.IsNormal() && (scaled_lhs * plain_rhs).IsNormal();
}

template <typename T>
absl::Status Run(Evaluation& e) {
  const ScaledProduct<T>& plan = PreparedOf<ScaledProduct<T>>(e);
  {
    std::array<ScaledOperand<T>, 2> operands;
    for (size_t i = 0; i < 2; ++i) HLO_RETURN_IF_ERROR(operands[i].Fill(e, plan.blocks[i], i));
    HLO_ASSIGN_OR_RETURN(const bool ways_meet, WaysMeet(e, operands[0], operands[1]));
    if (ways_meet) {
      return plan.product.Run(e.device(), {operands[0].data(), nullptr},
                              {operands[1].data(), nullptr}, nullptr, e.result().element_type,
                              e.result().bytes);
    }
  }
  return e.RunInstead(reference::FindKernel(Opcode::kScaledDot));
}

template <typename T>
int64_t ScratchByteSize(const OpView& op) {
  const ScaledProduct<T> plan(op);
  const int64_t operands = ScaledOperand<T>::ByteSize(op, 0) + ScaledOperand<T>::ByteSize(op, 1);
  const int64_t product = plan.product.ScratchByteSize(ResultType(op), /*widens_rows=*/false);
  return ScratchWithReference(op, CheckedAdd(operands, product).value_or(INT64_MAX));
}

template <typename T>
int64_t StateByteSize(const OpView& op, IsFixedOperand is_fixed) {
  return StateWithReference(op, is_fixed, 0);
}

template <typename T>
constexpr Kernel kScaledDot = {.run = Run<T>,
                               .prepare = Prepare<ScaledProduct<T>>,
                               .scratch_byte_size = ScratchByteSize<T>,
                               .state_byte_size = StateByteSize<T>};

// Whether the scale of operand `i` divides it into blocks.
bool HasBlocks(const OpView& op, int64_t i) {
  const std::optional<int64_t> position = ScaleOf(op, i);
  if (!position) return true;
  const Shape &data = op.operand_shape(i), &scale = op.operand_shape(*position);
  bool fits = data.rank() == scale.rank();
  for (int64_t d = 0; fits && d < data.rank(); ++d) {
    fits = scale.dim(d) > 0 && data.dim(d) % scale.dim(d) == 0;
  }
  return fits;
}

}  // namespace

const Kernel* FindScaledDotKernel(const OpView& op) {
  const auto is_plain = [](const Shape& shape) {
    return IsFloat(shape.element_type()) && !shape.HasDynamicDim();
  };
  if (!is_plain(*op.written_shape())) return nullptr;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (!is_plain(op.operand_shape(i))) return nullptr;
  }
  if (!HasBlocks(op, 0) || !HasBlocks(op, 1)) return nullptr;
  if (ResultType(op) == ElementType::kF64) return &kScaledDot<double>;
  return &kScaledDot<float>;
}

}  // namespace hlo::simd

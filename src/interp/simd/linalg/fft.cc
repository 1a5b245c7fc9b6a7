// fft (semantics.md 11.1): one pass over the arrays for each axis, in the order of the definition.
// As there, everything is computed in doubles, and rounded once: between the passes lie complex
// numbers of doubles, those of some entries of the batch at a time.
#include "interp/simd/linalg/fft.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/simd/linalg/fft_lines.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMiddleSize = int64_t{1} << 20;  // elements between passes, or those of one entry

std::optional<LineType> LineTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kC64:
      return LineType::kC64;
    case ElementType::kC128:
      return LineType::kC128;
    case ElementType::kF32:
      return LineType::kF32;
    case ElementType::kF64:
      return LineType::kF64;
    default:  // narrow floats
      return std::nullopt;
  }
}

// The axes in the order they are transformed in, and sizes around them.
struct Passes {
  explicit Passes(const OpView& op)
      : type(op.Get<Attr::kFftType>()),
        operand_type(*LineTypeOf(op.operand_shape(0).element_type())),
        result_type(*LineTypeOf(op.written_shape()->element_type())) {
    const auto lengths = op.Get<Attr::kFftLength>();
    const auto rank = static_cast<int64_t>(lengths.size());
    const Shape& operand = op.operand_shape(0);
    const Shape& result = *op.written_shape();
    const int64_t batch_rank = operand.rank() - rank;
    for (int64_t d = 0; d < batch_rank; ++d) batch_count *= operand.dim(d);
    const Shape& middle = type == FftType::kIrfft ? operand : result;
    for (int64_t a = 0; a < rank; ++a) {
      const int64_t d = batch_rank + a;
      operand_size *= operand.dim(d);
      result_size *= result.dim(d);
      middle_size *= middle.dim(d);
    }
    for (int64_t a = 0; a < rank; ++a) {
      Axis axis = {{lengths[static_cast<size_t>(a)], 1, 1},
                   operand.dim(batch_rank + a),
                   result.dim(batch_rank + a),
                   a + 1 == rank};
      for (int64_t b = a + 1; b < rank; ++b) axis.axis.inner *= middle.dim(batch_rank + b);
      lines_per_entry.push_back(middle_size / std::max<int64_t>(1, middle.dim(batch_rank + a)));
      axis.axis.line_count = lines_per_entry.back() * batch_count;
      axes.push_back(axis);
    }
    if (type == FftType::kRfft) {  // the last one first
      std::rotate(axes.begin(), axes.end() - 1, axes.end());
      std::rotate(lines_per_entry.begin(), lines_per_entry.end() - 1, lines_per_entry.end());
    }
  }

  struct Axis {
    FftLines::Axis axis;
    int64_t operand_length, result_length;
    bool is_last;
  };

  bool IsInverse() const { return type == FftType::kIfft || type == FftType::kIrfft; }
  // Entries whose numbers between the passes are there at a time.
  int64_t EntriesAtOnce() const {
    if (axes.size() == 1) return batch_count;
    return std::clamp<int64_t>(kMiddleSize / std::max<int64_t>(1, middle_size), 1,
                               std::max<int64_t>(1, batch_count));
  }
  int64_t MiddleByteSize() const {
    return axes.size() == 1 ? 0 : EntriesAtOnce() * middle_size * LineElementSize(LineType::kC128);
  }

  // What pass i reads and writes.
  LineArray From(size_t i) const {
    return {i == 0 ? operand_type : LineType::kC128, axes[i].operand_length};
  }
  LineArray To(size_t i) const {
    return {i + 1 == axes.size() ? result_type : LineType::kC128, axes[i].result_length};
  }
  bool Mirrors(size_t i) const { return type == FftType::kIrfft && axes[i].is_last; }

  FftType type;
  LineType operand_type, result_type;
  std::vector<Axis> axes;
  std::vector<int64_t> lines_per_entry;
  int64_t batch_count = 1;
  int64_t operand_size = 1, result_size = 1, middle_size = 1;  // elements of an entry
};

class FourierTransform {
 public:
  explicit FourierTransform(const OpView& op) : passes_(op) {
    for (size_t i = 0; i < passes_.axes.size(); ++i) {
      lines_.emplace_back(passes_.axes[i].axis, passes_.From(i), passes_.To(i), passes_.IsInverse(),
                          passes_.Mirrors(i));
    }
  }

  absl::Status Run(Evaluation& e) const {
    if (e.result().element_count() == 0) return absl::OkStatus();
    const int64_t at_once = passes_.EntriesAtOnce();
    const ScratchArray<std::byte> middle(e.device().scratch(), passes_.MiddleByteSize());
    for (int64_t entry = 0; entry < passes_.batch_count; entry += at_once) {
      const int64_t count = std::min(at_once, passes_.batch_count - entry);
      for (size_t i = 0; i < lines_.size(); ++i) {
        const std::byte* from = middle.get();
        std::byte* to = middle.get();
        if (i == 0) {
          from = e.operand(0).bytes +
                 entry * passes_.operand_size * LineElementSize(passes_.operand_type);
        }
        if (i + 1 == lines_.size()) {
          to =
              e.result().bytes + entry * passes_.result_size * LineElementSize(passes_.result_type);
        }
        const absl::Status status =
            lines_[i].Run(e.device(), count * passes_.lines_per_entry[i], from, to);
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

 private:
  Passes passes_;
  std::vector<FftLines> lines_;
};

absl::Status RunFft(Evaluation& e) { return PreparedOf<FourierTransform>(e).Run(e); }

int64_t ScratchByteSize(const OpView& op) {
  const Passes passes(op);
  int64_t byte_size = 0;
  for (size_t i = 0; i < passes.axes.size(); ++i) {
    byte_size = std::max(byte_size, FftLines::ScratchByteSize(passes.axes[i].axis, passes.From(i),
                                                              passes.To(i), passes.Mirrors(i)));
  }
  return byte_size + passes.MiddleByteSize();
}

int64_t StateByteSize(const OpView& op, IsFixedOperand) {
  int64_t byte_size = 0;
  for (const Passes::Axis& axis : Passes(op).axes) byte_size += FftLines::StateByteSize(axis.axis);
  return byte_size;
}

// Whether the sizes are those that the lengths ask for: other ones verify with a warning.
bool HasSizes(const OpView& op) {
  const auto lengths = op.Get<Attr::kFftLength>();
  const auto rank = static_cast<int64_t>(lengths.size());
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (operand.rank() != result.rank() || rank < 1 || rank > operand.rank()) return false;
  const FftType type = op.Get<Attr::kFftType>();
  for (int64_t a = 0; a < rank; ++a) {
    const int64_t length = lengths[static_cast<size_t>(a)];
    const int64_t d = operand.rank() - rank + a;
    const int64_t half = a + 1 == rank ? length / 2 + 1 : length;
    if (length < 1 || operand.dim(d) != (type == FftType::kIrfft ? half : length) ||
        result.dim(d) != (type == FftType::kRfft ? half : length)) {
      return false;
    }
  }
  return true;
}

}  // namespace

const Kernel* FindFftKernel(const OpView& op) {
  const Shape& operand = op.operand_shape(0);
  const Shape& result = *op.written_shape();
  if (operand.HasDynamicDim() || result.HasDynamicDim() || !HasSizes(op) ||
      !LineTypeOf(operand.element_type()) || !LineTypeOf(result.element_type()) ||
      !std::ranges::all_of(Passes(op).axes, [](const Passes::Axis& axis) {
        return FftLines::IsSupported(axis.axis);
      })) {
    return nullptr;
  }
  static constexpr Kernel kKernel = {.run = RunFft,
                                     .prepare = Prepare<FourierTransform>,
                                     .scratch_byte_size = ScratchByteSize,
                                     .state_byte_size = StateByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

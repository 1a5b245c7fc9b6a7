// map and scan: one call of the computation per element (semantics.md 8) or per position of the
// scanned dimension (9.5).
#include <algorithm>
#include <utility>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/call_frame.h"
#include "interp/reference/eval.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"
#include "ir/leaves.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The slices of an array across one dimension, each of which is taken out, or put in, as a dense
// one.
class Slices {
 public:
  Slices(ElementType type, std::span<const int64_t> dims, int64_t dimension)
      : Slices(ElementByteSize(type), DenseStrides(dims), dimension,
               Select(dims, AsSpan(Others(dims, dimension))),
               Select(AsSpan(DenseStrides(dims)), AsSpan(Others(dims, dimension)))) {}

  int64_t byte_size() const { return byte_size_; }
  void Load(const std::byte* array, int64_t position, std::byte* slice) const {
    load_(array + position * step_, slice);
  }
  void Store(const std::byte* slice, std::byte* array, int64_t position) const {
    store_(slice, array + position * step_);
  }

 private:
  Slices(int64_t element_size, const Strides& array_strides, int64_t dimension, const Index& dims,
         const Strides& strides)
      : byte_size_(Product(AsSpan(dims)) * element_size),
        step_(array_strides[dimension] * element_size),
        load_(element_size, AsSpan(dims), AsSpan(strides), AsSpan(DenseStrides(AsSpan(dims)))),
        store_(element_size, AsSpan(dims), AsSpan(DenseStrides(AsSpan(dims))), AsSpan(strides)) {}

  static Index Others(std::span<const int64_t> dims, int64_t dimension) {
    const int64_t excluded[] = {dimension};
    return OtherDimensions(static_cast<int64_t>(dims.size()), excluded);
  }

  int64_t byte_size_;  // of a slice
  int64_t step_;       // bytes from one slice to the next
  StridedCopy load_, store_;
};

// Slices are as aligned as elements can ask for.
int64_t Aligned(int64_t byte_size) { return (byte_size + 15) / 16 * 16; }

// A scan of arrays of the sizes that they are written with.
struct ScanPlan {
  explicit ScanPlan(const Evaluation& e)
      : dimension(static_cast<size_t>(e.Get<Attr::kDimensions>()[0])),
        carry_count(static_cast<size_t>(e.Get<Attr::kNumCarries>())),
        is_reverse(e.Get<Attr::kIsReverse>()) {
    const size_t input_count = e.operands().size() - carry_count;
    const size_t output_count = e.results().size() - carry_count;
    const auto d = static_cast<int64_t>(dimension);
    for (size_t i = 0; i < input_count; ++i) {
      inputs.emplace_back(e.operand(i).element_type, e.operand(i).dims, d);
      byte_size += Aligned(inputs.back().byte_size());
    }
    for (size_t i = 0; i < output_count; ++i) {
      outputs.emplace_back(e.result(i).element_type, e.result(i).dims, d);
      byte_size += Aligned(outputs.back().byte_size());
    }
    input_slices.resize(input_count);
    arguments.resize(e.operands().size());
    results.resize(e.results().size());
  }

  size_t dimension, carry_count;
  bool is_reverse;
  std::vector<Slices> inputs, outputs;
  int64_t byte_size = 0;  // of one slice of each
  // For a run to fill: slices, then carries.
  std::vector<std::byte*> input_slices;
  std::vector<const std::byte*> arguments;
  std::vector<std::byte*> results;
};

struct MapPlan {
  explicit MapPlan(const Evaluation& e) : frame(e, Attr::kToApply) {}

  CallFrame frame;
};

// The sizes to map over; scalars beside other operands stand for every element (verifier.md 3.9).
std::span<const int64_t> MappedDims(const Evaluation& e) {
  for (const ArrayRef& operand : e.operands()) {
    if (!operand.dims.empty()) return operand.dims;
  }
  return {};
}

// Whether an array has the sizes its shape is written with.
bool HasStaticSizes(const Evaluation& e) {
  size_t leaf = 0;
  for (int64_t i = 0; i < e.op().operand_count(); ++i, ++leaf) {
    if (!std::ranges::equal(e.operand(leaf).dims, e.op().operand_shape(i).dims())) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelState>> PrepareMap(Evaluation& e) {
  return Prepare<MapPlan>(e);
}

// The operands in the types the computation declares.
double MapScratch(const OpView& op) {
  double byte_size = 0;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Shape& parameter = op.parameter_shape(op.Get<Attr::kToApply>(), k);
    byte_size += ConvertedByteSize(op.operand_shape(k), parameter.element_type());
  }
  return byte_size;
}

absl::Status EvalMap(Evaluation& e) {
  const std::span<const int64_t> dims = MappedDims(e);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  ScalarFunction& function = e.Function(Attr::kToApply);
  CallFrame& frame = PreparedOf<MapPlan>(e).frame;
  CallFrame::Arrays arrays(e, frame);
  const size_t count = e.operands().size();
  for (size_t k = 0; k < count; ++k) {
    if (!e.operand(k).dims.empty() && !std::ranges::equal(e.operand(k).dims, dims)) {
      return absl::InvalidArgumentError("the operands have different sizes at run time");
    }
    arrays.AddOperand(k, k);
  }
  const int64_t result_size = ElementByteSize(e.result().element_type);
  for (int64_t i = 0; i < e.result().element_count(); ++i) {
    for (size_t k = 0; k < count; ++k) {
      const ArrayRef& operand = arrays.operand(k);
      const int64_t position = operand.dims.empty() ? 0 : i;
      frame.arguments[k] = operand.bytes + position * ElementByteSize(operand.element_type);
    }
    frame.outputs[0] = e.result().bytes + i * result_size;
    HLO_RETURN_IF_ERROR(function.Call(frame.arguments, frame.outputs));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareScan(Evaluation& e) {
  return Prepare<ScanPlan>(e);
}

// A slice of each input and of each output.
double ScanScratch(const OpView& op) {
  const int64_t dimension = op.Get<Attr::kDimensions>()[0];
  const int64_t carry_count = op.Get<Attr::kNumCarries>();
  const auto slice = [&](const Shape& shape) {
    const double length = static_cast<double>(std::max<int64_t>(1, shape.dim(dimension)));
    return SizeProduct(shape.dims()) / length *
           static_cast<double>(ElementByteSize(shape.element_type()));
  };
  double byte_size = 0;
  for (int64_t k = 0; k < op.operand_count() - carry_count; ++k) {
    byte_size += slice(op.operand_shape(k));
  }
  const std::vector<const Shape*> results = LeavesOf(*op.written_shape());
  for (size_t k = 0; k + static_cast<size_t>(carry_count) < results.size(); ++k) {
    byte_size += slice(*results[k]);
  }
  return byte_size;
}

absl::Status EvalScan(Evaluation& e) {
  // The computation's slices have the sizes it is written for.
  if (!HasStaticSizes(e)) {
    return absl::UnimplementedError("`scan` over arrays below their bounds is not supported");
  }
  ScanPlan& plan = PreparedOf<ScanPlan>(e);
  const ScratchArray<std::byte> slices(e.device().scratch(), plan.byte_size);
  std::byte* next = slices.get();
  const auto take = [&](const Slices& array) {
    return std::exchange(next, next + Aligned(array.byte_size()));
  };
  const size_t input_count = plan.inputs.size();
  const size_t output_count = plan.outputs.size();
  std::vector<std::byte*>& inputs = plan.input_slices;
  for (size_t i = 0; i < input_count; ++i) plan.arguments[i] = inputs[i] = take(plan.inputs[i]);
  for (size_t i = 0; i < output_count; ++i) plan.results[i] = take(plan.outputs[i]);
  // Carries live in the memory of the final ones.
  for (size_t j = 0; j < plan.carry_count; ++j) {
    const ArrayRef& init = e.operand(input_count + j);
    const MutableArrayRef& carry = e.result(output_count + j);
    ConvertElements(init.element_type, init.bytes, carry.element_type, carry.bytes,
                    init.element_count());
    plan.arguments[input_count + j] = carry.bytes;
    plan.results[output_count + j] = carry.bytes;
  }
  ScalarFunction& function = e.Function(Attr::kToApply);
  const int64_t length =
      input_count > 0 ? e.operand(0).dims[plan.dimension] : e.result(0).dims[plan.dimension];
  for (int64_t i = 0; i < length; ++i) {
    const int64_t t = plan.is_reverse ? length - 1 - i : i;
    for (size_t k = 0; k < input_count; ++k) plan.inputs[k].Load(e.operand(k).bytes, t, inputs[k]);
    HLO_RETURN_IF_ERROR(function.Call(plan.arguments, plan.results));
    for (size_t k = 0; k < output_count; ++k) {
      plan.outputs[k].Store(plan.results[k], e.result(k).bytes, t);
    }
  }
  return absl::OkStatus();
}

}  // namespace hlo::reference

// map and scan: one call of the computation per element (semantics.md 8) or per position of the
// scanned dimension (9.5).
#include <algorithm>
#include <memory>
#include <vector>

#include "interp/reference/converted_array.h"
#include "interp/reference/eval.h"
#include "interp/reference/fold.h"
#include "interp/reference/forward.h"
#include "interp/reference/strided.h"
#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// The slices of an array across one dimension, with dense room for one of them.
class Slices {
 public:
  Slices(ElementType type, std::span<const int64_t> dims, int64_t dimension)
      : element_size_(ElementByteSize(type)) {
    const Index strides = DenseStrides(dims);
    const int64_t excluded[] = {dimension};
    const Index others = OtherDimensions(static_cast<int64_t>(dims.size()), excluded);
    dims_ = Select(dims, AsSpan(others));
    strides_ = Select(AsSpan(strides), AsSpan(others));
    step_ = strides[dimension] * element_size_;
    slice_ =
        std::make_unique<std::byte[]>(static_cast<size_t>(Product(AsSpan(dims_)) * element_size_));
  }

  std::byte* slice() const { return slice_.get(); }
  void Load(const std::byte* array, int64_t position) const {
    CopyStrided(element_size_, AsSpan(dims_), array + position * step_, AsSpan(strides_), slice(),
                AsSpan(DenseStrides(AsSpan(dims_))));
  }
  void Store(std::byte* array, int64_t position) const {
    CopyStrided(element_size_, AsSpan(dims_), slice(), AsSpan(DenseStrides(AsSpan(dims_))),
                array + position * step_, AsSpan(strides_));
  }

 private:
  int64_t element_size_;
  Index dims_, strides_;
  int64_t step_;  // bytes from one slice to the next
  std::unique_ptr<std::byte[]> slice_;
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

absl::Status EvalMap(Evaluation& e) {
  const std::span<const int64_t> dims = MappedDims(e);
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, dims));
  const ComputationId computation = e.Get<Attr::kToApply>();
  ScalarFunction& function = e.Function(Attr::kToApply);
  std::vector<ConvertedArray> operands;
  std::vector<const std::byte*> arguments(e.operands().size());
  for (size_t k = 0; k < e.operands().size(); ++k) {
    if (!e.operand(k).dims.empty() && !std::ranges::equal(e.operand(k).dims, dims)) {
      return absl::InvalidArgumentError("the operands have different sizes at run time");
    }
    operands.emplace_back(e.operand(k), ParameterType(e, computation, static_cast<int64_t>(k)));
  }
  const int64_t result_size = ElementByteSize(e.result().element_type);
  for (int64_t i = 0; i < e.result().element_count(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const ArrayRef& operand = operands[k].ref();
      const int64_t position = operand.dims.empty() ? 0 : i;
      arguments[k] = operand.bytes + position * ElementByteSize(operand.element_type);
    }
    std::byte* results[] = {e.result().bytes + i * result_size};
    HLO_RETURN_IF_ERROR(function.Call(arguments, results));
  }
  return absl::OkStatus();
}

absl::Status EvalScan(Evaluation& e) {
  // The computation's slices have the sizes it is written for.
  if (!HasStaticSizes(e)) {
    return absl::UnimplementedError("`scan` over arrays below their bounds is not supported");
  }
  const int64_t dimension = e.Get<Attr::kDimensions>()[0];
  const size_t carry_count = static_cast<size_t>(e.Get<Attr::kNumCarries>());
  const size_t input_count = e.operands().size() - carry_count;
  const size_t output_count = e.results().size() - carry_count;
  std::vector<Slices> inputs, outputs;
  std::vector<const std::byte*> arguments;
  std::vector<std::byte*> results;
  for (size_t i = 0; i < input_count; ++i) {
    const ArrayRef& input = e.operand(i);
    inputs.emplace_back(input.element_type, input.dims, dimension);
    arguments.push_back(inputs.back().slice());
  }
  for (size_t i = 0; i < output_count; ++i) {
    const MutableArrayRef& output = e.result(i);
    outputs.emplace_back(output.element_type, output.dims, dimension);
    results.push_back(outputs.back().slice());
  }
  // Carries live in the memory of the final ones.
  for (size_t j = 0; j < carry_count; ++j) {
    const ArrayRef& init = e.operand(input_count + j);
    const MutableArrayRef& carry = e.result(output_count + j);
    ConvertElements(init.element_type, init.bytes, carry.element_type, carry.bytes,
                    init.element_count());
    arguments.push_back(carry.bytes);
    results.push_back(carry.bytes);
  }
  ScalarFunction& function = e.Function(Attr::kToApply);
  const int64_t length =
      input_count > 0 ? e.operand(0).dims[dimension] : e.result(0).dims[dimension];
  for (int64_t i = 0; i < length; ++i) {
    const int64_t t = e.Get<Attr::kIsReverse>() ? length - 1 - i : i;
    for (size_t k = 0; k < input_count; ++k) inputs[k].Load(e.operand(k).bytes, t);
    HLO_RETURN_IF_ERROR(function.Call(arguments, results));
    for (size_t k = 0; k < output_count; ++k) outputs[k].Store(e.result(k).bytes, t);
  }
  return absl::OkStatus();
}

}  // namespace hlo::reference

// What JAX makes of its own primitives on GPUs, and of Python functions.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/random.h"
#include "interp/reference/strided.h"

namespace hlo::reference {
namespace {

bool IsU32(const ArrayRef& array, std::span<const int64_t> dims) {
  return array.element_type == ElementType::kU32 && std::ranges::equal(array.dims, dims);
}

// (key 0, key 1, counter 0, counter 1) -> (word 0, word 1), element by element; older calls have a
// fifth operand, the number of elements.
absl::Status Threefry(Evaluation& e) {
  bool fits = e.operands().size() >= 4 && e.results().size() == 2;
  for (size_t i = 0; fits && i < 4; ++i) fits = IsU32(e.operand(i), e.operand(0).dims);
  for (size_t i = 0; fits && i < 2; ++i) {
    const MutableArrayRef& result = e.result(i);
    fits = IsU32({result.element_type, result.dims, result.bytes}, e.operand(0).dims);
  }
  if (!fits) return absl::InvalidArgumentError("it takes four arrays of u32 and returns two");
  const auto word = [&](size_t i, int64_t k) -> uint64_t {
    return View<uint32_t>(e.operand(i)).data()[k];
  };
  for (int64_t k = 0; k < e.operand(0).element_count(); ++k) {
    const std::array<uint32_t, 2> made =
        Threefry2x32(word(0, k) | word(1, k) << 32, word(2, k) | word(3, k) << 32);
    for (size_t i = 0; i < 2; ++i) View<uint32_t>(e.result(i)).data()[k] = made[i];
  }
  return absl::OkStatus();
}

// (exchanges of rows, from 0) -> the order of the rows after them
absl::Status PivotsToPermutation(Evaluation& e) {
  const ArrayRef& pivots = e.operand(0);
  const MutableArrayRef& permutation = e.result();
  if (pivots.element_type != ElementType::kS32 || permutation.element_type != ElementType::kS32 ||
      pivots.dims.empty() || pivots.dims.size() != permutation.dims.size() ||
      !std::ranges::equal(pivots.dims.first(pivots.dims.size() - 1),
                          permutation.dims.first(pivots.dims.size() - 1))) {
    return absl::InvalidArgumentError("it takes and returns lists of s32");
  }
  const int64_t exchange_count = pivots.dims.back();
  const int64_t row_count = permutation.dims.back();
  const int32_t* from = View<int32_t>(pivots).data();
  int32_t* rows = View<int32_t>(permutation).data();
  const int64_t batch_count = Product(pivots.dims.first(pivots.dims.size() - 1));
  for (int64_t b = 0; b < batch_count; ++b, from += exchange_count, rows += row_count) {
    std::iota(rows, rows + row_count, 0);
    for (int64_t i = 0; i < exchange_count; ++i) {
      if (i >= row_count || from[i] < 0 || from[i] >= row_count) {
        return absl::InvalidArgumentError("a pivot is no row");
      }
      std::swap(rows[i], rows[from[i]]);
    }
  }
  return absl::OkStatus();
}

// Behind `cu` or `hip`.
constexpr CustomCall kGpuCalls[] = {
    {"_lu_pivots_to_permutation", {.run = PivotsToPermutation}},
    {"_threefry2x32", {.run = Threefry}},
    {"_threefry2x32_ffi", {.run = Threefry}},
};

bool HasArrays(const Shape& shape) {
  return shape.IsArray() || std::ranges::any_of(shape.elements(), HasArrays);
}

}  // namespace

const Kernel* FindJaxCall(std::string_view target) {
  for (std::string_view maker : {"cu", "hip"}) {
    if (target.starts_with(maker)) return FindIn(kGpuCalls, target.substr(maker.size()));
  }
  return nullptr;
}

// xla_python_cpu_callback, xla_ffi_python_gpu_callback, xla_ffi_partitioned_python_cpu_callback
bool IsPythonCallback(std::string_view target) {
  return target.starts_with("xla_") && target.ends_with("_callback") &&
         target.find("python_") != std::string_view::npos;
}

bool IsSkippedCallback(const Instruction& instruction) {
  return instruction.opcode == Opcode::kCustomCall && !HasArrays(*instruction.shape) &&
         IsPythonCallback(instruction.Get<Attr::kCustomCallTarget>());
}

}  // namespace hlo::reference

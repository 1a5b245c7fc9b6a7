// topk and the custom call TopK (semantics.md 9.7).
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "interp/kernel/prepared.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/eval.h"
#include "interp/reference/merge_sort.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/sort_lines.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

// Stores the elements at the first positions as the next line of both results of a top-k.
class TopKWriter {
 public:
  TopKWriter(Evaluation& e, int64_t k)
      : values_(e.operand(0)),
        element_size_(ElementByteSize(values_.element_type)),
        k_(k),
        next_value_(e.result(0).bytes),
        next_index_(View<int32_t>(e.result(1)).data()) {}

  void Store(int64_t base, std::span<const int64_t> positions) {
    for (int64_t i = 0; i < k_; ++i) {
      std::memcpy(next_value_, values_.bytes + (base + positions[i]) * element_size_,
                  static_cast<size_t>(element_size_));
      next_value_ += element_size_;
      *next_index_++ = static_cast<int32_t>(positions[i]);
    }
  }

 private:
  const ArrayRef& values_;
  int64_t element_size_;
  int64_t k_;
  std::byte* next_value_;
  int32_t* next_index_;
};

// Sizes of both results: `k` in the last dimension.
absl::Status SetTopKDims(Evaluation& e, int64_t k) {
  Index dims(e.operand(0).dims.begin(), e.operand(0).dims.end());
  dims.back() = k;
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(dims)));
  return EnsureResultDims(e, 1, AsSpan(dims));
}

// Ties go to the lower position, as a stable sort would have it.
template <typename Key>
void SelectFirst(std::span<const Key> keys, bool ascending, std::span<int64_t> positions,
                 int64_t k) {
  std::partial_sort(positions.begin(), positions.begin() + k, positions.end(),
                    [&](int64_t a, int64_t b) {
                      if (keys[a] == keys[b]) return a < b;
                      return ascending ? keys[a] < keys[b] : keys[a] > keys[b];
                    });
}

// Operand 0 in the order of all its values, NaN included.
FunctionForm::Key TotalOrder(bool ascending) {
  return {.parameter = 0, .ascending = ascending, .total_order = true};
}

void TopKPlain(Evaluation& e, const Lines& lines, int64_t k, const FunctionForm::Key& order) {
  TopKWriter writer(e, k);
  const LineRoom room(e, lines, 2);
  const std::span<int64_t> positions = room.positions();
  DispatchElementType<kPred | kInteger | kFloat>(e.operand(0).element_type, [&]<typename T>() {
    WithKeyFunction<T>(order, [&](auto to_key) {
      using Key = KeyOf<T, decltype(to_key)>;
      const std::span<Key> keys = room.keys<Key>();
      lines.ForEach([&](int64_t base) {
        std::iota(positions.begin(), positions.end(), 0);
        FillKeys<T>(e.operand(0), lines, base, to_key, keys);
        SelectFirst<Key>(keys, order.ascending, positions, k);
        writer.Store(base, positions);
      });
    });
  });
}

bool HasNan(const ArrayRef& array) {
  if (!IsFloat(array.element_type)) return false;
  return DispatchElementType<kFloat>(array.element_type, [&]<typename T>() {
    return std::ranges::any_of(View<T>(array).elements(), [](T x) { return x != x; });
  });
}

// Whether the computation is (T[], T[], s32[], s32[]) -> pred[] for values of type T.
bool IsTopKComparator(const Evaluation& e, ComputationId id) {
  const Computation& comparator = e.op().computation(id);
  const Module& module = e.module();
  const auto is_scalar = [](const Shape& shape, ElementType type) {
    return shape.IsScalar() && shape.element_type() == type;
  };
  bool fits = comparator.parameters.size() == 4 &&
              is_scalar(*module.root(comparator).shape, ElementType::kPred);
  for (size_t k = 0; fits && k < comparator.parameters.size(); ++k) {
    fits = is_scalar(*module.instruction(comparator.parameters[k]).shape,
                     k < 2 ? e.operand(0).element_type : ElementType::kS32);
  }
  return fits;
}

// lt(value a, value b, index a, index b), asked as a merge sort does.
absl::Status TopKByCalls(Evaluation& e, const Lines& lines, int64_t k, Attr attr) {
  ScalarFunction& function = e.Function(attr);
  const ArrayRef& values = e.operand(0);
  const int64_t size = ElementByteSize(values.element_type);
  TopKWriter writer(e, k);
  const LineRoom room(e, lines, 2);
  const std::span<int64_t> positions = room.positions();
  absl::Status status;
  lines.ForEach([&](int64_t base) {
    std::iota(positions.begin(), positions.end(), 0);
    auto less = [&](int64_t a, int64_t b) {
      if (!status.ok()) return false;
      const int32_t indices[] = {static_cast<int32_t>(a), static_cast<int32_t>(b)};
      const std::byte* arguments[] = {values.bytes + (base + a) * size,
                                      values.bytes + (base + b) * size,
                                      reinterpret_cast<const std::byte*>(&indices[0]),
                                      reinterpret_cast<const std::byte*>(&indices[1])};
      bool result = false;
      std::byte* results[] = {reinterpret_cast<std::byte*>(&result)};
      status = function.Call(arguments, results);
      return result;
    };
    MergeSort(positions, room.scratch(), less);
    writer.Store(base, positions);
  });
  return status;
}

struct TopKPlan {
  explicit TopKPlan(const Evaluation& e)
      : lines(e.operand(0).dims, static_cast<int64_t>(e.operand(0).dims.size()) - 1),
        k(std::min(e.Get<Attr::kK>(), lines.length)),
        order(TotalOrder(!e.Get<Attr::kLargest>())) {}

  Lines lines;
  int64_t k;
  FunctionForm::Key order;
};

}  // namespace

double TopKScratch(const OpView& op) {
  return LineRoom::ByteSize(op.operand_shape(0).dims().back(), 2);
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareTopK(Evaluation& e) {
  return Prepare<TopKPlan>(e);
}

absl::Status EvalTopK(Evaluation& e) {
  if (IsComplex(e.operand(0).element_type)) {
    return absl::InvalidArgumentError("complex numbers have no order");
  }
  const TopKPlan& plan = PreparedOf<TopKPlan>(e);
  HLO_RETURN_IF_ERROR(SetTopKDims(e, plan.k));
  TopKPlain(e, plan.lines, plan.k, plan.order);
  return absl::OkStatus();
}

namespace {

// A call of TopK: checked, and how it compares.
struct TopKCallPlan {
  explicit TopKCallPlan(Evaluation& e);

  absl::Status status;  // the rest is there where this is fine
  std::optional<Lines> lines;
  int64_t k = 0;
  std::optional<Attr> comparator;  // nothing: the largest first
  FunctionForm::Key order = TotalOrder(/*ascending=*/false);
  bool compares_elements = true;  // in that order
};

absl::Status CheckTopKCall(const Evaluation& e) {
  if (e.operands().empty() || e.operand(0).dims.empty() || e.results().size() != 2 ||
      e.result(0).dims.empty() || IsComplex(e.operand(0).element_type) ||
      e.result(0).element_type != e.operand(0).element_type ||
      e.result(1).element_type != ElementType::kS32) {
    return absl::InvalidArgumentError("TopK returns the values of an array and s32 indices");
  }
  return absl::OkStatus();
}

TopKCallPlan::TopKCallPlan(Evaluation& e) : status(CheckTopKCall(e)) {
  if (!status.ok()) return;
  lines.emplace(e.operand(0).dims, static_cast<int64_t>(e.operand(0).dims.size()) - 1);
  k = std::min(e.result(0).dims.back(), lines->length);
  const ComputationList called = e.Get<Attr::kCalledComputations>();
  if (called.empty() && !e.op().Has(Attr::kToApply)) return;
  comparator = called.empty() ? Attr::kToApply : Attr::kCalledComputations;
  if (!IsTopKComparator(e, called.empty() ? e.Get<Attr::kToApply>() : called[0])) {
    status = absl::InvalidArgumentError("the comparator of TopK takes two values and two indices");
    return;
  }
  const FunctionForm& form = e.Function(*comparator).form();
  compares_elements = ComparesElements(e, form) && form.keys[0].parameter == 0;
  if (compares_elements) order = form.keys[0];
}

absl::Status TopKByComparator(Evaluation& e) {
  const TopKCallPlan& plan = PreparedOf<TopKCallPlan>(e);
  HLO_RETURN_IF_ERROR(plan.status);
  HLO_RETURN_IF_ERROR(SetTopKDims(e, plan.k));
  // Without NaN every comparison is a strict weak order, and any stable way of sorting will do.
  if (plan.compares_elements && (plan.order.total_order || !HasNan(e.operand(0)))) {
    TopKPlain(e, *plan.lines, plan.k, plan.order);
    return absl::OkStatus();
  }
  return TopKByCalls(e, *plan.lines, plan.k, *plan.comparator);
}

int64_t TopKCallScratch(const OpView& op) {
  const std::vector<const Shape*> operands = OperandArrays(op);
  if (operands.empty() || operands[0]->rank() == 0) return 0;
  return ByteSizeOf(LineRoom::ByteSize(operands[0]->dims().back(), 2));
}

constexpr CustomCall kTopKCalls[] = {
    {"TopK",
     {.run = TopKByComparator,
      .prepare = Prepare<TopKCallPlan>,
      .scratch_byte_size = TopKCallScratch}},
};

}  // namespace

// (values, indices) of the first K elements of each line in the order of the called comparator.
const Kernel* FindTopKCall(std::string_view target) { return FindIn(kTopKCalls, target); }

}  // namespace hlo::reference

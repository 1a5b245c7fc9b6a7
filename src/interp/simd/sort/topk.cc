// topk and the custom calls TopK (semantics.md 9.7), PartialReduce and ApproxTopK (15.5); these
// bring an array along whose elements go where those of the first one do. Of each row the best
// elements so far are kept, and the worst of them says which of those that follow are looked at:
// most pieces of a row have none. Elements are compared as keys (sort_keys.h), the best of which is
// the smallest; a later element with the same key is worse, so places need no comparison while a
// row passes by.
#include "interp/simd/sort/topk.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstring>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/element_size.h"
#include "interp/reference/eval.h"
#include "interp/simd/base/parallel.h"
#include "interp/simd/base/reference_memory.h"
#include "interp/simd/sort/integer_sort.h"
#include "interp/simd/sort/key_loops.h"
#include "interp/simd/sort/sort_keys.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kChunkSize = 1024;              // elements at a time, in the first-level cache
constexpr int64_t kFewCandidates = 64;            // that are selected from in no time
constexpr int64_t kPartSize = int64_t{1} << 14;   // elements that are worth a part of their own
constexpr int64_t kPieceSize = int64_t{1} << 17;  // of rows that several threads share
constexpr int64_t kMaxLength = INT32_MAX;         // places are s32

// An element that may be one of the best: its key, and below that its place.
struct WideCandidate {
  uint64_t key;
  uint32_t place;

  auto operator<=>(const WideCandidate&) const = default;
};
template <typename Key>
using Candidate = std::conditional_t<(sizeof(Key) > 4), WideCandidate, uint64_t>;

template <typename Key>
Candidate<Key> MakeCandidate(Key key, int64_t place) {
  if constexpr (sizeof(Key) > 4) {
    return {key, static_cast<uint32_t>(place)};
  } else {
    return uint64_t{key} << 32 | static_cast<uint32_t>(place);
  }
}
uint64_t KeyOf(uint64_t candidate) { return candidate >> 32; }
uint64_t KeyOf(const WideCandidate& candidate) { return candidate.key; }
int32_t PlaceOf(uint64_t candidate) { return static_cast<int32_t>(candidate); }
int32_t PlaceOf(const WideCandidate& candidate) { return static_cast<int32_t>(candidate.place); }

// The k smallest of candidates, k of them at least.
template <typename Each>
void SelectFirst(std::span<Each> candidates, int64_t k) {
  if (k < static_cast<int64_t>(candidates.size())) {
    std::ranges::nth_element(candidates, candidates.begin() + (k - 1));
  }
}

void SortAll(std::span<WideCandidate> candidates) { std::ranges::sort(candidates); }
void SortAll(std::span<uint64_t> candidates) {
  if (candidates.size() <= 64) {
    std::ranges::sort(candidates);  // without making a sorter
  } else {
    IntegerSorter().Sort(candidates);
  }
}

// What is worked out once.
struct TopKPlan {
  explicit TopKPlan(const OpView& op)
      : length(op.operand_shape(0).dims().back()),
        k(op.written_shape()->element(0).dims().back()),
        has_payload(op.operand_count() > 1) {
    piece_size = std::min(length, std::max(kPieceSize, 8 * k));
    piece_count = k == 0 ? 0 : CeilDiv(length, piece_size);
    rows_per_part = std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, length));
    first_size = std::min(kChunkSize, 2 * k + kFewCandidates);
    most_kept = k + std::max(k, kFewCandidates);
    room = most_kept + kChunkSize;
  }

  int64_t length, k;
  bool has_payload;                 // operand 1
  int64_t piece_size, piece_count;  // of a row
  int64_t rows_per_part;            // of rows in one piece
  int64_t first_size;               // of a row's first chunks
  int64_t most_kept;                // candidates between two chunks; then k are left
  int64_t room;                     // for those and the next chunk's
};

// How a top-k compares.
FunctionForm::Key OrderOf(Evaluation& e) {
  FunctionForm::Key order = {.parameter = 0,
                             .element_type = e.operand(0).element_type,
                             .ascending = false,
                             .total_order = true};
  if (e.op().opcode() == Opcode::kTopK) {
    order.ascending = !e.Get<Attr::kLargest>();
  } else if (!e.Get<Attr::kCalledComputations>().empty()) {
    order = e.Function(Attr::kCalledComputations).form().keys[0];
  }
  return order;
}

template <typename Key>
class TopK {
  using Each = Candidate<Key>;

 public:
  TopK(Evaluation& e, const TopKPlan& plan, const FunctionForm::Key& order)
      : e_(e),
        plan_(plan),
        loops_(FindKeyLoops(order.element_type, MergesValues(order))),
        ascending_(order.ascending),
        element_size_(ElementByteSize(order.element_type)),
        row_count_(e.operand(0).element_count() / plan.length) {}

  // Fails with kCancelled.
  absl::Status Run() { return plan_.piece_count > 1 ? RunInPieces() : RunByRows(); }
  bool has_nan() const { return has_nan_; }

 private:
  absl::Status RunByRows() {
    return ForEachPart(e_.device(), CeilDiv(row_count_, plan_.rows_per_part), [&](int64_t part) {
      const ScratchArray<Each> room(e_.device().scratch(), plan_.room);
      const int64_t end = std::min(row_count_, (part + 1) * plan_.rows_per_part);
      for (int64_t row = part * plan_.rows_per_part; row < end; ++row) {
        Store(row, Select(row, 0, plan_.length, room.get()));
      }
    });
  }

  // The best of each piece, then the best of these.
  absl::Status RunInPieces() {
    const int64_t k = plan_.k, pieces = plan_.piece_count;
    const ScratchArray<Each> best(e_.device().scratch(), row_count_ * pieces * k);
    const ScratchArray<int64_t> counts(e_.device().scratch(), row_count_ * pieces);
    const absl::Status status = ForEachPart(e_.device(), row_count_ * pieces, [&](int64_t part) {
      const ScratchArray<Each> room(e_.device().scratch(), plan_.room);
      const int64_t begin = part % pieces * plan_.piece_size;
      const int64_t end = std::min(plan_.length, begin + plan_.piece_size);
      const std::span<Each> selected = Select(part / pieces, begin, end, room.get());
      std::ranges::copy(selected, best.get() + part * k);
      counts[part] = static_cast<int64_t>(selected.size());
    });
    if (!status.ok()) return status;
    return ForEachPart(e_.device(), row_count_, [&](int64_t row) {
      // All pieces but the last have k elements and more.
      const int64_t count = (pieces - 1) * k + counts[row * pieces + pieces - 1];
      const std::span<Each> all(best.get() + row * pieces * k, static_cast<size_t>(count));
      SelectFirst(all, k);
      Store(row, all.first(static_cast<size_t>(k)));
    });
  }

  // The best of elements [begin, end) of a row, k of them if there are so many, in any order.
  std::span<Each> Select(int64_t row, int64_t begin, int64_t end, Each* room) {
    alignas(64) std::array<Key, kChunkSize> keys;
    std::array<int32_t, kChunkSize> numbers;
    const std::byte* elements = e_.operand(0).bytes + row * plan_.length * element_size_;
    int64_t kept = 0;
    bool is_full = false;
    Key limit = 0;  // is_full: only smaller keys are of interest
    for (int64_t at = begin, count = 0; at < end; at += count) {
      // Until there is a limit every element is a candidate.
      count = std::min(is_full ? kChunkSize : plan_.first_size, end - at);
      auto* key_bytes = reinterpret_cast<std::byte*>(keys.data());
      const KeyLoss loss =
          loops_.to_keys(elements + at * element_size_, 1, count, ascending_, key_bytes);
      if (loss.has_nan) has_nan_.store(true, std::memory_order_relaxed);
      if (!is_full) {
        for (int64_t i = 0; i < count; ++i) {
          room[kept++] = MakeCandidate<Key>(keys[static_cast<size_t>(i)], at + i);
        }
      } else {
        const int64_t found = loops_.find_below(key_bytes, count, limit, numbers.data());
        for (int64_t i = 0; i < found; ++i) {
          const int32_t number = numbers[static_cast<size_t>(i)];
          room[kept++] = MakeCandidate<Key>(keys[static_cast<size_t>(number)], at + number);
        }
      }
      // A low limit leaves few candidates, and there has to be room for those of the next chunk.
      if (kept >= plan_.most_kept || (!is_full && kept > plan_.k)) {
        SelectFirst(std::span(room, static_cast<size_t>(kept)), plan_.k);
        kept = std::min(kept, plan_.k);
        limit = static_cast<Key>(KeyOf(room[plan_.k - 1]));
        is_full = true;
      }
    }
    SelectFirst(std::span(room, static_cast<size_t>(kept)), std::min(kept, plan_.k));
    return {room, static_cast<size_t>(std::min(kept, plan_.k))};
  }

  // Writes row `row` of the results.
  void Store(int64_t row, std::span<Each> best) const {
    SortAll(best);
    StoreElements(0, row, best);
    if (plan_.has_payload) return StoreElements(1, row, best);
    auto* places = reinterpret_cast<int32_t*>(e_.result(1).bytes) + row * plan_.k;
    for (const Each& candidate : best) *places++ = PlaceOf(candidate);
  }
  // Elements of operand `i`.
  void StoreElements(size_t i, int64_t row, std::span<const Each> best) const {
    const int64_t element_size = ElementByteSize(e_.operand(i).element_type);
    reference::DispatchElementSize(element_size, [&]<typename Element>() {
      const auto* from = reinterpret_cast<const Element*>(e_.operand(i).bytes) + row * plan_.length;
      auto* to = reinterpret_cast<Element*>(e_.result(i).bytes) + row * plan_.k;
      for (const Each& candidate : best) *to++ = from[PlaceOf(candidate)];
    });
  }

  Evaluation& e_;
  const TopKPlan& plan_;
  const KeyLoops loops_;
  const bool ascending_;
  const int64_t element_size_;
  const int64_t row_count_;
  std::atomic<bool> has_nan_ = false;
};

template <typename Key>
absl::Status RunTyped(Evaluation& e, const TopKPlan& plan, const FunctionForm::Key& order) {
  TopK<Key> top_k(e, plan, order);
  const absl::Status status = top_k.Run();
  // By value NaN has no place in an order: the definition's result depends on how it sorts.
  const bool is_of_no_use = top_k.has_nan() && order.IsFloatByValue();
  return status.ok() && is_of_no_use ? e.RunInstead(reference::FindKernel(e.op().opcode()))
                                     : status;
}

absl::Status RunTopK(Evaluation& e) {
  if (e.result(0).element_count() == 0) return absl::OkStatus();
  const TopKPlan& plan = PreparedOf<TopKPlan>(e);
  const FunctionForm::Key order = OrderOf(e);
  switch (FindKeyLoops(order.element_type, MergesValues(order)).key_size) {
    case 2:
      return RunTyped<uint16_t>(e, plan, order);
    case 4:
      return RunTyped<uint32_t>(e, plan, order);
    default:
      return RunTyped<uint64_t>(e, plan, order);
  }
}

absl::Status RunTopKCall(Evaluation& e) {
  const std::string_view target = e.Get<Attr::kCustomCallTarget>();
  const bool is_ours = e.device().custom_calls().Find(target) == nullptr;
  return is_ours ? RunTopK(e) : e.RunInstead(reference::FindKernel(Opcode::kCustomCall));
}

// The candidates of each thread, and those of all pieces.
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kSize = sizeof(WideCandidate), kMost = INT64_MAX / 4;
  const TopKPlan plan(op);
  if (plan.k == 0) return 0;
  const int64_t rows = ElementCount(op.operand_shape(0)).value_or(kMost) / plan.length;
  const int64_t selected = plan.piece_count > 1 ? rows * plan.piece_count : 0;
  const int64_t rooms = PartsAtOnce(std::max(rows, selected)) * plan.room;
  return kSize * (selected * (plan.k + 1) + rooms);
}

// By value the reference kernel may have to take over. `topk` orders NaN as well.
int64_t CallScratchByteSize(const OpView& op) {
  return ScratchWithReference(op, ScratchByteSize(op));
}

// Whether the array and the results, values and what has type `second`, are those of a top-k.
bool SelectsBest(const OpView& op, ElementType second) {
  const Shape& result = *op.written_shape();
  if (!op.operand_shape(0).IsArray() || !result.IsTuple() || result.element_count() != 2) {
    return false;
  }
  const Shape& operand = op.operand_shape(0);
  const Shape &values = result.element(0), &places = result.element(1);
  if (!values.IsArray() || !places.IsArray() || operand.rank() == 0 || operand.HasDynamicDim() ||
      FindKeyLoops(operand.element_type(), /*merged=*/false).to_keys == nullptr ||
      values.element_type() != operand.element_type() || places.element_type() != second ||
      values.rank() != operand.rank() || !std::ranges::equal(values.dims(), places.dims())) {
    return false;
  }
  const auto rows = operand.dims().first(static_cast<size_t>(operand.rank() - 1));
  return std::ranges::equal(rows, values.dims().first(rows.size())) &&
         values.dims().back() <= operand.dims().back() && operand.dims().back() <= kMaxLength;
}

bool IsTopK(const OpView& op) {
  return op.operand_count() == 1 && SelectsBest(op, ElementType::kS32);
}

// The same of an array with a payload, and an initial value for each; along the last dimension.
bool IsPartialReduce(const OpView& op) {
  if (op.operand_count() != 4 || !op.operand_shape(0).IsArray() || !op.operand_shape(1).IsArray()) {
    return false;
  }
  const Shape &values = op.operand_shape(0), &payload = op.operand_shape(1);
  const int64_t last = values.rank() - 1;
  const std::string_view config = op.Get<Attr::kBackendConfig>().text;
  return std::ranges::equal(values.dims(), payload.dims()) && !payload.HasDynamicDim() &&
         reference::ConfigInteger(config, "reduction_dim").value_or(last) == last &&
         SelectsBest(op, payload.element_type());
}

// Whether a comparator takes two values of `type` and two of `second`, and compares values alone,
// or also the others, if they are places, where that changes nothing.
bool ComparesValues(const Plan& plan, const Region& region, ElementType type, ElementType second,
                    bool are_places) {
  const FunctionForm& form = region.form;
  if (form.kind != FunctionForm::Kind::kComparator &&
      form.kind != FunctionForm::Kind::kLexicographic) {
    return false;
  }
  bool fits = region.parameters.size() == 4;
  for (size_t i = 0; fits && i < region.parameters.size(); ++i) {
    const Shape& shape = *plan.slot(region.parameters[i]).shape;
    fits = shape.IsScalar() && shape.element_type() == (i < 2 ? type : second);
  }
  const std::vector<FunctionForm::Key>& keys = form.keys;
  return fits && keys[0].parameter == 0 &&
         (keys.size() == 1 || (are_places && keys.size() == 2 && keys[1].ascending));
}

constexpr Kernel kTopK = {
    .run = RunTopK, .prepare = Prepare<TopKPlan>, .scratch_byte_size = ScratchByteSize};
constexpr Kernel kTopKCall = {
    .run = RunTopKCall, .prepare = Prepare<TopKPlan>, .scratch_byte_size = CallScratchByteSize};

const Kernel* FindPartialReduce(const Plan& plan, const Step& step, const OpView& op) {
  const bool is_fine = op.Get<Attr::kCalledComputations>().size() == 1 &&
                       step.regions.size() == 1 && IsPartialReduce(op) &&
                       ComparesValues(plan, *step.regions[0], op.operand_shape(0).element_type(),
                                      op.operand_shape(1).element_type(), /*are_places=*/false);
  return is_fine ? &kTopKCall : nullptr;
}

}  // namespace

const Kernel* FindTopKKernel(const OpView& op) {
  const bool is_fine =
      IsTopK(op) && op.written_shape()->element(0).dims().back() == op.Get<Attr::kK>();
  return is_fine ? &kTopK : nullptr;
}

const Kernel* FindTopKCallKernel(const Plan& plan, const Step& step) {
  const OpView op(*plan.module, plan.instruction(step));
  if (op.Has(Attr::kToApply)) return nullptr;
  const std::string_view target = op.Get<Attr::kCustomCallTarget>();
  if (target == "PartialReduce" || target == "ApproxTopK") return FindPartialReduce(plan, step, op);
  if (target != "TopK" || !IsTopK(op)) return nullptr;
  const ElementType type = op.operand_shape(0).element_type();
  const size_t function_count = op.Get<Attr::kCalledComputations>().size();
  const bool is_fine =
      step.regions.size() == function_count &&
      (function_count == 0 ||
       (function_count == 1 &&
        ComparesValues(plan, *step.regions[0], type, ElementType::kS32, /*are_places=*/true)));
  return is_fine ? &kTopKCall : nullptr;
}

}  // namespace hlo::simd

// all-reduce and reduce-scatter: a left fold over the members in the order of the group, in the
// type of the reducer (semantics.md 14.3). Each member folds a share of the elements and writes it
// into everybody's result, so that every operand is read once and every result written once.
// Results may lie where the operands do: an element is read from all before it is written to any.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/reference/call_frame.h"
#include "interp/reference/eval.h"
#include "interp/reference/meet.h"
#include "interp/reference/reducer.h"
#include "interp/reference/scratch.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"
#include "support/stream_copy.h"

namespace hlo::reference {
namespace {

constexpr int64_t kTile = 2048;  // elements, so that a tile stays in the innermost cache
constexpr int64_t kTileBytes = kTile * 16;
constexpr double kScratch = 3 * kTileBytes;  // what a fold has: sums, what comes in, what goes out

// Results of so many bytes are not in the caches when somebody reads them.
constexpr int64_t kMinStreamedByteSize = int64_t{8} << 20;

// to[k] = f(to[k], from[k])
using CombineTile = void (*)(std::byte* to, const std::byte* from, int64_t count);

template <typename T, typename Fn>
void CombineElements(std::byte* to, const std::byte* from, int64_t count) {
  T* accumulators = reinterpret_cast<T*>(to);
  const T* values = reinterpret_cast<const T*>(from);
  for (int64_t k = 0; k < count; ++k) accumulators[k] = Fn::Apply(accumulators[k], values[k]);
}

CombineTile FindCombine(const FunctionForm& form) {
  CombineTile combine = nullptr;
  if (form.IsBinary()) {
    DispatchReducer(form.opcode, form.element_type,
                    [&]<typename T, typename Fn>() { combine = CombineElements<T, Fn>; });
  }
  return combine;
}

// What is known of an instruction before its members meet.
struct ReduceState final : GroupState {
  absl::Status reducer;  // the rest is there where this is fine
  ScalarFunction* function = nullptr;
  CombineTile combine = nullptr;
  ElementType fold_type = ElementType::kPred;
};

// XLA accepts any `to_apply` here (collective.reducer-signature is a warning); a fold needs one of
// two scalars that gives one of the same type.
absl::Status CheckReducer(const Evaluation& e) {
  const Module& module = e.op().module();
  const Computation& reducer = module.computation(e.Get<Attr::kToApply>());
  const Shape& result = *module.root(reducer).shape;
  const auto is_like_result = [&](InstructionId parameter) {
    const Shape& shape = *module.instruction(parameter).shape;
    return shape.IsScalar() && shape.element_type() == result.element_type();
  };
  if (result.IsScalar() && reducer.parameters.size() == 2 &&
      std::ranges::all_of(reducer.parameters, is_like_result)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("`{}` does not combine two scalars of one type into one", reducer.name));
}

// Folds ranges of elements of one operand over all members.
class GroupFold {
 public:
  GroupFold(Evaluation& e, const Meeting& meeting, size_t operand)
      : pool_(e.device().scratch()),
        meeting_(meeting),
        operand_(operand),
        function_(*e.state<ReduceState>().function),
        combine_(e.state<ReduceState>().combine),
        from_type_(meeting.me().operands[operand].element_type),
        fold_type_(e.state<ReduceState>().fold_type),
        to_type_(meeting.me().results[operand].element_type) {}

  // Calls store(bytes, at, count), in order, for pieces that make up elements [begin, begin +
  // count): elements [at, at + count) in the type of the result.
  template <typename Store>
  absl::Status Fold(int64_t begin, int64_t count, Store store) {
    for (int64_t at = begin; at < begin + count; at += kTile) {
      const int64_t size = std::min(kTile, begin + count - at);
      HLO_RETURN_IF_ERROR(FoldTile(at, size));
      store(ConvertedFromFold(size), at, size);
    }
    return absl::OkStatus();
  }

 private:
  using Tile = ScratchArray<std::byte>;

  absl::Status FoldTile(int64_t at, int64_t count) {
    const auto byte_size = static_cast<size_t>(count * ElementByteSize(fold_type_));
    for (size_t m = 0; m < meeting_.members.size(); ++m) {
      const std::byte* values = ConvertedToFold(m, at, count);
      if (m == 0) {
        std::memcpy(accumulators_.get(), values, byte_size);
      } else if (combine_ != nullptr) {
        combine_(accumulators_.get(), values, count);
      } else {
        HLO_RETURN_IF_ERROR(CallForEach(values, count));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CallForEach(const std::byte* values, int64_t count) {
    const int64_t size = ElementByteSize(fold_type_);
    for (int64_t k = 0; k < count; ++k) {
      std::byte* accumulator = accumulators_.get() + k * size;
      const std::byte* arguments[] = {accumulator, values + k * size};
      HLO_RETURN_IF_ERROR(function_.Call(arguments, {&accumulator, 1}));
    }
    return absl::OkStatus();
  }

  const std::byte* ConvertedToFold(size_t member, int64_t at, int64_t count) {
    const std::byte* values =
        meeting_.members[member].operands[operand_].bytes + at * ElementByteSize(from_type_);
    if (from_type_ == fold_type_) return values;
    if (converted_ == nullptr) converted_ = NewTile();
    ConvertElements(from_type_, values, fold_type_, converted_.get(), count);
    return converted_.get();
  }

  const std::byte* ConvertedFromFold(int64_t count) {
    if (to_type_ == fold_type_) return accumulators_.get();
    if (stored_ == nullptr) stored_ = NewTile();
    ConvertElements(fold_type_, accumulators_.get(), to_type_, stored_.get(), count);
    return stored_.get();
  }

  Tile NewTile() { return Tile(pool_, kTileBytes); }

  ScratchPool& pool_;
  const Meeting& meeting_;
  const size_t operand_;
  ScalarFunction& function_;
  const CombineTile combine_;
  const ElementType from_type_;
  const ElementType fold_type_;
  const ElementType to_type_;
  Tile accumulators_ = NewTile();
  Tile converted_;
  Tile stored_;
};

// Where share `share` of `count` elements begins, on a boundary of cache lines.
int64_t ShareBegin(int64_t count, size_t share, size_t share_count) {
  constexpr int64_t kGrain = 64;
  const int64_t grains = (count + kGrain - 1) / kGrain;
  const int64_t begin =
      grains / static_cast<int64_t>(share_count) * static_cast<int64_t>(share) +
      std::min(grains % static_cast<int64_t>(share_count), static_cast<int64_t>(share));
  return std::min(count, begin * kGrain);
}

absl::Status ReduceShare(Evaluation& e, const Meeting& meeting) {
  if (meeting.members.size() > 1) HLO_RETURN_IF_ERROR(e.state<ReduceState>().reducer);
  for (size_t i = 0; i < meeting.me().results.size(); ++i) {
    const ArrayRef& own = meeting.me().operands[i];
    if (meeting.members.size() == 1) {
      HLO_RETURN_IF_ERROR(SetResult(e, own, ResultNumber(e, meeting, i)));
      continue;
    }
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, ResultNumber(e, meeting, i), own.dims));
    const int64_t count = own.element_count();
    const int64_t begin = ShareBegin(count, meeting.share, meeting.share_count);
    const int64_t end = ShareBegin(count, meeting.share + 1, meeting.share_count);
    const int64_t size = ElementByteSize(meeting.me().results[i].element_type);
    const bool streams = count * size >= kMinStreamedByteSize;
    GroupFold fold(e, meeting, i);
    HLO_RETURN_IF_ERROR(
        fold.Fold(begin, end - begin, [&](const std::byte* tile, int64_t at, int64_t length) {
          for (const MeetingMember& member : meeting.members) {
            if (member.results.empty()) continue;
            std::byte* to = member.results[i].bytes + at * size;
            const auto byte_size = static_cast<size_t>(length * size);
            // In the place of its operand, which was just read, a result is in the caches already.
            if (streams && member.results[i].bytes != member.operands[i].bytes) {
              StreamCopy(to, tile, byte_size);
            } else {
              std::memcpy(to, tile, byte_size);
            }
          }
        }));
    if (streams) FinishStreams();
  }
  return absl::OkStatus();
}

// Block number `position` of the reduced array: for each index of the dimensions before the one
// that is cut a run of elements.
absl::Status ReduceBlock(Evaluation& e, const Meeting& meeting) {
  const auto d = static_cast<size_t>(e.Get<Attr::kDimensions>()[0]);
  const auto group_size = static_cast<int64_t>(meeting.members.size());
  HLO_RETURN_IF_ERROR(e.state<ReduceState>().reducer);
  for (size_t i = 0; i < meeting.me().results.size(); ++i) {
    const ArrayRef& own = meeting.me().operands[i];
    if (own.dims[d] % group_size != 0) {
      return absl::InvalidArgumentError(fmt::format(
          "dimension {} of size {} does not divide into {} blocks", d, own.dims[d], group_size));
    }
    Index dims(own.dims.size());
    std::ranges::copy(own.dims, dims.begin());
    dims[d] /= group_size;
    HLO_RETURN_IF_ERROR(EnsureResultDims(e, ResultNumber(e, meeting, i), AsSpan(dims)));
    const int64_t run = Product(AsSpan(dims).subspan(d));
    const int64_t run_count = Product(own.dims.first(d));
    const MutableArrayRef& result = meeting.me().results[i];
    const int64_t size = ElementByteSize(result.element_type);
    GroupFold fold(e, meeting, i);
    std::byte* to = result.bytes;
    for (int64_t r = 0; r < run_count && run > 0; ++r) {
      const int64_t begin = (r * group_size + static_cast<int64_t>(meeting.position)) * run;
      HLO_RETURN_IF_ERROR(
          fold.Fold(begin, run, [&](const std::byte* tile, int64_t, int64_t length) {
            std::memcpy(to, tile, static_cast<size_t>(length * size));
            to += length * size;
          }));
    }
  }
  return absl::OkStatus();
}

// A reducer that is none is told by the first of a group, for whom the others then wait in vain:
// which of them fails does not depend on who comes first.
absl::Status MeetToReduce(Evaluation& e, MeetingWork work) {
  const auto& state = e.state<ReduceState>();
  if (state.place.members.size() > 1 && state.place.position == 0) {
    HLO_RETURN_IF_ERROR(state.reducer);
  }
  return Meet(e, work);
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareReduction(Evaluation& e) {
  auto state = std::make_unique<ReduceState>();
  HLO_ASSIGN_OR_RETURN(state->place, FindGroup(e));
  state->reducer = CheckReducer(e);
  if (!state->reducer.ok()) return state;
  state->function = &e.Function(Attr::kToApply);
  state->combine = FindCombine(state->function->form());
  state->fold_type = ParameterType(e, e.Get<Attr::kToApply>(), 0);
  return state;
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelState>> PrepareAllReduce(Evaluation& e) {
  return PrepareReduction(e);
}
absl::StatusOr<std::unique_ptr<KernelState>> PrepareAllReduceStart(Evaluation& e) {
  return PrepareReduction(e);
}
absl::StatusOr<std::unique_ptr<KernelState>> PrepareReduceScatter(Evaluation& e) {
  return PrepareReduction(e);
}

double AllReduceScratch(const OpView&) { return kScratch; }
double AllReduceStartScratch(const OpView&) { return kScratch; }
double ReduceScatterScratch(const OpView&) { return kScratch; }

absl::Status EvalAllReduce(Evaluation& e) { return MeetToReduce(e, ReduceShare); }
absl::Status EvalAllReduceStart(Evaluation& e) { return MeetToReduce(e, ReduceShare); }
absl::Status EvalReduceScatter(Evaluation& e) { return MeetToReduce(e, ReduceBlock); }

}  // namespace hlo::reference

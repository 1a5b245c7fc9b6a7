// What loops of a program run again and again stays where it is, all but what the caller may bring
// from elsewhere next time. So from the second run of a step on its calls are kept with addresses
// instead of places, and copies are loops like others; what runs once is not worth writing down.
#include "interp/simd/bound_calls.h"

#include <algorithm>
#include <cstring>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"

namespace hlo::simd {
namespace {

template <typename T>
void CopyElement(const void* from, const void*, const void*, void* to, int64_t) {
  std::memcpy(to, from, sizeof(T));
}
void CopyBytes(const void* from, const void*, const void*, void* to, int64_t byte_size) {
  std::memcpy(to, from, static_cast<size_t>(byte_size));
}
template <typename T>
void FillWithElement(const void* from, const void*, const void*, void* to, int64_t count) {
  std::fill_n(static_cast<T*>(to), count, *static_cast<const T*>(from));
}

}  // namespace

Block::BoundCalls::BoundCalls(const Block& block, Evaluation& e) : block_(block) {
  for (size_t i = 0; i < e.operands().size(); ++i) {
    if (e.MayMove(i)) movable_.push_back({i, nullptr});
  }
}

bool Block::BoundCalls::Stays(const Evaluation& e) {
  const bool stays = is_known_ && IsWhereItWas(e);
  is_known_ = true;
  for (Movable& m : movable_) m.bytes = e.operand(m.operand).bytes;
  if (!stays) calls_.clear();
  return stays;
}

void Block::BoundCalls::Bind(Evaluation& e) {
  bases_.resize(1 + e.operands().size() + e.results().size());
  FindBases(e.device().momentary(), e.operands(), e.results(), bases_.data());
  calls_.clear();
  reads_.clear();
  calls_.reserve(block_.calls_.size());
  reads_.reserve(block_.calls_.size());  // calls know where they are
  for (const Call& call : block_.calls_) calls_.push_back(Bound(call, e.operands()));
}

Block::BoundCalls::BoundCall Block::BoundCalls::Bound(const Call& call,
                                                      std::span<const ArrayRef> operands) {
  const auto address = [&](size_t k) { return bases_[call.bases[k]] + call.offsets[k]; };
  BoundCall bound = {.loop = call.loop,
                     .operands = {address(0), address(1), address(2)},
                     .result = address(Call::kPlaceCount - 1),
                     .count = call.number};
  if (call.kind != Call::Kind::kLoop) BindOther(call, operands, bound);
  return bound;
}

void Block::BoundCalls::BindOther(const Call& call, std::span<const ArrayRef> operands,
                                  BoundCall& bound) {
  using Kind = Call::Kind;
  bound.loop = nullptr;
  if (call.kind == Kind::kLoop || call.kind == Kind::kOther) return;
  const Action& action = block_.ActionAt(call.number);
  const int64_t element_size = action.result.element_size;
  bound.count = block_.CountOf(action);
  bool is_at_run_time = false;
  if (call.kind != Kind::kCopyScalar) {
    is_at_run_time = !action.reads[0].starts.empty();
    bound.operands[0] = is_at_run_time || call.kind == Kind::kCountScalar
                            ? static_cast<const void*>(&reads_.emplace_back(&action, operands))
                            : SourceOf(action, operands);
  }
  if (call.kind == Kind::kCountScalar) {
    bound.loop = CountAtRunTime;
  } else if (call.kind == Kind::kReadRun) {
    bound.loop = is_at_run_time ? AtRunTime<CopyBytes> : CopyBytes;
    bound.count *= element_size;
  } else {
    reference::DispatchElementSize(element_size, [&]<typename T>() {
      if (call.kind == Kind::kFill) {
        bound.loop = is_at_run_time ? AtRunTime<FillWithElement<T>> : FillWithElement<T>;
      } else {
        bound.loop = is_at_run_time ? AtRunTime<CopyElement<T>> : CopyElement<T>;
      }
    });
  }
}

void Block::BoundCalls::CountAtRunTime(const void* read, const void*, const void*, void* to,
                                       int64_t) {
  const auto& [action, operands] = *static_cast<const BoundRead*>(read);
  const auto counted = static_cast<int32_t>(OffsetAt(action->reads[0], operands));
  std::memcpy(to, &counted, sizeof(counted));
}

void Block::BoundCalls::Run(const Evaluation& e) const {
  for (size_t i = 0; i < calls_.size(); ++i) {
    const BoundCall& call = calls_[i];
    if (call.loop != nullptr) [[likely]] {
      call.loop(call.operands[0], call.operands[1], call.operands[2], call.result, call.count);
    } else {
      block_.RunOther(block_.calls_[i], bases_.data(), e.operands(), e.results());
    }
  }
}

absl::StatusOr<std::unique_ptr<KernelState>> Block::PrepareSmall(Evaluation& e) {
  return std::make_unique<BoundCalls>(*static_cast<const Block*>(e.program()), e);
}

absl::Status Block::RunSmall(Evaluation& e) {
  BoundCalls& bound = e.state<BoundCalls>();
  if (bound.IsBound(e)) [[likely]] {
    bound.Run(e);
    return absl::OkStatus();
  }
  const Block& block = *static_cast<const Block*>(e.program());
  if (bound.Stays(e)) bound.Bind(e);
  block.RunCalls(e.operands(), e.results());
  return absl::OkStatus();
}

}  // namespace hlo::simd

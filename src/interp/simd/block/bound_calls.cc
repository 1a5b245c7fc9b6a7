// What loops of a program run again and again stays where it is, all but what the caller may bring
// from elsewhere next time. So from the second run of a step on its calls are kept with addresses
// instead of places, and copies are loops like others; what runs once is not worth writing down.
#include "interp/simd/block/bound_calls.h"

#include <algorithm>
#include <cstring>

#include "interp/kernel/device.h"
#include "interp/reference/element_size.h"
#include "interp/simd/block/element_loops.h"

namespace hlo::simd {

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
  reductions_.clear();
  // Calls know where these are.
  reads_.reserve(block_.calls_.size());
  reductions_.reserve(block_.calls_.size());
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
  const Action& action = block_.ActionAt(call.number);
  bound.count = block_.CountOf(action);
  const auto set_read = [&](TileLoop loop) {
    bound.operands[0] = AddRead(action, operands);
    bound.loop = loop;
  };
  const auto of_size = [&](auto bind) {
    reference::DispatchElementSize(action.result.element_size, bind);
  };
  switch (call.kind) {
    case Kind::kCopyScalar:
      return of_size([&]<typename T>() { bound.loop = CopyElement<T>; });
    case Kind::kCopyRun:
      return of_size([&]<typename T>() { bound.loop = CopyElements<T>; });
    case Kind::kReadScalar:
      return of_size([&]<typename T>() { BindRead<CopyElement<T>>(action, operands, bound); });
    case Kind::kReadRun:
      return of_size([&]<typename T>() { BindRead<CopyElements<T>>(action, operands, bound); });
    case Kind::kReadRuns:
      return of_size([&]<typename T>() { set_read(ReadRuns<T>); });
    case Kind::kReadPieces:
      return of_size([&]<typename T>() { set_read(ReadAllPieces<T>); });
    case Kind::kFill:
      return of_size([&]<typename T>() { BindRead<FillWithElement<T>>(action, operands, bound); });
    case Kind::kCountScalar:
      return set_read(CountAtRunTime);
    case Kind::kRepeat:
      bound.operands[2] = &block_.row_length_;
      return of_size([&]<typename T>() { bound.loop = RepeatElements<T>; });
    case Kind::kReduce:
      reductions_.push_back({action.row_loop, block_.row_length_});
      bound.operands[2] = &reductions_.back();
      bound.loop = ReduceRows;
      return;
    case Kind::kLoop:
    case Kind::kOther:
      bound.loop = nullptr;
      return;
  }
  HLO_UNREACHABLE();
}

// What `kLoop` reads where a run says, or where it always is.
template <TileLoop kLoop>
void Block::BoundCalls::BindRead(const Action& action, std::span<const ArrayRef> operands,
                                 BoundCall& bound) {
  if (action.reads[0].starts.empty()) {
    bound.operands[0] = SourceOf(action, operands);
    bound.loop = kLoop;
  } else {
    bound.operands[0] = AddRead(action, operands);
    bound.loop = AtRunTime<kLoop>;
  }
}

template <typename T>
void Block::BoundCalls::ReadRuns(const void* read, const void*, const void*, void* to,
                                 int64_t count) {
  const auto& [action, operands] = *static_cast<const BoundRead*>(read);
  ReadElements(action->reads[0], operands, /*begin=*/0, count, static_cast<T*>(to));
}

template <typename T>
void Block::BoundCalls::ReadAllPieces(const void* read, const void*, const void*, void* to,
                                      int64_t count) {
  const auto& [action, operands] = *static_cast<const BoundRead*>(read);
  ReadPieces(action->reads, operands, /*begin=*/0, count, static_cast<T*>(to));
}

void Block::BoundCalls::ReduceRows(const void* values, const void* init, const void* reduction,
                                   void* to, int64_t row_count) {
  const auto& [loop, row_length] = *static_cast<const BoundReduction*>(reduction);
  loop(values, init, to, row_count, row_length);
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

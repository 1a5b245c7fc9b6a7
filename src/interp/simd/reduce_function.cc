// The function becomes a block (block.h) whose elements are neighbouring results: accumulators go
// in and come out, the next elements of all these results come in. So a result sees its elements in
// the order in which the reference kernel takes them, and is the same bits.
#include "interp/simd/reduce_function.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "interp/kernel/prepared.h"
#include "interp/kernel/scratch_vector.h"
#include "interp/reference/element_size.h"
#include "interp/reference/reduce_loops.h"
#include "interp/simd/function_block.h"
#include "interp/simd/parallel.h"
#include "interp/simd/reach.h"
#include "interp/simd/simd.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxTile = 256;     // results
constexpr int64_t kMinResults = 16;   // fewer are not worth it
constexpr int64_t kMinTile = 16;      // results
constexpr int64_t kAlignment = 64;    // bytes
constexpr int64_t kCheckEvery = 256;  // elements of each result

absl::Status RunFunctionReduce(Evaluation& e) {
  return static_cast<const FunctionReduce*>(e.program())->Run(e);
}

// Whether the function combines anything. FindKernel, which was asked before, does not know it, or
// its steps round, as those of products do.
bool IsCombination(const FunctionForm& form) { return form.kind != FunctionForm::Kind::kParameter; }

int64_t Padded(int64_t byte_size) { return CeilDiv(byte_size, kAlignment) * kAlignment; }

// to[i] = from[offsets[i]].
template <typename T>
void Gather(const std::byte* from, std::span<const int64_t> offsets, std::byte* to) {
  const T* elements = reinterpret_cast<const T*>(from);
  T* next = reinterpret_cast<T*>(to);
  for (int64_t offset : offsets) *next++ = elements[offset];
}

}  // namespace

// Some neighbouring results: `begin` and so many.
class FunctionReduce::Tile {
 public:
  Tile(const FunctionReduce& program, Evaluation& e, const reference::ReduceLoops& loops,
       int64_t begin, int64_t count)
      : program_(program),
        e_(e),
        loops_(loops),
        begin_(begin),
        count_(count),
        accumulators_{Addresses(e.device().scratch()), Addresses(e.device().scratch())},
        elements_(e.device().scratch()),
        operands_(e.device().scratch()),
        results_(e.device().scratch()) {
    FindOffsets();
    MakeRoom();
  }

  // False: it was interrupted.
  bool Run() {
    const size_t arrays = program_.array_count_;
    for (size_t k = 0; k < arrays; ++k) {
      const ArrayRef& init = e_.operand(arrays + k);
      reference::DispatchElementSize(SizeOf(k), [&]<typename T>() {
        std::fill_n(reinterpret_cast<T*>(accumulators_[0][k]), count_,
                    *reinterpret_cast<const T*>(init.bytes));
      });
    }
    int64_t until_check = kCheckEvery;
    bool is_running = true;
    reference::ForEachOffset(reference::AsSpan(loops_.reduced_dims),
                             reference::AsSpan(loops_.reduced_strides), [&](int64_t offset) {
                               if (!is_running) return;
                               Step(offset);
                               if (--until_check > 0) return;
                               until_check = kCheckEvery;
                               is_running = !e_.device().is_interrupted();
                             });
    for (size_t k = 0; k < arrays; ++k) {
      std::memcpy(e_.result(k).bytes + begin_ * SizeOf(k), accumulators_[turn_][k],
                  static_cast<size_t>(count_ * SizeOf(k)));
    }
    return is_running;
  }

 private:
  // One for each array that is reduced, of which there are rarely more than four.
  template <typename T, size_t kFew = 4>
  using List = absl::InlinedVector<T, kFew, ScratchAllocator<T>>;
  using Addresses = List<std::byte*>;

  int64_t SizeOf(size_t array) const { return ElementByteSize(e_.operand(array).element_type); }

  // Where the first element of each result lies.
  void FindOffsets() {
    offsets_ = ScratchArray<int64_t>(e_.device().scratch(), count_);
    is_dense_ = true;
    const Index &dims = loops_.kept_dims, &strides = loops_.kept_strides;
    Index at(dims.size());
    int64_t rest = begin_, offset = 0;
    for (size_t d = dims.size(); d-- > 0;) {
      at[d] = rest % dims[d];
      rest /= dims[d];
      offset += at[d] * strides[d];
    }
    for (int64_t i = 0; i < count_; ++i) {
      offsets_[i] = offset;
      is_dense_ &= offset == offsets_[0] + i;
      for (size_t d = dims.size(); d-- > 0;) {
        offset += strides[d];
        if (++at[d] < dims[d]) break;
        offset -= strides[d] * dims[d];
        at[d] = 0;
      }
    }
  }

  // Registers, elements and two sets of accumulators that change places.
  void MakeRoom() {
    const size_t arrays = program_.array_count_;
    for (Addresses* set : {&accumulators_[0], &accumulators_[1], &elements_}) set->reserve(arrays);
    results_.reserve(arrays);
    operands_.reserve(program_.sources_.size());
    int64_t size = Padded(program_.block_->register_byte_size());
    for (size_t k = 0; k < arrays; ++k) size += 3 * Padded(count_ * SizeOf(k));
    storage_ = ScratchArray<std::byte>(e_.device().scratch(), size);
    std::byte* next = storage_.get();
    registers_ = next;
    next += Padded(program_.block_->register_byte_size());
    for (size_t k = 0; k < arrays; ++k) {
      for (Addresses* set : {&accumulators_[0], &accumulators_[1], &elements_}) {
        set->push_back(next);
        next += Padded(count_ * SizeOf(k));
      }
      results_.push_back({e_.result(k).element_type, {}, nullptr});
    }
    for (const Source& source : program_.sources_) {
      ArrayRef operand = e_.operand(source.number);
      if (source.kind == Source::Kind::kElement) operand.bytes = elements_[source.number];
      operands_.push_back(operand);
    }
  }

  // Takes the elements at `offset` from where each result begins.
  void Step(int64_t offset) {
    for (size_t k = 0; k < program_.array_count_; ++k) {
      results_[k].bytes = accumulators_[1 - turn_][k];
    }
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Source& source = program_.sources_[i];
      if (source.kind == Source::Kind::kAccumulator) {
        operands_[i].bytes = accumulators_[turn_][source.number];
      } else if (source.kind == Source::Kind::kElement) {
        Take(source.number, offset, operands_[i]);
      }
    }
    program_.block_->RunTile(count_, operands_, results_, registers_);
    turn_ = 1 - turn_;
  }

  void Take(size_t array, int64_t offset, ArrayRef& to) {
    const int64_t size = SizeOf(array);
    const std::byte* from = e_.operand(array).bytes + offset * size;
    if (is_dense_) {
      to.bytes = from + offsets_[0] * size;
      return;
    }
    reference::DispatchElementSize(size, [&]<typename T>() {
      Gather<T>(from, {offsets_.get(), static_cast<size_t>(count_)}, elements_[array]);
    });
  }

  const FunctionReduce& program_;
  Evaluation& e_;
  const reference::ReduceLoops& loops_;
  const int64_t begin_, count_;
  ScratchArray<int64_t> offsets_;
  bool is_dense_ = false;
  ScratchArray<std::byte> storage_;
  std::byte* registers_ = nullptr;
  Addresses accumulators_[2];
  Addresses elements_;
  size_t turn_ = 0;  // the set that holds the accumulators now
  List<ArrayRef, 12> operands_;
  List<MutableArrayRef> results_;
};

std::shared_ptr<const FunctionReduce> FunctionReduce::Make(const Plan& plan, const Step& step) {
  const bool is_plain = step.kind == StepKind::kKernel && step.opcode == Opcode::kReduce &&
                        plan.instruction(step).opcode == Opcode::kReduce &&
                        step.regions.size() == 1;
  if (!is_plain || !IsWithinReach(plan, step) || FindKernel(plan, step) != nullptr) return nullptr;
  const Region& region = *step.regions[0];
  const size_t arrays = step.results.size();
  if (!IsCombination(region.form) || step.operands.size() != 2 * arrays ||
      region.parameters.size() != 2 * arrays || region.results.size() != arrays) {
    return nullptr;
  }
  const auto type_of = [&](SlotId slot) { return plan.slot(slot).shape->element_type(); };
  const auto is_static = [&](SlotId slot) {
    return !plan.slot(slot).is_dynamic && !plan.slot(slot).shape->HasDynamicDim();
  };
  for (size_t k = 0; k < arrays; ++k) {
    const ElementType type = type_of(step.operands[k]);
    for (SlotId other : {step.operands[arrays + k], step.results[k], region.parameters[k],
                         region.parameters[arrays + k], region.results[k]}) {
      if (type_of(other) != type) return nullptr;
    }
    if (!is_static(step.operands[k]) || !is_static(step.results[k])) return nullptr;
  }
  const int64_t result_count = ElementCount(*plan.slot(step.results[0]).shape).value_or(0);
  if (result_count < kMinResults) return nullptr;

  auto program = std::make_shared<FunctionReduce>();
  program->result_count_ = result_count;
  for (size_t k = 0; k < arrays; ++k) {
    program->element_sizes_.push_back(ElementByteSize(type_of(step.operands[k])));
  }
  program->array_count_ = arrays;
  program->operands_.assign(step.operands.begin(), step.operands.end());
  FunctionBlock function =
      MakeFunctionBlock(plan, FunctionPart(region), kMaxTile, /*is_exact=*/false);
  if (function.block == nullptr) return nullptr;
  program->block_ = std::move(function.block);
  for (const FunctionBlock::Operand& operand : function.operands) {
    const auto number = static_cast<size_t>(operand.parameter);
    if (operand.parameter < 0) {
      program->sources_.push_back({Source::Kind::kConstant, program->operands_.size()});
      program->operands_.push_back(operand.constant);
    } else if (number < arrays) {
      program->sources_.push_back({Source::Kind::kAccumulator, number});
    } else {
      program->sources_.push_back({Source::Kind::kElement, number - arrays});
    }
  }
  return program;
}

int64_t FunctionReduce::ScratchByteSize() const {
  int64_t tile = Padded(block_->register_byte_size()) + kMaxTile * int64_t{sizeof(int64_t)};
  for (int64_t size : element_sizes_) tile += 3 * Padded(kMaxTile * size);
  return PartsAtOnce(CeilDiv(result_count_, kMinTile)) * tile;
}

const Kernel& FunctionReduce::kernel() const {
  static constexpr Kernel kKernel = {.run = RunFunctionReduce,
                                     .prepare = Prepare<reference::ReduceLoops>};
  return kKernel;
}

absl::Status FunctionReduce::Run(Evaluation& e) const {
  const auto& loops = PreparedOf<reference::ReduceLoops>(e);
  const int64_t count = e.result(0).element_count();
  // A tile for each thread at least; which ones there are makes no difference to a result.
  const int64_t tile = std::clamp(CeilDiv(count, ThreadCount(e.device())), kMinTile, kMaxTile);
  return ForEachPart(e.device(), CeilDiv(count, tile), [&](int64_t part) {
    const int64_t begin = part * tile;
    Tile(*this, e, loops, begin, std::min(tile, count - begin)).Run();
  });
}

}  // namespace hlo::simd

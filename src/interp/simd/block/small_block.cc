// Blocks of one small tile, such as those over scalars: what loops of a program are made of. Next
// to what their elements take, finding them takes long. So each action is a call in half a cache
// line, whose addresses are sums, and what lies side by side is read where it is.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "interp/reference/element_size.h"
#include "interp/simd/block/block.h"
#include "support/check.h"

namespace hlo::simd {
namespace {

constexpr int64_t kMaxNumber = std::numeric_limits<uint16_t>::max();

// One element, by a move where it is as long as most are.
void CopyElement(const std::byte* from, std::byte* to, int64_t element_size) {
  if (element_size == sizeof(uint32_t)) {
    std::memcpy(to, from, sizeof(uint32_t));
  } else if (element_size == sizeof(uint64_t)) {
    std::memcpy(to, from, sizeof(uint64_t));
  } else {
    std::memcpy(to, from, static_cast<size_t>(element_size));
  }
}

void Fill(const std::byte* from, std::byte* to, int64_t element_size, int64_t count) {
  reference::DispatchElementSize(element_size, [&]<typename T>() {
    std::fill_n(reinterpret_cast<T*>(to), count, *reinterpret_cast<const T*>(from));
  });
}

// Whether it is one element again and again.
template <typename Strides>
bool IsUniform(const Strides& strides) {
  return std::ranges::all_of(strides, [](const auto& s) { return s.size == 1 || s.stride == 0; });
}

// Whether elements follow each other.
template <typename Strides>
bool IsDense(const Strides& strides) {
  int64_t next = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    if (strides[d].size != 1 && strides[d].stride != next) return false;
    next *= strides[d].size;
  }
  return true;
}

}  // namespace

int64_t Block::CountOf(const Action& action) const {
  return action.count != 0 ? action.count : TileAt(0, count_).size(action.level);
}

Block::Call::Kind Block::CallKindOf(const Action& action) const {
  using Kind = Call::Kind;
  const bool is_scalar = CountOf(action) == 1;
  switch (action.kind) {
    case Action::Kind::kLoop:
      return Kind::kLoop;
    case Action::Kind::kCopy:
      return is_scalar ? Kind::kCopyScalar : Kind::kCopyRun;
    case Action::Kind::kRead:
      if (is_scalar) return Kind::kReadScalar;
      if (IsUniform(action.reads[0].strides)) return Kind::kFill;
      return IsDense(action.reads[0].strides) ? Kind::kReadRun : Kind::kReadRuns;
    case Action::Kind::kCount:
      return is_scalar && action.type == ElementType::kS32 ? Kind::kCountScalar : Kind::kOther;
    case Action::Kind::kRepeat:
      return Kind::kRepeat;
    case Action::Kind::kReduce:
      return Kind::kReduce;
    case Action::Kind::kReadPieces:
      return Kind::kReadPieces;
    case Action::Kind::kReduceColumns:
    case Action::Kind::kLocate:
    case Action::Kind::kLocatePiece:
    case Action::Kind::kChain:
      return Kind::kOther;
  }
  HLO_UNREACHABLE();
}

// Makes the calls of a block with so many operands.
class Block::CallWriter {
 public:
  CallWriter(const Block& block, size_t operand_count)
      : block_(block), first_result_(kFirstOperand + operand_count) {
    const auto finds_by_base = [](const Action& action) {
      return action.kind != Action::Kind::kChain;
    };
    reads_in_place_ = std::ranges::all_of(block.once_, finds_by_base) &&
                      std::ranges::all_of(block.actions_, finds_by_base);
  }

  void Write(size_t number, std::vector<Call>& calls) {
    const Action& action = block_.ActionAt(number);
    Call call = {.kind = block_.CallKindOf(action),
                 .number = static_cast<uint16_t>(number),
                 .offsets = {},
                 .bases = {},
                 .loop = action.loop};
    if (call.kind == Call::Kind::kLoop) call.number = static_cast<uint16_t>(block_.CountOf(action));
    for (size_t k = 0; k < std::size(action.operands); ++k)
      Set(call, k, SpotOf(action.operands[k]));
    if (action.result.kind == Place::Kind::kRegister) in_place_.erase(action.result.at);
    Set(call, Call::kPlaceCount - 1, SpotOf(action.result));
    if (!ReadsInPlace(action, call.kind)) calls.push_back(call);
  }

 private:
  struct Spot {
    size_t base = 0;
    int32_t offset = 0;
  };

  Spot SpotOf(const Place& place) const {
    const auto number = static_cast<size_t>(place.at);
    switch (place.kind) {
      case Place::Kind::kNone:  // the loop does not look there
        return {};
      case Place::Kind::kRegister: {
        const auto found = in_place_.find(place.at);
        return found != in_place_.end() ? found->second : Spot{0, static_cast<int32_t>(place.at)};
      }
      case Place::Kind::kOperand:
        return {kFirstOperand + number};
      case Place::Kind::kResult:
        return {first_result_ + number};
      case Place::Kind::kPointer:
        break;  // of blocks of several tiles
    }
    HLO_UNREACHABLE();
  }

  static void Set(Call& call, size_t k, Spot spot) {
    call.bases[k] = static_cast<uint8_t>(spot.base);
    call.offsets[k] = spot.offset;
  }

  // Whether nothing need be done to have the elements that `action` reads: results never lie where
  // arrays do that are read by other indices than they are (BlockBuilder::PlaceResults).
  bool ReadsInPlace(const Action& action, Call::Kind kind) {
    const bool is_run = kind == Call::Kind::kReadRun || kind == Call::Kind::kReadScalar;
    if (!reads_in_place_ || !is_run || action.result.kind != Place::Kind::kRegister) return false;
    const Read& read = action.reads[0];
    const int64_t offset = read.offset * action.result.element_size;
    if (!read.starts.empty() || offset > std::numeric_limits<int32_t>::max()) return false;
    in_place_[action.result.at] = {kFirstOperand + static_cast<size_t>(read.operand),
                                   static_cast<int32_t>(offset)};
    return true;
  }

  const Block& block_;
  size_t first_result_;
  bool reads_in_place_;                          // calls alone say where all actions look
  absl::flat_hash_map<int64_t, Spot> in_place_;  // what registers would hold, by their offsets
};

void Block::MakeCalls(size_t operand_count, size_t result_count) {
  const auto action_count = once_.size() + actions_.size();
  if (!runs_on_stack_ || count_ > tile_ ||
      kFirstOperand + operand_count + result_count > kMaxBases ||
      std::max(count_, static_cast<int64_t>(action_count)) > kMaxNumber) {
    return;
  }
  CallWriter writer(*this, operand_count);
  for (size_t number = 0; number < action_count; ++number) writer.Write(number, calls_);
}

void Block::RunOther(const Call& call, std::byte* const* bases, std::span<const ArrayRef> operands,
                     std::span<const MutableArrayRef> results) const {
  const Action& action = ActionAt(call.number);
  const int64_t element_size = action.result.element_size;
  const auto address = [&](size_t k) { return bases[call.bases[k]] + call.offsets[k]; };
  std::byte* const to = address(Call::kPlaceCount - 1);
  const auto source = [&] { return SourceOf(action, operands); };
  switch (call.kind) {
    case Call::Kind::kLoop:
      HLO_UNREACHABLE();
    case Call::Kind::kCopyScalar:
      return CopyElement(address(0), to, element_size);
    case Call::Kind::kReadScalar:
      return CopyElement(source(), to, element_size);
    case Call::Kind::kReadRun:
      std::memcpy(to, source(), static_cast<size_t>(CountOf(action) * element_size));
      return;
    case Call::Kind::kFill:
      return Fill(source(), to, element_size, CountOf(action));
    case Call::Kind::kCountScalar: {
      const auto counted = static_cast<int32_t>(OffsetAt(action.reads[0], operands));
      std::memcpy(to, &counted, sizeof(counted));
      return;
    }
    case Call::Kind::kCopyRun:
      std::memmove(to, address(0), static_cast<size_t>(CountOf(action) * element_size));
      return;
    case Call::Kind::kRepeat:
      return RepeatRows(address(0), to, element_size, count_ / row_length_, row_length_);
    case Call::Kind::kReduce:
      return action.row_loop(address(0), address(1), to, count_ / row_length_, row_length_);
    case Call::Kind::kReadRuns:
    case Call::Kind::kReadPieces:
    case Call::Kind::kOther:
      return DoOther(action, TileAt(0, count_), {operands, results, bases[0]});
  }
}

void Block::FindBases(std::byte* registers, std::span<const ArrayRef> operands,
                      std::span<const MutableArrayRef> results, std::byte** bases) {
  *bases++ = registers;
  for (const ArrayRef& operand : operands) *bases++ = const_cast<std::byte*>(operand.bytes);
  for (const MutableArrayRef& result : results) *bases++ = result.bytes;
}

void Block::RunCalls(std::span<const ArrayRef> operands,
                     std::span<const MutableArrayRef> results) const {
  alignas(64) std::byte registers[kStackByteSize];
  std::byte* bases[kMaxBases];
  FindBases(registers, operands, results, bases);
  for (const Call& call : calls_) {
    const auto address = [&](size_t k) { return bases[call.bases[k]] + call.offsets[k]; };
    if (call.kind == Call::Kind::kLoop) {
      call.loop(address(0), address(1), address(2), address(3), call.number);
    } else {
      RunOther(call, bases, operands, results);
    }
  }
}

}  // namespace hlo::simd

// Pass place: buffers in order of first use, each into the smallest free gap of the arena that
// holds it.
#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "interp/plan/passes.h"
#include "support/checked_math.h"

namespace hlo {
namespace {

constexpr int64_t kAlignment = 64;

// Free gaps of an arena that grows at its end.
class GapList {
 public:
  // The offset of `size` bytes; nothing when the arena leaves 63 bits.
  std::optional<int64_t> Take(int64_t size) {
    auto gap = by_size_.lower_bound({size, 0});
    if (gap == by_size_.end()) return TakeAtEnd(size);
    auto [gap_size, offset] = *gap;
    Remove(offset, gap_size);
    if (gap_size > size) Insert(offset + size, gap_size - size);
    return offset;
  }

  void Give(int64_t offset, int64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + size) {
      int64_t next_size = next->second;
      Remove(offset + size, next_size);
      size += next_size;
    }
    auto previous = by_offset_.lower_bound(offset);
    if (previous != by_offset_.begin()) {
      --previous;
      auto [previous_offset, previous_size] = *previous;
      if (previous_offset + previous_size == offset) {
        Remove(previous_offset, previous_size);
        offset = previous_offset;
        size += previous_size;
      }
    }
    Insert(offset, size);
  }

  int64_t end() const { return end_; }

 private:
  std::optional<int64_t> TakeAtEnd(int64_t size) {
    int64_t offset = end_;
    if (!by_offset_.empty()) {
      auto [last_offset, last_size] = *by_offset_.rbegin();
      if (last_offset + last_size == end_) {
        Remove(last_offset, last_size);
        offset = last_offset;
      }
    }
    std::optional<int64_t> end = CheckedAdd(offset, size);
    if (!end) return std::nullopt;
    end_ = *end;
    return offset;
  }
  void Insert(int64_t offset, int64_t size) {
    by_offset_[offset] = size;
    by_size_.insert({size, offset});
  }
  void Remove(int64_t offset, int64_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<int64_t, int64_t> by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t end_ = 0;
};

// False when the arena leaves 63 bits.
bool Place(Plan& plan) {
  std::vector<Buffer*> order;
  for (Buffer& buffer : plan.buffers) {
    if (buffer.kind == Buffer::Kind::kArena && !buffer.shares.valid()) order.push_back(&buffer);
  }
  std::ranges::stable_sort(order, {}, &Buffer::first);
  using InUse = std::pair<int64_t, Buffer*>;  // last position
  std::priority_queue<InUse, std::vector<InUse>, std::greater<>> in_use;
  GapList gaps;
  auto rounded_size = [](const Buffer& buffer) {
    return CeilDiv(buffer.byte_size, kAlignment) * kAlignment;
  };
  for (Buffer* buffer : order) {
    if (buffer->byte_size > INT64_MAX - kAlignment) return false;
    if (buffer->byte_size == 0) continue;
    while (!in_use.empty() && in_use.top().first < buffer->first) {
      gaps.Give(in_use.top().second->offset, rounded_size(*in_use.top().second));
      in_use.pop();
    }
    std::optional<int64_t> offset = gaps.Take(rounded_size(*buffer));
    if (!offset) return false;
    buffer->offset = *offset;
    in_use.push({buffer->last, buffer});
  }
  for (Buffer& buffer : plan.buffers) {
    if (buffer.shares.valid()) buffer.offset = plan.buffer(buffer.shares).offset;
  }
  plan.arena_byte_size = gaps.end();
  return true;
}

}  // namespace

bool PlaceBuffers(Plan& plan, const PassContext& context) {
  return Place(plan) ||
         context.sink.Error(Rule::kRunSize, plan.module->name_range(),
                            "the arrays of the program take more than 2^63 - 1 bytes");
}

}  // namespace hlo

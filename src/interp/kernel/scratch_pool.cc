// A request is met by the smallest kept block that holds it and is not more than twice as large.
// Small ones come in a few sizes, so that steps of any sizes find what others gave back.
#include "interp/kernel/scratch_pool.h"

#include <algorithm>
#include <bit>

#include "support/huge_pages.h"
#include "support/relax.h"

namespace hlo {
namespace {

constexpr std::align_val_t kAlignment{64};

// The size of the block that meets a request.
int64_t BlockSize(int64_t byte_size) {
  constexpr int64_t kLeast = 64;
  constexpr int64_t kMostRounded = 4096;
  if (byte_size > kMostRounded) return byte_size;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(kLeast, byte_size))));
}

// For as long as one is there its mutex is locked. Those that hold it do so for a moment: to sleep
// until then, and be woken, takes longer than many a kernel does.
class BriefLock {
 public:
  explicit BriefLock(std::mutex& mutex) : mutex_(mutex) {
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
      if (mutex_.try_lock()) return;
      Relax();
    }
    mutex_.lock();
  }
  ~BriefLock() { mutex_.unlock(); }
  BriefLock(const BriefLock&) = delete;
  BriefLock& operator=(const BriefLock&) = delete;

 private:
  std::mutex& mutex_;
};

void Free(const ScratchPool::Block& block) { ::operator delete(block.bytes, kAlignment); }

}  // namespace

ScratchPool::~ScratchPool() {
  for (const Block& block : kept_) Free(block);
}

void ScratchPool::set_limit(int64_t byte_size) {
  const BriefLock lock(mutex_);
  limit_ = std::min(byte_size, INT64_MAX - kUncounted) + kUncounted;
  DropKept(0);
}

void ScratchPool::MakeRoom(int64_t byte_size) {
  const BriefLock lock(mutex_);
  DropKept(byte_size);
}

ScratchPool::Block ScratchPool::Take(int64_t byte_size) {
  byte_size = BlockSize(byte_size);
  const BriefLock lock(mutex_);
  const std::thread::id user = std::this_thread::get_id();
  auto best = kept_.end();
  const auto is_better = [&](const Block& block) {
    if (best == kept_.end() || block.byte_size != best->byte_size) {
      return best == kept_.end() || block.byte_size < best->byte_size;
    }
    return block.user == user && best->user != user;
  };
  for (auto block = kept_.begin(); block != kept_.end(); ++block) {
    const bool fits = block->byte_size >= byte_size && block->byte_size / 2 <= byte_size;
    if (fits && is_better(*block)) best = block;
  }
  if (best != kept_.end()) {
    const Block block = *best;
    kept_.erase(best);
    kept_size_ -= block.byte_size;
    Use(block.byte_size);
    return block;
  }
  DropKept(byte_size);
  kept_.reserve(block_count_ + 1);
  auto* bytes = static_cast<std::byte*>(::operator new(static_cast<size_t>(byte_size), kAlignment));
  AskForHugePages(bytes, static_cast<size_t>(byte_size));
  ++block_count_;
  Use(byte_size);
  return {bytes, byte_size};
}

void ScratchPool::Give(const Block& block) {
  const BriefLock lock(mutex_);
  in_use_ -= block.byte_size;
  if (!Fits(block.byte_size)) {
    --block_count_;
    return Free(block);
  }
  kept_.push_back({block.bytes, block.byte_size, std::this_thread::get_id()});
  kept_size_ += block.byte_size;
}

int64_t ScratchPool::most_in_use() {
  const BriefLock lock(mutex_);
  return most_in_use_;
}

void ScratchPool::Use(int64_t byte_size) {
  in_use_ += byte_size;
  most_in_use_ = std::max(most_in_use_, in_use_);
}

void ScratchPool::DropKept(int64_t byte_size) {
  while (!kept_.empty() && !Fits(byte_size)) {
    kept_size_ -= kept_.back().byte_size;
    Free(kept_.back());
    kept_.pop_back();
    --block_count_;
  }
}

}  // namespace hlo

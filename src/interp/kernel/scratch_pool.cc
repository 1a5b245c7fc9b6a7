// A request is met by the smallest kept block that holds it and is not more than twice as large.
#include "interp/kernel/scratch_pool.h"

#include <algorithm>
#include <new>

#include "support/huge_pages.h"

namespace hlo {
namespace {

constexpr std::align_val_t kAlignment{64};

void Free(std::byte* bytes) { ::operator delete(bytes, kAlignment); }

}  // namespace

ScratchPool::~ScratchPool() {
  for (const auto& [size, bytes] : kept_) Free(bytes);
}

void ScratchPool::set_limit(int64_t byte_size) {
  const std::lock_guard lock(mutex_);
  limit_ = byte_size;
  DropKept(0);
}

void ScratchPool::MakeRoom(int64_t byte_size) {
  const std::lock_guard lock(mutex_);
  DropKept(byte_size);
}

std::byte* ScratchPool::Take(int64_t byte_size) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.lower_bound(byte_size);
  if (found != kept_.end() && found->first / 2 <= byte_size) {
    const auto [size, bytes] = *found;
    kept_.erase(found);
    kept_size_ -= size;
    in_use_ += size;
    if (size > byte_size) larger_sizes_[bytes] = size;
    return bytes;
  }
  DropKept(byte_size);
  auto* bytes = static_cast<std::byte*>(::operator new(static_cast<size_t>(byte_size), kAlignment));
  AskForHugePages(bytes, static_cast<size_t>(byte_size));
  in_use_ += byte_size;
  return bytes;
}

void ScratchPool::Give(std::byte* bytes, int64_t byte_size) {
  const std::lock_guard lock(mutex_);
  if (const auto found = larger_sizes_.find(bytes); found != larger_sizes_.end()) {
    byte_size = found->second;
    larger_sizes_.erase(found);
  }
  in_use_ -= byte_size;
  if (in_use_ + kept_size_ > limit_ - std::min(limit_, byte_size)) return Free(bytes);
  kept_.emplace(byte_size, bytes);
  kept_size_ += byte_size;
}

void ScratchPool::DropKept(int64_t byte_size) {
  while (!kept_.empty() && in_use_ + kept_size_ > limit_ - std::min(limit_, byte_size)) {
    kept_size_ -= kept_.begin()->first;
    Free(kept_.begin()->second);
    kept_.erase(kept_.begin());
  }
}

}  // namespace hlo

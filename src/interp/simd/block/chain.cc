// For each tile links learn where their arrays are; then the kernels take group after group through
// all of them. The last elements, which fill no group, are one with those before them, which are
// made again, or go through copies of their arrays that fill one.
#include "interp/simd/block/chain.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace hlo::simd {
namespace {

bool IsOfTile(Chain::Spread spread) {
  return spread == Chain::Spread::kElements || spread == Chain::Spread::kPeriod;
}

}  // namespace

Chain::Chain(const ChainKernels& kernels, std::vector<Link> links, std::vector<Fold> folds,
             int64_t row_length, int64_t buffer_count)
    : kernels_(kernels),
      links_(std::move(links)),
      folds_(std::move(folds)),
      row_length_(row_length),
      buffer_count_(buffer_count) {
  for (const Link& link : links_) {
    streams_ |= link.stream != nullptr;
    int64_t copy = kNoCopy;
    if (IsOfTile(link.spread) && link.fetch_distance == 0) {
      copy = copy_count_;
      for (size_t i = 0; i < copies_.size(); ++i) {
        if (copies_[i] != kNoCopy && links_[i].place == link.place) copy = copies_[i];
      }
      copy_count_ = std::max(copy_count_, copy + 1);
    }
    copies_.push_back(copy);
  }
}

int64_t Chain::room_byte_size() const {
  return (buffer_count_ + copy_count_ + std::ssize(folds_)) * kMaxGroupByteSize;
}

void Chain::Bind(const TileArrays& arrays, const Tile& tile, std::byte* room,
                 ChainLink* bound) const {
  constexpr uintptr_t kLine = 64;
  for (const Link& link : links_) {
    ChainLink& to = *bound++;
    to = {link.function, nullptr, -1};
    if (link.spread == Spread::kNone) continue;
    const bool is_buffer = link.spread == Spread::kBuffer;
    to.at = is_buffer ? room + link.place.at * kMaxGroupByteSize : arrays.Address(link.place, tile);
    to.at += link.fetch_distance * link.place.element_size;
    if (!IsOfTile(link.spread)) to.mask = 0;
    if (link.stream == nullptr) continue;
    const auto row_size = static_cast<uintptr_t>(row_length_ * link.place.element_size);
    const bool is_aligned = (reinterpret_cast<uintptr_t>(to.at) | row_size) % kLine == 0;
    if (is_aligned) to.function = link.stream;
  }
}

void Chain::Run(const TileArrays& arrays, const Tile& tile, std::byte* room) const {
  std::array<ChainLink, kMaxLinks> bound;
  Bind(arrays, tile, room, bound.data());
  const bool has_rest = (RestOf(tile.count) | RestOf(row_length_)) != 0;
  const bool can_repeat = has_rest && CanRepeat(bound.data());
  if (row_length_ == 0) return RunGroups(bound.data(), tile.count, can_repeat, room);
  for (int64_t row = 0; row * row_length_ < tile.count; ++row) {
    if (folds_.empty()) {
      RunGroups(bound.data(), std::min(row_length_, tile.count - row * row_length_), can_repeat,
                room);
    } else {
      RunFolds(bound.data(), arrays, tile, row, room);
    }
    for (size_t i = 0; i < links_.size(); ++i) {
      const TilePlace& place = links_[i].place;
      const int64_t stride = place.row_stride.value_or(row_length_);
      if (links_[i].spread == Spread::kElements) bound[i].at += stride * place.element_size;
      if (links_[i].spread == Spread::kRow) bound[i].at += place.element_size;
    }
  }
}

// The elements of a fold's link that fill no group.
std::byte* Chain::CopyOf(const Fold& fold, std::byte* room) const {
  return room + (buffer_count_ + copy_count_ + (&fold - folds_.data())) * kMaxGroupByteSize;
}

void Chain::RunFolds(const ChainLink* bound, const TileArrays& arrays, const Tile& tile,
                     int64_t row, std::byte* room) const {
  const auto lanes_of = [&](const Fold& fold) { return room + fold.buffer * kMaxGroupByteSize; };
  const auto run = [&](const ChainLink* links) {
    for (const Fold& fold : folds_) kernels_.start_fold(fold.opcode, lanes_of(fold));
    RunGroups(links, row_length_, /*can_repeat=*/false, room);
    bool is_right = true;
    for (const Fold& fold : folds_) {
      const auto* init = reinterpret_cast<const float*>(arrays.Address(fold.init, tile));
      auto* results = reinterpret_cast<float*>(arrays.Address(fold.result, tile));
      is_right &= kernels_.finish_fold(fold.opcode, lanes_of(fold),
                                       reinterpret_cast<const float*>(CopyOf(fold, room)),
                                       RestOf(row_length_), *init, results + row);
    }
    return is_right;
  };
  if (run(bound)) return;
  std::array<ChainLink, kMaxLinks> exact;
  std::copy_n(bound, links_.size(), exact.begin());
  for (const Fold& fold : folds_) exact[fold.link].function = kernels_.exact_fold(fold.opcode);
  run(exact.data());
}

// Whether elements may be made again: nothing is written where something was read, as where a
// result has the memory of an operand, nor in whole lines that begin a group.
bool Chain::CanRepeat(const ChainLink* bound) const {
  for (size_t i = 0; i < links_.size(); ++i) {
    if (!links_[i].is_store) continue;
    if (bound[i].function != links_[i].function) return false;
    for (size_t k = 0; k < i; ++k) {
      if (!links_[k].is_store && bound[k].at == bound[i].at) return false;
    }
  }
  return true;
}

void Chain::RunGroups(const ChainLink* bound, int64_t count, bool can_repeat,
                      std::byte* room) const {
  const int64_t whole = count - RestOf(count);
  kernels_.run(bound, 0, whole);
  if (whole == count) return;
  if (can_repeat && whole > 0) return kernels_.run(bound, count - kernels_.group_size, count);
  RunRest(bound, whole, count - whole, room);
}

void Chain::RunRest(const ChainLink* bound, int64_t first, int64_t count, std::byte* room) const {
  // Of all types numbers near 1, so that no function meets what it is slow for.
  constexpr int kFilling = 0x3f;
  std::array<ChainLink, kMaxLinks> own;
  std::byte* copies = room + buffer_count_ * kMaxGroupByteSize;
  const auto size_of = [&](size_t i) {
    return static_cast<size_t>(count * links_[i].place.element_size);
  };
  std::memset(copies, kFilling, static_cast<size_t>(copy_count_ * kMaxGroupByteSize));
  int64_t copy_count = 0;  // so many copies are there
  for (size_t i = 0; i < links_.size(); ++i) {
    own[i] = bound[i];
    if (copies_[i] == kNoCopy) continue;
    own[i] = {links_[i].function, copies + copies_[i] * kMaxGroupByteSize, -1};
    if (copies_[i] < copy_count) continue;
    ++copy_count;
    if (links_[i].is_store) continue;
    std::memcpy(own[i].at, bound[i].at + first * links_[i].place.element_size, size_of(i));
  }
  for (const Fold& fold : folds_) {
    own[fold.link] = {kernels_.store(kernels_.type), CopyOf(fold, room), -1};
  }
  kernels_.run(own.data(), 0, kernels_.group_size);
  for (size_t i = 0; i < links_.size(); ++i) {
    if (copies_[i] == kNoCopy || !links_[i].is_store) continue;
    std::memcpy(bound[i].at + first * links_[i].place.element_size, own[i].at, size_of(i));
  }
}

}  // namespace hlo::simd

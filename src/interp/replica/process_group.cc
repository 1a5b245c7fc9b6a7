// Processes are not in step: a packet for a later phase waits in `early_`, one for a phase that is
// over is dropped. Nothing arrives by itself. Who waits polls, at first with nothing but yields
// between, then with rests that grow.
#include "interp/replica/process_group.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace hlo {

std::chrono::microseconds Patience::Next() {
  constexpr int kYields = 50;
  constexpr int kDoublings = 4;
  if (++rounds_ <= kYields) return std::chrono::microseconds(0);
  return std::chrono::microseconds(16 << std::min(rounds_ - kYields, kDoublings));
}

PacketWriter ProcessGroup::NewPacket(Phase phase) {
  PacketWriter writer;
  writer.Add(phase.number);
  return writer;
}

ProcessGroup::Incoming::Incoming(ProcessLink::Arrived arrived)
    : arrived_(std::make_shared<const ProcessLink::Arrived>(std::move(arrived))),
      reader_(arrived_->bytes),
      phase_(reader_.Take<int64_t>()) {}

std::optional<ProcessGroup::Incoming> ProcessGroup::Poll(Phase phase) {
  std::deque<Incoming>& early = early_[phase.number];
  if (!early.empty()) {
    Incoming next = std::move(early.front());
    early.pop_front();
    return next;
  }
  early_.erase(early_.begin(), early_.find(phase.number));
  while (std::optional<ProcessLink::Arrived> arrived = link_->Receive()) {
    Incoming incoming(*std::move(arrived));
    if (incoming.phase() == phase.number) return incoming;
    // What is left of a phase that is over, such as a sign of life, is nothing to anybody.
    if (incoming.phase() > phase.number) early_[incoming.phase()].push_back(std::move(incoming));
  }
  return std::nullopt;
}

ProcessGroup::Incoming ProcessGroup::Await(Phase phase) {
  for (Patience patience;;) {
    if (std::optional<Incoming> incoming = Poll(phase)) return *std::move(incoming);
    const std::chrono::microseconds rest = patience.Next();
    if (rest.count() == 0) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(rest);
    }
  }
}

std::vector<ProcessGroup::Incoming> ProcessGroup::GatherPackets(Phase phase, SharedPacket own) {
  if (!is_first()) {
    Post(0, std::move(own));
    return {};
  }
  std::vector<std::optional<Incoming>> packets(static_cast<size_t>(size()));
  packets[0].emplace(ProcessLink::Arrived{0, *own});
  for (int64_t i = 1; i < size(); ++i) {
    Incoming incoming = Await(phase);
    packets[static_cast<size_t>(incoming.from())] = std::move(incoming);
  }
  std::vector<Incoming> result;
  for (std::optional<Incoming>& packet : packets) result.push_back(*std::move(packet));
  return result;
}

ProcessGroup::Incoming ProcessGroup::SpreadPacket(Phase phase, SharedPacket own) {
  if (!is_first()) return Await(phase);
  for (int64_t to = 1; to < size(); ++to) Post(to, own);
  return Incoming(ProcessLink::Arrived{0, *own});
}

}  // namespace hlo

// One device as kernels see it: what an instruction can read or change besides its operands.
#ifndef HLOKIT_INTERP_KERNEL_DEVICE_H_
#define HLOKIT_INTERP_KERNEL_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "interp/kernel/evaluation.h"
#include "interp/kernel/scratch_pool.h"
#include "interp/kernel/transport.h"
#include "ir/literal.h"
#include "support/thread_pool.h"

namespace hlo {

// What a custom-call target does: reads the operands and writes the results of `e`.
using CustomCallFunction = std::function<absl::Status(Evaluation& e)>;

// Targets that a program adds to the built-in ones; they win over these.
class CustomCallRegistry {
 public:
  void Register(std::string_view target, CustomCallFunction function) {
    functions_.insert_or_assign(std::string(target), std::move(function));
  }
  // Null when nobody registered `target`.
  const CustomCallFunction* Find(std::string_view target) const {
    auto found = functions_.find(target);
    return found == functions_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, CustomCallFunction, std::less<>> functions_;
};

// A 128-bit counter as two words.
struct RandomCounter {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const RandomCounter&) const = default;
};

class DeviceContext {
 public:
  static constexpr uint64_t kDefaultSeed = 42;

  // The seed of rng instructions (semantics.md 12.5).
  uint64_t seed() const { return seed_; }
  void set_seed(uint64_t seed) { seed_ = seed; }

  // The counter that all random instructions of the device share: returns its value and adds
  // `delta` (semantics.md 12.4).
  RandomCounter AdvanceRandomCounter(uint64_t delta) {
    RandomCounter old = random_counter_;
    random_counter_.low += delta;
    random_counter_.high += random_counter_.low < delta;
    return old;
  }
  // Back to the state before the first run.
  void ResetRandomCounter() { random_counter_ = {kInitialCounter, 0}; }

  // Where the device stands in the process grid (semantics.md 14.1).
  int64_t replica_id() const { return replica_id_; }
  int64_t partition_id() const { return partition_id_; }
  void set_ids(int64_t replica_id, int64_t partition_id) {
    replica_id_ = replica_id;
    partition_id_ = partition_id;
  }

  // How the device reaches the others that run the same program (transport.h), and which of them it
  // is; null: it is alone.
  Transport* transport() const { return transport_; }
  int64_t participant() const { return participant_; }
  void set_transport(Transport* transport, int64_t participant) {
    transport_ = transport;
    participant_ = participant;
  }

  // Transfers between devices that were begun: their numbers, from 1 on, travel in the contexts of
  // send and recv, through loops too.
  uint32_t AddTransfer(const PendingTransfer& transfer) {
    uint32_t number = 1;
    while (transfers_.contains(number)) ++number;
    transfers_.emplace(number, transfer);
    return number;
  }
  // Nothing when there is none of that number.
  std::optional<PendingTransfer> TakeTransfer(uint32_t number) {
    auto found = transfers_.find(number);
    if (found == transfers_.end()) return std::nullopt;
    const PendingTransfer transfer = found->second;
    transfers_.erase(found);
    return transfer;
  }

  // Queues from and to the host (semantics.md 14.4, 14.5). Infeed and recv take from the front,
  // outfeed and send append. Host channels are found by channel id.
  std::deque<Literal>& infeed() { return infeed_; }
  const std::deque<Literal>& infeed() const { return infeed_; }
  std::vector<Literal>& outfeed() { return outfeed_; }
  const std::vector<Literal>& outfeed() const { return outfeed_; }
  std::deque<Literal>& from_host(int64_t channel) { return from_host_[channel]; }
  const std::map<int64_t, std::deque<Literal>>& all_from_host() const { return from_host_; }
  std::vector<Literal>& to_host(int64_t channel) { return to_host_[channel]; }
  const std::map<int64_t, std::vector<Literal>>& all_to_host() const { return to_host_; }
  void ClearQueues() {
    infeed_.clear();
    outfeed_.clear();
    from_host_.clear();
    to_host_.clear();
    transfers_.clear();
  }

  CustomCallRegistry& custom_calls() { return custom_calls_; }
  // Whether custom calls that nobody implements give zeros instead of failing.
  bool zeros_for_unknown_calls() const { return zeros_for_unknown_calls_; }
  void set_zeros_for_unknown_calls(bool enabled) { zeros_for_unknown_calls_ = enabled; }
  // What whoever meets such a call can do about it, for the message.
  std::string_view advice_for_unknown_calls() const { return advice_for_unknown_calls_; }
  void set_advice_for_unknown_calls(std::string_view advice) { advice_for_unknown_calls_ = advice; }

  // The most iterations one execution of a while loop may take; negative: no limit.
  int64_t max_iterations() const { return max_iterations_; }
  void set_max_iterations(int64_t count) { max_iterations_ = count; }

  // The most work one run may do (plan.h, Step::work); negative: no limit.
  int64_t max_work() const { return max_work_; }
  void set_max_work(int64_t work) { max_work_ = work; }

  // The threads that kernels may spread over; null: only the one that runs the program. Results do
  // not depend on it. The pool must outlive the runs.
  ThreadPool* thread_pool() const { return thread_pool_; }
  void set_thread_pool(ThreadPool* pool) { thread_pool_ = pool; }

  // What kernels need besides their arrays while they run.
  ScratchPool& scratch() const { return scratch_; }
  // A little of it for what a step of the program's own thread holds for a moment, where kernels
  // may count on finding it again.
  static constexpr int64_t kMomentaryByteSize = 8 << 10;
  std::byte* momentary() { return momentary_; }

  // Asks a running program to stop before its next step, or inside a long one; safe in a signal
  // handler.
  void Interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  bool is_interrupted() const { return interrupted_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kInitialCounter = 0x7012395;

  uint64_t seed_ = kDefaultSeed;
  RandomCounter random_counter_ = {kInitialCounter, 0};
  int64_t replica_id_ = 0;
  int64_t partition_id_ = 0;
  Transport* transport_ = nullptr;
  int64_t participant_ = 0;
  std::map<uint32_t, PendingTransfer> transfers_;
  std::deque<Literal> infeed_;
  std::vector<Literal> outfeed_;
  std::map<int64_t, std::deque<Literal>> from_host_;
  std::map<int64_t, std::vector<Literal>> to_host_;
  CustomCallRegistry custom_calls_;
  bool zeros_for_unknown_calls_ = false;
  std::string advice_for_unknown_calls_ =
      "CustomCallRegistry::Register supplies a function of that name";
  int64_t max_iterations_ = -1;
  int64_t max_work_ = -1;
  ThreadPool* thread_pool_ = nullptr;
  mutable ScratchPool scratch_;
  std::atomic<bool> interrupted_ = false;
  alignas(64) std::byte momentary_[kMomentaryByteSize];
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_DEVICE_H_

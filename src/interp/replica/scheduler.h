// Runs the participants of a process and lets them wait.
//
// As long as there are cores for all, each has a thread. More participants share threads, one for
// each core: they have stacks of their own and change places when they wait, which takes a fraction
// of what waking a thread takes. A participant stays on its thread.
#ifndef HLOKIT_INTERP_REPLICA_SCHEDULER_H_
#define HLOKIT_INTERP_REPLICA_SCHEDULER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "absl/status/status.h"

namespace hlo {

class ParticipantScheduler {
 public:
  explicit ParticipantScheduler(int64_t participant_count);
  ~ParticipantScheduler();

  // Calls body(i) for every participant, and `look`, which says when to call it again, on the
  // caller's thread, until all are back. Fails with kResourceExhausted when the system has no
  // threads or stacks for them; then the bodies of those it has none for are not called, and
  // `give_up` is, once.
  absl::Status Run(const std::function<void(int64_t)>& body,
                   const std::function<std::chrono::microseconds()>& look,
                   const std::function<void()>& give_up);

  // Has `look` called soon; from any thread.
  void Hurry();

  // Participant `me` waits, on its own thread, until somebody wakes it. May return early: ask again
  // for what was waited for.
  void Park(int64_t me);
  // Ends participants' present waits, or their next ones.
  void Unpark(std::span<const int64_t> ids);
  void Unpark(int64_t id) { Unpark(std::span(&id, 1)); }

 private:
  struct Participant;
  struct Worker;
  enum State : uint32_t { kRunning, kWoken, kParked };

  void RunThread(Worker& worker);
  void RunShared(Worker& worker);
  static Participant* NextReady(Worker& worker);
  static bool Claim(Participant& participant);
  static void EnterFiber();
  bool MakeFiber(Participant& participant);
  void CountDown();

  const bool is_shared_;  // threads are
  const bool may_spin_;
  const std::function<void(int64_t)>* body_ = nullptr;
  std::vector<Participant> participants_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;
  std::condition_variable all_done_;
  int64_t unfinished_ = 0;
  bool is_hurried_ = false;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_SCHEDULER_H_

// Packets over MPI. The module is loaded on demand: a run without MPI does not pay for its start.
//
// One thread makes all calls. A packet is one message, or several where it is larger than MPI's
// counts allow: their tag says whether more follow. MPI keeps the order of messages between two
// processes, which is all the order that is promised.
#include <mpi.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "interp/replica/process_link.h"

namespace hlo {
namespace {

constexpr size_t kMaxMessageByteSize = size_t{1} << 30;
constexpr int kLast = 0;
constexpr int kMoreFollows = 1;

class MpiLink final : public ProcessLink {
 public:
  MpiLink() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    begun_.resize(static_cast<size_t>(size_));
  }
  ~MpiLink() override {
    while (!sending_.empty() || HasOutgoing()) MoveOutgoing();
    MPI_Comm_free(&comm_);
    MPI_Finalize();
  }

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void Send(int64_t to, SharedPacket packet) override {
    std::lock_guard lock(mutex_);
    outgoing_.push_back({static_cast<int>(to), std::move(packet)});
  }

  std::optional<Arrived> Receive() override {
    MoveOutgoing();
    for (;;) {
      int has_message = 0;
      MPI_Message message;
      MPI_Status status;
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &has_message, &message, &status);
      if (has_message == 0) return std::nullopt;
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      PacketBytes& bytes = begun_[static_cast<size_t>(status.MPI_SOURCE)];
      const size_t at = bytes.size();
      bytes.resize(at + static_cast<size_t>(count));
      MPI_Mrecv(bytes.data() + at, count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      if (status.MPI_TAG == kLast) return Arrived{status.MPI_SOURCE, std::exchange(bytes, {})};
    }
  }

  void Abort(int exit_code) override { MPI_Abort(comm_, exit_code); }

 private:
  struct Outgoing {
    int to;
    SharedPacket packet;
  };
  struct Sending {
    MPI_Request request;
    SharedPacket packet;
  };

  bool HasOutgoing() {
    std::lock_guard lock(mutex_);
    return !outgoing_.empty();
  }

  void MoveOutgoing() {
    std::deque<Outgoing> outgoing;
    {
      std::lock_guard lock(mutex_);
      outgoing.swap(outgoing_);
    }
    for (const Outgoing& next : outgoing) Begin(next);
    std::erase_if(sending_, [](Sending& sending) {
      int is_done = 0;
      MPI_Test(&sending.request, &is_done, MPI_STATUS_IGNORE);
      return is_done != 0;
    });
  }

  void Begin(const Outgoing& next) {
    const PacketBytes& bytes = *next.packet;
    size_t at = 0;
    do {
      const size_t count = std::min(kMaxMessageByteSize, bytes.size() - at);
      Sending& sending = sending_.emplace_back(Sending{MPI_REQUEST_NULL, next.packet});
      const int tag = at + count < bytes.size() ? kMoreFollows : kLast;
      MPI_Isend(bytes.data() + at, static_cast<int>(count), MPI_BYTE, next.to, tag, comm_,
                &sending.request);
      at += count;
    } while (at < bytes.size());
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::mutex mutex_;
  std::deque<Outgoing> outgoing_;  // under `mutex_`
  std::deque<Sending> sending_;
  std::vector<PacketBytes> begun_;  // by rank: what has come of a packet
};

}  // namespace
}  // namespace hlo

extern "C" __attribute__((visibility("default"))) hlo::ProcessLink* HlokitOpenProcessLink(
    std::string* why_not) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    *why_not = "MPI does not go together with threads here";
    return nullptr;
  }
  return new hlo::MpiLink();
}

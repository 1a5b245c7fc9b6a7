#include "testing/local_processes.h"

#include <deque>
#include <mutex>
#include <utility>

#include "support/check.h"

namespace hlo::testing {
namespace {

struct Inbox {
  std::mutex mutex;
  std::deque<ProcessLink::Arrived> packets;
};
using Inboxes = std::vector<Inbox>;

class LocalLink final : public ProcessLink {
 public:
  LocalLink(int64_t rank, std::shared_ptr<Inboxes> inboxes)
      : rank_(rank), inboxes_(std::move(inboxes)) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return static_cast<int64_t>(inboxes_->size()); }

  void Send(int64_t to, SharedPacket packet) override {
    Inbox& inbox = (*inboxes_)[static_cast<size_t>(to)];
    std::lock_guard lock(inbox.mutex);
    inbox.packets.push_back({rank_, *packet});
  }

  std::optional<Arrived> Receive() override {
    Inbox& inbox = (*inboxes_)[static_cast<size_t>(rank_)];
    std::lock_guard lock(inbox.mutex);
    if (inbox.packets.empty()) return std::nullopt;
    Arrived next = std::move(inbox.packets.front());
    inbox.packets.pop_front();
    return next;
  }

  void Abort(int) override { HLO_UNREACHABLE(); }

 private:
  const int64_t rank_;
  const std::shared_ptr<Inboxes> inboxes_;
};

}  // namespace

std::vector<std::unique_ptr<ProcessLink>> LinkLocalProcesses(int64_t count) {
  const auto inboxes = std::make_shared<Inboxes>(static_cast<size_t>(count));
  std::vector<std::unique_ptr<ProcessLink>> links;
  for (int64_t rank = 0; rank < count; ++rank) {
    links.push_back(std::make_unique<LocalLink>(rank, inboxes));
  }
  return links;
}

}  // namespace hlo::testing

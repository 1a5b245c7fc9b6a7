// Packets between the processes of a run, whatever carries them. The interface is all that hlo-run
// and a module loaded at run time (mpi_link.cc) have in common, so it speaks in standard types
// only.
#ifndef HLOKIT_INTERP_REPLICA_PROCESS_LINK_H_
#define HLOKIT_INTERP_REPLICA_PROCESS_LINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hlo {

using PacketBytes = std::vector<std::byte>;
// One packet may go to several processes.
using SharedPacket = std::shared_ptr<const PacketBytes>;

// What the processes of a team do together with the carrier's own means.
struct TeamJob {
  enum class Kind : uint8_t { kReduce, kGather, kBroadcast };
  enum class Reduction : uint8_t { kSum, kProduct, kMin, kMax, kAnd, kOr, kXor };
  enum class Number : uint8_t { kS8, kS16, kS32, kS64, kU8, kU16, kU32, kU64 };

  // Parts are multiples of so many bytes.
  static constexpr size_t kUnit = 64;

  // The same in all processes of the team.
  Kind kind = Kind::kGather;
  Reduction reduction = Reduction::kSum;  // kReduce, as the next two
  Number number = Number::kU8;
  int64_t count = 0;
  int64_t root = 0;                  // kBroadcast: which process of the team
  std::vector<int64_t> unit_counts;  // of the parts, by process of the team

  int64_t team = 0;
  // kReduce: this process's numbers, and then the results. kGather: all parts, behind each other,
  // of which this process has its own before. kBroadcast: the root's part, which it has before.
  std::unique_ptr<std::byte[]> bytes;

  // Where the part of process `index` of the team begins in what is gathered, in units.
  int64_t UnitStart(size_t index) const {
    return std::accumulate(unit_counts.begin(), unit_counts.begin() + static_cast<ptrdiff_t>(index),
                           int64_t{0});
  }
};

class ProcessLink {
 public:
  struct Arrived {
    int64_t from = 0;
    PacketBytes bytes;
  };

  // Ends the process's part; waits for the others to do the same.
  virtual ~ProcessLink() = default;

  // Processes are numbered from 0 on.
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;

  // Sends without waiting, from any thread. What one process sends another arrives in this order.
  virtual void Send(int64_t to, SharedPacket packet) = 0;

  // Moves on what is on its way, and returns the next packet that has arrived. Only for the thread
  // that made the link.
  virtual std::optional<Arrived> Receive() = 0;

  // The number of the team of these processes, in ascending order; -1: the carrier has none. Every
  // process asks for the same ones in the same order, also for those that it is not in. May wait
  // for the others of the team. For the thread that made the link, as the next two.
  virtual int64_t FindTeam(std::span<const int64_t> /*ranks*/) { return -1; }
  // Begins a job without waiting; all of the team begin its jobs in the same order.
  virtual void Start(std::shared_ptr<TeamJob> /*job*/) {}
  // Moves jobs on, and gives one that was begun and is done; null: there is none.
  virtual std::shared_ptr<TeamJob> NextDone() { return nullptr; }

  // Ends all processes, now, with this exit code.
  virtual void Abort(int exit_code) = 0;
};

// What a module for links has under the name kOpenLinkName: makes the link of this process. Null
// when that fails, and then says why.
using OpenProcessLink = ProcessLink* (*)(std::string* why_not);
inline constexpr char kOpenLinkName[] = "HlokitOpenProcessLink";

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_PROCESS_LINK_H_

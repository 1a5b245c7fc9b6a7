// Packets between the processes of a run, whatever carries them. The interface is all that hlo-run
// and a module loaded at run time (mpi_link.cc) have in common, so it speaks in standard types
// only.
#ifndef HLOKIT_INTERP_REPLICA_PROCESS_LINK_H_
#define HLOKIT_INTERP_REPLICA_PROCESS_LINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hlo {

using PacketBytes = std::vector<std::byte>;
// One packet may go to several processes.
using SharedPacket = std::shared_ptr<const PacketBytes>;

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

  // Ends all processes, now, with this exit code.
  virtual void Abort(int exit_code) = 0;
};

// What a module for links has under the name kOpenLinkName: makes the link of this process. Null
// when that fails, and then says why.
using OpenProcessLink = ProcessLink* (*)(std::string* why_not);
inline constexpr char kOpenLinkName[] = "HlokitOpenProcessLink";

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_PROCESS_LINK_H_

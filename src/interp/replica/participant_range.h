// The participants that one process of a run has: a block of neighbours.
#ifndef HLOKIT_INTERP_REPLICA_PARTICIPANT_RANGE_H_
#define HLOKIT_INTERP_REPLICA_PARTICIPANT_RANGE_H_

#include <cstddef>
#include <cstdint>

#include "ir/participant_groups.h"

namespace hlo {

struct ParticipantRange {
  ParticipantId first = 0;
  int64_t count = 0;

  ParticipantId end() const { return first + count; }
  bool Contains(ParticipantId id) const { return id >= first && id < end(); }
  size_t IndexOf(ParticipantId id) const { return static_cast<size_t>(id - first); }
};

// Block `process` of `process_count` nearly equal ones. Process 0 has a participant when anybody
// has.
inline ParticipantRange BlockOf(int64_t process, int64_t process_count, int64_t participant_count) {
  const auto begin = [&](int64_t p) {
    return (p * participant_count + process_count - 1) / process_count;
  };
  return {begin(process), begin(process + 1) - begin(process)};
}

// The process whose block `id` is in.
inline int64_t ProcessOf(ParticipantId id, int64_t process_count, int64_t participant_count) {
  return id * process_count / participant_count;
}

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_PARTICIPANT_RANGE_H_

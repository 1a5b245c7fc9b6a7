// The processes that run programs together (--transport=mpi). All of them do the same in the same
// order; the first one reads the programs, shows what is to be shown and has the exit code.
#ifndef HLOKIT_TOOLS_PROCESSES_H_
#define HLOKIT_TOOLS_PROCESSES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/replica/process_group.h"
#include "ir/literal.h"
#include "support/diagnostic.h"
#include "tools/tool.h"

namespace hlo::tools {

class Processes {
 public:
  // Without a link this process is alone. The session must outlive the object.
  Processes(Session& session, std::unique_ptr<ProcessLink> link);

  // Null: alone.
  ProcessGroup* group() { return group_ ? &*group_ : nullptr; }
  bool is_first() const { return !group_ || group_->is_first(); }
  // How many of so many participants are in this process.
  int64_t LocalCount(int64_t participant_count) const {
    return group_ ? group_->LocalOf(participant_count).count : participant_count;
  }

  // Calls `work` for the session's inputs, in every process.
  void ForEachInput(const std::function<void(InputFile&)>& work);

  // Does `work`, which says whether all is fine, in every process. Of those where it is not, the
  // first one's diagnostics are shown. Returns whether it is fine everywhere.
  bool Agree(DiagnosticSink& sink, const std::function<bool()>& work);

  // Does `work` in every process and shows what it says there, one after the other.
  void InTurn(DiagnosticSink& sink, const std::function<void()>& work);

  // Everybody's `own` literals, which have one shape, in the order of the processes; in the first
  // one. Fails there with kResourceExhausted.
  absl::StatusOr<std::vector<Literal>> Gather(std::vector<Literal> own, const Shape& shape,
                                              int64_t count);

  // Ends all processes, with exit code 2: this one cannot go on, and the others would wait for it.
  // Does nothing where it is alone.
  void Abort(std::string_view message);

 private:
  void Report(const DiagnosticSink& sink, size_t mark);

  Session& session_;
  std::optional<ProcessGroup> group_;
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_PROCESSES_H_

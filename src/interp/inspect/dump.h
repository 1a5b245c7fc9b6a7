// Values of a run as files.
#ifndef HLOKIT_INTERP_INSPECT_DUMP_H_
#define HLOKIT_INTERP_INSPECT_DUMP_H_

#include <re2/re2.h>

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "interp/executor.h"
#include "interp/inspect/loop_path.h"

namespace hlo {

// The names that instructions have as files, without ending: no two are the same, letters of either
// case taken for one. A name is that of the instruction, with `@` and its computation where others
// share it; where names differ in case alone, capital letters are written %xx. What is too long for
// file systems ends in a number made of all of it.
absl::flat_hash_map<InstructionId, std::string> FileNames(const Module& module);

// Writes results of instructions whose name matches as DIR/NAME.npy: NAME as FileNames has it, `#k`
// for the k-th array of a tuple, `+i+j` for the iterations of the loops around it, outermost first
// and from 0, `~n` for the n-th time that it ran there (a computation called from several places).
class Dumper final : public StepObserver {
 public:
  Dumper(const Module& module, std::string_view pattern, std::string directory);

  void BeforeStep(const Step& step, const Evaluation& evaluation) override;
  void BeforeIteration(const Step& loop, int64_t iteration) override;
  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override;

 private:
  const Module& module_;
  RE2 pattern_;
  std::string directory_;
  LoopPath path_;
  absl::flat_hash_map<InstructionId, std::string> names_;  // of those that match
  absl::flat_hash_map<std::string, int64_t> counts_;       // by name with iterations
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_DUMP_H_

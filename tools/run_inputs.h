// The inputs of a run as the command line gives them.
#ifndef HLOKIT_TOOLS_RUN_INPUTS_H_
#define HLOKIT_TOOLS_RUN_INPUTS_H_

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/arguments.h"
#include "ir/literal.h"
#include "ir/module.h"
#include "support/diagnostic.h"
#include "values/cast.h"

namespace hlo::tools {

struct InputOptions {
  std::vector<std::string> inputs;  // --input, in order
  std::string archive;              // --inputs=@args.npz
  std::string literals_file;        // --input_literals_file
  FakeKind fake = FakeKind::kRandom;
  bool is_fake_asked = false;  // --fake was given: whatever is missing is meant to be generated
  uint64_t seed = 42;
  uint64_t max_byte_size = UINT64_MAX;  // of files
  CastRule cast = CastRule::kExact;
  bool are_cut = false;  // --shard-inputs: what is given is cut for the participants
  // Then the shapes of what is given, by parameter, with bounds where it may be smaller; empty:
  // those of the parameters.
  std::vector<Shape> whole_shapes;

  // Whether files are each participant's own.
  bool VariesWithDevice() const;
};

struct Inputs {
  std::vector<Literal> values;     // one for each parameter of the entry computation
  std::vector<std::string> notes;  // what was converted, and what was generated: a line each
};

// The values that were given, and generated ones for the other parameters. What was given and does
// not fit is reported at the parameter; files that cannot be read are a status.
absl::StatusOr<std::optional<Inputs>> MakeInputs(const Module& module, const InputOptions& options,
                                                 DiagnosticSink& sink);

// How arrays of other element types are let in, for messages.
inline constexpr std::string_view kRoundingOption = "--cast=any";

// Where options that name files stand for one file for each participant: the number of its device.
inline constexpr std::string_view kDevicePlaceholder = "{device}";
bool HasDevicePlaceholder(std::string_view text);
std::string WithDevice(std::string_view text, int64_t device);

// The inputs of several participants. What is the same for all is there once.
struct ParticipantInputs {
  std::deque<Literal> literals;
  std::vector<std::vector<const Literal*>> by_participant;
  std::vector<std::string> notes;  // on those of the first one
  bool is_everybodys_own = false;  // some differ with the device
};
// `devices` are the participants' device numbers, one or more. Inputs that do not name files by
// them are everybody's, generated ones too.
absl::StatusOr<std::optional<ParticipantInputs>> MakeParticipantInputs(
    const Module& module, const InputOptions& options, std::span<const int64_t> devices,
    DiagnosticSink& sink);

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_INPUTS_H_

// One instruction of a run as a program of its own.
#ifndef HLOKIT_INTERP_REPRO_H_
#define HLOKIT_INTERP_REPRO_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "ir/module.h"

namespace hlo {

// The arrays that went into an execution of `instruction` and came out, in the order of kernels
// (evaluation.h) and with their sizes at run time.
struct ExecutedInstruction {
  InstructionId instruction;
  std::vector<Literal> operands;
  std::vector<Literal> results;
};

struct Repro {
  std::string text;
  // Arrays too large for the text, by the name of the parameter that takes them.
  std::vector<std::pair<std::string, const Literal*>> parameters;
};

// A module that executes the instruction on these operands: its text and that of what it calls,
// operands of up to `max_constant_elements` as constants, `literal_text` says how. The literals
// must outlive the result. Fails with kUnimplemented for what is no program by itself, as send and
// recv are not.
absl::StatusOr<Repro> MakeRepro(const Module& module, const ExecutedInstruction& executed,
                                int64_t max_constant_elements,
                                const std::function<std::string(const Literal&)>& literal_text);

// The item that an infeed took.
Literal InfeedItem(const Module& module, const ExecutedInstruction& executed);

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPRO_H_

// One instruction of a run as a program of its own.
#ifndef HLOKIT_INTERP_INSPECT_REPRO_H_
#define HLOKIT_INTERP_INSPECT_REPRO_H_

#include <cstdint>
#include <string>
#include <string_view>
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
  Module module;
  // Arrays too large for the text, by the name of the parameter that takes them.
  std::vector<std::pair<std::string, const Literal*>> parameters;
};

// Whether an instruction is a program by itself, given its operands: send and recv are not.
bool CanRunAlone(const Instruction& instruction);

// A module that executes the instruction on these operands, those of up to `max_constant_elements`
// as constants. The literals must outlive the result. Fails with kUnimplemented where CanRunAlone
// says no.
absl::StatusOr<Repro> MakeRepro(const Module& module, const ExecutedInstruction& executed,
                                int64_t max_constant_elements);

// A module whose result is the array `value`, called `name`. The literal must outlive the result.
Repro MakeValueRepro(std::string_view name, const Literal& value, int64_t max_constant_elements);

// The item that an infeed took.
Literal InfeedItem(const Module& module, const ExecutedInstruction& executed);

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_REPRO_H_

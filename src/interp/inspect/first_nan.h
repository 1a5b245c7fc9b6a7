// The first NaN of a run: where it is made, or where one that came from outside is first used.
#ifndef HLOKIT_INTERP_INSPECT_FIRST_NAN_H_
#define HLOKIT_INTERP_INSPECT_FIRST_NAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/executor.h"
#include "interp/inspect/loop_path.h"
#include "interp/inspect/repro.h"
#include "support/diagnostic.h"

namespace hlo {

// What is looked for.
enum class NanKind : uint8_t { kNan, kNanOrInfinity };

// Where the arrays of a plan come from, as far as they are only moved.
class ValueOrigins {
 public:
  // A constant or parameter that holds what is looked for.
  struct Origin {
    InstructionId instruction;
    ArrayRef array;
  };

  // All arguments must outlive the object. `arguments` are those of the run.
  ValueOrigins(const Plan& plan, std::span<const Literal* const> arguments, NanKind kind);

  // The constant or parameter whose NaN instructions that only move elements have brought to
  // `slot`.
  std::optional<Origin> Find(SlotId slot) const;

 private:
  struct Producer {
    const Step* step;
    size_t leaf;  // of its results
  };
  void AddProducers(const Region& region);
  std::optional<Origin> FindIn(SlotId slot, std::vector<BufferId>& seen) const;
  std::optional<Origin> FindMade(const Producer& producer, std::vector<BufferId>& seen) const;
  std::optional<Origin> HeldBy(const Buffer& buffer, const Slot& slot) const;

  const Plan& plan_;
  NanKind kind_;
  std::vector<const Literal*> arguments_;  // array leaves
  absl::flat_hash_map<BufferId, Producer> producers_;
};

// Stops at the first instruction that makes a NaN of operands without any, or that takes one of a
// constant or parameter. Instructions that only move elements (broadcast, gather, pad ...) pass on
// what is there: a NaN that nobody takes is none. `select` takes what it chooses, unless all it
// could choose from is NaN.
class FirstNanFinder final : public StepObserver {
 public:
  using LiteralText = std::function<std::string(const Literal&)>;
  // `plan` and `arguments` must outlive the object. `literal_text` is how messages and programs
  // write constants.
  FirstNanFinder(const Plan& plan, std::span<const Literal* const> arguments, NanKind kind,
                 LiteralText literal_text);

  void BeforeStep(const Step& step, const Evaluation& evaluation) override;
  void BeforeIteration(const Step& loop, int64_t iteration) override;
  // Fails with kDataLoss where a NaN was found.
  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override;

  // Looks at the result of a run that nothing stopped: a NaN that was only moved reaches it.
  void CheckResult(const Literal& result);

  bool found() const { return finding_.has_value(); }
  // Reports what was found: an error with notes about the operands, the origin and the place.
  void Report(DiagnosticSink& sink) const;
  // A program that shows it. Fails with kUnimplemented as MakeRepro does.
  absl::StatusOr<Repro> MakeProgram(int64_t max_constant_elements) const;
  // The instruction with its arrays, and what the program needs besides (repro.h).
  const ExecutedInstruction& executed() const { return finding_->executed; }

 private:
  struct Finding {
    ExecutedInstruction executed;      // of a moved NaN: the root, and the array as its result
    bool is_moved = false;             // no instruction takes it; it reaches the result
    std::optional<size_t> entered_by;  // array leaf of the operands; nothing: it is made here
    std::optional<ValueOrigins::Origin> origin;
    size_t leaf = 0;       // of the results
    int64_t element = -1;  // of that leaf, linear
    bool is_element_by_element = false;
    std::vector<LoopIteration> loops;  // outermost first
  };

  ArrayRef OperandBefore(const Evaluation& evaluation, size_t i) const;
  bool IsElementByElement(const Evaluation& evaluation, const ArrayRef& result) const;
  bool IsFaultyEitherWay(const Evaluation& evaluation, int64_t element) const;
  std::optional<size_t> FaultyOperand(const Evaluation& evaluation, int64_t element) const;
  std::optional<Finding> Examine(const Step& step, const Evaluation& evaluation,
                                 const ArrayRef& result) const;
  absl::Status Keep(const Step& step, const Evaluation& evaluation, Finding finding);
  std::string ElementText(const ArrayRef& array, int64_t element) const;
  std::string ValueText(const Literal& literal) const;
  void ReportOperands(DiagnosticSink& sink, const Instruction& instruction) const;
  void ReportOrigin(DiagnosticSink& sink) const;
  void ReportPlace(DiagnosticSink& sink, const Instruction& instruction) const;

  const Plan& plan_;
  const Module& module_;
  NanKind kind_;
  LiteralText literal_text_;
  ValueOrigins origins_;
  LoopPath path_;
  // Operands that the step may overwrite, by leaf.
  absl::flat_hash_map<size_t, Literal> saved_;
  std::optional<Finding> finding_;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_INSPECT_FIRST_NAN_H_

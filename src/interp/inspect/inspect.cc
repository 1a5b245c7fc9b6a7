// Statistics take one pass over an array, in doubles, and a second one only where the sum of finite
// values is not finite. All observers of a list see a step even when one of them has failed; the
// first failure counts.
#include "interp/inspect/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "interp/inspect/provenance_text.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

ArrayRef Constant(const MutableArrayRef& array) {
  return {array.element_type, array.dims, array.bytes};
}

// Calls `visit` with every real number in the array; complex elements are two.
template <typename Visit>
void ForEachNumber(const ArrayRef& array, const Visit& visit) {
  DispatchElementType<kAnyArray>(array.element_type, [&]<typename T>() {
    for (T element : View<T>(array).elements()) {
      if constexpr ((kTypeClassOf<T> & kComplex) != 0) {
        visit(static_cast<double>(element.real()));
        visit(static_cast<double>(element.imag()));
      } else if constexpr (std::is_same_v<T, double>) {
        visit(element);
      } else if constexpr ((kTypeClassOf<T> & kFloat) != 0) {
        visit(static_cast<double>(static_cast<float>(element)));
      } else if constexpr (std::is_same_v<T, uint64_t>) {
        visit(static_cast<double>(element));
      } else {
        visit(static_cast<double>(static_cast<int64_t>(element)));
      }
    }
  });
}

// The mean of the `finite_count` finite numbers, whose sum is beyond a double.
double MeanOfLarge(const ArrayRef& array, int64_t finite_count) {
  double mean = 0;
  ForEachNumber(array, [&](double value) {
    if (std::isfinite(value)) mean += value / static_cast<double>(finite_count);
  });
  return std::clamp(mean, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
}

// `f32[2,3]` with the sizes at run time.
std::string ArrayText(const ArrayRef& array) {
  return ShapeText(Shape::Array(array.element_type, array.dims));
}

// `+3+0`: the iterations it is in, outermost first.
std::string IterationText(std::span<const LoopIteration> loops) {
  std::string text;
  for (const LoopIteration& loop : loops) text += fmt::format("+{}", loop.iteration);
  return text;
}

}  // namespace

ArrayStatistics MakeStatistics(const ArrayRef& array) {
  ArrayStatistics statistics;
  statistics.min = std::numeric_limits<double>::infinity();
  statistics.max = -statistics.min;
  double sum = 0;
  int64_t finite_count = 0;
  ForEachNumber(array, [&](double value) {
    ++statistics.count;
    if (std::isnan(value)) {
      ++statistics.nan_count;
    } else if (std::isinf(value)) {
      ++statistics.infinity_count;
    } else {
      ++finite_count;
      sum += value;
      statistics.min = std::min(statistics.min, value);
      statistics.max = std::max(statistics.max, value);
    }
  });
  if (finite_count == 0) statistics.min = statistics.max = std::nan("");
  statistics.mean = sum / static_cast<double>(finite_count);
  if (finite_count > 0 && !std::isfinite(sum)) statistics.mean = MeanOfLarge(array, finite_count);
  return statistics;
}

absl::StatusOr<Literal> ToLiteral(const ArrayRef& array) {
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(Shape::ArrayWithDefaultLayout(
                                            array.element_type, array.dims)));
  std::memcpy(literal.bytes(), array.bytes, static_cast<size_t>(array.byte_size()));
  return literal;
}

absl::StatusOr<Literal> ToLiteral(const MutableArrayRef& array) {
  return ToLiteral(Constant(array));
}

bool Matches(const RE2& pattern, std::string_view name) {
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), pattern);
}

void ObserverList::BeforeStep(const Step& step, const Evaluation& evaluation) {
  for (StepObserver* observer : observers_) observer->BeforeStep(step, evaluation);
}

void ObserverList::BeforeIteration(const Step& loop, int64_t iteration) {
  for (StepObserver* observer : observers_) observer->BeforeIteration(loop, iteration);
}

absl::Status ObserverList::AfterStep(const Step& step, const Evaluation& evaluation) {
  absl::Status status;
  for (StepObserver* observer : observers_) status.Update(observer->AfterStep(step, evaluation));
  return status;
}

Tracer::Tracer(const Module& module, std::string_view pattern, Write write)
    : module_(module), pattern_(std::string(pattern)), write_(std::move(write)) {}

void Tracer::BeforeStep(const Step& step, const Evaluation&) { path_.BeforeStep(step); }

void Tracer::BeforeIteration(const Step&, int64_t iteration) { path_.BeforeIteration(iteration); }

absl::Status Tracer::AfterStep(const Step& step, const Evaluation& evaluation) {
  path_.AfterStep(step);
  const Instruction& instruction = module_.instruction(step.instruction);
  if (!Matches(pattern_, instruction.name)) return absl::OkStatus();
  for (const MutableArrayRef& result : evaluation.results()) {
    ArrayStatistics statistics = MakeStatistics(Constant(result));
    write_(fmt::format("{}{} = {} {}  min {:.6g} max {:.6g} mean {:.6g} nan {} inf {}{}\n",
                       instruction.name, IterationText(path_.loops()), ArrayText(Constant(result)),
                       OpcodeName(instruction.opcode), statistics.min, statistics.max,
                       statistics.mean, statistics.nan_count, statistics.infinity_count,
                       ProvenanceText(module_, instruction)));
  }
  return absl::OkStatus();
}

}  // namespace hlo

// The parameters and the result of a called computation, and the form a reducer has
// (verifier.md 3.9).
#ifndef HLOKIT_INFERENCE_SIGNATURE_H_
#define HLOKIT_INFERENCE_SIGNATURE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/op_view.h"
#include "support/diagnostic.h"

namespace hlo {

struct Signature {
  const Computation* computation = nullptr;
  std::vector<const Shape*> parameters;
  const Shape* result = nullptr;

  int64_t parameter_count() const { return static_cast<int64_t>(parameters.size()); }
  const Shape& parameter(int64_t i) const { return *parameters[i]; }
  std::string_view name() const { return computation->name; }
};

// The signature of computation `id`. Nothing when the computation, its root, or a parameter is
// missing or has no shape: that has been reported where it belongs.
std::optional<Signature> SignatureOf(const OpView& op, ComputationId id);

template <Attr kAttr>
std::optional<Signature> SignatureOf(const OpView& op) {
  return SignatureOf(op, op.Get<kAttr>());
}

// Whether `shape` is a scalar of `type`, or of another float type where that is one.
bool IsScalarOf(const Shape& shape, ElementType type);

// What a reduction brings to its reducer.
struct ReducerUse {
  struct Input {
    ElementType type;        // of the elements that are combined
    Shape init;              // what the accumulator starts from
    SourceRange init_range;  // the operand that gives it
  };
  Attr attr = Attr::kToApply;
  Rule mismatch_rule;  // when the reducer is one for other inputs altogether
  std::vector<Input> inputs;

  int64_t count() const { return static_cast<int64_t>(inputs.size()); }
};

// The reducer f(accumulators..., inputs...) -> accumulators fits the use. Reported as reducer.*
// or under the use's own rule.
bool CheckReducer(const OpView& op, const Signature& reducer, const ReducerUse& use,
                  DiagnosticSink& sink);

// The element `i` of what the reducer returns, which need not be a tuple for i = 0.
const Shape& ReducerResult(const Signature& reducer, int64_t i);

}  // namespace hlo

#endif  // HLOKIT_INFERENCE_SIGNATURE_H_

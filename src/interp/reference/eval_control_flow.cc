// custom-call: targets the program registered come first, then the built-in ones, each of which is
// a kernel that prepares by itself.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interp/kernel/device.h"
#include "interp/reference/converted_array.h"
#include "interp/reference/custom_calls/custom_calls.h"
#include "interp/reference/elementwise.h"
#include "interp/reference/eval.h"
#include "interp/reference/set_result.h"
#include "interp/reference/strided.h"
#include "ir/element_traits.h"
#include "support/status_macros.h"

namespace hlo::reference {
namespace {

void ZeroResult(Evaluation& e, size_t i) {
  std::memset(e.result(i).bytes, 0, static_cast<size_t>(e.result(i).byte_size()));
}

// Results are the operands: markers, and moves between memories. Targets that reshape data over
// devices are the identity as long as the shapes say that one device holds everything.
absl::Status Identity(Evaluation& e) {
  if (e.operands().size() < e.results().size()) {
    return absl::InvalidArgumentError("it has fewer operands than results");
  }
  for (size_t i = 0; i < e.results().size(); ++i) {
    const std::span<const int64_t> dims = e.operand(i).dims;
    if (dims.size() != e.result(i).dims.size() || !EnsureResultDims(e, i, dims).ok()) {
      return absl::FailedPreconditionError(
          "operand and result have different shapes, and one device is running");
    }
    HLO_RETURN_IF_ERROR(SetResult(e, e.operand(i), i));
  }
  return absl::OkStatus();
}

// Contents are undefined; the reference gives zeros.
absl::Status Allocate(Evaluation& e) {
  for (size_t i = 0; i < e.results().size(); ++i) ZeroResult(e, i);
  return absl::OkStatus();
}

absl::Status StoreRngSeed(Evaluation& e) {
  if (e.result().element_type != ElementType::kU64 || !e.result().dims.empty()) {
    return absl::InvalidArgumentError("the seed is a u64[]");
  }
  View<uint64_t>(e.result()).data()[0] = e.device().seed();
  return absl::OkStatus();
}

bool HasTypeAndRankOf(const ArrayRef& operand, const MutableArrayRef& result) {
  return operand.element_type == result.element_type && operand.dims.size() == result.dims.size();
}

// (x padded to its bounds, size of dimension 0, size of dimension 1, ...)
absl::Status PadToStatic(Evaluation& e) {
  const ArrayRef& operand = e.operand(0);
  if (e.results().size() != operand.dims.size() + 1) {
    return absl::InvalidArgumentError("PadToStatic returns one size per dimension");
  }
  bool fits = HasTypeAndRankOf(operand, e.result(0));
  for (size_t d = 0; fits && d < operand.dims.size(); ++d) {
    fits = operand.dims[d] <= e.result(0).dims[d] && e.result(d + 1).dims.empty() &&
           e.result(d + 1).element_type == ElementType::kS32;
  }
  if (!fits) return absl::InvalidArgumentError("its results are no padded array and s32[] sizes");
  ZeroResult(e, 0);
  CopyStrided(ElementByteSize(operand.element_type), operand.dims, operand.bytes,
              AsSpan(DenseStrides(operand.dims)), e.result(0).bytes,
              AsSpan(DenseStrides(e.result(0).dims)));
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    View<int32_t>(e.result(d + 1)).data()[0] = static_cast<int32_t>(operand.dims[d]);
  }
  return absl::OkStatus();
}

// The inverse: the first sizes[d] elements of each dimension.
absl::Status SliceToDynamic(Evaluation& e) {
  const ArrayRef& operand = e.operand(0);
  if (e.operands().size() != operand.dims.size() + 1) {
    return absl::InvalidArgumentError("SliceToDynamic takes one size per dimension");
  }
  if (!HasTypeAndRankOf(operand, e.result())) {
    return absl::InvalidArgumentError("its result is no part of the operand");
  }
  Index dims;
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    dims.push_back(IntegerAt(e.operand(d + 1), 0));
    if (dims[d] < 0 || dims[d] > operand.dims[d]) {
      return absl::InvalidArgumentError(
          fmt::format("size {} of dimension {} is not in 0 to {}", dims[d], d, operand.dims[d]));
    }
  }
  HLO_RETURN_IF_ERROR(EnsureResultDims(e, 0, AsSpan(dims)));
  CopyStrided(ElementByteSize(operand.element_type), AsSpan(dims), operand.bytes,
              AsSpan(DenseStrides(operand.dims)), e.result(0).bytes,
              AsSpan(DenseStrides(AsSpan(dims))));
  return absl::OkStatus();
}

absl::Status FirstOperand(Evaluation& e) { return SetResult(e, e.operand(0), 0); }

struct AtanFn {
  template <FloatElement T>
  T operator()(T x) const {
    return std::atan(x);
  }
};

constexpr CustomCall kBuiltInCalls[] = {
    {"AllocateBuffer", {.run = Allocate}},
    {"CreateBuffer", {.run = Allocate}},
    {"CustomSPMDPartitioning", {.run = Identity}},
    {"GetRngSeed", {.run = StoreRngSeed}},
    {"LayoutConstraint", {.run = Identity}},
    {"MoveToDevice", {.run = Identity}},
    {"MoveToHost", {.run = Identity}},
    {"PadToStatic", {.run = PadToStatic}},
    {"Pin", {.run = Identity}},
    {"SetBound", {.run = FirstOperand}},
    {"ShardBarrierFrom", {.run = Identity}},
    {"ShardBarrierTo", {.run = Identity}},
    {"Sharding", {.run = Identity}},
    {"SliceToDynamic", {.run = SliceToDynamic}},
    {"Unpin", {.run = Identity}},
    {"annotate_device_placement", {.run = Identity}},
    {"xla.sdy.FuncResultSharding", {.run = Identity}},
    {"xla.sdy.GlobalToLocalShape", {.run = Identity}},
    {"xla.sdy.LocalToGlobalShape", {.run = Identity}},
    {"xla_builder.math.Acos", {.run = EvalAcos}},
    {"xla_builder.math.Acosh", {.run = EvalAcosh}},
    {"xla_builder.math.Asin", {.run = EvalAsin}},
    {"xla_builder.math.Asinh", {.run = EvalAsinh}},
    {"xla_builder.math.Atan", {.run = EvalUnary<kFloat | kComplex, AtanFn>}},
    {"xla_builder.math.Cosh", {.run = EvalCosh}},
};

}  // namespace

const Kernel* FindCustomCall(std::string_view target) {
  if (const Kernel* kernel = FindIn(kBuiltInCalls, target)) return kernel;
  for (const auto find : {FindLapackCall, FindConvolutionCall, FindLayerCall, FindJaxCall,
                          FindTopKCall, FindPartialReduceCall, FindSpmdCall, FindProductCall}) {
    if (const Kernel* kernel = find(target)) return kernel;
  }
  return nullptr;
}

bool IsIdentityCall(std::string_view target) {
  const Kernel* kernel = FindIn(kBuiltInCalls, target);
  return (kernel != nullptr && kernel->run == Identity) || FindSpmdCall(target) != nullptr;
}

std::optional<int64_t> ConfigInteger(std::string_view config, std::string_view key) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = config.find(key); at != std::string_view::npos; at = config.find(key, at + 1)) {
    size_t end = at + key.size();
    if (at > 0 && is_word(config[at - 1])) continue;
    if (end < config.size() && is_word(config[end])) continue;
    end = config.find_first_not_of(" \"\\=:", end);
    if (end == std::string_view::npos) return std::nullopt;
    if (config.substr(end).starts_with("true")) return 1;
    if (config.substr(end).starts_with("false")) return 0;
    int64_t value = 0;
    const auto parsed = std::from_chars(config.data() + end, config.data() + config.size(), value);
    if (parsed.ec == std::errc()) return value;
  }
  return std::nullopt;
}

namespace {

bool IsKnown(const Instruction& call, const CustomCallRegistry& registry) {
  const std::string_view target = call.Get<Attr::kCustomCallTarget>();
  return registry.Find(target) != nullptr || FindCustomCall(target) != nullptr ||
         IsSkippedCallback(call);
}

// The targets of the module that nobody implements, where there are several: to be mended in one
// go.
std::string UnknownTargets(Evaluation& e) {
  std::vector<std::string> unknown;
  for (const Instruction& instruction : e.module().instructions()) {
    if (instruction.opcode != Opcode::kCustomCall || instruction.Has(Attr::kToApply)) continue;
    if (IsKnown(instruction, e.device().custom_calls())) continue;
    const std::string text = fmt::format("`{}`", instruction.Get<Attr::kCustomCallTarget>());
    if (std::ranges::find(unknown, text) == unknown.end()) unknown.push_back(text);
  }
  if (unknown.size() < 2) return "";
  return fmt::format("; the module's unknown targets are {}", fmt::join(unknown, ", "));
}

// What is wrong, and what can be done about it.
absl::Status UnknownTarget(Evaluation& e) {
  const std::string_view target = e.Get<Attr::kCustomCallTarget>();
  const std::string_view wrong = IsPythonCallback(target)
                                     ? "calls a Python function of the process that made this "
                                       "program, and has results"
                                     : "is not known";
  return absl::UnimplementedError(fmt::format("custom call target `{}` {}; {}{}", target, wrong,
                                              e.device().advice_for_unknown_calls(),
                                              UnknownTargets(e)));
}

// Who does what the target means: one of the two, or nobody.
struct CustomCallState final : KernelState {
  const CustomCallFunction* registered = nullptr;
  const Kernel* built_in = nullptr;
};

absl::Status RunBuiltIn(Evaluation& e, const Kernel& kernel) {
  if (e.results().empty()) return absl::OkStatus();  // tokens alone: there is nothing to compute
  if (e.operands().empty() && kernel.run != Allocate && kernel.run != StoreRngSeed) {
    return absl::InvalidArgumentError(
        fmt::format("`{}` has no operand", e.Get<Attr::kCustomCallTarget>()));
  }
  // Nobody has said what the results are: those that the call does not know hold zeros.
  for (size_t i = 1; i < e.results().size(); ++i) ZeroResult(e, i);
  return e.RunInstead(kernel);
}

}  // namespace

double CustomCallScratch(const OpView& op) {
  const Kernel* kernel = FindCustomCall(op.Get<Attr::kCustomCallTarget>());
  if (kernel == nullptr || kernel->scratch_byte_size == nullptr) return 0;
  return static_cast<double>(kernel->scratch_byte_size(op));
}

absl::StatusOr<std::unique_ptr<KernelState>> PrepareCustomCall(Evaluation& e) {
  const std::string_view target = e.Get<Attr::kCustomCallTarget>();
  auto state = std::make_unique<CustomCallState>();
  state->registered = e.device().custom_calls().Find(target);
  if (state->registered == nullptr) state->built_in = FindCustomCall(target);
  if (state->registered == nullptr && state->built_in == nullptr &&
      !IsSkippedCallback(e.instruction()) && !e.device().zeros_for_unknown_calls()) {
    return UnknownTarget(e);
  }
  return state;
}

absl::Status EvalCustomCall(Evaluation& e) {
  const auto& state = e.state<CustomCallState>();
  if (state.registered != nullptr) return (*state.registered)(e);
  return state.built_in != nullptr ? RunBuiltIn(e, *state.built_in) : Allocate(e);
}

}  // namespace hlo::reference

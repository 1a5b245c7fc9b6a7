// Executes every opcode that has no domain column on every element type it is defined for, as small
// programs; what has its own tests for values is only run here. Together with the elementwise rows
// (domain_coverage_test.cc) every opcode is executed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "testing/run_module.h"

namespace hlo {
namespace {

constexpr TypeSet kOrdered = kPred | kInteger | kFloat;
constexpr TypeSet kNumber = kInteger | kFloat | kComplex;

// `T` stands for the element type: v is T[6], a T[2,3], s a scalar T, p pred[2,3], i an s32[] 1.
struct Program {
  std::string_view body;
  TypeSet domain = kAnyArray;
};

constexpr Program kPrograms[] = {
    // Elementwise ones with attributes or mixed operands.
    {"ROOT r = pred[2,3] compare(a, a), direction=EQ"},
    {"ROOT r = pred[2,3] compare(a, a), direction=LE", kOrdered},
    {"ROOT r = pred[2,3] compare(a, a), direction=GT, type=TOTALORDER", kFloat},
    {"ROOT r = T[2,3] clamp(s, a, s)", kOrdered},
    {"ROOT r = T[2,3] select(p, a, a)"},
    {"ROOT r = T[2,3] reduce-precision(a), exponent_bits=4, mantissa_bits=3", kFloat},
    {"ROOT r = T[2,3] convert(i6), metadata={}", kAnyArray},
    // Data movement.
    {"ROOT r = T[6] bitcast(a)"},
    {"ROOT r = T[2,3] bitcast-convert(a)"},
    {"ROOT r = T[4,2,3] broadcast(a), dimensions={1,2}"},
    {"ROOT r = T[2,6] concatenate(a, a), dimensions={1}"},
    {"ROOT r = T[2,3] copy(a)"},
    {"three = s32[] constant(3)\n  two = s32[] constant(2)\n"
     "  ROOT r = T[<=3,<=2] dynamic-reshape(a, three, two)"},
    {"ROOT r = s32[] get-dimension-size(a), dimensions={1}"},
    {"t = (T[2,3], T[]) tuple(a, s)\n  ROOT r = T[] get-tuple-element(t), index=1"},
    {"ROOT r = T[2,3] iota(), iota_dimension=1", kNumber},
    {"ROOT r = T[2,3] opt-barrier(a)"},
    {"ROOT r = T[4,2] pad(a, s), padding=1_0_1x-1_0"},
    {"ROOT r = T[3,2] reshape(a)"},
    {"ROOT r = T[2,3] reverse(a), dimensions={0,1}"},
    {"ROOT r = T[<=2,3] set-dimension-size(a, i), dimensions={0}"},
    {"ROOT r = T[1,2] slice(a), slice={[0:1], [0:3:2]}"},
    {"ROOT r = T[3,2] transpose(a), dimensions={1,0}"},
    // Reductions and what calls computations.
    {"ROOT r = T[2,3] map(a, a), dimensions={0,1}, to_apply=sum"},
    {"ROOT r = T[2] reduce(a, s), dimensions={1}, to_apply=sum"},
    {"ROOT r = T[2] reduce(a, s), dimensions={1}, to_apply=largest", kOrdered},
    {"ROOT r = T[2,2] reduce-window(a, s), window={size=1x2}, to_apply=sum"},
    {"ROOT r = (T[2,3], T[2]) scan(a, pair), dimensions={1}, num_carries=1, to_apply=running"},
    {"b = T[2,2] slice(a), slice={[0:2], [0:2]}\n"
     "  ROOT r = T[2,3] select-and-scatter(a, b, s), window={size=1x2}, select=at_least, "
     "scatter=sum",
     kOrdered},
    {"ROOT r = T[2,3] sort(a), dimensions={1}, to_apply=less", kOrdered},
    {"ROOT r = (T[2,2], s32[2,2]) topk(a), k=2, largest=true", kInteger | kFloat},
    // Contractions.
    {"b = T[3,2] reshape(a)\n"
     "  ROOT r = T[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"x = T[1,2,3] reshape(a)\n  k = T[1,2,2] slice(x), slice={[0:1], [0:2], [0:2]}\n"
     "  ROOT r = T[1,1,2] convolution(x, k), window={size=2}, dim_labels=bf0_oi0->bf0"},
    {"b = T[1,3,2] reshape(a)\n  g = s32[1] constant({2})\n"
     "  ROOT r = T[2,2] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}"},
    {"b = T[3,2] reshape(a)\n  one = f8e8m0fnu[] constant(1)\n"
     "  x = f8e8m0fnu[2,1] broadcast(one), dimensions={}\n"
     "  y = f8e8m0fnu[1,2] broadcast(one), dimensions={}\n"
     "  ROOT r = f32[2,2] scaled-dot(a, b, x, y), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}",
     kFloat},
    // Indexing.
    {"ROOT r = T[1,2] dynamic-slice(a, i, i), dynamic_slice_sizes={1,2}"},
    {"u = T[1,2] slice(a), slice={[0:1], [0:2]}\n"
     "  ROOT r = T[2,3] dynamic-update-slice(a, u, i, i)"},
    {"j = s32[2] constant({1, 0})\n"
     "  ROOT r = T[2,3] gather(a, j), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"},
    {"j = s32[2] constant({1, 0})\n"
     "  ROOT r = T[2,3] scatter(a, j, a), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum"},
    // Linear algebra.
    {"ROOT r = (T[2,3], T[3], T[3]) batch-norm-training(a, row, row), epsilon=0.5, feature_index=1",
     kFloat},
    {"ROOT r = T[2,3] batch-norm-inference(a, row, row, row, row), epsilon=0.5, feature_index=1",
     kFloat},
    {"ROOT r = (T[2,3], T[3], T[3]) batch-norm-grad(a, row, row, row, a), epsilon=0.5, "
     "feature_index=1",
     kFloat},
    {"m = T[2,2] slice(a), slice={[0:2], [0:2]}\n  ROOT r = T[2,2] cholesky(m), lower=true",
     kFloat | kComplex},
    {"m = T[2,2] slice(a), slice={[0:2], [0:2]}\n"
     "  ROOT r = T[2,3] triangular-solve(m, a), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     kFloat | kComplex},
    {"ROOT r = T[2,3] fft(a), fft_type=FFT, fft_length={3}", kComplex},
    {"ROOT r = T[2,3] fft(a), fft_type=IFFT, fft_length={3}", kComplex},
    // Random numbers.
    {"low = T[] constant(0)\n  high = T[] convert(i)\n"
     "  ROOT r = T[2,3] rng(low, high), distribution=rng_uniform",
     kPred | kInteger},
    {"ROOT r = T[2,3] rng(s, s), distribution=rng_uniform", kFloat},
    {"ROOT r = T[2,3] rng(s, s), distribution=rng_normal", kFloat},
    {"state = u64[2] constant({1, 2})\n"
     "  ROOT r = (u64[2], T[2,3]) rng-bit-generator(state), algorithm=rng_three_fry",
     kInteger | kFloat},
    {"state = u64[3] constant({1, 2, 3})\n"
     "  ROOT r = (u64[3], T[2,3]) rng-bit-generator(state), algorithm=rng_philox",
     kInteger | kFloat},
    {"ROOT r = u64[2] rng-get-and-update-state(), delta=1"},
    // Control flow.
    {"ROOT r = T[] call(s, s), to_apply=sum"},
    {"c = pred[] constant(true)\n"
     "  ROOT r = T[] conditional(c, s, s), true_computation=same, false_computation=same"},
    {"ROOT r = T[] fusion(s, s), kind=kLoop, calls=sum"},
    {"ROOT r = T[] while(s), condition=never, body=same"},
    {"ROOT r = T[2,3] custom-call(a), custom_call_target=\"Sharding\""},
    // Collectives of one.
    {"ROOT r = T[2,3] all-gather(a), dimensions={0}, replica_groups={}"},
    {"t = (T[2,3], T[2,3]) all-gather-start(a), dimensions={0}, replica_groups={}\n"
     "  ROOT r = T[2,3] all-gather-done(t)"},
    {"ROOT r = T[2,3] all-reduce(a), replica_groups={}, to_apply=sum"},
    {"t = T[2,3] all-reduce-start(a), replica_groups={}, to_apply=sum\n"
     "  ROOT r = T[2,3] all-reduce-done(t)"},
    {"ROOT r = T[2,3] all-to-all(a), dimensions={0}, replica_groups={}"},
    {"ROOT r = T[2,3] collective-broadcast(a), replica_groups={{0}}"},
    {"ROOT r = T[2,3] collective-permute(a), source_target_pairs={{0,0}}"},
    {"t = (T[2,3], T[2,3]) collective-permute-start(a), source_target_pairs={{0,0}}\n"
     "  ROOT r = T[2,3] collective-permute-done(t)"},
    {"ROOT r = T[2,3] reduce-scatter(a), dimensions={0}, replica_groups={}, to_apply=sum"},
    {"zero = s32[1] constant({0})\n  one = s32[1] constant({1})\n"
     "  ROOT r = T[2,3] ragged-all-to-all(a, a, zero, one, one, one), replica_groups={}"},
    {"ROOT r = u32[] replica-id()"},
    {"ROOT r = u32[] partition-id()"},
    // Effects.
    {"t = token[] after-all()\n  ROOT r = T[2,3] add-dependency(a, t)"},
    {"t = ((T[], T[]), T[]) async-start(s, s), calls=sum\n"
     "  u = ((T[], T[]), T[]) async-update(t)\n  ROOT r = T[] async-done(u)"},
    {"t = (T[2,3], T[2,3], u32[]) copy-start(a)\n  ROOT r = T[2,3] copy-done(t)"},
    {"ROOT r = T[2,3] domain(a), domain={kind=\"sharding\", entry={replicated}, "
     "exit={replicated}}"},
    {"t = token[] after-all()\n  u = token[] outfeed(a, t), outfeed_shape=T[2,3]\n"
     "  d = ((), token[]) infeed(u)\n  ROOT r = T[2,3] copy(a)"},
    {"t = token[] after-all()\n  x = (T[2,3], u32[], token[]) send(a, t), channel_id=1, PAIRS\n"
     "  y = (T[2,3], u32[], token[]) recv(t), channel_id=1, PAIRS, control-predecessors={x}\n"
     "  d = token[] send-done(x), channel_id=1\n"
     "  e = (T[2,3], token[]) recv-done(y), channel_id=1\n"
     "  ROOT r = T[2,3] get-tuple-element(e), index=0"},
};

// The stochastic conversion takes random words as wide as its operand.
constexpr Program kStochasticConverts[] = {
    {"words = u8[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s4[2,3] stochastic-convert(a, "
     "words)"},
    {"words = u16[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s8[2,3] stochastic-convert(a, "
     "words)"},
    {"words = u32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s16[2,3] stochastic-convert(a, "
     "words)"},
    {"words = u64[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s64[2,3] stochastic-convert(a, "
     "words)"},
};

struct NamedText {
  std::string_view name;
  std::string_view text;
};
constexpr NamedText kComputations[] = {
    {"sum", "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = T[] add(x, y)"},
    {"largest", "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = T[] maximum(x, y)"},
    {"less",
     "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = pred[] compare(x, y), direction=LT"},
    {"at_least",
     "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = pred[] compare(x, y), direction=GE"},
    {"running",
     "x = T[2] parameter(0)\n  c = T[2] parameter(1)\n  n = T[2] add(x, c)\n"
     "  ROOT r = (T[2], T[2]) tuple(n, n)"},
    {"same", "ROOT x = T[] parameter(0)"},
    {"never", "x = T[] parameter(0)\n  ROOT r = pred[] constant(false)"},
};

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string ModuleText(const Program& program, ElementType type) {
  std::string text = "HloModule m\n";
  for (const NamedText& computation : kComputations) {
    if (program.body.find(fmt::format("={}", computation.name)) == std::string_view::npos) continue;
    text += fmt::format("{} {{\n  {}\n}}\n", computation.name, computation.text);
  }
  text += fmt::format(
      "ENTRY e {{\n  v = T[6] parameter(0)\n  a = T[2,3] reshape(v)\n"
      "  w = T[1] slice(v), slice={{[0:1]}}\n  s = T[] reshape(w)\n"
      "  pair = T[2] broadcast(s), dimensions={{}}\n  row = T[3] broadcast(s), dimensions={{}}\n"
      "  p = pred[2,3] compare(a, a), direction=EQ\n  i = s32[] constant(1)\n"
      "  i6 = s32[2,3] broadcast(i), dimensions={{}}\n  {}\n}}\n",
      program.body);
  ReplaceAll(text, "T[", fmt::format("{}[", ElementTypeName(type)));
  ReplaceAll(text, "PAIRS", "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,0}}\"}");
  return text;
}

std::vector<ElementType> ArrayTypes() {
  return {
#define HLO_ARRAY_TYPE(Name, ...) ElementType::k##Name,
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
  };
}

class TypeCoverageTest : public ::testing::Test {
 protected:
  static void Run(const Program& program, ElementType type) {
    const std::string text = ModuleText(program, type);
    const absl::StatusOr<Module> module = testing::ParseText("test", text);
    ASSERT_TRUE(module.ok()) << text << module.status();
    const auto arguments = ArgumentGenerator(*module, FakeKind::kPattern, 0).MakeAll();
    ASSERT_TRUE(arguments.ok());
    const absl::StatusOr<Literal> result = testing::RunModule(*module, *arguments);
    EXPECT_TRUE(result.ok()) << text << result.status();
    for (const Instruction& instruction : module->instructions()) {
      executed_.insert(instruction.opcode);
    }
  }

  static std::set<Opcode> executed_;
};
std::set<Opcode> TypeCoverageTest::executed_;

TEST_F(TypeCoverageTest, EveryOpcodeOnEveryTypeItIsDefinedFor) {
  for (const Program& program : kPrograms) {
    for (ElementType type : ArrayTypes()) {
      if (IsIn(type, program.domain)) Run(program, type);
    }
  }
  for (ElementType type : ArrayTypes()) {
    if (!IsFloat(type) || BitWidth(type) < 8) continue;
    for (size_t i = 0; i < std::size(kStochasticConverts); ++i) {
      if (BitWidth(type) == 8 << i) Run(kStochasticConverts[i], type);
    }
  }
  for (ElementType real : {ElementType::kF32, ElementType::kF64}) {
    const bool is_single = real == ElementType::kF32;
    const std::string body = fmt::format(
        "x = {0}[2,2] fft(a), fft_type=RFFT, fft_length={{3}}\n"
        "  ROOT r = T[2,3] fft(x), fft_type=IRFFT, fft_length={{3}}",
        is_single ? "c64" : "c128");
    Run({body}, real);
  }
  const std::set<Opcode> elementwise = {
#define HLO_UNARY(Name, ...) Opcode::k##Name,
#define HLO_BINARY(Name, ...) Opcode::k##Name,
#include "ir/opcodes.def"
  };
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_TRUE(executed_.contains(opcode) || elementwise.contains(opcode)) << OpcodeName(opcode);
  }
}

}  // namespace
}  // namespace hlo

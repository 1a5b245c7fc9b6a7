// The result shapes of instructions that are written without one, and of every instruction that
// the shared corpus writes with one.
#include "inference/shape_inference.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "inference/compatibility.h"
#include "parser/parser.h"

namespace hlo {
namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(HLOKIT_SOURCE_DIR) / ".." / "shared" / "corpus";

std::string ErrorsOf(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != Severity::kError) continue;
    const LineColumn place = sink.source()->Locate(diagnostic.range.begin);
    text += fmt::format("{}:{}: {} [{}]\n", place.line, place.column, diagnostic.message,
                        diagnostic.rule);
  }
  return text;
}

TEST(HigherPrecision, TheLargestExponentDecidesFirst) {
  EXPECT_EQ(HigherPrecision(ElementType::kF16, ElementType::kBf16), ElementType::kBf16);
  EXPECT_EQ(HigherPrecision(ElementType::kBf16, ElementType::kF32), ElementType::kF32);
  // 240 and 448, 15.5 and 28: as many bits of exponent, more codes of them for numbers.
  EXPECT_EQ(HigherPrecision(ElementType::kF8E4M3, ElementType::kF8E4M3Fn), ElementType::kF8E4M3Fn);
  EXPECT_EQ(HigherPrecision(ElementType::kF8E3M4, ElementType::kF6E3M2Fn), ElementType::kF6E3M2Fn);
  EXPECT_EQ(HigherPrecision(ElementType::kF8E8M0Fnu, ElementType::kF32), ElementType::kF32);
  EXPECT_EQ(HigherPrecision(ElementType::kC64, ElementType::kF64), ElementType::kC64);
  EXPECT_EQ(HigherPrecision(ElementType::kS8, ElementType::kU8), ElementType::kS8);
}

constexpr std::string_view kComputations = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT
}
cumulate {
  x = f32[4] parameter(0)
  c = f32[4] parameter(1)
  s = f32[4] add(x, c)
  ROOT t = (f32[4], f32[4]) tuple(s, s)
}
)";

// The shape inferred for `instruction`, which names parameters p0, p1 ... of the given shapes; or
// the rule that refuses it.
std::string Inferred(const std::vector<std::string>& parameters, std::string_view instruction) {
  std::string text = fmt::format("HloModule m\n{}ENTRY e {{\n", kComputations);
  for (size_t i = 0; i < parameters.size(); ++i) {
    text += fmt::format("  p{} = {} parameter({})\n", i, parameters[i], i);
  }
  text += fmt::format("  ROOT r = {}\n}}\n", instruction);
  const auto source = std::make_shared<SourceText>("test.hlo", text);
  DiagnosticSink sink(source);
  const std::optional<Module> module = ParseModule(source, sink);
  if (!module) return sink.diagnostics().empty() ? "no module" : sink.diagnostics()[0].rule;
  const OpView op(*module, module->root(module->entry()));
  const std::optional<Shape> shape = InferShape(op, sink);
  return shape ? ShapeText(*shape) : sink.diagnostics().back().rule;
}

struct InferenceCase {
  std::vector<std::string> parameters;
  std::string instruction;
  std::string expected;
};

TEST(InferShape, WithoutWrittenShape) {
  const InferenceCase cases[] = {
      // Elementwise: dynamic sizes merge, types keep their class.
      {{"f32[2,3]"}, "negate(p0)", "f32[2,3]"},
      {{"c64[4]"}, "abs(p0)", "f32[4]"},
      {{"c128[4]"}, "imag(p0)", "f64[4]"},
      {{"f32[4]"}, "is-finite(p0)", "pred[4]"},
      {{"f32[<=4]", "f32[4]"}, "add(p1, p0)", "f32[<=4]"},
      {{"f32[?]", "f32[<=4]"}, "add(p0, p1)", "f32[<=4]"},
      {{"f32[4]", "bf16[4]"}, "add(p1, p0)", "f32[4]"},
      {{"f16[4]", "bf16[4]"}, "add(p0, p1)", "bf16[4]"},
      {{"f64[]", "f64[]"}, "complex(p0, p1)", "c128[]"},
      {{"s8[3]", "s8[3]"}, "compare(p0, p1), direction=LT", "pred[3]"},
      {{"f32[]", "f32[5]"}, "clamp(p0, p1, p0)", "f32[5]"},
      {{"pred[]", "f32[5]"}, "select(p0, p1, p1)", "f32[5]"},
      // Data movement.
      {{"f32[]"}, "broadcast(p0), dimensions={}", "f32[]"},
      {{"f32[2,<=3]"}, "transpose(p0), dimensions={1,0}", "f32[<=3,2]"},
      {{"f32[2,3]", "f32[4,3]"}, "concatenate(p0, p1), dimensions={0}", "f32[6,3]"},
      {{"f32[<=2,3]", "f32[4,3]"}, "concatenate(p0, p1), dimensions={0}", "f32[<=6,3]"},
      {{"f32[?,3]", "f32[4,3]"}, "concatenate(p0, p1), dimensions={0}", "f32[?,3]"},
      {{"f32[2,?]", "f32[4,3]"}, "concatenate(p0, p1), dimensions={0}", "f32[6,3]"},
      {{"f32[4,4]", "f32[]"}, "pad(p0, p1), padding=1_4_1x4_8_0", "f32[12,16]"},
      {{"f32[0]", "f32[]"}, "pad(p0, p1), padding=1_1_7", "f32[2]"},
      {{"f32[4]", "f32[]"}, "pad(p0, p1), padding=-2_-1", "f32[1]"},
      {{"f32[2]", "s32[]"}, "tuple(p0, p1)", "(f32[2], s32[])"},
      {{"(f32[2], s32[])"}, "get-tuple-element(p0), index=1", "s32[]"},
      {{"f32[<=4]"}, "get-dimension-size(p0), dimensions={0}", "s32[]"},
      {{"f32[4]", "s32[]"}, "set-dimension-size(p0, p1), dimensions={0}", "f32[<=4]"},
      // Reductions and windows.
      {{"f32[2,3,4]", "f32[]"}, "reduce(p0, p1), dimensions={2,0}, to_apply=add", "f32[3]"},
      {{"f32[1024,514]", "f32[]"},
       "reduce-window(p0, p1), window={size=1x512 pad=0_0x0_0}, to_apply=add",
       "f32[1024,3]"},
      {{"f32[5]", "f32[]"},
       "reduce-window(p0, p1), window={size=2 stride=2 pad=1_1 lhs_dilate=2 rhs_dilate=3}, "
       "to_apply=add",
       "f32[4]"},
      {{"f32[3]", "f32[]"}, "reduce-window(p0, p1), window={size=4}, to_apply=add", "f32[0]"},
      {{"f32[4,5]"}, "map(p0), dimensions={0,1}, to_apply=add", "map.arity"},
      {{"f32[4]", "f32[4]"}, "map(p0, p1), dimensions={0}, to_apply=less", "pred[4]"},
      {{"f32[4]"}, "sort(p0), dimensions={0}, to_apply=less", "f32[4]"},
      {{"bf16[3,50]"}, "topk(p0), k=10", "(bf16[3,10], s32[3,10])"},
      {{"f32[7,4]", "f32[4]"},
       "scan(p0, p1), dimensions={0}, num_carries=1, to_apply=cumulate",
       "(f32[7,4], f32[4])"},
      // Contractions: batch, free left, free right.
      {{"f32[8,2,3]", "f32[3,8,5]"},
       "dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={0}",
       "f32[8,2,5]"},
      {{"f32[2]", "f32[3]"}, "dot(p0, p1)", "f32[2,3]"},
      {{"f32[6,3]", "f32[2,3,4]", "s32[2]"},
       "ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       "f32[6,4]"},
      {{"f32[3,6]", "f32[6,4]", "s32[2]"},
       "ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "lhs_ragged_dims={1}",
       "f32[2,3,4]"},
      {{"f32[1,8,8,3]", "f32[3,3,3,16]"},
       "convolution(p0, p1), window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
       "f32[1,4,4,16]"},
      {{"f32[5,3]", "f32[3,7]"}, "convolution(p0, p1), dim_labels=bf_io->bf", "f32[5,7]"},
      // Gather and scatter.
      {{"f32[10,20]", "s32[5,2]"},
       "gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, "
       "index_vector_dim=1, slice_sizes={1,4}",
       "f32[5,4]"},
      {{"f32[10]", "s32[5]"},
       "gather(p0, p1), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={3}",
       "f32[5,3]"},
      {{"f32[10]", "s32[5,1]", "f32[5]"},
       "scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
       "f32[10]"},
      // Linear algebra.
      {{"f32[3,8]"}, "fft(p0), fft_type=RFFT, fft_length={8}", "c64[3,5]"},
      {{"c128[3,5]"}, "fft(p0), fft_type=IRFFT, fft_length={8}", "f64[3,8]"},
      {{"f64[2,3,3]"}, "cholesky(p0)", "f64[2,3,3]"},
      {{"f32[2,4]", "f32[4]"},
       "batch-norm-training(p0, p1, p1), epsilon=0.1, feature_index=1",
       "(f32[2,4], f32[4], f32[4])"},
      // Tokens and ids.
      {{}, "after-all()", "token[]"},
      {{}, "replica-id()", "u32[]"},
  };
  for (const InferenceCase& test : cases) {
    EXPECT_EQ(Inferred(test.parameters, test.instruction), test.expected) << test.instruction;
  }
}

// Extreme numbers are refused, never computed with.
TEST(InferShape, SizesDoNotOverflow) {
  const InferenceCase cases[] = {
      {{"f32[9]", "f32[]"}, "pad(p0, p1), padding=0_0_9223372036854775807", "pad.overflow"},
      {{"s8[4294967296]", "s8[4294967296]"}, "dot(p0, p1)", "shape.count-overflow"},
      {{"f32[3]", "f32[]"},
       "reduce-window(p0, p1), window={size=1 lhs_dilate=9223372036854775807}, to_apply=add",
       "reduce-window.window"},
      {{"f32[4]", "f32[]"},
       "reduce-window(p0, p1), window={size=1 pad=-9_0}, to_apply=add",
       "window.padded-nonnegative"},
      {{"f32[4]", "f32[]"},
       "reduce-window(p0, p1), window={size=9223372036854775807 rhs_dilate=2}, to_apply=add",
       "reduce-window.window"},
  };
  for (const InferenceCase& test : cases) {
    EXPECT_EQ(Inferred(test.parameters, test.instruction), test.expected) << test.instruction;
  }
}

std::vector<std::string> SplitModules(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> modules(1);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("// -----", 0) == 0) {
      modules.emplace_back();
    } else {
      modules.back() += line + "\n";
    }
  }
  return modules;
}

// What is written for an instruction that XLA has verified is what its operands give.
void ExpectInferredShapes(const std::string& name, const std::string& text) {
  const auto source = std::make_shared<SourceText>(name, text);
  DiagnosticSink sink(source);
  const std::optional<Module> module = ParseModule(source, sink);
  if (!module) return;  // corpus_parse_test compares the parser's verdicts
  for (const Instruction& instruction : module->instructions()) {
    const std::optional<Shape> shape = InferShape(OpView(*module, instruction), sink);
    if (!shape) continue;
    EXPECT_TRUE(Compatible(*shape, *instruction.shape, {.ignore_float_precision = true}))
        << name << ": " << instruction.name << " is " << ShapeText(*instruction.shape)
        << ", inferred " << ShapeText(*shape);
  }
  EXPECT_EQ(ErrorsOf(sink), "") << name;
}

TEST(InferShape, AgreesWithTheCorpus) {
  std::ifstream answers(kCorpus / "answers.jsonl");
  if (!answers) GTEST_SKIP() << "no corpus at " << kCorpus;
  const RE2 answer_start(R"re("file": "([^"]*)", "module": (\d+), "parses": true)re");
  for (std::string line; std::getline(answers, line);) {
    std::string file;
    size_t number = 0;
    if (!RE2::PartialMatch(line, answer_start, &file, &number)) continue;
    // Mixed precision, which XLA's verdict refuses, is no matter of shapes.
    if (line.find("\"verifies\": true") == std::string::npos) continue;
    const std::vector<std::string> modules = SplitModules(kCorpus / file);
    ASSERT_LT(number, modules.size());
    ExpectInferredShapes(file, modules[number]);
  }
}

}  // namespace
}  // namespace hlo

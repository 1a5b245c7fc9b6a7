// Running: small programs of one kind of work each, on both backends, beside memcpy of the bytes
// that go in and out.
//   Run/reference/NAME, Run/simd/NAME   one run of the program; bytes_per_second counts inputs and
//                                       result, items_per_second products where there are some
//   Memcpy/NAME                         a copy of as many bytes, one thread
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "interp/arguments.h"
#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/make_plan.h"
#include "parser/parser.h"

namespace hlo {
namespace {

struct Program {
  std::string name;
  std::string text;
  double products = 0;
};

constexpr const char* kReducers = R"(
max { p = f32[] parameter(0) q = f32[] parameter(1) ROOT m = f32[] maximum(p, q) }
sum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }
at_least { p = f32[] parameter(0) q = f32[] parameter(1)
  ROOT c = pred[] compare(p, q), direction=GE }
)";

Program Dot(const std::string& name, const std::string& type, int64_t m, int64_t k, int64_t n) {
  return {name,
          fmt::format("HloModule dot\nENTRY main {{\n x = {0}[{1},{2}] parameter(0)\n"
                      " y = {0}[{2},{3}] parameter(1)\n ROOT r = {0}[{1},{3}] dot(x, y), "
                      "lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n",
                      type, m, k, n),
          static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n)};
}

// `count` products of `size` x `size` matrices.
Program SmallDots(const char* name, int64_t count, int64_t size) {
  return {name,
          fmt::format("HloModule dots\nENTRY main {{\n x = f32[{0},{1},{1}] parameter(0)\n"
                      " y = f32[{0},{1},{1}] parameter(1)\n ROOT r = f32[{0},{1},{1}] dot(x, y), "
                      "lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, "
                      "rhs_contracting_dims={{1}}\n}}\n",
                      count, size),
          static_cast<double>(count * size * size * size)};
}

Program Convolution(const std::string& name, int64_t size, int64_t inputs, int64_t outputs,
                    int64_t window) {
  return {
      name,
      fmt::format("HloModule convolution\nENTRY main {{\n x = f32[1,{0},{0},{1}] parameter(0)\n"
                  " y = f32[{3},{3},{1},{2}] parameter(1)\n"
                  " ROOT r = f32[1,{0},{0},{2}] convolution(x, y), "
                  "window={{size={3}x{3} pad={4}_{4}x{4}_{4}}}, dim_labels=b01f_01io->b01f\n}}\n",
                  size, inputs, outputs, window, window / 2),
      static_cast<double>(size * size * inputs * outputs * window * window)};
}

// A 3x3 filter for each channel of four images.
Program Depthwise(const char* name, const char* type) {
  return {name,
          fmt::format("HloModule depthwise\nENTRY main {{\n x = {0}[4,56,56,64] parameter(0)\n"
                      " y = {0}[3,3,1,64] parameter(1)\n"
                      " ROOT r = {0}[4,56,56,64] convolution(x, y), "
                      "window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f, "
                      "feature_group_count=64\n}}\n",
                      type),
          4.0 * 56 * 56 * 64 * 9};
}

Program ComplexConvolution() {
  return {"conv_3x3_28x28x64_c64",
          "HloModule complex\nENTRY main {\n x = c64[4,28,28,64] parameter(0)\n"
          " y = c64[3,3,64,64] parameter(1)\n"
          " ROOT r = c64[4,28,28,64] convolution(x, y), "
          "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n}\n",
          4.0 * 28 * 28 * 64 * 64 * 9};
}

// Ten instructions over 16M elements.
Program Chain(const std::string& type) {
  std::string text =
      fmt::format("HloModule chain\nENTRY main {{\n v0 = {}[16777216] parameter(0)\n", type);
  constexpr const char* kOpcodes[] = {"add", "multiply", "maximum", "subtract", "minimum"};
  for (int i = 1; i <= 10; ++i) {
    text += fmt::format(" {}v{} = {}[16777216] {}(v{}, v0)\n", i == 10 ? "ROOT " : "", i, type,
                        kOpcodes[i % 5], i - 1);
  }
  return {"chain_" + type, text + "}\n"};
}

Program Reduce(const std::string& name, const std::string& dimensions, const std::string& result) {
  return {name, fmt::format("HloModule reduce\n{}ENTRY main {{\n x = f32[4096,4096] parameter(0)\n"
                            " z = f32[] constant(0)\n ROOT r = f32[{}] reduce(x, z), "
                            "dimensions={{{}}}, to_apply=sum\n}}\n",
                            kReducers, result, dimensions)};
}

Program Softmax() {
  return {"softmax", std::string("HloModule softmax\n") + kReducers + R"(ENTRY main {
  x = f32[4096,768] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  top = f32[4096] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[4096,768] broadcast(top), dimensions={0}
  below = f32[4096,768] subtract(x, tops)
  powers = f32[4096,768] exponential(below)
  total = f32[4096] reduce(powers, zero), dimensions={1}, to_apply=sum
  totals = f32[4096,768] broadcast(total), dimensions={0}
  ROOT y = f32[4096,768] divide(powers, totals)
}
)"};
}

Program LayerNorm() {
  return {"layer_norm_bf16", std::string("HloModule layer_norm\n") + kReducers + R"(ENTRY main {
  x = bf16[4096,768] parameter(0)
  scale = bf16[768] parameter(1)
  shift = bf16[768] parameter(2)
  wide = f32[4096,768] convert(x)
  zero = f32[] constant(0)
  length = f32[] constant(768)
  lengths = f32[4096] broadcast(length), dimensions={}
  total = f32[4096] reduce(wide, zero), dimensions={1}, to_apply=sum
  mean = f32[4096] divide(total, lengths)
  means = f32[4096,768] broadcast(mean), dimensions={0}
  centred = f32[4096,768] subtract(wide, means)
  squares = f32[4096,768] multiply(centred, centred)
  squared = f32[4096] reduce(squares, zero), dimensions={1}, to_apply=sum
  variance = f32[4096] divide(squared, lengths)
  epsilon = f32[] constant(1e-5)
  epsilons = f32[4096] broadcast(epsilon), dimensions={}
  above = f32[4096] add(variance, epsilons)
  factor = f32[4096] rsqrt(above)
  factors = f32[4096,768] broadcast(factor), dimensions={0}
  normed = f32[4096,768] multiply(centred, factors)
  wide_scale = f32[768] convert(scale)
  scales = f32[4096,768] broadcast(wide_scale), dimensions={1}
  wide_shift = f32[768] convert(shift)
  shifts = f32[4096,768] broadcast(wide_shift), dimensions={1}
  scaled = f32[4096,768] multiply(normed, scales)
  shifted = f32[4096,768] add(scaled, shifts)
  ROOT y = bf16[4096,768] convert(shifted)
}
)"};
}

Program Transpose(const std::string& name, const std::string& from, const std::string& to,
                  const std::string& dimensions) {
  return {name, fmt::format("HloModule transpose\nENTRY main {{\n x = f32[{}] parameter(0)\n"
                            " ROOT r = f32[{}] transpose(x), dimensions={{{}}}\n}}\n",
                            from, to, dimensions)};
}

Program Counter() {
  return {"loop_of_scalars", R"(HloModule loop
condition {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(100000)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  half = f32[] constant(0.5)
  next = s32[] add(i, one)
  a = f32[] multiply(x, half)
  b = f32[] add(a, half)
  c = f32[] maximum(b, a)
  d = f32[] subtract(c, half)
  e = f32[] multiply(d, d)
  ROOT r = (s32[], f32[]) tuple(next, e)
}
ENTRY main {
  i = s32[] constant(0)
  x = f32[] parameter(0)
  s = (s32[], f32[]) tuple(i, x)
  ROOT w = (s32[], f32[]) while(s), condition=condition, body=body
}
)"};
}

// A loop of `count` iterations with an array that it hands on and one that it changes; `step` makes
// `changed` of `given`, `state` and the number of the iteration, i.
Program Scan(const std::string& name, int64_t count, const std::string& given,
             const std::string& state, const std::string& step) {
  const std::string tuple = fmt::format("(s32[], {}, {})", given, state);
  return {name,
          fmt::format("HloModule scan\ncondition {{\n s = {0} parameter(0)\n"
                      " i = s32[] get-tuple-element(s), index=0\n n = s32[] constant({1})\n"
                      " ROOT c = pred[] compare(i, n), direction=LT\n}}\n"
                      "body {{\n s = {0} parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
                      " given = {2} get-tuple-element(s), index=1\n"
                      " state = {3} get-tuple-element(s), index=2\n"
                      " zero = s32[] constant(0)\n one = s32[] constant(1)\n"
                      " next = s32[] add(i, one)\n{4}"
                      " ROOT r = {0} tuple(next, given, changed)\n}}\n"
                      "ENTRY main {{\n i = s32[] constant(0)\n given = {2} parameter(0)\n"
                      " state = {3} parameter(1)\n s = {0} tuple(i, given, state)\n"
                      " ROOT w = {0} while(s), condition=condition, body=body\n}}\n",
                      tuple, count, given, state, step)};
}

// A vector through layers whose weights are one array.
Program ScanOfLayers() {
  return Scan("scan_of_layers", 12, "f32[12,1024,1024]", "f32[1,1024]",
              " piece = f32[1,1024,1024] dynamic-slice(given, i, zero, zero), "
              "dynamic_slice_sizes={1,1024,1024}\n weights = f32[1024,1024] reshape(piece)\n"
              " y = f32[1,1024] dot(state, weights), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={0}\n changed = f32[1,1024] tanh(y)\n");
}

// A function of each row of an array.
Program ScanOfRows() {
  return Scan("scan_of_rows", 4096, "f32[4096,100]", "f32[4096,100]",
              " piece = f32[1,100] dynamic-slice(given, i, zero), dynamic_slice_sizes={1,100}\n"
              " x = f32[100] reshape(piece)\n y = f32[100] tanh(x)\n z = f32[100] multiply(y, x)\n"
              " row = f32[1,100] reshape(z)\n"
              " changed = f32[4096,100] dynamic-update-slice(state, row, i, zero)\n");
}

// Conversions and complex numbers: one array in, one out.
Program Elementwise(const std::string& name, const std::string& from, const std::string& body) {
  return {name, fmt::format("HloModule elementwise\nENTRY main {{\n x = {} parameter(0)\n{}}}\n",
                            from, body)};
}

// Instructions that walk over their operands in orders of their own; `body` is the entry's.
Program Walk(const std::string& name, const std::string& body) {
  return {name, fmt::format("HloModule walk\n{}{}ENTRY main {{\n{}}}\n", kReducers,
                            "less { p = f32[] parameter(0) q = f32[] parameter(1) "
                            "i = s32[] parameter(2) j = s32[] parameter(3) "
                            "ROOT l = pred[] compare(p, q), direction=LT, type=TOTALORDER }\n",
                            body)};
}

Program SortPairs() {
  return Walk("sort_pairs_1m",
              " x = f32[1000000] parameter(0)\n i = s32[1000000] iota(), iota_dimension=0\n"
              " ROOT r = (f32[1000000], s32[1000000]) sort(x, i), dimensions={0}, to_apply=less\n");
}

// The comparator that JAX writes: one zero, one NaN, then the total order.
Program SortRows() {
  return {"sort_rows_of_jax", R"(HloModule sort
less {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  zero = f32[] constant(0)
  not_a_number = f32[] constant(nan)
  p_is_zero = pred[] compare(p, zero), direction=EQ
  p_one_zero = f32[] select(p_is_zero, zero, p)
  p_is_nan = pred[] compare(p, p), direction=NE
  p_key = f32[] select(p_is_nan, not_a_number, p_one_zero)
  q_is_zero = pred[] compare(q, zero), direction=EQ
  q_one_zero = f32[] select(q_is_zero, zero, q)
  q_is_nan = pred[] compare(q, q), direction=NE
  q_key = f32[] select(q_is_nan, not_a_number, q_one_zero)
  ROOT l = pred[] compare(p_key, q_key), direction=LT, type=TOTALORDER
}
ENTRY main {
  x = f32[1000,4096] parameter(0)
  ROOT r = f32[1000,4096] sort(x), dimensions={1}, to_apply=less
}
)"};
}

Program LargestAndPlace() {
  return {"argmax_rows", R"(HloModule argmax
larger {
  p = f32[] parameter(0)
  i = s32[] parameter(1)
  q = f32[] parameter(2)
  j = s32[] parameter(3)
  above = pred[] compare(p, q), direction=GT
  is_nan = pred[] compare(p, p), direction=NE
  stays = pred[] or(above, is_nan)
  value = f32[] select(stays, p, q)
  equal = pred[] compare(p, q), direction=EQ
  before = pred[] compare(i, j), direction=LT
  first = pred[] and(equal, before)
  place_stays = pred[] or(stays, first)
  place = s32[] select(place_stays, i, j)
  ROOT r = (f32[], s32[]) tuple(value, place)
}
ENTRY main {
  x = f32[4096,1000] parameter(0)
  i = s32[4096,1000] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[4096], s32[4096]) reduce(x, i, low, zero), dimensions={1}, to_apply=larger
}
)"};
}

Program PoolGradient() {
  return Walk("pool_gradient",
              " x = f32[8,112,112,64] parameter(0)\n g = f32[8,56,56,64] parameter(1)\n"
              " z = f32[] constant(0)\n ROOT r = f32[8,112,112,64] select-and-scatter(x, g, z), "
              "window={size=1x2x2x1 stride=1x2x2x1}, select=at_least, scatter=sum\n");
}

Program ScatterRows() {
  return Walk("scatter_add_rows",
              " x = f32[100000,64] parameter(0)\n i = s32[100000,1] parameter(1)\n"
              " u = f32[100000,64] parameter(2)\n"
              " ROOT r = f32[100000,64] scatter(x, i, u), update_window_dims={1}, "
              "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
              "to_apply=sum\n");
}

Program GatherRows() {
  return Walk("gather_rows_1m",
              " x = f32[100000,64] parameter(0)\n i = s32[1000000,1] parameter(1)\n"
              " ROOT r = f32[1000000,64] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
              "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n");
}

Program GatherColumns() {
  return Walk("gather_columns",
              " x = f32[4096,4096] parameter(0)\n i = s32[1000,1] parameter(1)\n"
              " ROOT r = f32[4096,1000] gather(x, i), offset_dims={0}, collapsed_slice_dims={1}, "
              "start_index_map={1}, index_vector_dim=1, slice_sizes={4096,1}\n");
}

// One instruction that moves the elements of a matrix.
Program Move(const std::string& name, const std::string& result, const std::string& instruction) {
  return Walk(name, fmt::format(" x = f32[4096,4096] parameter(0)\n z = f32[] constant(0)\n"
                                " i = s32[] constant(48)\n ROOT r = f32[{}] {}\n",
                                result, instruction));
}

Program Fft(const std::string& name, const std::string& shape, int64_t length) {
  return Walk(name, fmt::format(" x = c64[{0}] parameter(0)\n"
                                " ROOT r = c64[{0}] fft(x), fft_type=FFT, fft_length={{{1}}}\n",
                                shape, length));
}

// By a comparator that is no comparison of elements.
Program SortByMagnitude(const std::string& name, const std::string& dims, int dimension) {
  return {name, fmt::format(R"(HloModule sort
nearer {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  x = f32[] abs(a)
  y = f32[] abs(b)
  ROOT l = pred[] compare(x, y), direction=LT
}}
ENTRY main {{
  x = f32[{0}] parameter(0)
  ROOT r = f32[{0}] sort(x), dimensions={{{1}}}, to_apply=nearer
}}
)",
                            dims, dimension)};
}

// Two keys, as JAX's sort with num_keys=2 compares integers, and what goes with them.
Program SortByTwoKeys() {
  return {"sort_two_keys_1m", R"(HloModule sort
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  p = s32[] parameter(4)
  q = s32[] parameter(5)
  first = pred[] compare(a, b), direction=LT
  equal = pred[] compare(a, b), direction=EQ
  second = pred[] compare(c, d), direction=LT
  both = pred[] and(equal, second)
  ROOT l = pred[] or(first, both)
}
ENTRY main {
  x = s32[1000000] parameter(0)
  y = s32[1000000] parameter(1)
  z = s32[1000000] iota(), iota_dimension=0
  k = s32[] constant(1000)
  ks = s32[1000000] broadcast(k), dimensions={}
  few = s32[1000000] remainder(x, ks)
  ROOT r = (s32[1000000], s32[1000000], s32[1000000]) sort(few, y, z), dimensions={0}, is_stable=true, to_apply=less
}
)"};
}

Program ScatterManyRows() {
  return Walk("scatter_add_rows_1m",
              " x = f32[100000,64] parameter(0)\n i = s32[1000000,1] parameter(1)\n"
              " u = f32[1000000,64] parameter(2)\n"
              " ROOT r = f32[100000,64] scatter(x, i, u), update_window_dims={1}, "
              "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
              "to_apply=sum\n");
}

Program MaxPool() {
  return Walk("max_pool_3x3",
              " x = f32[8,112,112,64] parameter(0)\n z = f32[] constant(-inf)\n"
              " ROOT r = f32[8,56,56,64] reduce-window(x, z), window={size=1x3x3x1 "
              "stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=max\n");
}

Program CumulativeSum() {
  return Walk("cumulative_sum",
              " x = f32[64,4096] parameter(0)\n z = f32[] constant(0)\n"
              " ROOT r = f32[64,4096] reduce-window(x, z), "
              "window={size=1x4096 pad=0_0x4095_0}, to_apply=sum\n");
}

Program RandomBits(const std::string& algorithm) {
  return Walk("random_" + algorithm,
              fmt::format(" k = u64[2] constant({{1, 2}})\n ROOT r = (u64[2], u32[16000000]) "
                          "rng-bit-generator(k), algorithm={}\n",
                          algorithm));
}

std::vector<Program> Programs() {
  return {
      Dot("dot_f32_128", "f32", 128, 128, 128),
      Dot("dot_f32_512", "f32", 512, 512, 512),
      Dot("dot_f32_1024", "f32", 1024, 1024, 1024),
      Dot("dot_f64_512", "f64", 512, 512, 512),
      Dot("dot_bf16_1024", "bf16", 1024, 1024, 1024),
      Dot("dot_s8_1024", "s8", 1024, 1024, 1024),
      Dot("dot_c64_512", "c64", 512, 512, 512),
      Dot("dot_row_4096", "f32", 1, 4096, 4096),
      SmallDots("dots_3x3", 20000, 3),
      Convolution("conv_3x3_56x56x64", 56, 64, 64, 3),
      Convolution("conv_1x1_14x14x1024", 14, 1024, 256, 1),
      Depthwise("depthwise_f16", "f16"),
      Depthwise("depthwise_f64", "f64"),
      ComplexConvolution(),
      Chain("f32"),
      Chain("bf16"),
      Chain("f64"),
      Softmax(),
      LayerNorm(),
      Reduce("reduce_rows", "1", "4096"),
      Reduce("reduce_columns", "0", "4096"),
      Reduce("reduce_all", "0,1", ""),
      Transpose("transpose_4096x4096", "4096,4096", "4096,4096", "1,0"),
      Transpose("transpose_heads", "64,12,128,64", "64,128,12,64", "0,2,1,3"),
      SortPairs(),
      SortRows(),
      LargestAndPlace(),
      ScatterRows(),
      ScatterManyRows(),
      SortByTwoKeys(),
      SortByMagnitude("sort_by_magnitude_1m", "1000000", 0),
      SortByMagnitude("sort_rows_by_magnitude", "1000,1000", 1),
      GatherRows(),
      GatherColumns(),
      Move("concatenate_rows", "8192,4096", "concatenate(x, x), dimensions={0}"),
      Move("concatenate_columns", "4096,8192", "concatenate(x, x), dimensions={1}"),
      Move("pad_edges", "4100,4100", "pad(x, z), padding=2_2x2_2"),
      Move("pad_holes", "4096,8191", "pad(x, z), padding=0_0x0_0_1"),
      Move("reverse_columns", "4096,4096", "reverse(x), dimensions={1}"),
      Move("reverse_rows", "4096,4096", "reverse(x), dimensions={0}"),
      Move("slice_every_second", "2048,2048", "slice(x), slice={[0:4096:2],[0:4096:2]}"),
      Move("dynamic_slice", "4000,4000", "dynamic-slice(x, i, i), dynamic_slice_sizes={4000,4000}"),
      Fft("fft_256x4096", "256,4096", 4096),
      Fft("fft_256x1000", "256,1000", 1000),
      Fft("fft_256x1009", "256,1009", 1009),
      MaxPool(),
      PoolGradient(),
      CumulativeSum(),
      RandomBits("rng_three_fry"),
      RandomBits("rng_philox"),
      Counter(),
      ScanOfLayers(),
      ScanOfRows(),
      Elementwise("widen_s4", "s4[1000000]", " ROOT r = f32[1000000] convert(x)\n"),
      Elementwise("narrow_f8", "f32[1000000]", " ROOT r = f8e4m3fnuz[1000000] convert(x)\n"),
      Elementwise("complex", "c64[1000000]",
                  " y = c64[1000000] multiply(x, x)\n ROOT r = c64[1000000] add(y, x)\n")};
}

double ByteCount(const Literal& literal) {
  double count = literal.shape().IsArray() ? static_cast<double>(literal.byte_size()) : 0;
  for (const Literal& element : literal.tuple_elements()) count += ByteCount(element);
  return count;
}

struct Prepared {
  std::optional<Module> module;
  std::optional<RunnableModule> runnable;
  std::vector<Literal> arguments;
};

std::shared_ptr<Prepared> Prepare(const Program& program) {
  auto prepared = std::make_shared<Prepared>();
  auto source = std::make_shared<const SourceText>(program.name, program.text);
  DiagnosticSink sink(source);
  prepared->module = ParseModule(source, sink);
  if (!prepared->module) return nullptr;
  prepared->runnable = RunnableModule::Verify(*prepared->module, sink);
  if (!prepared->runnable) return nullptr;
  auto arguments = ArgumentGenerator(*prepared->module, FakeKind::kRandom, 1).MakeAll();
  if (!arguments.ok()) return nullptr;
  prepared->arguments = *std::move(arguments);
  return prepared;
}

void BM_Run(benchmark::State& state, const Program& program, const Backend& backend) {
  const std::shared_ptr<Prepared> prepared = Prepare(program);
  if (prepared == nullptr) return state.SkipWithError("does not run");
  DiagnosticSink sink(prepared->module->source());
  PlanOptions options;
  options.backend = &backend;
  const std::optional<Plan> plan = MakePlan(*prepared->runnable, sink, options);
  DeviceContext device;
  ThreadPool threads(ThreadPool::ProcessorCount());
  device.set_thread_pool(&threads);
  auto executor = Executor::Create(*plan, device);
  double byte_count = 0;
  for (auto _ : state) {
    if (!(*executor)->Run(prepared->arguments).ok()) return state.SkipWithError("fails");
  }
  for (const Literal& argument : prepared->arguments) byte_count += ByteCount(argument);
  byte_count += ByteCount(*(*executor)->Result());
  const double runs = static_cast<double>(state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(runs * byte_count));
  if (program.products > 0) state.SetItemsProcessed(static_cast<int64_t>(runs * program.products));
}

void BM_Memcpy(benchmark::State& state, const Program& program) {
  const std::shared_ptr<Prepared> prepared = Prepare(program);
  if (prepared == nullptr) return state.SkipWithError("does not run");
  double byte_count = 0;
  for (const Literal& argument : prepared->arguments) byte_count += ByteCount(argument);
  const auto size = static_cast<size_t>(byte_count);
  std::vector<char> from(size, 1), to(size, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), size);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(
      static_cast<int64_t>(static_cast<double>(state.iterations()) * 2 * byte_count));
}

}  // namespace
}  // namespace hlo

int main(int argc, char** argv) {
  static const std::vector<hlo::Program> programs = hlo::Programs();
  for (const hlo::Program& program : programs) {
    for (const hlo::Backend& backend : hlo::Backends()) {
      benchmark::RegisterBenchmark(
          fmt::format("Run/{}/{}", backend.name, program.name).c_str(),
          [&](benchmark::State& state) { BM_Run(state, program, backend); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
    benchmark::RegisterBenchmark(("Memcpy/" + program.name).c_str(),
                                 [&](benchmark::State& state) { BM_Memcpy(state, program); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

// Random small instructions of every kind: the image of each map is the dependence that running the
// instruction shows, both ways. What changes is seen by changing elements (tools/index_check.h).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "indexing/op_maps.h"
#include "testing/run_module.h"
#include "tools/index_check.h"

namespace hlo::testing {
namespace {

using Dims = std::vector<int64_t>;

// Random attributes, printed as HLO.
class RandomOp {
 public:
  explicit RandomOp(uint32_t seed) : random_(seed) {}

  int64_t Pick(int64_t lower, int64_t upper) {
    return std::uniform_int_distribution<int64_t>(lower, upper)(random_);
  }
  bool Flip() { return Pick(0, 1) == 1; }
  Dims Sizes(int64_t rank, int64_t lower = 1, int64_t upper = 4) {
    Dims dims(static_cast<size_t>(rank));
    for (int64_t& d : dims) d = Pick(lower, upper);
    return dims;
  }
  std::vector<int64_t> Permutation(int64_t rank) {
    std::vector<int64_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random_);
    return order;
  }
  std::vector<int64_t> Subset(int64_t rank) {
    std::vector<int64_t> subset;
    for (int64_t d = 0; d < rank; ++d) {
      if (Flip()) subset.push_back(d);
    }
    return subset;
  }

 private:
  std::mt19937 random_;
};

std::string Text(const std::string& type, const Dims& dims) {
  return fmt::format("{}[{}]", type, fmt::join(dims, ","));
}
std::string F32(const Dims& dims) { return Text("f32", dims); }
std::string List(const std::vector<int64_t>& items) {
  return fmt::format("{{{}}}", fmt::join(items, ","));
}

constexpr char kAdd[] = R"(add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
)";

struct Program {
  std::vector<std::string> parameters;  // shapes
  std::string root;                     // behind "ROOT r = "; operands are p0, p1, ...
  std::string before;                   // computations
};

std::string TextOf(const Program& program) {
  std::string text = "HloModule m\n" + program.before + "ENTRY main {\n";
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    text += fmt::format("  p{} = {} parameter({})\n", i, program.parameters[i], i);
  }
  return text + "  ROOT r = " + program.root + "\n}\n";
}

// --- One program of each kind -------------------------------------------------------------------

Program Elementwise(RandomOp& r) {
  const std::string shape = F32(r.Sizes(r.Pick(0, 3)));
  const char* opcodes[] = {"add", "multiply", "subtract", "divide"};
  return {{shape, shape}, fmt::format("{} {}(p0, p1)", shape, opcodes[r.Pick(0, 3)]), ""};
}

Program Unary(RandomOp& r) {
  const std::string shape = F32(r.Sizes(r.Pick(0, 3)));
  const char* opcodes[] = {"negate", "exponential", "copy", "tanh"};
  // tanh and exponential saturate where changes are large.
  return {{shape}, fmt::format("{} {}(p0)", shape, opcodes[r.Pick(0, 1) * 2]), ""};
}

Program Broadcast(RandomOp& r) {
  const Dims output = r.Sizes(r.Pick(0, 3));
  Dims operand;
  const std::vector<int64_t> kept = r.Subset(static_cast<int64_t>(output.size()));
  for (int64_t d : kept) operand.push_back(output[static_cast<size_t>(d)]);
  return {
      {F32(operand)}, fmt::format("{} broadcast(p0), dimensions={}", F32(output), List(kept)), ""};
}

Program Transpose(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 4), 1, 3);
  const std::vector<int64_t> order = r.Permutation(static_cast<int64_t>(operand.size()));
  Dims output;
  for (int64_t d : order) output.push_back(operand[static_cast<size_t>(d)]);
  return {
      {F32(operand)}, fmt::format("{} transpose(p0), dimensions={}", F32(output), List(order)), ""};
}

// Factors of one product, in any grouping.
Dims Grouped(RandomOp& r, const Dims& factors) {
  Dims dims = {1};
  for (int64_t f : factors) {
    if (r.Flip()) dims.push_back(1);
    dims.back() *= f;
  }
  return dims;
}

Program Reshape(RandomOp& r) {
  const Dims factors = r.Sizes(r.Pick(1, 4), 1, 3);
  Dims shuffled;
  for (int64_t i : r.Permutation(static_cast<int64_t>(factors.size()))) {
    shuffled.push_back(factors[static_cast<size_t>(i)]);
  }
  return {{F32(Grouped(r, factors))}, fmt::format("{} reshape(p0)", F32(Grouped(r, shuffled))), ""};
}

Program Bitcast(RandomOp& r) {
  const Dims factors = r.Sizes(r.Pick(1, 4), 1, 3);
  const auto shape = [&](const Dims& dims) {
    return F32(dims) + List(r.Permutation(static_cast<int64_t>(dims.size())));
  };
  return {
      {shape(Grouped(r, factors))}, fmt::format("{} bitcast(p0)", shape(Grouped(r, factors))), ""};
}

Program Reverse(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 3));
  const auto reversed = r.Subset(static_cast<int64_t>(dims.size()));
  return {{F32(dims)}, fmt::format("{} reverse(p0), dimensions={}", F32(dims), List(reversed)), ""};
}

Program Slice(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 3), 1, 6);
  Dims output;
  std::vector<std::string> ranges;
  for (int64_t size : operand) {
    const int64_t start = r.Pick(0, size - 1), limit = r.Pick(start + 1, size);
    const int64_t stride = r.Pick(1, 3);
    output.push_back((limit - start + stride - 1) / stride);
    ranges.push_back(fmt::format("[{}:{}:{}]", start, limit, stride));
  }
  return {{F32(operand)},
          fmt::format("{} slice(p0), slice={{{}}}", F32(output), fmt::join(ranges, ", ")),
          ""};
}

Program Concatenate(RandomOp& r) {
  Dims first = r.Sizes(r.Pick(1, 3));
  const size_t c = static_cast<size_t>(r.Pick(0, static_cast<int64_t>(first.size()) - 1));
  Program program;
  Dims output = first;
  output[c] = 0;
  std::vector<std::string> names;
  for (int64_t i = 0, count = r.Pick(1, 3); i < count; ++i) {
    first[c] = r.Pick(1, 3);
    output[c] += first[c];
    program.parameters.push_back(F32(first));
    names.push_back(fmt::format("p{}", i));
  }
  program.root =
      fmt::format("{} concatenate({}), dimensions={{{}}}", F32(output), fmt::join(names, ", "), c);
  return program;
}

Program Pad(RandomOp& r) {
  Dims operand = r.Sizes(r.Pick(1, 2), 1, 4), output;
  std::vector<std::string> padding;
  for (int64_t size : operand) {
    const int64_t interior = r.Pick(0, 2), low = r.Pick(-1, 3);
    const int64_t inner = size + (size - 1) * interior;
    const int64_t high = r.Pick(std::max<int64_t>(-1, -inner - low), 3);
    output.push_back(std::max<int64_t>(0, inner + low + high));
    padding.push_back(fmt::format("{}_{}_{}", low, high, interior));
  }
  return {{F32(operand), "f32[]"},
          fmt::format("{} pad(p0, p1), padding={}", F32(output), fmt::join(padding, "x")),
          ""};
}

Program Reduce(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 3));
  const auto reduced = r.Subset(static_cast<int64_t>(operand.size()));
  Dims output;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (std::ranges::find(reduced, static_cast<int64_t>(d)) == reduced.end()) {
      output.push_back(operand[d]);
    }
  }
  return {{F32(operand), "f32[]"},
          fmt::format("{} reduce(p0, p1), dimensions={}, to_apply=add", F32(output), List(reduced)),
          kAdd};
}

struct WindowText {
  std::string text;
  Dims window, output;
};

WindowText RandomWindow(RandomOp& r, const Dims& base) {
  WindowText result;
  std::vector<std::string> size, stride, pad, lhs, rhs;
  for (int64_t n : base) {
    while (true) {
      const int64_t w = r.Pick(1, 3), t = r.Pick(1, 3), b = r.Pick(1, 2), v = r.Pick(1, 2);
      const int64_t low = r.Pick(-1, 2), high = r.Pick(-1, 2);
      const int64_t padded = (n - 1) * b + 1 + low + high;
      const int64_t reach = (w - 1) * v + 1;
      if (padded < reach) continue;
      size.push_back(std::to_string(w));
      stride.push_back(std::to_string(t));
      pad.push_back(fmt::format("{}_{}", low, high));
      lhs.push_back(std::to_string(b));
      rhs.push_back(std::to_string(v));
      result.window.push_back(w);
      result.output.push_back((padded - reach) / t + 1);
      break;
    }
  }
  result.text = fmt::format("window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={}}}",
                            fmt::join(size, "x"), fmt::join(stride, "x"), fmt::join(pad, "x"),
                            fmt::join(lhs, "x"), fmt::join(rhs, "x"));
  return result;
}

Program ReduceWindow(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 1, 5);
  const WindowText window = RandomWindow(r, operand);
  return {
      {F32(operand), "f32[]"},
      fmt::format("{} reduce-window(p0, p1), {}, to_apply=add", F32(window.output), window.text),
      kAdd};
}

Program Dot(RandomOp& r) {
  const int64_t batch = r.Pick(0, 1), contracting = r.Pick(0, 2);
  const Dims shared = r.Sizes(batch + contracting, 1, 3);
  const auto side = [&](std::vector<int64_t>* places) {
    Dims roles = shared;
    for (int64_t size : r.Sizes(r.Pick(0, 2), 1, 3)) roles.push_back(size);
    const auto order = r.Permutation(static_cast<int64_t>(roles.size()));
    Dims dims;
    for (int64_t role : order) dims.push_back(roles[static_cast<size_t>(role)]);
    for (size_t role = 0; role < shared.size(); ++role) {
      places->push_back(std::ranges::find(order, static_cast<int64_t>(role)) - order.begin());
    }
    return dims;
  };
  std::vector<int64_t> left, right;
  const Dims lhs = side(&left), rhs = side(&right);
  Dims output(shared.begin(), shared.begin() + batch);
  const auto append_free = [&](const Dims& dims, const std::vector<int64_t>& places) {
    for (size_t d = 0; d < dims.size(); ++d) {
      if (std::ranges::find(places, static_cast<int64_t>(d)) == places.end()) {
        output.push_back(dims[d]);
      }
    }
  };
  append_free(lhs, left);
  append_free(rhs, right);
  const auto part = [&](const std::vector<int64_t>& places, bool is_batch) {
    return List(is_batch ? std::vector<int64_t>(places.begin(), places.begin() + batch)
                         : std::vector<int64_t>(places.begin() + batch, places.end()));
  };
  return {{F32(lhs), F32(rhs)},
          fmt::format("{} dot(p0, p1), lhs_batch_dims={}, rhs_batch_dims={}, "
                      "lhs_contracting_dims={}, rhs_contracting_dims={}",
                      F32(output), part(left, true), part(right, true), part(left, false),
                      part(right, false)),
          ""};
}

Program Convolution(RandomOp& r) {
  const Dims spatial = r.Sizes(r.Pick(1, 2), 2, 5);
  const WindowText window = RandomWindow(r, spatial);
  const int64_t feature_groups = r.Pick(1, 2), batch_groups = feature_groups > 1 ? 1 : r.Pick(1, 2);
  const int64_t kernel_inputs = r.Pick(1, 2), batch = r.Pick(1, 2);
  const int64_t outputs = r.Pick(1, 2) * feature_groups * batch_groups;
  const std::string digits = spatial.size() == 1 ? "0" : "01";
  Dims input = {batch * batch_groups}, kernel = {kernel_inputs}, output = {batch};
  input.insert(input.end(), spatial.begin(), spatial.end());
  input.push_back(kernel_inputs * feature_groups);
  kernel.insert(kernel.end(), window.window.begin(), window.window.end());
  kernel.push_back(outputs);
  output.insert(output.end(), window.output.begin(), window.output.end());
  output.push_back(outputs);
  std::string text = window.text;
  if (r.Flip()) {
    text.insert(text.size() - 1, " rhs_reversal=" + std::string(spatial.size() == 1 ? "1" : "1x0"));
  }
  return {{F32(input), F32(kernel)},
          fmt::format("{} convolution(p0, p1), {}, dim_labels=b{}f_i{}o->b{}f, "
                      "feature_group_count={}, batch_group_count={}",
                      F32(output), text, digits, digits, digits, feature_groups, batch_groups),
          ""};
}

Program DynamicSlice(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 1, 5);
  Dims sizes;
  Program program{{F32(operand)}, "", ""};
  std::string starts;
  for (size_t d = 0; d < operand.size(); ++d) {
    sizes.push_back(r.Pick(1, operand[d]));
    program.parameters.push_back("s32[]");
    starts += fmt::format(", p{}", d + 1);
  }
  program.root = fmt::format("{} dynamic-slice(p0{}), dynamic_slice_sizes={}", F32(sizes), starts,
                             List(sizes));
  return program;
}

Program DynamicUpdateSlice(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 1, 5);
  Dims sizes;
  Program program{{F32(operand), ""}, "", ""};
  std::string starts;
  for (size_t d = 0; d < operand.size(); ++d) {
    sizes.push_back(r.Pick(1, operand[d]));
    program.parameters.push_back("s32[]");
    starts += fmt::format(", p{}", d + 2);
  }
  program.parameters[1] = F32(sizes);
  program.root = fmt::format("{} dynamic-update-slice(p0, p1{})", F32(operand), starts);
  return program;
}

struct GatherText {
  Dims operand, indices, windows;
  std::string attributes;
};

// Offsets behind or before the batch dimensions, some slices collapsed, batching now and then.
GatherText RandomGather(RandomOp& r, bool is_scatter) {
  GatherText g;
  const int64_t rank = r.Pick(1, 3);
  g.operand = r.Sizes(rank, is_scatter ? 4 : 1, 5);
  const bool has_batching = rank > 1 && r.Flip();
  std::vector<int64_t> map, collapsed, batching, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (has_batching && d == 0) {
      batching.push_back(0);
      sizes.push_back(1);
      continue;
    }
    if (r.Flip() || map.empty()) map.push_back(d);
    const bool is_collapsed = r.Flip();
    if (is_collapsed) collapsed.push_back(d);
    // Starts of up to 3 keep a scatter's window inside.
    const int64_t largest =
        is_scatter ? g.operand[static_cast<size_t>(d)] - 3 : g.operand[static_cast<size_t>(d)];
    sizes.push_back(is_collapsed ? 1 : r.Pick(1, std::max<int64_t>(1, largest)));
  }
  Dims batch;
  if (has_batching) batch.push_back(g.operand[0]);
  for (int64_t size : r.Sizes(r.Pick(has_batching ? 0 : 1, 1), 1, 3)) batch.push_back(size);
  g.indices = batch;
  g.indices.push_back(static_cast<int64_t>(map.size()));
  Dims offsets;
  for (int64_t d = 0; d < rank; ++d) {
    const bool is_gone = std::ranges::find(collapsed, d) != collapsed.end() ||
                         std::ranges::find(batching, d) != batching.end();
    if (!is_gone) offsets.push_back(sizes[static_cast<size_t>(d)]);
  }
  const bool offsets_first = r.Flip();
  const int64_t first = offsets_first ? 0 : static_cast<int64_t>(batch.size());
  std::vector<int64_t> offset_dims(offsets.size());
  std::iota(offset_dims.begin(), offset_dims.end(), first);
  g.windows = offsets_first ? offsets : batch;
  const Dims& rest = offsets_first ? batch : offsets;
  g.windows.insert(g.windows.end(), rest.begin(), rest.end());
  g.attributes =
      is_scatter ? fmt::format(
                       "update_window_dims={}, inserted_window_dims={}, "
                       "scatter_dims_to_operand_dims={}, index_vector_dim={}, to_apply=add",
                       List(offset_dims), List(collapsed), List(map), batch.size())
                 : fmt::format(
                       "offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
                       "index_vector_dim={}, slice_sizes={}",
                       List(offset_dims), List(collapsed), List(map), batch.size(), List(sizes));
  if (has_batching) {
    g.attributes += is_scatter ? ", input_batching_dims={0}, scatter_indices_batching_dims={0}"
                               : ", operand_batching_dims={0}, start_indices_batching_dims={0}";
  }
  return g;
}

Program Gather(RandomOp& r) {
  const GatherText g = RandomGather(r, /*is_scatter=*/false);
  return {{F32(g.operand), Text("s32", g.indices)},
          fmt::format("{} gather(p0, p1), {}", F32(g.windows), g.attributes),
          ""};
}

Program Scatter(RandomOp& r) {
  const GatherText g = RandomGather(r, /*is_scatter=*/true);
  return {{F32(g.operand), Text("s32", g.indices), F32(g.windows)},
          fmt::format("{} scatter(p0, p1, p2), {}", F32(g.operand), g.attributes),
          kAdd};
}

Program Sort(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 3));
  return {
      {F32(dims)},
      fmt::format("{} sort(p0), dimensions={{{}}}, to_apply=less", F32(dims),
                  r.Pick(0, static_cast<int64_t>(dims.size()) - 1)),
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, "
      "b), direction=LT\n}\n"};
}

Program Scan(RandomOp& r) {
  const Dims dims = r.Sizes(1, 1, 5);
  return {{F32(dims), "f32[]"},
          fmt::format("({}, f32[]) scan(p0, p1), dimensions={{0}}, num_carries=1{}, to_apply=step",
                      F32(dims), r.Flip() ? ", is_reverse=true" : ""),
          "step {\n  x = f32[] parameter(0)\n  c = f32[] parameter(1)\n  s = f32[] add(x, c)\n  "
          "ROOT t = (f32[], f32[]) tuple(s, s)\n}\n"};
}

Program Fft(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 3), 2, 3);
  const int64_t transformed = r.Pick(1, static_cast<int64_t>(dims.size()));
  const Dims lengths(dims.end() - transformed, dims.end());
  return {{Text("c64", dims)},
          fmt::format("{} fft(p0), fft_type=FFT, fft_length={}", Text("c64", dims), List(lengths)),
          ""};
}

Program BatchNormInference(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(2, 3));
  const int64_t feature = r.Pick(0, static_cast<int64_t>(dims.size()) - 1);
  const std::string features = F32({dims[static_cast<size_t>(feature)]});
  return {{F32(dims), features, features, features, features},
          fmt::format("{} batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.001, "
                      "feature_index={}",
                      F32(dims), feature),
          ""};
}

Program BitcastConvert(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 2));
  Dims narrow = dims;
  narrow.push_back(4);
  if (r.Flip()) return {{Text("s32", dims)}, Text("s8", narrow) + " bitcast-convert(p0)", ""};
  return {{Text("s8", narrow)}, Text("s32", dims) + " bitcast-convert(p0)", ""};
}

// Movement inside a fusion: what the composition of random steps leaves.
Program Fusion(RandomOp& r) {
  Dims dims = r.Sizes(r.Pick(1, 3), 1, 4);
  const Dims start = dims;
  std::string body = fmt::format("f {{\n  v0 = {} parameter(0)\n", F32(dims));
  int64_t value = 0;
  for (int64_t step = 0, steps = r.Pick(1, 4); step < steps; ++step) {
    const auto reversed = r.Subset(static_cast<int64_t>(dims.size()));
    const auto order = r.Permutation(static_cast<int64_t>(dims.size()));
    std::string line;
    switch (r.Pick(0, 3)) {
      case 0:
        line = fmt::format("{} reverse(v{}), dimensions={}", F32(dims), value, List(reversed));
        break;
      case 1: {
        Dims output;
        for (int64_t d : order) output.push_back(dims[static_cast<size_t>(d)]);
        line = fmt::format("{} transpose(v{}), dimensions={}", F32(output), value, List(order));
        dims = output;
        break;
      }
      case 2: {
        int64_t count = 1;
        for (int64_t d : dims) count *= d;
        int64_t factor = 1;
        for (int64_t f : {2, 3, 4}) {
          if (count % f == 0 && r.Flip()) factor = f;
        }
        dims = {factor, count / factor};
        line = fmt::format("{} reshape(v{})", F32(dims), value);
        break;
      }
      default: {
        Dims output;
        std::vector<std::string> ranges;
        for (int64_t size : dims) {
          const int64_t first = r.Pick(0, size - 1), stride = r.Pick(1, 2);
          output.push_back((size - first + stride - 1) / stride);
          ranges.push_back(fmt::format("[{}:{}:{}]", first, size, stride));
        }
        line =
            fmt::format("{} slice(v{}), slice={{{}}}", F32(output), value, fmt::join(ranges, ", "));
        dims = output;
      }
    }
    body += fmt::format("  {}v{} = {}\n", step + 1 == steps ? "ROOT " : "", value + 1, line);
    ++value;
  }
  return {{F32(start)}, fmt::format("{} fusion(p0), kind=kLoop, calls=f", F32(dims)), body + "}\n"};
}

// --- The comparison -----------------------------------------------------------------------------

struct Kind {
  const char* name;
  Program (*make)(RandomOp& random);
  int programs;
  // Operands and directions whose maps say more than what can be seen: the others are exact.
  std::function<bool(bool to_input, int64_t operand)> is_wide = [](bool, int64_t) { return false; };
};

bool Never(bool, int64_t) { return false; }
bool OfIndices(bool, int64_t operand) { return operand > 0; }

const Kind kKinds[] = {
    {"elementwise", Elementwise, 100, Never},
    {"unary", Unary, 60, Never},
    {"broadcast", Broadcast, 150, Never},
    {"transpose", Transpose, 150, Never},
    {"reshape", Reshape, 300, Never},
    {"bitcast", Bitcast, 300, Never},
    {"reverse", Reverse, 100, Never},
    {"slice", Slice, 200, Never},
    {"concatenate", Concatenate, 150, Never},
    // The padding value is read where no element is: there is no "not in".
    {"pad", Pad, 200, [](bool, int64_t operand) { return operand == 1; }},
    {"reduce", Reduce, 150, Never},
    // Windows that see padding only read nothing, but XLA and we give the initial value to all.
    {"reduce_window", ReduceWindow, 300, Never},
    {"dot", Dot, 200, Never},
    // Kernel elements over padding count as read (indexing.md 2.5).
    {"convolution", Convolution, 250, [](bool, int64_t operand) { return operand == 1; }},
    {"dynamic_slice", DynamicSlice, 150, OfIndices},
    // The window that is overwritten is not taken from the operand's map.
    {"dynamic_update_slice", DynamicUpdateSlice, 150,
     [](bool, int64_t operand) { return operand != 1; }},
    {"gather", Gather, 250, OfIndices},
    {"scatter", Scatter, 250, [](bool, int64_t operand) { return operand == 1; }},
    {"sort", Sort, 60, [](bool, int64_t) { return true; }},
    {"scan", Scan, 60, Never},
    {"fft", Fft, 40, [](bool, int64_t) { return true; }},
    {"batch_norm_inference", BatchNormInference, 40, Never},
    {"bitcast_convert", BitcastConvert, 60, [](bool, int64_t) { return true; }},
    {"fusion", Fusion, 300, Never},
};

class Exactness : public ::testing::TestWithParam<Kind> {};

void CheckProgram(const Kind& kind, uint32_t seed, bool sound) {
  RandomOp random(seed);
  const std::string text = TextOf(kind.make(random));
  SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
  const absl::StatusOr<Module> module = ParseText("random", text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Instruction& root = module->root(module->entry());
  const int64_t outputs = indexing::OutputCount(*root.shape);
  for (size_t operand = 0; operand < root.operands.size(); ++operand) {
    for (int64_t output = 0; output < outputs; ++output) {
      for (bool to_input : {true, false}) {
        tools::CheckOptions options;
        options.sound = sound;
        options.seed = seed;
        const int64_t number = static_cast<int64_t>(operand);
        const absl::StatusOr<tools::CheckResult> result =
            tools::CheckMaps(*module, module->entry().root, to_input, output, number, options);
        SCOPED_TRACE(fmt::format("operand {} output {} {}", operand, output,
                                 to_input ? "to input" : "to output"));
        if (absl::IsUnimplemented(result.status()) && !sound) continue;
        ASSERT_TRUE(result.ok()) << result.status().message();
        EXPECT_EQ(result->missed, 0) << result->example;
        if (sound && !kind.is_wide(to_input, number)) {
          EXPECT_EQ(result->overestimated, 0) << result->example;
        }
      }
    }
  }
}

TEST_P(Exactness, ImageIsTheDependence) {
  const Kind& kind = GetParam();
  for (int seed = 0; seed < kind.programs && !HasFailure(); ++seed) {
    CheckProgram(kind, static_cast<uint32_t>(seed), /*sound=*/true);
  }
}

INSTANTIATE_TEST_SUITE_P(Opcodes, Exactness, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hlo::testing

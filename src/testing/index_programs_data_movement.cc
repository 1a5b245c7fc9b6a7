// Operations that move elements, and fusions of them.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

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

constexpr ProgramKind kPrograms[] = {
    {"broadcast", Broadcast, 150},
    {"transpose", Transpose, 150},
    {"reshape", Reshape, 300},
    {"bitcast", Bitcast, 300},
    {"reverse", Reverse, 100},
    {"slice", Slice, 200},
    {"concatenate", Concatenate, 150},
    // The padding value is read where no element is: there is no "not in".
    {"pad", Pad, 200, OfOperand<1>},
    {"bitcast_convert", BitcastConvert, 40, Never, 40},
    {"fusion", Fusion, 300},
};

}  // namespace

std::span<const ProgramKind> DataMovementPrograms() { return kPrograms; }

}  // namespace hlo::testing

// Operations that combine elements along dimensions or windows.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

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

// Each of the two depends on both.
constexpr char kMixed[] = R"(mixed {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  floats = f32[] add(a, b)
  whole = s32[] add(i, j)
  rounded = s32[] convert(floats)
  exact = f32[] convert(whole)
  first = f32[] add(floats, exact)
  second = s32[] add(whole, rounded)
  ROOT pair = (f32[], s32[]) tuple(first, second)
}
)";

Program VariadicReduce(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 3));
  const auto reduced = r.Subset(static_cast<int64_t>(operand.size()));
  Dims output;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (std::ranges::find(reduced, static_cast<int64_t>(d)) == reduced.end()) {
      output.push_back(operand[d]);
    }
  }
  return {{F32(operand), Text("s32", operand), "f32[]", "s32[]"},
          fmt::format("({}, {}) reduce(p0, p1, p2, p3), dimensions={}, to_apply=mixed", F32(output),
                      Text("s32", output), List(reduced)),
          kMixed};
}

Program ReduceWindow(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 1, 5);
  const WindowText window = RandomWindow(r, operand);
  return {
      {F32(operand), "f32[]"},
      fmt::format("{} reduce-window(p0, p1), {}, to_apply=add", F32(window.output), window.text),
      kAdd};
}

// Windows without dilations, as the opcode wants them, of at least two elements: there is something
// to select.
Program SelectAndScatter(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 2, 5);
  Dims source;
  std::vector<std::string> size, stride;
  for (int64_t n : operand) {
    const int64_t window = r.Pick(2, std::min<int64_t>(n, 3)), step = r.Pick(1, 3);
    size.push_back(std::to_string(window));
    stride.push_back(std::to_string(step));
    source.push_back((n - window) / step + 1);
  }
  return {{F32(operand), F32(source), "f32[]"},
          fmt::format("{} select-and-scatter(p0, p1, p2), window={{size={} stride={}}}, "
                      "select=ge, scatter=add",
                      F32(operand), fmt::join(size, "x"), fmt::join(stride, "x")),
          std::string(kAdd) +
              "ge {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT c = pred[] "
              "compare(x, y), direction=GE\n}\n"};
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

Program TopK(RandomOp& r) {
  Dims dims = r.Sizes(r.Pick(1, 2), 1, 5);
  dims.back() = r.Pick(2, 5);  // the index of one element is no question
  Dims output = dims;
  output.back() = r.Pick(1, dims.back());
  return {{F32(dims)},
          fmt::format("({}, {}) topk(p0), k={}, largest={}", F32(output), Text("s32", output),
                      output.back(), r.Flip()),
          ""};
}

Program Scan(RandomOp& r) {
  const Dims dims = r.Sizes(1, 1, 5);
  return {{F32(dims), "f32[]"},
          fmt::format("({}, f32[]) scan(p0, p1), dimensions={{0}}, num_carries=1{}, to_apply=step",
                      F32(dims), r.Flip() ? ", is_reverse=true" : ""),
          "step {\n  x = f32[] parameter(0)\n  c = f32[] parameter(1)\n  s = f32[] add(x, c)\n  "
          "ROOT t = (f32[], f32[]) tuple(s, s)\n}\n"};
}

constexpr ProgramKind kPrograms[] = {
    {"reduce", Reduce, 150},
    {"variadic_reduce", VariadicReduce, 60, Never, 4},
    // Windows that see padding only read nothing, but XLA and we give the initial value to all.
    {"reduce_window", ReduceWindow, 300},
    {"select_and_scatter", SelectAndScatter, 40, Never, 60},
    {"sort", Sort, 60, Never, 12},
    {"topk", TopK, 40, Never, 40},
    {"scan", Scan, 60},
};

}  // namespace

std::span<const ProgramKind> ReductionPrograms() { return kPrograms; }

}  // namespace hlo::testing

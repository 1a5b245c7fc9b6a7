// Elementwise operations.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

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

Program Select(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(0, 3));
  return {{Text("pred", dims), F32(dims), F32(dims)}, F32(dims) + " select(p0, p1, p2)", ""};
}

// Scalar bounds are read for every element.
Program Clamp(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 3));
  const std::string bound = F32(r.Flip() ? dims : Dims());
  return {{bound, F32(dims), bound}, F32(dims) + " clamp(p0, p1, p2)", ""};
}

Program Convert(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(0, 3));
  return {{Text("s32", dims)}, F32(dims) + " convert(p0)", ""};
}

Program Map(RandomOp& r) {
  const Dims dims = r.Sizes(r.Pick(1, 3));
  std::vector<int64_t> all(dims.size());
  std::iota(all.begin(), all.end(), 0);
  return {{F32(dims), F32(dims)},
          fmt::format("{} map(p0, p1), dimensions={}, to_apply=add", F32(dims), List(all)),
          kAdd};
}

constexpr ProgramKind kPrograms[] = {
    {"elementwise", Elementwise, 100}, {"unary", Unary, 60},     {"select", Select, 40, Never, 40},
    {"clamp", Clamp, 60, Never, 12},   {"convert", Convert, 60}, {"map", Map, 60},
};

}  // namespace

std::span<const ProgramKind> ElementwisePrograms() { return kPrograms; }

}  // namespace hlo::testing

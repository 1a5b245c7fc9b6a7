// Makes a program, prints it and runs it: the softmax of each row of a matrix.
#include <cmath>
#include <cstdio>

#include "builder/operations.h"
#include "printer/printer.h"
#include "run_program.h"

using namespace hlo::ops;

namespace {

const hlo::Shape kScalar = hlo::Shape::Scalar(hlo::ElementType::kF32);

// exp(x - max) / sum, with the largest element and the sum of each row.
Op Softmax(hlo::HloBuilder& builder, const Op& x) {
  const Callee max = builder.AddComputation(
      "max", {kScalar, kScalar}, [](hlo::HloBuilder&, Ops v) { return Max(v[0], v[1]); });
  const Callee add = builder.AddComputation(
      "add", {kScalar, kScalar}, [](hlo::HloBuilder&, Ops v) { return Add(v[0], v[1]); });
  const Op largest = Reduce(x, ConstantR0<float>(builder, -INFINITY), max, {1});
  const Op exponentials = Exp(Sub(x, largest, {0}));
  const Op sums = Reduce(exponentials, ConstantR0<float>(builder, 0), add, {1});
  return Div(exponentials, sums, {0});
}

}  // namespace

int main() {
  hlo::HloBuilder builder("softmax");
  const hlo::Shape matrix = hlo::Shape::Array(hlo::ElementType::kF32, {{2, 3}});
  const Op x = Parameter(builder, 0, matrix, "x");
  const absl::StatusOr<hlo::Module> module = builder.Build(Softmax(builder, x));
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
    return 1;
  }
  std::puts(hlo::PrintModule(*module).c_str());

  const hlo::Literal argument = FloatArray({2, 3}, {0, 0, 0, 1, 2, 3});
  const absl::StatusOr<hlo::Literal> result = RunProgram(*module, {&argument, 1});
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    return 1;
  }
  std::puts(hlo::PrintResultLiteral(*result).c_str());
  return 0;
}

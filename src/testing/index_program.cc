// Programs are text, so that one that fails can be given to the tools as it is. Each dimension of a
// window is drawn again until it has a place to stand, so its output is never empty.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

std::string Text(const std::string& type, const Dims& dims) {
  return fmt::format("{}[{}]", type, fmt::join(dims, ","));
}
std::string F32(const Dims& dims) { return Text("f32", dims); }
std::string List(const std::vector<int64_t>& items) {
  return fmt::format("{{{}}}", fmt::join(items, ","));
}

const char kAdd[] = R"(add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
)";

std::string TextOf(const Program& program) {
  std::string text = "HloModule m\n" + program.before + "ENTRY main {\n";
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    text += fmt::format("  p{} = {} parameter({})\n", i, program.parameters[i], i);
  }
  return text + "  ROOT r = " + program.root + "\n}\n";
}

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

bool Never(bool, int64_t) { return false; }
bool Always(bool, int64_t) { return true; }

}  // namespace hlo::testing

// Loops whose state is a few small arrays of several types. What a body makes grows by instructions
// over a pool of values, from which the next state is taken: as it was, in other places, or new.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"

namespace hlo::testing {
namespace {

struct Value {
  std::string name;
  std::string shape;
};

class LoopWriter {
 public:
  explicit LoopWriter(uint32_t seed)
      : dice_(seed), size_(dice_.OneOf<int64_t>({1, 2, 5, 16, 33})) {}

  std::string Write() {
    std::vector<std::string> state = {"s32[]"};
    for (int64_t i = 2 + dice_.Below(5); i > 0; --i) state.push_back(AnyShape());
    const std::string tuple = fmt::format("({})", fmt::join(state, ", "));
    const std::string body = Body(state, tuple);
    std::string parameters;
    std::vector<std::string> initial = {"zero"};
    for (size_t i = 1; i < state.size(); ++i) {
      parameters += fmt::format("  a{0} = {1} parameter({2})\n", i, state[i], i - 1);
      initial.push_back(fmt::format("a{}", i));
    }
    return fmt::format(
        "HloModule random\n\n{}condition {{\n  p = {} parameter(0)\n"
        "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant({})\n"
        "  ROOT goes_on = pred[] compare(i, n), direction=LT\n}}\n\nENTRY main {{\n{}"
        "  zero = s32[] constant(0)\n  init = {} tuple({})\n"
        "  ROOT loop = {} while(init), condition=condition, body=body\n}}\n",
        body, tuple, dice_.Below(5), parameters, tuple, fmt::join(initial, ", "), tuple);
  }

 private:
  std::string AnyType() { return dice_.OneOf<std::string>({"f32", "f32", "s32", "f64", "bf16"}); }
  std::string Vector(const std::string& type) const { return fmt::format("{}[{}]", type, size_); }
  std::string AnyShape() {
    const std::string type = AnyType();
    return dice_.Chance(50) ? Vector(type) : type + "[]";
  }
  static std::string TypeOf(const Value& value) {
    return value.shape.substr(0, value.shape.find('['));
  }
  static bool IsScalar(const Value& value) { return value.shape.ends_with("[]"); }

  std::string Body(const std::vector<std::string>& state, const std::string& tuple) {
    for (size_t i = 0; i < state.size(); ++i) {
      Add(state[i], fmt::format("get-tuple-element(p), index={}", i));
    }
    Add("s32[]", "constant(1)");
    const std::string next =
        Add("s32[]", fmt::format("add({}, {})", values_[0].name, values_.back().name));
    for (int64_t i = 4 + dice_.Below(25); i > 0; --i) AddAny();
    std::vector<std::string> results = {next};
    for (size_t i = 1; i < state.size(); ++i) results.push_back(Of(state[i]).name);
    return fmt::format("{}body {{\n  p = {} parameter(0)\n{}  ROOT r = {} tuple({})\n}}\n\n",
                       functions_, tuple, body_, tuple, fmt::join(results, ", "));
  }

  std::string Add(const std::string& shape, const std::string& definition) {
    values_.push_back({fmt::format("v{}", values_.size()), shape});
    body_ += fmt::format("  {} = {} {}\n", values_.back().name, shape, definition);
    return values_.back().name;
  }

  const Value& Any() {
    return values_[static_cast<size_t>(dice_.Below(static_cast<int64_t>(values_.size())))];
  }
  // The last ones are the likeliest.
  Value Of(const std::string& shape) {
    for (size_t i = values_.size(); i-- > 0;) {
      if (values_[i].shape == shape && dice_.Chance(40)) return values_[i];
    }
    for (const Value& value : values_) {
      if (value.shape == shape) return value;
    }
    Add(shape, shape.ends_with("[]")
                   ? "constant(3)"
                   : fmt::format("broadcast({}), dimensions={{}}",
                                 Of(shape.substr(0, shape.find('[')) + "[]").name));
    return values_.back();
  }

  void AddAny() {
    const Value value = Any();
    switch (dice_.Below(9)) {
      case 0:
        return AddElement(value);
      case 1:
        return AddUpdate(value);
      case 2:
        return AddCounted();
      case 3:
        return AddSelect(value);
      case 4:
        return AddCall(value);
      case 5:
        if (IsScalar(value)) {
          Add(Vector(TypeOf(value)), fmt::format("broadcast({}), dimensions={{}}", value.name));
        } else {
          AddPart(value);
        }
        return;
      case 6: {
        const std::string type = AnyType();
        Add(IsScalar(value) ? type + "[]" : Vector(type), fmt::format("convert({})", value.name));
        return;
      }
      default: {
        const auto opcode =
            dice_.OneOf<std::string>({"add", "subtract", "maximum", "minimum", "multiply"});
        Add(value.shape, fmt::format("{}({}, {})", opcode, value.name, Of(value.shape).name));
      }
    }
  }

  // Of a vector, where a number says.
  void AddElement(const Value& value) {
    if (IsScalar(value)) return;
    const std::string type = TypeOf(value);
    const std::string sliced =
        Add(type + "[1]", fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{1}}",
                                      value.name, Of("s32[]").name));
    Add(type + "[]", fmt::format("reshape({})", sliced));
  }

  void AddUpdate(const Value& value) {
    if (IsScalar(value)) return;
    const std::string type = TypeOf(value);
    const std::string one = Add(type + "[1]", fmt::format("reshape({})", Of(type + "[]").name));
    Add(value.shape,
        fmt::format("dynamic-update-slice({}, {}, {})", value.name, one, Of("s32[]").name));
  }

  void AddCounted() {
    const std::string numbers = Add("s32[7]", "iota(), iota_dimension=0");
    const std::string sliced = Add(
        "s32[1]",
        fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{1}}", numbers, Of("s32[]").name));
    Add("s32[]", fmt::format("reshape({})", sliced));
  }

  void AddSelect(const Value& value) {
    const std::string chosen =
        Add(IsScalar(value) ? "pred[]" : Vector("pred"),
            fmt::format("compare({}, {}), direction={}", value.name, Of(value.shape).name,
                        dice_.OneOf<std::string>({"LT", "GE", "EQ"})));
    Add(value.shape, fmt::format("select({}, {}, {})", chosen, value.name, Of(value.shape).name));
  }

  // The same function of the same argument, for what is computed twice.
  void AddCall(const Value& value) {
    const std::string name = fmt::format("f{}", values_.size());
    functions_ += fmt::format(
        "{0} {{\n  x = {1} parameter(0)\n  y = {1} add(x, x)\n  ROOT z = {1} maximum(y, x)\n}}\n\n",
        name, value.shape);
    for (int i = 0; i < 2; ++i)
      Add(value.shape, fmt::format("call({}), to_apply={}", value.name, name));
  }

  // Two parts of a vector change places.
  void AddPart(const Value& value) {
    if (size_ < 2) return;
    const std::string type = TypeOf(value);
    const int64_t cut = 1 + dice_.Below(size_ - 1);
    const std::string head = Add(fmt::format("{}[{}]", type, cut),
                                 fmt::format("slice({}), slice={{[0:{}]}}", value.name, cut));
    const std::string tail =
        Add(fmt::format("{}[{}]", type, size_ - cut),
            fmt::format("slice({}), slice={{[{}:{}]}}", value.name, cut, size_));
    Add(value.shape, fmt::format("concatenate({}, {}), dimensions={{0}}", tail, head));
  }

  Dice dice_;
  int64_t size_;  // of vectors
  std::vector<Value> values_;
  std::string body_, functions_;
};

}  // namespace

std::string RandomLoop(uint32_t seed) { return LoopWriter(seed).Write(); }

}  // namespace hlo::testing

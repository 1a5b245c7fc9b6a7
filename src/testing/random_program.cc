// Elementwise programs grow over four shapes by opcodes that are exact, or by such as keep small
// errors small. Programs of one dot or convolution are in random_contraction.cc, those that walk
// over their operand in other orders in random_movement.cc.
#include "testing/random_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/element_type.h"
#include "testing/dice.h"
#include "testing/random_shape.h"

namespace hlo::testing {

std::string RandomBatchNorm(uint32_t seed) {
  Dice dice(seed);
  const auto type = dice.OneOf<std::string>({"f32", "f32", "bf16", "f16", "f64"});
  Sizes sizes;
  for (int64_t d = 1 + dice.Below(4); d > 0; --d) {
    sizes.push_back(dice.Chance(2) ? 0 : 1 + dice.Below(dice.OneOf<int64_t>({3, 20, 70})));
  }
  const int64_t feature = dice.Below(static_cast<int64_t>(sizes.size()));
  const std::string whole = ShapeOf(type, sizes);
  const std::string features = ShapeOf(type, {sizes[static_cast<size_t>(feature)]});
  const auto kind = dice.OneOf<std::string>({"training", "inference", "grad"});
  const std::string variance =
      fmt::format("  odd = {0} parameter(3)\n  v = {0} abs(odd)\n", features);
  std::string rest, operands = "x, s, b", result = fmt::format("({0}, {1}, {1})", whole, features);
  if (kind == "inference") {
    rest = fmt::format("{}  m = {} parameter(4)\n", variance, features);
    operands += ", m, v";
    result = whole;
  } else if (kind == "grad") {
    rest = fmt::format("{}  g = {} parameter(4)\n", variance, whole);
    operands += ", v, g";
  }
  return fmt::format(
      "HloModule random\n\nENTRY main {{\n  x = {} parameter(0)\n  s = {} parameter(1)\n"
      "  b = {} parameter(2)\n{}  ROOT r = {} batch-norm-{}({}), epsilon=0.001, "
      "feature_index={}\n}}\n",
      whole, features, features, rest, result, kind, operands, feature);
}

namespace {

// A program that grows by instructions over arrays of four shapes: [R,C], [R], [C] and [].
class ElementwiseWriter {
 public:
  ElementwiseWriter(uint32_t seed, bool is_exact) : dice_(seed), is_exact_(is_exact) {
    rows_ = dice_.OneOf<int64_t>({1, 3, 17, 60});
    columns_ = dice_.OneOf<int64_t>({2, 5, 16, 67, 300});
  }

  std::string Write() {
    const std::string main_type =
        is_exact_ ? AnyType() : dice_.OneOf<std::string>({"f32", "f32", "bf16", "f64"});
    for (Kind kind : {Kind::kFull, Kind::kFull, Kind::kRow, Kind::kColumn, Kind::kScalar}) {
      const std::string shape = Text(main_type, kind);
      Add(main_type, kind, fmt::format("{} parameter({})", shape, parameter_count_++));
    }
    const int64_t count = 3 + dice_.Below(25);
    for (int64_t i = 0; i < count; ++i) AddAny();
    std::vector<std::string> names, shapes;
    for (int64_t i = 0; i < 1 + dice_.Below(4); ++i) {
      const Value& value = i == 0 ? values_.back() : Any();
      names.push_back(value.name);
      shapes.push_back(Text(value.type, value.kind));
    }
    std::string text = "HloModule random\n\n";
    for (const auto& [name, body] : functions_) text += body;
    return fmt::format("{}ENTRY main {{\n{}  ROOT r = ({}) tuple({})\n}}\n", text, body_,
                       fmt::join(shapes, ", "), fmt::join(names, ", "));
  }

 private:
  enum class Kind { kFull, kRow, kColumn, kScalar };
  struct Value {
    std::string name, type;
    Kind kind;
  };

  static bool IsFloat(const std::string& type) { return type[0] == 'f' || type[0] == 'b'; }
  static bool IsComplex(const std::string& type) { return type[0] == 'c'; }

  // More often one that is common.
  std::string AnyType() {
    if (dice_.Chance(60)) {
      return dice_.OneOf<std::string>(
          {"f32", "bf16", "f16", "f64", "s32", "u8", "s8", "s64", "u16", "u32", "pred"});
    }
    return dice_.OneOf<std::string>({"s1", "u1", "s2", "u2", "s4", "u4", "c64", "c128", "f8e5m2",
                                     "f8e4m3", "f8e4m3fn", "f8e3m4", "f8e8m0fnu", "f8e5m2fnuz",
                                     "f8e4m3fnuz", "f8e4m3b11fnuz", "f6e3m2fn", "f6e2m3fn",
                                     "f4e2m1fn"});
  }

  std::string Text(const std::string& type, Kind kind) const {
    switch (kind) {
      case Kind::kFull:
        return fmt::format("{}[{},{}]", type, rows_, columns_);
      case Kind::kRow:
        return fmt::format("{}[{}]", type, rows_);
      case Kind::kColumn:
        return fmt::format("{}[{}]", type, columns_);
      case Kind::kScalar:
        return type + "[]";
    }
    return "";
  }

  const Value& Any() {
    return values_[static_cast<size_t>(dice_.Below(static_cast<int64_t>(values_.size())))];
  }
  // One more of these, if there is any.
  Value Like(const Value& value) {
    for (int tries = 0; tries < 20; ++tries) {
      const Value& other = Any();
      if (other.type == value.type && other.kind == value.kind) return other;
    }
    return value;
  }

  std::string Add(const std::string& type, Kind kind, const std::string& definition) {
    const std::string name = fmt::format("v{}", values_.size());
    body_ += fmt::format("  {} = {}\n", name, definition);
    values_.push_back({name, type, kind});
    return name;
  }

  // A function of the type that combines two values.
  std::string Function(const std::string& opcode, const std::string& type) {
    const std::string name = fmt::format("{}_{}", opcode, type);
    functions_[name] = fmt::format(
        "{0} {{\n  p = {1}[] parameter(0)\n  q = {1}[] parameter(1)\n  ROOT s = {1}[] {2}(p, "
        "q)\n}}\n\n",
        name, type, opcode);
    return name;
  }

  void AddAny() {
    switch (dice_.Below(12)) {
      case 0:
        return AddBroadcast();
      case 1:
        return AddReduce();
      case 2:
        return AddConvert();
      case 3:
        return is_exact_ ? AddSelect() : AddBinary();
      case 4:
        return AddMoved();
      case 5:
      case 6:
        return AddUnary();
      case 7:
        return AddJoined();
      case 8:
        return dice_.Chance(50) ? AddDynamicSlice() : AddDynamicUpdate();
      default:
        return AddBinary();
    }
  }

  void AddBroadcast() {
    const Value from = Any();
    if (from.kind == Kind::kFull) return AddIota();
    const Kind to = from.kind == Kind::kScalar && dice_.Chance(30) ? Kind::kRow : Kind::kFull;
    const std::string dimensions = from.kind == Kind::kRow      ? "0"
                                   : from.kind == Kind::kColumn ? "1"
                                                                : "";
    Add(from.type, to,
        fmt::format("{} broadcast({}), dimensions={{{}}}", Text(from.type, to), from.name,
                    dimensions));
  }

  void AddIota() {
    if (!is_exact_) return;
    const std::string type = AnyType();
    if (type == "pred") return;
    Add(type, Kind::kFull,
        fmt::format("{} iota(), iota_dimension={}", Text(type, Kind::kFull), dice_.Below(2)));
  }

  void AddReduce() {
    const Value from = Any();
    // What order sums of complex numbers are in makes a difference.
    if (from.kind != Kind::kFull || IsComplex(from.type)) return;
    std::string opcode = dice_.OneOf<std::string>({"maximum", "minimum"});
    if (from.type == "pred") opcode = dice_.OneOf<std::string>({"and", "or"});
    if ((!is_exact_ && IsFloat(from.type)) || (!IsFloat(from.type) && from.type != "pred")) {
      opcode = dice_.OneOf<std::string>({"maximum", "minimum", "add"});
    }
    const std::string init = Add(from.type, Kind::kScalar,
                                 fmt::format("{}[] constant({})", from.type,
                                             from.type == "pred" ? "false"
                                             : from.type == "s1" ? "-1"
                                                                 : "1"));
    const bool by_row = dice_.Chance(80);
    const Kind to = by_row ? Kind::kRow : Kind::kColumn;
    Add(from.type, to,
        fmt::format("{} reduce({}, {}), dimensions={{{}}}, to_apply={}", Text(from.type, to),
                    from.name, init, by_row ? 1 : 0, Function(opcode, from.type)));
  }

  void AddConvert() {
    const Value from = Any();
    const std::string to = is_exact_ ? AnyType() : dice_.OneOf<std::string>({"f32", "f64"});
    const std::string made =
        Add(to, from.kind, fmt::format("{} convert({})", Text(to, from.kind), from.name));
    if (IsFloat(from.type) && IsFloat(to) && to != from.type && dice_.Chance(30)) {
      AddMixedUpdate(Value{made, to, from.kind}, Like(from));
    }
  }

  // An update of another type of floats than its target, all of which it replaces: the program does
  // not say that it is converted.
  void AddMixedUpdate(const Value& target, const Value& update) {
    const int rank = target.kind == Kind::kScalar ? 0 : target.kind == Kind::kFull ? 2 : 1;
    const std::string zero = fmt::format("z{}", values_.size());
    body_ += fmt::format("  {} = s32[] constant(0)\n", zero);
    std::string operands = fmt::format("{}, {}", target.name, update.name);
    for (int d = 0; d < rank; ++d) operands += ", " + zero;
    Add(target.type, target.kind,
        fmt::format("{} dynamic-update-slice({})", Text(target.type, target.kind), operands));
  }

  void AddSelect() {
    const Value a = Any();
    const Value b = Like(a);
    const std::string direction =
        IsComplex(a.type) ? dice_.OneOf<std::string>({"EQ", "NE"})
                          : dice_.OneOf<std::string>({"EQ", "NE", "LT", "LE", "GT", "GE"});
    const bool is_total = IsFloat(a.type) && dice_.Chance(20);
    const std::string chosen =
        Add("pred", a.kind,
            fmt::format("{} compare({}, {}), direction={}{}", Text("pred", a.kind), a.name, b.name,
                        direction, is_total ? ", type=TOTALORDER" : ""));
    const Value x = Like(a);
    Add(x.type, x.kind,
        fmt::format("{} select({}, {}, {})", Text(x.type, x.kind), chosen, x.name, b.name));
  }

  // Slices of twice the size, transposes there and back: the same elements elsewhere.
  void AddMoved() {
    const Value from = Any();
    if (from.kind == Kind::kScalar) return;
    if (from.kind != Kind::kFull || dice_.Chance(30)) return AddKeptDimension(from);
    if (dice_.Chance(50)) {
      const std::string turned = fmt::format("{}[{},{}]", from.type, columns_, rows_);
      const std::string name = fmt::format("t{}", values_.size());
      body_ +=
          fmt::format("  {} = {} transpose({}), dimensions={{1,0}}\n", name, turned, from.name);
      Add(from.type, Kind::kFull,
          fmt::format("{} reshape({})", Text(from.type, Kind::kFull), name));
      return;
    }
    const std::string name = fmt::format("t{}", values_.size());
    body_ += fmt::format("  {} = {}[{},{}] concatenate({}, {}), dimensions={{0}}\n", name,
                         from.type, 2 * rows_, columns_, from.name, Like(from).name);
    const bool skips = dice_.Chance(50);
    Add(from.type, Kind::kFull,
        skips ? fmt::format("{} slice({}), slice={{[0:{}:2], [0:{}]}}",
                            Text(from.type, Kind::kFull), name, 2 * rows_, columns_)
              : fmt::format("{} slice({}), slice={{[1:{}], [0:{}]}}", Text(from.type, Kind::kFull),
                            name, rows_ + 1, columns_));
  }

  // The left and the right part of an array change places.
  void AddJoined() {
    const Value from = Any();
    if (from.kind != Kind::kFull) return;
    const int64_t left = 1 + dice_.Below(columns_ - 1);
    const std::string name = fmt::format("t{}", values_.size());
    const auto part = [&](std::string_view suffix, int64_t begin, int64_t end) {
      body_ += fmt::format("  {}{} = {}[{},{}] slice({}), slice={{[0:{}], [{}:{}]}}\n", name,
                           suffix, from.type, rows_, end - begin, from.name, rows_, begin, end);
    };
    part("a", 0, left);
    part("b", left, columns_);
    const bool is_changed = from.type != "pred" && dice_.Chance(50);
    if (is_changed) {
      body_ += fmt::format("  {0}c = {1}[{2},{3}] add({0}b, {0}b)\n", name, from.type, rows_,
                           columns_ - left);
    }
    Add(from.type, Kind::kFull,
        fmt::format("{0} concatenate({1}{2}, {1}a), dimensions={{1}}", Text(from.type, Kind::kFull),
                    name, is_changed ? "c" : "b"));
  }

  // A number that may be no place at all, which a run computes.
  std::string Place() {
    const std::string name = fmt::format("p{}", values_.size());
    body_ += fmt::format("  {0}a = s32[] constant({1})\n  {0} = s32[] add({0}a, {0}a)\n", name,
                         dice_.Below(rows_ + 3) - 2);
    return name;
  }

  // As many rows of two arrays as one of them has; or one row for all.
  void AddDynamicSlice() {
    const Value from = Any();
    if (from.kind != Kind::kFull) return;
    const std::string name = fmt::format("t{}", values_.size());
    const bool is_one = dice_.Chance(50);
    const int64_t taken = is_one ? 1 : rows_;
    body_ += fmt::format("  {}a = {}[{},{}] concatenate({}, {}), dimensions={{0}}\n", name,
                         from.type, 2 * rows_, columns_, from.name, Like(from).name);
    const std::string place = Place();
    const std::string definition =
        fmt::format("{0}[{1},{2}] dynamic-slice({3}, {4}, {4}), dynamic_slice_sizes={{{1},{2}}}",
                    from.type, taken, columns_, is_one ? from.name : name + "a", place);
    if (!is_one) return void(Add(from.type, Kind::kFull, definition));
    body_ += fmt::format("  {}b = {}\n", name, definition);
    Add(from.type, Kind::kColumn,
        fmt::format("{} reshape({}b)", Text(from.type, Kind::kColumn), name));
  }

  // A row of an array, a column, or a part of all rows.
  void AddDynamicUpdate() {
    const Value column = Any();
    if (column.kind == Kind::kRow) return AddColumnUpdate(column);
    if (column.kind == Kind::kFull) return AddPartUpdate(column);
    if (column.kind != Kind::kColumn) return;
    const std::string name = fmt::format("t{}", values_.size());
    const Value into = Like({"", column.type, Kind::kFull});
    if (into.name.empty()) return;
    body_ +=
        fmt::format("  {}a = {}[1,{}] reshape({})\n", name, column.type, columns_, column.name);
    const std::string place = Place();
    Add(column.type, Kind::kFull,
        fmt::format("{0} dynamic-update-slice({1}, {2}a, {3}, {3})", Text(column.type, Kind::kFull),
                    into.name, name, place));
  }

  void AddColumnUpdate(const Value& row) {
    const std::string name = fmt::format("t{}", values_.size());
    const Value into = Like({"", row.type, Kind::kFull});
    if (into.name.empty()) return;
    body_ += fmt::format("  {}a = {}[{},1] reshape({})\n", name, row.type, rows_, row.name);
    const std::string place = Place();
    Add(row.type, Kind::kFull,
        fmt::format("{0} dynamic-update-slice({1}, {2}a, {3}, {3})", Text(row.type, Kind::kFull),
                    into.name, name, place));
  }

  void AddPartUpdate(const Value& from) {
    if (from.type == "pred") return;
    const std::string name = fmt::format("t{}", values_.size());
    const int64_t taken = 1 + dice_.Below(columns_ - 1);
    body_ += fmt::format(
        "  {0}a = {1}[{2},{3}] slice({4}), slice={{[0:{2}], [{5}:{6}]}}\n"
        "  {0}b = {1}[{2},{3}] add({0}a, {0}a)\n",
        name, from.type, rows_, taken, from.name, columns_ - taken, columns_);
    const std::string place = Place();
    Add(from.type, Kind::kFull,
        fmt::format("{0} dynamic-update-slice({1}, {2}b, {3}, {3})", Text(from.type, Kind::kFull),
                    Like(from).name, name, place));
  }

  // Dimensions of size 1 that come and go, as those do that reductions keep.
  void AddKeptDimension(const Value& from) {
    const std::string name = fmt::format("t{}", values_.size());
    const std::string sizes = from.kind == Kind::kFull  ? fmt::format("{},1,{}", rows_, columns_)
                              : from.kind == Kind::kRow ? fmt::format("{},1", rows_)
                                                        : fmt::format("1,{}", columns_);
    const std::string_view dimensions = from.kind == Kind::kFull  ? "0,2"
                                        : from.kind == Kind::kRow ? "0"
                                                                  : "1";
    const std::string shape = fmt::format("{}[{}]", from.type, sizes);
    body_ += dice_.Chance(50) ? fmt::format("  {}a = {} reshape({})\n", name, shape, from.name)
                              : fmt::format("  {}a = {} broadcast({}), dimensions={{{}}}\n", name,
                                            shape, from.name, dimensions);
    body_ += fmt::format("  {0}b = {1} broadcast({0}a), dimensions={{{2}}}\n", name, shape,
                         from.kind == Kind::kFull ? "0,1,2" : "0,1");
    Add(from.type, from.kind, fmt::format("{} reshape({}b)", Text(from.type, from.kind), name));
  }

  void AddUnary() {
    const Value x = Any();
    std::string opcode;
    if (IsComplex(x.type)) return AddComplexUnary(x);
    if (IsFloat(x.type) && is_exact_ && dice_.Chance(10)) {
      Add("pred", x.kind, fmt::format("{} is-finite({})", Text("pred", x.kind), x.name));
      return;
    }
    if (IsFloat(x.type) && is_exact_ && dice_.Chance(10)) return AddReducePrecision(x);
    // There are no integers of 6 bits.
    if (IsFloat(x.type) && is_exact_ && !x.type.starts_with("f6") && dice_.Chance(10)) {
      return AddStochasticConvert(x);
    }
    if (x.type == "pred") {
      opcode = "not";
    } else if (!IsFloat(x.type)) {
      opcode = dice_.OneOf<std::string>({"negate", "not", "popcnt", "count-leading-zeros"});
    } else if (is_exact_) {
      opcode =
          dice_.OneOf<std::string>({"abs", "negate", "floor", "ceil", "sign", "round-nearest-afz",
                                    "round-nearest-even", "sqrt", "rsqrt"});
    } else {
      opcode =
          dice_.OneOf<std::string>({"tanh", "logistic", "sine", "cosine", "erf", "abs", "negate"});
    }
    Add(x.type, x.kind, fmt::format("{} {}({})", Text(x.type, x.kind), opcode, x.name));
  }

  void AddReducePrecision(const Value& x) {
    Add(x.type, x.kind,
        fmt::format("{} reduce-precision({}), exponent_bits={}, mantissa_bits={}",
                    Text(x.type, x.kind), x.name, dice_.OneOf<int64_t>({1, 2, 4, 5, 8, 10, 11}),
                    dice_.OneOf<int64_t>({0, 1, 7, 10, 22, 23, 40, 52})));
  }

  // Few or most of its random bits are ones.
  void AddStochasticConvert(const Value& x) {
    const std::string name = fmt::format("t{}", values_.size());
    const std::string bits =
        Text(fmt::format("u{}", BitWidth(ParseElementType(x.type).value())), x.kind);
    const auto to = dice_.OneOf<std::string>({"s4", "s8", "s32", "s64"});
    body_ += fmt::format("  {0}a = {1} convert({2})\n  {0}b = {1} not({0}a)\n", name, bits, x.name);
    Add(to, x.kind,
        fmt::format("{} stochastic-convert({}, {}{})", Text(to, x.kind), x.name, name,
                    dice_.Chance(50) ? 'a' : 'b'));
  }

  void AddComplexUnary(const Value& x) {
    const std::string part = x.type == "c64" ? "f32" : "f64";
    if (dice_.Chance(40)) {
      Add(part, x.kind,
          fmt::format("{} {}({})", Text(part, x.kind),
                      dice_.OneOf<std::string>({"abs", "imag", "real"}), x.name));
      return;
    }
    // Some of c64 are not exact (tolerance.def).
    const auto opcode =
        x.type == "c64"
            ? dice_.OneOf<std::string>({"exponential-minus-one", "logistic", "negate", "sign"})
            : dice_.OneOf<std::string>({"cosine", "exponential", "log", "logistic", "negate",
                                        "rsqrt", "sign", "sqrt", "tanh"});
    Add(x.type, x.kind, fmt::format("{} {}({})", Text(x.type, x.kind), opcode, x.name));
  }

  void AddBinary() {
    const Value a = Any();
    const Value b = Like(a);
    std::string opcode;
    if (is_exact_ && (a.type == "f32" || a.type == "f64") && dice_.Chance(10)) {
      const std::string whole = a.type == "f32" ? "c64" : "c128";
      Add(whole, a.kind, fmt::format("{} complex({}, {})", Text(whole, a.kind), a.name, b.name));
      return;
    }
    if (IsComplex(a.type)) {
      opcode = dice_.OneOf<std::string>(
          {"add", "divide", "multiply", "multiply", "power", "subtract", "subtract"});
    } else if (a.type == "pred") {
      opcode = dice_.OneOf<std::string>({"and", "or", "xor"});
    } else if (!IsFloat(a.type)) {
      opcode = dice_.OneOf<std::string>({"add", "subtract", "multiply", "divide", "remainder",
                                         "maximum", "minimum", "and", "or", "xor", "shift-left",
                                         "shift-right-logical", "shift-right-arithmetic", "power"});
    } else if (is_exact_) {
      opcode = dice_.OneOf<std::string>(
          {"add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder"});
    } else {
      opcode = dice_.OneOf<std::string>({"add", "maximum", "minimum"});
    }
    Add(a.type, a.kind, fmt::format("{} {}({}, {})", Text(a.type, a.kind), opcode, a.name, b.name));
  }

  Dice dice_;
  bool is_exact_;
  int64_t rows_, columns_;
  int64_t parameter_count_ = 0;
  std::string body_;
  std::map<std::string, std::string> functions_;
  std::vector<Value> values_;
};

}  // namespace

std::string RandomElementwise(uint32_t seed, bool is_exact) {
  return ElementwiseWriter(seed, is_exact).Write();
}

}  // namespace hlo::testing

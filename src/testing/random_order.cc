// Random programs that put elements in order. The elements are made of bits, NaN of all signs and
// payloads among them, and results are shown as bits: backends must agree on every one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "testing/dice.h"
#include "testing/random_program.h"

namespace hlo::testing {
namespace {

struct ElementKind {
  std::string type, bits;
  bool is_float = false;
  bool is_ieee = false;

  int width() const { return std::stoi(bits.substr(1)); }
};

ElementKind RandomKind(Dice& dice) {
  return dice.OneOf<ElementKind>({{"f32", "u32", true, true},
                                  {"f32", "u32", true, true},
                                  {"bf16", "u16", true, true},
                                  {"bf16", "u16", true, true},
                                  {"f16", "u16", true, true},
                                  {"f64", "u64", true, true},
                                  {"f8e5m2", "u8", true},
                                  {"f8e4m3fn", "u8", true},
                                  {"s32", "u32"},
                                  {"u32", "u32"},
                                  {"s16", "u16"},
                                  {"s64", "u64"},
                                  {"u8", "u8"}});
}

// An array of rows, and the instructions that make it.
class RowsWriter {
 public:
  RowsWriter(Dice& dice, int64_t rows, int64_t length)
      : dice_(dice), rows_(rows), length_(length) {}

  std::string Shape(const std::string& type) const {
    return fmt::format("{}[{},{}]", type, rows_, length_);
  }
  // Array `name` of many different elements or a few: signs, an exponent and some low bits; zeros
  // and subnormal numbers; or infinities and NaN.
  void AddElements(const std::string& name, const ElementKind& kind) {
    const uint64_t all = UINT64_MAX >> (64 - kind.width());
    const uint64_t sign = uint64_t{1} << (kind.width() - 1);
    uint64_t kept = all, added = 0;
    if (dice_.Chance(50)) kept = sign | sign >> 1 | 3;
    if (dice_.Chance(30)) kept = sign | 1;
    if (dice_.Chance(10)) added = all - sign - 3;
    const uint64_t factor = 0x9E3779B97F4A7C15 + 2 * static_cast<uint64_t>(dice_.Below(1000));
    name_ = name;
    Add("u64", "i", "iota(), iota_dimension=1");
    Add("u64", "j", "iota(), iota_dimension=0");
    Constant("u64", "factors", factor);
    Constant("u64", "halves", 32);
    Add("u64", "k", "multiply($i, $factors)");
    Add("u64", "l", "add($k, $j)");
    Add("u64", "m", "shift-right-logical($l, $halves)");
    Add("u64", "n", "xor($l, $m)");
    Add("u64", "o", "multiply($n, $factors)");
    Add("u64", "p", "shift-right-logical($o, $halves)");
    Add(kind.bits, "q", "convert($p)");
    Constant(kind.bits, "kept", kept);
    Constant(kind.bits, "added", added);
    Add(kind.bits, "r", "and($q, $kept)");
    Add(kind.bits, "s", "or($r, $added)");
    Add(kind.type, "", "bitcast-convert($s)");
  }
  const std::string& text() const { return text_; }

 private:
  // `$` stands for the name of the array.
  void Add(const std::string& type, const std::string& suffix, std::string value) {
    for (size_t at; (at = value.find('$')) != std::string::npos;) value.replace(at, 1, name_ + "_");
    const std::string separator = suffix.empty() ? "" : "_";
    text_ += fmt::format("  {}{}{} = {} {}\n", name_, separator, suffix, Shape(type), value);
  }
  void Constant(const std::string& type, const std::string& suffix, uint64_t value) {
    text_ += fmt::format("  {}_{}_one = {}[] constant({})\n", name_, suffix, type, value);
    Add(type, suffix, fmt::format("broadcast(${}_one), dimensions={{}}", suffix));
  }

  Dice& dice_;
  const int64_t rows_, length_;
  std::string name_, text_;
};

int64_t RandomLength(Dice& dice) {
  return dice.Chance(30) ? 100000 + dice.Below(300000)
                         : 1 + dice.Below(dice.Chance(50) ? 40 : 5000);
}

// A comparison of `a` and `b`; by value only where `by_value` or there is no other.
std::string Comparison(Dice& dice, const ElementKind& kind, bool by_value) {
  const auto direction = dice.OneOf<std::string>({"LT", "GT"});
  return fmt::format("compare(a, b), direction={}{}", direction,
                     kind.is_float && !by_value ? ", type=TOTALORDER" : "");
}

// `names` with zeros as one value and NaNs as another.
std::string Merged(const ElementKind& kind) {
  std::string text =
      fmt::format("  zero = {0}[] constant(0)\n  nans = {0}[] constant(nan)\n", kind.type);
  for (const char* name : {"a", "b"}) {
    text += fmt::format(
        "  {0}_is_zero = pred[] compare({0}_key, zero), direction=EQ\n"
        "  {0}_number = {1}[] select({0}_is_zero, zero, {0}_key)\n"
        "  {0}_is_nan = pred[] compare({0}_key, {0}_key), direction=NE\n"
        "  {0} = {1}[] select({0}_is_nan, nans, {0}_number)\n",
        name, kind.type);
  }
  return text;
}

}  // namespace

std::string RandomSortOfBits(uint32_t seed) {
  Dice dice(seed);
  const ElementKind kind = RandomKind(dice);
  const int64_t length = RandomLength(dice);
  RowsWriter rows(dice, 1 + dice.Below(length > 5000 ? 2 : 20), length);
  rows.AddElements("x", kind);
  const bool has_places = dice.Chance(50);
  const bool is_merged = kind.is_ieee && dice.Chance(30);
  std::string function =
      fmt::format("f {{\n  a{1} = {0}[] parameter(0)\n  b{1} = {0}[] parameter(1)\n", kind.type,
                  is_merged ? "_key" : "");
  if (has_places) function += "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n";
  if (is_merged) function += Merged(kind);
  // By value NaN goes through calls of the comparator: not for many elements.
  function += fmt::format("  ROOT r = pred[] {}\n}}\n",
                          Comparison(dice, kind, !is_merged && length < 5000 && dice.Chance(40)));
  const std::string values = rows.Shape(kind.type), places = rows.Shape("s32");
  const std::string bits = rows.Shape(kind.bits);
  if (!has_places) {
    return fmt::format(
        "HloModule random\n\n{}\nENTRY main {{\n{}  s = {} sort(x), dimensions={{1}}, "
        "is_stable=true, to_apply=f\n  ROOT r = {} bitcast-convert(s)\n}}\n",
        function, rows.text(), values, bits);
  }
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n{}  i = {} iota(), iota_dimension=1\n"
      "  s = ({}, {}) sort(x, i), dimensions={{1}}, is_stable=true, to_apply=f\n"
      "  v = {} get-tuple-element(s), index=0\n  w = {} bitcast-convert(v)\n"
      "  p = {} get-tuple-element(s), index=1\n  ROOT r = ({}, {}) tuple(w, p)\n}}\n",
      function, rows.text(), places, values, places, values, bits, places, bits, places);
}

std::string RandomTopK(uint32_t seed) {
  Dice dice(seed);
  const ElementKind kind = RandomKind(dice);
  const int64_t length = RandomLength(dice);
  const int64_t row_count = 1 + dice.Below(length > 5000 ? 3 : 20);
  RowsWriter rows(dice, row_count, length);
  rows.AddElements("x", kind);
  const int64_t k = dice.Chance(10)   ? 0
                    : dice.Chance(10) ? length
                    : dice.Chance(50) ? std::min<int64_t>(length, 1 + dice.Below(10))
                                      : 1 + dice.Below(length);
  const std::string sizes = fmt::format("[{},{}]", row_count, k);
  if (length < 5000 && dice.Chance(20)) {
    // Places from the other end, so that the second array is no other name for them.
    return fmt::format(
        "HloModule random\n\nf {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n"
        "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n  ROOT v = pred[] {1}\n}}\n\n"
        "ENTRY main {{\n{2}  i = s32[{3},{4}] iota(), iota_dimension=1\n"
        "  j = s32[{3},{4}] not(i)\n  z = {0}[] constant(0)\n  n = s32[] constant(0)\n"
        "  s = ({0}{5}, s32{5}) custom-call(x, j, z, n), custom_call_target=\"PartialReduce\", "
        "called_computations={{f}}\n  v = {0}{5} get-tuple-element(s), index=0\n"
        "  w = {6}{5} bitcast-convert(v)\n  p = s32{5} get-tuple-element(s), index=1\n"
        "  ROOT r = ({6}{5}, s32{5}) tuple(w, p)\n}}\n",
        kind.type, Comparison(dice, kind, dice.Chance(50)), rows.text(), row_count, length, sizes,
        kind.bits);
  }
  std::string function;
  std::string call = fmt::format("topk(x), k={}, largest={}", k, dice.Chance(60));
  if (length < 5000 && dice.Chance(40)) {
    call = "custom-call(x), custom_call_target=\"TopK\", called_computations={f}";
    function = fmt::format(
        "f {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  i = s32[] parameter(2)\n"
        "  j = s32[] parameter(3)\n",
        kind.type);
    const bool has_places = dice.Chance(30);
    const std::string comparison = Comparison(dice, kind, dice.Chance(50));
    function += fmt::format("  {}v = pred[] {}\n", has_places ? "" : "ROOT ", comparison);
    if (has_places) {
      std::string equal = comparison;
      equal.replace(equal.find("direction=") + 10, 2, "EQ");
      function += fmt::format(
          "  e = pred[] {}\n  p = pred[] compare(i, j), direction={}\n"
          "  ROOT r = pred[] select(e, p, v)\n",
          equal, dice.OneOf<std::string>({"LT", "GT"}));
    }
    function += "}\n";
  }
  return fmt::format(
      "HloModule random\n\n{}\nENTRY main {{\n{}  s = ({}{}, s32{}) {}\n"
      "  v = {}{} get-tuple-element(s), index=0\n  w = {}{} bitcast-convert(v)\n"
      "  p = s32{} get-tuple-element(s), index=1\n  ROOT r = ({}{}, s32{}) tuple(w, p)\n}}\n",
      function, rows.text(), kind.type, sizes, sizes, call, kind.type, sizes, kind.bits, sizes,
      sizes, kind.bits, sizes, sizes);
}

}  // namespace hlo::testing

// Random programs of loops, branches, parts and in-place operations, whose results a few lines here
// know: whatever memory the planner lets values share, they must come out right.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "interp/backends.h"
#include "interp/kernel/random_stream.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using Value = std::array<uint32_t, 4>;

struct Block;

// One instruction over s32[4] values; `operands` number earlier values of the block. A loop's or
// branch's results are `results` new values.
struct Node {
  enum class Kind {
    kAdd,
    kSubtract,
    kJoin,    // what is left of operand 0 from a position on, negated, and of operand 1, reversed
    kWindow,  // four elements from a position on of both operands, one behind the other
    kNegate,
    kReverse,
    kUpdate,
    kIota,
    kWhile,
    kConditional
  };
  static constexpr size_t kKindCount = static_cast<size_t>(Kind::kConditional) + 1;
  Kind kind = Kind::kAdd;
  std::vector<size_t> operands;
  uint32_t constant = 0;        // a position; kWhile: trips; kConditional: branch
  std::vector<Block> children;  // kWhile: body; kConditional: branches
};

// A computation: `input_count` values come in, `results` go out.
struct Block {
  size_t input_count = 0;
  std::vector<Node> nodes;
  std::vector<size_t> results;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : stream_(seed) {}

  Block MakeBlock(size_t input_count, size_t result_count, int depth) {
    Block block;
    block.input_count = input_count;
    size_t value_count = input_count;
    size_t node_count = 1 + Pick(6);
    for (size_t i = 0; i < node_count; ++i) {
      block.nodes.push_back(MakeNode(value_count, depth));
      value_count += ResultCount(block.nodes.back());
    }
    for (size_t i = 0; i < result_count; ++i) block.results.push_back(Pick(value_count));
    return block;
  }

  static size_t ResultCount(const Node& node) {
    return node.children.empty() ? 1 : node.operands.size();
  }

 private:
  size_t Pick(size_t count) { return static_cast<size_t>(stream_.Next() % count); }

  Node MakeNode(size_t value_count, int depth) {
    Node node;
    node.kind = static_cast<Node::Kind>(Pick(Node::kKindCount - (depth > 0 ? 0 : 2)));
    bool is_nested = node.kind >= Node::Kind::kWhile;
    size_t operand_count = is_nested ? 1 + Pick(3) : node.kind <= Node::Kind::kWindow ? 2 : 1;
    for (size_t i = 0; i < operand_count; ++i) node.operands.push_back(Pick(value_count));
    node.constant = static_cast<uint32_t>(Pick(4));
    if (node.kind == Node::Kind::kWhile) {
      node.children.push_back(MakeBlock(operand_count, operand_count, depth - 1));
    } else if (node.kind == Node::Kind::kConditional) {
      for (int i = 0; i < 2; ++i) {
        node.children.push_back(MakeBlock(operand_count, operand_count, depth - 1));
      }
    }
    return node;
  }

  RandomStream stream_;
};

std::vector<Value> Evaluate(const Block& block, std::vector<Value> values) {
  for (const Node& node : block.nodes) {
    std::vector<Value> operands;
    for (size_t i : node.operands) operands.push_back(values[i]);
    if (node.kind == Node::Kind::kWhile) {
      for (uint32_t i = 0; i < node.constant; ++i) operands = Evaluate(node.children[0], operands);
      values.insert(values.end(), operands.begin(), operands.end());
      continue;
    }
    if (node.kind == Node::Kind::kConditional) {
      operands = Evaluate(node.children[node.constant == 0 ? 0 : 1], operands);
      values.insert(values.end(), operands.begin(), operands.end());
      continue;
    }
    Value result = operands[0];
    for (size_t i = 0; i < 4; ++i) {
      if (node.kind == Node::Kind::kAdd) result[i] += operands[1][i];
      if (node.kind == Node::Kind::kSubtract) result[i] -= operands[1][i];
      const size_t k = i + node.constant;
      if (node.kind == Node::Kind::kJoin)
        result[i] = k < 4 ? 0 - operands[0][k] : operands[1][3 - i];
      if (node.kind == Node::Kind::kWindow) result[i] = k < 4 ? operands[0][k] : operands[1][k - 4];
      if (node.kind == Node::Kind::kNegate) result[i] = 0 - result[i];
      if (node.kind == Node::Kind::kReverse) result[i] = operands[0][3 - i];
    }
    if (node.kind == Node::Kind::kUpdate) result[node.constant] = 77;
    if (node.kind == Node::Kind::kIota) result = {0, 1, 2, 3};
    values.push_back(result);
  }
  std::vector<Value> results;
  for (size_t i : block.results) results.push_back(values[i]);
  return results;
}

// HLO text of a block and of what it calls. Loop bodies carry a counter as their last element.
class Writer {
 public:
  std::string Write(const Block& block) {
    std::string main = BlockText(block, "ENTRY main", false, true);
    return "HloModule random\n" + text_ + main;
  }

 private:
  static std::string TupleShape(size_t count, bool has_counter) {
    std::string shape;
    for (size_t i = 0; i < count; ++i) shape += i == 0 ? "s32[4]" : ", s32[4]";
    return "(" + shape + (has_counter ? ", s32[])" : ")");
  }

  std::string BlockText(const Block& block, const std::string& name, bool has_counter,
                        bool is_entry) {
    std::string body = name + " {\n";
    auto line = [&](const std::string& text) { body += "  " + text + "\n"; };
    if (!is_entry) {
      line(fmt::format("p = {} parameter(0)", TupleShape(block.input_count, has_counter)));
    }
    for (size_t i = 0; i < block.input_count; ++i) {
      line(is_entry ? fmt::format("v{} = s32[4] parameter({})", i, i)
                    : fmt::format("v{} = s32[4] get-tuple-element(p), index={}", i, i));
    }
    size_t next = block.input_count;
    for (const Node& node : block.nodes) WriteNode(node, next, line);
    std::string results;
    for (size_t i : block.results) results += fmt::format("{}v{}", results.empty() ? "" : ", ", i);
    if (has_counter) {
      line(fmt::format("c = s32[] get-tuple-element(p), index={}", block.input_count));
      line("one = s32[] constant(1)");
      line("d = s32[] subtract(c, one)");
      results += ", d";
    }
    line(fmt::format("ROOT r = {} tuple({})", TupleShape(block.results.size(), has_counter),
                     results));
    return body + "}\n";
  }

  template <typename Line>
  void WriteNode(const Node& node, size_t& next, const Line& line) {
    size_t v = next;
    next += Generator::ResultCount(node);
    std::string operands;
    for (size_t i : node.operands) {
      operands += fmt::format("{}v{}", operands.empty() ? "" : ", ", i);
    }
    switch (node.kind) {
      case Node::Kind::kAdd:
        return line(fmt::format("v{} = s32[4] add({})", v, operands));
      case Node::Kind::kSubtract:
        return line(fmt::format("v{} = s32[4] subtract({})", v, operands));
      case Node::Kind::kJoin:
        line(fmt::format("a{} = s32[{}] slice(v{}), slice={{[{}:4]}}", v, 4 - node.constant,
                         node.operands[0], node.constant));
        line(fmt::format("b{} = s32[{}] slice(v{}), slice={{[0:{}]}}", v, node.constant,
                         node.operands[1], node.constant));
        line(fmt::format("c{} = s32[{}] negate(a{})", v, 4 - node.constant, v));
        line(fmt::format("d{} = s32[{}] reverse(b{}), dimensions={{0}}", v, node.constant, v));
        return line(fmt::format("v{} = s32[4] concatenate(c{}, d{}), dimensions={{0}}", v, v, v));
      case Node::Kind::kWindow:
        line(fmt::format("both{} = s32[8] concatenate({}), dimensions={{0}}", v, operands));
        return line(fmt::format("v{} = s32[4] slice(both{}), slice={{[{}:{}]}}", v, v,
                                node.constant, node.constant + 4));
      case Node::Kind::kNegate:
        return line(fmt::format("v{} = s32[4] negate({})", v, operands));
      case Node::Kind::kReverse:
        return line(fmt::format("v{} = s32[4] reverse({}), dimensions={{0}}", v, operands));
      case Node::Kind::kUpdate:
        line(fmt::format("update{} = s32[1] constant({{77}})", v));
        line(fmt::format("at{} = s32[] constant({})", v, node.constant));
        return line(fmt::format("v{} = s32[4] dynamic-update-slice({}, update{}, at{})", v,
                                operands, v, v));
      case Node::Kind::kIota:
        return line(fmt::format("v{} = s32[4] iota(), iota_dimension=0", v));
      case Node::Kind::kWhile:
        return WriteWhile(node, v, operands, line);
      case Node::Kind::kConditional:
        return WriteConditional(node, v, operands, line);
    }
  }

  template <typename Line>
  void WriteWhile(const Node& node, size_t v, const std::string& operands, const Line& line) {
    size_t count = node.operands.size();
    std::string shape = TupleShape(count, true);
    std::string body_name = fmt::format("body{}", ++computation_count_);
    std::string body = BlockText(node.children[0], body_name, true, false);
    text_ += body;
    std::string condition_name = fmt::format("condition{}", ++computation_count_);
    text_ += fmt::format(
        "{} {{\n  p = {} parameter(0)\n  c = s32[] get-tuple-element(p), index={}\n"
        "  zero = s32[] constant(0)\n  ROOT r = pred[] compare(c, zero), direction=GT\n}}\n",
        condition_name, shape, count);
    // A sum is no constant: then the condition says when the loop ends.
    line(fmt::format("half{} = s32[] constant({})", v, node.constant / 2));
    line(node.constant % 2 == 0
             ? fmt::format("n{} = s32[] constant({})", v, node.constant)
             : fmt::format("rest{} = s32[] constant({})\n  n{} = s32[] add(half{}, rest{})", v,
                           node.constant - node.constant / 2, v, v, v));
    line(fmt::format("t{} = {} tuple({}, n{})", v, shape, operands, v));
    line(fmt::format("w{} = {} while(t{}), condition={}, body={}", v, shape, v, condition_name,
                     body_name));
    Unpack(v, count, line);
  }

  template <typename Line>
  void WriteConditional(const Node& node, size_t v, const std::string& operands, const Line& line) {
    size_t count = node.operands.size();
    std::string shape = TupleShape(count, false);
    std::string names;
    for (const Block& branch : node.children) {
      std::string name = fmt::format("branch{}", ++computation_count_);
      std::string text = BlockText(branch, name, false, false);
      text_ += text;
      names += (names.empty() ? "" : ", ") + name;
    }
    line(fmt::format("n{} = s32[] constant({})", v, node.constant));
    line(fmt::format("t{} = {} tuple({})", v, shape, operands));
    line(fmt::format("w{} = {} conditional(n{}, t{}, t{}), branch_computations={{{}}}", v, shape, v,
                     v, v, names));
    Unpack(v, count, line);
  }

  template <typename Line>
  void Unpack(size_t v, size_t count, const Line& line) {
    for (size_t i = 0; i < count; ++i) {
      line(fmt::format("v{} = s32[4] get-tuple-element(w{}), index={}", v + i, v, i));
    }
  }

  std::string text_;
  int computation_count_ = 0;
};

TEST(BufferSharingTest, RandomProgramsGiveTheirResults) {
  constexpr uint64_t kProgramCount = 1000;
  for (uint64_t seed = 0; seed < kProgramCount; ++seed) {
    Block block = Generator(seed).MakeBlock(3, 3, 3);
    std::string text = Writer().Write(block);
    absl::StatusOr<Module> module = testing::ParseText("random", text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    std::vector<Value> inputs = {{1, 2, 3, 4}, {50, 60, 70, 80}, {900, 1000, 1100, 1200}};
    std::vector<Literal> arguments;
    for (const Value& input : inputs) {
      int64_t size = 4;
      arguments.push_back(
          *Literal::Zeros(Shape::ArrayWithDefaultLayout(ElementType::kS32, {&size, 1})));
      for (size_t i = 0; i < 4; ++i) {
        arguments.back().elements<int32_t>()[i] = static_cast<int32_t>(input[i]);
      }
    }
    const std::vector<Value> expected = Evaluate(block, inputs);
    for (const Backend& backend : Backends()) {
      DeviceContext device;
      absl::StatusOr<Literal> result = testing::RunModule(*module, arguments, device, backend.name);
      ASSERT_TRUE(result.ok()) << result.status() << "\n" << text;
      for (size_t k = 0; k < expected.size(); ++k) {
        std::span<const int32_t> actual = result->tuple_elements()[k].elements<int32_t>();
        for (size_t i = 0; i < 4; ++i) {
          ASSERT_EQ(static_cast<uint32_t>(actual[i]), expected[k][i])
              << "seed " << seed << ", backend " << backend.name << ", result " << k << "\n"
              << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlo

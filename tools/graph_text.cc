// Nodes come first and edges last: for a fusion that is drawn as a cluster the root inside stands
// at the ends of edges, and that may be such a fusion again. Nodes go by the ids of instructions;
// names stand in labels only.
#include "tools/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace hlo::tools {
namespace {

// Light colours, so that black text can be read on them.
std::string_view ColorOf(OpcodeFamily family) {
  switch (family) {
    case OpcodeFamily::kElementwise:
      return "#e8f1fb";
    case OpcodeFamily::kDataMovement:
      return "#eeeeee";
    case OpcodeFamily::kReduction:
      return "#fdeacc";
    case OpcodeFamily::kContraction:
      return "#f9d3d3";
    case OpcodeFamily::kIndexing:
      return "#e3f4df";
    case OpcodeFamily::kLinalg:
      return "#f3dff2";
    case OpcodeFamily::kRandom:
      return "#fff6c2";
    case OpcodeFamily::kControlFlow:
      return "#d9e8e6";
    case OpcodeFamily::kCollective:
      return "#d6ddf7";
    case OpcodeFamily::kEffects:
      return "#f4e3d7";
  }
  return "#ffffff";
}

// Inside the quotes of a label.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

class GraphWriter {
 public:
  GraphWriter(const Module& module, const GraphOptions& options)
      : module_(module), options_(options), drawn_({options.computation}) {
    if (options.around) FindNear();
  }

  std::string Write() {
    const Computation& computation = module_.computation(options_.computation);
    text_ = fmt::format(
        "digraph \"{}\" {{\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", "
        "fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=8];\n",
        Escape(computation.name));
    WriteComputation(options_.computation, 1);
    for (const Edge& edge : edges_) WriteEdge(edge);
    return text_ + "}\n";
  }

 private:
  struct Edge {
    InstructionId from, to;
    bool is_control = false;
  };

  // What is at most `depth` edges from the instruction, along operands and users.
  void FindNear() {
    absl::flat_hash_map<InstructionId, std::vector<InstructionId>> users;
    const Computation& computation = module_.computation(options_.computation);
    for (InstructionId id : computation.instructions) {
      for (const auto& operand : module_.instruction(id).operands) users[operand.id].push_back(id);
    }
    absl::flat_hash_map<InstructionId, int64_t> distances = {{*options_.around, 0}};
    std::deque<InstructionId> queue = {*options_.around};
    while (!queue.empty()) {
      const InstructionId id = queue.front();
      queue.pop_front();
      const int64_t distance = distances[id];
      near_.insert(id);
      if (distance == options_.depth) continue;
      std::vector<InstructionId> neighbours = users[id];
      for (const auto& operand : module_.instruction(id).operands) neighbours.push_back(operand.id);
      for (InstructionId next : neighbours) {
        if (distances.try_emplace(next, distance + 1).second) queue.push_back(next);
      }
    }
  }

  bool IsDrawn(InstructionId id) const { return near_.empty() || near_.contains(id); }

  void WriteComputation(ComputationId id, int depth) {
    const Computation& computation = module_.computation(id);
    const bool is_whole = id != options_.computation;
    for (InstructionId instruction : computation.instructions) {
      if (is_whole || IsDrawn(instruction)) WriteInstruction(instruction, depth);
    }
  }

  void WriteInstruction(InstructionId id, int depth) {
    const Instruction& instruction = module_.instruction(id);
    const std::string indent(static_cast<size_t>(2 * depth), ' ');
    // A computation is drawn once: further fusions that call it are plain nodes.
    const bool is_cluster = instruction.opcode == Opcode::kFusion && depth < kMaxDepth &&
                            drawn_.insert(instruction.Get<Attr::kCalls>()).second;
    if (is_cluster) {
      const ComputationId fused = instruction.Get<Attr::kCalls>();
      text_ += fmt::format(
          "{}subgraph \"cluster_{}\" {{\n{}  label=\"{}\\n{}\"; style=\"rounded,filled\"; "
          "color=\"#999999\"; fillcolor=\"#fafafa\"; fontname=\"monospace\"; fontsize=10;\n",
          indent, id.value, indent, Escape(instruction.name),
          Escape(ShapeText(*instruction.shape)));
      WriteComputation(fused, depth + 1);
      text_ += indent + "}\n";
      AddFusionEdges(instruction, fused);
      shown_by_[id] = module_.computation(fused).root;
      return;
    }
    text_ += fmt::format("{}n{} [label=\"{}\\n{} {}\", fillcolor=\"{}\"{}];\n", indent, id.value,
                         Escape(instruction.name), OpcodeName(instruction.opcode),
                         Escape(ShapeText(*instruction.shape)),
                         ColorOf(GetOpcodeInfo(instruction.opcode).family),
                         IsRootOfGraph(id) ? ", penwidth=2" : "");
    for (const auto& operand : instruction.operands) edges_.push_back({operand.id, id});
    if (const InstructionList* predecessors =
            instruction.attributes.GetIf<Attr::kControlPredecessors>()) {
      for (InstructionId before : *predecessors) edges_.push_back({before, id, true});
    }
  }

  // What a fusion takes goes to the parameters inside.
  void AddFusionEdges(const Instruction& fusion, ComputationId fused) {
    const Computation& inside = module_.computation(fused);
    for (size_t i = 0; i < std::min(fusion.operands.size(), inside.parameters.size()); ++i) {
      edges_.push_back({fusion.operands[i].id, inside.parameters[i]});
    }
  }

  bool IsRootOfGraph(InstructionId id) const {
    return module_.computation(options_.computation).root == id;
  }

  // Of a fusion, its root; that may be a fusion again.
  InstructionId NodeOf(InstructionId id) const {
    for (auto found = shown_by_.find(id); found != shown_by_.end(); found = shown_by_.find(id)) {
      id = found->second;
    }
    return id;
  }

  void WriteEdge(const Edge& edge) {
    const Instruction& from = module_.instruction(edge.from);
    if (from.computation == options_.computation && !IsDrawn(edge.from)) return;
    text_ +=
        fmt::format("  n{} -> n{} [{}];\n", NodeOf(edge.from).value, NodeOf(edge.to).value,
                    edge.is_control ? "style=dashed"
                                    : fmt::format("label=\"{}\"", Escape(ShapeText(*from.shape))));
  }

  static constexpr int kMaxDepth = 50;  // of fusions in fusions
  const Module& module_;
  const GraphOptions& options_;
  absl::flat_hash_set<InstructionId> near_;  // empty: everything
  absl::flat_hash_set<ComputationId> drawn_;
  absl::flat_hash_map<InstructionId, InstructionId> shown_by_;  // a fusion by its root
  std::vector<Edge> edges_;
  std::string text_;
};

}  // namespace

std::string GraphText(const Module& module, const GraphOptions& options) {
  return GraphWriter(module, options).Write();
}

}  // namespace hlo::tools

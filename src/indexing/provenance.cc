// Instructions come users first: when the turn of one has come all that is needed of it is known,
// and it is asked once for each of its outputs. Elements are followed one by one through every map;
// where there are too many, or a map is unknown, any element may be needed from there on.
#include "indexing/provenance.h"

#include <algorithm>
#include <utility>

#include "indexing/operands_first.h"
#include "ir/index_space.h"

namespace hlo::indexing {
namespace {

class ProvenanceWalk {
 public:
  ProvenanceWalk(const Module& module, ExprContext& context, const IndexingOptions& options)
      : module_(module), context_(context), options_(options) {}

  std::vector<ProvenanceStep> Run(InstructionId start, int64_t output,
                                  std::span<const int64_t> index) {
    OperandsFirstOrder operands_first(module_, {});
    operands_first.Add(start);
    std::vector<InstructionId> order = operands_first.Take();
    std::ranges::reverse(order);
    const std::span<const int64_t> dims =
        ElementShape(*module_.instruction(start).shape, output).dims();
    Need({start, output, false, {LinearIndex(dims, index)}});
    std::vector<ProvenanceStep> steps;
    for (InstructionId id : order) {
      // Reading an instruction adds to those behind it only.
      for (const NeededElements& needed : NeedsOf(id)) steps.push_back({needed, Reads(needed)});
    }
    return steps;
  }

 private:
  std::vector<NeededElements> NeedsOf(InstructionId id) const {
    std::vector<NeededElements> needs;
    std::ranges::copy_if(needed_, std::back_inserter(needs),
                         [id](const NeededElements& n) { return n.instruction == id; });
    return needs;
  }

  void Need(NeededElements more) {
    const auto known = std::ranges::find_if(needed_, [&](const NeededElements& n) {
      return n.instruction == more.instruction && n.element == more.element;
    });
    if (known == needed_.end()) {
      needed_.push_back(std::move(more));
      return;
    }
    known->may_be_any |= more.may_be_any;
    Unite(known->elements, more.elements);
  }

  std::vector<NeededElements> Reads(const NeededElements& needed) {
    const OpView op(module_, module_.instruction(needed.instruction));
    std::vector<ArrayMaps> operands(static_cast<size_t>(op.operand_count()),
                                    ArrayMaps{UnknownMaps(context_), ArrayMaps::kAllElements});
    if (!needed.may_be_any) operands = OutputToInput(op, needed.element, context_, options_);
    std::vector<NeededElements> reads;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].maps.empty()) continue;
      const int64_t number = static_cast<int64_t>(i);
      NeededElements read{op.instruction().operands[i].id, operands[i].tuple_element, false, {}};
      if (!op.operand_shape(number).IsTuple()) read.element = 0;
      Follow(needed, operands[i].maps, read);
      if (read.elements.empty() && !read.may_be_any) continue;
      Need(read);
      reads.push_back(std::move(read));
    }
    return reads;
  }

  // The images of all needed elements through all maps.
  void Follow(const NeededElements& needed, const MapSet& maps, NeededElements& read) {
    constexpr int64_t kMaxPoints = 1 << 16;
    constexpr size_t kMaxElements = 1 << 12;
    if (maps.HasUnknown() || needed.may_be_any || needed.elements.size() > kMaxElements) {
      read.may_be_any = true;
      return;
    }
    const Shape& from = ElementShape(*module_.instruction(needed.instruction).shape,
                                     std::max<int64_t>(needed.element, 0));
    const Shape& to = ElementShape(*module_.instruction(read.instruction).shape,
                                   std::max<int64_t>(read.element, 0));
    for (const IndexingMap& map : maps) {
      for (int64_t element : needed.elements) {
        std::vector<int64_t> index(from.dims().size());
        for (int64_t rest = element, d = from.rank(); d-- > 0; rest /= from.dim(d)) {
          index[static_cast<size_t>(d)] = rest % from.dim(d);
        }
        const std::optional<ElementSet> image = ImageOf(map, index, to.dims(), kMaxPoints);
        if (!image) {
          read.may_be_any = true;
          return;
        }
        Unite(read.elements, *image);
      }
    }
  }

  const Module& module_;
  ExprContext& context_;
  const IndexingOptions& options_;
  std::vector<NeededElements> needed_;
};

}  // namespace

std::vector<ProvenanceStep> ProvenanceOf(const Module& module, InstructionId start, int64_t output,
                                         std::span<const int64_t> index, ExprContext& context,
                                         const IndexingOptions& options) {
  return ProvenanceWalk(module, context, options).Run(start, output, index);
}

}  // namespace hlo::indexing

// Blocks are found first (fuse.cc), and products that are given to the library. Then each block
// looks for a product that nobody else reads: the last of them, if there are several, becomes part
// of its step. The product has the place of a result with elements of its size, whatever their
// type; where there is none, as behind a conversion to a narrower type, it has one of its own, from
// which the block takes each part while it is in the caches.
#include "interp/simd/fuse/add_epilogues.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/simd/convolution/convolution.h"
#include "interp/simd/fuse/step_reads.h"
#include "interp/simd/product/dot.h"
#include "interp/simd/product/epilogue.h"

namespace hlo::simd {
namespace {

class EpilogueFinder {
 public:
  explicit EpilogueFinder(Plan& plan)
      : plan_(plan), read_counts_(plan.buffers.size()), made_counts_(plan.buffers.size()) {
    ForEachRead(*plan.entry, [&](SlotId slot) { ++read_counts_[BufferOf(slot)]; });
    CountMade(*plan.entry);
  }

  void Visit(Region& region) {
    absl::flat_hash_map<size_t, size_t> products;  // positions, by buffer of the result
    for (size_t position = 0; position < region.steps.size(); ++position) {
      Step& step = region.steps[position];
      for (const auto& nested : step.regions) {
        if (nested->role != Region::Role::kFunction) Visit(*nested);
      }
      if (IsProduct(step)) {
        products[BufferOf(step.results[0])] = position;
      } else if (!products.empty()) {
        FindProductFor(step, region, products);
      }
    }
    // A product that was taken leaves an empty step.
    std::erase_if(region.steps, [](const Step& step) { return !step.instruction.valid(); });
  }

 private:
  size_t BufferOf(SlotId slot) const { return plan_.slot(slot).buffer.value; }

  bool IsProduct(const Step& step) const {
    if (step.program != nullptr) {
      return dynamic_cast<const ProductProgram*>(step.program.get()) != nullptr;
    }
    return step.kind == StepKind::kKernel && step.opcode == plan_.instruction(step).opcode &&
           (step.opcode == Opcode::kDot || step.opcode == Opcode::kConvolution);
  }
  // The program of a product, which is made for kernels of ours; null where that cannot be.
  std::shared_ptr<const ProductProgram> ProgramOf(const Step& step) const {
    if (step.program != nullptr) {
      return std::static_pointer_cast<const ProductProgram>(step.program);
    }
    if (step.opcode == Opcode::kDot) return DotProgram::Make(plan_, step);
    return MakeConvolutionProgram(plan_, step);
  }

  void CountMade(const Region& region) {
    for (const Step& step : region.steps) {
      for (SlotId result : step.results) ++made_counts_[BufferOf(result)];
      for (const auto& nested : step.regions) CountMade(*nested);
    }
  }

  // Whether the block takes element k of the product for its own element k, and nobody else does.
  bool IsFollowed(SlotId made, const Block& block, const Step& step, size_t operand) const {
    const Slot &product = plan_.slot(made), &read = plan_.slot(step.operands[operand]);
    const size_t buffer = BufferOf(made);
    return read_counts_[buffer] == 1 && made_counts_[buffer] == 1 && !product.is_dynamic &&
           block.ReadsEvenly(operand) && read.byte_size == product.byte_size &&
           read.shape->element_type() == product.shape->element_type() &&
           ElementCount(*product.shape).value_or(-1) == block.count();
  }

  void FindProductFor(Step& step, Region& region, absl::flat_hash_map<size_t, size_t>& products) {
    auto block = std::dynamic_pointer_cast<const Block>(step.program);
    if (block == nullptr || block->has_totals()) return;
    Step* product = nullptr;
    size_t made = 0;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const auto found = products.find(BufferOf(step.operands[i]));
      if (found == products.end()) continue;
      Step* const candidate = &region.steps[found->second];
      if (candidate < product || !IsFollowed(candidate->results[0], *block, step, i)) continue;
      product = candidate;
      made = i;
    }
    if (product == nullptr) return;
    products.erase(BufferOf(product->results[0]));
    if (const auto program = ProgramOf(*product)) {
      Join(*product, *program, step, made, std::move(block));
    }
  }

  // The step of a block gets the product whose result is its operand number `made`.
  void Join(Step& product, const ProductProgram& program, Step& step, size_t made,
            std::shared_ptr<const Block> block) {
    std::vector<SlotId> operands(product.operands.begin(), product.operands.end());
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      numbers.push_back(i == made ? Epilogue::kMade : std::ssize(operands));
      if (i != made) operands.push_back(step.operands[i]);
    }
    std::vector<SlotId> results = {product.results[0]};
    results.insert(results.end(), step.results.begin(), step.results.end());
    PlaceProduct(product.results[0], step.results);
    step.program = program.With(Epilogue(std::move(block), std::move(numbers)));
    step.operands = plan_.lists.CopyItems(std::span<const SlotId>(operands));
    step.results = plan_.lists.CopyItems(std::span<const SlotId>(results));
    step.kept_loop = std::exchange(product.kept_loop, 0);
    step.covered.insert(step.covered.begin(), std::exchange(product, Step()));
  }

  // Where a result has elements of the same size, in the same number, the product lies there: the
  // block reads all of a tile before it writes any of it. Otherwise it stays where it is.
  void PlaceProduct(SlotId made, std::span<const SlotId> results) {
    Slot& product = plan_.slot(made);
    const auto has_room = [&](SlotId id) {
      const Slot& result = plan_.slot(id);
      return plan_.is_whole(id) && plan_.buffer_of(id).kind == Buffer::Kind::kArena &&
             result.byte_size == product.byte_size &&
             ElementByteSize(result.shape->element_type()) ==
                 ElementByteSize(product.shape->element_type());
    };
    const auto place = std::ranges::find_if(results, has_room);
    if (place == results.end()) return;
    plan_.buffer(product.buffer).kind = Buffer::Kind::kInside;
    product.buffer = plan_.slot(*place).buffer;
  }

  Plan& plan_;
  std::vector<int> read_counts_, made_counts_;  // by buffer
};

}  // namespace

void AddEpilogues(Plan& plan) { EpilogueFinder(plan).Visit(*plan.entry); }

}  // namespace hlo::simd

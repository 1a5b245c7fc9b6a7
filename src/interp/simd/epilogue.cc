// Blocks are found first (fuse.cc), and products that are given to the library. Then each block
// looks for a product that nobody else reads: the last of them, if there are several, becomes part
// of its step.
#include "interp/simd/epilogue.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "interp/kernel/device.h"
#include "interp/simd/convolution.h"
#include "interp/simd/dot.h"
#include "interp/simd/step_reads.h"

namespace hlo::simd {

Epilogue::Operands Epilogue::OperandsOf(const Evaluation& e) const {
  Operands operands;
  for (int64_t i : operands_) {
    const MutableArrayRef& made = e.result();
    operands.push_back(i == kMade ? ArrayRef{made.element_type, made.dims, made.bytes}
                                  : e.operand(static_cast<size_t>(i)));
  }
  return operands;
}

void Epilogue::RunPart(Evaluation& e, int64_t begin, int64_t end) const {
  const Operands operands = OperandsOf(e);
  const ScratchArray<std::byte> registers(e.device().scratch(), block_->register_byte_size());
  block_->RunTiles(begin, end, operands, e.results(), registers.get());
}

absl::Status Epilogue::Run(Evaluation& e) const {
  return block_->Run(e.device(), OperandsOf(e), e.results());
}

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

  bool AreAlike(SlotId a, SlotId b) const {
    const Shape &shape = *plan_.slot(a).shape, &other = *plan_.slot(b).shape;
    return shape.element_type() == other.element_type() &&
           std::ranges::equal(shape.dims(), other.dims());
  }

  void FindProductFor(Step& step, Region& region, absl::flat_hash_map<size_t, size_t>& products) {
    auto block = std::dynamic_pointer_cast<const Block>(step.program);
    if (block == nullptr || step.results.size() != 1) return;
    if (block->kernel().overwrite != Overwrite::kAnyOperand) return;
    Step* product = nullptr;
    size_t made = 0;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const SlotId operand = step.operands[i];
      const auto found = products.find(BufferOf(operand));
      if (found == products.end() || read_counts_[BufferOf(operand)] != 1 ||
          made_counts_[BufferOf(operand)] != 1 || !AreAlike(operand, step.results[0])) {
        continue;
      }
      Step* const candidate = &region.steps[found->second];
      if (!AreAlike(candidate->results[0], step.results[0]) || candidate < product) continue;
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
    plan_.buffer(plan_.slot(product.results[0]).buffer).kind = Buffer::Kind::kInside;
    step.program = program.With(Epilogue(std::move(block), std::move(numbers)));
    step.operands = plan_.lists.CopyItems(std::span<const SlotId>(operands));
    step.covered.insert(step.covered.begin(), std::exchange(product, Step()));
  }

  Plan& plan_;
  std::vector<int> read_counts_, made_counts_;  // by buffer
};

}  // namespace

void AddEpilogues(Plan& plan) { EpilogueFinder(plan).Visit(*plan.entry); }

}  // namespace hlo::simd

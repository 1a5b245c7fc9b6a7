// The block finds what the product made among its operands, wherever it stands in their list.
#include "interp/simd/product/epilogue.h"

#include "interp/kernel/device.h"

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
  block_->RunTiles(begin, end, operands, e.results().subspan(1), registers.get());
}

absl::Status Epilogue::Run(Evaluation& e) const {
  return block_->Run(e.device(), OperandsOf(e), e.results().subspan(1));
}

}  // namespace hlo::simd

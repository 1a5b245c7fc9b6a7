// Which functions say the maps of an opcode: one row each. A missing row fails the build with the
// opcode in its name.
#include "indexing/op_query.h"
#include "support/check.h"

namespace hlo::indexing {
namespace {

template <Opcode kOpcode>
struct MapsOf;  // no row

#define HLO_MAPS(Name, to_input, to_output)                       \
  template <>                                                     \
  struct MapsOf<Opcode::k##Name> {                                \
    static constexpr OpFunctions kFunctions{to_input, to_output}; \
  };
#define HLO_MAPS_PAIR(Name, family) HLO_MAPS(Name, family##ToInput, family##ToOutput)
#define HLO_MAPS_UNKNOWN(Name) HLO_MAPS(Name, nullptr, nullptr)
#define HLO_MAPS_NO_OPERANDS(Name) HLO_MAPS(Name, NoOperandsToInput, nullptr)

// Elementwise by their family; the rows below are of all others.
#define HLO_UNARY(Name, ...) HLO_MAPS_PAIR(Name, Elementwise)
#define HLO_BINARY(Name, ...) HLO_MAPS_PAIR(Name, Elementwise)
#define HLO_OPCODE(...)
#include "ir/opcodes.def"

HLO_MAPS_PAIR(Clamp, Elementwise)
HLO_MAPS_PAIR(Compare, Elementwise)
HLO_MAPS_PAIR(Convert, Elementwise)
HLO_MAPS_PAIR(ReducePrecision, Elementwise)
HLO_MAPS_PAIR(Select, Elementwise)
HLO_MAPS_PAIR(StochasticConvert, Elementwise)

HLO_MAPS_PAIR(Bitcast, Bitcast)
HLO_MAPS_PAIR(BitcastConvert, BitcastConvert)
HLO_MAPS_PAIR(Broadcast, Broadcast)
HLO_MAPS_PAIR(Concatenate, Concatenate)
HLO_MAPS_NO_OPERANDS(Constant)
HLO_MAPS_PAIR(Copy, Elementwise)
HLO_MAPS_UNKNOWN(DynamicReshape)
HLO_MAPS_UNKNOWN(GetDimensionSize)
HLO_MAPS_PAIR(GetTupleElement, GetTupleElement)
HLO_MAPS_NO_OPERANDS(Iota)
HLO_MAPS_PAIR(OptimizationBarrier, TupleIdentity)
HLO_MAPS_PAIR(Pad, Pad)
HLO_MAPS_NO_OPERANDS(Parameter)
HLO_MAPS_PAIR(Reshape, Reshape)
HLO_MAPS_PAIR(Reverse, Reverse)
HLO_MAPS_PAIR(SetDimensionSize, SetDimensionSize)
HLO_MAPS_PAIR(Slice, Slice)
HLO_MAPS_PAIR(Transpose, Transpose)
HLO_MAPS_PAIR(Tuple, Tuple)

HLO_MAPS_PAIR(Map, Elementwise)
HLO_MAPS_PAIR(Reduce, Reduce)
HLO_MAPS_PAIR(ReduceWindow, ReduceWindow)
HLO_MAPS_PAIR(Scan, Scan)
HLO_MAPS_PAIR(SelectAndScatter, SelectAndScatter)
HLO_MAPS_PAIR(Sort, Sort)
HLO_MAPS_PAIR(TopK, TopK)

HLO_MAPS_PAIR(Convolution, Convolution)
HLO_MAPS_PAIR(Dot, Dot)
HLO_MAPS_PAIR(RaggedDot, RaggedDot)
HLO_MAPS_PAIR(ScaledDot, ScaledDot)

HLO_MAPS_PAIR(DynamicSlice, DynamicSlice)
HLO_MAPS_PAIR(DynamicUpdateSlice, DynamicUpdateSlice)
HLO_MAPS_PAIR(Gather, Gather)
HLO_MAPS_PAIR(Scatter, Scatter)

HLO_MAPS_PAIR(BatchNormGrad, BatchNormGrad)
HLO_MAPS_PAIR(BatchNormInference, BatchNormInference)
HLO_MAPS_PAIR(BatchNormTraining, BatchNormTraining)
HLO_MAPS_UNKNOWN(Cholesky)
HLO_MAPS_PAIR(Fft, Fft)
HLO_MAPS_UNKNOWN(TriangularSolve)

HLO_MAPS_UNKNOWN(Rng)
HLO_MAPS_UNKNOWN(RngBitGenerator)
HLO_MAPS_UNKNOWN(RngGetAndUpdateState)

HLO_MAPS_PAIR(Call, Call)
HLO_MAPS_UNKNOWN(Conditional)
HLO_MAPS_UNKNOWN(CustomCall)
HLO_MAPS_PAIR(Fusion, Call)
HLO_MAPS_UNKNOWN(While)

HLO_MAPS_PAIR(AllGather, AllGather)
HLO_MAPS_UNKNOWN(AllGatherDone)
HLO_MAPS_UNKNOWN(AllGatherStart)
HLO_MAPS_PAIR(AllReduce, AllReduce)
HLO_MAPS_PAIR(AllReduceDone, TupleIdentity)
HLO_MAPS_PAIR(AllReduceStart, AllReduce)
HLO_MAPS_PAIR(AllToAll, AllToAll)
HLO_MAPS_PAIR(CollectiveBroadcast, AllReduce)
HLO_MAPS_PAIR(CollectivePermute, AllReduce)
HLO_MAPS_UNKNOWN(CollectivePermuteDone)
HLO_MAPS_UNKNOWN(CollectivePermuteStart)
HLO_MAPS_UNKNOWN(PartitionId)
HLO_MAPS_UNKNOWN(RaggedAllToAll)
HLO_MAPS_PAIR(ReduceScatter, ReduceScatter)
HLO_MAPS_UNKNOWN(ReplicaId)

HLO_MAPS_PAIR(AddDependency, TupleIdentity)
HLO_MAPS_UNKNOWN(AfterAll)
HLO_MAPS_UNKNOWN(AsyncDone)
HLO_MAPS_UNKNOWN(AsyncStart)
HLO_MAPS_UNKNOWN(AsyncUpdate)
HLO_MAPS_UNKNOWN(CopyDone)
HLO_MAPS_UNKNOWN(CopyStart)
HLO_MAPS_PAIR(Domain, TupleIdentity)
HLO_MAPS_UNKNOWN(Infeed)
HLO_MAPS_UNKNOWN(Outfeed)
HLO_MAPS_UNKNOWN(Recv)
HLO_MAPS_UNKNOWN(RecvDone)
HLO_MAPS_UNKNOWN(Send)
HLO_MAPS_UNKNOWN(SendDone)

}  // namespace

OpFunctions FunctionsOf(Opcode opcode) {
  switch (opcode) {
#define HLO_OPCODE(Name, ...) \
  case Opcode::k##Name:       \
    return MapsOf<Opcode::k##Name>::kFunctions;
#include "ir/opcodes.def"
  }
  HLO_UNREACHABLE();
}

}  // namespace hlo::indexing

// What the functions of the opcodes get and give. One row of op_table.cc names the functions of an
// opcode; the files map_<family>.cc hold them.
#ifndef HLOKIT_INDEXING_OP_QUERY_H_
#define HLOKIT_INDEXING_OP_QUERY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "indexing/op_maps.h"

namespace hlo::indexing {

// One question: about output `index` (towards the inputs) or operand `index` (towards the outputs).
struct OpQuery {
  OpView op;
  int64_t index;
  ExprContext& context;
  const IndexingOptions& options;

  const Shape& result_shape() const { return *op.instruction().shape; }
  // The sizes of the output that is asked for; of all outputs where they agree.
  std::span<const int64_t> output_dims() const {
    return ElementShape(result_shape(), index).dims();
  }
  std::span<const int64_t> operand_dims(int64_t i) const { return op.operand_shape(i).dims(); }
};

// The answer, one entry for each operand or output. Everything is unknown before the function runs.
using ArrayMapsList = std::vector<ArrayMaps>;
using OpFunction = void (*)(const OpQuery& query, ArrayMapsList& maps);

struct OpFunctions {
  OpFunction output_to_input;  // null: unknown
  OpFunction input_to_output;  // null: unknown
};
OpFunctions FunctionsOf(Opcode opcode);

// --- Making maps --------------------------------------------------------------------------------

// A map in the making. Ranges are added before runtime variables.
class MapBuilder {
 public:
  // The dimensions' variables over the full box of an array.
  MapBuilder(ExprContext& context, std::span<const int64_t> dims);

  Expr dim(int64_t d) const { return map_.context().Variable(d); }
  std::vector<Expr> AllDims() const;
  Expr AddRange(int64_t size);
  // A value in `bounds` that `origin`, an array, holds at `index`. A constant or an iota is
  // no variable but its value.
  Expr AddRuntime(const OpQuery& query, const Instruction& origin, std::vector<Expr> index,
                  const Interval& bounds);
  void SetBounds(int64_t d, const Interval& bounds) {
    map_.dims[static_cast<size_t>(d)].bounds = bounds;
  }
  void AddConstraint(Expr expr, const Interval& bounds) { map_.AddConstraint(expr, bounds); }

  IndexingMap Build(std::vector<Expr> results);

 private:
  IndexingMap map_;
  std::vector<Variable> full_dims_;
};

// (d0, d1, ...) -> () over `dims`: a scalar is read.
IndexingMap ScalarMap(ExprContext& context, std::span<const int64_t> dims);
// ()[s0, s1, ...] -> (s0, s1, ...) over `dims`: a scalar reaches everything.
IndexingMap FromScalarMap(ExprContext& context, std::span<const int64_t> dims);
// Every element of an array of sizes `to`, from any of one of sizes `from`.
IndexingMap AllToAllMap(ExprContext& context, std::span<const int64_t> from,
                        std::span<const int64_t> to);

// Identity where the operand has the output's sizes, everything where it is a scalar.
MapSet ElementwiseMaps(ExprContext& context, std::span<const int64_t> output,
                       std::span<const int64_t> operand);

// --- Families -----------------------------------------------------------------------------------

void ElementwiseToInput(const OpQuery& query, ArrayMapsList& maps);
void ElementwiseToOutput(const OpQuery& query, ArrayMapsList& maps);
void NoOperandsToInput(const OpQuery& query, ArrayMapsList& maps);

#define HLO_INDEXING_PAIR(Name)                                  \
  void Name##ToInput(const OpQuery& query, ArrayMapsList& maps); \
  void Name##ToOutput(const OpQuery& query, ArrayMapsList& maps)

// map_data_movement.cc, map_reshape.cc
HLO_INDEXING_PAIR(Broadcast);
HLO_INDEXING_PAIR(Concatenate);
HLO_INDEXING_PAIR(GetTupleElement);
HLO_INDEXING_PAIR(Pad);
HLO_INDEXING_PAIR(Reverse);
HLO_INDEXING_PAIR(Slice);
HLO_INDEXING_PAIR(Transpose);
HLO_INDEXING_PAIR(Tuple);
HLO_INDEXING_PAIR(TupleIdentity);
HLO_INDEXING_PAIR(SetDimensionSize);
HLO_INDEXING_PAIR(Bitcast);
HLO_INDEXING_PAIR(BitcastConvert);
HLO_INDEXING_PAIR(Reshape);
// map_reduction.cc, map_window.cc
HLO_INDEXING_PAIR(Reduce);
HLO_INDEXING_PAIR(ReduceWindow);
HLO_INDEXING_PAIR(Scan);
HLO_INDEXING_PAIR(Sort);
HLO_INDEXING_PAIR(TopK);
HLO_INDEXING_PAIR(SelectAndScatter);
// map_contraction.cc, map_convolution.cc
HLO_INDEXING_PAIR(Convolution);
HLO_INDEXING_PAIR(Dot);
HLO_INDEXING_PAIR(RaggedDot);
HLO_INDEXING_PAIR(ScaledDot);
// map_indexing.cc
HLO_INDEXING_PAIR(DynamicSlice);
HLO_INDEXING_PAIR(DynamicUpdateSlice);
HLO_INDEXING_PAIR(Gather);
HLO_INDEXING_PAIR(Scatter);
// map_linalg.cc
HLO_INDEXING_PAIR(BatchNormGrad);
HLO_INDEXING_PAIR(BatchNormInference);
HLO_INDEXING_PAIR(BatchNormTraining);
HLO_INDEXING_PAIR(Fft);
// map_control_flow.cc
HLO_INDEXING_PAIR(Call);
// map_collective.cc
HLO_INDEXING_PAIR(AllGather);
HLO_INDEXING_PAIR(AllReduce);
HLO_INDEXING_PAIR(AllToAll);
HLO_INDEXING_PAIR(ReduceScatter);
#undef HLO_INDEXING_PAIR

// --- Shared by families -------------------------------------------------------------------------

// Index of the array of sizes `to` as a function of the one of sizes `from` with equally many
// elements: `from_exprs` are the expressions of the latter's dimensions (indexing.md 2.2).
std::vector<Expr> ReshapeIndex(ExprContext& context, std::span<const int64_t> from,
                               std::span<const Expr> from_exprs, std::span<const int64_t> to);

// (d0, ...) -> index in memory order, and back: the physical sizes are those of the dimensions from
// the slowest to the fastest (indexing.md 2.6).
IndexingMap LogicalToPhysical(ExprContext& context, const Shape& shape);
IndexingMap PhysicalToLogical(ExprContext& context, const Shape& shape);

}  // namespace hlo::indexing

#endif  // HLOKIT_INDEXING_OP_QUERY_H_

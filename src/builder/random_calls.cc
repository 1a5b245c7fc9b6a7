// A row for each function, with overloads chosen by chance; those of elementwise.def are expanded
// here. The compiler decides in which order the arguments of a call are drawn, so a seed stands for
// the same program only with the same compiler.
#include "builder/random_calls.h"

namespace hlo::testing {
namespace {

using namespace ops;

PrecisionConfig Precisions(RandomArguments& r) {
  PrecisionConfig config;
  for (int64_t i = r.Below(3); i > 0; --i) config.operand_precision.push_back(r.word<Precision>());
  if (r.flag()) config.algorithm = r.word<PrecisionAlgorithm>();
  return config;
}
ProductOptions Product(RandomArguments& r) {
  ProductOptions options;
  if (r.Below(4) == 0) options = {.precision = Precisions(r), .preferred_element_type = r.type()};
  return options;
}
DotDimensionNumbers DotNumbers(RandomArguments& r) {
  if (r.flag()) return {.lhs_contracting_dimensions = {0}, .rhs_contracting_dimensions = {0}};
  return {r.ns(), r.ns(), r.ns(), r.ns()};
}
ConvDimensionNumbers ConvNumbers(RandomArguments& r) {
  ConvDimensionNumbers numbers = ConvDimensionNumbers::Default(r.Below(3));
  if (r.Below(3) == 0) numbers.input_batch = r.n();
  if (r.Below(3) == 0) numbers.kernel_output_feature = r.n();
  if (r.Below(3) == 0) numbers.output_spatial = r.ns();
  return numbers;
}
ConvOptions Conv(RandomArguments& r) {
  ConvOptions options;
  if (r.Below(4) == 0)
    options = {.feature_group_count = r.n(),
               .batch_group_count = r.n(),
               .precision = Precisions(r),
               .preferred_element_type = r.type()};
  return options;
}
std::vector<PaddingPair> Pads(RandomArguments& r) {
  std::vector<PaddingPair> list;
  for (int64_t i = r.Below(4); i > 0; --i) list.push_back({r.n(), r.n()});
  return list;
}
Padding SameOrValid(RandomArguments& r) { return r.flag() ? Padding::kSame : Padding::kValid; }
CustomCallOptions Custom(RandomArguments& r) {
  CustomCallOptions options = {.opaque = "{\"}", .has_side_effect = r.flag()};
  if (r.flag()) options.aliasing = {{r.ns(), r.n(), r.ns()}};
  options.schedule = r.word<CustomCallSchedule>();
  options.api_version = r.word<CustomCallApiVersion>();
  return options;
}
std::string_view Target(RandomArguments& r) {
  return r.one_of<std::string_view>({"t", "", "$", "Pin", "Unpin", "CreateBuffer", "GetRngSeed",
                                     "SliceToDynamic", "__cudnn$convForward"});
}
ResultAccuracy Accuracy(RandomArguments& r) {
  return {.has_tolerance = r.flag(),
          .mode = r.word<AccuracyMode>(),
          .atol = r.one_of<double>({0.5, 1e300, NAN, INFINITY}),
          .rtol = -1,
          .ulps = r.n()};
}
// Lists of flags, which std::vector<bool> does not hold side by side.
struct Flags {
  explicit Flags(const std::vector<bool>& list) : size(list.size()) {
    std::copy(list.begin(), list.end(), items);
  }
  operator ListArg<bool>() const { return std::span<const bool>(items, size); }
  bool items[4] = {};
  size_t size;
};

constexpr RandomCall kCalls[] = {
#define HLO_UNARY_OPERATION(Name, Opcode) {#Name, [](RandomArguments& r) { return Name(r.x()); }},
#define HLO_TRANSCENDENTAL_OPERATION(Name, Opcode) \
  {#Name, [](RandomArguments& r) { return r.flag() ? Name(r.x()) : Name(r.x(), Accuracy(r)); }},
#define HLO_BINARY_OPERATION(Name, Opcode)                                 \
  {#Name, [](RandomArguments& r) {                                         \
     return r.flag() ? Name(r.x(), r.x()) : Name(r.x(), r.x(), r.sizes()); \
   }},
#define HLO_LOGICAL_OPERATION HLO_BINARY_OPERATION
#define HLO_COMPARISON_OPERATION(Name, TotalOrderName, Direction) \
  HLO_BINARY_OPERATION(Name, Direction) HLO_BINARY_OPERATION(TotalOrderName, Direction)
#include "builder/elementwise.def"
    {"LogicalNot", [](RandomArguments& r) { return LogicalNot(r.x()); }},
    {"Compare",
     [](RandomArguments& r) {
       return Compare(r.x(), r.x(), r.sizes(), r.word<ComparisonDirection>(),
                      r.word<ComparisonType>());
     }},
    {"Conj", [](RandomArguments& r) { return Conj(r.x()); }},
    {"Clamp", [](RandomArguments& r) { return Clamp(r.x(), r.x(), r.x()); }},
    {"Select", [](RandomArguments& r) { return Select(r.x(), r.x(), r.x()); }},
    {"ConvertElementType", [](RandomArguments& r) { return ConvertElementType(r.x(), r.type()); }},
    {"BitcastConvertType", [](RandomArguments& r) { return BitcastConvertType(r.x(), r.type()); }},
    {"Bitcast", [](RandomArguments& r) { return Bitcast(r.x(), r.shape()); }},
    {"ReducePrecision",
     [](RandomArguments& r) {
       return ReducePrecision(r.x(), ExponentBits{static_cast<int>(r.n())},
                              MantissaBits{static_cast<int>(r.n())});
     }},
    {"StochasticConvertType",
     [](RandomArguments& r) { return StochasticConvertType(r.x(), r.x(), r.type()); }},
    {"Parameter",
     [](RandomArguments& r) {
       return Parameter(r.b(), r.Below(3) == 0 ? r.n() : 100, r.shape(), "p", Flags(r.flags()));
     }},
    {"Constant", [](RandomArguments& r) { return Constant(r.b(), Literal::Scalar(1.5f)); }},
    {"ConstantLiteral",
     [](RandomArguments& r) { return ConstantLiteral(r.b(), Literal::Scalar(int32_t{1})); }},
    {"ConstantR0",
     [](RandomArguments& r) { return ConstantR0<int32_t>(r.b(), static_cast<int32_t>(r.n())); }},
    {"ConstantR1", [](RandomArguments& r) { return ConstantR1<int64_t>(r.b(), r.ns()); }},
    {"ConstantR2",
     [](RandomArguments& r) {
       return r.flag() ? ConstantR2<float>(r.b(), {{1, 2}, {3, 4}})
                       : ConstantR2<float>(r.b(), {{1, 2}, {3}});
     }},
    {"ConstantArray",
     [](RandomArguments& r) { return ConstantArray<int64_t>(r.b(), r.sizes(), r.ns()); }},
    {"Iota",
     [](RandomArguments& r) {
       return r.flag() ? Iota(r.b(), r.shape(), r.n()) : Iota(r.b(), r.type(), r.n());
     }},
    {"Broadcast", [](RandomArguments& r) { return Broadcast(r.x(), r.ns()); }},
    {"BroadcastInDim",
     [](RandomArguments& r) { return BroadcastInDim(r.x(), r.sizes(), r.sizes()); }},
    {"Reshape",
     [](RandomArguments& r) {
       if (r.flag()) return r.flag() ? Reshape(r.x(), r.sizes()) : Reshape(r.shape(), r.x());
       return Reshape(r.x(), r.sizes(), r.sizes());
     }},
    {"ReshapeWithInferredDimension",
     [](RandomArguments& r) { return ReshapeWithInferredDimension(r.x(), r.sizes(), r.n()); }},
    {"DynamicReshape",
     [](RandomArguments& r) { return DynamicReshape(r.x(), r.xs(), r.sizes(), Flags(r.flags())); }},
    {"Collapse", [](RandomArguments& r) { return Collapse(r.x(), r.sizes()); }},
    {"Transpose", [](RandomArguments& r) { return Transpose(r.x(), r.sizes()); }},
    {"Rev", [](RandomArguments& r) { return Rev(r.x(), r.sizes()); }},
    {"ConcatInDim", [](RandomArguments& r) { return ConcatInDim(r.b(), r.xs(), r.n()); }},
    {"Pad",
     [](RandomArguments& r) {
       std::vector<PaddingDimension> padding;
       for (int64_t i = r.Below(4); i > 0; --i) padding.push_back({r.n(), r.n(), r.n()});
       return Pad(r.x(), r.x(), padding);
     }},
    {"PadInDim", [](RandomArguments& r) { return PadInDim(r.x(), r.x(), r.n(), r.n(), r.n()); }},
    {"Slice",
     [](RandomArguments& r) {
       return r.flag() ? Slice(r.x(), r.sizes(), r.sizes())
                       : Slice(r.x(), r.sizes(), r.sizes(), r.sizes());
     }},
    {"SliceInDim",
     [](RandomArguments& r) { return SliceInDim(r.x(), r.n(), r.n(), r.n(), r.n()); }},
    {"Tuple", [](RandomArguments& r) { return Tuple(r.b(), r.xs()); }},
    {"GetTupleElement", [](RandomArguments& r) { return GetTupleElement(r.x(), r.n()); }},
    {"OptimizationBarrier", [](RandomArguments& r) { return OptimizationBarrier(r.x()); }},
    {"GetDimensionSize", [](RandomArguments& r) { return GetDimensionSize(r.x(), r.n()); }},
    {"SetDimensionSize", [](RandomArguments& r) { return SetDimensionSize(r.x(), r.x(), r.n()); }},
    {"RemoveDynamicDimension",
     [](RandomArguments& r) { return RemoveDynamicDimension(r.x(), r.n()); }},
    {"DynamicSlice", [](RandomArguments& r) { return DynamicSlice(r.x(), r.xs(), r.sizes()); }},
    {"DynamicUpdateSlice",
     [](RandomArguments& r) { return DynamicUpdateSlice(r.x(), r.x(), r.xs()); }},
    {"Gather",
     [](RandomArguments& r) {
       return Gather(r.x(), r.x(), {r.ns(), r.ns(), r.ns(), r.ns(), r.ns(), r.n()}, r.sizes(),
                     r.flag());
     }},
    {"Scatter",
     [](RandomArguments& r) {
       return Scatter(r.xs(), r.x(), r.xs(), r.f(), {r.ns(), r.ns(), r.ns(), r.ns(), r.ns(), r.n()},
                      r.flag(), r.flag());
     }},
    {"Map",
     [](RandomArguments& r) {
       return Map(r.b(), r.xs(), r.f(), r.sizes(), r.Below(8) == 0 ? r.xs() : std::vector<Op>());
     }},
    {"Reduce",
     [](RandomArguments& r) {
       return r.flag() ? Reduce(r.x(), r.x(), r.f(), r.sizes())
                       : Reduce(r.b(), r.xs(), r.xs(), r.f(), r.sizes());
     }},
    {"ReduceAll", [](RandomArguments& r) { return ReduceAll(r.x(), r.x(), r.f()); }},
    {"ReduceWindow",
     [](RandomArguments& r) {
       if (r.flag()) return ReduceWindow(r.x(), r.x(), r.f(), r.sizes(), r.sizes(), SameOrValid(r));
       return ReduceWindow(r.b(), r.xs(), r.xs(), r.f(), r.sizes(), r.sizes(), SameOrValid(r));
     }},
    {"ReduceWindowWithGeneralPadding",
     [](RandomArguments& r) {
       const std::vector<int64_t> sizes = r.sizes(), strides = r.ns(), base = r.ns(),
                                  window = r.ns();
       const std::vector<PaddingPair> padding = Pads(r);
       const Flags reversal(r.flags());
       return ReduceWindowWithGeneralPadding(r.b(), r.xs(), r.xs(), r.f(),
                                             {sizes, strides, padding, base, window, reversal});
     }},
    {"SelectAndScatter",
     [](RandomArguments& r) {
       return SelectAndScatter(r.x(), r.f(), r.sizes(), r.sizes(), SameOrValid(r), r.x(), r.x(),
                               r.f());
     }},
    {"SelectAndScatterWithGeneralPadding",
     [](RandomArguments& r) {
       return SelectAndScatterWithGeneralPadding(r.x(), r.f(), r.sizes(), r.sizes(), Pads(r), r.x(),
                                                 r.x(), r.f());
     }},
    {"Scan",
     [](RandomArguments& r) {
       if (r.flag()) return Scan(r.b(), r.xs(), r.xs(), r.f(), r.n());
       return Scan(r.b(), r.xs(), r.xs(), r.f(), r.n(), r.n(),
                   {.is_reverse = r.flag(), .is_associative = r.flag()});
     }},
    {"Sort",
     [](RandomArguments& r) {
       return r.flag() ? Sort(r.xs(), r.f(), r.n(), r.flag()) : Sort(r.x(), r.x(), r.n());
     }},
    {"TopK", [](RandomArguments& r) { return TopK(r.x(), r.n(), r.flag(), r.flag()); }},
    {"Dot", [](RandomArguments& r) { return Dot(r.x(), r.x(), Product(r)); }},
    {"DotGeneral",
     [](RandomArguments& r) { return DotGeneral(r.x(), r.x(), DotNumbers(r), Product(r)); }},
    {"ScaledDot",
     [](RandomArguments& r) {
       return ScaledDot(r.x(), r.x(), r.x(), r.x(), DotNumbers(r), Product(r));
     }},
    {"RaggedDot",
     [](RandomArguments& r) {
       return RaggedDot(r.x(), r.x(), r.x(), {DotNumbers(r), r.ns(), r.ns()}, Product(r));
     }},
    {"Conv",
     [](RandomArguments& r) { return Conv(r.x(), r.x(), r.ns(), SameOrValid(r), Conv(r)); }},
    {"ConvWithGeneralPadding",
     [](RandomArguments& r) {
       return ConvWithGeneralPadding(r.x(), r.x(), r.ns(), Pads(r), Conv(r));
     }},
    {"ConvWithGeneralDimensions",
     [](RandomArguments& r) {
       return ConvWithGeneralDimensions(r.x(), r.x(), r.ns(), SameOrValid(r), ConvNumbers(r),
                                        Conv(r));
     }},
    {"ConvGeneral",
     [](RandomArguments& r) {
       return ConvGeneral(r.x(), r.x(), r.ns(), Pads(r), ConvNumbers(r), Conv(r));
     }},
    {"ConvGeneralDilated",
     [](RandomArguments& r) {
       return ConvGeneralDilated(r.x(), r.x(), r.ns(), Pads(r), r.ns(), r.ns(), ConvNumbers(r),
                                 Conv(r), Flags(r.flags()));
     }},
    {"BatchNormTraining",
     [](RandomArguments& r) { return BatchNormTraining(r.x(), r.x(), r.x(), 1, r.n()); }},
    {"BatchNormInference",
     [](RandomArguments& r) {
       return BatchNormInference(r.x(), r.x(), r.x(), r.x(), r.x(), NAN, r.n());
     }},
    {"BatchNormGrad",
     [](RandomArguments& r) {
       return BatchNormGrad(r.x(), r.x(), r.x(), r.x(), r.x(), -1, r.n());
     }},
    {"Cholesky", [](RandomArguments& r) { return Cholesky(r.x(), r.flag()); }},
    {"TriangularSolve",
     [](RandomArguments& r) {
       return TriangularSolve(r.x(), r.x(), r.flag(), r.flag(), r.flag(),
                              r.word<TriangularTranspose>());
     }},
    {"Fft", [](RandomArguments& r) { return Fft(r.x(), r.word<FftType>(), r.sizes()); }},
    {"RngNormal", [](RandomArguments& r) { return RngNormal(r.x(), r.x(), r.shape()); }},
    {"RngUniform", [](RandomArguments& r) { return RngUniform(r.x(), r.x(), r.shape()); }},
    {"RngBitGenerator",
     [](RandomArguments& r) {
       return RngBitGenerator(r.word<RandomAlgorithm>(), r.x(), r.shape());
     }},
    {"Call", [](RandomArguments& r) { return Call(r.b(), r.f(), r.xs()); }},
    {"CompositeCall",
     [](RandomArguments& r) {
       return CompositeCall(r.b(), r.f(), r.xs(), r.flag() ? "a\"b" : "", r.flag() ? "{}" : "",
                            r.n());
     }},
    {"Conditional",
     [](RandomArguments& r) {
       if (r.flag()) return Conditional(r.x(), r.x(), r.f(), r.x(), r.f());
       return Conditional(r.x(), {r.f(), r.f()}, r.xs());
     }},
    {"While", [](RandomArguments& r) { return While(r.f(), r.f(), r.x()); }},
    {"CustomCall",
     [](RandomArguments& r) { return CustomCall(r.b(), Target(r), r.xs(), r.shape(), Custom(r)); }},
    {"CustomCallWithComputation",
     [](RandomArguments& r) {
       return CustomCallWithComputation(r.b(), Target(r), r.xs(), r.f(), r.shape(), Custom(r));
     }},
    {"CustomCallWithLayout",
     [](RandomArguments& r) {
       return CustomCallWithLayout(r.b(), Target(r), r.xs(), r.shape(), {r.shape()}, Custom(r));
     }},
    {"CustomCallWithConvDnums",
     [](RandomArguments& r) {
       const std::vector<int64_t> sizes = r.sizes(), strides = r.ns();
       return CustomCallWithConvDnums(r.b(), Target(r), r.xs(), r.shape(),
                                      {.sizes = sizes, .strides = strides}, ConvNumbers(r), Conv(r),
                                      Custom(r));
     }},
    {"AllGather",
     [](RandomArguments& r) { return AllGather(r.x(), r.n(), r.n(), r.collective(), r.layout()); }},
    {"AllReduce",
     [](RandomArguments& r) {
       return r.flag() ? AllReduce(r.x(), r.f(), r.collective())
                       : AllReduce(r.x(), r.f(), r.collective(), r.shape());
     }},
    {"CrossReplicaSum", [](RandomArguments& r) { return CrossReplicaSum(r.x(), r.groups()); }},
    {"ReduceScatter",
     [](RandomArguments& r) {
       return ReduceScatter(r.x(), r.f(), r.n(), r.n(), r.collective(), r.layout());
     }},
    {"AllToAll",
     [](RandomArguments& r) {
       return AllToAll(r.x(), r.n(), r.n(), r.n(), r.groups(), r.layout(), r.channel());
     }},
    {"AllToAllTuple",
     [](RandomArguments& r) {
       return AllToAllTuple(r.b(), r.xs(), r.groups(), r.layout(), r.channel());
     }},
    {"RaggedAllToAll",
     [](RandomArguments& r) {
       return RaggedAllToAll(r.x(), r.x(), r.x(), r.x(), r.x(), r.x(), r.groups(), r.channel());
     }},
    {"CollectiveBroadcast",
     [](RandomArguments& r) {
       return r.flag() ? CollectiveBroadcast(r.x(), r.groups(), r.channel())
                       : CollectiveBroadcast(r.b(), r.xs(), r.groups(), r.channel(), r.flag());
     }},
    {"CollectivePermute",
     [](RandomArguments& r) {
       if (r.flag()) return CollectivePermute(r.x(), r.pairs(), r.channel(), r.Below(8) == 0);
       return CollectivePermute(r.x(), r.x(), r.x(), r.x(), r.pairs(), {r.sizes()}, r.channel());
     }},
    {"MultiCollectivePermute",
     [](RandomArguments& r) {
       return MultiCollectivePermute(r.b(), r.xs(), r.pairs(), r.channel());
     }},
    {"ReplicaId", [](RandomArguments& r) { return ReplicaId(r.b()); }},
    {"PartitionId", [](RandomArguments& r) { return PartitionId(r.b()); }},
    {"AfterAll", [](RandomArguments& r) { return AfterAll(r.b(), r.xs()); }},
    {"CreateToken", [](RandomArguments& r) { return CreateToken(r.b()); }},
    {"Infeed", [](RandomArguments& r) { return Infeed(r.b(), r.shape(), "\n\"\\"); }},
    {"InfeedWithToken", [](RandomArguments& r) { return InfeedWithToken(r.x(), r.shape()); }},
    {"Outfeed", [](RandomArguments& r) { return Outfeed(r.x(), r.shape()); }},
    {"OutfeedWithToken",
     [](RandomArguments& r) { return OutfeedWithToken(r.x(), r.x(), r.shape()); }},
    {"Send",
     [](RandomArguments& r) {
       Send(r.x(), r.channel().value_or(ChannelHandle{1}));
       return Op();
     }},
    {"Recv",
     [](RandomArguments& r) {
       return Recv(r.b(), r.shape(), r.channel().value_or(ChannelHandle{1}));
     }},
    {"SendWithToken",
     [](RandomArguments& r) {
       return SendWithToken(r.x(), r.x(), r.channel().value_or(ChannelHandle{1}));
     }},
    {"RecvWithToken",
     [](RandomArguments& r) {
       return RecvWithToken(r.x(), r.shape(), r.channel().value_or(ChannelHandle{1}));
     }},
    {"SendToHost",
     [](RandomArguments& r) {
       return SendToHost(r.x(), r.x(), r.shape(), {1, ChannelHandle::Type::kDeviceToHost});
     }},
    {"RecvFromHost",
     [](RandomArguments& r) {
       return RecvFromHost(r.x(), r.shape(), {1, ChannelHandle::Type::kHostToDevice});
     }},
};

}  // namespace

std::span<const RandomCall> RandomCalls() { return kCalls; }

}  // namespace hlo::testing

// One PrintValue for each type attribute values have (grammar.md 4, 5, 10.5, 10.6, 10.10).
#ifndef HLOKIT_PRINTER_PRINT_VALUE_H_
#define HLOKIT_PRINTER_PRINT_VALUE_H_

#include <cstdint>
#include <string_view>

#include "ir/attribute.h"
#include "ir/attribute_map.h"
#include "printer/print_context.h"

namespace hlo {

void PrintValue(PrintContext& context, bool value);
void PrintValue(PrintContext& context, int64_t value);
void PrintValue(PrintContext& context, double value);
void PrintValue(PrintContext& context, String value);
void PrintValue(PrintContext& context, RawText value);
void PrintValue(PrintContext& context, ComputationId value);
void PrintValue(PrintContext& context, InstructionId value);
void PrintValue(PrintContext& context, LiteralRef value);
void PrintValue(PrintContext& context, ShapeRef value);
void PrintValue(PrintContext& context, const Window& value);
void PrintValue(PrintContext& context, const ConvolutionDimensionNumbers& value);
void PrintValue(PrintContext& context, const SparsityConfig& value);
void PrintValue(PrintContext& context, const ReplicaGroups& value);
void PrintValue(PrintContext& context, const Metadata& value);
void PrintValue(PrintContext& context, const Statistics& value);
void PrintValue(PrintContext& context, const OriginalValue& value);
void PrintValue(PrintContext& context, const ResultAccuracy& value);
void PrintValue(PrintContext& context, const ShardingLeaf& value);
void PrintValue(PrintContext& context, const Sharding& value);
void PrintValue(PrintContext& context, const DomainValue& value);
void PrintValue(PrintContext& context, const EntryComputationLayout& value);

// Lists; those that print otherwise than `{a,b}` have an overload of their own.
void PrintValue(PrintContext& context, const IntList& value);
void PrintValue(PrintContext& context, const IntListList& value);
void PrintValue(PrintContext& context, const BoolList& value);
void PrintValue(PrintContext& context, const PrecisionList& value);
void PrintValue(PrintContext& context, const ComputationList& value);
void PrintValue(PrintContext& context, const InstructionList& value);
void PrintValue(PrintContext& context, const ShapeList& value);
void PrintValue(PrintContext& context, const PaddingConfig& value);
void PrintValue(PrintContext& context, const SliceRanges& value);
void PrintValue(PrintContext& context, const FrontendAttributes& value);
void PrintValue(PrintContext& context, const OperandAliases& value);
void PrintValue(PrintContext& context, const ParameterAliases& value);
void PrintValue(PrintContext& context, const BufferDonors& value);
void PrintValue(PrintContext& context, const OriginRecoveryTable& value);
void PrintValue(PrintContext& context, const DebugAttributes& value);

template <AttributeEnum E>
void PrintValue(PrintContext& context, E value) {
  context.Append(EnumText(value));
}

// Prints `value` as the value of `attr`, whose row says what type it has.
void PrintAttributeValue(PrintContext& context, Attr attr, const AttributeValue& value);

// Pieces that several values share.

// Calls `print` for each item with `separator` between, inside `open` and `close`.
template <typename Items, typename Print>
void PrintSeparated(PrintContext& context, std::string_view open, std::string_view separator,
                    std::string_view close, const Items& items, Print print) {
  context.Append(open);
  bool first = true;
  for (const auto& item : items) {
    if (!first) context.Append(separator);
    first = false;
    print(item);
  }
  context.Append(close);
}

// `"` text `"`, escaped as C does: everything outside printable ASCII as octal.
void PrintEscaped(PrintContext& context, std::string_view text);
// A string whose bytes stand as they are between `quote`s, where the lexer allows it.
void PrintVerbatim(PrintContext& context, char quote, std::string_view text);
// [2,4]<=[8], [4,2]<=[2,4]T(1,0): the part from `[` behind `<=`.
void PrintIota(PrintContext& context, const IotaDevices& iota);
void PrintMesh(PrintContext& context, const Mesh& mesh);
void PrintAxes(PrintContext& context, const Mesh& mesh, const List<AxisRef>& axes,
               std::string_view separator);
void PrintOriginalArray(PrintContext& context, const OriginalArray& array);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_PRINT_VALUE_H_

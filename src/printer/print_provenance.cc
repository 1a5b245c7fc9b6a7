// Values that say where something came from: metadata, statistics, original values, debugging
// tables (grammar.md 4.3 to 4.6, 10.2, 10.5).
#include "printer/print_value.h"

namespace hlo {
namespace {

// Blank-separated `key=value` fields; empty strings and zeros are left out.
class FieldPrinter {
 public:
  explicit FieldPrinter(PrintContext& context) : context_(context) {}

  void Text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    Key(key);
    PrintEscaped(context_, value);
  }
  // The one field that XLA does not escape.
  void Verbatim(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    Key(key);
    PrintVerbatim(context_, '"', value);
  }
  void Integer(std::string_view key, int64_t value) {
    if (value == 0) return;
    Key(key);
    context_.AppendInt(value);
  }
  void Integers(std::string_view key, const IntList& value) {
    if (value.empty()) return;
    Key(key);
    PrintValue(context_, value);
  }

 private:
  void Key(std::string_view key) {
    if (!first_) context_.Append(' ');
    first_ = false;
    context_.Append(key);
    context_.Append('=');
  }

  PrintContext& context_;
  bool first_ = true;
};

// `(`, trees, `)` for a tuple; XLA separates with ", ".
void PrintOriginalTree(PrintContext& context, const OriginalValue& value) {
  if (!value.is_tuple) return PrintOriginalArray(context, value.leaf);
  PrintSeparated(context, "(", ", ", ")", value.elements,
                 [&](const OriginalValue& element) { PrintOriginalTree(context, element); });
}

void PrintDebugRecord(PrintContext& context, const DebugRecord& record) {
  std::string_view separator = "{";
  const auto start_item = [&](std::string_view key) {
    context.Append(separator);
    context.Append(key);
    separator = ",";
  };
  if (record.has_log_mode) {
    start_item("log_mode=");
    PrintValue(context, record.log_mode);
  }
  if (record.callback_id != 0) {
    start_item("callback_id=");
    context.AppendInt(record.callback_id);
  }
  if (record.partitioned) start_item("partitioned=true");
  if (record.op_id != 0) {
    start_item("op_id=");
    context.AppendInt(record.op_id);
  }
  context.Append('}');
}

}  // namespace

void PrintOriginalArray(PrintContext& context, const OriginalArray& array) {
  context.Append('{');
  if (array.known) {
    PrintVerbatim(context, '"', array.instruction);
    if (!array.index.empty()) {
      context.Append(' ');
      PrintValue(context, array.index);
    }
  }
  context.Append('}');
}

void PrintValue(PrintContext& context, const Metadata& value) {
  context.Append('{');
  FieldPrinter fields(context);
  fields.Text("op_type", value.op_type);
  fields.Text("op_name", value.op_name);
  fields.Text("source_file", value.source_file);
  fields.Integer("source_line", value.source_line);
  fields.Integer("source_end_line", value.source_end_line);
  fields.Integer("source_column", value.source_column);
  fields.Integer("source_end_column", value.source_end_column);
  fields.Integers("profile_type", value.profile_type);
  fields.Text("deduplicated_name", value.deduplicated_name);
  fields.Verbatim("scheduling_name", value.scheduling_name);
  if (!context.options().resolve_frames) fields.Integer("stack_frame_id", value.stack_frame_id);
  fields.Text("metadata_payload", value.metadata_payload);
  context.Append('}');
}

void PrintValue(PrintContext& context, const Statistics& value) {
  context.Append("{visualizing_index=");
  context.AppendInt(value.visualizing_index);
  for (const Statistic& statistic : value.values) {
    context.Append(',');
    context.Append(statistic.name);
    context.Append('=');
    PrintValue(context, statistic.value);
  }
  context.Append('}');
}

void PrintValue(PrintContext& context, const OriginalValue& value) {
  if (value.is_synthetic_call) return context.Append("{[synthetic_call]}");
  context.Append('{');
  PrintOriginalTree(context, value);
  context.Append('}');
}

void PrintValue(PrintContext& context, const ResultAccuracy& value) {
  if (!value.has_tolerance) {
    context.Append("{mode=");
    PrintValue(context, value.mode);
    return context.Append('}');
  }
  context.Append("{tolerance={atol=");
  PrintValue(context, value.atol);
  context.Append(",rtol=");
  PrintValue(context, value.rtol);
  context.Append(",ulps=");
  context.AppendInt(value.ulps);
  context.Append("}}");
}

void PrintValue(PrintContext& context, const OriginRecoveryTable& value) {
  context.Append("{\n");
  for (const OriginRecovery& entry : value) {
    context.Append("  ");
    PrintOriginalArray(context, entry.old_array);
    context.Append(" : ");
    PrintOriginalArray(context, entry.new_array);
    if (entry.has_module) {
      context.Append(",\n  ");
      PrintVerbatim(context, '"', entry.module_text);
    }
    context.Append('\n');
  }
  context.Append("}\n");
}

void PrintValue(PrintContext& context, const DebugAttributes& value) {
  PrintSeparated(context, "{\n", ",\n", "\n}", value, [&](const DebugEntry& entry) {
    context.Append("  ");
    PrintOriginalArray(context, entry.original);
    PrintSeparated(context, ":(", ", ", ")", entry.records,
                   [&](const DebugRecord& record) { PrintDebugRecord(context, record); });
  });
}

}  // namespace hlo

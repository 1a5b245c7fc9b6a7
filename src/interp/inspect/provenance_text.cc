// Ids in the stack frame tables count from 1 (grammar.md 2.3) and may be anything: where one leads
// out of its table there is no place to name. A source file in the metadata itself goes before its
// stack frame.
#include "interp/inspect/provenance_text.h"

#include <fmt/format.h>

namespace hlo {
namespace {

// Entry `id`, from 1.
template <typename T>
const T* Entry(const std::vector<T>& table, int32_t id) {
  return id >= 1 && static_cast<size_t>(id) <= table.size() ? &table[static_cast<size_t>(id) - 1]
                                                            : nullptr;
}

std::string LineOfFrame(const StackFrameTables& tables, int32_t id) {
  const StackFrameTables::Frame* frame = Entry(tables.frames, id);
  if (frame == nullptr) return "";
  const StackFrameTables::FileLocation* location =
      Entry(tables.file_locations, frame->file_location_id);
  if (location == nullptr) return "";
  const std::string_view* file = Entry(tables.file_names, location->file_name_id);
  return file == nullptr ? "" : fmt::format("{}:{}", *file, location->line);
}

}  // namespace

std::string SourceLineOf(const Module& module, const Instruction& instruction) {
  const Metadata* metadata = instruction.attributes.GetIf<Attr::kMetadata>();
  if (metadata == nullptr) return "";
  if (metadata->source_file.empty()) {
    return LineOfFrame(module.stack_frames(), metadata->stack_frame_id);
  }
  return fmt::format("{}:{}", metadata->source_file, metadata->source_line);
}

std::string_view OpNameOf(const Instruction& instruction) {
  const Metadata* metadata = instruction.attributes.GetIf<Attr::kMetadata>();
  return metadata == nullptr ? std::string_view() : metadata->op_name;
}

std::string ProvenanceText(const Module& module, const Instruction& instruction) {
  std::string text;
  if (const std::string_view name = OpNameOf(instruction); !name.empty()) {
    text += fmt::format("  {}", name);
  }
  if (const std::string line = SourceLineOf(module, instruction); !line.empty()) {
    text += fmt::format("  {}", line);
  }
  return text;
}

}  // namespace hlo

// The header, and the tables that stand beside it. Source: verifier.md 1.1, 1.14.
#include "verifier/rules.h"

namespace hlo {
namespace {

SourceRange ModuleRange(const Module& module, Attr attr) {
  const Attribute* attribute = module.attributes().Find(attr);
  return attribute == nullptr ? module.name_range() : attribute->range;
}

void CheckCount(const RuleContext& context, Attr attr, const int64_t* count) {
  if (count == nullptr || *count >= 1) return;
  context.Report(Rule::kModuleReplicaCount, ModuleRange(context.module(), attr),
                 "`{}` is {}, less than 1", AttributeName(attr), *count);
}

void CheckPropagation(const RuleContext& context, Attr attr, const BoolList* list, int64_t expected,
                      std::string_view what) {
  if (list == nullptr) return;
  int64_t size = static_cast<int64_t>(list->size());
  if (size == 1 || size == expected) return;
  context.Report(Rule::kModuleSpmdPropagationSize, ModuleRange(context.module(), attr),
                 "`{}` has {} values for {} {}", AttributeName(attr), size, expected, what);
}

// Reports an id that is not in 1 ... count; 0 says "none" and is fine.
void CheckFrameId(const RuleContext& context, int64_t id, size_t count, std::string_view what) {
  if (id >= 0 && id <= static_cast<int64_t>(count)) return;
  context.Report(Rule::kStackframeIds, context.module().name_range(),
                 "the stack-frame tables refer to {} {}, but there {} {}", what, id,
                 count == 1 ? "is" : "are", count);
}

void CheckStackFrames(const RuleContext& context) {
  const StackFrameTables& tables = context.module().stack_frames();
  for (const StackFrameTables::FileLocation& location : tables.file_locations) {
    CheckFrameId(context, location.file_name_id, tables.file_names.size(), "file name");
    CheckFrameId(context, location.function_name_id, tables.function_names.size(), "function name");
  }
  for (size_t i = 0; i < tables.frames.size(); ++i) {
    const StackFrameTables::Frame& frame = tables.frames[i];
    CheckFrameId(context, frame.file_location_id, tables.file_locations.size(), "file location");
    if (frame.parent_frame_id > static_cast<int64_t>(i)) {
      context.Report(Rule::kStackframeIds, context.module().name_range(),
                     "stack frame {} has frame {} as its parent, which is not an earlier one",
                     i + 1, frame.parent_frame_id);
    }
  }
}

}  // namespace

void VerifyHeader(const RuleContext& context) {
  const Module& module = context.module();
  if (module.form() != ModuleForm::kFull) {
    context.Report(Rule::kModuleHeader, module.entry().name_range,
                   "no `HloModule` line: the module is taken to be `{}`", module.name());
  }
  CheckCount(context, Attr::kReplicaCount, module.GetIf<Attr::kReplicaCount>());
  CheckCount(context, Attr::kNumPartitions, module.GetIf<Attr::kNumPartitions>());
  CheckPropagation(context, Attr::kAllowSpmdShardingPropagationToParameters,
                   module.GetIf<Attr::kAllowSpmdShardingPropagationToParameters>(),
                   static_cast<int64_t>(module.entry().parameters.size()), "entry parameters");
  CheckPropagation(context, Attr::kAllowSpmdShardingPropagationToOutput,
                   module.GetIf<Attr::kAllowSpmdShardingPropagationToOutput>(),
                   module.root(module.entry()).shape->LeafCount(), "arrays of the result");
  CheckStackFrames(context);
}

}  // namespace hlo

// Two decisions, the rest is elsewhere: style kKeep takes a text to keep, without one it prints as
// kXla; and a print like XLA's own is the print of a changed copy (xla_view.h), without comments.
// Literals are in print_literal.cc.
#include "printer/printer.h"

#include "printer/print_context.h"
#include "printer/print_kept.h"
#include "printer/print_module.h"
#include "printer/xla_view.h"

namespace hlo {
namespace {

std::string Print(const Module& module, const PrintOptions& options) {
  PrintContext context(module, options);
  const bool has_text = module.source() != nullptr && !options.like_xla;
  if (options.style == PrintStyle::kKeep && has_text) {
    PrintKeptText(context);
  } else {
    PrintModuleText(context);
  }
  return context.out().Take();
}

// XLA's short form loses them (grammar.md 10.1).
void DropControlPredecessors(Module& module) {
  for (size_t i = 0; i < module.instructions().size(); ++i) {
    module.RemoveAttribute(InstructionId(i), Attr::kControlPredecessors);
  }
}

}  // namespace

std::string PrintModule(const Module& module, const PrintOptions& options) {
  if (!options.like_xla) return Print(module, options);
  PrintOptions xla_options = options;
  xla_options.comments = false;
  Module view = MakeXlaView(module);
  if (options.style == PrintStyle::kShort) {
    xla_options.metadata = false;
    DropControlPredecessors(view);
  }
  return Print(view, xla_options);
}

}  // namespace hlo

#include "printer/printer.h"

#include "printer/print_context.h"
#include "printer/print_module.h"
#include "printer/xla_view.h"

namespace hlo {
namespace {

std::string Print(const Module& module, const PrintOptions& options) {
  PrintContext context(module, options);
  PrintModuleText(context);
  return context.out().Take();
}

}  // namespace

std::string PrintModule(const Module& module, const PrintOptions& options) {
  if (!options.like_xla) return Print(module, options);
  PrintOptions without_comments = options;
  without_comments.comments = false;
  return Print(MakeXlaView(module), without_comments);
}

}  // namespace hlo

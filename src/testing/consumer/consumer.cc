// Parses a module and prints it, through the installed libraries alone.
#include <cstdio>
#include <memory>

#include "parser/parser.h"
#include "printer/printer.h"

int main() {
  auto source = std::make_shared<hlo::SourceText>(
      "inline", "HloModule m ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }");
  hlo::DiagnosticSink sink(source);
  std::optional<hlo::Module> module = hlo::ParseModule(source, sink);
  if (!module) return 1;
  std::fputs(hlo::PrintModule(*module).c_str(), stdout);
  return 0;
}

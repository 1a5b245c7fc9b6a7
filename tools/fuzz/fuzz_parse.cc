// libFuzzer target: any bytes are read as a module, a shape and a literal without harm.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "parser/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto source = std::make_shared<hlo::SourceText>(
      "fuzz", std::string(reinterpret_cast<const char*>(data), size));
  hlo::DiagnosticSink module_sink(source);
  hlo::ParseModule(source, module_sink);
  hlo::DiagnosticSink shape_sink(source);
  hlo::ParseShape(source, shape_sink);
  hlo::DiagnosticSink literal_sink(source);
  hlo::ParseTypedLiteral(source, literal_sink);
  return 0;
}

// The extension module hlokit._hlokit: what hlokit/__init__.py makes an interface of.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/format_config.h"
#include "format/format_text.h"
#include "interp/arguments.h"
#include "interp/backends.h"
#include "ir/module.h"
#include "parser/parser.h"
#include "python/run.h"
#include "support/diagnostic.h"
#include "support/render_diagnostic.h"
#include "support/render_structured.h"
#include "values/cast.h"
#include "verifier/verifier.h"

namespace hlo::python {
namespace {

namespace py = pybind11;

// What Finding's constructor takes: severity, rule, message, file, line, column, text.
py::tuple FindingOf(const Diagnostic& diagnostic) {
  const LineColumn place = diagnostic.source->Locate(diagnostic.range.begin);
  std::string text = RenderDiagnostics(std::span(&diagnostic, 1), RenderOptions{});
  while (text.ends_with('\n')) text.pop_back();
  return py::make_tuple(std::string(SeverityName(diagnostic.severity)), diagnostic.rule,
                        diagnostic.message, diagnostic.source->name(), place.line, place.column,
                        text);
}

py::list FindingsOf(const std::vector<Diagnostic>& diagnostics) {
  py::list findings;
  for (const Diagnostic& diagnostic : diagnostics) findings.append(FindingOf(diagnostic));
  return findings;
}

class ParsedModule {
 public:
  explicit ParsedModule(Module module) : module_(std::move(module)) {}

  std::string name() const { return std::string(module_.name()); }

  // (name, shape) of each parameter of the entry computation.
  std::vector<std::pair<std::string, std::string>> Parameters() const {
    std::vector<std::pair<std::string, std::string>> parameters;
    for (InstructionId id : module_.entry().parameters) {
      const Instruction& parameter = module_.instruction(id);
      parameters.emplace_back(parameter.name, ShapeText(*parameter.shape));
    }
    return parameters;
  }
  std::string ResultShape() const { return ShapeText(*module_.root(module_.entry()).shape); }

  py::list Verify() const {
    DiagnosticSink sink(module_.source());
    {
      const py::gil_scoped_release no_gil;
      hlo::Verify(module_, VerifyOptions{}, sink);
    }
    return FindingsOf(sink.diagnostics());
  }

  std::pair<std::optional<std::string>, py::list> Format(const std::string& style,
                                                         bool metadata) const {
    DiagnosticSink sink(module_.source());
    PrintOptions options;
    options.style = *ParsePrintStyle(style);
    options.metadata = metadata;
    std::optional<std::string> text = FormatText(module_.source(), options, sink);
    return {std::move(text), FindingsOf(sink.diagnostics())};
  }

  std::pair<py::object, py::list> Run(const py::tuple& arguments, const RunSettings& settings) {
    DiagnosticSink sink(module_.source());
    py::object result = python::Run(module_, arguments, settings, sink);
    return {std::move(result), FindingsOf(sink.diagnostics())};
  }

 private:
  Module module_;
};

std::pair<std::unique_ptr<ParsedModule>, py::list> Parse(std::string text, std::string name) {
  auto source = std::make_shared<const SourceText>(std::move(name), std::move(text));
  DiagnosticSink sink(source);
  std::optional<Module> module;
  {
    const py::gil_scoped_release no_gil;
    module = ParseModule(source, sink);
  }
  std::unique_ptr<ParsedModule> parsed;
  if (module) parsed = std::make_unique<ParsedModule>(*std::move(module));
  return {std::move(parsed), FindingsOf(sink.diagnostics())};
}

std::vector<std::string> Strings(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  for (const Backend& backend : Backends()) names.emplace_back(backend.name);
  return names;
}

}  // namespace

PYBIND11_MODULE(_hlokit, m) {
  m.def("parse", &Parse);
  m.attr("styles") = Strings(PrintStyleNames());
  m.attr("cast_rules") = Strings(CastRuleNames());
  m.attr("fake_kinds") = Strings(FakeKindNames());
  m.attr("backends") = BackendNames();
  py::class_<RunSettings>(m, "RunSettings")
      .def(py::init<>())
      .def_readwrite("backend", &RunSettings::backend)
      .def_readwrite("cast", &RunSettings::cast)
      .def_readwrite("fake", &RunSettings::fake)
      .def_readwrite("seed", &RunSettings::seed)
      .def_readwrite("max_byte_size", &RunSettings::max_byte_size)
      .def_readwrite("threads", &RunSettings::threads)
      .def_readwrite("trace", &RunSettings::trace)
      .def_readwrite("first_nan", &RunSettings::first_nan);
  py::class_<ParsedModule>(m, "ParsedModule")
      .def_property_readonly("name", &ParsedModule::name)
      .def_property_readonly("parameters", &ParsedModule::Parameters)
      .def_property_readonly("result_shape", &ParsedModule::ResultShape)
      .def("verify", &ParsedModule::Verify)
      .def("format", &ParsedModule::Format)
      .def("run", &ParsedModule::Run);
}

}  // namespace hlo::python

// HLO text to Module (grammar.md).
#ifndef HLOKIT_PARSER_PARSER_H_
#define HLOKIT_PARSER_PARSER_H_

#include <memory>
#include <optional>
#include <string_view>

#include "ir/literal.h"
#include "ir/module.h"
#include "ir/recovered_module.h"
#include "ir/shape.h"
#include "support/diagnostic.h"

namespace hlo {

struct ParseOptions {
  // Array shapes written without layout get the row-major one.
  bool fill_missing_layouts = true;
  // Nesting of shapes, literals, operands and inline computations beyond this is an error.
  int max_depth = 1000;
};

// Parses one module: a full one, a headerless one or a single instruction (grammar.md 8). Reports
// every error it finds; nothing is returned when there was one.
std::optional<Module> ParseModule(std::shared_ptr<const SourceText> source, DiagnosticSink& sink,
                                  const ParseOptions& options = {});

// The same as ParseModule, for readers who can use the part of a module that was read. Signatures
// that clash with roots are left to them to report.
RecoveredModule RecoverModule(std::shared_ptr<const SourceText> source, DiagnosticSink& sink,
                              const ParseOptions& options = {});

// Parses a stand-alone shape, which must be the whole text.
std::optional<Shape> ParseShape(std::shared_ptr<const SourceText> source, DiagnosticSink& sink,
                                const ParseOptions& options = {});

// Parses a shape followed by a literal of that shape, the whole text: `f32[2]{0} {1, 2}`,
// `f32[2] {1,2}`, `(s32[], f32[2]) (1, {2, 3})`, and XLA's typed literals `(s32[] 1, f32[2] {2,
// 3})`.
std::optional<Literal> ParseTypedLiteral(std::shared_ptr<const SourceText> source,
                                         DiagnosticSink& sink);

// Parses a literal of a known shape, the whole text: `{1, 2}`.
std::optional<Literal> ParseLiteral(std::shared_ptr<const SourceText> source, const Shape& shape,
                                    DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSER_H_

// What all parts of the parser share while one text is read.
#ifndef HLOKIT_PARSER_PARSE_CONTEXT_H_
#define HLOKIT_PARSER_PARSE_CONTEXT_H_

#include <memory>
#include <span>
#include <vector>

#include "ir/module.h"
#include "parser/cursor.h"
#include "parser/parser.h"
#include "parser/shape_cache.h"

namespace hlo {

class ModuleParser;

struct ParseContext {
  ParseContext(Module& module, DiagnosticSink& sink, const ParseOptions& options)
      : module(module), sink(sink), options(options), cursor(*module.source(), sink) {}

  Arena& arena() { return module.arena(); }
  // A list in the arena.
  template <typename T>
  List<T> Store(std::span<const T> items) {
    return List<T>(arena().CopyItems(items));
  }
  template <typename T>
  List<T> Store(const std::vector<T>& items) {
    return Store(std::span<const T>(items));
  }

  Module& module;
  DiagnosticSink& sink;
  const ParseOptions& options;
  Cursor cursor;
  ShapeCache shape_cache;
  ModuleParser* module_parser = nullptr;  // null when a stand-alone value is read
  int depth = 0;                          // see NestingScope
};

// One level of nesting of operands, shapes, literals or bodies (grammar.md 7.11). Nobody goes
// deeper when `ok` is false, which has been reported.
class NestingScope {
 public:
  explicit NestingScope(ParseContext& context) : context_(context) {
    if (++context_.depth <= context_.options.max_depth) return;
    ok_ = false;
    context_.sink.Error(Rule::kInstNestingDepth, context_.cursor.token().range,
                        "nesting deeper than {} levels", context_.options.max_depth);
  }
  ~NestingScope() { --context_.depth; }
  NestingScope(const NestingScope&) = delete;
  NestingScope& operator=(const NestingScope&) = delete;
  bool ok() const { return ok_; }

 private:
  ParseContext& context_;
  bool ok_ = true;
};

}  // namespace hlo

#endif  // HLOKIT_PARSER_PARSE_CONTEXT_H_

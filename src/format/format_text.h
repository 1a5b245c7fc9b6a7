// One HLO text formatted, and proof that it still says the same.
#ifndef HLOKIT_FORMAT_FORMAT_TEXT_H_
#define HLOKIT_FORMAT_FORMAT_TEXT_H_

#include <memory>
#include <optional>
#include <string>

#include "printer/printer.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace hlo {

// The text of `source` in the style of `options`. Errors of the text are reported and nothing is
// returned; the same when reading the result back does not give an equal module (apart from what
// `options` drop), which would be a defect of ours that must not reach a file.
std::optional<std::string> FormatText(const std::shared_ptr<const SourceText>& source,
                                      const PrintOptions& options, DiagnosticSink& sink);

}  // namespace hlo

#endif  // HLOKIT_FORMAT_FORMAT_TEXT_H_

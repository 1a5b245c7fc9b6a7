// The forms of diagnostics that programs read; used through RenderDiagnostics.
#ifndef HLOKIT_SUPPORT_RENDER_STRUCTURED_H_
#define HLOKIT_SUPPORT_RENDER_STRUCTURED_H_

#include <span>
#include <string>
#include <string_view>

#include "support/check.h"
#include "support/diagnostic.h"
#include "support/render_diagnostic.h"

namespace hlo {

std::string_view SeverityName(Severity severity);  // "error"

std::string RenderJson(std::span<const Diagnostic> diagnostics, const RenderOptions& options);
std::string RenderSarif(std::span<const Diagnostic> diagnostics, const RenderOptions& options);
std::string RenderGithub(std::span<const Diagnostic> diagnostics);
std::string RenderJunit(std::span<const Diagnostic> diagnostics, const RenderOptions& options);

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_RENDER_STRUCTURED_H_

// What a sink keeps when there is too much to say.
#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace hlo {
namespace {

std::shared_ptr<const SourceText> Text() {
  return std::make_shared<const SourceText>("test.hlo", std::string(100, ' '));
}

void ReportSome(DiagnosticSink& sink, Severity severity, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<uint32_t>(i % 100);
    sink.Report(severity, "test.rule", {at, at + 1}, fmt::format("{}", i));
    sink.AddNote({0, 1}, "note");
    sink.AddFix({0, 1}, "");
  }
}

TEST(DiagnosticSink, CountsWhatIsBeyondItsLimits) {
  DiagnosticSink sink(Text(), {.errors = 3, .warnings = 2});
  ReportSome(sink, Severity::kError, 5);
  ReportSome(sink, Severity::kWarning, 2);
  ReportSome(sink, Severity::kNote, 3);
  EXPECT_EQ(sink.diagnostics().size(), 7u);
  EXPECT_EQ(sink.error_count(), 5);
  EXPECT_EQ(sink.hidden().errors, 2);
  EXPECT_EQ(sink.hidden().warnings, 0);
  EXPECT_EQ(sink.hidden().notes, 1);
  EXPECT_EQ(sink.diagnostics()[2].message, "2");
  EXPECT_EQ(sink.diagnostics()[2].notes.size(), 1u);  // not those of what is left out
}

TEST(DiagnosticSink, HoldsWhatMayBeTakenBack) {
  DiagnosticSink sink(Text(), {.errors = 1});
  ReportSome(sink, Severity::kError, 1);
  {
    const DiagnosticSink::Hold hold(sink);
    ReportSome(sink, Severity::kError, 2);
    EXPECT_EQ(sink.error_count(), 3);
    sink.RewindTo(0);
  }
  EXPECT_EQ(sink.error_count(), 0);
  ReportSome(sink, Severity::kError, 2);
  EXPECT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(sink.hidden().errors, 1);
}

TEST(DiagnosticSink, DrainsWhenThereIsMuch) {
  DiagnosticSink sink(Text());
  size_t drained = 0;
  sink.DrainTo([&](std::vector<Diagnostic> diagnostics) { drained += diagnostics.size(); });
  ReportSome(sink, Severity::kError, 100'000);
  EXPECT_LT(sink.diagnostics().size(), 2000u);
  EXPECT_EQ(drained + sink.diagnostics().size(), 100'000u);
  EXPECT_EQ(sink.error_count(), 100'000);
}

TEST(DiagnosticLimits, TruncateEachSeverityByItself) {
  DiagnosticSink sink(Text());
  ReportSome(sink, Severity::kError, 4);
  ReportSome(sink, Severity::kWarning, 4);
  std::vector<Diagnostic> diagnostics = sink.TakeDiagnostics();
  const DiagnosticCounts hidden = Truncate({.errors = 0, .warnings = 1}, diagnostics);
  EXPECT_EQ(diagnostics.size(), 5u);
  EXPECT_EQ(hidden.errors, 0);
  EXPECT_EQ(hidden.warnings, 3);
}

}  // namespace
}  // namespace hlo

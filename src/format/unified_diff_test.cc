// Differences as `diff -u` writes them, in hunks, without a last line end, from nothing; and of
// texts too large for the table of the exact method.
#include "format/unified_diff.h"

#include <gtest/gtest.h>

namespace hlo {
namespace {

TEST(UnifiedDiff, EqualTextsHaveNone) { EXPECT_EQ(UnifiedDiff("a", "x\n", "b", "x\n"), ""); }

TEST(UnifiedDiff, AsDiffWritesIt) {
  EXPECT_EQ(UnifiedDiff("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, DistantChangesMakeTwoHunks) {
  const std::string middle = "a\nb\nc\nd\ne\nf\ng\nh\n";
  EXPECT_EQ(UnifiedDiff("x", "1\n" + middle + "2\n", "y", middle + "3\n"),
            "--- x\n+++ y\n@@ -1,4 +1,3 @@\n-1\n a\n b\n c\n@@ -7,4 +6,4 @@\n f\n g\n h\n-2\n+3\n");
}

TEST(UnifiedDiff, InsertionIntoNothing) {
  EXPECT_EQ(UnifiedDiff("x", "", "y", "1\n"), "--- x\n+++ y\n@@ -0,0 +1 @@\n+1\n");
}

TEST(UnifiedDiff, MissingNewline) {
  EXPECT_EQ(UnifiedDiff("x", "1", "y", "1\n"),
            "--- x\n+++ y\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+1\n");
}

// Larger than the table of the exact method: anchors keep the change local.
TEST(UnifiedDiff, LargeTexts) {
  std::string before = "first\n";
  std::string after = "1st\n";
  for (int i = 0; i < 5000; ++i) {
    before += std::to_string(i) + "\n";
    after += std::to_string(i) + "\n";
  }
  before += "last\n";
  after += "end\n";
  EXPECT_EQ(UnifiedDiff("x", before, "y", after, {.context_line_count = 1}),
            "--- x\n+++ y\n@@ -1,2 +1,2 @@\n-first\n+1st\n 0\n@@ -5001,2 +5001,2 @@\n 4999\n-last\n"
            "+end\n");
}

}  // namespace
}  // namespace hlo

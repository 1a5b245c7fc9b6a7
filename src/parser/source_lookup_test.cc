// Lookups in parsed text: each part of an instruction is found where it stands.
#include "ir/source_lookup.h"

#include <gtest/gtest.h>

#include "parser/parser.h"

namespace hlo {
namespace {

constexpr std::string_view kText = R"(HloModule m

f {
  ROOT p = f32[2] parameter(0)
}

ENTRY e {
  %x = f32[2]{0} parameter(0)
  ROOT y = f32[2] fusion(negate(%x), x), kind=kLoop, calls=f
}
)";

class SourceLookupTest : public ::testing::Test {
 protected:
  SourceLookupTest() {
    auto source = std::make_shared<const SourceText>("m.hlo", std::string(kText));
    DiagnosticSink sink(source);
    module_ = ParseModule(source, sink);
    HLO_CHECK(module_.has_value());
  }
  // The part at the first character of the n-th `text`.
  SourcePart At(std::string_view text, int n = 1) const {
    size_t at = kText.find(text);
    while (--n > 0) at = kText.find(text, at + 1);
    return SourceLookup(*module_).At(static_cast<uint32_t>(at));
  }
  std::string_view Text(const SourcePart& part) const {
    return module_->source()->text(part.range);
  }
  std::string_view Name(const SourcePart& part) const {
    return module_->instruction(part.instruction).name;
  }

  std::optional<Module> module_;
};

TEST_F(SourceLookupTest, PartsOfAnInstruction) {
  EXPECT_EQ(At("%x").kind, SourcePart::Kind::kName);
  EXPECT_EQ(Name(At("%x")), "x");
  EXPECT_EQ(At("f32[2]{0}").kind, SourcePart::Kind::kShape);
  EXPECT_EQ(Text(At("f32[2]{0}")), "f32[2]{0}");
  EXPECT_EQ(At("parameter", 2).kind, SourcePart::Kind::kOpcode);
  EXPECT_EQ(At("ROOT", 2).kind, SourcePart::Kind::kInstruction);
  EXPECT_EQ(Name(At("ROOT", 2)), "y");
}

TEST_F(SourceLookupTest, OperandsAndAttributes) {
  const SourcePart second = At("x), kind");
  EXPECT_EQ(second.kind, SourcePart::Kind::kOperand);
  EXPECT_EQ(second.operand, 1u);
  const SourcePart calls = At("calls=f");
  EXPECT_EQ(calls.kind, SourcePart::Kind::kAttribute);
  EXPECT_EQ(calls.attr, Attr::kCalls);
  EXPECT_EQ(Text(calls), "calls=f");
}

TEST_F(SourceLookupTest, OperandsInPlaceAreInstructions) {
  const SourcePart inner = At("%x)");
  EXPECT_EQ(inner.kind, SourcePart::Kind::kOperand);
  EXPECT_EQ(module_->instruction(inner.instruction).opcode, Opcode::kNegate);
}

TEST_F(SourceLookupTest, OutsideOfInstructions) {
  EXPECT_EQ(At("HloModule").kind, SourcePart::Kind::kNothing);
  const SourcePart brace = At("}\n\nENTRY");
  EXPECT_EQ(brace.kind, SourcePart::Kind::kComputation);
  EXPECT_EQ(module_->computation(brace.computation).name, "f");
}

}  // namespace
}  // namespace hlo

// Tokens, feeds and transfers. Source: verifier.md 1.8, 1.9, 3.12, 4.
#include "builder/violations.h"

namespace hlo::testing {
namespace {

using namespace ops;
using Type = ChannelHandle::Type;

constexpr Violation kViolations[] = {
    {"builder.after-all-tokens", "f32[]", [](HloBuilder& b, Ops x) { AfterAll(b, {x[0]}); }},
    {"builder.after-all-tokens", "f32[]",
     [](HloBuilder&, Ops x) { InfeedWithToken(x[0], MakeShape("f32[2]{0}")); }},
    {"builder.after-all-tokens", "f32[2]",
     [](HloBuilder&, Ops x) { OutfeedWithToken(x[0], x[0], MakeShape("f32[2]{0}")); }},
    {"builder.after-all-tokens", "f32[2]",
     [](HloBuilder&, Ops x) { SendWithToken(x[0], x[0], {1}); }},
    {"builder.after-all-tokens", "f32[2]",
     [](HloBuilder&, Ops x) { RecvWithToken(x[0], MakeShape("f32[2]{0}"), {1}); }},
    {"builder.infeed-layout", "",
     [](HloBuilder& b, Ops) {
       Infeed(b, Shape::Array(ElementType::kF32, {{2, 3}}));
     }},
    {"builder.infeed-layout", "f32[2]",
     [](HloBuilder&, Ops x) { Outfeed(x[0], MakeShape("f32[3]{0}")); }},
    {"builder.host-array", "(f32[2])",
     [](HloBuilder& b, Ops x) {
       SendToHost(x[0], CreateToken(b), MakeShape("(f32[2]{0})"), {1, Type::kDeviceToHost});
     }},
    {"builder.channel-type", "f32[2]",
     [](HloBuilder&, Ops x) {
       Send(x[0], {1, Type::kHostToDevice});
     }},
    {"builder.channel-type", "",
     [](HloBuilder& b, Ops) { RecvFromHost(CreateToken(b), MakeShape("f32[2]{0}"), {1}); }},
    {"infeed.nested-tuple", "",
     [](HloBuilder& b, Ops) { Infeed(b, MakeShape("(f32[2]{0},(f32[3]{0}))")); }},
    {"infeed.nested-tuple", "token[]",
     [](HloBuilder&, Ops x) { InfeedWithToken(x[0], Shape::Token()); }},
    {"token.infeed-order", "token[]",
     [](HloBuilder&, Ops x) {
       const Shape shape = Shape::Scalar(ElementType::kF32);
       InfeedWithToken(x[0], shape);
       InfeedWithToken(x[0], shape);
     }},
    {"module.unique-channel", "f32[]",
     [](HloBuilder&, Ops x) {
       Send(x[0], {1});
       Send(x[0], {1});
     }},
    {"channel.host-transfer-identical", "f32[] f32[2] token[]",
     [](HloBuilder&, Ops x) {
       SendToHost(x[0], x[2], Shape::Scalar(ElementType::kF32), {1, Type::kDeviceToHost});
       SendToHost(x[1], x[2], MakeShape("f32[2]{0}"), {1, Type::kDeviceToHost});
     }},
    {"channel.counterpart", "f32[]", [](HloBuilder&, Ops x) { Send(x[0], {1}); }},
    {"channel.positive-other", "f32[]", [](HloBuilder&, Ops x) { Send(x[0], {0}); }},
};

}  // namespace

Violations EffectsViolations() { return kViolations; }

}  // namespace hlo::testing

// Rows follow the catalogue, and one may stand for a family of rules. Most reasons are one of few:
// the rule is about text, the C++ type has no wrong value, the function derives what is asked, or
// another rule asks first. The test wants exactly one row for each rule that no violation breaks,
// and a rule for each row.
#include "builder/rules_out_of_reach.h"

namespace hlo::testing {
namespace {

constexpr std::string_view kText = "it is about how text is written, which nobody reads here";
constexpr std::string_view kNames = "names are made fit and unique";
constexpr std::string_view kNoFunction = "no function makes the opcode or sets the attribute";
constexpr std::string_view kNoThreads = "no function names an execution thread";
constexpr std::string_view kTyped = "the C++ type of the argument has no other values";
constexpr std::string_view kDerived = "the function derives it from its arguments";
constexpr std::string_view kArguments = "the function takes just that many arguments";
constexpr std::string_view kTokens = "builder.after-all-tokens asks first";
constexpr std::string_view kPairs = "a function makes both halves of the transfer";

constexpr OutOfReach kOutOfReach[] = {
    // Modules and computations.
    {"module.header", kText},
    {"module.attr-known", kText},
    {"module.spmd-propagation-size", kNoFunction},
    {"module.call-cycle", "builder.computation-finished asks first"},
    {"comment", kText},
    {"name", kNames},
    {"ref.operand-defined", "builder.one-computation asks first"},
    {"ref.operand-before-use", "operands are made before what takes them"},
    {"ref.computation-defined",
     "a computation is built before what calls it, or builder.operation-handle"},
    {"ref.operand-shape", kText},
    {"ref.compact-element", kText},
    {"comp.nonempty", "a computation is built by naming its root"},
    {"comp.multiple-roots", "a computation is built by naming its root, once"},
    {"comp.implicit-root", kText},
    {"comp.signature-result", kText},
    {"comp.signature-params", kText},
    {"comp.multiple-entry", "a module begins with its entry"},
    {"comp.implicit-entry", kText},
    {"comp.entry-is-fusion", kNoFunction},
    {"entry-layout", "Build writes what parameters and root say"},
    {"alias.kind", kTyped},
    {"alias.shorthand", kText},
    {"donor", kNoFunction},
    {"thread", kNoThreads},
    {"schedule", "Build makes no schedule"},
    {"control.defined", "comp.dataflow-cycle is what later predecessors break"},
    {"control.self", "comp.dataflow-cycle is what it breaks"},
    {"origin", kNoFunction},
    {"stackframe", kNoFunction},

    // Attributes and instructions as text.
    {"attr.duplicate", "a second value replaces the first"},
    {"attr.unknown", kDerived},
    {"attr.required", kDerived},
    {"attr.single-dimension", "these functions take one number"},
    {"inst.shape-required", kDerived},
    {"inst.nested-attributes", kText},
    {"inst.opcode-known", kTyped},
    {"inst.arity", kArguments},
    {"inst.called-computation-allowed", kDerived},
    {"literal", "a Literal is made of elements of its type, not of text"},
    {"accuracy.opcode", "only functions of such opcodes take an accuracy"},
    {"type.mixed-precision-result", kDerived},

    // Opcodes that compilers make.
    {"async", kNoFunction},
    {"pair", kNoFunction},
    {"fusion", kNoFunction},
    {"domain", kNoFunction},
    {"copy-start", kNoFunction},
    {"copy-done", kNoFunction},
    {"rng-get-and-update-state", kNoFunction},
    {"all-gather.start-tuple", kNoFunction},
    {"collective-permute.done-tuple", kNoFunction},

    // Tokens, feeds and transfers.
    {"token.infeed-operand", kTokens},
    {"token.outfeed-operand", kTokens},
    {"token.add-dependency-operand", kNoFunction},
    {"token.after-all-operands", kTokens},
    {"token.send-recv-operand", kTokens},
    {"token.shape-form", kText},
    {"channel.done-matches", kPairs},
    {"channel.single-user", kPairs},
    {"channel.done-operand", kPairs},
    {"recv-done", kPairs},
    {"recv", kText},
    {"infeed.text-tuple", kText},
    {"infeed.layout", "builder.infeed-layout asks first"},
    {"outfeed.shape", "builder.infeed-layout asks first"},
    {"send.array", "builder.host-array asks first"},

    // Shardings, shapes and layouts.
    {"sharding.no-devices", kText},
    {"sharding.maximal-one-device", kTyped},
    {"sharding.mesh-open-last", kText},
    {"sharding.mesh-reduction", kTyped},
    {"shape.text-ignored", kText},
    {"shape.element-type", kTyped},
    {"shape.dims-required", kText},
    {"shape.tuple-element", "what is wrong with an element has a rule of its own"},
    {"layout.minor-to-major-required", kText},
    {"layout.part-order", kText},
    {"layout.sparse-type-unsigned", kText},
    {"layout.level-types", kText},
    {"layout.level-types-dropped", kText},
    {"layout.padded-dims-length", "the older padded layouts are read from text"},
    {"layout.padded-dims-width", "the older padded layouts are read from text"},
    {"layout.padding-value", "the older padded layouts are read from text"},
    {"layout.padding-value-alone", "the older padded layouts are read from text"},
    {"buffer.dus", "the result has the operand's shape, and no update is a buffer"},

    // Elementwise operations.
    {"elementwise.no-implicit-broadcast", "operands are broadcast, or break broadcasting.*"},
    {"compare.direction", kTyped},
    {"clamp.bounds-shape", "builder.ternary-scalars asks first"},
    {"select.pred-shape", "builder.ternary-scalars asks first"},
    {"convert.complex-to-real", "ConvertElementType takes the real part first"},

    // Data movement.
    {"broadcast", kDerived},
    {"dynamic-reshape.operands", "builder.dynamic-reshape-lists asks first"},
    {"dynamic-reshape.element-type", kDerived},
    {"tuple", kDerived},
    {"pad.config-syntax", kText},
    {"slice.range-syntax", kText},
    {"iota.static", "builder.iota-static asks first"},

    // Contractions.
    {"dot.precision-values", kTyped},
    {"dot.algorithm", kTyped},
    {"convolution.dim-labels-unique", "convolution.labels-cover is what such numbers break"},
    {"convolution.dim-labels-alphabet", kText},
    {"convolution.dim-labels-spatial-count", "builder.conv-rank asks first"},
    {"convolution.rank", "builder.conv-rank asks first"},
    {"convolution.window-rank", kDerived},
    {"convolution.window-size-matches-kernel", kDerived},
    {"convolution.wgrad-batch", kNoFunction},
    {"convolution.kind", kNoFunction},
    {"convolution.extra-operands", kArguments},
    {"convolution.sparsity-index", kNoFunction},
    {"convolution.sparsity-ratio", kNoFunction},
    {"window.field-lengths", "builder.window-lists asks first"},
    {"window.pad-syntax", kText},
    {"window.reversal-flag", kTyped},
    {"window.known-field", kText},

    // Computations applied to elements.
    {"scatter.operand-count", "builder.scatter-counts asks first"},
    {"sort.nonempty", "of nothing nobody knows the builder: builder.operation-handle"},
    {"scan.operands-carries", kDerived},
    {"scan.roots", kDerived},
    {"scan.output-element", kDerived},

    // Collectives.
    {"collective.mode-value", kNoFunction},
    {"collective.tuple-element-types", "builder.all-reduce-one-type asks first"},
    {"all-gather.tuple-result", kDerived},
    {"all-to-all.array-single", kArguments},
    {"all-to-all.dimension", "builder.all-to-all-dims asks first"},
    {"all-to-all.divisible", "builder.all-to-all-dims asks first"},
    {"ragged-all-to-all.operands", kArguments},
    {"collective-permute.pair-form", kTyped},
    {"collective-permute.inplace-operands", kArguments},
    {"replica-id", kDerived},

    // Calls.
    {"call.no-alias", kNoFunction},
    {"while.one-operand", kArguments},
    {"conditional.selector-scalar", "builder.conditional-selector asks first"},
    {"conditional.selector-type", "builder.conditional-selector asks first"},
    {"conditional.pred-form", kDerived},
    {"custom-call.target", kArguments},
    {"custom-call.target-reserved", "builder.custom-call-target asks first"},
    {"custom-call.computations", kNoFunction},
    {"custom-call.schedule", kTyped},
    {"custom-call.padding-type", kNoFunction},

    // Random numbers.
    {"rng.operand-count", kArguments},
    {"rng-bit-generator.tuple", kDerived},
    {"rng-bit-generator.state-shape", kDerived},
    {"rng-bit-generator.non-tuple", kDerived},
    {"rng-bit-generator.data-type", kDerived},
};

}  // namespace

std::span<const OutOfReach> RulesOutOfReach() { return kOutOfReach; }

}  // namespace hlo::testing

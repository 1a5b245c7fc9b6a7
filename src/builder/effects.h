// Tokens, feeds and transfers. Source: verifier.md 3.12, 4; builder.md 2, 3.
#ifndef HLOKIT_BUILDER_EFFECTS_H_
#define HLOKIT_BUILDER_EFFECTS_H_

#include <string_view>

#include "builder/collective.h"
#include "builder/hlo_builder.h"
#include "builder/op.h"

namespace hlo::ops {

// A token for what comes after all of `tokens` (builder.after-all-tokens).
Op AfterAll(const HloBuilder& builder, Ops tokens, SourceLocation at = SourceLocation::current());
// A token to start from.
Op CreateToken(const HloBuilder& builder, SourceLocation at = SourceLocation::current());

// --- Feeds ---------------------------------------------------------------------------------------

// The next value of `shape`, with layouts (builder.infeed-layout), from the infeed. `config` is
// text for the device. Infeeds and outfeeds of a computation happen in the order they are made.
Op Infeed(const HloBuilder& builder, const Shape& shape, std::string_view config = {},
          SourceLocation at = SourceLocation::current());
// (data, token), after `token`.
Op InfeedWithToken(const Op& token, const Shape& shape, std::string_view config = {},
                   SourceLocation at = SourceLocation::current());

// Writes the operand to the outfeed, in the layouts of `shape_with_layout`, which is of its form.
// The result is the empty tuple.
Op Outfeed(const Op& operand, const Shape& shape_with_layout, std::string_view config = {},
           SourceLocation at = SourceLocation::current());
// The token for what comes after it.
Op OutfeedWithToken(const Op& operand, const Op& token, const Shape& shape_with_layout,
                    std::string_view config = {}, SourceLocation at = SourceLocation::current());

// --- Transfers -----------------------------------------------------------------------------------

// Between devices, over a channel of that type (builder.channel-type): Send on the one, Recv of the
// same shape on the other.
void Send(const Op& operand, const ChannelHandle& handle,
          SourceLocation at = SourceLocation::current());
Op Recv(const HloBuilder& builder, const Shape& shape, const ChannelHandle& handle,
        SourceLocation at = SourceLocation::current());
// A token, and (data, token).
Op SendWithToken(const Op& operand, const Op& token, const ChannelHandle& handle,
                 SourceLocation at = SourceLocation::current());
Op RecvWithToken(const Op& token, const Shape& shape, const ChannelHandle& handle,
                 SourceLocation at = SourceLocation::current());

// Between device and host: arrays (builder.host-array) in a layout that is given.
Op SendToHost(const Op& operand, const Op& token, const Shape& shape_with_layout,
              const ChannelHandle& handle, SourceLocation at = SourceLocation::current());
Op RecvFromHost(const Op& token, const Shape& shape, const ChannelHandle& handle,
                SourceLocation at = SourceLocation::current());

}  // namespace hlo::ops

#endif  // HLOKIT_BUILDER_EFFECTS_H_

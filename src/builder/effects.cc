// Feeds of a computation are a chain of tokens. Of a scope's sharding they give the data its own,
// tokens go to device 0 (builder.md 2).
#include "builder/effects.h"

#include "builder/operation.h"
#include "verifier/shape_index.h"

namespace hlo::ops {
namespace {

bool CheckTokens(Operation& operation, Ops tokens, Rule rule) {
  for (size_t i = 0; operation.ok() && i < tokens.size(); ++i) {
    if (tokens[i].shape().IsToken()) continue;
    operation.Fail(rule, "`{}` is no token", ShapeText(tokens[i].shape()));
  }
  return operation.ok();
}

constexpr Rule kTokenOperand = Rule::kBuilderAfterAllTokens;

}  // namespace

Op AfterAll(const HloBuilder& builder, Ops tokens, SourceLocation at) {
  Operation operation("AfterAll", at, builder, tokens);
  if (!CheckTokens(operation, tokens, kTokenOperand)) return operation.Invalid();
  return operation.Add(Opcode::kAfterAll, tokens).Infer();
}

Op CreateToken(const HloBuilder& builder, SourceLocation at) {
  Operation operation("CreateToken", at, builder);
  return operation.Add(Opcode::kAfterAll, {}).Infer();
}

// --- Feeds ---------------------------------------------------------------------------------------

namespace {

bool CheckLayouts(Operation& operation, const Shape& shape) {
  if (!operation.ok() || HasLayouts(shape)) return operation.ok();
  operation.Fail(Rule::kBuilderInfeedLayout, "`{}` has no layout", ShapeText(shape));
  return false;
}

bool CheckSent(Operation& operation, const Op& operand, const Shape& shape) {
  if (!CheckLayouts(operation, shape) || !operation.CheckShape(shape)) return false;
  if (Compatible(shape, operand.shape())) return true;
  operation.Fail(Rule::kBuilderInfeedLayout, "the shape is `{}`, the operand `{}`",
                 ShapeText(shape), ShapeText(operand.shape()));
  return false;
}

Sharding OnDeviceZero(HloBuilder& builder) { return builder.MaximalSharding(0); }

// (data, token): the data as the scope has it, the token on device 0.
Sharding FeedSharding(HloBuilder& builder, const Sharding& scope, const Shape& data) {
  std::vector<ShardingLeaf> leaves(scope.leaves.begin(), scope.leaves.end());
  if (!scope.is_tuple && !leaves.empty()) {
    leaves.resize(static_cast<size_t>(data.LeafCount()), ShardingLeaf(leaves[0]));
  }
  leaves.push_back(OnDeviceZero(builder).leaves[0]);
  Sharding sharding;
  sharding.is_tuple = true;
  sharding.leaves = leaves;
  return builder.state()->builder.Store(sharding);
}

// An instruction between feeds, on device 0 where the scope says of devices at all.
void PlaceToken(Operation& operation, const Op& token) {
  if (!operation.ok() || !operation.builder().state()->sharding) return;
  HloBuilder builder = operation.builder();
  builder.SetSharding(token, OnDeviceZero(builder));
}

// The token of the feed before, or a first one.
Op FeedToken(Operation& operation) {
  if (!operation.ok()) return operation.Invalid();
  const InstructionId last = operation.computation_state().feed_token;
  if (last.valid()) return operation.OpOf(last);
  const Op token = operation.InnerToken();
  PlaceToken(operation, token);
  return token;
}

void KeepFeedToken(Operation& operation, const Op& token) {
  if (operation.ok()) operation.computation_state().feed_token = BuilderState::IdOf(token);
}

Op AddInfeed(Operation& operation, const Op& token, const Shape& shape, std::string_view config) {
  const Op infeed = operation.AddInner(Opcode::kInfeed, {token})
                        .SetIf<Attr::kInfeedConfig>(!config.empty(), config)
                        .As(Shape::Tuple({shape, Shape::Token()}));
  if (!operation.ok()) return infeed;
  HloBuilder builder = operation.builder();
  if (const std::optional<Sharding>& scope = builder.state()->sharding) {
    builder.SetSharding(infeed, FeedSharding(builder, *scope, shape));
  }
  return infeed;
}

Op AddOutfeed(Operation& operation, const Op& operand, const Op& token, const Shape& shape,
              std::string_view config) {
  return operation.Add(Opcode::kOutfeed, {operand, token})
      .Set<Attr::kOutfeedShape>({&shape})
      .SetIf<Attr::kOutfeedConfig>(!config.empty(), config)
      .As(Shape::Token());
}

}  // namespace

Op Infeed(const HloBuilder& builder, const Shape& shape, std::string_view config,
          SourceLocation at) {
  Operation operation("Infeed", at, builder);
  if (!CheckLayouts(operation, shape)) return operation.Invalid();
  const Op infeed = AddInfeed(operation, FeedToken(operation), shape, config);
  const Op token = operation.InnerElement(infeed, 1);
  PlaceToken(operation, token);
  KeepFeedToken(operation, token);
  return operation.Add(Opcode::kGetTupleElement, {infeed}).Set<Attr::kIndex>(0).Infer();
}

Op InfeedWithToken(const Op& token, const Shape& shape, std::string_view config,
                   SourceLocation at) {
  Operation operation("InfeedWithToken", at, {token});
  if (!CheckTokens(operation, {token}, kTokenOperand) || !CheckLayouts(operation, shape)) {
    return operation.Invalid();
  }
  return AddInfeed(operation, token, shape, config);
}

Op Outfeed(const Op& operand, const Shape& shape_with_layout, std::string_view config,
           SourceLocation at) {
  Operation operation("Outfeed", at, {operand});
  if (!CheckSent(operation, operand, shape_with_layout)) return operation.Invalid();
  const Op token = AddOutfeed(operation, operand, FeedToken(operation), shape_with_layout, config);
  KeepFeedToken(operation, token);
  return operation.AddInner(Opcode::kTuple, {}).Infer();
}

Op OutfeedWithToken(const Op& operand, const Op& token, const Shape& shape_with_layout,
                    std::string_view config, SourceLocation at) {
  Operation operation("OutfeedWithToken", at, {operand, token});
  if (!CheckTokens(operation, {token}, kTokenOperand) ||
      !CheckSent(operation, operand, shape_with_layout)) {
    return operation.Invalid();
  }
  return AddOutfeed(operation, operand, token, shape_with_layout, config);
}

// --- Transfers -----------------------------------------------------------------------------------

namespace {

std::string_view TypeText(ChannelHandle::Type type) {
  switch (type) {
    case ChannelHandle::Type::kDeviceToDevice:
      return "between devices";
    case ChannelHandle::Type::kDeviceToHost:
      return "from device to host";
    case ChannelHandle::Type::kHostToDevice:
      return "from host to device";
  }
  return {};
}

bool CheckChannel(Operation& operation, const ChannelHandle& handle, ChannelHandle::Type type) {
  if (!operation.ok() || handle.type == type) return operation.ok();
  operation.Fail(Rule::kBuilderChannelType, "channel {} is {}, the transfer is {}", handle.id,
                 TypeText(handle.type), TypeText(type));
  return false;
}

bool CheckHostArray(Operation& operation, const Shape& shape) {
  if (!operation.ok() || shape.IsArray()) return operation.ok();
  operation.Fail(Rule::kBuilderHostArray, "`{}` is no array", ShapeText(shape));
  return false;
}

Shape TransferContext(const Shape& data) {
  return Shape::Tuple({data, Shape::Scalar(ElementType::kU32), Shape::Token()});
}

// Both halves of a transfer say what it is.
Draft& SetTransfer(Draft& draft, const ChannelHandle& handle, bool is_host) {
  return draft.Set<Attr::kChannelId>(handle.id).SetIf<Attr::kIsHostTransfer>(is_host, true);
}

Op AddSend(Operation& operation, const Op& operand, const Op& token, const Shape& data,
           const ChannelHandle& handle, bool is_host) {
  if (!CheckTokens(operation, {token}, kTokenOperand)) return operation.Invalid();
  Draft send = operation.AddInner(Opcode::kSend, {operand, token});
  const Op context = SetTransfer(send, handle, is_host).As(TransferContext(data));
  Draft done = operation.Add(Opcode::kSendDone, {context});
  return SetTransfer(done, handle, is_host).As(Shape::Token());
}

// (data, token); a step on the way to the data alone, or the result.
Op AddRecv(Operation& operation, const Op& token, const Shape& data, const ChannelHandle& handle,
           bool is_host, bool is_inner = false) {
  if (!CheckTokens(operation, {token}, kTokenOperand)) return operation.Invalid();
  Draft recv = operation.AddInner(Opcode::kRecv, {token});
  const Op context = SetTransfer(recv, handle, is_host).As(TransferContext(data));
  Draft done = is_inner ? operation.AddInner(Opcode::kRecvDone, {context})
                        : operation.Add(Opcode::kRecvDone, {context});
  return SetTransfer(done, handle, is_host).As(Shape::Tuple({data, Shape::Token()}));
}

}  // namespace

void Send(const Op& operand, const ChannelHandle& handle, SourceLocation at) {
  Operation operation("Send", at, {operand});
  if (!CheckChannel(operation, handle, ChannelHandle::Type::kDeviceToDevice)) return;
  AddSend(operation, operand, operation.InnerToken(), operand.shape(), handle, false);
}

Op Recv(const HloBuilder& builder, const Shape& shape, const ChannelHandle& handle,
        SourceLocation at) {
  Operation operation("Recv", at, builder);
  if (!CheckChannel(operation, handle, ChannelHandle::Type::kDeviceToDevice)) {
    return operation.Invalid();
  }
  const Op token = operation.InnerToken();
  const Op received = AddRecv(operation, token, shape, handle, false, /*is_inner=*/true);
  return operation.Add(Opcode::kGetTupleElement, {received}).Set<Attr::kIndex>(0).Infer();
}

Op SendWithToken(const Op& operand, const Op& token, const ChannelHandle& handle,
                 SourceLocation at) {
  Operation operation("SendWithToken", at, {operand, token});
  if (!CheckChannel(operation, handle, ChannelHandle::Type::kDeviceToDevice)) {
    return operation.Invalid();
  }
  return AddSend(operation, operand, token, operand.shape(), handle, false);
}

Op RecvWithToken(const Op& token, const Shape& shape, const ChannelHandle& handle,
                 SourceLocation at) {
  Operation operation("RecvWithToken", at, {token});
  if (!CheckChannel(operation, handle, ChannelHandle::Type::kDeviceToDevice)) {
    return operation.Invalid();
  }
  return AddRecv(operation, token, shape, handle, false);
}

Op SendToHost(const Op& operand, const Op& token, const Shape& shape_with_layout,
              const ChannelHandle& handle, SourceLocation at) {
  Operation operation("SendToHost", at, {operand, token});
  if (!CheckChannel(operation, handle, ChannelHandle::Type::kDeviceToHost) ||
      !CheckHostArray(operation, operand.shape()) ||
      !CheckSent(operation, operand, shape_with_layout)) {
    return operation.Invalid();
  }
  return AddSend(operation, operand, token, shape_with_layout, handle, true);
}

Op RecvFromHost(const Op& token, const Shape& shape, const ChannelHandle& handle,
                SourceLocation at) {
  Operation operation("RecvFromHost", at, {token});
  if (!CheckChannel(operation, handle, ChannelHandle::Type::kHostToDevice) ||
      !CheckHostArray(operation, shape) || !CheckLayouts(operation, shape)) {
    return operation.Invalid();
  }
  return AddRecv(operation, token, shape, handle, true);
}

}  // namespace hlo::ops

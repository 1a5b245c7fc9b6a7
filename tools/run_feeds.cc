// A queue has no shape: an item takes the first of the shapes which the program reads there that
// its text or file fits. A file that cannot be read is a matter of the environment, all else an
// error in what the user gave, reported at the name of the entry computation.
#include "tools/run_feeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "printer/printer.h"
#include "support/number_text.h"
#include "support/status_macros.h"
#include "tools/run_inputs.h"
#include "values/value_files.h"
#include "values/value_shape.h"
#include "values/value_text.h"

namespace hlo::tools {
namespace {

// The data that instructions of `opcode` bring in: element 0 of (data, token) and of
// (buffer, context, token). Each shape once.
std::vector<const Shape*> IncomingShapes(const Module& module, Opcode opcode,
                                         std::optional<int64_t> channel = std::nullopt) {
  std::vector<const Shape*> shapes;
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.opcode != opcode || !instruction.shape->IsTuple()) continue;
    if (channel && instruction.Get<Attr::kChannelId>() != *channel) continue;
    const Shape& shape = instruction.shape->element(0);
    const bool is_known =
        std::ranges::any_of(shapes, [&](const Shape* known) { return Compatible(*known, shape); });
    if (!is_known) shapes.push_back(&shape);
  }
  return shapes;
}

absl::StatusOr<Literal> ReadValue(const std::string& text, const Shape& shape,
                                  uint64_t max_byte_size) {
  if (!text.starts_with('@')) return ParseValue(text, shape);
  HLO_ASSIGN_OR_RETURN(const ValueFile file,
                       ReadValueFile(PathOf(text), {LargestArray(shape), max_byte_size}));
  return WholeValue(file.members, shape);
}

std::string ShapeList(const std::vector<const Shape*>& shapes) {
  std::vector<std::string> texts;
  for (const Shape* shape : shapes) texts.push_back(fmt::format("`{}`", ShapeText(*shape)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

bool FeedOptions::HasDevicePlaceholder() const {
  const auto has = [](const std::string& text) { return tools::HasDevicePlaceholder(text); };
  return std::ranges::any_of(infeed, has) || std::ranges::any_of(from_host, has);
}

FeedOptions FeedOptions::OfDevice(int64_t device) const {
  FeedOptions own = *this;
  for (std::vector<std::string>* values : {&own.infeed, &own.from_host}) {
    for (std::string& value : *values) value = WithDevice(value, device);
  }
  return own;
}

void HostFeeds::Reject(const std::string& option, const std::string& message) {
  sink_->Error(Rule::kRunFeed, module_->entry().name_range, "`{}`: {}", option, message);
  ok_ = false;
}

// The program may take items of several shapes: the first one the value fits is meant.
void HostFeeds::ReadItem(const std::string& option, const std::string& value,
                         const std::vector<const Shape*>& shapes, uint64_t max_byte_size,
                         std::vector<Literal>& items) {
  if (shapes.empty()) return Reject(option, "the program takes nothing from there");
  std::string found;
  for (const Shape* shape : shapes) {
    absl::StatusOr<Literal> item = ReadValue(value, *shape, max_byte_size);
    if (absl::IsUnavailable(item.status())) {
      status_.Update(item.status());
      return;
    }
    const std::string got = item.ok() ? fmt::format("got `{}`", ShapeText(item->shape()))
                                      : std::string(item.status().message());
    if (item.ok()) item = FitToShape(*std::move(item), *shape);
    if (item.ok()) {
      items.push_back(*std::move(item));
      return;
    }
    if (found.empty()) found = got;
  }
  Reject(option, fmt::format("expected {}, {}", ShapeList(shapes), found));
}

absl::Status HostFeeds::Read(const Module& module, const FeedOptions& options,
                             DiagnosticSink& sink) {
  module_ = &module;
  sink_ = &sink;
  const std::vector<const Shape*> infeed_shapes = IncomingShapes(module, Opcode::kInfeed);
  for (const std::string& value : options.infeed) {
    ReadItem("--infeed=" + value, value, infeed_shapes, options.max_byte_size, infeed_);
  }
  for (const std::string& text : options.from_host) {
    const std::string option = "--from-host=" + text;
    const size_t equals = text.find('=');
    const std::optional<int64_t> channel = ParseInteger(text.substr(0, equals));
    if (equals == std::string::npos || !channel) {
      Reject(option, "expected CHANNEL=VALUE");
      continue;
    }
    std::vector<Literal> items;
    ReadItem(option, text.substr(equals + 1), IncomingShapes(module, Opcode::kRecv, channel),
             options.max_byte_size, items);
    for (Literal& item : items) from_host_.emplace_back(*channel, std::move(item));
  }
  return status_;
}

void HostFeeds::Fill(DeviceContext& device) const {
  device.ClearQueues();
  device.infeed().assign(infeed_.begin(), infeed_.end());
  for (const auto& [channel, item] : from_host_) device.from_host(channel).push_back(item);
}

std::string HostFeeds::Text(const DeviceContext& device, int64_t max_print) {
  std::string text;
  size_t number = 0;
  for (const Literal& item : device.outfeed()) {
    text += fmt::format("outfeed {}: {}\n", number++, PrintResultLiteral(item, max_print));
  }
  for (const auto& [channel, items] : device.all_to_host()) {
    number = 0;
    for (const Literal& item : items) {
      text += fmt::format("to host on channel {}, {}: {}\n", channel, number++,
                          PrintResultLiteral(item, max_print));
    }
  }
  return text;
}

std::string HostFeeds::LeftoverText(const DeviceContext& device) {
  size_t count = device.infeed().size();
  for (const auto& [channel, items] : device.all_from_host()) count += items.size();
  if (count == 0) return "";
  return fmt::format("the program did not take {} item{} of its feeds", count,
                     count == 1 ? "" : "s");
}

absl::Status HostFeeds::Write(const DeviceContext& device, const FeedOptions& options) {
  NpzMembers outfeed, to_host;
  for (size_t i = 0; i < device.outfeed().size(); ++i) {
    HLO_RETURN_IF_ERROR(AppendMembers(device.outfeed()[i], std::to_string(i), outfeed));
  }
  for (const auto& [channel, items] : device.all_to_host()) {
    for (size_t i = 0; i < items.size(); ++i) {
      HLO_RETURN_IF_ERROR(AppendMembers(items[i], fmt::format("{}.{}", channel, i), to_host));
    }
  }
  if (!options.outfeed.empty()) HLO_RETURN_IF_ERROR(WriteMembers(outfeed, PathOf(options.outfeed)));
  if (!options.to_host.empty()) HLO_RETURN_IF_ERROR(WriteMembers(to_host, PathOf(options.to_host)));
  return absl::OkStatus();
}

}  // namespace hlo::tools

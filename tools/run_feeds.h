// The queues between a program and its host: infeed and outfeed (semantics.md 14.5), send and recv
// with the host (14.4).
#ifndef HLOKIT_TOOLS_RUN_FEEDS_H_
#define HLOKIT_TOOLS_RUN_FEEDS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "interp/kernel/device.h"
#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo::tools {

struct FeedOptions {
  std::vector<std::string> infeed;     // one item each, first comes first
  std::vector<std::string> from_host;  // CHANNEL=VALUE, one item each
  std::string outfeed;                 // where to write what came out
  std::string to_host;
  uint64_t max_byte_size = UINT64_MAX;  // of files

  // Whether what comes in differs from participant to participant, and the same for one of them.
  bool HasDevicePlaceholder() const;
  FeedOptions OfDevice(int64_t device) const;
};

class HostFeeds {
 public:
  // Reads the items. What does not fit the program is reported to `sink`, and `ok` says so; files
  // that cannot be read are a status.
  absl::Status Read(const Module& module, const FeedOptions& options, DiagnosticSink& sink);
  bool ok() const { return ok_; }

  // Sets the queues to what they are before a run.
  void Fill(DeviceContext& device) const;

  // What the program sent, a paragraph for each item.
  static std::string Text(const DeviceContext& device, int64_t max_print);
  // How much of the input was left over, in words; empty: nothing.
  static std::string LeftoverText(const DeviceContext& device);
  // Outfeed items are members `0`, `1`; items sent on channel 3 are `3.0`, `3.1`.
  static absl::Status Write(const DeviceContext& device, const FeedOptions& options);

 private:
  void ReadItem(const std::string& option, const std::string& value,
                const std::vector<const Shape*>& shapes, uint64_t max_byte_size,
                std::vector<Literal>& items);
  void Reject(const std::string& option, const std::string& message);

  const Module* module_ = nullptr;
  DiagnosticSink* sink_ = nullptr;
  absl::Status status_;
  bool ok_ = true;
  std::vector<Literal> infeed_;
  std::vector<std::pair<int64_t, Literal>> from_host_;
};

}  // namespace hlo::tools

#endif  // HLOKIT_TOOLS_RUN_FEEDS_H_

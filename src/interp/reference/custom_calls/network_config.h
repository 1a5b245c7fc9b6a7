// What the calls into neural network libraries share: their backend_config, which is JSON, and the
// functions applied to a product before it is stored.
#ifndef HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_NETWORK_CONFIG_H_
#define HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_NETWORK_CONFIG_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interp/kernel/evaluation.h"
#include "ir/index_space.h"

namespace hlo::reference {

// A configuration, for kernels to read when they prepare. Keys are looked for in the whole tree, as
// producers wrap theirs in an object of their own; what is not there, or is of another type, counts
// as not given.
class NetworkConfig {
 public:
  explicit NetworkConfig(std::string_view text);
  explicit NetworkConfig(const OpView& op) : NetworkConfig(op.Get<Attr::kBackendConfig>().text) {}
  ~NetworkConfig();

  bool Has(std::string_view key) const;
  double Number(std::string_view key, double default_value) const;
  bool Flag(std::string_view key) const;
  std::string Text(std::string_view key) const;
  std::vector<std::string> Texts(std::string_view key) const;
  // A list of dimension numbers, which protobuf's JSON may write as strings.
  Index Dimensions(std::string_view key) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

using Activation = double (*)(double);

// The function called `name` ("RELU", "GELU" ...), or null.
Activation FindActivation(std::string_view name);

// Zeros for the results behind the first one: workspaces.
void ZeroWorkspaces(Evaluation& e);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CUSTOM_CALLS_NETWORK_CONFIG_H_

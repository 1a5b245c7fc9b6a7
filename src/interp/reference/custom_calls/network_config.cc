// A text that is no JSON is a tree in which nothing is found, so that each question gets its
// default. The search keeps a list of what is still to be looked at and does not call itself: trees
// may be as deep as their text is long. Activations are computed in doubles, and keep NaN.
#include "interp/reference/custom_calls/network_config.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace hlo::reference {

using nlohmann::json;

struct NetworkConfig::Tree {
  // The first value under `key`, depth first, or null. Trees may be as deep as their text is long.
  const json* Find(std::string_view text) const {
    const std::string key(text);
    std::vector<const json*> open = {&root};
    while (!open.empty()) {
      const json& node = *open.back();
      open.pop_back();
      if (node.is_object() && node.contains(key)) return &node[key];
      if (!node.is_structured()) continue;
      const size_t first = open.size();
      for (const json& child : node) open.push_back(&child);
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
    }
    return nullptr;
  }

  json root;
};

NetworkConfig::NetworkConfig(std::string_view text) : tree_(std::make_unique<Tree>()) {
  tree_->root = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

NetworkConfig::~NetworkConfig() = default;

bool NetworkConfig::Has(std::string_view key) const { return tree_->Find(key) != nullptr; }

double NetworkConfig::Number(std::string_view key, double default_value) const {
  const json* value = tree_->Find(key);
  return value != nullptr && value->is_number() ? value->get<double>() : default_value;
}

bool NetworkConfig::Flag(std::string_view key) const {
  const json* value = tree_->Find(key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string NetworkConfig::Text(std::string_view key) const {
  const json* value = tree_->Find(key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::vector<std::string> NetworkConfig::Texts(std::string_view key) const {
  std::vector<std::string> texts;
  const json* list = tree_->Find(key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const json& item : *list) texts.push_back(item.is_string() ? item.get<std::string>() : "?");
  return texts;
}

Index NetworkConfig::Dimensions(std::string_view key) const {
  Index dimensions;
  const json* list = tree_->Find(key);
  if (list == nullptr || !list->is_array()) return dimensions;
  for (const json& item : *list) {
    if (item.is_number_integer()) dimensions.push_back(item.get<int64_t>());
    if (item.is_string()) dimensions.push_back(std::atoll(item.get<std::string>().c_str()));
  }
  return dimensions;
}

namespace {

double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

}  // namespace

Activation FindActivation(std::string_view name) {
  if (name == "RELU") return [](double x) { return x > 0 || x != x ? x : 0; };
  if (name == "RELU6") return [](double x) { return x != x ? x : std::clamp(x, 0.0, 6.0); };
  if (name == "TANH") return [](double x) { return std::tanh(x); };
  if (name == "SIGMOID") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (name == "SILU" || name == "SWISH") return [](double x) { return x / (1 + std::exp(-x)); };
  if (name == "ELU") return [](double x) { return x > 0 ? x : std::expm1(x); };
  if (name == "GELU" || name == "GELU_TANH") return GeluTanh;
  if (name == "GELU_ERF") {
    return [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); };
  }
  return nullptr;
}

void ZeroWorkspaces(Evaluation& e) {
  for (size_t i = 1; i < e.results().size(); ++i) {
    std::memset(e.result(i).bytes, 0, static_cast<size_t>(e.result(i).byte_size()));
  }
}

}  // namespace hlo::reference

// What a project says about verifying in its `.hlo-verify.json`: a JSON object whose keys are the
// names of hlo-verify's options.
//
//   { "ignore": ["inst.dead"], "strict-precision": true, "lint": ["perf"] }
#ifndef HLOKIT_VERIFIER_VERIFY_CONFIG_H_
#define HLOKIT_VERIFIER_VERIFY_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "verifier/verifier.h"

namespace hlo {

inline constexpr std::string_view kVerifyConfigName = ".hlo-verify.json";

// Sets in `options` what the JSON `text` says. Fails with kInvalidArgument for anything that is
// not as described above; `name` is how messages call the text.
absl::Status ReadVerifyConfig(std::string_view name, std::string_view text, VerifyOptions* options);

// The path of the configuration nearest to `path`: in its folder or one above.
std::optional<std::string> FindVerifyConfig(const std::string& path);

// Turns on the strict option called `name`, or all of them for "all".
absl::Status SetStrictOption(std::string_view name, VerifyOptions* options);
// Sets the modes that a target is known to have: "xla" is what XLA's own verifier has unless a
// compiler asks for something else.
absl::Status SetTarget(std::string_view name, VerifyOptions* options);
// Turns on the group of hints called `name`: there is "perf".
absl::Status SetLint(std::string_view name, VerifyOptions* options);
// Appends to a list of rule patterns. Fails when no rule matches; `is_warning` allows the words
// that only --warn knows.
absl::Status AddPattern(std::string_view pattern, bool is_warning,
                        std::vector<std::string>* patterns);

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_VERIFY_CONFIG_H_

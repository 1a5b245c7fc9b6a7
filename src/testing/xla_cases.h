// XLA's own answers, in folders beside the project that may be absent: what it says of each module
// of a corpus or of its test suite (answers.jsonl, one JSON object a line), and the list of the
// places where we differ on purpose.
#ifndef HLOKIT_TESTING_XLA_CASES_H_
#define HLOKIT_TESTING_XLA_CASES_H_

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hlo::testing {

// The folder that holds the answers: ../shared/NAME beside the project.
std::filesystem::path AnswersFolder(std::string_view name);

// The lines of answers.jsonl in `folder`; none when it is not there. NaN and infinities, which JSON
// does not have, become the strings "nan", "inf" and "-inf".
std::vector<nlohmann::json> LoadAnswers(const std::filesystem::path& folder);

// Part `number` of a file whose modules are separated by lines `// -----`.
std::string ReadModuleText(const std::filesystem::path& path, size_t number = 0);

// docs/differences.md: where we and XLA differ, and why. Its tables have rows
//   | `folder/case.hlo` | kind | reason |
// with one of the kinds below; a part of a split file is written `folder/file.hlo#3`.
class Differences {
 public:
  enum class Kind { kParse, kVerdict, kText, kResult };

  // The rows of `kind`. Fails the calling test when the page is missing or a row is malformed.
  explicit Differences(Kind kind);

  bool Contains(const std::string& name) const { return names_.contains(name); }

  // Call once with the names that were compared and those of them that differ: reports each
  // difference that has no row, and each row whose case agrees. Rows of other cases stay.
  void Check(const std::set<std::string>& compared,
             const std::map<std::string, std::string>& differing) const;

 private:
  std::string_view kind_;
  std::set<std::string> names_;
};

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_XLA_CASES_H_

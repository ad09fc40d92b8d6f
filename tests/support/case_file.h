// tests/golden/{generate,extract}/<grammar>/<case>.case: requests as JSON, one a line, then the
// files of a workspace, each behind "=== path". Each request meets the files as they are.
#ifndef STILE_TESTS_SUPPORT_CASE_FILE_H_
#define STILE_TESTS_SUPPORT_CASE_FILE_H_

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_errors.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"

namespace stile {

struct CaseFile {
  explicit CaseFile(absl::string_view text) {
    std::string content;
    const auto end_file = [&] {
      if (!paths.empty()) dir.Write(paths.back(), content);
      content.clear();
    };
    for (const absl::string_view line : SplitLines(text)) {
      if (absl::StartsWith(line, "=== ")) {
        end_file();
        paths.emplace_back(line.substr(4));
      } else if (!paths.empty()) {
        absl::StrAppend(&content, line, "\n");
      } else if (!line.empty()) {
        requests.emplace_back(line);
      }
    }
    end_file();
  }

  // A plan as a diff, with the syntax errors that it introduces.
  std::string Print(const EditPlan& plan) const {
    std::string print;
    for (const auto& [path, file] : plan.files()) {
      const Grammar* grammar = FindGrammar(languages.GrammarOf(path));
      if (grammar == nullptr) continue;
      for (const SyntaxError& error :
           IntroducedErrors(*grammar, file.before.value_or(""), file.After())) {
        absl::StrAppend(&print, "syntax: ", path, ":", error.line, ": ", error.message, "\n");
      }
    }
    return absl::StrCat(print, plan.Diff());
  }

  const TempDir dir;
  std::vector<std::string> paths;
  std::vector<std::string> requests;
  const LanguageRegistry languages = LanguagesOfThisRepository();
  CodeIndex index{dir.path(), &languages, [this](const auto& use) {
                    for (const std::string& path : paths) use(path);
                  }};
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_CASE_FILE_H_

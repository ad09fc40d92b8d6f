// tests/golden/generate/<grammar>/<case>.case: requests as JSON, one a line, then the files of a
// workspace, each behind "=== path". Each request meets the files as they are; what it plans is
// printed as a diff.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_errors.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/source_golden.h"
#include "tests/support/temp_dir.h"
#include "tools/refactor/generate.h"

namespace stile {
namespace {

class GenerateGolden : public testing::TestWithParam<std::string> {};

GenerateRequest RequestOf(const Json& json) {
  GenerateRequest request;
  request.operation = JsonString(json, "operation").value_or("");
  request.file = JsonString(json, "targetFile").value_or("");
  request.class_name = JsonString(json, "className").value_or("");
  request.method_name = JsonString(json, "methodName").value_or("");
  request.signature = JsonString(json, "signature").value_or("");
  request.body = JsonString(json, "body").value_or("");
  return request;
}

TEST_P(GenerateGolden, Matches) {
  const SourceGolden golden("generate", GetParam());
  const TempDir dir;
  std::vector<std::string> paths;
  std::vector<std::string> requests;
  std::string text;
  const auto end_file = [&] {
    if (!paths.empty()) dir.Write(paths.back(), text);
    text.clear();
  };
  for (const absl::string_view line : SplitLines(golden.text())) {
    if (absl::StartsWith(line, "=== ")) {
      end_file();
      paths.emplace_back(line.substr(4));
    } else if (!paths.empty()) {
      absl::StrAppend(&text, line, "\n");
    } else if (!line.empty()) {
      requests.emplace_back(line);
    }
  }
  end_file();
  const LanguageRegistry languages = LanguagesOfThisRepository();
  CodeIndex index(dir.path(), &languages, [&](const auto& use) {
    for (const std::string& path : paths) use(path);
  });
  std::string print;
  for (const std::string& line : requests) {
    absl::StrAppend(&print, "> ", line, "\n");
    const auto json = ParseJson(line);
    ASSERT_TRUE(json.ok()) << line;
    const auto generated = PlanGenerate({dir.path(), &languages, &index}, RequestOf(*json));
    if (!generated.ok()) {
      absl::StrAppend(&print, "error: ", generated.status().message(), "\n\n");
      continue;
    }
    absl::StrAppend(&print, generated->what, "\n");
    for (const std::string& note : generated->notes) absl::StrAppend(&print, "note: ", note, "\n");
    for (const auto& [path, file] : generated->plan.files()) {
      const Grammar* grammar = FindGrammar(languages.GrammarOf(path));
      if (grammar == nullptr) continue;
      for (const SyntaxError& error :
           IntroducedErrors(*grammar, file.before.value_or(""), file.After())) {
        absl::StrAppend(&print, "syntax: ", path, ":", error.line, ": ", error.message, "\n");
      }
    }
    absl::StrAppend(&print, generated->plan.Diff(), "\n");
  }
  golden.Expect(print);
}

INSTANTIATE_TEST_SUITE_P(All, GenerateGolden, testing::ValuesIn(SourceGolden::Cases("generate")),
                         SourceGolden::TestName);

}  // namespace
}  // namespace stile

// New code in each language; see case_file.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/base/json.h"
#include "tests/support/case_file.h"
#include "tests/support/source_golden.h"
#include "tools/codegen/generate.h"

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
  CaseFile test(golden.text());
  std::string print;
  for (const std::string& line : test.requests) {
    absl::StrAppend(&print, "> ", line, "\n");
    const auto json = ParseJson(line);
    ASSERT_TRUE(json.ok()) << line;
    const auto generated =
        PlanGenerate({test.dir.path(), &test.languages, &test.index}, RequestOf(*json));
    if (!generated.ok()) {
      absl::StrAppend(&print, "error: ", generated.status().message(), "\n\n");
      continue;
    }
    absl::StrAppend(&print, generated->what, "\n");
    for (const std::string& note : generated->notes) absl::StrAppend(&print, "note: ", note, "\n");
    absl::StrAppend(&print, test.Print(generated->plan), "\n");
  }
  golden.Expect(print);
}

INSTANTIATE_TEST_SUITE_P(All, GenerateGolden, testing::ValuesIn(SourceGolden::Cases("generate")),
                         SourceGolden::TestName);

}  // namespace
}  // namespace stile

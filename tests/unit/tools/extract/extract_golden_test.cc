// Extraction in each language; see case_file.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/base/json.h"
#include "tests/support/case_file.h"
#include "tests/support/source_golden.h"
#include "tools/extract/extract_constant.h"
#include "tools/extract/extract_interface.h"
#include "tools/extract/extract_method.h"
#include "tools/extract/extract_variable.h"
#include "tools/extract/inline_variable.h"
#include "tools/refactor/change_signature.h"
#include "tools/refactor/extract_parameter.h"
#include "tools/refactor/inline_constant.h"
#include "tools/refactor/inline_function.h"
#include "tools/refactor/safe_delete.h"

namespace stile {
namespace {

class ExtractGolden : public testing::TestWithParam<std::string> {};

absl::StatusOr<EditPlan> Plan(const Json& json, CaseFile* test) {
  const std::string operation = JsonString(json, "operation").value_or("");
  const std::string name = JsonString(json, "newName").value_or("");
  const std::string symbol = JsonString(json, "symbolName").value_or("");
  const int start = static_cast<int>(JsonInt(json, "startLine").value_or(0));
  const int end = static_cast<int>(JsonInt(json, "endLine").value_or(start));
  if (operation == "extract_interface") {
    return PlanExtractInterface({test->dir.path(), &test->languages, &test->index},
                                JsonString(json, "filePath").value_or(""), symbol, name, nullptr);
  }
  if (operation == "change_signature") {
    SymbolQuery query = ParseSymbolName(symbol);
    query.file = JsonString(json, "filePath").value_or("");
    auto resolution = Resolve(query, &test->index);
    if (!resolution.ok()) return resolution.status();
    return PlanChangeSignature(*std::move(resolution), &test->index, name);
  }
  if (operation == "inline_constant" || operation == "inline_function") {
    SymbolQuery query = ParseSymbolName(symbol);
    query.file = JsonString(json, "filePath").value_or("");
    const auto resolution = Resolve(query, &test->index);
    if (!resolution.ok()) return resolution.status();
    auto plan = PlanSafeDelete(*resolution, &test->index);
    if (!plan.ok()) return plan.status();
    const absl::Status status = operation == "inline_constant"
                                    ? InlineUses(*resolution, &test->index, &*plan)
                                    : InlineCalls(*resolution, &test->index, nullptr, &*plan);
    return status.ok() ? absl::StatusOr<EditPlan>(plan->edits) : status;
  }
  const std::string path = JsonString(json, "filePath").value_or(test->paths[0]);
  if (operation == "extract_parameter") {
    return PlanExtractParameter(path, &test->index, start, end, symbol, name);
  }
  auto file = test->index.Open(path);
  if (!file.ok()) return file.status();
  if (operation == "extract_constant") {
    return PlanExtractConstant(**file, &test->index, start, end, symbol, name);
  }
  if (operation == "inline_variable") {
    return PlanInlineVariable(**file, static_cast<int>(JsonInt(json, "line").value_or(0)), symbol,
                              nullptr);
  }
  if (operation == "extract_variable") {
    return PlanExtractVariable(**file, start, end, 0, symbol, name, nullptr);
  }
  return PlanExtractMethod(**file, start, end, name, nullptr);
}

TEST_P(ExtractGolden, Matches) {
  const SourceGolden golden("extract", GetParam());
  CaseFile test(golden.text());
  std::string print;
  for (const std::string& line : test.requests) {
    absl::StrAppend(&print, "> ", line, "\n");
    const auto json = ParseJson(line);
    ASSERT_TRUE(json.ok()) << line;
    const auto plan = Plan(*json, &test);
    absl::StrAppend(
        &print,
        plan.ok() ? test.Print(*plan) : absl::StrCat("error: ", plan.status().message(), "\n"),
        "\n");
  }
  golden.Expect(print);
}

INSTANTIATE_TEST_SUITE_P(All, ExtractGolden, testing::ValuesIn(SourceGolden::Cases("extract")),
                         SourceGolden::TestName);

}  // namespace
}  // namespace stile

#include "tools/builtin_tools.h"

#include <set>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/tool/json_schema.h"
#include "runtime/tool/tool_registry.h"

namespace stile {
namespace {

class NoService : public ValidationService {
 public:
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments&) override {
    return ValidationReport();
  }
  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>&) override {
    return ProbeReport();
  }
};

std::vector<std::unique_ptr<Tool>> Tools() {
  static NoService service;
  static const LanguageRegistry languages;
  static CodeIndex index("/", &languages, [](const auto&) {});
  static const std::vector<CodingPattern> patterns;
  return NewBuiltinTools(&service, &languages, &index, nullptr, &patterns);
}

TEST(BuiltinToolsTest, HasEveryTool) {
  std::vector<std::string> names;
  for (const auto& tool : Tools()) names.push_back(tool->spec().name);
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "file.read", "file.write", "file.modify", "file.list", "file.exists",
                         "file.delete", "search.grep", "shell.execute", "git.status", "git.diff",
                         "git.log", "git.branch", "git.commit", "code.generate", "code.inspect",
                         "code.navigate", "code.refactor", "code.search", "code.validate",
                         "agent.spawn", "budget.check", "pattern.list", "pattern.load"));
  const ToolRegistry registry(Tools());
  EXPECT_NE(registry.Find("file_write"), nullptr);
}

TEST(BuiltinToolsTest, SchemasAreClosedDescribedAndUsable) {
  for (const auto& tool : Tools()) {
    const ToolSpec& spec = tool->spec();
    SCOPED_TRACE(spec.name);
    EXPECT_FALSE(spec.description.empty());
    EXPECT_EQ(spec.parameters["type"], "object");
    EXPECT_EQ(spec.parameters["additionalProperties"], false);
    EXPECT_EQ(spec.output["additionalProperties"], false);
    EXPECT_TRUE(JsonSchema(spec.parameters).status().ok());
    EXPECT_TRUE(JsonSchema(spec.output).status().ok());
    for (const auto& property : spec.parameters["properties"].items()) {
      EXPECT_NE(JsonString(property.value(), "description").value_or(""), "") << property.key();
      if (const Json* value = JsonMember(property.value(), "default")) {
        EXPECT_TRUE(JsonSchema(property.value()).Fits(*value)) << property.key();
      }
    }
    if (!spec.permission_argument.empty()) {
      EXPECT_TRUE(spec.parameters["properties"].contains(spec.permission_argument));
    }
  }
}

TEST(BuiltinToolsTest, AliasesLeadToParametersAndHideNone) {
  for (const auto& tool : Tools()) {
    const Json& properties = tool->spec().parameters["properties"];
    std::set<std::string> seen;
    for (const auto& [alias, parameter] : tool->spec().argument_aliases) {
      EXPECT_TRUE(properties.contains(parameter)) << tool->spec().name << " " << alias;
      EXPECT_FALSE(properties.contains(alias)) << tool->spec().name << " " << alias;
      EXPECT_TRUE(seen.insert(alias).second) << tool->spec().name << " " << alias;
    }
  }
}

TEST(BuiltinToolsTest, DefinitionsStaySmall) {
  // Not of the coding agent's.
  const std::set<std::string> others = {"agent.spawn", "budget.check", "pattern.list",
                                        "pattern.load"};
  Json definitions = Json::array();
  for (const auto& tool : Tools()) {
    if (others.count(tool->spec().name) > 0) continue;
    definitions.push_back({{"type", "function"},
                           {"function",
                            {{"name", absl::StrReplaceAll(tool->spec().name, {{".", "_"}})},
                             {"description", tool->spec().description},
                             {"parameters", tool->spec().parameters}}}});
    definitions.back()["function"]["parameters"].erase("additionalProperties");
  }
  // Of the 14 000 bytes that a first request may have.
  EXPECT_LE(DumpJson(definitions).size(), 11'000u);
}

TEST(BuiltinToolsTest, OnlyToolsThatCannotWriteAreReadOnly) {
  std::set<std::string> read_only;
  std::set<std::string> asking;
  for (const auto& tool : Tools()) {
    if (tool->spec().read_only) read_only.insert(tool->spec().name);
    if (tool->spec().permission == DefaultPermission::kAsk) asking.insert(tool->spec().name);
  }
  EXPECT_EQ(read_only, (std::set<std::string>{
                           "file.read", "file.list", "file.exists", "search.grep", "code.inspect",
                           "code.navigate", "code.search", "code.validate", "git.status",
                           "git.diff", "git.log", "budget.check", "pattern.list", "pattern.load"}));
  EXPECT_EQ(asking, (std::set<std::string>{"git.branch", "git.commit"}));
}

}  // namespace
}  // namespace stile

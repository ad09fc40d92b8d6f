#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "agents/api/catalog.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/text.h"
#include "tools/builtin_tools.h"

namespace stile {
namespace {

// Every argument, at any depth, says what it is for.
void ExpectDescribed(const Json& schema, const std::string& name) {
  if (const Json* properties = JsonMember(schema, "properties")) {
    for (const auto& property : properties->items()) {
      const std::string inner = name + "." + property.key();
      EXPECT_NE(JsonString(property.value(), "description").value_or(""), "") << inner;
      ExpectDescribed(property.value(), inner);
    }
  }
  if (const Json* items = JsonMember(schema, "items")) ExpectDescribed(*items, name + "[]");
}

std::vector<ToolSpec> SpecsOf(const AgentProfile& profile) {
  static const LanguageRegistry languages;
  static CodeIndex index("/", &languages, [](const auto&) {});
  std::vector<ToolSpec> specs;
  for (const auto& tool :
       NewBuiltinTools(nullptr, &languages, &index, nullptr, &BundledPatterns())) {
    const bool is_listed =
        profile.tools.empty() ||
        std::any_of(profile.tools.begin(), profile.tools.end(), [&](const std::string& pattern) {
          return GlobMatch(pattern, tool->spec().name);
        });
    if (is_listed) specs.push_back(tool->spec());
  }
  return specs;
}

TEST(ToolSchemasTest, EveryArgumentOfEveryToolOfEveryProfileIsDescribed) {
  size_t profiles = 0;
  for (const EmbeddedFile& file : EmbeddedData()) {
    absl::string_view name = file.path;
    if (!absl::ConsumePrefix(&name, "agents/profiles/")) continue;
    absl::ConsumeSuffix(&name, ".md");
    const auto profile = LoadProfile(std::string(name));
    ASSERT_TRUE(profile.ok()) << profile.status();
    const std::vector<ToolSpec> specs = SpecsOf(*profile);
    EXPECT_GE(specs.size(), 3u) << file.path;
    for (const ToolSpec& spec : specs) {
      EXPECT_NE(spec.description, "") << spec.name;
      ExpectDescribed(spec.parameters, spec.name);
    }
    ++profiles;
  }
  EXPECT_GE(profiles, 6u);
}

TEST(ToolSchemasTest, FinishIsDescribed) {
  const ToolDefinition finish = FinishDefinition();
  EXPECT_NE(finish.description, "");
  ExpectDescribed(finish.parameters, finish.name);
}

}  // namespace
}  // namespace stile

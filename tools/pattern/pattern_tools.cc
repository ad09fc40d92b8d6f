#include "tools/pattern/pattern_tools.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/tool/schema_builder.h"

namespace stile {
namespace {

class PatternListTool : public Tool {
 public:
  explicit PatternListTool(const std::vector<CodingPattern>* patterns) : patterns_(*patterns) {
    spec_.name = "pattern.list";
    spec_.description = "Recipes for kinds of work.";
    spec_.parameters = ObjectSchema({});
    spec_.output = ObjectSchema({{"patterns",
                                  ArraySchema(ObjectSchema({Required("name", "string"),
                                                            Required("description", "string")})),
                                  true}});
    spec_.read_only = true;
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& /*arguments*/, const ToolContext& /*context*/) override {
    std::string text;
    Json list = Json::array();
    for (const CodingPattern& pattern : patterns_) {
      absl::StrAppend(&text, pattern.name, ": ", pattern.description, "\n");
      list.push_back({{"name", pattern.name}, {"description", pattern.description}});
    }
    absl::StrAppend(&text, "pattern.load reads one.");
    return ToolResult::Success(std::move(text), {{"patterns", std::move(list)}});
  }

 private:
  const std::vector<CodingPattern>& patterns_;
  ToolSpec spec_;
};

class PatternLoadTool : public Tool {
 public:
  explicit PatternLoadTool(const std::vector<CodingPattern>* patterns) : patterns_(*patterns) {
    spec_.name = "pattern.load";
    spec_.description = "Read a recipe.";
    spec_.parameters = ObjectSchema({Required("name", "string", "A name that pattern.list gave.")});
    spec_.output = ObjectSchema({Required("name", "string"), Required("description", "string"),
                                 Required("text", "string")});
    spec_.read_only = true;
    spec_.argument_aliases = {{"pattern", "name"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& /*context*/) override {
    const std::string name = JsonString(arguments, "name").value_or("");
    std::vector<std::string> names;
    for (const CodingPattern& pattern : patterns_) {
      if (pattern.name == name) {
        return ToolResult::Success(
            pattern.text,
            {{"name", pattern.name}, {"description", pattern.description}, {"text", pattern.text}});
      }
      names.push_back(pattern.name);
    }
    return ToolResult::Error(absl::StrCat("There is no pattern '", ToUtf8(name), "'; there are ",
                                          absl::StrJoin(names, ", "), "."));
  }

 private:
  const std::vector<CodingPattern>& patterns_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewPatternListTool(const std::vector<CodingPattern>* patterns) {
  return std::make_unique<PatternListTool>(patterns);
}

std::unique_ptr<Tool> NewPatternLoadTool(const std::vector<CodingPattern>* patterns) {
  return std::make_unique<PatternLoadTool>(patterns);
}

}  // namespace stile

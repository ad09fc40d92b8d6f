#include "runtime/tool/tool_registry.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "runtime/tool/argument_repair.h"
#include "runtime/tool/json_schema.h"

namespace stile {
namespace {

absl::string_view LastPart(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::string ToolNameKey(absl::string_view name) {
  std::string key;
  for (const char c : name) {
    if (c != '.' && c != '_' && c != '-' && c != ' ') key += absl::ascii_tolower(c);
  }
  return key;
}

struct ToolRegistry::Entry {
  explicit Entry(const ToolSpec& spec)
      : key(ToolNameKey(spec.name)),
        last_key(ToolNameKey(LastPart(spec.name))),
        // The schema of a server can be made to exhaust the program that compiles it.
        schema(spec.server.empty() ? spec.parameters : Json{{"type", "object"}}) {}
  std::string key;
  std::string last_key;
  JsonSchema schema;
};

ToolRegistry::ToolRegistry(std::vector<std::unique_ptr<Tool>> tools) : tools_(std::move(tools)) {
  std::set<std::string> keys;
  for (const auto& tool : tools_) {
    entries_.push_back(std::make_unique<Entry>(tool->spec()));
    STILE_CHECK(keys.insert(entries_.back()->key).second);
  }
}

ToolRegistry::~ToolRegistry() = default;

Tool* ToolRegistry::Find(absl::string_view name) const {
  for (const auto& tool : tools_) {
    if (tool->spec().name == name) return tool.get();
  }
  absl::ConsumePrefix(&name, "functions.");  // a habit of some models
  const std::string key = ToolNameKey(name);
  Tool* by_last_part = nullptr;
  int candidates = 0;
  for (size_t i = 0; i < tools_.size(); ++i) {
    if (entries_[i]->key == key) return tools_[i].get();
    if (entries_[i]->last_key == key) {
      by_last_part = tools_[i].get();
      ++candidates;
    }
  }
  return candidates == 1 ? by_last_part : nullptr;
}

absl::StatusOr<PreparedCall> ToolRegistry::Prepare(absl::string_view name,
                                                   const Json& arguments) const {
  Tool* tool = Find(name);
  if (tool == nullptr) {
    std::vector<std::string> names;
    for (const auto& known : tools_) names.push_back(known->spec().name);
    const std::string nearest = Nearest(name, names);
    return absl::InvalidArgumentError(
        absl::StrCat("unknown tool '", ToUtf8(name.substr(0, 100)), "'",
                     nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?"),
                     " Tools: ", absl::StrJoin(names, ", "), "."));
  }
  size_t index = 0;
  while (tools_[index].get() != tool) ++index;

  PreparedCall call;
  call.tool = tool;
  call.arguments = RepairArguments(tool->spec(), arguments);
  if (!tool->spec().server.empty() && !call.arguments.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("wrong arguments for ", tool->spec().name, ": they must be an object"));
  }
  const std::vector<std::string> violations = entries_[index]->schema.Violations(call.arguments);
  if (!violations.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("wrong arguments for ", tool->spec().name, ": ",
                     ExplainArguments(tool->spec(), call.arguments, violations)));
  }
  return call;
}

}  // namespace stile

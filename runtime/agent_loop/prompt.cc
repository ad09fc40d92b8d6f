#include "runtime/agent_loop/prompt.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"

namespace stile {

absl::StatusOr<PromptTemplate> PromptTemplate::Parse(absl::string_view text,
                                                     absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(FrontMatter matter, ParseFrontMatter(text, file));
  STILE_RETURN_IF_ERROR(CheckKeys(matter.front_matter, {"name", "description", "holes"}));
  std::string name;
  if (const Yaml* given = matter.front_matter.Find("name")) {
    STILE_ASSIGN_OR_RETURN(name, given->AsString());
  }
  std::vector<std::string> holes;
  if (const Yaml* given = matter.front_matter.Find("holes")) {
    STILE_ASSIGN_OR_RETURN(holes, given->AsStringList());
  }
  // So that lines of the body are those of the file.
  const std::string above(static_cast<size_t>(std::max(matter.body_line - 1, 0)), '\n');
  absl::StatusOr<Template> body = Template::Parse(above + matter.body);
  if (!body.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": ", body.status().message()));
  }
  std::set<std::string> used;
  for (const TemplateUse& use : body->Uses()) {
    used.insert(use.path[0]);
    if (std::find(holes.begin(), holes.end(), use.path[0]) != holes.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(file, ":", use.line, ": unknown hole '",
                                                   use.path[0],
                                                   "'; declared: ", absl::StrJoin(holes, ", ")));
  }
  for (const std::string& hole : holes) {
    if (used.count(hole) > 0) continue;
    return matter.front_matter.Error(absl::StrCat("hole '", hole, "' is never used"));
  }
  return PromptTemplate(std::move(name), std::string(file), *std::move(body), std::move(holes));
}

absl::StatusOr<std::string> PromptTemplate::Fill(
    const std::map<std::string, std::string>& values) const {
  Json scope = Json::object();
  for (const auto& [name, value] : values) {
    if (std::find(holes_.begin(), holes_.end(), name) == holes_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(file_, ": no hole '", name, "'"));
    }
    scope[name] = value;
  }
  for (const std::string& hole : holes_) {
    if (!scope.contains(hole)) {
      return absl::InvalidArgumentError(absl::StrCat(file_, ": no value for hole '", hole, "'"));
    }
  }
  const absl::StatusOr<std::string> text = body_.Render(scope);
  if (!text.ok()) return WithContext(text.status(), file_);
  return std::string(absl::StripAsciiWhitespace(*text));
}

absl::StatusOr<AgentProfile> ParseProfile(absl::string_view text, absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(FrontMatter matter, ParseFrontMatter(text, file));
  const Yaml& yaml = matter.front_matter;
  STILE_RETURN_IF_ERROR(CheckKeys(
      yaml, {"name", "description", "tools", "agents", "max_turns", "temperature", "model"}));
  AgentProfile profile;
  profile.system_prompt = std::string(absl::StripAsciiWhitespace(matter.body));
  if (const Yaml* value = yaml.Find("name")) {
    STILE_ASSIGN_OR_RETURN(profile.name, value->AsString());
  }
  if (const Yaml* value = yaml.Find("description")) {
    STILE_ASSIGN_OR_RETURN(profile.description, value->AsString());
  }
  if (const Yaml* value = yaml.Find("tools")) {
    STILE_ASSIGN_OR_RETURN(profile.tools, value->AsStringList());
  }
  if (const Yaml* value = yaml.Find("agents")) {
    STILE_ASSIGN_OR_RETURN(profile.agents, value->AsStringList());
    for (const std::string& agent : profile.agents) {
      if (agent.empty() || agent[0] == '.' || absl::StrContains(agent, '/') ||
          absl::EndsWith(agent, ".md")) {
        return value->Error(absl::StrCat("'", agent,
                                         "' is no name of a profile; it is NAME for "
                                         "the file NAME.md beside this one"));
      }
    }
  }
  if (const Yaml* value = yaml.Find("max_turns")) {
    STILE_ASSIGN_OR_RETURN(const int64_t turns, value->AsInt());
    if (turns < 1 || turns > 10'000) return value->Error("max_turns must be 1 to 10000");
    profile.max_turns = static_cast<int>(turns);
  }
  if (const Yaml* value = yaml.Find("temperature")) {
    STILE_ASSIGN_OR_RETURN(profile.temperature, value->AsNumber());
  }
  if (const Yaml* value = yaml.Find("model")) {
    STILE_ASSIGN_OR_RETURN(profile.model, value->AsString());
  }
  if (profile.system_prompt.empty()) return yaml.Error("the profile has no system prompt");
  return profile;
}

}  // namespace stile

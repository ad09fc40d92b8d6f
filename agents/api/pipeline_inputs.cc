#include "agents/api/pipeline_inputs.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/version.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

Json Text(const char* description, const char* otherwise = "") {
  return {{"type", "string"}, {"description", description}, {"default", otherwise}};
}

Json Number(const char* description, int otherwise, int least, int most) {
  return {{"type", "integer"},
          {"description", description},
          {"default", otherwise},
          {"minimum", least},
          {"maximum", most}};
}

Json Flag(const char* description) {
  return {{"type", "boolean"}, {"description", description}, {"default", false}};
}

Json Texts(const char* description, Json otherwise = Json::array()) {
  return {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", description},
          {"default", std::move(otherwise)}};
}

Json Choice(const char* description, Json choices, const char* otherwise) {
  return {{"type", "string"},
          {"enum", std::move(choices)},
          {"description", description},
          {"default", otherwise}};
}

Json ObjectOf(Json properties, Json required) {
  for (const Json& name : required) properties[name.get<std::string>()].erase("default");
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

// `given` with the defaults of the schema; texts as the workflow can hold them.
Json Completed(const Json& schema, const Json& given) {
  Json inputs = Json::object();
  for (const auto& [name, property] : schema["properties"].items()) {
    const Json* value = JsonMember(given, name);
    if (value == nullptr) value = JsonMember(property, "default");
    inputs[name] = value == nullptr ? Json("") : *value;
    if (inputs[name].is_string()) inputs[name] = ToUtf8(inputs[name].get<std::string>());
  }
  return inputs;
}

bool IsInside(const std::string& path, const std::string& clean) {
  return !path.empty() && clean != ".." && clean[0] != '/' && !absl::StartsWith(clean, "../");
}

// Sets `inputs[name]` to the cleaned path of `given`, a place below the workspace that a command
// can be given.
absl::Status CleanPlace(const Json& given, const char* name, Json* inputs) {
  const std::string path = JsonString(given, name).value_or((*inputs)[name].get<std::string>());
  const std::string clean = CleanPath(path);
  if (!IsInside(path, clean) || clean == "." || clean[0] == '-' || ToUtf8(clean) != clean) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " '", ToUtf8(path), "': give a path below the workspace"));
  }
  (*inputs)[name] = clean;
  return absl::OkStatus();
}

// "SERVER:URI", a resource of an MCP server; else it is a file.
bool IsResource(absl::string_view name) {
  const size_t server = name.find(':');
  const size_t scheme = server == name.npos ? name.npos : name.find(':', server + 1);
  return scheme != name.npos && scheme > server + 1 && name.find('/') > scheme;
}

// A word of a shell command without the quotes and brackets around it.
std::string Bare(absl::string_view word) {
  constexpr absl::string_view kAround = "'\"()";
  while (!word.empty() && absl::StrContains(kAround, word.substr(0, 1))) word.remove_prefix(1);
  while (!word.empty() && absl::StrContains(kAround, word.substr(word.size() - 1))) {
    word.remove_suffix(1);
  }
  return std::string(word);
}

// The tools and resources that a command names in `stile mcp call SERVER.TOOL` and `stile mcp read
// SERVER URI`.
void AddMcpNames(const std::string& command, std::set<std::string>* names) {
  std::vector<std::string> words;
  for (const absl::string_view word :
       absl::StrSplit(command, absl::ByAnyChar(" \t\n;"), absl::SkipEmpty())) {
    words.push_back(Bare(word));
  }
  for (size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i] != "stile" || words[i + 1] != "mcp") continue;
    size_t at = i + 3;
    while (at < words.size() && absl::StartsWith(words[at], "-")) ++at;
    // In a scope, "*" would stand for further tools.
    if (words[i + 2] == "call" && at < words.size() && absl::StrContains(words[at], ".") &&
        !absl::StrContains(words[at], "*")) {
      names->insert(words[at]);
    } else if (words[i + 2] == "read" && at + 1 < words.size()) {
      names->insert(absl::StrCat(words[at], ":", words[at + 1]));
    }
  }
}

}  // namespace

const Json& AppInputSchema() {
  static const auto* const kSchema = new Json(ObjectOf(
      {{"task", Text("What to write; without it the source exists already")},
       {"source", Text("The file that is written, validated and transpiled")},
       {"references", Texts("Files, or resources of MCP servers as SERVER:URI, that explain the "
                            "language to the agent")},
       {"validate", Text("Command that prints what is wrong with $SOURCE")},
       {"lint", Text("Command that prints hints; those of level error are repaired, too")},
       {"fail_on", Text("Regular expression: output that matches is an error, whatever the status",
                        "^\\s*FAIL(ED|URE)?:")},
       {"transpile", Text("Command that makes files of $SOURCE, in the folder $OUT")},
       {"expect", Texts("Files that have to come of it")},
       {"min_files",
        Number("Minimum number of files; 0: 1, or 6 for a client with a server", 0, 0, 100'000)},
       {"ignore_output", Texts("Globs of files that may differ between two runs of transpile")},
       {"transpile_budget_ms", Number("More is a warning", 500, 1, 600'000)},
       {"transpile_timeout_ms", Number("A longer run ends with an error", 60'000, 1, 600'000)},
       {"attempts", Number("How often the source is repaired at most", 3, 0, 100)},
       {"stop_on_no_improvement", Flag("Stop after a repair that left as many errors")},
       {"smoke", Choice("How far the output is tried: L0 install, L1 build, L2 start, L3 a page",
                        {"none", "L0", "L1", "L2", "L3"}, "L1")},
       {"network",
        Choice("What installing and building reach", {"packages", "cached"}, "packages")},
       {"install", Text("Command in place of npm ci and others")},
       {"build", Text("Command in place of npm run build and others")},
       {"serve", Text("Command in place of npm start; it listens at $PORT")},
       {"serve_port", Number("The port at which it listens whatever $PORT says", 0, 0, 65'535)},
       {"serve_timeout_s", Number("Seconds that the server has to answer", 30, 1, 240)},
       {"probe", Text("Command that tests the server at $URL")},
       {"out", Text("Where it is delivered, in the workspace", "output")},
       {"replace", Flag("Overwrite what is there already")},
       {"run_instructions", Text("For the report")},
       {"complexity", Choice("For success rates; by the size of the source if left out",
                             {"", "simple", "medium", "complex"}, "")},
       {"tool_version", Text("Command that prints the version of the tools, for the report")}},
      {"source", "validate", "transpile"}));
  return *kSchema;
}

const Json& CycleInputSchema() {
  static const auto* const kSchema = new Json(
      ObjectOf({{"cycle",
                 {{"type", "string"},
                  {"pattern", "^[A-Za-z0-9_][A-Za-z0-9_-]*$"},
                  {"description", "Number or name, like 05 or login"}}},
                {"branch", Text("The branch; feature/cycle-NN if left out")},
                {"spec", Text("The file with what to implement", "SPEC.md")},
                {"paths", Texts("What may be changed and committed", Json::array({"src/"}))},
                {"qa", Text("Command that runs the tests; Stile's own validation if left out")},
                {"iterations", Number("How often the coder runs at most", 5, 1, 100)},
                {"auditors", Number("Auditors of the committee", 1, 1, 3)},
                {"reviews", Number("Reviews of each auditor", 1, 1, 2)}},
               {"cycle"}));
  return *kSchema;
}

absl::StatusOr<Json> AppInputs(const Json& given) {
  Json inputs = Completed(AppInputSchema(), given);
  for (const char* name : {"source", "validate", "transpile"}) {
    if (inputs[name] != "") continue;
    return absl::InvalidArgumentError("source, validate and transpile are required");
  }
  if (inputs["probe"] != "" && inputs["smoke"] != "L2" && inputs["smoke"] != "L3") {
    return absl::InvalidArgumentError("probe asks a server: it wants smoke L2 or L3");
  }
  STILE_RETURN_IF_ERROR(CleanPlace(given, "source", &inputs));
  STILE_RETURN_IF_ERROR(CleanPlace(given, "out", &inputs));
  const std::string source = inputs["source"];
  const std::string out = inputs["out"];
  if (source == out || absl::StartsWith(source, absl::StrCat(out, "/")) ||
      absl::StartsWith(out, absl::StrCat(source, "/"))) {
    return absl::InvalidArgumentError("out and source lie one inside the other");
  }
  Json files = Json::array();
  inputs["resources"] = Json::array();
  for (const Json& name : inputs["references"]) {
    const std::string text = ToUtf8(name.get<std::string>());
    (IsResource(text) ? inputs["resources"] : files).push_back(text);
  }
  inputs["references"] = std::move(files);
  std::set<std::string> names(inputs["resources"].begin(), inputs["resources"].end());
  for (const char* name : {"validate", "lint", "transpile", "tool_version"}) {
    AddMcpNames(inputs[name], &names);
  }
  inputs["mcp"] = absl::StrJoin(names, " ");
  for (Json& path : inputs["expect"]) path = ToUtf8(CleanPath(path.get<std::string>()));
  for (Json& glob : inputs["ignore_output"]) glob = ToUtf8(glob.get<std::string>());
  if (inputs["run_instructions"] == "") {
    inputs["run_instructions"] = absl::StrCat("cd ", out, " && npm start");
  }
  inputs["versions"] = {{"stile", kVersion}};
  return inputs;
}

absl::StatusOr<Json> CycleInputs(const Json& given) {
  Json inputs = Completed(CycleInputSchema(), given);
  for (Json& path : inputs["paths"]) {
    const std::string text = path.get<std::string>();
    const std::string clean = CleanPath(text);
    if (!IsInside(text, clean)) {
      return absl::InvalidArgumentError(
          absl::StrCat("paths: '", ToUtf8(text), "': give a path in the workspace"));
    }
    path = ToUtf8(clean);
  }
  STILE_RETURN_IF_ERROR(CleanPlace(given, "spec", &inputs));
  if (inputs["branch"] == "") {
    inputs["branch"] = absl::StrCat("feature/cycle-", inputs["cycle"].get<std::string>());
  }
  return inputs;
}

}  // namespace stile

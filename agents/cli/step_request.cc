#include "agents/cli/step_request.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"
#include "runtime/tool/tool_registry.h"

namespace stile {
namespace {

constexpr size_t kMaxRunIdBytes = 60;

Json TextSchema() { return {{"type", "string"}, {"minLength", 1}}; }

// Members that only a worker with a queue can serve.
absl::Status CheckServed(const Json& request, absl::string_view source) {
  if (JsonMember(request, "repo") != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        source, ": repo is served by workers only; clone it and give its folder as workspace"));
  }
  if (JsonMember(request, "deliver") != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        source,
        ": deliver is served by workers only; leave it out, and commit what the run changed, or "
        "run a story, which does both"));
  }
  return absl::OkStatus();
}

std::string ContextText(const Json* context) {
  if (context == nullptr) return "";
  if (context->is_string()) return context->get<std::string>();
  std::string text;
  for (const Json& file : *context) {
    absl::StrAppend(&text, "File ", JsonString(file, "path").value_or(""), ":\n",
                    JsonString(file, "text").value_or(""), "\n\n");
  }
  return text;
}

}  // namespace

const Json& StepRequestSchema() {
  static const auto* schema = new Json({
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "StepRequest"},
      {"type", "object"},
      {"required", {"id", "task", "workspace"}},
      {"additionalProperties", false},
      {"properties",
       {{"id", TextSchema()},
        {"task", TextSchema()},
        {"workspace", TextSchema()},
        {"agent", TextSchema()},
        {"model", TextSchema()},
        {"limits", {{"type", "object"}}},
        {"gate", {{"type", "object"}}},
        {"context",
         {{"oneOf",
           {{{"type", "string"}},
            {{"type", "array"},
             {"items",
              {{"type", "object"},
               {"required", {"path", "text"}},
               {"additionalProperties", false},
               {"properties", {{"path", TextSchema()}, {"text", {{"type", "string"}}}}}}}}}}}}}},
  });
  return *schema;
}

std::string StepRequest::RunId() const {
  const bool plain =
      id.size() <= kMaxRunIdBytes && std::all_of(id.begin(), id.end(), [](unsigned char c) {
        return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
      });
  if (plain) return absl::StrCat("step-", id);
  std::string readable;
  for (const char c : id.substr(0, kMaxRunIdBytes)) {
    readable += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '-';
  }
  // An id that had to be changed must not meet another that is changed into the same. The capital
  // keeps it apart from ids that are plain.
  return absl::StrCat("step-", readable, "-H", Sha256Hex(id).substr(0, 16));
}

absl::StatusOr<StepRequest> ParseStepRequest(absl::string_view text, absl::string_view source) {
  auto json = ParseJson(text);
  if (!json.ok()) return WithContext(json.status(), source);
  STILE_RETURN_IF_ERROR(CheckServed(*json, source));
  const absl::Status fits = CheckSchema(StepRequestSchema(), *json);
  if (!fits.ok()) return WithContext(fits, source);
  StepRequest request;
  request.sha256 = Sha256Hex(DumpJson(*json));
  request.id = JsonString(*json, "id").value_or("");
  request.task = JsonString(*json, "task").value_or("");
  request.workspace = JsonString(*json, "workspace").value_or("");
  request.context = ContextText(JsonMember(*json, "context"));
  request.config = Json::object();
  for (const char* key : {"agent", "model", "limits", "gate"}) {
    if (const Json* value = JsonMember(*json, key)) request.config[key] = *value;
  }
  return request;
}

absl::Status ApplyStepRequest(const StepRequest& request, absl::string_view source,
                              Config* config) {
  // JSON is YAML, once YamlText has escaped what YAML refuses.
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(YamlText(request.config), source));
  if (const Json* limits = JsonMember(request.config, "limits"); limits && limits->is_object()) {
    for (const auto& [key, value] : limits->items()) {
      config->given.insert(absl::StrCat("limits.", key));
    }
  }
  return ApplyConfigYaml(yaml, config);
}

}  // namespace stile

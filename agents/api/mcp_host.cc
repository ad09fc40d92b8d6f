#include "agents/api/mcp_host.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agents/api/provider_secrets.h"
#include "runtime/base/text.h"
#include "runtime/http/http_client.h"
#include "runtime/tool/json_schema.h"

namespace stile {
namespace {

constexpr int kMaxTries = 3;
constexpr size_t kMaxFields = 50;
constexpr size_t kMaxShownBytes = 1000;

// Lines of a server cannot be taken for Stile's own.
std::string Shown(absl::string_view text) {
  return absl::StrReplaceAll(ToUtf8(TruncateMiddle(text, kMaxShownBytes)), {{"\n", "\n  | "}});
}

// "email (string): Where to send it. One of: a, b."
std::string FieldText(const std::string& name, const Json& schema) {
  std::string text = absl::StrCat(name, " (", JsonString(schema, "type").value_or("string"), ")");
  const std::string about =
      JsonString(schema, "description").value_or(JsonString(schema, "title").value_or(""));
  if (!about.empty()) absl::StrAppend(&text, ": ", about);
  const Json* choices = JsonMember(schema, "enum");
  const Json* const items = JsonMember(schema, "items");
  if (choices == nullptr && items != nullptr) choices = JsonMember(*items, "enum");
  if (choices == nullptr || !choices->is_array()) return text;
  std::vector<std::string> names;
  for (const Json& choice : *choices) {
    names.push_back(choice.is_string() ? choice.get<std::string>() : DumpJson(choice));
  }
  return absl::StrCat(text, "\nOne of: ", absl::StrJoin(names, ", "));
}

// What a person wrote, as the type that the schema wants; the text itself where it is none.
Json ValueOf(const std::string& text, const Json& schema) {
  const std::string type = JsonString(schema, "type").value_or("string");
  const std::string lower = absl::AsciiStrToLower(text);
  if (type == "boolean" && (lower == "yes" || lower == "y" || lower == "true")) return true;
  if (type == "boolean" && (lower == "no" || lower == "n" || lower == "false")) return false;
  int64_t whole = 0;
  if ((type == "integer" || type == "number") && absl::SimpleAtoi(text, &whole)) return whole;
  double number = 0;
  if (type == "number" && absl::SimpleAtod(text, &number) && std::isfinite(number)) return number;
  if (type != "array") return text;
  Json list = Json::array();
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    list.push_back(std::string(absl::StripAsciiWhitespace(part)));
  }
  return list;
}

// The constraints of a field that are safe to check: a server can make a pattern or a reference
// exhaust the program that compiles it.
Json PlainField(const Json& field) {
  Json plain = Json::object();
  for (const char* key : {"type", "enum", "const", "minimum", "maximum", "minLength", "maxLength",
                          "minItems", "maxItems"}) {
    if (const Json* found = JsonMember(field, key)) plain[key] = *found;
  }
  if (const Json* items = JsonMember(field, "items"); items != nullptr && items->is_object()) {
    for (const char* key : {"type", "enum"}) {
      if (const Json* found = JsonMember(*items, key)) plain["items"][key] = *found;
    }
  }
  return plain;
}

bool IsOptional(const Json& form, const std::string& name) {
  const Json* const required = JsonMember(form, "required");
  return required == nullptr || !required->is_array() ||
         std::find(required->begin(), required->end(), Json(name)) == required->end();
}

}  // namespace

McpServers::Host McpHostOf(const SessionContext& context, const std::string& workspace,
                           RunSandbox* sandbox, CancellationSource cancellation) {
  McpServers::Host host;
  host.workspace = workspace;
  host.open_runner = [sandbox] { return sandbox->servers(); };
  host.environment = sandbox->CommandEnvironment(EnvironmentForCommands(context.environment));
  host.variables = context.environment;
  host.new_http_client = NewCurlHttpClient;
  host.cancellation = std::move(cancellation);
  host.on_elicit = [ask = context.options->on_form](const std::string& server, const Json& params) {
    return AnswerForm(server, params, ask);
  };
  host.clock = context.clock;
  return host;
}

Json AnswerForm(const std::string& server, const Json& params,
                const std::function<std::optional<std::string>(const std::string&)>& ask) {
  const Json* const schema = JsonMember(params, "requestedSchema");
  const Json* const fields = schema == nullptr ? nullptr : JsonMember(*schema, "properties");
  const bool is_form = JsonString(params, "mode").value_or("form") == "form" && fields != nullptr &&
                       fields->is_object() && fields->size() <= kMaxFields;
  if (!ask || !is_form) return {{"action", "decline"}};
  const std::string message = Shown(JsonString(params, "message").value_or(""));
  Json content = Json::object();
  for (const auto& [name, field] : fields->items()) {
    if (!field.is_object()) return {{"action", "decline"}};
    const JsonSchema check(PlainField(field));
    std::string why;
    for (int tries = 0;; ++tries) {
      if (tries == kMaxTries) return {{"action", "cancel"}};
      const std::optional<std::string> answer = ask(absl::StrCat(
          why, "The MCP server ", server, " asks: ", message, "\n", Shown(FieldText(name, field))));
      if (!answer.has_value()) return {{"action", "cancel"}};
      if (answer->empty() && (IsOptional(*schema, name) || field.contains("default"))) {
        if (field.contains("default")) content[name] = field["default"];
        break;
      }
      Json value = ValueOf(*answer, field);
      const std::vector<std::string> violations = check.Violations(value);
      if (violations.empty()) {
        content[name] = std::move(value);
        break;
      }
      why = absl::StrCat("That does not fit: ", absl::StrJoin(violations, "; "), "\n");
    }
  }
  return {{"action", "accept"}, {"content", std::move(content)}};
}

}  // namespace stile

#include "agents/mcp/elicitation.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxAskedBytes = 2000;  // of the arguments of a call

// The value of the only field of a form; nullopt if the person gives none.
std::optional<Json> AskField(const McpCall& call, const std::string& message, const char* field,
                             Json schema) {
  const auto result = call.elicit({{"message", ToUtf8(message)},
                                   {"requestedSchema",
                                    {{"type", "object"},
                                     {"properties", {{field, std::move(schema)}}},
                                     {"required", Json::array({field})}}}});
  if (!result.ok() || JsonString(*result, "action") != "accept") return std::nullopt;
  const Json* const content = JsonMember(*result, "content");
  const Json* const value = content == nullptr ? nullptr : JsonMember(*content, field);
  return value == nullptr ? std::nullopt : std::optional<Json>(*value);
}

}  // namespace

PermissionPrompt PermissionPromptOf(const McpCall& call) {
  if (!call.elicit) return nullptr;
  return [&call](const ToolSpec& spec, const Json& arguments) {
    const std::string text = TruncateMiddle(DumpJson(arguments, 2), kMaxAskedBytes);
    const auto allowed = AskField(call, absl::StrCat("May the agent call ", spec.name, "?\n", text),
                                  "allow", {{"type", "boolean"}, {"title", "Allow it"}});
    return allowed.has_value() && *allowed == Json(true);
  };
}

void AskByElicitation(const McpCall& call, AgentOptions* options) {
  if (!call.elicit) return;
  options->on_ask = PermissionPromptOf(call);
  options->on_question = [&call](const std::string& question) -> std::optional<std::string> {
    const auto answer = AskField(call, question, "answer", {{"type", "string"}});
    if (!answer.has_value() || !answer->is_string()) return std::nullopt;
    return answer->get<std::string>();
  };
  options->on_form = options->on_question;
}

}  // namespace stile

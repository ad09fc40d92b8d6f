#include "runtime/model/tool_call.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr absl::string_view kCutOff =
    "the reply was cut off by the output limit before this call was complete; call again with "
    "smaller arguments";

absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
    case Role::kTool:
      return "tool";
  }
  return "user";
}

Json ToJson(const Message& message) {
  Json json = {{"role", std::string(RoleName(message.role))}, {"text", message.text}};
  for (const ToolCall& call : message.tool_calls)
    json["tool_calls"].push_back(ToolCallToJson(call));
  if (message.role == Role::kTool) {
    json["tool_call_id"] = message.tool_call_id;
    json["tool_name"] = message.tool_name;
    json["is_error"] = message.is_error;
  }
  for (const ImageData& image : message.images) json["images"].push_back(DataUrl(image));
  if (!message.provider_data.is_null()) json["provider_data"] = message.provider_data;
  return json;
}

}  // namespace

void SetArguments(absl::string_view text, ToolCall* call) {
  call->arguments = Json::object();
  if (absl::StripAsciiWhitespace(text).empty()) return;
  auto parsed = ParseWireJson(text);
  if (!parsed.ok()) {
    call->malformed = absl::StrCat("the arguments of ", call->name,
                                   " are not valid JSON: ", parsed.status().message());
  } else if (parsed->is_null()) {
    return;
  } else if (!parsed->is_object()) {
    call->malformed = absl::StrCat("the arguments of ", call->name, " must be a JSON object, not ",
                                   parsed->type_name());
  } else {
    call->arguments = *std::move(parsed);
  }
}

void MarkCutOffCalls(ModelReply* reply) {
  if (reply->finish_reason != FinishReason::kLength || reply->tool_calls.empty()) return;
  ToolCall& last = reply->tool_calls.back();
  if (!last.malformed.empty() || last.arguments.empty()) last.malformed = std::string(kCutOff);
}

void MakeCallIdsUnique(const ModelRequest& request, ModelReply* reply) {
  if (reply->tool_calls.empty()) return;
  std::set<std::string> used;
  for (const Message& message : request.messages) {
    for (const ToolCall& call : message.tool_calls) used.insert(call.id);
  }
  for (size_t i = 0; i < reply->tool_calls.size(); ++i) {
    std::string& id = reply->tool_calls[i].id;
    for (int suffix = 0; id.empty() || used.count(id) > 0; ++suffix) {
      id = absl::StrCat("call_", request.messages.size(), "_", i,
                        suffix == 0 ? "" : absl::StrCat("_", suffix));
    }
    used.insert(id);
  }
}

std::string ProviderToolName(absl::string_view name) {
  std::string result(name.substr(0, 64));
  for (char& c : result) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  }
  return result.empty() ? "unnamed" : result;
}

Json ParameterSchema(const ToolDefinition& tool) {
  if (tool.parameters.is_object()) return tool.parameters;
  return {{"type", "object"}, {"properties", Json::object()}};
}

Json FunctionJson(const ToolDefinition& tool) {
  return {{"type", "function"},
          {"function",
           {{"name", ProviderToolName(tool.name)},
            {"description", tool.description},
            {"parameters", ParameterSchema(tool)}}}};
}

const Json& KeptData(const Message& message, const ProviderEndpoint& endpoint) {
  static const Json* const nothing = new Json();
  const auto by = JsonString(message.provider_data, "by");
  const bool is_own = !by || *by == absl::StrCat(endpoint.provider, ":", endpoint.model);
  return is_own ? message.provider_data : *nothing;
}

std::string DataUrl(const ImageData& image) {
  return absl::StrCat("data:", image.media_type, ";base64,", image.base64);
}

absl::StatusOr<Json> ParseWireJson(absl::string_view text) {
  return IsUtf8(text) ? ParseJson(text) : ParseJson(ToUtf8(text));
}

Json ToolCallToJson(const ToolCall& call) {
  Json json = {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}};
  if (!call.malformed.empty()) json["malformed"] = call.malformed;
  return json;
}

Json ToJson(const ModelRequest& request) {
  Json json = {{"messages", Json::array()},
               {"tools", Json::array()},
               {"temperature", request.temperature},
               {"max_output_tokens", request.max_output_tokens}};
  for (const Message& message : request.messages) json["messages"].push_back(ToJson(message));
  for (const ToolDefinition& tool : request.tools) {
    json["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}});
  }
  return json;
}

std::string RequestSha256(const ModelRequest& request) {
  return Sha256Hex(DumpJson(ToJson(request)));
}

}  // namespace stile

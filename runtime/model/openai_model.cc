#include "runtime/model/openai_model.h"

#include <utility>

#include "runtime/base/status.h"
#include "runtime/model/openai_reader.h"
#include "runtime/model/provider_caller.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

// The calls of an assistant message. Arguments go back as the text the model wrote, so that a
// server's cache of its own tokens still fits.
Json CallsJson(const Message& message) {
  const Json* raw = JsonMember(message.provider_data, "openai_calls");
  Json calls = Json::array();
  for (size_t i = 0; i < message.tool_calls.size(); ++i) {
    const ToolCall& call = message.tool_calls[i];
    const Json kept = raw != nullptr && raw->is_array() && i < raw->size() ? (*raw)[i] : Json();
    std::string arguments = JsonString(kept, "arguments").value_or(DumpJson(call.arguments));
    if (arguments.empty()) arguments = "{}";
    Json json = {
        {"id", call.id},
        {"type", "function"},
        {"function", {{"name", ProviderToolName(call.name)}, {"arguments", std::move(arguments)}}}};
    if (const Json* extra = JsonMember(kept, "extra_content")) json["extra_content"] = *extra;
    calls.push_back(std::move(json));
  }
  return calls;
}

Json MessageJson(const Message& message) {
  switch (message.role) {
    case Role::kSystem:
      return {{"role", "system"}, {"content", message.text}};
    case Role::kUser:
      return {{"role", "user"}, {"content", message.text}};
    case Role::kTool:
      return {{"role", "tool"}, {"tool_call_id", message.tool_call_id}, {"content", message.text}};
    case Role::kAssistant:
      break;
  }
  Json json = {{"role", "assistant"}, {"content", message.text}};
  if (!message.tool_calls.empty()) {
    json["tool_calls"] = CallsJson(message);
    if (message.text.empty()) json["content"] = nullptr;
  }
  return json;
}

Json BodyJson(const std::string& model, const ModelRequest& request) {
  Json body = {{"model", model},
               {"messages", Json::array()},
               {"stream", true},
               {"stream_options", {{"include_usage", true}}}};
  for (const Message& message : request.messages) body["messages"].push_back(MessageJson(message));
  for (const ToolDefinition& tool : request.tools) {
    body["tools"].push_back(FunctionJson(tool));
  }
  if (request.temperature >= 0) body["temperature"] = request.temperature;
  if (request.max_output_tokens > 0) body["max_completion_tokens"] = request.max_output_tokens;
  return body;
}

class OpenAiModel : public ChatModel {
 public:
  OpenAiModel(ProviderEndpoint endpoint, std::unique_ptr<HttpClient> http, Clock* clock)
      : info_{endpoint.provider, endpoint.model, true},
        caller_(std::move(endpoint), std::move(http), clock) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const DeltaSink& on_delta,
                                      const Cancellation* cancellation) override {
    const auto new_reader = [&] {
      return std::make_unique<OpenAiReader>(caller_.endpoint(), on_delta);
    };
    auto reply = caller_.Call(BodyJson(info_.model, request), new_reader, cancellation);
    if (!reply.ok()) {
      if (!request.tools.empty() && RefusesTools(reply.status())) info_.native_tools = false;
      return reply.status();
    }
    MakeCallIdsUnique(request, &*reply);
    return reply;
  }

 private:
  ModelInfo info_;
  ProviderCaller caller_;
};

}  // namespace

std::unique_ptr<ChatModel> NewOpenAiModel(ProviderEndpoint endpoint,
                                          std::unique_ptr<HttpClient> http, Clock* clock) {
  return std::make_unique<OpenAiModel>(std::move(endpoint), std::move(http), clock);
}

}  // namespace stile

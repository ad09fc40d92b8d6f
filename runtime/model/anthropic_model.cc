// Requests to Anthropic Messages. Caching: markers stand behind the tools, the system text, the
// last user message and the one before it. The last one writes the cache; the one before is where
// the previous request wrote it, which is found again even if a turn added more blocks than the
// provider looks back over. Four markers are the most that are allowed.
#include "runtime/model/anthropic_model.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "runtime/base/status.h"
#include "runtime/model/anthropic_reader.h"
#include "runtime/model/provider_caller.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr int64_t kDefaultMaxTokens = 16384;
constexpr int kMaxPauses = 5;

Json CacheMark() { return {{"type", "ephemeral"}}; }

Json TextBlock(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

bool IsBlank(const std::string& text) { return absl::StripAsciiWhitespace(text).empty(); }

// Ids of other providers may hold letters that are refused here.
std::string CallId(const std::string& id) {
  std::string result = id.empty() ? "unnamed" : id;
  for (char& c : result) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  }
  return result;
}

Json AssistantContent(const Message& message) {
  if (const Json* kept = JsonMember(message.provider_data, "anthropic_content");
      kept != nullptr && kept->is_array()) {
    Json content = Json::array();
    size_t calls = 0;
    for (Json block : *kept) {
      if (!block.is_object()) continue;
      if (JsonString(block, "type") == "tool_use" && calls < message.tool_calls.size()) {
        const ToolCall& call = message.tool_calls[calls++];
        block["id"] = CallId(call.id);
        block["name"] = ProviderToolName(call.name);
      }
      content.push_back(std::move(block));
    }
    return content;
  }
  Json content = Json::array();
  if (!IsBlank(message.text)) content.push_back(TextBlock(message.text));
  for (const ToolCall& call : message.tool_calls) {
    content.push_back({{"type", "tool_use"},
                       {"id", CallId(call.id)},
                       {"name", ProviderToolName(call.name)},
                       {"input", call.arguments}});
  }
  return content;
}

Json ToolResult(const Message& message) {
  Json block = {{"type", "tool_result"}, {"tool_use_id", CallId(message.tool_call_id)}};
  if (!IsBlank(message.text)) block["content"] = message.text;
  if (message.is_error) block["is_error"] = true;
  return block;
}

// Adds `block` to a last message of `role`, or begins one. Tool results stand before text, as the
// provider demands.
void Append(const char* role, Json block, Json* messages) {
  if (messages->empty() || messages->back()["role"] != role) {
    messages->push_back({{"role", role}, {"content", Json::array()}});
  }
  Json& content = messages->back()["content"];
  auto place = content.end();
  if (block["type"] == "tool_result") {
    place = content.begin();
    while (place != content.end() && (*place)["type"] == "tool_result") ++place;
  }
  content.insert(place, std::move(block));
}

Json MessagesJson(const ModelRequest& request, Json* system) {
  Json messages = Json::array();
  for (const Message& message : request.messages) {
    switch (message.role) {
      case Role::kSystem:
        // Only what stands first can be system text; later, it would change what is cached.
        if (IsBlank(message.text)) break;
        if (messages.empty()) {
          system->push_back(TextBlock(message.text));
        } else {
          Append("user", TextBlock(message.text), &messages);
        }
        break;
      case Role::kUser:
        if (!IsBlank(message.text)) Append("user", TextBlock(message.text), &messages);
        break;
      case Role::kTool:
        Append("user", ToolResult(message), &messages);
        break;
      case Role::kAssistant:
        for (Json& block : AssistantContent(message)) {
          Append("assistant", std::move(block), &messages);
        }
        break;
    }
  }
  return messages;
}

void MarkForCache(Json* messages) {
  int marks = 2;
  for (auto message = messages->rbegin(); message != messages->rend() && marks > 0; ++message) {
    if ((*message)["role"] != "user") continue;
    (*message)["content"].back()["cache_control"] = CacheMark();
    --marks;
  }
}

Json BodyJson(const std::string& model, const ModelRequest& request) {
  Json system = Json::array();
  Json body = {{"model", model}, {"stream", true}};
  body["max_tokens"] =
      request.max_output_tokens > 0 ? request.max_output_tokens : kDefaultMaxTokens;
  body["messages"] = MessagesJson(request, &system);
  MarkForCache(&body["messages"]);
  if (!system.empty()) {
    system.back()["cache_control"] = CacheMark();
    body["system"] = std::move(system);
  }
  for (const ToolDefinition& tool : request.tools) {
    body["tools"].push_back({{"name", ProviderToolName(tool.name)},
                             {"description", tool.description},
                             {"input_schema", ParameterSchema(tool)}});
  }
  if (!request.tools.empty()) body["tools"].back()["cache_control"] = CacheMark();
  if (request.temperature >= 0) body["temperature"] = request.temperature;
  return body;
}

class AnthropicModel : public ChatModel {
 public:
  AnthropicModel(ProviderEndpoint endpoint, std::unique_ptr<HttpClient> http, Clock* clock)
      : info_{endpoint.provider, endpoint.model, true},
        caller_(std::move(endpoint), std::move(http), clock) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const DeltaSink& on_delta,
                                      const Cancellation* cancellation) override {
    Json body = BodyJson(info_.model, request);
    const auto new_reader = [&] {
      return std::make_unique<AnthropicReader>(caller_.endpoint(), on_delta);
    };
    STILE_ASSIGN_OR_RETURN(ModelReply reply, caller_.Call(body, new_reader, cancellation));
    // A paused turn goes on when its own beginning is sent back.
    for (int pauses = 0; IsPaused(reply) && pauses < kMaxPauses; ++pauses) {
      for (const Json& block : reply.provider_data["anthropic_content"]) {
        Append("assistant", block, &body["messages"]);
      }
      STILE_ASSIGN_OR_RETURN(ModelReply more, caller_.Call(body, new_reader, cancellation));
      Join(std::move(more), &reply);
    }
    // Still unfinished: that is no end of a turn.
    if (IsPaused(reply)) reply.finish_reason = FinishReason::kLength;
    MakeCallIdsUnique(request, &reply);
    return reply;
  }

 private:
  static bool IsPaused(const ModelReply& reply) {
    return JsonString(reply.provider_data, "stop_reason") == "pause_turn";
  }

  static void Join(ModelReply more, ModelReply* reply) {
    reply->text += more.text;
    for (ToolCall& call : more.tool_calls) reply->tool_calls.push_back(std::move(call));
    reply->usage += more.usage;
    reply->finish_reason = more.finish_reason;
    for (Json& block : more.provider_data["anthropic_content"]) {
      reply->provider_data["anthropic_content"].push_back(std::move(block));
    }
    reply->provider_data["stop_reason"] = more.provider_data["stop_reason"];
  }

  const ModelInfo info_;
  ProviderCaller caller_;
};

}  // namespace

std::unique_ptr<ChatModel> NewAnthropicModel(ProviderEndpoint endpoint,
                                             std::unique_ptr<HttpClient> http, Clock* clock) {
  return std::make_unique<AnthropicModel>(std::move(endpoint), std::move(http), clock);
}

}  // namespace stile

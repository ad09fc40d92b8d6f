// Chat Completions as OpenAI, Azure, OpenRouter, DeepSeek, Moonshot and local servers take it.
// Sources: the reference of each provider; what they refuse stands in the servers of
// tests/cli/providers.
#include "runtime/model/openai_chat.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/model/openai_reader.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

// The members of an assistant message in which servers tell what the model thought, and which some
// of them want back.
constexpr const char* kReasoningMembers[] = {"reasoning_details", "reasoning_content", "reasoning"};

bool IsOpenAi(const ProviderEndpoint& endpoint) {
  return endpoint.provider == "openai" || endpoint.provider == "azure";
}

// Ids of other providers may be longer than OpenAI takes.
std::string WireCallId(const std::string& id) {
  return id.size() <= 40 ? id : absl::StrCat("call_", Sha256Hex(id).substr(0, 32));
}

// The calls of an assistant message. Arguments go back as the text the model wrote, so that a
// server's cache of its own tokens still fits.
Json CallsJson(const Message& message, const Json& kept_data) {
  const Json* raw = JsonMember(kept_data, "openai_calls");
  Json calls = Json::array();
  for (size_t i = 0; i < message.tool_calls.size(); ++i) {
    const ToolCall& call = message.tool_calls[i];
    const Json kept = raw != nullptr && raw->is_array() && i < raw->size() ? (*raw)[i] : Json();
    std::string arguments = JsonString(kept, "arguments").value_or(DumpJson(call.arguments));
    if (arguments.empty()) arguments = "{}";
    Json json = {
        {"id", WireCallId(call.id)},
        {"type", "function"},
        {"function", {{"name", ProviderToolName(call.name)}, {"arguments", std::move(arguments)}}}};
    if (const Json* extra = JsonMember(kept, "extra_content")) json["extra_content"] = *extra;
    calls.push_back(std::move(json));
  }
  return calls;
}

Json ImageParts(const std::vector<ImageData>& images) {
  Json parts = Json::array();
  for (const ImageData& image : images) {
    parts.push_back({{"type", "image_url"}, {"image_url", {{"url", DataUrl(image)}}}});
  }
  return parts;
}

class ChatRequest : public ProviderRequest {
 public:
  ChatRequest(const ProviderEndpoint& endpoint, const ModelRequest& request)
      : endpoint_(endpoint), request_(request) {
    wants_reasoning_content_ =
        endpoint.data.wants_reasoning_content || endpoint.provider == "deepseek";
    for (const Message& message : request.messages) {
      if (JsonMember(KeptData(message, endpoint), "reasoning_content") != nullptr) {
        wants_reasoning_content_ = true;
      }
    }
  }

  std::string Url() const override {
    if (endpoint_.provider != "azure") return EndpointUrl(endpoint_, "/chat/completions");
    if (endpoint_.api_version.empty()) {
      return EndpointUrl(endpoint_, "/openai/v1/chat/completions");
    }
    return EndpointUrl(endpoint_,
                       absl::StrCat("/openai/deployments/", endpoint_.model,
                                    "/chat/completions?api-version=", endpoint_.api_version));
  }

  Json Body(const RefusedParameters& refused) const override {
    Json body = {{"model", endpoint_.model}, {"messages", Messages(refused)}, {"stream", true}};
    const auto may = [&refused](const char* name) { return refused.count(name) == 0; };
    if (may("stream_options")) body["stream_options"] = {{"include_usage", true}};
    for (const ToolDefinition& tool : request_.tools) body["tools"].push_back(FunctionJson(tool));
    if (request_.temperature >= 0 && may("temperature")) {
      body["temperature"] = request_.temperature;
    }
    if (request_.max_output_tokens > 0) {
      const bool is_new = IsOpenAi(endpoint_) ? may("max_completion_tokens") : !may("max_tokens");
      const char* name = is_new ? "max_completion_tokens" : "max_tokens";
      if (may(name)) body[name] = request_.max_output_tokens;
    }
    AddEffort(may("reasoning_effort") && may("reasoning"), &body);
    if (IsOpenAi(endpoint_) && may("prompt_cache_key")) {
      body["prompt_cache_key"] = PromptCacheKey(request_);
    }
    return body;
  }

  const std::vector<std::string>& OptionalParameters() const override {
    static const auto* const names = new std::vector<std::string>{
        "temperature",      "max_completion_tokens", "max_tokens",
        "reasoning_effort", "reasoning_content",     "reasoning_details",
        "stream_options",   "prompt_cache_key",      "reasoning",
        "image_url"};
    return *names;
  }

  std::unique_ptr<ReplyReader> NewReader(ReplyListener* listener) const override {
    return std::make_unique<OpenAiReader>(endpoint_, Url(), listener);
  }

 private:
  void AddEffort(bool may, Json* body) const {
    const std::string effort = EffortWord(endpoint_);
    if (effort.empty() || !may) return;
    if (endpoint_.provider == "openrouter") {
      (*body)["reasoning"] = {{"effort", effort}};
    } else {
      (*body)["reasoning_effort"] = effort;
    }
  }

  // Tool results can hold text only: their pictures follow them in a user message.
  Json Messages(const RefusedParameters& refused) const {
    Json messages = Json::array();
    std::vector<ImageData> of_tools;
    const bool may_show = refused.count("image_url") == 0;
    const auto show_tools_images = [&] {
      if (of_tools.empty() || !may_show) return;
      Json parts = ImageParts(of_tools);
      parts.insert(parts.begin(), Json{{"type", "text"}, {"text", "Pictures of these results:"}});
      messages.push_back({{"role", "user"}, {"content", std::move(parts)}});
      of_tools.clear();
    };
    for (const Message& message : request_.messages) {
      if (message.role != Role::kTool) show_tools_images();
      switch (message.role) {
        case Role::kSystem:
          messages.push_back({{"role", "system"}, {"content", message.text}});
          break;
        case Role::kUser:
          messages.push_back({{"role", "user"}, {"content", UserContent(message, may_show)}});
          break;
        case Role::kTool:
          messages.push_back({{"role", "tool"},
                              {"tool_call_id", WireCallId(message.tool_call_id)},
                              {"content", message.text}});
          of_tools.insert(of_tools.end(), message.images.begin(), message.images.end());
          break;
        case Role::kAssistant:
          if (!message.text.empty() || !message.tool_calls.empty()) {
            messages.push_back(Assistant(message, refused));
          }
          break;
      }
    }
    show_tools_images();
    return messages;
  }

  static Json UserContent(const Message& message, bool may_show) {
    if (message.images.empty() || !may_show) return message.text;
    Json parts = ImageParts(message.images);
    parts.insert(parts.begin(), Json{{"type", "text"}, {"text", message.text}});
    return parts;
  }

  Json Assistant(const Message& message, const RefusedParameters& refused) const {
    const Json& kept = KeptData(message, endpoint_);
    Json json = {{"role", "assistant"}, {"content", message.text}};
    if (!message.tool_calls.empty()) {
      json["tool_calls"] = CallsJson(message, kept);
      if (message.text.empty()) json["content"] = nullptr;
    }
    for (const char* name : kReasoningMembers) {
      const Json* value = JsonMember(kept, name);
      if (value != nullptr && refused.count(name) == 0) json[name] = *value;
      // Servers that send both want one back.
      if (value != nullptr && name == kReasoningMembers[0]) break;
    }
    if (wants_reasoning_content_ && !json.contains("reasoning_content") &&
        refused.count("reasoning_content") == 0) {
      json["reasoning_content"] = "";
    }
    return json;
  }

  const ProviderEndpoint& endpoint_;
  const ModelRequest& request_;
  bool wants_reasoning_content_ = false;
};

}  // namespace

std::unique_ptr<ProviderRequest> NewOpenAiChatRequest(const ProviderEndpoint& endpoint,
                                                      const ModelRequest& request) {
  return std::make_unique<ChatRequest>(endpoint, request);
}

std::string PromptCacheKey(const ModelRequest& request) {
  ModelRequest prefix;
  prefix.tools = request.tools;
  if (!request.messages.empty()) prefix.messages.push_back(request.messages.front());
  return absl::StrCat("stile-", RequestSha256(prefix).substr(0, 32));
}

}  // namespace stile

// Requests to Anthropic Messages. Caching: markers stand behind the tools, the system text, the
// last user message and the one before it. The last one writes the cache; the one before is where
// the previous request wrote it, which is found again even if a turn added more blocks than the
// provider looks back over. Four markers are the most that are allowed.
#include "runtime/model/anthropic_model.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "re2/re2.h"
#include "runtime/base/status.h"
#include "runtime/model/anthropic_reader.h"
#include "runtime/model/provider_caller.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr int64_t kDefaultMaxTokens = 16384;
constexpr int64_t kSmallestMaxTokens = 4096;
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

bool IsThinking(const Json& block) {
  const std::string type = JsonString(block, "type").value_or("");
  return type == "thinking" || type == "redacted_thinking";
}

// Whether the model refuses thoughts of a conversation whose beginning is not what it was: those of
// the generations from Opus, Sonnet and Haiku 5.5 and Fable 5.1 on, and those that are not known.
bool BindsThinking(const ProviderEndpoint& endpoint) {
  static const LazyRE2 kVersion = {"^claude-([a-z]+)-([0-9]+)(?:-([0-9]{1,2}))?(?:-|$)"};
  std::string family;
  int major = 0;
  int minor = 0;
  std::string minor_text;
  if (!RE2::PartialMatch(endpoint.model, *kVersion, &family, &major, &minor_text)) return true;
  if (!absl::SimpleAtoi(minor_text, &minor)) minor = 0;
  return major > 5 || (major == 5 && minor >= (family == "fable" ? 1 : 5));
}

// `with_thinking`: with what was thought, which belongs to the conversation it was thought in.
Json AssistantContent(const Message& message, const ProviderEndpoint& endpoint,
                      bool with_thinking) {
  if (const Json* kept = JsonMember(KeptData(message, endpoint), "anthropic_content");
      kept != nullptr && kept->is_array()) {
    Json content = Json::array();
    size_t calls = 0;
    const bool is_shortened = JsonBool(message.provider_data, "shortened").value_or(false);
    if (is_shortened && BindsThinking(endpoint)) with_thinking = false;
    for (Json block : *kept) {
      if (!block.is_object()) continue;
      const std::string type = JsonString(block, "type").value_or("");
      if (!with_thinking && IsThinking(block)) continue;
      if (type == "tool_use" && calls < message.tool_calls.size()) {
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

Json ImageBlock(const ImageData& image) {
  return {
      {"type", "image"},
      {"source", {{"type", "base64"}, {"media_type", image.media_type}, {"data", image.base64}}}};
}

Json ToolResult(const Message& message, bool may_show) {
  Json block = {{"type", "tool_result"}, {"tool_use_id", CallId(message.tool_call_id)}};
  if (!message.images.empty() && may_show) {
    block["content"] = Json::array();
    if (!IsBlank(message.text)) block["content"].push_back(TextBlock(message.text));
    for (const ImageData& image : message.images) block["content"].push_back(ImageBlock(image));
  } else if (!IsBlank(message.text)) {
    block["content"] = message.text;
  }
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

Json MessagesJson(const ModelRequest& request, const ProviderEndpoint& endpoint,
                  const RefusedParameters& refused, Json* system) {
  const bool may_show = refused.count("image") == 0;
  const bool with_thinking = refused.count("signature") == 0;
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
        if (!may_show) break;
        for (const ImageData& image : message.images) {
          Append("user", ImageBlock(image), &messages);
        }
        break;
      case Role::kTool:
        Append("user", ToolResult(message, may_show), &messages);
        break;
      case Role::kAssistant:
        // Thinking alone is no message.
        if (IsBlank(message.text) && message.tool_calls.empty()) break;
        for (Json& block : AssistantContent(message, endpoint, with_thinking)) {
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

constexpr int64_t kThinkingBudgets[] = {2048, 8192, 24576};  // low, medium, high

int64_t ThinkingBudget(absl::string_view effort) {
  return kThinkingBudgets[effort == "low" ? 0 : effort == "medium" ? 1 : 2];
}

// With a budget for thinking, the calls whose results are sent must have been thought about: those
// of another model, or of a shortened conversation, were not.
bool LastCallsBeginWithThinking(const Json& messages) {
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    if ((*message)["role"] != "assistant") continue;
    const Json& content = (*message)["content"];
    for (const Json& block : content) {
      if (JsonString(block, "type") == "tool_use") return IsThinking(content.front());
    }
    return true;
  }
  return true;
}

class AnthropicRequest : public ProviderRequest {
 public:
  // `more`: blocks of an unfinished reply, to be continued. All outlive the request.
  AnthropicRequest(const ProviderEndpoint& endpoint, const ModelRequest& request, const Json& more)
      : endpoint_(endpoint), request_(request), more_(more) {}

  std::string Url() const override { return EndpointUrl(endpoint_, "/v1/messages"); }

  Json Body(const RefusedParameters& refused) const override {
    const auto may = [&refused](const char* name) { return refused.count(name) == 0; };
    Json system = Json::array();
    Json body = {{"model", endpoint_.model}, {"stream", true}};
    int64_t max_tokens = MaxTokens(refused);
    body["messages"] = MessagesJson(request_, endpoint_, refused, &system);
    for (const Json& block : more_) Append("assistant", block, &body["messages"]);
    if (may("cache_control")) MarkForCache(&body["messages"]);
    if (!system.empty()) {
      if (may("cache_control")) system.back()["cache_control"] = CacheMark();
      body["system"] = std::move(system);
    }
    for (const ToolDefinition& tool : request_.tools) {
      body["tools"].push_back({{"name", ProviderToolName(tool.name)},
                               {"description", tool.description},
                               {"input_schema", ParameterSchema(tool)}});
    }
    if (!request_.tools.empty() && may("cache_control")) {
      body["tools"].back()["cache_control"] = CacheMark();
    }
    AddEffort(refused, &max_tokens, &body);
    body["max_tokens"] = max_tokens;
    if (request_.temperature >= 0 && may("temperature") && !body.contains("thinking")) {
      body["temperature"] = request_.temperature;
    }
    return body;
  }

  const std::vector<std::string>& OptionalParameters() const override {
    static const auto* const names =
        new std::vector<std::string>{"temperature",   "signature",  "thinking", "output_config",
                                     "cache_control", "max_tokens", "image"};
    return *names;
  }

  std::unique_ptr<ReplyReader> NewReader(ReplyListener* listener) const override {
    return std::make_unique<AnthropicReader>(endpoint_, Url(), listener);
  }

 private:
  // A model that the catalogue does not know may allow less than it is asked for at first.
  int64_t MaxTokens(const RefusedParameters& refused) const {
    if (refused.count("max_tokens") > 0) return kSmallestMaxTokens;
    const int64_t limit = endpoint_.data.output_tokens;
    const int64_t wanted =
        request_.max_output_tokens > 0 ? request_.max_output_tokens : kDefaultMaxTokens;
    return limit > 0 ? std::min(limit, wanted) : wanted;
  }

  // Models take an effort, or, the older ones, a budget for thinking. Those that the catalogue does
  // not know are taken for newer ones.
  void AddEffort(const RefusedParameters& refused, int64_t* max_tokens, Json* body) const {
    const std::string effort = EffortWord(endpoint_);
    if (effort.empty() || refused.count("thinking") > 0) return;
    if (endpoint_.data.adaptive_thinking || endpoint_.data.model.empty()) {
      (*body)["thinking"] = {{"type", "adaptive"}};
      if (refused.count("output_config") == 0) (*body)["output_config"] = {{"effort", effort}};
      return;
    }
    if (!LastCallsBeginWithThinking((*body)["messages"])) return;
    const int64_t budget = ThinkingBudget(effort);
    const int64_t limit = endpoint_.data.output_tokens;
    *max_tokens = std::min(*max_tokens + budget, limit > 0 ? limit : *max_tokens + budget);
    if (budget >= *max_tokens) return;
    (*body)["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
  }

  const ProviderEndpoint& endpoint_;
  const ModelRequest& request_;
  const Json& more_;
};

class AnthropicModel : public ChatModel {
 public:
  explicit AnthropicModel(std::unique_ptr<ProviderCaller> caller)
      : caller_(std::move(caller)), info_(InfoOf(caller_->endpoint())) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    Json more = Json::array();
    const AnthropicRequest asked(caller_->endpoint(), request, more);
    STILE_ASSIGN_OR_RETURN(ModelReply reply,
                           caller_->Call(asked, request.ends_at, listener, cancellation));
    // A paused turn goes on when its own beginning is sent back.
    for (int pauses = 0; IsPaused(reply) && pauses < kMaxPauses; ++pauses) {
      more = reply.provider_data["anthropic_content"];
      STILE_ASSIGN_OR_RETURN(ModelReply rest,
                             caller_->Call(asked, request.ends_at, listener, cancellation));
      Join(std::move(rest), &reply);
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

  const std::unique_ptr<ProviderCaller> caller_;
  const ModelInfo info_;
};

}  // namespace

std::unique_ptr<ChatModel> NewAnthropicModel(std::unique_ptr<ProviderCaller> caller) {
  return std::make_unique<AnthropicModel>(std::move(caller));
}

}  // namespace stile

#include "runtime/model/sampling_model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr int64_t kDefaultMaxTokens = 16'384;  // maxTokens must be there
constexpr char kAdvice[] =
    "; choose a model of a provider instead, for example anthropic:claude-sonnet-5 (`stile models` "
    "lists them)";

Json TextBlock(absl::string_view text) { return {{"type", "text"}, {"text", ToUtf8(text)}}; }

// Messages as the protocol wants them: two roles; one object of content, or a list of them.
class MessageWriter {
 public:
  explicit MessageWriter(bool has_tools) : has_tools_(has_tools) {}

  void Add(const Message& message) {
    switch (message.role) {
      case Role::kSystem:
        absl::StrAppend(&system_, system_.empty() ? "" : "\n\n", message.text);
        break;
      case Role::kUser:
        AddUser(message);
        break;
      case Role::kAssistant:
        AddAssistant(message);
        break;
      case Role::kTool:
        AddResult(message);
        break;
    }
  }

  const std::string& system() const { return system_; }
  Json Take() { return std::move(messages_); }

 private:
  void AddUser(const Message& message) {
    Json blocks = Json::array();
    if (!message.text.empty()) blocks.push_back(TextBlock(message.text));
    for (const ImageData& image : message.images) {
      blocks.push_back({{"type", "image"}, {"data", image.base64}, {"mimeType", image.media_type}});
    }
    Push("user", std::move(blocks));
  }

  void AddAssistant(const Message& message) {
    Json blocks = Json::array();
    if (!message.text.empty()) blocks.push_back(TextBlock(message.text));
    if (has_tools_) {
      for (const ToolCall& call : message.tool_calls) {
        blocks.push_back({{"type", "tool_use"},
                          {"id", call.id},
                          {"name", ProviderToolName(call.name)},
                          {"input", call.arguments}});
      }
    }
    Push("assistant", std::move(blocks));
  }

  // Results stand in user messages that hold nothing else, those of one reply in one message.
  void AddResult(const Message& message) {
    Json block = {{"type", "tool_result"},
                  {"toolUseId", message.tool_call_id},
                  {"content", Json::array({TextBlock(message.text)})},
                  {"isError", message.is_error}};
    const bool goes_on = !messages_.empty() && messages_.back()["content"].is_array() &&
                         messages_.back()["content"][0]["type"] == "tool_result";
    if (goes_on) {
      messages_.back()["content"].push_back(std::move(block));
    } else {
      messages_.push_back({{"role", "user"}, {"content", Json::array({std::move(block)})}});
    }
  }

  // Hosts of older revisions know one object only.
  void Push(const char* role, Json blocks) {
    if (blocks.empty()) blocks.push_back(TextBlock(""));
    Json content = blocks.size() == 1 ? std::move(blocks[0]) : std::move(blocks);
    messages_.push_back({{"role", role}, {"content", std::move(content)}});
  }

  const bool has_tools_;
  std::string system_;
  Json messages_ = Json::array();
};

FinishReason ReasonOf(const Json& result) {
  const std::string reason = JsonString(result, "stopReason").value_or("endTurn");
  return reason == "maxTokens" ? FinishReason::kLength : FinishReason::kStop;
}

absl::Status ReadBlock(const Json& block, ModelReply* reply) {
  const std::string type = JsonString(block, "type").value_or("");
  if (type == "text") {
    absl::StrAppend(&reply->text, JsonString(block, "text").value_or(""));
    return absl::OkStatus();
  }
  if (type != "tool_use") {
    return absl::DataLossError(absl::StrCat("the model of the MCP host replied with ",
                                            type.empty() ? "content of no type" : ToUtf8(type),
                                            ", where only text and tool calls can be used",
                                            kAdvice));
  }
  ToolCall call;
  call.id = JsonString(block, "id").value_or("");
  call.name = JsonString(block, "name").value_or("");
  if (const Json* input = JsonMember(block, "input"); input != nullptr && input->is_object()) {
    call.arguments = *input;
  } else {
    call.malformed = "the arguments are not a JSON object";
  }
  reply->tool_calls.push_back(std::move(call));
  return absl::OkStatus();
}

absl::StatusOr<ModelReply> ReadResult(const Json& result) {
  const Json* const content = JsonMember(result, "content");
  if (content == nullptr || (!content->is_object() && !content->is_array())) {
    return absl::DataLossError(
        absl::StrCat("the MCP host answered sampling without content", kAdvice));
  }
  ModelReply reply;
  reply.finish_reason = ReasonOf(result);
  for (const Json& block : content->is_array() ? *content : Json::array({*content})) {
    STILE_RETURN_IF_ERROR(ReadBlock(block, &reply));
  }
  if (!reply.tool_calls.empty()) {
    if (reply.finish_reason == FinishReason::kStop) reply.finish_reason = FinishReason::kToolCalls;
    MarkCutOffCalls(&reply);
  }
  return reply;
}

class SamplingModel : public ChatModel {
 public:
  SamplingModel(Sampling sampling, absl::string_view hint)
      : sampling_(std::move(sampling)), hint_(hint) {
    info_.provider = "sampling";
    info_.model = hint_.empty() ? "host" : hint_;
    info_.native_tools = sampling_.has_tools;
    info_.takes_images = true;
  }

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    const absl::StatusOr<Json> result = sampling_.create_message(ParamsOf(request));
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled");
    }
    if (absl::IsPermissionDenied(result.status())) {
      return absl::PermissionDeniedError(absl::StrCat(result.status().message(), kAdvice));
    }
    if (!result.ok()) return result.status();
    STILE_ASSIGN_OR_RETURN(ModelReply reply, ReadResult(*result));
    MakeCallIdsUnique(request, &reply);
    if (listener != nullptr && !reply.text.empty()) listener->OnText(reply.text);
    return reply;
  }

 private:
  Json ParamsOf(const ModelRequest& request) const {
    MessageWriter writer(sampling_.has_tools);
    for (const Message& message : request.messages) writer.Add(message);
    Json params = {{"messages", writer.Take()},
                   {"maxTokens",
                    request.max_output_tokens > 0 ? request.max_output_tokens : kDefaultMaxTokens},
                   {"includeContext", "none"}};
    if (!writer.system().empty()) params["systemPrompt"] = ToUtf8(writer.system());
    if (request.temperature >= 0) params["temperature"] = request.temperature;
    if (!hint_.empty()) {
      params["modelPreferences"] = {{"hints", Json::array({{{"name", hint_}}})}};
    }
    if (sampling_.has_tools && !request.tools.empty()) {
      params["tools"] = Json::array();
      for (const ToolDefinition& tool : request.tools) {
        params["tools"].push_back({{"name", ProviderToolName(tool.name)},
                                   {"description", tool.description},
                                   {"inputSchema", ParameterSchema(tool)}});
      }
      params["toolChoice"] = {{"mode", "auto"}};
    }
    return params;
  }

  const Sampling sampling_;
  const std::string hint_;
  ModelInfo info_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ChatModel>> NewSamplingModel(const Sampling& sampling,
                                                            absl::string_view hint) {
  if (!sampling.create_message) {
    return absl::InvalidArgumentError(
        absl::StrCat("models named sampling: are those of an MCP host that calls `stile mcp`, and "
                     "no host with the capability `sampling` asks here",
                     kAdvice));
  }
  return std::make_unique<SamplingModel>(sampling, hint);
}

}  // namespace stile

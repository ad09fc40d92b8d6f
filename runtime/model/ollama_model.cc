#include "runtime/model/ollama_model.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/http/line_splitter.h"
#include "runtime/model/provider_caller.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr size_t kMaxLineBytes = size_t{16} << 20;

// Reads newline-separated JSON objects up to the one with "done": true. A tool call comes whole in
// one of them.
class OllamaReader : public ReplyReader {
 public:
  OllamaReader(const ProviderEndpoint& endpoint, ReplyListener* listener)
      : endpoint_(endpoint),
        listener_(listener),
        lines_(kMaxLineBytes, [this](absl::string_view line) { return OnLine(line); }) {}

  absl::Status Push(absl::string_view bytes) override { return lines_.Push(bytes); }
  bool finished() const override { return done_; }
  bool whole() const override { return done_; }

  absl::StatusOr<ModelReply> Finish() override {
    STILE_RETURN_IF_ERROR(lines_.Finish());
    if (!done_) {
      return absl::UnavailableError("ollama: the stream ended before the reply was complete");
    }
    if (!thinking_.empty()) reply_.provider_data = {{"ollama_thinking", thinking_}};
    if (reply_.finish_reason != FinishReason::kLength && !reply_.tool_calls.empty()) {
      reply_.finish_reason = FinishReason::kToolCalls;
    }
    MarkCutOffCalls(&reply_);
    return std::move(reply_);
  }

 private:
  absl::Status OnLine(absl::string_view line) {
    if (done_ || absl::StripAsciiWhitespace(line).empty()) return absl::OkStatus();
    const auto json = ParseWireJson(line);
    if (!json.ok() || !json->is_object()) {
      return absl::DataLossError(absl::StrCat(
          PrintableUrl(endpoint_.base_url),
          " did not answer like Ollama: ", ErrorMessage(endpoint_, line.substr(0, 1000))));
    }
    if (const Json* error = JsonMember(*json, "error")) return StreamErrorStatus(endpoint_, *error);
    if (const Json* message = JsonMember(*json, "message")) OnMessage(*message);
    if (JsonBool(*json, "done").value_or(false)) OnDone(*json);
    return absl::OkStatus();
  }

  void OnMessage(const Json& message) {
    if (const auto text = JsonString(message, "content"); text && !text->empty()) {
      reply_.text += *text;
      if (listener_ != nullptr) listener_->OnText(*text);
    }
    thinking_ += JsonString(message, "thinking").value_or("");
    const Json* calls = JsonMember(message, "tool_calls");
    if (calls == nullptr || !calls->is_array()) return;
    for (const Json& item : *calls) {
      const Json* function = JsonMember(item, "function");
      if (function == nullptr) continue;
      ToolCall call;
      call.id = JsonString(item, "id").value_or("");
      call.name = JsonString(*function, "name").value_or("unnamed");
      if (const Json* arguments = JsonMember(*function, "arguments")) {
        SetArguments(arguments->is_string() ? arguments->get<std::string>() : DumpJson(*arguments),
                     &call);
      }
      reply_.tool_calls.push_back(std::move(call));
    }
  }

  void OnDone(const Json& json) {
    done_ = true;
    reply_.usage.input_tokens =
        std::max<int64_t>(JsonInt(json, "prompt_eval_count").value_or(0), 0);
    reply_.usage.output_tokens = std::max<int64_t>(JsonInt(json, "eval_count").value_or(0), 0);
    if (JsonString(json, "done_reason").value_or("") == "length") {
      reply_.finish_reason = FinishReason::kLength;
    }
  }

  const ProviderEndpoint& endpoint_;
  ReplyListener* const listener_;
  LineSplitter lines_;
  ModelReply reply_;
  std::string thinking_;
  bool done_ = false;
};

class OllamaRequest : public ProviderRequest {
 public:
  OllamaRequest(const ProviderEndpoint& endpoint, const ModelRequest& request,
                int64_t context_tokens)
      : endpoint_(endpoint), request_(request), context_tokens_(context_tokens) {}

  std::string Url() const override { return EndpointUrl(endpoint_, "/api/chat"); }

  Json Body(const RefusedParameters& refused) const override {
    Json body = {{"model", endpoint_.model},
                 {"messages", Json::array()},
                 {"stream", true},
                 {"options", {{"num_ctx", context_tokens_}}}};
    for (const Message& message : request_.messages) {
      if (message.role == Role::kAssistant && message.text.empty() && message.tool_calls.empty()) {
        continue;
      }
      body["messages"].push_back(MessageJson(message));
    }
    for (const ToolDefinition& tool : request_.tools) {
      body["tools"].push_back(FunctionJson(tool));
    }
    if (request_.temperature >= 0) body["options"]["temperature"] = request_.temperature;
    if (request_.max_output_tokens > 0) body["options"]["num_predict"] = request_.max_output_tokens;
    // Only gpt-oss knows levels; others think or do not.
    if (!endpoint_.effort.empty() && refused.count("think") == 0) {
      const bool has_levels = absl::StrContains(endpoint_.model, "gpt-oss");
      body["think"] = has_levels ? Json(endpoint_.effort) : Json(true);
    }
    return body;
  }

  const std::vector<std::string>& OptionalParameters() const override {
    static const auto* const names = new std::vector<std::string>{"think"};
    return *names;
  }

  std::unique_ptr<ReplyReader> NewReader(ReplyListener* listener) const override {
    return std::make_unique<OllamaReader>(endpoint_, listener);
  }

 private:
  static const char* RoleWord(Role role) {
    switch (role) {
      case Role::kSystem:
        return "system";
      case Role::kUser:
        return "user";
      case Role::kTool:
        return "tool";
      case Role::kAssistant:
        return "assistant";
    }
    return "user";
  }

  Json MessageJson(const Message& message) const {
    Json json = {{"role", RoleWord(message.role)}, {"content", message.text}};
    if (message.role == Role::kTool) {
      json["tool_name"] = ProviderToolName(message.tool_name);
      json["tool_call_id"] = message.tool_call_id;
    }
    for (const ImageData& image : message.images) json["images"].push_back(image.base64);
    for (const ToolCall& call : message.tool_calls) {
      json["tool_calls"].push_back(
          {{"id", call.id},
           {"function", {{"name", ProviderToolName(call.name)}, {"arguments", call.arguments}}}});
    }
    if (const auto thinking = JsonString(KeptData(message, endpoint_), "ollama_thinking")) {
      json["thinking"] = *thinking;
    }
    return json;
  }

  const ProviderEndpoint& endpoint_;
  const ModelRequest& request_;
  const int64_t context_tokens_;
};

class OllamaModel : public ChatModel {
 public:
  OllamaModel(std::unique_ptr<ProviderCaller> caller, int64_t context_tokens)
      : caller_(std::move(caller)),
        info_(InfoOf(caller_->endpoint())),
        context_tokens_(context_tokens) {
    info_.context_tokens = context_tokens;
  }

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    const OllamaRequest asked(caller_->endpoint(), request, context_tokens_);
    auto reply = caller_->Call(asked, request.ends_at, listener, cancellation);
    if (!reply.ok()) {
      if (!request.tools.empty() && RefusesTools(reply.status())) info_.native_tools = false;
      return reply.status();
    }
    MakeCallIdsUnique(request, &*reply);
    return reply;
  }

 private:
  const std::unique_ptr<ProviderCaller> caller_;
  ModelInfo info_;
  const int64_t context_tokens_;
};

}  // namespace

std::unique_ptr<ChatModel> NewOllamaModel(std::unique_ptr<ProviderCaller> caller,
                                          int64_t context_tokens) {
  return std::make_unique<OllamaModel>(std::move(caller), context_tokens);
}

}  // namespace stile

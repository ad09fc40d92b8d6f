#include "runtime/model/ollama_model.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
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
  OllamaReader(const ProviderEndpoint& endpoint, const DeltaSink& on_delta)
      : endpoint_(endpoint),
        on_delta_(on_delta),
        lines_(kMaxLineBytes, [this](absl::string_view line) { return OnLine(line); }) {}

  absl::Status Push(absl::string_view bytes) override { return lines_.Push(bytes); }
  bool finished() const override { return done_; }
  bool whole() const override { return done_; }
  bool has_complete_call() const override { return !reply_.tool_calls.empty(); }

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
          PrintableUrl(endpoint_.url),
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
      if (on_delta_) on_delta_(*text);
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
  const DeltaSink& on_delta_;
  LineSplitter lines_;
  ModelReply reply_;
  std::string thinking_;
  bool done_ = false;
};

Json MessageJson(const Message& message) {
  switch (message.role) {
    case Role::kSystem:
      return {{"role", "system"}, {"content", message.text}};
    case Role::kUser:
      return {{"role", "user"}, {"content", message.text}};
    case Role::kTool:
      return {{"role", "tool"},
              {"tool_name", ProviderToolName(message.tool_name)},
              {"tool_call_id", message.tool_call_id},
              {"content", message.text}};
    case Role::kAssistant:
      break;
  }
  Json json = {{"role", "assistant"}, {"content", message.text}};
  for (const ToolCall& call : message.tool_calls) {
    json["tool_calls"].push_back(
        {{"id", call.id},
         {"function", {{"name", ProviderToolName(call.name)}, {"arguments", call.arguments}}}});
  }
  if (const auto thinking = JsonString(message.provider_data, "ollama_thinking")) {
    json["thinking"] = *thinking;
  }
  return json;
}

class OllamaModel : public ChatModel {
 public:
  OllamaModel(ProviderEndpoint endpoint, int64_t context_tokens, std::unique_ptr<HttpClient> http,
              Clock* clock)
      : info_{endpoint.provider, endpoint.model, true},
        context_tokens_(context_tokens),
        caller_(std::move(endpoint), std::move(http), clock) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const DeltaSink& on_delta,
                                      const Cancellation* cancellation) override {
    const auto new_reader = [&] {
      return std::make_unique<OllamaReader>(caller_.endpoint(), on_delta);
    };
    auto reply = caller_.Call(BodyJson(request), new_reader, cancellation);
    if (!reply.ok()) {
      if (!request.tools.empty() && RefusesTools(reply.status())) info_.native_tools = false;
      return reply.status();
    }
    MakeCallIdsUnique(request, &*reply);
    return reply;
  }

 private:
  Json BodyJson(const ModelRequest& request) const {
    Json body = {{"model", info_.model},
                 {"messages", Json::array()},
                 {"stream", true},
                 {"options", {{"num_ctx", context_tokens_}}}};
    for (const Message& message : request.messages) {
      body["messages"].push_back(MessageJson(message));
    }
    for (const ToolDefinition& tool : request.tools) {
      body["tools"].push_back(FunctionJson(tool));
    }
    if (request.temperature >= 0) body["options"]["temperature"] = request.temperature;
    if (request.max_output_tokens > 0) body["options"]["num_predict"] = request.max_output_tokens;
    return body;
  }

  ModelInfo info_;
  const int64_t context_tokens_;
  ProviderCaller caller_;
};

}  // namespace

std::unique_ptr<ChatModel> NewOllamaModel(ProviderEndpoint endpoint, int64_t context_tokens,
                                          std::unique_ptr<HttpClient> http, Clock* clock) {
  return std::make_unique<OllamaModel>(std::move(endpoint), context_tokens, std::move(http), clock);
}

}  // namespace stile

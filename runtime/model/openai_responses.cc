// Source: the reference of the Responses API, and the event types of the official SDK (npm openai).
#include "runtime/model/openai_responses.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/http/sse_reader.h"
#include "runtime/model/openai_chat.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr size_t kExcerptBytes = 400;

int64_t Nested(const Json& json, absl::string_view outer, absl::string_view inner) {
  const Json* member = JsonMember(json, outer);
  return member == nullptr ? 0 : std::max<int64_t>(JsonInt(*member, inner).value_or(0), 0);
}

// Reads the events of one response. The finished items are what counts: pieces of text are only
// shown.
class ResponsesReader : public ReplyReader {
 public:
  ResponsesReader(const ProviderEndpoint& endpoint, std::string url, ReplyListener* listener)
      : endpoint_(endpoint),
        url_(std::move(url)),
        listener_(listener),
        events_([this](const SseEvent& event) { return OnData(event.data); }) {}

  absl::Status Push(absl::string_view bytes) override {
    if (excerpt_.size() < kExcerptBytes) absl::StrAppend(&excerpt_, bytes.substr(0, kExcerptBytes));
    return events_.Push(bytes);
  }
  bool finished() const override { return done_; }
  bool whole() const override { return done_; }

  absl::StatusOr<ModelReply> Finish() override {
    // A server that does not stream answers with the response alone.
    if (!started_ && absl::StartsWith(absl::StripLeadingAsciiWhitespace(excerpt_), "{")) {
      return WrongAnswer("it did not stream");
    }
    STILE_RETURN_IF_ERROR(events_.Finish());
    if (!started_) return WrongAnswer(excerpt_.empty() ? "the answer is empty" : "no event came");
    if (!done_) {
      return absl::UnavailableError(
          absl::StrCat(endpoint_.provider, ": the stream ended before the reply was complete"));
    }
    return MakeReply();
  }

 private:
  absl::Status WrongAnswer(absl::string_view why) const {
    return absl::DataLossError(absl::StrCat(PrintableUrl(url_),
                                            " did not answer like the Responses API (", why,
                                            "): ", ErrorMessage(endpoint_, excerpt_)));
  }

  absl::Status OnData(absl::string_view data) {
    if (done_ || absl::StripAsciiWhitespace(data) == "[DONE]") return absl::OkStatus();
    const auto event = ParseWireJson(data);
    if (!event.ok() || !event->is_object()) return WrongAnswer("an event is no JSON object");
    const std::string type = JsonString(*event, "type").value_or("");
    if (type == "error") {
      const Json* error = JsonMember(*event, "error");
      return StreamErrorStatus(endpoint_, error == nullptr ? *event : *error);
    }
    if (type.empty()) {
      if (const Json* error = JsonMember(*event, "error")) {
        return StreamErrorStatus(endpoint_, *error);
      }
    }
    started_ = true;
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
      const std::string piece = JsonString(*event, "delta").value_or("");
      if (listener_ != nullptr && !piece.empty()) listener_->OnText(piece);
    } else if (type == "response.output_item.done") {
      if (const Json* item = JsonMember(*event, "item"); item != nullptr && item->is_object()) {
        OnItem(*event, *item);
      }
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed") {
      return OnEnd(*event);
    }  // progress of items, and what may be added
    return absl::OkStatus();
  }

  void OnItem(const Json& event, const Json& item) {
    int64_t index = JsonInt(event, "output_index").value_or(-1);
    if (index < 0) index = items_.empty() ? 0 : items_.rbegin()->first + 1;
    items_[index] = item;
  }

  absl::Status OnEnd(const Json& event) {
    const Json* response = JsonMember(event, "response");
    if (response == nullptr || !response->is_object())
      return WrongAnswer("it ends without response");
    status_ = JsonString(*response, "status").value_or("");
    if (status_ == "failed") {
      const Json* error = JsonMember(*response, "error");
      return StreamErrorStatus(endpoint_,
                               error == nullptr || error->is_null() ? *response : *error);
    }
    if (const Json* details = JsonMember(*response, "incomplete_details")) {
      incomplete_ = JsonString(*details, "reason").value_or("");
    }
    if (const Json* usage = JsonMember(*response, "usage")) {
      usage_.input_tokens = std::max<int64_t>(JsonInt(*usage, "input_tokens").value_or(0), 0);
      usage_.output_tokens = std::max<int64_t>(JsonInt(*usage, "output_tokens").value_or(0), 0);
      usage_.cached_tokens = Nested(*usage, "input_tokens_details", "cached_tokens");
      cache_write_ = Nested(*usage, "input_tokens_details", "cache_write_tokens");
    }
    // Some servers send items only here.
    const Json* output = JsonMember(*response, "output");
    if (items_.empty() && output != nullptr && output->is_array()) {
      for (const Json& item : *output) {
        if (item.is_object()) OnItem(Json::object(), item);
      }
    }
    done_ = true;
    return absl::OkStatus();
  }

  void AddMessage(const Json& item, std::string* refusal, ModelReply* reply) const {
    const Json* content = JsonMember(item, "content");
    if (content == nullptr || !content->is_array()) return;
    for (const Json& part : *content) {
      reply->text += JsonString(part, "text").value_or("");
      *refusal += JsonString(part, "refusal").value_or("");
    }
  }

  ModelReply MakeReply() const {
    ModelReply reply;
    std::string refusal;
    Json kept = Json::array();
    for (const auto& [index, item] : items_) {
      const std::string type = JsonString(item, "type").value_or("");
      if (type == "message") AddMessage(item, &refusal, &reply);
      if (type == "function_call") {
        ToolCall call;
        call.id = JsonString(item, "call_id").value_or("");
        call.name = JsonString(item, "name").value_or("unnamed");
        SetArguments(JsonString(item, "arguments").value_or(""), &call);
        reply.tool_calls.push_back(std::move(call));
      }
      kept.push_back(item);
    }
    reply.usage = usage_;
    if (endpoint_.data.price) {
      reply.usage.cost_usd = CostUsd(*endpoint_.data.price, usage_, cache_write_);
    }
    if (incomplete_ == "max_output_tokens") {
      reply.finish_reason = FinishReason::kLength;
    } else if (incomplete_ == "content_filter") {
      reply.finish_reason = FinishReason::kContentFilter;
    } else if (reply.text.empty() && !refusal.empty()) {
      reply.text = refusal;
      reply.finish_reason = FinishReason::kRefusal;
    } else {
      reply.finish_reason =
          reply.tool_calls.empty() ? FinishReason::kStop : FinishReason::kToolCalls;
    }
    // A reply that was cut off cannot be sent back as it came.
    if (incomplete_.empty() && !kept.empty()) {
      reply.provider_data = {{"responses_items", std::move(kept)}};
    }
    MarkCutOffCalls(&reply);
    return reply;
  }

  const ProviderEndpoint& endpoint_;
  const std::string url_;
  ReplyListener* const listener_;
  SseReader events_;
  std::string excerpt_;            // the first bytes, for the message about a wrong answer
  std::map<int64_t, Json> items_;  // finished, by their index
  std::string status_;
  std::string incomplete_;  // why the reply is not whole
  Usage usage_;
  int64_t cache_write_ = 0;
  bool started_ = false;
  bool done_ = false;
};

class ResponsesRequest : public ProviderRequest {
 public:
  ResponsesRequest(const ProviderEndpoint& endpoint, const ModelRequest& request)
      : endpoint_(endpoint), request_(request) {}

  std::string Url() const override {
    if (endpoint_.provider != "azure") return EndpointUrl(endpoint_, "/responses");
    if (endpoint_.api_version.empty()) return EndpointUrl(endpoint_, "/openai/v1/responses");
    return EndpointUrl(endpoint_,
                       absl::StrCat("/openai/responses?api-version=", endpoint_.api_version));
  }

  Json Body(const RefusedParameters& refused) const override {
    const auto may = [&refused](const char* name) { return refused.count(name) == 0; };
    Json body = {{"model", endpoint_.model}, {"stream", true}, {"input", Input(refused)}};
    if (may("store")) body["store"] = false;
    if (!request_.messages.empty() && request_.messages[0].role == Role::kSystem) {
      body["instructions"] = request_.messages[0].text;
    }
    for (const ToolDefinition& tool : request_.tools) {
      // Without "strict" every parameter would have to be required.
      body["tools"].push_back({{"type", "function"},
                               {"name", ProviderToolName(tool.name)},
                               {"description", tool.description},
                               {"parameters", ParameterSchema(tool)},
                               {"strict", false}});
    }
    const bool reasons = endpoint_.data.model.empty() || endpoint_.data.reasons;
    if (reasons && may("include")) body["include"] = {"reasoning.encrypted_content"};
    const std::string effort = EffortWord(endpoint_);
    if (!effort.empty() && may("reasoning")) body["reasoning"] = {{"effort", effort}};
    if (request_.temperature >= 0 && may("temperature")) {
      body["temperature"] = request_.temperature;
    }
    if (request_.max_output_tokens > 0 && may("max_output_tokens")) {
      body["max_output_tokens"] = request_.max_output_tokens;
    }
    if (may("prompt_cache_key")) body["prompt_cache_key"] = PromptCacheKey(request_);
    return body;
  }

  const std::vector<std::string>& OptionalParameters() const override {
    static const auto* const names = new std::vector<std::string>{
        "temperature",      "reasoning", "include",    "max_output_tokens",
        "prompt_cache_key", "store",     "input_image"};
    return *names;
  }

  std::unique_ptr<ReplyReader> NewReader(ReplyListener* listener) const override {
    return std::make_unique<ResponsesReader>(endpoint_, Url(), listener);
  }

 private:
  static Json TextMessage(const char* role, const char* type, const std::string& text) {
    return {{"type", "message"},
            {"role", role},
            {"content", Json::array({{{"type", type}, {"text", text}}})}};
  }

  static void AddImages(const std::vector<ImageData>& images, Json* parts) {
    for (const ImageData& image : images) {
      parts->push_back(
          {{"type", "input_image"}, {"image_url", DataUrl(image)}, {"detail", "auto"}});
    }
  }

  void AddAssistant(const Message& message, Json* input) const {
    // Reasoning must not come back without what followed it.
    if (message.text.empty() && message.tool_calls.empty()) return;
    const Json* items = JsonMember(KeptData(message, endpoint_), "responses_items");
    if (items != nullptr && items->is_array()) {
      size_t calls = 0;
      for (Json item : *items) {
        if (!item.is_object()) continue;
        if (JsonString(item, "type") == "function_call" && calls < message.tool_calls.size()) {
          item["call_id"] = message.tool_calls[calls++].id;  // made unique since
        }
        input->push_back(std::move(item));
      }
      return;
    }
    if (!message.text.empty()) {
      input->push_back({{"role", "assistant"}, {"content", message.text}});
    }
    for (const ToolCall& call : message.tool_calls) {
      input->push_back({{"type", "function_call"},
                        {"call_id", call.id},
                        {"name", ProviderToolName(call.name)},
                        {"arguments", DumpJson(call.arguments)}});
    }
  }

  Json Input(const RefusedParameters& refused) const {
    Json input = Json::array();
    const bool may_show = refused.count("input_image") == 0;
    for (size_t i = 0; i < request_.messages.size(); ++i) {
      const Message& message = request_.messages[i];
      switch (message.role) {
        case Role::kSystem:
          if (i > 0) input.push_back(TextMessage("developer", "input_text", message.text));
          break;
        case Role::kUser: {
          Json item = TextMessage("user", "input_text", message.text);
          if (may_show) AddImages(message.images, &item["content"]);
          input.push_back(std::move(item));
          break;
        }
        case Role::kTool: {
          Json output = message.text;
          if (!message.images.empty() && may_show) {
            output = Json::array({{{"type", "input_text"}, {"text", message.text}}});
            AddImages(message.images, &output);
          }
          input.push_back({{"type", "function_call_output"},
                           {"call_id", message.tool_call_id},
                           {"output", std::move(output)}});
          break;
        }
        case Role::kAssistant:
          AddAssistant(message, &input);
          break;
      }
    }
    return input;
  }

  const ProviderEndpoint& endpoint_;
  const ModelRequest& request_;
};

}  // namespace

std::unique_ptr<ProviderRequest> NewOpenAiResponsesRequest(const ProviderEndpoint& endpoint,
                                                           const ModelRequest& request) {
  return std::make_unique<ResponsesRequest>(endpoint, request);
}

}  // namespace stile

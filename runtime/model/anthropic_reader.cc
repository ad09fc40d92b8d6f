#include "runtime/model/anthropic_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr size_t kExcerptBytes = 400;

FinishReason ReasonOf(const std::string& stop_reason, bool has_calls) {
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return FinishReason::kLength;
  }
  if (stop_reason == "refusal") return FinishReason::kRefusal;
  return has_calls ? FinishReason::kToolCalls : FinishReason::kStop;
}

bool IsBlank(const Json& block) {
  return JsonString(block, "type") == "text" &&
         absl::StripAsciiWhitespace(JsonString(block, "text").value_or("")).empty();
}

}  // namespace

AnthropicReader::AnthropicReader(const ProviderEndpoint& endpoint, std::string url,
                                 ReplyListener* listener)
    : endpoint_(endpoint),
      url_(std::move(url)),
      listener_(listener),
      events_([this](const SseEvent& event) { return OnEvent(event.data); }) {}

absl::Status AnthropicReader::Push(absl::string_view bytes) {
  if (excerpt_.size() < kExcerptBytes) {
    const absl::string_view first = bytes.substr(0, kExcerptBytes);
    excerpt_.append(first.data(), first.size());
  }
  return events_.Push(bytes);
}

absl::Status AnthropicReader::OnEvent(absl::string_view data) {
  const auto event = ParseWireJson(data);
  if (!event.ok()) {
    return absl::DataLossError(absl::StrCat("anthropic sent an event that is no JSON: ",
                                            ErrorMessage(endpoint_, data.substr(0, 1000))));
  }
  const std::string type = JsonString(*event, "type").value_or("");
  if (type == "error") {
    const Json* error = JsonMember(*event, "error");
    return StreamErrorStatus(endpoint_, error == nullptr ? *event : *error);
  }
  const int64_t index = JsonInt(*event, "index").value_or(0);
  if (type == "message_start") {
    started_ = true;
    if (const Json* message = JsonMember(*event, "message")) {
      if (const Json* usage = JsonMember(*message, "usage")) OnUsage(*usage);
    }
  } else if (type == "content_block_start") {
    const Json* content = JsonMember(*event, "content_block");
    if (content != nullptr && content->is_object()) blocks_[index].content = *content;
  } else if (type == "content_block_delta") {
    const auto block = blocks_.find(index);
    const Json* delta = JsonMember(*event, "delta");
    if (block != blocks_.end() && delta != nullptr) OnDelta(&block->second, *delta);
  } else if (type == "content_block_stop") {
    const auto block = blocks_.find(index);
    if (block != blocks_.end()) block->second.stopped = true;
  } else if (type == "message_delta") {
    if (const Json* delta = JsonMember(*event, "delta")) {
      stop_reason_ = JsonString(*delta, "stop_reason").value_or(stop_reason_);
    }
    if (const Json* usage = JsonMember(*event, "usage")) OnUsage(*usage);
  } else if (type == "message_stop") {
    stopped_ = true;
  }  // ping, and whatever may be added
  return absl::OkStatus();
}

void AnthropicReader::AppendTo(Block* block, const char* key, const std::string& text) {
  block->content[key] = JsonString(block->content, key).value_or("") + text;
}

void AnthropicReader::OnDelta(Block* block, const Json& delta) {
  const std::string type = JsonString(delta, "type").value_or("");
  if (type == "text_delta") {
    const std::string text = JsonString(delta, "text").value_or("");
    AppendTo(block, "text", text);
    if (listener_ != nullptr && !text.empty()) listener_->OnText(text);
  } else if (type == "input_json_delta") {
    block->input += JsonString(delta, "partial_json").value_or("");
  } else if (type == "thinking_delta") {
    AppendTo(block, "thinking", JsonString(delta, "thinking").value_or(""));
  } else if (type == "signature_delta") {
    AppendTo(block, "signature", JsonString(delta, "signature").value_or(""));
  } else if (type == "citations_delta") {
    if (const Json* citation = JsonMember(delta, "citation")) {
      Json& citations = block->content["citations"];
      if (!citations.is_array()) citations = Json::array();
      citations.push_back(*citation);
    }
  }
}

void AnthropicReader::OnUsage(const Json& usage) {
  // Cumulative: a later figure replaces an earlier one.
  const auto take = [&usage](absl::string_view key, int64_t* count) {
    if (const auto value = JsonInt(usage, key)) *count = std::max<int64_t>(*value, 0);
  };
  take("input_tokens", &plain_input_);
  take("cache_read_input_tokens", &cache_read_);
  take("cache_creation_input_tokens", &cache_write_);
  take("output_tokens", &output_);
}

ToolCall AnthropicReader::MakeCall(Block* block) const {
  ToolCall call;
  call.id = JsonString(block->content, "id").value_or("");
  call.name = JsonString(block->content, "name").value_or("unnamed");
  const Json* given = JsonMember(block->content, "input");
  if (!block->input.empty() || given == nullptr || !given->is_object()) {
    SetArguments(block->input, &call);
  } else {
    call.arguments = *given;
  }
  return call;
}

absl::StatusOr<ModelReply> AnthropicReader::Finish() {
  STILE_RETURN_IF_ERROR(events_.Finish());
  if (!started_ && blocks_.empty()) {
    return absl::DataLossError(
        absl::StrCat(PrintableUrl(url_), " did not answer like Anthropic Messages: ",
                     excerpt_.empty() ? "the answer is empty" : ErrorMessage(endpoint_, excerpt_)));
  }
  if (!whole()) {
    return absl::UnavailableError("anthropic: the stream ended before the reply was complete");
  }
  ModelReply reply;
  Json content = Json::array();
  for (auto& [index, block] : blocks_) {
    const std::string type = JsonString(block.content, "type").value_or("");
    if (type == "text") reply.text += JsonString(block.content, "text").value_or("");
    if (type == "tool_use") {
      reply.tool_calls.push_back(MakeCall(&block));
      block.content["input"] = reply.tool_calls.back().arguments;
    } else if (!block.input.empty()) {  // a tool that the provider runs itself
      const auto input = ParseWireJson(block.input);
      if (input.ok()) block.content["input"] = *input;
    }
    if (!IsBlank(block.content)) content.push_back(block.content);
  }
  reply.usage.input_tokens = plain_input_ + cache_read_ + cache_write_;
  reply.usage.cached_tokens = cache_read_;
  reply.usage.output_tokens = output_;
  if (endpoint_.data.price) {
    reply.usage.cost_usd = CostUsd(*endpoint_.data.price, reply.usage, cache_write_);
  }
  reply.finish_reason = ReasonOf(stop_reason_, !reply.tool_calls.empty());
  reply.provider_data = {{"anthropic_content", std::move(content)}, {"stop_reason", stop_reason_}};
  MarkCutOffCalls(&reply);
  return reply;
}

}  // namespace stile

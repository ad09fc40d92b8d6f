#include "runtime/model/gemini_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr size_t kExcerptBytes = 400;

// Ends of a reply that a filter made: its text, if any, is no answer.
bool IsFiltered(absl::string_view reason) {
  for (const absl::string_view name : {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT",
                                       "SPII", "LANGUAGE", "IMAGE_SAFETY", "OTHER"}) {
    if (reason == name) return true;
  }
  return false;
}

int64_t Count(const Json& usage, absl::string_view key) {
  return std::max<int64_t>(JsonInt(usage, key).value_or(0), 0);
}

}  // namespace

GeminiReader::GeminiReader(const ProviderEndpoint& endpoint, std::string url,
                           ReplyListener* listener)
    : endpoint_(endpoint),
      url_(std::move(url)),
      listener_(listener),
      events_([this](const SseEvent& event) { return OnData(event.data); }) {}

absl::Status GeminiReader::Push(absl::string_view bytes) {
  if (excerpt_.size() < kExcerptBytes) absl::StrAppend(&excerpt_, bytes.substr(0, kExcerptBytes));
  return events_.Push(bytes);
}

absl::Status GeminiReader::WrongAnswer(absl::string_view why) const {
  return absl::DataLossError(absl::StrCat(PrintableUrl(url_), " did not answer like Gemini (", why,
                                          "): ", ErrorMessage(endpoint_, excerpt_)));
}

absl::Status GeminiReader::OnData(absl::string_view data) {
  const auto event = ParseWireJson(data);
  if (!event.ok() || !event->is_object()) return WrongAnswer("an event is no JSON object");
  if (const Json* error = JsonMember(*event, "error")) return StreamErrorStatus(endpoint_, *error);
  any_event_ = true;
  if (const Json* feedback = JsonMember(*event, "promptFeedback")) {
    block_reason_ = JsonString(*feedback, "blockReason").value_or(block_reason_);
  }
  if (const Json* usage = JsonMember(*event, "usageMetadata")) OnUsage(*usage);
  const Json* candidates = JsonMember(*event, "candidates");
  if (candidates == nullptr || !candidates->is_array() || candidates->empty()) {
    return absl::OkStatus();
  }
  const Json& candidate = candidates->front();
  if (const Json* content = JsonMember(candidate, "content")) {
    if (const Json* parts = JsonMember(*content, "parts"); parts && parts->is_array()) {
      for (const Json& part : *parts) {
        if (part.is_object()) OnPart(part);
      }
    }
  }
  finish_reason_ = JsonString(candidate, "finishReason").value_or(finish_reason_);
  finish_message_ = JsonString(candidate, "finishMessage").value_or(finish_message_);
  return absl::OkStatus();
}

void GeminiReader::OnPart(const Json& part) {
  const std::string text = JsonString(part, "text").value_or("");
  const bool is_thought = JsonBool(part, "thought").value_or(false);
  if (!text.empty() && !is_thought) {
    text_ += text;
    if (listener_ != nullptr) listener_->OnText(text);
  }
  const auto is_plain = [](const Json& json) {
    return JsonString(json, "text").has_value() && JsonMember(json, "thoughtSignature") == nullptr;
  };
  if (!parts_.empty() && is_plain(part) && is_plain(parts_.back()) &&
      JsonBool(parts_.back(), "thought").value_or(false) == is_thought) {
    parts_.back()["text"] = *JsonString(parts_.back(), "text") + text;
  } else {
    parts_.push_back(part);
  }
}

void GeminiReader::OnUsage(const Json& usage) {
  usage_.input_tokens = Count(usage, "promptTokenCount") + Count(usage, "toolUsePromptTokenCount");
  usage_.output_tokens = Count(usage, "candidatesTokenCount") + Count(usage, "thoughtsTokenCount");
  usage_.cached_tokens = Count(usage, "cachedContentTokenCount");
}

absl::StatusOr<ModelReply> GeminiReader::Finish() {
  STILE_RETURN_IF_ERROR(events_.Finish());
  if (!any_event_) return WrongAnswer(excerpt_.empty() ? "the answer is empty" : "no event came");
  if (!whole()) {
    return absl::UnavailableError("gemini: the stream ended before the reply was complete");
  }
  ModelReply reply;
  reply.text = text_;
  for (const Json& part : parts_) {
    const Json* function = JsonMember(part, "functionCall");
    if (function == nullptr) continue;
    ToolCall call;
    call.id = JsonString(*function, "id").value_or("");
    call.name = JsonString(*function, "name").value_or("unnamed");
    const Json* arguments = JsonMember(*function, "args");
    SetArguments(arguments == nullptr ? "" : DumpJson(*arguments), &call);
    reply.tool_calls.push_back(std::move(call));
  }
  reply.usage = usage_;
  if (endpoint_.data.price) reply.usage.cost_usd = CostUsd(*endpoint_.data.price, usage_, 0);
  if (!block_reason_.empty() || IsFiltered(finish_reason_)) {
    reply.finish_reason = FinishReason::kContentFilter;
    if (reply.text.empty()) {
      reply.text = absl::StrCat(block_reason_.empty() ? finish_reason_ : block_reason_,
                                finish_message_.empty() ? "" : ": ", finish_message_);
    }
  } else if (finish_reason_ == "MAX_TOKENS") {
    reply.finish_reason = FinishReason::kLength;
  } else {
    reply.finish_reason = reply.tool_calls.empty() ? FinishReason::kStop : FinishReason::kToolCalls;
  }
  if (reply.tool_calls.empty() && (absl::StrContains(finish_reason_, "FUNCTION_CALL") ||
                                   absl::StrContains(finish_reason_, "TOOL_CALL"))) {
    reply.unparsable = absl::StrCat("Your tool call could not be read (", finish_reason_,
                                    finish_message_.empty() ? "" : ": ", finish_message_,
                                    "). Call a tool that you have, with valid JSON arguments.");
  }
  if (!parts_.empty()) reply.provider_data = {{"gemini_parts", parts_}};
  MarkCutOffCalls(&reply);
  return reply;
}

}  // namespace stile

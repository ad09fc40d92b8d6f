// Chat Completions as it is spoken in the wild. Beyond the specification this reads: answers that
// do not stream though asked to; tool calls without an index, all with index 0 (another id begins
// another call) or with an empty id; arguments as an object instead of text; content as a list of
// parts; a missing usage; finish_reason "stop" or "function_call" beside tool calls; a stream that
// ends without [DONE].
#include "runtime/model/openai_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

// The text of a "content" member: a string, or a list of {"type":"text","text"} parts.
std::string ContentText(const Json& message) {
  const Json* content = JsonMember(message, "content");
  if (content == nullptr) return "";
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  if (content->is_array()) {
    for (const Json& part : *content) {
      absl::StrAppend(&text, JsonString(part, "text").value_or(""));
    }
  }
  return text;
}

int64_t Nested(const Json& json, absl::string_view outer, absl::string_view inner) {
  const Json* member = JsonMember(json, outer);
  return member == nullptr ? 0 : JsonInt(*member, inner).value_or(0);
}

FinishReason ReasonOf(const std::string& name, bool has_calls) {
  if (name == "length" || name == "max_tokens") return FinishReason::kLength;
  if (name == "content_filter" || name == "refusal") return FinishReason::kContentFilter;
  return has_calls ? FinishReason::kToolCalls : FinishReason::kStop;
}

}  // namespace

OpenAiReader::OpenAiReader(const ProviderEndpoint& endpoint, std::string url,
                           ReplyListener* listener)
    : endpoint_(endpoint),
      url_(std::move(url)),
      listener_(listener),
      events_([this](const SseEvent& event) { return OnData(event.data); }) {}

absl::Status OpenAiReader::Push(absl::string_view bytes) {
  if (shape_ == Shape::kUnknown) {
    const absl::string_view seen = absl::StripLeadingAsciiWhitespace(bytes);
    if (seen.empty()) return absl::OkStatus();
    shape_ = seen[0] == '{' ? Shape::kPlain : Shape::kEvents;
  }
  if (shape_ == Shape::kEvents) {
    if (plain_.size() < 400) plain_.append(bytes.data(), std::min<size_t>(bytes.size(), 400));
    return events_.Push(bytes);
  }
  plain_.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status OpenAiReader::OnData(absl::string_view data) {
  if (done_) return absl::OkStatus();
  if (absl::StripAsciiWhitespace(data) == "[DONE]") {
    done_ = true;
    return absl::OkStatus();
  }
  const auto chunk = ParseWireJson(data);
  if (!chunk.ok()) return WrongAnswer(chunk.status().message(), data);
  return OnChunk(*chunk);
}

absl::Status OpenAiReader::OnChunk(const Json& chunk) {
  if (const Json* error = JsonMember(chunk, "error"); error != nullptr && !error->is_null()) {
    return StreamErrorStatus(endpoint_, *error);
  }
  if (!chunk.is_object()) return WrongAnswer("an object was expected", DumpJson(chunk));
  any_chunk_ = true;
  if (const Json* usage = JsonMember(chunk, "usage"); usage != nullptr) OnUsage(*usage);
  const Json* choices = JsonMember(chunk, "choices");
  if (choices == nullptr || !choices->is_array() || choices->empty()) return absl::OkStatus();
  const Json& choice = choices->front();
  if (const Json* delta = JsonMember(choice, "delta")) {
    STILE_RETURN_IF_ERROR(OnMessage(*delta, false));
  } else if (const Json* message = JsonMember(choice, "message")) {
    STILE_RETURN_IF_ERROR(OnMessage(*message, true));
  }
  if (const auto reason = JsonString(choice, "finish_reason"); reason && !reason->empty()) {
    finish_reason_ = *reason;
  }
  return absl::OkStatus();
}

absl::Status OpenAiReader::OnMessage(const Json& message, bool whole) {
  const std::string text = ContentText(message);
  if (!text.empty()) {
    text_ += text;
    if (listener_ != nullptr) listener_->OnText(text);
  }
  OnReasoning(message);
  refusal_ += JsonString(message, "refusal").value_or("");
  if (const Json* calls = JsonMember(message, "tool_calls"); calls && calls->is_array()) {
    int64_t position = 0;
    for (const Json& piece : *calls) OnToolCall(piece, position++, whole);
  }
  return absl::OkStatus();
}

// What the model thought, under the names that its servers use and want it back by.
void OpenAiReader::OnReasoning(const Json& message) {
  for (const char* name : {"reasoning_content", "reasoning"}) {
    if (const auto piece = JsonString(message, name)) reasoning_[name] += *piece;
  }
  const Json* details = JsonMember(message, "reasoning_details");
  if (details == nullptr || !details->is_array()) return;
  if (!reasoning_details_.is_array()) reasoning_details_ = Json::array();
  for (const Json& piece : *details) {
    if (!piece.is_object()) continue;
    Json* last = reasoning_details_.empty() ? nullptr : &reasoning_details_.back();
    const bool continues = last != nullptr &&
                           JsonString(*last, "type") == JsonString(piece, "type") &&
                           JsonInt(*last, "index") == JsonInt(piece, "index");
    if (!continues) {
      reasoning_details_.push_back(piece);
      continue;
    }
    for (const auto& [key, value] : piece.items()) {
      const bool grows = key == "text" || key == "summary" || key == "data";
      if (grows && value.is_string()) {
        (*last)[key] = JsonString(*last, key).value_or("") + value.get<std::string>();
      } else if (!value.is_null()) {
        (*last)[key] = value;
      }
    }
  }
}

void OpenAiReader::OnToolCall(const Json& piece, int64_t position, bool whole) {
  const std::string id = JsonString(piece, "id").value_or("");
  const Json* function = JsonMember(piece, "function");
  const std::string name = function == nullptr ? "" : JsonString(*function, "name").value_or("");
  int64_t index = whole ? position : JsonInt(piece, "index").value_or(-1);
  if (index < 0) index = calls_.empty() ? 0 : calls_.rbegin()->first;
  if (const auto known = calls_.find(index); known != calls_.end()) {
    const Call& call = known->second;
    const bool other_id = !id.empty() && !call.id.empty() && call.id != id;
    const bool other_name =
        id.empty() && call.id.empty() && !name.empty() && !call.arguments.empty();
    if (other_id || other_name) index = calls_.rbegin()->first + 1;
  }
  Call& call = calls_[index];
  if (call.id.empty()) call.id = id;
  if (const Json* extra = JsonMember(piece, "extra_content")) call.extra = *extra;
  if (function == nullptr) return;
  // Some servers repeat the whole name with every piece.
  if (call.name != name) call.name += name;
  if (const Json* arguments = JsonMember(*function, "arguments")) {
    if (arguments->is_string()) {
      call.arguments += arguments->get<std::string>();
    } else if (!arguments->is_null()) {
      call.arguments = DumpJson(*arguments);
    }
  }
}

void OpenAiReader::OnUsage(const Json& usage) {
  if (!usage.is_object()) return;
  const auto count = [&usage](absl::string_view key) {
    return std::max<int64_t>(JsonInt(usage, key).value_or(0), 0);
  };
  usage_.input_tokens = count("prompt_tokens");
  usage_.output_tokens = count("completion_tokens");
  usage_.cached_tokens = Nested(usage, "prompt_tokens_details", "cached_tokens");
  if (const auto hits = JsonInt(usage, "prompt_cache_hit_tokens")) {  // DeepSeek
    usage_.cached_tokens = std::max<int64_t>(*hits, 0);
  }
  cache_write_ = std::max<int64_t>(Nested(usage, "prompt_tokens_details", "cache_write_tokens"), 0);
  usage_.cost_usd = std::max(JsonNumber(usage, "cost").value_or(0), 0.0);  // OpenRouter
}

absl::Status OpenAiReader::WrongAnswer(absl::string_view why, absl::string_view text) const {
  return absl::DataLossError(absl::StrCat(PrintableUrl(url_),
                                          " did not answer like a Chat Completions server (", why,
                                          "): ", ErrorMessage(endpoint_, text.substr(0, 1000))));
}

Json OpenAiReader::ProviderData() const {
  Json data;
  for (const auto& [index, pieces] : calls_) {
    Json kept = {{"arguments", pieces.arguments}};
    if (!pieces.extra.is_null()) kept["extra_content"] = pieces.extra;
    data["openai_calls"].push_back(std::move(kept));
  }
  for (const auto& [name, text] : reasoning_) data[name] = text;
  if (!reasoning_details_.is_null()) data["reasoning_details"] = reasoning_details_;
  return data;
}

absl::StatusOr<ModelReply> OpenAiReader::Finish() {
  if (shape_ == Shape::kPlain) {
    STILE_RETURN_IF_ERROR(OnData(plain_));
  } else {
    STILE_RETURN_IF_ERROR(events_.Finish());
  }
  if (!any_chunk_ && !done_) {
    return WrongAnswer(plain_.empty() ? "the answer is empty" : "no event came", plain_);
  }
  if (finish_reason_.empty() && !done_ && shape_ != Shape::kPlain) {
    return absl::UnavailableError(
        absl::StrCat(endpoint_.provider, ": the stream ended before the reply was complete"));
  }
  done_ = true;
  ModelReply reply;
  reply.text = text_.empty() ? refusal_ : text_;
  reply.usage = usage_;
  if (reply.usage.cost_usd == 0 && endpoint_.data.price) {
    reply.usage.cost_usd = CostUsd(*endpoint_.data.price, usage_, cache_write_);
  }
  for (const auto& [index, pieces] : calls_) {
    ToolCall call;
    call.id = pieces.id;
    call.name = pieces.name.empty() ? "unnamed" : pieces.name;
    SetArguments(pieces.arguments, &call);
    reply.tool_calls.push_back(std::move(call));
  }
  reply.provider_data = ProviderData();
  for (size_t i = 0; i < reply.tool_calls.size(); ++i) {
    if (!reply.tool_calls[i].malformed.empty()) {
      reply.provider_data["openai_calls"][i]["arguments"] = "{}";
    }
  }
  reply.finish_reason = text_.empty() && !refusal_.empty()
                            ? FinishReason::kRefusal
                            : ReasonOf(finish_reason_, !reply.tool_calls.empty());
  MarkCutOffCalls(&reply);
  return reply;
}

}  // namespace stile

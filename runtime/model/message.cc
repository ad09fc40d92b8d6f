#include "runtime/model/message.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

// The text member `key`, "" when absent; anything else than text is an error.
absl::StatusOr<std::string> TextMember(const Json& json, absl::string_view key) {
  const Json* member = JsonMember(json, key);
  if (member == nullptr || member->is_null()) return std::string();
  if (!member->is_string()) return Wrong(absl::StrCat("\"", key, "\" must be a string"));
  return member->get<std::string>();
}

absl::StatusOr<int64_t> CountMember(const Json& json, absl::string_view key) {
  const Json* member = JsonMember(json, key);
  if (member == nullptr || member->is_null()) return 0;
  const std::optional<int64_t> count = JsonInt(json, key);
  if (!count || *count < 0) {
    return Wrong(absl::StrCat("\"usage.", key, "\" must be a whole number, 0 or more"));
  }
  return *count;
}

}  // namespace

absl::StatusOr<Usage> UsageFromJson(const Json& json) {
  Usage usage;
  if (!json.is_object()) return Wrong("\"usage\" must be an object");
  STILE_ASSIGN_OR_RETURN(usage.input_tokens, CountMember(json, "input_tokens"));
  STILE_ASSIGN_OR_RETURN(usage.output_tokens, CountMember(json, "output_tokens"));
  STILE_ASSIGN_OR_RETURN(usage.cached_tokens, CountMember(json, "cached_tokens"));
  usage.cost_usd = JsonNumber(json, "cost_usd").value_or(0);
  return usage;
}

namespace {

absl::StatusOr<ToolCall> ToolCallFromJson(const Json& json) {
  if (!json.is_object()) return Wrong("must be an object");
  ToolCall call;
  STILE_ASSIGN_OR_RETURN(call.id, TextMember(json, "id"));
  STILE_ASSIGN_OR_RETURN(call.name, TextMember(json, "name"));
  if (call.name.empty()) return Wrong("needs a \"name\"");
  if (const Json* arguments = JsonMember(json, "arguments")) {
    if (arguments->is_string()) {
      SetArguments(arguments->get<std::string>(), &call);
    } else if (arguments->is_object()) {
      call.arguments = *arguments;
    } else {
      return Wrong("\"arguments\" must be an object");
    }
  }
  STILE_ASSIGN_OR_RETURN(std::string malformed, TextMember(json, "malformed"));
  if (!malformed.empty()) call.malformed = std::move(malformed);
  return call;
}

absl::StatusOr<FinishReason> FinishReasonFromName(absl::string_view name) {
  for (const FinishReason reason :
       {FinishReason::kStop, FinishReason::kToolCalls, FinishReason::kLength,
        FinishReason::kContentFilter, FinishReason::kRefusal}) {
    if (FinishReasonName(reason) == name) return reason;
  }
  return Wrong(absl::StrCat("unknown \"finish_reason\" \"", name,
                            "\" (stop, tool_calls, length, content_filter or refusal)"));
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  input_tokens += other.input_tokens;
  output_tokens += other.output_tokens;
  cached_tokens += other.cached_tokens;
  cost_usd += other.cost_usd;
  return *this;
}

absl::string_view FinishReasonName(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kToolCalls:
      return "tool_calls";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kContentFilter:
      return "content_filter";
    case FinishReason::kRefusal:
      return "refusal";
  }
  return "stop";
}

bool IsUnusable(const ModelReply& reply) {
  const bool is_whole =
      reply.finish_reason == FinishReason::kStop || reply.finish_reason == FinishReason::kToolCalls;
  const bool says_nothing = absl::StripAsciiWhitespace(reply.text).empty();
  return !reply.unparsable.empty() || (reply.tool_calls.empty() && (!is_whole || says_nothing));
}

Message ToMessage(const ModelReply& reply) {
  Message message;
  message.role = Role::kAssistant;
  message.text = reply.text;
  message.tool_calls = reply.tool_calls;
  message.provider_data = reply.provider_data;
  return message;
}

Json ToJson(const Usage& usage) {
  return {{"input_tokens", usage.input_tokens},
          {"output_tokens", usage.output_tokens},
          {"cached_tokens", usage.cached_tokens},
          {"cost_usd", usage.cost_usd}};
}

Json ToJson(const ModelReply& reply) {
  Json json = {{"text", reply.text},
               {"tool_calls", Json::array()},
               {"usage", ToJson(reply.usage)},
               {"finish_reason", std::string(FinishReasonName(reply.finish_reason))}};
  for (const ToolCall& call : reply.tool_calls) json["tool_calls"].push_back(ToolCallToJson(call));
  if (!reply.provider_data.is_null()) json["provider_data"] = reply.provider_data;
  if (!reply.unparsable.empty()) json["unparsable"] = reply.unparsable;
  return json;
}

absl::StatusOr<ModelReply> ModelReplyFromJson(const Json& json) {
  if (!json.is_object()) return Wrong("a model reply must be a JSON object");
  const Json* calls = JsonMember(json, "tool_calls");
  if (calls == nullptr && JsonMember(json, "text") == nullptr) {
    return Wrong("a model reply needs \"text\" or \"tool_calls\"");
  }
  ModelReply reply;
  STILE_ASSIGN_OR_RETURN(reply.text, TextMember(json, "text"));
  if (calls != nullptr && !calls->is_null()) {
    if (!calls->is_array()) return Wrong("\"tool_calls\" must be an array");
    for (const Json& item : *calls) {
      auto call = ToolCallFromJson(item);
      if (!call.ok()) {
        return WithContext(call.status(),
                           absl::StrCat("\"tool_calls[", reply.tool_calls.size(), "]\""));
      }
      reply.tool_calls.push_back(*std::move(call));
    }
  }
  if (const Json* usage = JsonMember(json, "usage"); usage != nullptr && !usage->is_null()) {
    STILE_ASSIGN_OR_RETURN(reply.usage, UsageFromJson(*usage));
  }
  STILE_ASSIGN_OR_RETURN(const std::string reason, TextMember(json, "finish_reason"));
  if (reason.empty()) {
    reply.finish_reason = reply.tool_calls.empty() ? FinishReason::kStop : FinishReason::kToolCalls;
  } else {
    STILE_ASSIGN_OR_RETURN(reply.finish_reason, FinishReasonFromName(reason));
  }
  if (const Json* data = JsonMember(json, "provider_data")) reply.provider_data = *data;
  STILE_ASSIGN_OR_RETURN(reply.unparsable, TextMember(json, "unparsable"));
  return reply;
}

}  // namespace stile

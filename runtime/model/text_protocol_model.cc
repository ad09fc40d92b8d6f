#include "runtime/model/text_protocol_model.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/model/text_tool_calls.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

std::string TypeName(const Json& schema) {
  if (const Json* values = JsonMember(schema, "enum"); values && values->is_array()) {
    std::vector<std::string> names;
    for (const Json& value : *values) names.push_back(DumpJson(value));
    return absl::StrJoin(names, "|");
  }
  const std::string type = JsonString(schema, "type").value_or("any");
  if (type == "array") {
    const Json* items = JsonMember(schema, "items");
    return absl::StrCat("[", items == nullptr ? "any" : TypeName(*items), "]");
  }
  return type;
}

// One line: - file.read {"path": string, "startLine"?: integer} – what it does
std::string ToolLine(const ToolDefinition& tool) {
  std::set<std::string> required;
  if (const Json* names = JsonMember(tool.parameters, "required"); names && names->is_array()) {
    for (const Json& name : *names) {
      if (name.is_string()) required.insert(name.get<std::string>());
    }
  }
  std::vector<std::string> parameters;
  std::string notes;
  if (const Json* properties = JsonMember(tool.parameters, "properties");
      properties != nullptr && properties->is_object()) {
    for (const auto& [name, schema] : properties->items()) {
      parameters.push_back(absl::StrCat("\"", name, "\"", required.count(name) > 0 ? "" : "?", ": ",
                                        TypeName(schema)));
      if (const auto note = JsonString(schema, "description")) {
        absl::StrAppend(&notes, "\n    ", name, ": ", *note);
      }
    }
  }
  return absl::StrCat("- ", tool.name, " {", absl::StrJoin(parameters, ", "), "} – ",
                      tool.description, notes, "\n");
}

std::string ToolSection(const std::vector<ToolDefinition>& tools, TextForm form) {
  std::string text = "You have these tools (\"?\" marks what may be left out):\n";
  for (const ToolDefinition& tool : tools) text += ToolLine(tool);
  return absl::StrCat(text, "\n", TextFormInstructions(form));
}

// A call that was not read from text: from before a fallback, or from a cassette.
std::string CallText(const ToolCall& call, TextForm form) {
  if (form == TextForm::kJson) {
    return DumpJson({{"action", call.name}, {"action_input", call.arguments}});
  }
  return absl::StrCat("Action: ", call.name, "\nAction Input: ", DumpJson(call.arguments));
}

std::string AssistantText(const Message& message, TextForm form) {
  if (const auto raw = JsonString(message.provider_data, "text_reply")) return *raw;
  std::string text = message.text;
  for (const ToolCall& call : message.tool_calls) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", CallText(call, form));
  }
  return text;
}

ModelRequest Render(const ModelRequest& request, TextForm form) {
  ModelRequest rendered;
  rendered.temperature = request.temperature;
  rendered.max_output_tokens = request.max_output_tokens;
  rendered.ends_at = request.ends_at;
  Message system;
  system.role = Role::kSystem;
  system.text = ToolSection(request.tools, form);
  size_t first = 0;
  if (!request.messages.empty() && request.messages[0].role == Role::kSystem) {
    system.text = absl::StrCat(request.messages[0].text, "\n\n", system.text);
    first = 1;
  }
  if (!request.tools.empty() || first == 1) rendered.messages.push_back(std::move(system));
  bool after_tool = false;
  for (size_t i = first; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    Message plain;
    plain.role = message.role;
    plain.text = message.text;
    if (message.role == Role::kAssistant) plain.text = AssistantText(message, form);
    if (message.role == Role::kTool) {
      plain.role = Role::kUser;
      plain.text = absl::StrCat("Observation: ", message.text);
    }
    const bool is_tool = message.role == Role::kTool;
    if (is_tool && std::exchange(after_tool, is_tool)) {
      absl::StrAppend(&rendered.messages.back().text, "\n\n", plain.text);
      continue;
    }
    after_tool = is_tool;
    rendered.messages.push_back(std::move(plain));
  }
  return rendered;
}

class TextProtocolModel : public ChatModel {
 public:
  TextProtocolModel(std::unique_ptr<ChatModel> inner, TextProtocolOptions options)
      : inner_(std::move(inner)), options_(options), info_(inner_->info()) {
    info_.native_tools = options_.native_first && info_.native_tools;
  }

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    if (info_.native_tools) {
      auto reply = inner_->Complete(request, listener, cancellation);
      if (reply.ok()) {
        ReadCallsInText(request, &*reply);
        return reply;
      }
      if (inner_->info().native_tools) return reply;
      info_.native_tools = false;
    }
    STILE_ASSIGN_OR_RETURN(
        ModelReply reply,
        inner_->Complete(options_.render_request ? Render(request, options_.form) : request,
                         listener, cancellation));
    if (reply.tool_calls.empty() && reply.finish_reason != FinishReason::kContentFilter &&
        reply.finish_reason != FinishReason::kRefusal) {
      Read(&reply);
    }
    MakeCallIdsUnique(request, &reply);
    return reply;
  }

 private:
  // Some servers leave it to their clients to find the calls in what the model wrote.
  static void ReadCallsInText(const ModelRequest& request, ModelReply* reply) {
    if (!reply->tool_calls.empty() || reply->finish_reason != FinishReason::kStop) return;
    std::optional<TextToolCalls> read = ReadTextToolCalls(reply->text, request.tools);
    if (!read) return;
    reply->unparsable = std::move(read->unparsable);
    if (!reply->unparsable.empty()) return;
    reply->text = std::move(read->text);
    reply->tool_calls = std::move(read->calls);
    reply->finish_reason = FinishReason::kToolCalls;
    reply->provider_data = Json();  // it does not know of the calls
    MakeCallIdsUnique(request, reply);
  }

  void Read(ModelReply* reply) const {
    TextReply read =
        ParseTextReply(reply->text, options_.form, reply->finish_reason == FinishReason::kLength);
    reply->unparsable = std::move(read.unparsable);
    if (!reply->unparsable.empty()) return;
    reply->provider_data = {{"text_reply", std::move(read.kept)}};
    reply->text = std::move(read.thought);
    reply->tool_calls = std::move(read.calls);
    reply->finish_reason = FinishReason::kToolCalls;
  }

  const std::unique_ptr<ChatModel> inner_;
  const TextProtocolOptions options_;
  ModelInfo info_;
};

}  // namespace

std::unique_ptr<ChatModel> NewTextProtocolModel(std::unique_ptr<ChatModel> inner,
                                                TextProtocolOptions options) {
  return std::make_unique<TextProtocolModel>(std::move(inner), options);
}

}  // namespace stile

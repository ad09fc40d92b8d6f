#include "runtime/model/gemini_model.h"

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/model/gemini_reader.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

// Stands for the signature of a call that this model did not make; the guide to thought signatures
// names it.
constexpr char kNoSignature[] = "skip_thought_signature_validator";

// Models before the third generation take a number of tokens to think.
bool TakesBudget(absl::string_view model) {
  return absl::StrContains(model, "gemini-1") || absl::StrContains(model, "gemini-2");
}

class GeminiRequest : public ProviderRequest {
 public:
  GeminiRequest(const ProviderEndpoint& endpoint, const ModelRequest& request)
      : endpoint_(endpoint), request_(request) {}

  std::string Url() const override {
    return EndpointUrl(endpoint_,
                       absl::StrCat("/models/", endpoint_.model, ":streamGenerateContent?alt=sse"));
  }

  Json Body(const RefusedParameters& refused) const override {
    const auto may = [&refused](const char* name) { return refused.count(name) == 0; };
    Json body = {{"contents", Contents(may("inlineData"))}};
    if (!request_.messages.empty() && request_.messages[0].role == Role::kSystem &&
        !request_.messages[0].text.empty()) {
      body["systemInstruction"] = {{"parts", {{{"text", request_.messages[0].text}}}}};
    }
    for (const ToolDefinition& tool : request_.tools) {
      body["tools"][0]["functionDeclarations"].push_back(
          {{"name", ProviderToolName(tool.name)},
           {"description", tool.description},
           {"parametersJsonSchema", ParameterSchema(tool)}});
    }
    Json config = Json::object();
    if (request_.temperature >= 0 && may("temperature")) {
      config["temperature"] = request_.temperature;
    }
    if (request_.max_output_tokens > 0) config["maxOutputTokens"] = request_.max_output_tokens;
    const std::string effort = EffortWord(endpoint_);
    if (!effort.empty() && may("thinkingConfig")) {
      config["thinkingConfig"] = TakesBudget(endpoint_.model)
                                     ? Json{{"thinkingBudget", effort == "low"      ? 1024
                                                               : effort == "medium" ? 8192
                                                                                    : 24576}}
                                     : Json{{"thinkingLevel", effort}};
    }
    if (!config.empty()) body["generationConfig"] = std::move(config);
    return body;
  }

  const std::vector<std::string>& OptionalParameters() const override {
    static const auto* const names =
        new std::vector<std::string>{"thinkingConfig", "temperature", "inlineData"};
    return *names;
  }

  std::unique_ptr<ReplyReader> NewReader(ReplyListener* listener) const override {
    return std::make_unique<GeminiReader>(endpoint_, Url(), listener);
  }

 private:
  // Adds `part` to a last content of `role`, or begins one: roles take turns.
  static void Append(const char* role, Json part, Json* contents) {
    if (contents->empty() || contents->back()["role"] != role) {
      contents->push_back({{"role", role}, {"parts", Json::array()}});
    }
    contents->back()["parts"].push_back(std::move(part));
  }

  static Json ImagePart(const ImageData& image) {
    return {{"inlineData", {{"mimeType", image.media_type}, {"data", image.base64}}}};
  }

  // Notes in `ids` which calls have an id of the provider's own.
  void AddAssistant(const Message& message, std::map<std::string, std::string>* ids,
                    Json* contents) const {
    if (message.text.empty() && message.tool_calls.empty()) return;
    const Json* parts = JsonMember(KeptData(message, endpoint_), "gemini_parts");
    if (parts != nullptr && parts->is_array()) {
      size_t calls = 0;
      for (const Json& part : *parts) {
        if (!part.is_object()) continue;
        if (const Json* function = JsonMember(part, "functionCall");
            function != nullptr && calls < message.tool_calls.size()) {
          const auto id = JsonString(*function, "id");
          if (id) (*ids)[message.tool_calls[calls].id] = *id;
          ++calls;
        }
        Append("model", part, contents);
      }
      return;
    }
    if (!message.text.empty()) Append("model", {{"text", message.text}}, contents);
    bool is_first = true;
    for (const ToolCall& call : message.tool_calls) {
      Json part = {
          {"functionCall", {{"name", ProviderToolName(call.name)}, {"args", call.arguments}}}};
      if (std::exchange(is_first, false)) part["thoughtSignature"] = kNoSignature;
      Append("model", std::move(part), contents);
    }
  }

  Json Contents(bool may_show) const {
    Json contents = Json::array();
    std::map<std::string, std::string> ids;  // ours → the provider's
    std::vector<Json> after_results;         // pictures, and text between results
    const auto flush = [&] {
      for (Json& part : after_results) Append("user", std::move(part), &contents);
      after_results.clear();
    };
    for (size_t i = 0; i < request_.messages.size(); ++i) {
      const Message& message = request_.messages[i];
      if (message.role != Role::kTool) flush();
      switch (message.role) {
        case Role::kSystem:
          if (i > 0 && !message.text.empty()) Append("user", {{"text", message.text}}, &contents);
          break;
        case Role::kUser:
          if (!message.text.empty()) Append("user", {{"text", message.text}}, &contents);
          if (!may_show) break;
          for (const ImageData& image : message.images) {
            Append("user", ImagePart(image), &contents);
          }
          break;
        case Role::kTool: {
          Json response = {{"name", ProviderToolName(message.tool_name)},
                           {"response", {{message.is_error ? "error" : "output", message.text}}}};
          const auto id = ids.find(message.tool_call_id);
          if (id != ids.end()) response["id"] = id->second;
          Append("user", {{"functionResponse", std::move(response)}}, &contents);
          if (!may_show) break;
          for (const ImageData& image : message.images) after_results.push_back(ImagePart(image));
          break;
        }
        case Role::kAssistant:
          AddAssistant(message, &ids, &contents);
          break;
      }
    }
    flush();
    return contents;
  }

  const ProviderEndpoint& endpoint_;
  const ModelRequest& request_;
};

class GeminiModel : public ChatModel {
 public:
  explicit GeminiModel(std::unique_ptr<ProviderCaller> caller)
      : caller_(std::move(caller)), info_(InfoOf(caller_->endpoint())) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    const GeminiRequest asked(caller_->endpoint(), request);
    STILE_ASSIGN_OR_RETURN(ModelReply reply,
                           caller_->Call(asked, request.ends_at, listener, cancellation));
    MakeCallIdsUnique(request, &reply);
    return reply;
  }

 private:
  const std::unique_ptr<ProviderCaller> caller_;
  const ModelInfo info_;
};

}  // namespace

std::unique_ptr<ChatModel> NewGeminiModel(std::unique_ptr<ProviderCaller> caller) {
  return std::make_unique<GeminiModel>(std::move(caller));
}

}  // namespace stile

#include "runtime/model/openai_model.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/model/openai_chat.h"
#include "runtime/model/openai_responses.h"
#include "runtime/model/provider_error.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

bool HasOnlyResponses(absl::string_view model) {
  return absl::StrContains(model, "codex") || absl::StrContains(model, "deep-research") ||
         ((absl::StartsWith(model, "gpt-") || absl::StartsWith(model, "o")) &&
          absl::EndsWith(model, "-pro"));
}

// From GPT-5.4 on, models that reason take no tools at Chat Completions.
bool IsNewGeneration(absl::string_view model) {
  if (!absl::ConsumePrefix(&model, "gpt-")) return false;
  const size_t end = model.find_first_not_of("0123456789.");
  double version = 0;
  return absl::SimpleAtod(model.substr(0, end), &version) && version > 5.35;
}

bool BeginsWithResponses(const ProviderEndpoint& endpoint) {
  if (!endpoint.api.empty()) return endpoint.api == "responses";
  if (endpoint.provider != "openai" && endpoint.provider != "azure") return false;
  const std::string model = absl::AsciiStrToLower(endpoint.model);
  const bool is_older = absl::StartsWith(model, "gpt-4") || absl::StartsWith(model, "gpt-3");
  return (!is_older && HasOnlyResponses(model)) || IsNewGeneration(model) ||
         (endpoint.provider == "openai" && endpoint.is_public_address && !is_older);
}

class OpenAiModel : public ChatModel {
 public:
  explicit OpenAiModel(std::unique_ptr<ProviderCaller> caller)
      : caller_(std::move(caller)),
        info_(InfoOf(caller_->endpoint())),
        uses_responses_(BeginsWithResponses(caller_->endpoint())) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    auto reply = Ask(request, listener, cancellation);
    if (!reply.ok() && ShouldSwitch(reply.status())) {
      has_switched_ = true;
      uses_responses_ = !uses_responses_;
      if (listener != nullptr) {
        listener->OnNotice({ModelNotice::Kind::kApiChanged,
                            absl::StrCat(info_.model, " is asked through ",
                                         uses_responses_ ? "the Responses API" : "Chat Completions",
                                         " from now on; the other API refused the request")});
      }
      reply = Ask(request, listener, cancellation);
    }
    if (!reply.ok()) {
      if (!request.tools.empty() && RefusesTools(reply.status())) info_.native_tools = false;
      return reply.status();
    }
    MakeCallIdsUnique(request, &*reply);
    return reply;
  }

 private:
  absl::StatusOr<ModelReply> Ask(const ModelRequest& request, ReplyListener* listener,
                                 const Cancellation* cancellation) {
    const ProviderEndpoint& endpoint = caller_->endpoint();
    const auto asked = uses_responses_ ? NewOpenAiResponsesRequest(endpoint, request)
                                       : NewOpenAiChatRequest(endpoint, request);
    return caller_->Call(*asked, request.ends_at, listener, cancellation);
  }

  bool ShouldSwitch(const absl::Status& status) const {
    const ProviderEndpoint& endpoint = caller_->endpoint();
    if (!endpoint.api.empty() || has_switched_) return false;
    if (!uses_responses_) return WantsResponsesApi(status);
    return !endpoint.is_public_address && WantsChatApi(status);
  }

  const std::unique_ptr<ProviderCaller> caller_;
  ModelInfo info_;
  bool uses_responses_;
  bool has_switched_ = false;
};

}  // namespace

std::unique_ptr<ChatModel> NewOpenAiModel(std::unique_ptr<ProviderCaller> caller) {
  return std::make_unique<OpenAiModel>(std::move(caller));
}

}  // namespace stile

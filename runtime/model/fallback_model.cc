#include "runtime/model/fallback_model.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

bool IsOverload(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status);
}

class FallbackModel : public ChatModel {
 public:
  FallbackModel(std::unique_ptr<ChatModel> first, std::unique_ptr<ChatModel> second)
      : first_(std::move(first)), second_(std::move(second)), info_(first_->info()) {
    // What both can do: either may answer the next request.
    const ModelInfo& other = second_->info();
    if (!other.price.has_value()) info_.price.reset();
    info_.takes_images = info_.takes_images && other.takes_images;
    if (info_.context_tokens == 0 ||
        (other.context_tokens > 0 && other.context_tokens < info_.context_tokens)) {
      info_.context_tokens = other.context_tokens;
    }
  }

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    if (!fell_back_) {
      auto reply = first_->Complete(request, listener, cancellation);
      if (reply.ok() || !IsOverload(reply.status())) return reply;
      fell_back_ = true;
      info_ = second_->info();
      if (listener != nullptr) {
        listener->OnNotice({ModelNotice::Kind::kFallback,
                            absl::StrCat(second_->info().provider, ":", second_->info().model,
                                         " answers from now on: ", reply.status().message())});
      }
    }
    return second_->Complete(request, listener, cancellation);
  }

 private:
  const std::unique_ptr<ChatModel> first_;
  const std::unique_ptr<ChatModel> second_;
  ModelInfo info_;
  bool fell_back_ = false;
};

}  // namespace

std::unique_ptr<ChatModel> NewFallbackModel(std::unique_ptr<ChatModel> first,
                                            std::unique_ptr<ChatModel> second) {
  return std::make_unique<FallbackModel>(std::move(first), std::move(second));
}

}  // namespace stile

#include "agents/mcp/subscriptions.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr char kMetaSubscription[] = "io.modelcontextprotocol/subscriptionId";
constexpr size_t kMaxResources = 100;  // of one request

Json Notification(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json Updated(const std::string& uri) {
  return Notification("notifications/resources/updated", {{"uri", uri}});
}

// The resources that a request of subscriptions/listen names.
absl::StatusOr<std::vector<std::string>> WantedResources(const Json& params) {
  const Json* const wanted = JsonMember(params, "notifications");
  if (wanted == nullptr || !wanted->is_object()) {
    return absl::InvalidArgumentError("\"notifications\" is missing or not an object");
  }
  std::vector<std::string> uris;
  const Json* const all = JsonMember(*wanted, "resourceSubscriptions");
  if (all == nullptr) return uris;
  if (!all->is_array() || all->size() > kMaxResources) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"resourceSubscriptions\" is not a list of at most ", kMaxResources, " URIs"));
  }
  for (const Json& uri : *all) {
    if (!uri.is_string()) {
      return absl::InvalidArgumentError("\"resourceSubscriptions\" has a URI that is not a string");
    }
    uris.push_back(uri.get<std::string>());
  }
  return uris;
}

}  // namespace

int NoticeStream::Attach(Reply stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream_) stream_(nullptr);
  stream_ = nullptr;
  ++number_;
  if (is_closed_) {
    stream(nullptr);
    return number_;
  }
  waiting_.merge(sent_);
  for (const std::string& uri : waiting_) stream(Updated(uri));
  sent_ = std::move(waiting_);
  waiting_.clear();
  stream_ = std::move(stream);
  return number_;
}

void NoticeStream::Detach(int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream != number_) return;
  stream_ = nullptr;
  waiting_.merge(sent_);
  sent_.clear();
}

void NoticeStream::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream_) stream_(nullptr);
  stream_ = nullptr;
  is_closed_ = true;
}

bool NoticeStream::is_attached() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stream_ != nullptr;
}

void NoticeStream::SendUpdated(const std::string& uri) {
  Reply stream;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stream = stream_;
    (stream ? sent_ : waiting_).insert(uri);
  }
  // A peer that does not read blocks only this thread.
  if (stream) stream(Updated(uri));
}

void NoticeStream::Forget(const std::string& uri) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sent_.erase(uri);
  waiting_.erase(uri);
}

// One request of subscriptions/listen while it is under way. Thread-safe.
class Subscriptions::Listener {
 public:
  explicit Listener(const std::shared_ptr<McpRequest>& request)
      : request_(request), meta_({{kMetaSubscription, request->id}}) {}

  // Updates that come before the acknowledgement are held back.
  void Acknowledge(Json agreed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Send(Notification("notifications/subscriptions/acknowledged",
                      {{"notifications", std::move(agreed)}}));
    is_acknowledged_ = true;
    for (const std::string& uri : early_) Send(Updated(uri));
  }
  void Update(const std::string& uri) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_acknowledged_) {
      Send(Updated(uri));
    } else {
      early_.insert(uri);
    }
  }
  void End() {
    const std::lock_guard<std::mutex> lock(mutex_);
    request_.reset();
  }

 private:
  void Send(Json notification) {
    const auto request = request_.lock();
    if (request == nullptr || request->is_taken) return;
    notification["params"]["_meta"] = meta_;
    request->reply(notification);
  }

  std::mutex mutex_;
  std::weak_ptr<McpRequest> request_;  // guarded by mutex_, as all below
  const Json meta_;
  bool is_acknowledged_ = false;
  std::set<std::string> early_;
};

absl::Status Subscriptions::Subscribe(const std::string& uri) {
  return watch_->Add(notices_, uri, [weak = std::weak_ptr<NoticeStream>(notices_), uri] {
    if (const auto notices = weak.lock()) notices->SendUpdated(uri);
  });
}

void Subscriptions::Unsubscribe(const std::string& uri) {
  watch_->Remove(notices_, uri);
  notices_->Forget(uri);
}

absl::Status Subscriptions::Listen(const std::shared_ptr<McpRequest>& request) {
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> uris, WantedResources(request->params));
  const auto listener = std::make_shared<Listener>(request);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(listeners_, [](const auto& one) { return one.expired(); });
    listeners_.push_back(listener);
  }
  Json watched = Json::array();
  for (const std::string& uri : uris) {
    // The watch forgets it with the request. The function keeps the listener alive until then.
    const absl::Status added =
        watch_->Add(request, uri, [listener, uri] { listener->Update(uri); });
    if (absl::IsResourceExhausted(added)) return added;
    if (added.ok()) watched.push_back(uri);
  }
  Json agreed = Json::object();
  if (!watched.empty()) agreed["resourceSubscriptions"] = std::move(watched);
  listener->Acknowledge(std::move(agreed));
  return absl::OkStatus();
}

void Subscriptions::EndListening() {
  std::vector<std::weak_ptr<Listener>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    all = listeners_;
  }
  for (const auto& one : all) {
    if (const auto listener = one.lock()) listener->End();
  }
}

Json Subscriptions::ListenResult(const McpRequest& request) {
  return {{"_meta", {{kMetaSubscription, request.id}}}};
}

}  // namespace stile

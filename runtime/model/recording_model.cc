#include "runtime/model/recording_model.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

class RecordingModel : public ChatModel {
 public:
  RecordingModel(std::unique_ptr<ChatModel> inner, std::string path, int fd)
      : inner_(std::move(inner)), path_(std::move(path)), fd_(fd) {}
  ~RecordingModel() override { close(fd_); }

  const ModelInfo& info() const override { return inner_->info(); }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    STILE_ASSIGN_OR_RETURN(ModelReply reply, inner_->Complete(request, listener, cancellation));
    Json line = ToJson(reply);
    line["request_sha256"] = RequestSha256(request);
    STILE_RETURN_IF_ERROR(Append(absl::StrCat(DumpJson(line), "\n")));
    return reply;
  }

 private:
  // One write for one line, so that lines of several models do not mix.
  absl::Status Append(absl::string_view line) {
    while (!line.empty()) {
      const ssize_t written = write(fd_, line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return ErrnoStatus(errno, "write cassette", path_);
      line.remove_prefix(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<ChatModel> inner_;
  const std::string path_;
  const int fd_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ChatModel>> NewRecordingModel(std::unique_ptr<ChatModel> inner,
                                                             const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, "record to", path);
  return std::make_unique<RecordingModel>(std::move(inner), path, fd);
}

}  // namespace stile

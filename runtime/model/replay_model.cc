#include "runtime/model/replay_model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

// One cassette with its position; shared by every model that plays it.
struct Cassette {
  std::string path;
  std::vector<CassetteLine> lines;
  std::mutex mutex;
  size_t next = 0;  // guarded by mutex
};

absl::StatusOr<std::string> CassettePath(const std::string& path, const std::string& step) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no cassette ", path));
  }
  if (!std::filesystem::is_directory(path, error)) return path;
  if (step.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a folder of cassettes, one for each step of a story; name one of its files"));
  }
  if (absl::StrContains(step, "/") || absl::StartsWith(step, ".")) {
    return absl::InvalidArgumentError(absl::StrCat("step '", step, "' cannot name a cassette"));
  }
  const std::string file = absl::StrCat(path, "/", step, ".jsonl");
  if (!std::filesystem::exists(file, error)) {
    return absl::NotFoundError(absl::StrCat("there is no cassette ", file, " for step ", step));
  }
  return file;
}

// The cassettes of this process, by path and content: a file rewritten in between starts afresh.
absl::StatusOr<std::shared_ptr<Cassette>> OpenCassette(const std::string& path) {
  std::error_code kind_error;
  if (!std::filesystem::is_regular_file(path, kind_error)) {
    return absl::InvalidArgumentError(absl::StrCat("cassette ", path, " is not a regular file"));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file.is_open()) content << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(absl::StrCat("cannot read cassette ", path));
  }
  const std::string text = content.str();
  std::error_code error;
  const std::string key =
      absl::StrCat(std::filesystem::weakly_canonical(path, error).string(), "\n", Sha256Hex(text));

  static std::mutex* mutex = new std::mutex;
  static auto* cassettes = new std::map<std::string, std::shared_ptr<Cassette>>;
  const std::lock_guard<std::mutex> lock(*mutex);
  if (const auto found = cassettes->find(key); found != cassettes->end()) return found->second;
  auto cassette = std::make_shared<Cassette>();
  cassette->path = path;
  STILE_ASSIGN_OR_RETURN(cassette->lines, ParseCassette(path, text));
  (*cassettes)[key] = cassette;
  return cassette;
}

class ReplayModel : public ChatModel {
 public:
  ReplayModel(std::shared_ptr<Cassette> cassette, bool strict)
      : cassette_(std::move(cassette)), strict_(strict), info_{"replay", cassette_->path, true} {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                      const Cancellation* cancellation) override {
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled while waiting for the model");
    }
    const CassetteLine* line = nullptr;
    {
      const std::lock_guard<std::mutex> lock(cassette_->mutex);
      if (cassette_->next >= cassette_->lines.size()) {
        const size_t n = cassette_->lines.size();
        return absl::OutOfRangeError(absl::StrCat("cassette ", cassette_->path,
                                                  " has no more replies: it held ", n,
                                                  n == 1 ? " reply" : " replies"));
      }
      line = &cassette_->lines[cassette_->next++];
    }
    if (strict_ && !line->request_sha256.empty()) {
      const std::string now = RequestSha256(request);
      if (now != line->request_sha256) {
        return absl::InvalidArgumentError(
            absl::StrCat(cassette_->path, ":", line->line,
                         ": the request differs from the recorded one (sha256 ", now.substr(0, 12),
                         "…, recorded ", line->request_sha256.substr(0, 12),
                         "…); record again, or replay without --replay-strict"));
      }
    }
    ModelReply reply = line->reply;
    MakeCallIdsUnique(request, &reply);
    if (listener != nullptr && !reply.text.empty()) listener->OnText(reply.text);
    return reply;
  }

 private:
  const std::shared_ptr<Cassette> cassette_;
  const bool strict_;
  const ModelInfo info_;
};

}  // namespace

absl::StatusOr<std::vector<CassetteLine>> ParseCassette(const std::string& path,
                                                        absl::string_view text) {
  std::vector<CassetteLine> lines;
  int line_number = 0;
  for (const absl::string_view line : SplitLines(text)) {
    ++line_number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::string place = absl::StrCat(path, ":", line_number);
    auto json = ParseJson(line);
    if (!json.ok()) return WithContext(json.status(), place);
    auto reply = ModelReplyFromJson(*json);
    if (!reply.ok()) return WithContext(reply.status(), place);
    lines.push_back(
        {line_number, *std::move(reply), JsonString(*json, "request_sha256").value_or("")});
  }
  return lines;
}

absl::StatusOr<std::unique_ptr<ChatModel>> NewReplayModel(const std::string& path,
                                                          const std::string& step, bool strict,
                                                          size_t skip) {
  STILE_ASSIGN_OR_RETURN(const std::string file, CassettePath(path, step));
  STILE_ASSIGN_OR_RETURN(std::shared_ptr<Cassette> cassette, OpenCassette(file));
  {
    const std::lock_guard<std::mutex> lock(cassette->mutex);
    cassette->next = std::max(cassette->next, skip);
  }
  return std::make_unique<ReplayModel>(std::move(cassette), strict);
}

}  // namespace stile

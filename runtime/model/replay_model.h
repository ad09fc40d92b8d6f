#ifndef STILE_RUNTIME_MODEL_REPLAY_MODEL_H_
#define STILE_RUNTIME_MODEL_REPLAY_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/model/chat_model.h"

namespace stile {

// One reply of a cassette.
struct CassetteLine {
  int line = 0;  // 1-based
  ModelReply reply;
  std::string request_sha256;  // of the request it answered; "" when not recorded
};

// The replies of the cassette `text`, in order. `path` is only named: InvalidArgument "path:line:
// why".
absl::StatusOr<std::vector<CassetteLine>> ParseCassette(const std::string& path,
                                                        absl::string_view text);

// Plays a cassette: a file of JSON lines, one reply a line, blank lines ignored. All models made in
// one process for the same file and content share one position, so replies are consumed in order
// across the process; Complete may then be called from several threads on different objects.
// With `strict`, a line that has a "request_sha256" other than the request's is InvalidArgument.
//
// `path` may name a folder: then `step` chooses <path>/<step>.jsonl. NotFound: no such file;
// InvalidArgument: a malformed line ("file:line: why"), or a folder without a step.
// `skip`: replies that were consumed before this process, by an interrupted run that goes on.
absl::StatusOr<std::unique_ptr<ChatModel>> NewReplayModel(const std::string& path,
                                                          const std::string& step, bool strict,
                                                          size_t skip = 0);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_REPLAY_MODEL_H_

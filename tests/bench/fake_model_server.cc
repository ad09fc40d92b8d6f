// fake_model_server CASSETTE: plays the replies of a cassette as an OpenAI-compatible streaming
// server and measures its client.
//
// Prints the base URL, then, once every reply has been sent, one JSON object: for each request its
// size, its connection and the gap in milliseconds since the reply before was finished (the first:
// since the server was ready). Standard input closing ends it early, with what it has seen.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/model/message.h"
#include "tests/support/fault_http_server.h"

namespace stile {
namespace {

// A reply as a stream of chunks: its text word by word, then each call, the end, the usage.
FaultReply Stream(const ModelReply& reply) {
  std::vector<std::string> pieces;
  const auto send = [&pieces](const Json& delta, const Json& reason) {
    const Json chunk = {{"object", "chat.completion.chunk"},
                        {"choices", {{{"index", 0}, {"delta", delta}, {"finish_reason", reason}}}}};
    pieces.push_back(absl::StrCat("data: ", DumpJson(chunk), "\n\n"));
  };
  for (size_t at = 0; at < reply.text.size();) {
    const size_t end = std::min(reply.text.find(' ', at), reply.text.size() - 1) + 1;
    send({{"content", reply.text.substr(at, end - at)}}, nullptr);
    at = end;
  }
  for (size_t i = 0; i < reply.tool_calls.size(); ++i) {
    const ToolCall& call = reply.tool_calls[i];
    send({{"tool_calls",
           {{{"index", i},
             {"id", call.id},
             {"type", "function"},
             {"function", {{"name", call.name}, {"arguments", DumpJson(call.arguments)}}}}}}},
         nullptr);
  }
  send(Json::object(), std::string(FinishReasonName(reply.finish_reason)));
  const Json usage = {{"choices", Json::array()},
                      {"usage",
                       {{"prompt_tokens", reply.usage.input_tokens},
                        {"completion_tokens", reply.usage.output_tokens}}}};
  pieces.push_back(absl::StrCat("data: ", DumpJson(usage), "\n\ndata: [DONE]\n\n"));
  return StreamReply(std::move(pieces));
}

absl::StatusOr<std::vector<FaultReply>> ReadScript(const char* path) {
  std::ifstream file(path);
  std::vector<FaultReply> script;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    const auto json = ParseJson(line);
    if (!json.ok()) return json.status();
    auto reply = ModelReplyFromJson(*json);
    if (!reply.ok()) return reply.status();
    for (size_t i = 0; i < reply->tool_calls.size(); ++i) {
      std::string& id = reply->tool_calls[i].id;
      if (id.empty()) id = absl::StrCat("call_", script.size(), "_", i);
    }
    script.push_back(Stream(*reply));
  }
  if (script.empty()) return absl::NotFoundError("no replies in it");
  return script;
}

int Main(const char* path) {
  const auto script = ReadScript(path);
  if (!script.ok()) {
    std::fprintf(stderr, "%s: %s\n", path, script.status().ToString().c_str());
    return 2;
  }
  FaultHttpServer server(*script);
  absl::Duration before = SystemClock()->Monotonic();
  std::printf("%s/v1\n", server.url().c_str());
  std::fflush(stdout);

  int done[2];
  if (pipe(done) != 0) return 6;
  std::thread waiter([&server, &script, &done] {
    server.WaitForAnswers(script->size());
    close(done[1]);
  });
  pollfd entries[] = {{STDIN_FILENO, POLLIN, 0}, {done[0], POLLIN, 0}};
  while (entries[0].revents == 0 && entries[1].revents == 0) poll(entries, 2, -1);

  Json requests = Json::array();
  for (const ReceivedRequest& request : server.requests()) {
    requests.push_back({{"bytes", request.body.size()},
                        {"connection", request.connection},
                        {"gap_ms", absl::ToDoubleMilliseconds(request.arrived - before)}});
    before = request.answered;
  }
  std::printf("%s\n", DumpJson({{"replies", script->size()}, {"requests", requests}}).c_str());
  std::fflush(stdout);
  waiter.detach();  // waits for ever when the client left early
  _exit(0);
}

}  // namespace
}  // namespace stile

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fake_model_server CASSETTE\n");
    return 2;
  }
  return stile::Main(argv[1]);
}

#ifndef STILE_TESTS_UNIT_RUNTIME_MODEL_MODEL_TEST_UTIL_H_
#define STILE_TESTS_UNIT_RUNTIME_MODEL_MODEL_TEST_UTIL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/model/chat_model.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fault_http_server.h"
#include "tests/support/temp_dir.h"

namespace stile {

constexpr char kTestKey[] = "sk-test-0123456789";

// A folder that is gone after the test.
class TestFolder : public TempDir {
 public:
  // Returns the file's path.
  std::string Write(absl::string_view name, absl::string_view text) const {
    TempDir::Write(name, text);
    return Path(name);
  }
};

// Keeps what it is told.
class HearingListener : public ReplyListener {
 public:
  void OnText(absl::string_view piece) override { absl::StrAppend(&text, piece); }
  void OnNotice(const ModelNotice& notice) override { notices.push_back(notice); }

  std::string text;
  std::vector<ModelNotice> notices;
};

// A model that talks to a scripted server; "openai:test-model" and so on.
struct ServedModel {
  ServedModel(const std::string& model_name, std::vector<FaultReply> script,
              const std::string& protocol = "auto", ModelSettings settings = {})
      : server(std::move(script)) {
    settings.model = model_name;
    settings.base_url = server.url();
    settings.protocol = protocol;
    auto made = NewChatModel(settings,
                             {{"OPENAI_API_KEY", kTestKey},
                              {"ANTHROPIC_API_KEY", kTestKey},
                              {"GEMINI_API_KEY", kTestKey}},
                             &clock);
    EXPECT_TRUE(made.ok()) << made.status();
    model = *std::move(made);
  }

  absl::StatusOr<ModelReply> Ask(const ModelRequest& request) {
    return model->Complete(request, &listener, nullptr);
  }

  Json Body(size_t request) const {
    const auto body = ParseJson(server.requests().at(request).body);
    EXPECT_TRUE(body.ok());
    return body.ok() ? *body : Json();
  }

  FakeClock clock;
  FaultHttpServer server;
  std::unique_ptr<ChatModel> model;
  HearingListener listener;
};

inline Message TextMessage(Role role, std::string text) {
  Message message;
  message.role = role;
  message.text = std::move(text);
  return message;
}

inline Message ResultMessage(const ToolCall& call, std::string text) {
  Message message = TextMessage(Role::kTool, std::move(text));
  message.tool_call_id = call.id;
  message.tool_name = call.name;
  return message;
}

// A system text, a task, and the tool file.read.
inline ModelRequest SimpleRequest() {
  ModelRequest request;
  request.messages = {TextMessage(Role::kSystem, "Be brief."), TextMessage(Role::kUser, "Do it.")};
  request.tools = {{"file.read",
                    "Reads a file.",
                    {{"type", "object"},
                     {"properties", {{"path", {{"type", "string"}}}}},
                     {"required", {"path"}}}}};
  return request;
}

// `events` as the data lines of a stream.
inline std::string Sse(const std::vector<std::string>& events) {
  std::string text;
  for (const std::string& event : events) absl::StrAppend(&text, "data: ", event, "\n\n");
  return text;
}

}  // namespace stile

#endif  // STILE_TESTS_UNIT_RUNTIME_MODEL_MODEL_TEST_UTIL_H_

// A workflow run with scripted steps.
#ifndef STILE_TESTS_UNIT_RUNTIME_WORKFLOW_WORKFLOW_RUN_H_
#define STILE_TESTS_UNIT_RUNTIME_WORKFLOW_WORKFLOW_RUN_H_

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workflow/workflow_runner.h"
#include "tests/support/fake_clock.h"

namespace stile {

inline StepReply Passes(Json output = nullptr) {
  StepReply reply;
  reply.output = std::move(output);
  return reply;
}

inline StepReply Fails(std::string message = "exit status 1", Json output = nullptr) {
  StepReply reply;
  reply.ok = false;
  reply.message = std::move(message);
  reply.output = std::move(output);
  return reply;
}

// Gives each step its replies in turn, the last one for ever; without any, it passes.
class ScriptedSteps : public StepExecutor {
 public:
  std::map<std::string, std::vector<StepReply>> replies;
  std::map<std::string, std::string> workflows;  // by file
  std::function<void(const StepCall&)> on_call;
  absl::Status broken;  // what every call ends in, unless it is OK

  absl::StatusOr<StepReply> Execute(const StepCall& call,
                                    const Cancellation* /*cancellation*/) override {
    if (on_call) on_call(call);
    if (!broken.ok()) return broken;
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(absl::StrCat(call.scope, call.scope.empty() ? "" : ":", call.step->name));
    settings_.push_back(call.settings);
    const auto found = replies.find(call.step->name);
    if (found == replies.end()) return Passes();
    const size_t turn = turns_[call.step->name]++;
    return found->second[std::min(turn, found->second.size() - 1)];
  }

  absl::StatusOr<Workflow> LoadWorkflow(const std::string& file) override {
    const auto found = workflows.find(file);
    if (found == workflows.end()) return absl::InvalidArgumentError(file + ": not there");
    return ParseWorkflow(found->second, file);
  }

  std::vector<std::string> calls() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_;
  }
  std::vector<Json> settings() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return settings_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> calls_;
  std::vector<Json> settings_;
  std::map<std::string, size_t> turns_;
};

class WorkflowRunTest : public testing::Test {
 protected:
  // Fails the test when the workflow does not load.
  WorkflowResult Run(const std::string& text) {
    const auto workflow = ParseWorkflow(text, "w.yaml");
    EXPECT_TRUE(workflow.ok()) << workflow.status();
    if (!workflow.ok()) return {};
    options.clock = &clock;
    WorkflowRunner runner(&*workflow, &steps, options);
    auto result = runner.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : WorkflowResult();
  }

  static WorkflowResult::Step StepOf(const WorkflowResult& result, const std::string& name) {
    for (const WorkflowResult::Step& step : result.steps) {
      if (step.name == name) return step;
    }
    ADD_FAILURE() << "no step " << name;
    return {};
  }

  // From now on each call waits until `expected` have run at the same time (5 s at most), and a bit
  // longer for more of them; `most_at_once` is how many there were.
  void CountCallsAtOnce(int expected) {
    most_at_once = 0;
    steps.on_call = [this, expected](const StepCall&) {
      const int running = ++running_;
      for (int seen = most_at_once;
           seen < running && !most_at_once.compare_exchange_weak(seen, running);) {
      }
      for (int i = 0; i < 500 && most_at_once < expected; ++i) {
        absl::SleepFor(absl::Milliseconds(10));
      }
      absl::SleepFor(absl::Milliseconds(30));
      --running_;
    };
  }

  std::atomic<int> most_at_once{0};
  ScriptedSteps steps;
  FakeClock clock;
  WorkflowOptions options;

 private:
  std::atomic<int> running_{0};
};

}  // namespace stile

#endif  // STILE_TESTS_UNIT_RUNTIME_WORKFLOW_WORKFLOW_RUN_H_

// Steps that run beside each other, on real repositories.
#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/text.h"
#include "runtime/story/story_runner.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RunResult Done(std::vector<std::string> changed, std::string answer = "Did it.") {
  RunResult result;
  result.outcome = changed.empty() ? RunState::kUnchanged : RunState::kSucceeded;
  result.changed = std::move(changed);
  result.answer = std::move(answer);
  result.usage.input_tokens = 10;
  result.turns = 2;
  return result;
}

RunResult Refused(StopReason reason, std::string message) {
  RunResult result = Done({});
  result.outcome = RunState::kFailed;
  result.reason = reason;
  result.message = std::move(message);
  return result;
}

// Plays a function for each run of a step, by its name; they edit real files.
class NamedSteps : public StepRunner {
 public:
  using Play = std::function<RunResult(const StepTask&)>;

  absl::StatusOr<RunResult> RunStep(const StepTask& task, const EventSink&) override {
    Play play;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks[task.name].push_back(task);
      std::vector<Play>& own = plays[task.name];
      if (own.empty()) return absl::InternalError(task.name + " has nothing more to do");
      play = own.front();
      own.erase(own.begin());
    }
    return play(task);
  }
  absl::StatusOr<RunResult> RunMerge(const MergeTask& task, const EventSink& sink) override {
    merges.push_back(task);
    Event validated;
    validated.type = EventType::kValidationFinished;
    validated.data = {{"verdict", merge_verdict},
                      {"targets", Json::array()},
                      {"failures", 0},
                      {"duration_ms", 0}};
    sink(validated);
    if (!task.work.obstacle.empty()) return Refused(StopReason::kGaveUp, task.work.obstacle);
    std::vector<std::string> changed;
    for (const PlannedFile& file : task.work.files) {
      const std::string path = JoinPath(task.workspace, file.path);
      const auto now = DiskFileSystem()->ReadFile(path, kMaxFileBytes);
      EXPECT_EQ(now.ok(), file.before.has_value()) << file.path;
      EXPECT_EQ(now.value_or(""), file.before.value_or(""));
      if (file.after.has_value()) {
        EXPECT_TRUE(DiskFileSystem()->MakeDirs(DirName(path)).ok());
        EXPECT_TRUE(DiskFileSystem()->WriteFile(path, *file.after, file.mode, false).ok());
      } else {
        EXPECT_TRUE(DiskFileSystem()->RemoveFile(path).ok());
      }
      changed.push_back(file.path);
    }
    const auto refusal = refusals.find(merges.size());
    if (refusal == refusals.end()) return Done(changed);
    RunResult refused = Refused(StopReason::kGaveUp, refusal->second);
    refused.changed = changed;
    return refused;
  }
  absl::Status ShareDependencies(const std::string& workspace, const std::string& folder) override {
    shared[folder] = workspace;
    return absl::OkStatus();
  }
  std::optional<std::string> WorkspaceOf(const std::string& run_id) override {
    const auto found = begun.find(run_id);
    return found == begun.end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  absl::Status ForgetWorkspace(const std::string&) override { return absl::OkStatus(); }
  absl::StatusOr<ValidationReport> ValidateAll(const std::string&, Level) override {
    return ValidationReport();
  }
  absl::StatusOr<ValidationReport> ValidateTree(const CleanCheckout&) override {
    return ValidationReport();
  }
  absl::StatusOr<std::vector<RecordedChange>> ChangesOf(const std::string& run_id) override {
    const auto found = recorded.find(run_id);
    if (found == recorded.end()) return absl::NotFoundError(run_id);
    return found->second;
  }
  std::map<std::string, std::vector<RecordedChange>> recorded;
  absl::StatusOr<std::vector<std::string>> WrapPrograms(const Repository&) override {
    return std::vector<std::string>();
  }

  std::map<std::string, std::vector<Play>> plays;
  std::map<std::string, std::vector<StepTask>> tasks;
  std::vector<MergeTask> merges;
  std::map<size_t, std::string> refusals;  // of the nth merge, after its files were changed
  std::map<std::string, std::string> shared;
  std::string merge_verdict = "pass";
  std::map<std::string, std::string> begun;  // workspaces of runs that there are already

 private:
  std::mutex mutex_;
};

class StoryWaveTest : public ::testing::Test {
 protected:
  StoryWaveTest() {
    dir_.Write("repo/a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    dir_.Write("repo/sub/b.txt", "b\n");
    Git({"init", "-q", "-b", "main"});
    Git({"config", "user.name", "T"});
    Git({"config", "user.email", "t@example.com"});
    Git({"add", "-A"});
    Git({"commit", "-q", "-m", "start"});
    story_.title = "Waves";
    options_.worktrees_dir = dir_.Path("state/worktrees");
  }

  std::string Git(std::vector<std::string> arguments) {
    ProcessRequest request;
    request.argv = {"git"};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.cwd = dir_.Path("repo");
    request.env = InheritedEnvironment();
    const auto result = runner_->Run(request);
    EXPECT_TRUE(result.ok() && result->ok()) << arguments[0];
    return result.ok() ? result->out : "";
  }

  // A step of the wave, and what each of its runs does to its workspace.
  StoryStep& Step(const std::string& name, int wave, std::vector<NamedSteps::Play> plays) {
    StoryStep step;
    step.name = name;
    step.description = "Please do " + name;
    step.wave = wave;
    story_.steps.push_back(step);
    steps_.plays[name] = std::move(plays);
    return story_.steps.back();
  }

  static NamedSteps::Play Write(const std::string& path, const std::string& text) {
    return [=](const StepTask& task) {
      const std::string file = JoinPath(task.workspace, path);
      EXPECT_TRUE(DiskFileSystem()->MakeDirs(DirName(file)).ok());
      EXPECT_TRUE(DiskFileSystem()->WriteFile(file, text, 0644, false).ok());
      return Done({path});
    };
  }

  StoryResult Run(const std::string& workspace = "repo") {
    auto result = StoryRunner(runner_.get(), &steps_, &events_)
                      .Run(story_, dir_.Path(workspace), options_, nullptr);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : StoryResult();
  }

  TempDir dir_;
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  FakeClock clock_;
  EventStream events_{"story-1", &clock_};
  NamedSteps steps_;
  Story story_;
  StoryOptions options_;
};

TEST_F(StoryWaveTest, StepsOfAWaveRunAtOnceOnWhatCameBeforeAndAreCommittedTogether) {
  std::mutex mutex;
  std::condition_variable met;
  int here = 0;
  const auto meet = [&](const std::string& path, const std::string& text) {
    return [&, path, text](const StepTask& task) {
      EXPECT_EQ(dir_.Read("repo/first.txt"), "first\n");
      EXPECT_EQ(DiskFileSystem()->ReadFile(JoinPath(task.workspace, "first.txt"), 100).value_or(""),
                "first\n")
          << "not committed yet, but done";
      std::unique_lock<std::mutex> lock(mutex);
      ++here;
      met.notify_all();
      EXPECT_TRUE(met.wait_for(lock, std::chrono::seconds(60), [&] { return here == 2; }));
      lock.unlock();
      return Write(path, text)(task);
    };
  };
  Step("first", 1, {Write("first.txt", "first\n")});
  Step("left", 2, {meet("left.txt", "left\n")});
  Step("right", 2, {meet("new/right.txt", "right\n")});
  const StoryResult result = Run();
  ASSERT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_EQ(Git({"show", "--name-only", "--format=", "HEAD"}),
            "first.txt\nleft.txt\nnew/right.txt\n");
  EXPECT_EQ(steps_.tasks["first"][0].workspace, dir_.Path("repo")) << "alone in its wave";
  EXPECT_NE(steps_.tasks["left"][0].workspace, steps_.tasks["right"][0].workspace);
  EXPECT_THAT(steps_.tasks["left"][0].context, HasSubstr("Step 3 (right): Please do right"));
  EXPECT_EQ(steps_.shared.size(), 2U);
  EXPECT_EQ(steps_.merges.size(), 2U);
  EXPECT_EQ(result.steps.size(), 3U);
  for (const StepOutcome& step : result.steps) EXPECT_EQ(step.attempts, 1) << step.name;
  EXPECT_EQ(result.overall.usage.input_tokens, 50) << "those of merges as well";
  EXPECT_THAT(Git({"worktree", "list"}), Not(HasSubstr("story-1.")));
  EXPECT_THAT(ListDirectory(options_.worktrees_dir).value(), IsEmpty());
}

TEST_F(StoryWaveTest, ChangesOfOneFileAreMergedWhereTheyDoNotTouch) {
  Step("top", 1, {Write("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")});
  Step("end", 1, {Write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")});
  ASSERT_TRUE(Run().overall.ok());
  EXPECT_EQ(dir_.Read("repo/a.txt"), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  EXPECT_EQ(Git({"show", "HEAD:a.txt"}), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
}

TEST_F(StoryWaveTest, WhatConflictsIsDoneAgainOnTopOfTheOthers) {
  Step("one", 1, {Write("a.txt", "by one\n")});
  Step("two", 1, {Write("a.txt", "by two\n"), [&](const StepTask& task) {
                    EXPECT_EQ(task.workspace, dir_.Path("repo"));
                    EXPECT_EQ(dir_.Read("repo/a.txt"), "by one\n");
                    EXPECT_THAT(task.task, HasSubstr("conflicts in a.txt"));
                    EXPECT_THAT(task.task, HasSubstr("Please do two"));
                    EXPECT_FALSE(task.retry);
                    return Write("a.txt", "by both\n")(task);
                  }});
  const StoryResult result = Run();
  ASSERT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_EQ(Git({"show", "HEAD:a.txt"}), "by both\n");
  EXPECT_EQ(result.steps[1].attempts, 2) << "the merge is none";
  EXPECT_EQ(result.steps[1].run_id, "story-1.2.3");
}

TEST_F(StoryWaveTest, WhatDoesNotPassOnceMergedIsMendedInPlace) {
  steps_.refusals[2] = "x.py:1: error: gone";
  Step("one", 1, {Write("one.txt", "1\n")});
  Step("two", 1, {Write("two.txt", "2\n"), [&](const StepTask& task) {
                    EXPECT_TRUE(task.retry);
                    EXPECT_THAT(task.task, HasSubstr("x.py:1: error: gone"));
                    EXPECT_EQ(dir_.Read("repo/two.txt"), "2\n") << "it stands there";
                    return Write("two.txt", "two\n")(task);
                  }});
  ASSERT_TRUE(Run().overall.ok());
  EXPECT_EQ(Git({"show", "HEAD:two.txt"}), "two\n");
}

TEST_F(StoryWaveTest, ExpectationsHoldOfTheMergedFiles) {
  Expectations::Match match;
  match.path = "a.txt";
  match.regex = "^nine$";
  Step("one", 1, {Write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")});
  Step("two", 1, {Write("b.txt", "2\n"), Write("a.txt", "9\n")})
      .expect.file_not_contains.push_back(match);
  const StoryResult result = Run();
  ASSERT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_THAT(steps_.tasks["two"][1].task, HasSubstr("nine"));
}

TEST_F(StoryWaveTest, AWaveCountsUpToItsFirstFailedStep) {
  options_.max_parallelism = 1;
  Step("one", 1, {Write("one.txt", "1\n")});
  Step("two", 1, {[&](const StepTask& task) {
         Write("two.txt", "2\n")(task);
         return Refused(StopReason::kGateFailed, "it does not build");
       }});
  Step("three", 1, {Write("three.txt", "3\n")});
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_EQ(result.steps.size(), 2U);
  EXPECT_TRUE(steps_.tasks["three"].empty()) << "not begun any more";
  EXPECT_EQ(result.commit, "");
  EXPECT_EQ(dir_.Read("repo/one.txt"), "1\n") << "taken over, for a retry of step 2";
  EXPECT_FALSE(FileExists(dir_.Path("repo/two.txt")));
  const std::string folder = JoinPath(options_.worktrees_dir, "story-1.2");
  EXPECT_THAT(result.overall.message, HasSubstr(folder));
  EXPECT_EQ(DiskFileSystem()->ReadFile(JoinPath(folder, "two.txt"), 100).value_or(""), "2\n");
  EXPECT_FALSE(FileExists(JoinPath(options_.worktrees_dir, "story-1.1")));
}

TEST_F(StoryWaveTest, WhatALaterStepOfAFailedWaveDidIsLeftWhereItIsAndPaidFor) {
  std::mutex mutex;
  std::condition_variable done;
  bool two_is_done = false;
  Step("one", 1, {[&](const StepTask&) {
         std::unique_lock<std::mutex> lock(mutex);
         done.wait_for(lock, std::chrono::seconds(60), [&] { return two_is_done; });
         return Refused(StopReason::kGaveUp, "no");
       }});
  Step("two", 1, {[&](const StepTask& task) {
         const RunResult result = Write("two.txt", "2\n")(task);
         const std::lock_guard<std::mutex> lock(mutex);
         two_is_done = true;
         done.notify_all();
         return result;
       }});
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGaveUp);
  EXPECT_EQ(result.overall.usage.input_tokens, 20);
  EXPECT_FALSE(FileExists(dir_.Path("repo/two.txt")));
  EXPECT_THAT(result.overall.message, HasSubstr("story-1.2"));
}

// Waits until it is cancelled, as a run does.
NamedSteps::Play UntilCancelled(std::atomic<int>* begun) {
  return [begun](const StepTask& task) {
    ++*begun;
    EXPECT_TRUE(task.cancellation->WaitFor(absl::Seconds(60)));
    return Refused(StopReason::kCancelled, "cancelled");
  };
}

// Fails once `count` others have begun.
NamedSteps::Play FailAfter(std::atomic<int>* begun, int count) {
  return [begun, count](const StepTask&) {
    for (int i = 0; i < 6000 && *begun < count; ++i) absl::SleepFor(absl::Milliseconds(10));
    EXPECT_EQ(*begun, count);
    return Refused(StopReason::kGateFailed, "it does not build");
  };
}

TEST_F(StoryWaveTest, AFailedStepCancelsThoseBesideItWhereTheStorySaysSo) {
  std::atomic<int> begun = 0;
  std::vector<Event> ends;
  events_.AddSink([&](const Event& event) {
    if (event.type == EventType::kStepFinished) ends.push_back(event);
  });
  story_.on_failure = Story::OnFailure::kCancel;
  Step("one", 1, {UntilCancelled(&begun)});
  Step("two", 1, {FailAfter(&begun, 2)});
  Step("three", 1, {UntilCancelled(&begun)});
  Step("four", 1, {Write("four.txt", "4\n")});
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed) << "that of the step that failed";
  EXPECT_EQ(result.overall.usage.input_tokens, 30) << "each is paid for once";
  EXPECT_TRUE(steps_.tasks["four"].empty()) << "not begun any more";
  EXPECT_TRUE(steps_.merges.empty());
  ASSERT_EQ(result.steps.size(), 3U);
  EXPECT_EQ(result.steps[0].name, "one");
  EXPECT_EQ(result.steps[0].result.reason, StopReason::kCancelled);
  EXPECT_EQ(result.steps[0].result.exit_code(), 130);
  EXPECT_THAT(result.steps[0].result.message, HasSubstr("Step 2 of 4 (two) failed"));
  EXPECT_EQ(result.steps[1].result.reason, StopReason::kGateFailed);
  EXPECT_EQ(result.steps[2].result.reason, StopReason::kCancelled);
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(ends[0].data["step"], 2) << "the failure comes first";
  EXPECT_EQ(ends[1].data["reason"], "cancelled");
  EXPECT_EQ(ends[1].data["exit_code"], 130);
  EXPECT_THAT(result.overall.message, HasSubstr("step 1 (one), step 3 (three)"));
  EXPECT_THAT(result.overall.message, HasSubstr("stile runs show story-1.2`"));
  EXPECT_THAT(result.overall.message, HasSubstr("--step 1`")) << "the first that is not done";
  EXPECT_THAT(result.overall.message, HasSubstr("story-1.3"));
}

TEST_F(StoryWaveTest, WhatWasDoneBeforeTheFailureIsTakenOverAndNothingBehindACancelledStep) {
  std::atomic<int> begun = 0;
  const auto done = [&begun](const std::string& path) {
    return [&begun, path](const StepTask& task) {
      ++begun;
      return Write(path, "x\n")(task);
    };
  };
  story_.on_failure = Story::OnFailure::kCancel;
  options_.max_parallelism = 4;
  Step("one", 1, {done("one.txt")});
  Step("two", 1, {UntilCancelled(&begun)});
  Step("three", 1, {done("three.txt")});
  Step("four", 1, {FailAfter(&begun, 3)});
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_EQ(dir_.Read("repo/one.txt"), "x\n");
  EXPECT_FALSE(FileExists(dir_.Path("repo/three.txt"))) << "step 2 is not done";
  EXPECT_TRUE(FileExists(JoinPath(options_.worktrees_dir, "story-1.3/three.txt")));
  EXPECT_THAT(result.overall.message, HasSubstr("--step 2`"));
}

TEST_F(StoryWaveTest, RunningStepsFinishWhereTheStorySaysNothing) {
  std::atomic<int> begun = 0;
  Step("one", 1, {FailAfter(&begun, 1)});
  Step("two", 1, {[&](const StepTask& task) {
         ++begun;
         EXPECT_TRUE(task.cancellation == nullptr || !task.cancellation->cancelled());
         return Write("two.txt", "2\n")(task);
       }});
  const StoryResult result = Run();
  EXPECT_EQ(result.steps.size(), 1U);
  EXPECT_TRUE(FileExists(JoinPath(options_.worktrees_dir, "story-1.2/two.txt")));
}

TEST_F(StoryWaveTest, AsManyStepsRunAtOnceAsTheOptionsSay) {
  for (const int limit : {1, 4}) {
    std::atomic<int> here = 0;
    std::atomic<int> most = 0;
    story_.steps.clear();
    options_.max_parallelism = limit;
    options_.commit = false;
    options_.allow_dirty = true;
    for (int i = 0; i < 6; ++i) {
      Step(absl::StrCat("s", limit, "-", i), 1, {[&, limit](const StepTask&) {
             const int now = ++here;
             for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
             }
             // Until the others are here too, as long as they may come.
             for (int k = 0; k < 6000 && most < limit; ++k) absl::SleepFor(absl::Milliseconds(10));
             --here;
             return Done({});
           }});
    }
    ASSERT_TRUE(Run().overall.ok());
    EXPECT_EQ(most, limit);
  }
}

TEST_F(StoryWaveTest, DeletionsModesAndWorkspacesInsideARepositoryAreTakenOver) {
  dir_.Write("repo/sub/gone.txt", "g\n");
  Git({"add", "-A"});
  Git({"commit", "-q", "-m", "more"});
  Step("one", 1, {[&](const StepTask& task) {
         EXPECT_TRUE(DiskFileSystem()->RemoveFile(JoinPath(task.workspace, "gone.txt")).ok());
         return Done({"gone.txt"});
       }});
  Step("two", 1, {[&](const StepTask& task) {
         const std::string script = JoinPath(task.workspace, "run.sh");
         EXPECT_TRUE(DiskFileSystem()->WriteFile(script, "#!/bin/sh\n", 0755, false).ok());
         return Done({"run.sh"});
       }});
  Step("three", 1,
       {[&](const StepTask& task) {
          const std::string path = JoinPath(task.workspace, "b.txt");
          EXPECT_EQ(chmod(path.c_str(), 0755), 0);
          return Done({"b.txt"});
        },
        [&](const StepTask& task) {
          EXPECT_THAT(task.task, HasSubstr("b.txt"));
          EXPECT_THAT(task.task, HasSubstr("executable"));
          return Done({});
        }});
  const StoryResult result = Run("repo/sub");
  ASSERT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_THAT(Git({"ls-tree", "-r", "HEAD"}), HasSubstr("100755"));
  EXPECT_THAT(Git({"ls-tree", "-r", "HEAD"}), Not(HasSubstr("gone.txt")));
  EXPECT_EQ(steps_.shared.begin()->second, dir_.Path("repo/sub"));
}

TEST_F(StoryWaveTest, ASharedCassetteIsPlayedInOrder) {
  options_.max_parallelism = 1;
  Step("zero", 0, {Write("z.txt", "z\n")});
  Step("one", 1, {Write("a.txt", "by one\n")});
  Step("two", 1, {Write("a.txt", "by two\n"), Write("a.txt", "by both\n")});
  Step("three", 1, {Write("c.txt", "c\n")});
  ASSERT_TRUE(Run().overall.ok());
  EXPECT_EQ(steps_.tasks["one"][0].turns_before, 2);
  EXPECT_EQ(steps_.tasks["two"][0].turns_before, 4);
  EXPECT_EQ(steps_.tasks["three"][0].turns_before, 6);
  EXPECT_EQ(steps_.tasks["two"][1].turns_before, 8) << "after all of them";
  EXPECT_EQ(steps_.tasks["two"][1].own_turns_before, 2);
}

TEST_F(StoryWaveTest, AWaveThatGoesOnFindsItsTreesAndWhatWasTakenOver) {
  Step("one", 1, {Write("one.txt", "1\n")});
  Step("two", 1, {Write("two.txt", "2\n")});
  options_.commit = false;
  ASSERT_TRUE(Run().overall.ok());
  // As if it had been killed before step 2 was taken over: its tree is there, with its work.
  EXPECT_TRUE(DiskFileSystem()->RemoveFile(dir_.Path("repo/two.txt")).ok());
  const std::string tree = JoinPath(options_.worktrees_dir, "story-1.2");
  const std::string head = Git({"rev-parse", "HEAD"});
  Git({"worktree", "add", "-q", "--detach", tree});
  dir_.Write("repo/.git/worktrees/story-1.2/wave-base", head.substr(0, head.size() - 1));
  dir_.Write("state/worktrees/story-1.2/kept.txt", "kept\n");
  steps_.plays["two"] = {[&](const StepTask& task) {
    EXPECT_EQ(task.workspace, tree);
    Write("two.txt", "2\n")(task);
    return Done({"kept.txt", "two.txt"});
  }};
  options_.commit = true;
  options_.first_step = 2;
  options_.allow_dirty = true;
  options_.done_changed = {"one.txt"};
  const StoryResult result = Run();
  ASSERT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_EQ(Git({"show", "--name-only", "--format=", "HEAD"}), "kept.txt\none.txt\ntwo.txt\n");
  EXPECT_THAT(result.overall.changed, ElementsAre("kept.txt", "one.txt", "two.txt"));
}

TEST_F(StoryWaveTest, AStepThatHasBegunIsNotDoneInANewTree) {
  Step("one", 1, {Write("one.txt", "1\n")});
  Step("two", 1, {Write("two.txt", "2\n")});
  steps_.begun = {{"story-1.2", "gone"}};
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kInternal);
  EXPECT_THAT(result.overall.message, HasSubstr("which is gone"));
  EXPECT_TRUE(steps_.tasks.empty());
}

TEST_F(StoryWaveTest, TreesOfStepsThatNoJournalKnowsStay) {
  Step("one", 1, {Write("one.txt", "1\n")});
  Step("two", 1, {Write("two.txt", "2\n")});
  options_.on_step_end = [] { return absl::InternalError("the disk is gone"); };
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kInternal);
  EXPECT_THAT(result.overall.message, HasSubstr("the disk is gone"));
  EXPECT_TRUE(FileExists(JoinPath(options_.worktrees_dir, "story-1.1/one.txt")));
  EXPECT_EQ(result.commit, "");
}

TEST_F(StoryWaveTest, NamesThatAreNoTextAreTakenOverAsTheyAre) {
  const std::string name = "n\xff.txt";
  Step("one", 1, {[&](const StepTask& task) {
         Write(name, "1\n")(task);
         steps_.recorded["story-1.1"] = {{name}};
         return Done({"n\xEF\xBF\xBD.txt"});  // as a journal has it
       }});
  Step("two", 1, {Write("two.txt", "2\n")});
  Run();
  EXPECT_EQ(dir_.Read("repo/" + name), "1\n");
}

TEST_F(StoryWaveTest, NoProgramOfTheRepositoryMerges) {
  dir_.Write("repo/.gitattributes", "a.txt merge=own\n");
  Git({"add", "-A"});
  Git({"commit", "-q", "-m", "attributes"});
  Git({"config", "merge.own.driver", absl::StrCat("touch ", dir_.Path("ran"), "; true")});
  Step("top", 1, {Write("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")});
  Step("end", 1, {Write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"), Write("a.txt", "both\n")});
  ASSERT_TRUE(Run().overall.ok());
  EXPECT_FALSE(FileExists(dir_.Path("ran")));
  EXPECT_EQ(dir_.Read("repo/a.txt"), "both\n");
}

TEST_F(StoryWaveTest, ValidatorsThatDoNotRunAreNotForTheStepToMend) {
  steps_.refusals[1] = "the validator could not be run";
  steps_.merge_verdict = "infra_error";
  Step("one", 1, {Write("one.txt", "1\n")});
  Step("two", 1, {Write("two.txt", "2\n")});
  EXPECT_EQ(Run().overall.reason, StopReason::kInfraError);
  EXPECT_EQ(steps_.tasks["one"].size(), 1U);
}

TEST_F(StoryWaveTest, ARepositoryWithoutACommitIsToldBeforeAnythingRuns) {
  dir_.MakeDir("empty");
  Git({"init", "-q", dir_.Path("empty")});
  Step("zero", 0, {Write("z.txt", "z\n")});
  Step("one", 1, {});
  Step("two", 1, {});
  const auto result = StoryRunner(runner_.get(), &steps_, &events_)
                          .Run(story_, dir_.Path("empty"), options_, nullptr);
  EXPECT_TRUE(absl::IsFailedPrecondition(result.status())) << result.status();
  EXPECT_THAT(result.status().message(), HasSubstr("start from a commit"));
  EXPECT_TRUE(steps_.tasks.empty());
}

}  // namespace
}  // namespace stile

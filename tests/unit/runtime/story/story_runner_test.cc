// Size: one scripted step runner and one real repository serve every rule of a story.
#include "runtime/story/story_runner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/sha256.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/source_folder.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// A file that stands for a certificate.
std::string CertificatePath() {
  return SourceFolder() + "/runtime/certificate/certificate.schema.json";
}

std::string CertificateText() {
  return DiskFileSystem()->ReadFile(CertificatePath(), kMaxFileBytes).value();
}

RunResult Succeeded(std::vector<std::string> changed, std::string answer = "Did it.") {
  RunResult result;
  result.outcome = RunState::kSucceeded;
  result.changed = std::move(changed);
  result.answer = std::move(answer);
  result.certificate = RunResult::CertificateRef{CertificatePath(), Sha256Hex(CertificateText())};
  result.usage.input_tokens = 10;
  result.turns = 2;
  result.tools_used["file.write"] = 1;
  return result;
}

RunResult Failed(StopReason reason, std::string message, std::vector<std::string> changed = {}) {
  RunResult result = Succeeded(std::move(changed), "Tried something.");
  result.outcome = RunState::kFailed;
  result.reason = reason;
  result.message = std::move(message);
  result.certificate.reset();
  return result;
}

// Plays one function per run; they edit real files.
class ScriptedSteps : public StepRunner {
 public:
  using Play = std::function<absl::StatusOr<RunResult>(const StepTask&, const EventSink&)>;
  absl::StatusOr<RunResult> RunStep(const StepTask& task, const EventSink& sink) override {
    tasks.push_back(task);
    if (tasks.size() > plays.size()) return absl::InternalError("the script is over");
    return plays[tasks.size() - 1](task, sink);
  }
  // Changes the files, without a gate.
  absl::StatusOr<RunResult> RunMerge(const MergeTask& task, const EventSink&) override {
    merges.push_back(task);
    if (in_merge) return in_merge(task);
    if (!task.work.obstacle.empty()) return Failed(StopReason::kGaveUp, task.work.obstacle);
    std::vector<std::string> changed;
    for (const PlannedFile& file : task.work.files) {
      const std::string path = JoinPath(task.workspace, file.path);
      const absl::Status status =
          file.after.has_value()
              ? DiskFileSystem()->WriteFile(path, *file.after, file.mode, /*sync=*/false)
              : DiskFileSystem()->RemoveFile(path);
      if (!status.ok()) return status;
      changed.push_back(file.path);
    }
    return Succeeded(changed, "merged");
  }
  absl::Status ShareDependencies(const std::string& workspace, const std::string& folder) override {
    shared[folder] = workspace;
    return absl::OkStatus();
  }
  std::optional<std::string> WorkspaceOf(const std::string& run_id) override {
    const auto found = begun.find(run_id);
    return found == begun.end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  std::map<std::string, std::string> begun;  // workspaces of runs that there are already
  absl::Status ForgetWorkspace(const std::string&) override { return absl::OkStatus(); }
  absl::StatusOr<ValidationReport> ValidateAll(const std::string&, Level level) override {
    ValidationReport report;
    report.targets.resize(1);
    report.verdict = verdict(level);
    report.targets[0].result.verdict = report.verdict;
    report.targets[0].result.output = "the whole output of the tests";
    return report;
  }
  absl::StatusOr<ValidationReport> ValidateTree(const CleanCheckout& room) override {
    rooms.push_back(room);
    EXPECT_TRUE(DiskFileSystem()->MakeDirs(room.state_dir).ok());
    return in_tree ? in_tree(room.folder) : ValidationReport();
  }
  absl::StatusOr<std::vector<RecordedChange>> ChangesOf(const std::string& run_id) override {
    const auto found = changes.find(run_id);
    if (found == changes.end()) return absl::NotFoundError(run_id);
    return found->second;
  }
  absl::StatusOr<std::vector<std::string>> WrapPrograms(const Repository&) override {
    return wrapper;
  }
  std::vector<MergeTask> merges;
  std::function<absl::StatusOr<RunResult>(const MergeTask&)> in_merge;
  std::map<std::string, std::string> shared;
  std::vector<CleanCheckout> rooms;
  std::function<ValidationReport(const std::string&)> in_tree;
  std::map<std::string, std::vector<RecordedChange>> changes;
  std::vector<std::string> wrapper;
  std::vector<Play> plays;
  std::vector<StepTask> tasks;
  std::function<Verdict(Level)> verdict = [](Level) { return Verdict::kPass; };
};

class StoryRunnerTest : public ::testing::Test {
 protected:
  StoryRunnerTest() {
    dir_.MakeDir("repo");
    dir_.Write("repo/a.txt", "a\n");
    dir_.Write("repo/sub/b.txt", "b\n");
    dir_.Write("repo/.gitignore", "ignored/\n");
    Git({"init", "-q", "-b", "main"});
    Git({"config", "user.name", "T"});
    Git({"config", "user.email", "t@example.com"});
    Git({"add", "-A"});
    Git({"commit", "-q", "-m", "start"});
    events_.AddSink([this](const Event& event) { seen_.push_back(event); });
    story_.title = "Rename it";
    options_.worktrees_dir = dir_.Path("state/worktrees");
  }

  // Runs git in the repository (or another folder below the temporary one); stdout without the
  // newline.
  std::string Git(std::vector<std::string> arguments, const std::string& folder = "repo") {
    ProcessRequest request;
    request.argv = {"git"};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.cwd = dir_.Path(folder);
    request.env = InheritedEnvironment();
    const auto result = runner_->Run(request);
    EXPECT_TRUE(result.ok() && result->ok())
        << arguments[0] << ": " << (result.ok() ? result->err : "");
    if (!result.ok()) return "";
    std::string out = result->out;
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }
  void Hook(const std::string& name, const std::string& body) {
    dir_.Write("repo/.git/hooks/" + name, "#!/bin/sh\n" + body + "\n");
    ASSERT_EQ(chmod(dir_.Path("repo/.git/hooks/" + name).c_str(), 0755), 0);
  }
  StoryStep& AddStep(const std::string& name, ScriptedSteps::Play play) {
    StoryStep step;
    step.name = name;
    step.description = "Please do " + name;
    story_.steps.push_back(step);
    steps_.plays.push_back(std::move(play));
    return story_.steps.back();
  }
  // A step that writes a file of the workspace.
  StoryStep& AddWrite(const std::string& name, const std::string& path, const std::string& text) {
    return AddStep(name, Write(path, text));
  }
  ScriptedSteps::Play Write(const std::string& path, const std::string& text) {
    return [path, text](const StepTask& task, const EventSink&) -> absl::StatusOr<RunResult> {
      EXPECT_TRUE(DiskFileSystem()
                      ->WriteFile(absl::StrCat(task.workspace, "/", path), text, 0644, false)
                      .ok());
      return Succeeded({path}, absl::StrCat("Wrote ", path, "\nand more"));
    };
  }
  absl::StatusOr<StoryResult> TryRun(const std::string& workspace = "repo") {
    StoryRunner runner(runner_.get(), &steps_, &events_);
    return runner.Run(story_, dir_.Path(workspace), options_, &cancellation_);
  }
  StoryResult Run(const std::string& workspace = "repo") {
    auto result = TryRun(workspace);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : StoryResult{};
  }
  std::string Refusal(const std::string& workspace = "repo") {
    const auto result = TryRun(workspace);
    EXPECT_TRUE(absl::IsFailedPrecondition(result.status())) << result.status();
    EXPECT_THAT(steps_.tasks, IsEmpty());
    EXPECT_THAT(seen_, IsEmpty());
    return std::string(result.status().message());
  }
  std::vector<std::string> CommittedFiles(const std::string& revision = "HEAD") {
    return absl::StrSplit(Git({"show", "--name-only", "--format=", "-z", revision}), '\0',
                          absl::SkipEmpty());
  }
  std::vector<std::string> Types() {
    std::vector<std::string> types;
    for (const Event& event : seen_) types.emplace_back(EventTypeName(event.type));
    return types;
  }

  TempDir dir_;
  std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  FakeClock clock_;
  EventStream events_{"r1", &clock_};
  Cancellation cancellation_;
  ScriptedSteps steps_;
  Story story_;
  StoryOptions options_;
  std::vector<Event> seen_;
};

TEST_F(StoryRunnerTest, CommitsExactlyWhatTheStepsChangedOnABranch) {
  AddWrite("one", "a.txt", "new\n");
  AddWrite("two", "c.txt", "c\n");
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_EQ(result.overall.exit_code(), 0);
  EXPECT_EQ(result.branch, "stile/rename-it");
  EXPECT_EQ(result.workspace, dir_.Path("repo"));
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), result.commit);
  EXPECT_EQ(Git({"branch", "--show-current"}), "stile/rename-it");
  EXPECT_EQ(Git({"rev-list", "--count", "main..HEAD"}), "1");
  EXPECT_THAT(CommittedFiles(), UnorderedElementsAre("a.txt", "c.txt"));
  EXPECT_EQ(Git({"status", "--porcelain"}), "");
  EXPECT_EQ(Git({"log", "-1", "--format=%B"}),
            absl::StrCat("Rename it\n\n1. one: Wrote a.txt\n2. two: Wrote c.txt\n\nStile-Run: r1\n"
                         "Stile-Certificate: sha256:",
                         Sha256Hex(CertificateText())));
  EXPECT_EQ(Git({"notes", "--ref=stile", "show", "HEAD"}) + "\n", CertificateText());
  EXPECT_THAT(Types(), Not(Contains("log")));
  EXPECT_EQ(Git({"log", "-1", "--format=%(trailers:key=Stile-Run,valueonly)"}), "r1");
  EXPECT_THAT(result.overall.changed, ElementsAre("a.txt", "c.txt"));
  EXPECT_EQ(result.overall.usage.input_tokens, 20);
  EXPECT_EQ(result.overall.turns, 4);
  EXPECT_THAT(result.overall.message, HasSubstr("stile/rename-it"));
  EXPECT_THAT(result.overall.message,
              HasSubstr("2 files committed as " + result.commit.substr(0, 12) + "."));
  EXPECT_THAT(result.overall.message, HasSubstr("`git switch -`"));
  EXPECT_THAT(result.overall.message, HasSubstr("stile runs show r1"));
  ASSERT_EQ(steps_.tasks.size(), 2u);
  EXPECT_EQ(steps_.tasks[0].run_id, "r1.1");
  EXPECT_EQ(steps_.tasks[0].task, "Please do one");
  EXPECT_EQ(steps_.tasks[0].context, "");
  EXPECT_EQ(steps_.tasks[1].run_id, "r1.2");
  EXPECT_THAT(steps_.tasks[1].context, HasSubstr("Step 1 (one): Wrote a.txt"));
}

TEST_F(StoryRunnerTest, PassesAgentAndTurnsOfTheStepBeforeThoseOfTheStory) {
  story_.agent = "story-agent";
  story_.max_turns = 7;
  AddWrite("one", "a.txt", "1");
  AddWrite("two", "a.txt", "2");
  story_.steps[1].agent = "step-agent";
  story_.steps[1].max_turns = 3;
  Run();
  EXPECT_EQ(steps_.tasks[0].agent, "story-agent");
  EXPECT_EQ(steps_.tasks[0].max_turns, 7);
  EXPECT_EQ(steps_.tasks[1].agent, "step-agent");
  EXPECT_EQ(steps_.tasks[1].max_turns, 3);
}

TEST_F(StoryRunnerTest, ForwardsEventsOfStepsWithinStepStartedAndStepFinished) {
  AddStep("one", [](const StepTask&, const EventSink& sink) -> absl::StatusOr<RunResult> {
    const auto emit = [&](EventType type, Json data) {
      sink(Event{type, 77, absl::UnixEpoch(), "r1.1", std::move(data)});
    };
    emit(EventType::kRunStarted, {{"task", "t"}, {"workspace", "w"}});
    emit(EventType::kTurnStarted, {{"turn", 1}});
    emit(EventType::kRunFinished, ToJson(Succeeded({})));
    return Succeeded({});
  });
  Run();
  EXPECT_THAT(Types(), ElementsAre("story_started", "step_started", "turn_started", "step_finished",
                                   "story_finished"));
  for (size_t i = 0; i < seen_.size(); ++i) {
    EXPECT_EQ(seen_[i].seq, i + 1);
    EXPECT_EQ(seen_[i].run_id, "r1");
  }
  EXPECT_EQ(seen_[2].data["step"], 1);
  EXPECT_EQ(seen_[3].data["name"], "one");
  EXPECT_EQ(seen_[3].data["attempts"], 1);
  EXPECT_EQ(seen_[3].data["exit_code"], 0);
  EXPECT_EQ(seen_[4].data["branch"], "stile/rename-it");
}

TEST_F(StoryRunnerTest, TheFirstFailedStepEndsTheStoryWithoutACommit) {
  AddWrite("one", "a.txt", "new\n");
  AddStep("two", [](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    return Failed(StopReason::kGateFailed, "a.txt:1: error: broken");
  });
  AddWrite("three", "c.txt", "c\n");
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kFailed);
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_EQ(result.overall.exit_code(), 3);
  EXPECT_EQ(result.steps.size(), 2u);
  EXPECT_EQ(result.commit, "");
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
  EXPECT_EQ(Git({"status", "--porcelain"}), " M a.txt");
  EXPECT_EQ(Git({"branch", "--show-current"}), "stile/rename-it");
  for (const char* part :
       {"Step 2 of 3 (two) failed (gate_failed)", "a.txt:1: error: broken", "Nothing was committed",
        "stile/rename-it", "stile runs show r1.2", "stile runs retry r1 --step 2"}) {
    EXPECT_THAT(result.overall.message, HasSubstr(part));
  }
}

TEST_F(StoryRunnerTest, AStepThatCouldNotRunIsAnInternalFailureNotAStatus) {
  AddStep("one", [](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    return absl::UnavailableError("no more processes");
  }).retry_max = 3;
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kInternal);
  EXPECT_THAT(result.overall.message, HasSubstr("no more processes"));
  EXPECT_EQ(steps_.tasks.size(), 1u);
}

TEST_F(StoryRunnerTest, UnmetExpectationsFailTheStep) {
  AddWrite("one", "a.txt", "new\n").expect.files_exist = {"never.txt"};
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kExpectationsUnmet);
  EXPECT_EQ(result.overall.exit_code(), 1);
  EXPECT_THAT(result.steps[0].unmet, ElementsAre("files_exist: never.txt does not exist"));
  EXPECT_THAT(result.overall.message, HasSubstr("never.txt does not exist"));
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
}

TEST_F(StoryRunnerTest, RetriesWithTheTaskAndAFixSection) {
  StoryStep& step = AddWrite("one", "a.txt", "half\n");
  step.expect.file_contains = {{"a.txt", "whole"}};
  step.expect.tools_used = {"file.write"};
  step.retry_max = 2;
  steps_.plays.push_back([&](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    return Failed(StopReason::kGateFailed, "line one\nline two of the diagnostics");
  });
  steps_.plays.push_back([&](const StepTask& task, const EventSink& sink) {
    auto result = Write("a.txt", "whole\n")(task, sink);
    result->tools_used.clear();  // those of the first attempt count
    return result;
  });
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_EQ(result.steps[0].attempts, 3);
  EXPECT_EQ(result.steps[0].run_id, "r1.1.3");
  EXPECT_EQ(result.overall.turns, 6);
  ASSERT_EQ(steps_.tasks.size(), 3u);
  EXPECT_FALSE(steps_.tasks[0].retry);
  EXPECT_TRUE(steps_.tasks[1].retry);
  EXPECT_EQ(steps_.tasks[1].run_id, "r1.1.2");
  for (const char* part : {"Your previous attempt failed; fix this", "Please do one",
                           "a.txt does not contain /whole/", "Wrote a.txt\nand more", "- a.txt"}) {
    EXPECT_THAT(steps_.tasks[1].task, HasSubstr(part));
  }
  EXPECT_THAT(steps_.tasks[2].task, HasSubstr("line one\nline two of the diagnostics"));
  EXPECT_THAT(Types(), ElementsAre("story_started", "step_started", "log", "log", "step_finished",
                                   "story_finished"));
}

TEST_F(StoryRunnerTest, RetryOnFiltersByReason) {
  const auto attempts = [&](
                            StoryStep::RetryOn on, ScriptedSteps::Play play,
                            std::function<void(StoryStep*)> expect = [](StoryStep*) {}) {
    steps_.tasks.clear();
    steps_.plays = {play, play};
    story_.steps.assign(1, StoryStep{});
    story_.steps[0].name = "s";
    story_.steps[0].description = "d";
    story_.steps[0].retry_max = 1;
    story_.steps[0].retry_on = on;
    expect(&story_.steps[0]);
    return Run().steps[0].attempts;
  };
  const auto fail = [](StopReason reason) {
    return [reason](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
      return Failed(reason, "why");
    };
  };
  const auto accept = [](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    return Succeeded({});
  };
  const auto tests = [](StoryStep* step) { step->expect.tests_pass = true; };
  const auto compiles = [](StoryStep* step) { step->expect.compiles = true; };
  using On = StoryStep::RetryOn;
  EXPECT_EQ(attempts(On::kAny, fail(StopReason::kMaxTurns)), 2);
  EXPECT_EQ(attempts(On::kAny, fail(StopReason::kCancelled)), 1);
  EXPECT_EQ(attempts(On::kBuild, fail(StopReason::kGateFailed)), 2);
  EXPECT_EQ(attempts(On::kBuild, fail(StopReason::kMaxTurns)), 1);
  EXPECT_EQ(attempts(On::kTest, fail(StopReason::kGateFailed)), 1);
  steps_.verdict = [](Level) { return Verdict::kFail; };
  EXPECT_EQ(attempts(On::kTest, accept, tests), 2);
  EXPECT_THAT(steps_.tasks[1].task, HasSubstr("the whole output of the tests"));
  EXPECT_EQ(attempts(On::kBuild, accept, tests), 1);
  EXPECT_EQ(attempts(On::kBuild, accept, compiles), 2);
}

TEST_F(StoryRunnerTest, NothingChangedMeansNoCommit) {
  AddStep("one", [](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    RunResult result = Succeeded({});
    result.outcome = RunState::kUnchanged;
    return result;
  });
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kUnchanged);
  EXPECT_EQ(result.commit, "");
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
}

TEST_F(StoryRunnerTest, OneUngatedStepMakesTheStoryUngatedAndOneChangeMakesItSucceeded) {
  const auto with = [](RunState outcome, std::vector<std::string> changed = {}) {
    return [=](const StepTask& task, const EventSink&) -> absl::StatusOr<RunResult> {
      for (const std::string& path : changed) {
        EXPECT_TRUE(DiskFileSystem()
                        ->WriteFile(task.workspace + "/" + path, task.run_id, 0644, false)
                        .ok());
      }
      RunResult result = Succeeded(changed);
      result.outcome = outcome;
      return result;
    };
  };
  AddStep("one", with(RunState::kSucceeded, {"a.txt"}));
  AddStep("two", with(RunState::kUnchanged));
  EXPECT_EQ(Run().overall.outcome, RunState::kSucceeded);
  steps_.tasks.clear();
  steps_.plays[1] = with(RunState::kUngated, {"c.txt"});
  AddStep("three", with(RunState::kUnchanged));
  const StoryResult ungated = Run();
  EXPECT_EQ(ungated.overall.outcome, RunState::kUngated);
  EXPECT_THAT(CommittedFiles(), UnorderedElementsAre("c.txt"));
}

TEST_F(StoryRunnerTest, CancellationStopsBetweenStepsAndBeforeTheCommit) {
  AddStep("one", [&](const StepTask& task, const EventSink& sink) {
    cancellation_.Cancel();
    return Write("a.txt", "new")(task, sink);
  });
  StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kCancelled);
  EXPECT_EQ(result.overall.exit_code(), 130);
  EXPECT_EQ(result.commit, "");
  AddWrite("two", "c.txt", "c");
  options_.allow_dirty = true;
  steps_.tasks.clear();
  result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kCancelled);
  EXPECT_THAT(steps_.tasks, IsEmpty());
}

TEST_F(StoryRunnerTest, RefusesADirtyTreeAndNamesTheFiles) {
  AddWrite("one", "a.txt", "new");
  for (int i = 0; i < 12; ++i) dir_.Write(absl::StrCat("repo/new\n", i), "untracked");
  dir_.Write("repo/ignored/x", "no matter");
  const std::string message = Refusal();
  EXPECT_THAT(message, HasSubstr("12 files are not committed"));
  EXPECT_THAT(message, HasSubstr("?? \"new\\n0\""));
  EXPECT_THAT(message, HasSubstr("… and 2 more"));
  EXPECT_THAT(message, HasSubstr("--allow-dirty"));
  EXPECT_EQ(Git({"branch", "--show-current"}), "main");
}

TEST_F(StoryRunnerTest, LeavesForeignDirtOutOfTheCommit) {
  dir_.Write("repo/a.txt", "by a person");
  dir_.Write("repo/staged.txt", "staged by a person");
  Git({"add", "staged.txt"});
  dir_.Write("repo/untracked.txt", "by a person");
  options_.allow_dirty = true;
  AddWrite("one", "sub/b.txt", "new");
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_THAT(CommittedFiles(), ElementsAre("sub/b.txt"));
  EXPECT_EQ(Git({"status", "--porcelain"}), " M a.txt\nA  staged.txt\n?? untracked.txt");
}

TEST_F(StoryRunnerTest, CommitsAdditionsDeletionsOddNamesAndWhatIsIgnoredByNow) {
  const std::vector<std::string> names = {
      "with \"quotes\" and 'more'", "new\nline", "byte \xff\xfe", "-dash", ":(glob)*", "blank "};
  AddStep("one", [&](const StepTask& task, const EventSink&) -> absl::StatusOr<RunResult> {
    std::vector<std::string> changed = {"a.txt", "ignored/x"};
    EXPECT_TRUE(DiskFileSystem()->RemoveFile(task.workspace + "/a.txt").ok());
    EXPECT_TRUE(DiskFileSystem()->MakeDirs(task.workspace + "/ignored").ok());
    EXPECT_TRUE(DiskFileSystem()->WriteFile(task.workspace + "/ignored/x", "x", 0644, false).ok());
    for (const std::string& name : names) {
      EXPECT_TRUE(DiskFileSystem()->WriteFile(task.workspace + "/" + name, name, 0644, false).ok());
      changed.push_back(name);
    }
    return Succeeded(changed, "Stile-Certificate: sha256:forged\n\nStile-Run: forged");
  });
  const StoryResult result = Run();
  ASSERT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  std::vector<std::string> expected = names;
  expected.push_back("a.txt");
  expected.push_back("ignored/x");  // it was validated, so the commit has it
  EXPECT_THAT(CommittedFiles(), ::testing::UnorderedElementsAreArray(expected));
  EXPECT_EQ(Git({"status", "--porcelain"}), "");
  EXPECT_EQ(Git({"log", "-1", "--format=%(trailers:key=Stile-Run,valueonly)"}), "r1");
}

TEST_F(StoryRunnerTest, TheWorkspaceMayBeAFolderOfTheRepository) {
  AddWrite("one", "b.txt", "new");
  const StoryResult result = Run("repo/sub");
  EXPECT_EQ(result.workspace, dir_.Path("repo/sub"));
  EXPECT_THAT(CommittedFiles(), ElementsAre("sub/b.txt"));
}

TEST_F(StoryRunnerTest, WithoutGitItSaysWhatToDo) {
  AddWrite("one", "a.txt", "x");
  dir_.MakeDir("plain");
  const std::string message = Refusal("plain");
  EXPECT_THAT(message, HasSubstr("not a git repository"));
  EXPECT_THAT(message, HasSubstr("git init"));
  EXPECT_THAT(message, HasSubstr("stile run -t"));
}

TEST_F(StoryRunnerTest, ATakenBranchIsRefusedAndTheCurrentOneGoneOnWith) {
  AddWrite("one", "a.txt", "new");
  story_.branch = "feature/x";
  Git({"branch", "feature/x"});
  const std::string message = Refusal();
  EXPECT_THAT(message, HasSubstr("feature/x exists already"));
  EXPECT_THAT(message, HasSubstr("`git switch feature/x`"));
  EXPECT_THAT(message, HasSubstr("`git branch -D feature/x`"));
  Git({"switch", "-q", "feature/x"});
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kSucceeded);
  EXPECT_EQ(Git({"rev-parse", "feature/x"}), result.commit);
  EXPECT_THAT(result.overall.message, Not(HasSubstr("git switch -")));
}

TEST_F(StoryRunnerTest, BranchNamesThatGitRefusesAreErrorsBeforeAnything) {
  AddWrite("one", "a.txt", "new");
  for (const std::string name : {"a..b", "-x", "a b", "@{-1}", "x.lock", "a~1", "a\nb", "HEAD",
                                 "/a", "a/", "\x7f", "--orphan"}) {
    story_.branch = name;
    const auto result = TryRun();
    EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << name << ": " << result.status();
  }
  Git({"branch", "stile"});  // stile/… cannot be beside it
  story_.branch = "";
  EXPECT_FALSE(TryRun().ok());
  EXPECT_THAT(steps_.tasks, IsEmpty());
  EXPECT_EQ(Git({"branch", "--show-current"}), "main");
}

TEST_F(StoryRunnerTest, WorksInASecondWorkingTree) {
  options_.worktree = true;
  options_.worktrees_dir = dir_.Path("state/worktrees");
  AddWrite("one", "b.txt", "new");
  const StoryResult result = Run("repo/sub");
  ASSERT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_EQ(result.workspace, dir_.Path("state/worktrees/r1/sub"));
  EXPECT_EQ(Git({"branch", "--show-current"}), "main");
  EXPECT_EQ(Git({"status", "--porcelain"}), "");
  EXPECT_EQ(dir_.Read("repo/sub/b.txt"), "b\n");
  EXPECT_EQ(Git({"rev-parse", "stile/rename-it"}), result.commit);
  EXPECT_THAT(CommittedFiles("stile/rename-it"), ElementsAre("sub/b.txt"));
  EXPECT_THAT(result.overall.message, HasSubstr("git worktree remove"));
}

TEST_F(StoryRunnerTest, AWorkingTreeLeftByACrashIsNamed) {
  options_.worktree = true;
  options_.worktrees_dir = dir_.Path("state/worktrees");
  AddWrite("one", "a.txt", "new");
  Git({"worktree", "add", "-q", "-b", "stile/rename-it", dir_.Path("state/worktrees/r0")});
  EXPECT_THAT(Refusal(), HasSubstr(dir_.Path("state/worktrees/r0")));
  // Its folder was deleted by hand: git still thinks that the branch is in use there.
  ASSERT_TRUE(RemoveTree(dir_.Path("state/worktrees/r0")).ok());
  story_.branch = "other";
  EXPECT_EQ(Run().overall.outcome, RunState::kSucceeded);
  // The run's own folder is there already.
  steps_.tasks.clear();
  seen_.clear();
  story_.branch = "third";
  EXPECT_THAT(Refusal(), HasSubstr("left over from an earlier run"));
}

TEST_F(StoryRunnerTest, AHookThatRejectsTheCommitFailsTheStory) {
  Hook("commit-msg", "echo 'no ticket number' >&2; exit 1");
  AddWrite("one", "a.txt", "new\n");
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kFailed);
  EXPECT_EQ(result.overall.exit_code(), 1);
  EXPECT_THAT(result.overall.message, HasSubstr("no ticket number"));
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
  EXPECT_EQ(Git({"status", "--porcelain"}), " M a.txt");
}

TEST_F(StoryRunnerTest, WhatIsCommittedIsJudgedByItselfFirst) {
  dir_.Write("repo/untracked.txt", "mine\n");
  options_.allow_dirty = true;
  AddWrite("one", "a.txt", "new\n");
  steps_.in_tree = [&](const std::string& folder) {
    EXPECT_EQ(*DiskFileSystem()->ReadFile(folder + "/a.txt", 100), "new\n");
    EXPECT_FALSE(FileExists(folder + "/untracked.txt"));
    EXPECT_TRUE(FileExists(folder + "/sub/b.txt"));
    EXPECT_EQ(Git({"rev-parse", "HEAD"}, folder.substr(dir_.path().size() + 1)),
              Git({"rev-parse", "main"}));
    return ValidationReport();
  };
  const StoryResult result = Run();
  EXPECT_TRUE(result.overall.ok()) << result.overall.message;
  ASSERT_EQ(steps_.rooms.size(), 1u);
  EXPECT_EQ(steps_.rooms[0].dependencies, dir_.Path("repo"));
  EXPECT_FALSE(FileExists(steps_.rooms[0].folder));
  EXPECT_THAT(Git({"worktree", "list", "--porcelain"}), Not(HasSubstr("checkout")));
  EXPECT_THAT(*ListDirectory(dir_.Path("state/worktrees")), IsEmpty());
  EXPECT_THAT(CommittedFiles(), ElementsAre("a.txt"));
}

TEST_F(StoryRunnerTest, RoomsOfKilledProcessesAreSwept) {
  const std::string gone = dir_.Path("state/worktrees/scratch-0123456789abcdef/checkout");
  Git({"worktree", "add", "-q", "--detach", gone, "HEAD"});
  dir_.Write("repo/.git/worktrees/checkout/locked", "initializing\n");
  dir_.Write("state/worktrees/scratch-0123456789abcdef.lock", "");
  AddWrite("one", "a.txt", "new\n");
  const StoryResult result = Run();
  EXPECT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_THAT(*ListDirectory(dir_.Path("state/worktrees")), IsEmpty());
  EXPECT_FALSE(dir_.Exists("repo/.git/worktrees/checkout"));
}

TEST_F(StoryRunnerTest, ACommitThatDoesNotPassByItselfIsNotMade) {
  AddWrite("one", "a.txt", "new\n");
  steps_.in_tree = [](const std::string&) {
    ValidationReport report;
    report.verdict = Verdict::kFail;
    report.remaining = {". (word): a.txt"};
    report.targets.resize(1);
    report.targets[0].validator = "word";
    report.targets[0].root = ".";
    report.targets[0].result.verdict = Verdict::kFail;
    report.targets[0].result.diagnostics = {
        {Severity::kError, "a.txt", 1, 1, "W1", "generated.txt is missing"}};
    return report;
  };
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_THAT(result.overall.message, HasSubstr("generated.txt is missing"));
  EXPECT_EQ(result.commit, "");
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
  EXPECT_EQ(Git({"status", "--porcelain"}), " M a.txt");
  EXPECT_FALSE(FileExists(steps_.rooms.at(0).folder));

  options_.clean_room = false;
  options_.allow_dirty = true;
  steps_.plays = {Write("a.txt", "newer\n")};
  steps_.tasks.clear();
  EXPECT_NE(Run().commit, "");
}

TEST_F(StoryRunnerTest, WhatChangesWhileItIsJudgedIsNotCommitted) {
  AddWrite("one", "a.txt", "new\n");
  steps_.in_tree = [&](const std::string&) {
    dir_.Write("repo/a.txt", "edited meanwhile\n");
    return ValidationReport();
  };
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_THAT(result.overall.message, HasSubstr("somebody else changed a.txt"));
  EXPECT_EQ(result.commit, "");
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
  EXPECT_EQ(Git({"status", "--porcelain"}), " M a.txt");
  EXPECT_EQ(dir_.Read("repo/a.txt"), "edited meanwhile\n");
}

TEST_F(StoryRunnerTest, WithoutACleanRoomOnlyWhatTheStepsLeftIsCommitted) {
  options_.clean_room = false;
  AddWrite("one", "a.txt", "new\n");
  RecordedChange change;
  change.path = "a.txt";
  change.before = Sha256Of("a\n");
  change.after = Sha256Of("new\n");
  change.before_mode = change.after_mode = 0100644;
  steps_.changes["r1.1"] = {change};
  AddStep("two", [&](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    dir_.Write("repo/a.txt", "edited meanwhile\n");
    return Succeeded({});
  });
  StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_THAT(result.overall.message, HasSubstr("a.txt was changed after the last step"));
  EXPECT_EQ(result.commit, "");

  // The same content from a step is what was accepted.
  change.after = Sha256Of("edited meanwhile\n");
  steps_.changes["r1.2"] = {change};
  steps_.tasks.clear();
  options_.allow_dirty = true;
  EXPECT_NE(Run().commit, "");
}

TEST_F(StoryRunnerTest, WhatTheGateTakesIsGoodEnoughForTheCommit) {
  AddWrite("one", "a.txt", "new\n");
  steps_.in_tree = [](const std::string&) {
    ValidationReport report;  // gate.allow_flaky
    report.verdict = Verdict::kFlakyPass;
    report.targets.resize(1);
    report.targets[0].result.verdict = Verdict::kFlakyPass;
    return report;
  };
  EXPECT_NE(Run().commit, "");
}

TEST_F(StoryRunnerTest, HooksRunBehindTheWrapper) {
  Hook("commit-msg", "echo \"$WRAPPED $(basename $1)\" >> \"$(git rev-parse --git-dir)/seen\"");
  Hook("post-commit", "echo post >> \"$(git rev-parse --git-dir)/seen\"");
  steps_.wrapper = {"env", "WRAPPED=it's wrapped"};
  AddWrite("one", "a.txt", "new\n");
  const StoryResult result = Run();
  EXPECT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_EQ(dir_.Read("repo/.git/seen"), "it's wrapped COMMIT_EDITMSG\npost\n");
}

TEST_F(StoryRunnerTest, ACommitStandsThoughTheIndexIsInUse) {
  Hook("post-commit", "touch \"$(git rev-parse --git-dir)/index.lock\"");
  AddWrite("one", "a.txt", "new\n");
  const StoryResult result = Run();
  EXPECT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_EQ(result.commit, Git({"rev-parse", "HEAD"}));
  EXPECT_THAT(CommittedFiles(), ElementsAre("a.txt"));
  std::vector<std::string> warnings;
  for (const Event& event : seen_) {
    if (event.type == EventType::kLog) warnings.push_back(event.data["text"].get<std::string>());
  }
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("git's index was in use")));
}

TEST_F(StoryRunnerTest, WhatEndsGitAfterTheCommitDoesNotHideIt) {
  Hook("post-commit", "kill -9 $PPID");
  AddWrite("one", "a.txt", "new\n");
  const StoryResult result = Run();
  EXPECT_TRUE(result.overall.ok()) << result.overall.message;
  EXPECT_EQ(result.commit, Git({"rev-parse", "HEAD"}));
  EXPECT_NE(result.commit, Git({"rev-parse", "main"}));
  EXPECT_EQ(Git({"status", "--porcelain"}), "");
}

TEST_F(StoryRunnerTest, AHookThatChangesContentVoidsTheCommit) {
  for (const std::string hook :
       {"echo formatted > a.txt; git add a.txt", "echo x > extra.txt; git add extra.txt",
        "echo other > /tmp/stile-hook.$$; git update-index --cacheinfo "
        "100644,$(git hash-object -w /tmp/stile-hook.$$),a.txt; rm /tmp/stile-hook.$$"}) {
    Hook("pre-commit", hook);
    story_.steps.clear();
    steps_.plays.clear();
    steps_.tasks.clear();
    AddWrite("one", "a.txt", "new\n");
    options_.allow_dirty = true;
    const StoryResult result = Run();
    EXPECT_EQ(result.overall.reason, StopReason::kGateFailed) << hook;
    EXPECT_THAT(result.overall.message, HasSubstr("a hook ")) << hook;
    EXPECT_EQ(result.commit, "") << hook;
    EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"})) << hook;
  }
}

TEST_F(StoryRunnerTest, HooksOrConfigurationChangedByAStepDoNotRun) {
  const std::string proof = dir_.Path("proof");
  AddStep("one", [&](const StepTask& task, const EventSink& sink) {
    Hook("pre-commit", "touch " + proof);
    return Write("a.txt", "new")(task, sink);
  });
  StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_THAT(result.overall.message, HasSubstr("hooks or configuration were changed"));
  EXPECT_FALSE(dir_.Exists("proof"));
  options_.allow_dirty = true;
  steps_.tasks.clear();
  steps_.plays[0] = [&](const StepTask& task, const EventSink& sink) {
    Git({"config", "core.hooksPath", "sub"});
    return Write("a.txt", "newer")(task, sink);
  };
  result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kGateFailed);
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), Git({"rev-parse", "main"}));
}

TEST_F(StoryRunnerTest, AStepThatLeavesTheBranchFails) {
  AddStep("one", [&](const StepTask&, const EventSink&) -> absl::StatusOr<RunResult> {
    Git({"switch", "-q", "main"});
    return Succeeded({});
  });
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kExpectationsUnmet);
  EXPECT_THAT(result.steps[0].unmet[0], HasSubstr("left stile/rename-it for main"));
}

TEST_F(StoryRunnerTest, AFileThatGitWasToldToTakeAsUnchangedIsCommitted) {
  for (const std::string flag : {"--assume-unchanged", "--skip-worktree"}) {
    story_.steps.clear();
    steps_.plays.clear();
    steps_.tasks.clear();
    AddStep("one", [&](const StepTask& task, const EventSink& sink) {
      Git({"update-index", flag, "a.txt"});
      return Write("a.txt", flag)(task, sink);
    });
    const StoryResult result = Run();
    EXPECT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
    EXPECT_EQ(Git({"show", "HEAD:a.txt"}), flag);
  }
}

TEST_F(StoryRunnerTest, GoesOnAfterStepsThatAreDone) {
  Git({"switch", "-q", "-c", "stile/rename-it"});
  dir_.Write("repo/a.txt", "by step one");
  dir_.Write("repo/b.txt", "by the step that failed");
  AddWrite("one", "never", "never");
  AddWrite("two", "c.txt", "c");
  steps_.plays.erase(steps_.plays.begin());
  options_.first_step = 2;
  options_.done_summaries = {"One is done."};
  options_.done_changed = {"a.txt"};
  options_.done_certificates = {{"/earlier.json", "cafe"}};
  EXPECT_THAT(Refusal(), HasSubstr("?? b.txt"));
  options_.done_changed = {"a.txt", "b.txt"};
  const StoryResult result = Run();
  ASSERT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_EQ(result.steps.size(), 1u);
  EXPECT_EQ(steps_.tasks[0].run_id, "r1.2");
  EXPECT_THAT(steps_.tasks[0].context, HasSubstr("Step 1 (one): One is done."));
  EXPECT_THAT(CommittedFiles(), UnorderedElementsAre("a.txt", "b.txt", "c.txt"));
  EXPECT_THAT(Git({"log", "-1", "--format=%B"}), HasSubstr("Stile-Certificate: sha256:cafe"));
  // A certificate that is gone: the commit stays, and a warning says what it lacks.
  ASSERT_THAT(Types(), Contains("log"));
  EXPECT_EQ(Git({"notes", "--ref=stile", "list"}), "");
  options_.first_step = 3;  // after the last: only the commit was left to do
  EXPECT_TRUE(Run().overall.ok());
  options_.first_step = 4;
  EXPECT_TRUE(absl::IsInvalidArgument(TryRun().status()));
}

TEST_F(StoryRunnerTest, AChangeOutsideTheDeliveredPathsIsNotCommitted) {
  options_.paths = {"b/**"};
  AddWrite("one", "a.txt", "new");
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.reason, StopReason::kExpectationsUnmet);
  EXPECT_THAT(result.overall.message, HasSubstr("a.txt was changed, which deliver.paths"));
  EXPECT_EQ(result.commit, "");
}

TEST_F(StoryRunnerTest, NoCommitLeavesTheWorkOnTheBranch) {
  options_.commit = false;
  AddWrite("one", "a.txt", "new");
  const StoryResult result = Run();
  EXPECT_EQ(result.overall.outcome, RunState::kSucceeded);
  EXPECT_EQ(result.commit, "");
  EXPECT_EQ(Git({"status", "--porcelain"}), " M a.txt");
  EXPECT_THAT(result.overall.message, HasSubstr("not committed as asked"));
}

TEST_F(StoryRunnerTest, StartsARepositoryThatHasNoCommit) {
  dir_.MakeDir("empty");
  Git({"init", "-q", "-b", "main"}, "empty");
  AddWrite("one", "a.txt", "first");
  const StoryResult result = Run("empty");
  ASSERT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_EQ(Git({"rev-list", "--count", "HEAD"}, "empty"), "1");
}

TEST_F(StoryRunnerTest, LongStoriesKeepContextAndMessageBounded) {
  for (int i = 0; i < 150; ++i) {
    AddStep(absl::StrCat("s", i),
            [i](const StepTask& task, const EventSink&) -> absl::StatusOr<RunResult> {
              EXPECT_LT(task.context.size(), 30'000u);
              if (i == 0) {
                EXPECT_TRUE(
                    DiskFileSystem()->WriteFile(task.workspace + "/a.txt", "x", 0644, false).ok());
              }
              return Succeeded(
                  i == 0 ? std::vector<std::string>{"a.txt"} : std::vector<std::string>{},
                  std::string(5000, 'w'));
            });
  }
  const StoryResult result = Run();
  ASSERT_EQ(result.overall.outcome, RunState::kSucceeded) << result.overall.message;
  EXPECT_THAT(steps_.tasks.back().context, HasSubstr("earlier steps left out"));
  EXPECT_THAT(Git({"log", "-1", "--format=%B"}), HasSubstr("… and 50 further steps"));
}

// What the attempt that was interrupted has written by now would make the one before it look right.
TEST_F(StoryRunnerTest, AnAttemptThatWasTriedAgainIsNotMeasuredOnceMore) {
  StoryStep& step = AddStep("one", [&](const StepTask&, const EventSink&) {
    dir_.Write("repo/wanted.txt", "by the second\n");
    return Succeeded({"a.txt"});
  });
  step.expect.files_exist = {"wanted.txt"};
  step.retry_max = 1;
  steps_.plays.push_back([&](const StepTask& task, const EventSink&) {
    EXPECT_EQ(task.run_id, "r1.1.2");
    return Succeeded({"wanted.txt"});
  });
  steps_.begun = {{"r1.1", dir_.Path("repo")}, {"r1.1.2", dir_.Path("repo")}};
  const auto result = StoryRunner(runner_.get(), &steps_, &events_)
                          .Run(story_, dir_.Path("repo"), options_, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(steps_.tasks.size(), 2U);
  EXPECT_TRUE(result->overall.ok()) << result->overall.message;
}

}  // namespace
}  // namespace stile

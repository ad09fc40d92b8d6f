#include "runtime/process/process_runner.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using End = ProcessResult::End;

class ProcessRunnerTest : public ::testing::Test {
 protected:
  static ProcessRequest Shell(const std::string& script) {
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", script};
    request.env = InheritedEnvironment();
    return request;
  }

  ProcessResult Run(const ProcessRequest& request) {
    auto result = runner_->Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ProcessResult();
  }

  // Whether the process whose pid a script wrote into `file` is gone (or only a zombie).
  bool Gone(const std::string& file) {
    int pid = 0;
    EXPECT_TRUE(absl::SimpleAtoi(absl::StripAsciiWhitespace(dir_.Read(file)), &pid));
    return IsGone(pid);
  }
  static bool IsGone(int pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

  // Waits until something has that name; the writers below rename, so it is complete then.
  void AwaitFile(const std::string& name) {
    for (int i = 0; i < 3000 && !dir_.Exists(name); ++i) poll(nullptr, 0, 10);
    ASSERT_TRUE(dir_.Exists(name)) << name;
  }

  std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  TempDir dir_;
};

TEST_F(ProcessRunnerTest, ReportsExitStatusAndBothStreams) {
  const auto result = Run(Shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.out_bytes, 4u);
  EXPECT_EQ(result.leftovers, 0);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.Description(), "exit status 3");
}

TEST_F(ProcessRunnerTest, MergesTheStreamsInOrder) {
  auto request = Shell("echo 1; echo 2 >&2; echo 3");
  request.merge_stderr = true;
  const auto result = Run(request);
  EXPECT_EQ(result.out, "1\n2\n3\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(ProcessRunnerTest, PassesArgumentsEnvironmentAndFolderAsTheyAre) {
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c",  "printf '%s|' \"$@\" \"$VALUE\" \"$HOME\"; pwd",
                  "sh",      "a b", "$HOME",
                  "\n'\"",   ""};
  request.env = {{"VALUE", "x=y z"}};
  request.cwd = dir_.path();
  const auto result = Run(request);
  EXPECT_EQ(result.out, absl::StrCat("a b|$HOME|\n'\"||x=y z||", dir_.path(), "\n"));
}

TEST_F(ProcessRunnerTest, SignalsEndTheProgramWithTheirName) {
  const auto result = Run(Shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.Description(), "killed by SIGSEGV");
}

TEST_F(ProcessRunnerTest, TheProgramStartsWithoutBlockedOrIgnoredSignals) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGPIPE, &ignore, &before), 0);
  const auto result = Run(Shell("grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d ' \\t'"));
  sigaction(SIGPIPE, &before, nullptr);
  EXPECT_EQ(result.out, "SigBlk:0000000000000000\nSigIgn:0000000000000000\n");
}

TEST_F(ProcessRunnerTest, TheProgramHasOnlyTheThreeStandardDescriptors) {
  const int open_here = open("/dev/null", O_RDONLY);  // deliberately not close-on-exec
  const auto result = Run(Shell("exec ls /proc/self/fd"));
  close(open_here);
  EXPECT_EQ(result.out, "0\n1\n2\n3\n");  // 3 is the folder that ls reads
}

TEST_F(ProcessRunnerTest, MissingProgramsAreNotFound) {
  ProcessRequest request;
  request.env = InheritedEnvironment();
  for (const std::string& program :
       {std::string("no-such-program-anywhere"), std::string("/no/such/program"), dir_.path()}) {
    request.argv = {program};
    EXPECT_TRUE(absl::IsNotFound(runner_->Run(request).status())) << program;
  }
  dir_.Write("not-executable", "#!/bin/sh\n");
  request.argv = {dir_.Path("not-executable")};
  EXPECT_TRUE(absl::IsNotFound(runner_->Run(request).status()));
  dir_.Write("bad-interpreter", "#!/no/such/interpreter\n");
  ASSERT_EQ(chmod(dir_.Path("bad-interpreter").c_str(), 0755), 0);
  request.argv = {dir_.Path("bad-interpreter")};
  const auto status = runner_->Run(request).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("bad-interpreter"));
}

TEST_F(ProcessRunnerTest, UnusableRequestsAreInvalid) {
  ProcessRequest request;
  EXPECT_TRUE(absl::IsInvalidArgument(runner_->Run(request).status()));
  request.argv = {""};
  EXPECT_TRUE(absl::IsInvalidArgument(runner_->Run(request).status()));
  request.argv = {"/bin/true", std::string("a\0b", 3)};
  EXPECT_TRUE(absl::IsInvalidArgument(runner_->Run(request).status()));
  request.argv = {"/bin/true"};
  for (const std::string& cwd : {std::string("relative"), dir_.Path("missing"),
                                 std::string("/etc/passwd"), std::string("/\0", 2)}) {
    request.cwd = cwd;
    EXPECT_TRUE(absl::IsInvalidArgument(runner_->Run(request).status())) << cwd;
  }
  request.cwd = "";
  request.env = {{"A=B", "x"}};
  EXPECT_TRUE(absl::IsInvalidArgument(runner_->Run(request).status()));
  request.env = {{"A", std::string(64 << 20, 'x')}};
  EXPECT_TRUE(absl::IsInvalidArgument(runner_->Run(request).status()));
}

TEST_F(ProcessRunnerTest, FindsProgramsOnlyInAbsolutePathFolders) {
  dir_.Write("bin/tool", "#!/bin/sh\necho found\n");
  ASSERT_EQ(chmod(dir_.Path("bin/tool").c_str(), 0755), 0);
  ProcessRequest request;
  request.argv = {"tool"};
  request.cwd = dir_.path();
  request.env = {{"PATH", "bin::."}};
  EXPECT_TRUE(absl::IsNotFound(runner_->Run(request).status()));
  request.env = {{"PATH", absl::StrCat("/nowhere:", dir_.Path("bin"))}};
  EXPECT_EQ(Run(request).out, "found\n");
  EXPECT_EQ(*FindExecutable("tool", request.env), dir_.Path("bin/tool"));
  request.argv = {"bin/tool"};  // relative to the folder it runs in
  EXPECT_EQ(Run(request).out, "found\n");
}

TEST_F(ProcessRunnerTest, FeedsStandardInput) {
  auto request = Shell("cat");
  for (size_t i = 0; request.stdin_text.size() < (3 << 20); ++i) {
    absl::StrAppend(&request.stdin_text, i, "\n");
  }
  EXPECT_EQ(Run(request).out, request.stdin_text);
  request.stdin_text = "";
  EXPECT_EQ(Run(request).out, "");
}

TEST_F(ProcessRunnerTest, AProgramThatReadsNoInputDoesNotKillUs) {
  auto request = Shell("exec 0<&-; echo done");
  request.stdin_text = std::string(1 << 20, 'x');
  const auto result = Run(request);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out, "done\n");
}

TEST_F(ProcessRunnerTest, KeepsBothEndsOfLongOutput) {
  auto request = Shell("printf BEGIN; head -c 100000000 /dev/zero; printf END");
  request.max_output_bytes = 1000;
  uint64_t seen = 0;
  request.on_output = [&seen](OutputStream, absl::string_view bytes) { seen += bytes.size(); };
  const auto result = Run(request);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out_bytes, 100000008u);
  EXPECT_EQ(seen, result.out_bytes);
  ASSERT_EQ(result.out.size(), 1000u);
  EXPECT_EQ(result.out.substr(0, 5), "BEGIN");
  EXPECT_EQ(result.out.substr(997), "END");
}

TEST_F(ProcessRunnerTest, OutputThatFitsIsWhole) {
  auto request = Shell("printf 0123456789");
  for (const size_t limit : {0, 1, 3, 9, 10, 11, 100}) {
    request.max_output_bytes = limit;
    const auto result = Run(request);
    const std::string all = "0123456789";
    const std::string expected =
        limit >= 10 ? all : all.substr(0, limit - limit / 2) + all.substr(10 - limit / 2);
    EXPECT_EQ(result.out, expected) << limit;
  }
}

TEST_F(ProcessRunnerTest, CallsBackWithEachStream) {
  auto request = Shell("echo a; echo b >&2");
  std::vector<std::string> pieces;
  request.on_output = [&pieces](OutputStream stream, absl::string_view bytes) {
    pieces.push_back(absl::StrCat(stream == OutputStream::kStdout ? "out:" : "err:", bytes));
  };
  Run(request);
  EXPECT_THAT(pieces, ::testing::UnorderedElementsAre("out:a\n", "err:b\n"));
}

TEST_F(ProcessRunnerTest, TimesOut) {
  auto request = Shell("echo before; sleep 1000");
  request.timeout = absl::Milliseconds(50);
  const auto result = Run(request);
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_THAT(result.Description(), HasSubstr("timed out after "));
  EXPECT_FALSE(result.ok());
}

TEST_F(ProcessRunnerTest, CancellingFirstAsksAndThenKills) {
  auto request = Shell("trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  Cancellation cancellation;
  request.cancellation = &cancellation;
  request.on_output = [&cancellation](OutputStream, absl::string_view) { cancellation.Cancel(); };
  request.grace = absl::Seconds(60);
  auto result = Run(request);
  EXPECT_EQ(result.end, End::kCancelled);
  EXPECT_EQ(result.out, "ready\nasked\n");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.Description(), "cancelled");

  Cancellation again;
  request = Shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  request.cancellation = &again;
  request.on_output = [&again](OutputStream, absl::string_view) { again.Cancel(); };
  request.grace = absl::Milliseconds(50);
  result = Run(request);
  EXPECT_EQ(result.end, End::kCancelled);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST_F(ProcessRunnerTest, ACancelledRequestStartsNothing) {
  Cancellation cancellation;
  cancellation.Cancel();
  auto request = Shell("echo x > started");
  request.cwd = dir_.path();
  request.cancellation = &cancellation;
  EXPECT_EQ(Run(request).end, End::kCancelled);
  EXPECT_FALSE(dir_.Exists("started"));
}

TEST_F(ProcessRunnerTest, CancellationFromAnotherThreadEndsTheRun) {
  Cancellation cancellation;
  auto request = Shell("sleep 1000");
  request.cancellation = &cancellation;
  std::thread canceller([&cancellation] { cancellation.Cancel(); });
  EXPECT_EQ(Run(request).end, End::kCancelled);
  canceller.join();
}

TEST_F(ProcessRunnerTest, KillsLeftoversThatHoldTheOutput) {
  auto request = Shell("sleep 1000 & echo $! > pid; echo main done");
  request.cwd = dir_.path();
  const auto result = Run(request);
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.out, "main done\n");
  EXPECT_EQ(result.leftovers, 1);
  EXPECT_TRUE(Gone("pid"));
}

TEST_F(ProcessRunnerTest, KillsLeftoversInOtherSessionsWhoseParentsAreGone) {
  auto request = Shell(
      "setsid sh -c '(trap \"\" TERM HUP; setsid sh -c \"echo \\$\\$ > p; mv p pid; sleep 1000\" "
      "</dev/null >/dev/null 2>&1 &)' & "
      "while [ ! -e pid ]; do sleep 0.01; done");
  request.cwd = dir_.path();
  const auto result = Run(request);
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_GE(result.leftovers, 1);
  EXPECT_TRUE(Gone("pid"));
}

TEST_F(ProcessRunnerTest, ATimeoutKillsTheWholeTree) {
  auto request = Shell(
      "setsid sh -c 'trap \"\" TERM; echo $$ > p; mv p pid; while :; do sleep 0.05; done' & "
      "trap '' TERM; while :; do sleep 0.05; done");
  request.cwd = dir_.path();
  Cancellation cancellation;
  request.cancellation = &cancellation;
  request.grace = absl::Milliseconds(1);
  std::thread canceller([this, &cancellation] {
    AwaitFile("pid");
    cancellation.Cancel();
  });
  EXPECT_EQ(Run(request).end, End::kCancelled);
  canceller.join();
  EXPECT_TRUE(Gone("pid"));
}

TEST_F(ProcessRunnerTest, AStoppedProgramCanBeCancelled) {
  auto request = Shell("echo $$ > p; mv p pid; kill -STOP $$; sleep 1000");
  request.cwd = dir_.path();
  Cancellation cancellation;
  request.cancellation = &cancellation;
  std::thread canceller([this, &cancellation] {
    AwaitFile("pid");
    cancellation.Cancel();
  });
  EXPECT_EQ(Run(request).end, End::kCancelled);
  canceller.join();
  EXPECT_TRUE(Gone("pid"));
}

TEST_F(ProcessRunnerTest, NothingSurvivesOurOwnSuddenDeath) {
  const pid_t us = fork();
  if (us == 0) {
    auto request = Shell("setsid sleep 1000 & echo $! > p; echo $$ > main; mv p pid; sleep 1000");
    request.cwd = dir_.path();
    runner_->Run(request).status().IgnoreError();
    _exit(0);
  }
  ASSERT_GT(us, 0);
  AwaitFile("pid");
  ASSERT_EQ(kill(us, SIGKILL), 0);
  ASSERT_EQ(waitpid(us, nullptr, 0), us);
  // The supervisor sees the end of its control pipe and kills; this can only be awaited.
  for (int i = 0; i < 3000 && !(Gone("pid") && Gone("main")); ++i) poll(nullptr, 0, 10);
  EXPECT_TRUE(Gone("pid"));
  EXPECT_TRUE(Gone("main"));
}

TEST_F(ProcessRunnerTest, AKilledSupervisorIsAnErrorAndLeavesNothingInTheSession) {
  auto request = Shell("sleep 1000 & echo $! > pid; kill -9 $PPID; sleep 1000");
  request.cwd = dir_.path();
  const auto result = runner_->Run(request);
  EXPECT_TRUE(absl::IsInternal(result.status())) << result.status();
  // Orphans of a dead supervisor are reaped by init, some time after they died.
  for (int i = 0; i < 3000 && !Gone("pid"); ++i) {
    int pid = 0;
    ASSERT_TRUE(absl::SimpleAtoi(absl::StripAsciiWhitespace(dir_.Read("pid")), &pid));
    const std::string stat_path = absl::StrCat("/proc/", pid, "/stat");
    const int fd = open(stat_path.c_str(), O_RDONLY);
    char text[256] = {};
    const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0) close(fd);
    if (size <= 0 || absl::string_view(text).find(") Z ") != absl::string_view::npos) return;
    poll(nullptr, 0, 10);
  }
}

TEST_F(ProcessRunnerTest, TheMemoryLimitCoversTheTree) {
  auto request =
      Shell("sh -c 'head -c 300000000 /dev/zero | tail -c 300000000 | wc -c'; sleep 1000");
  request.max_rss_bytes = 100 << 20;
  const auto result = Run(request);
  EXPECT_EQ(result.end, End::kMemoryLimit);
  EXPECT_THAT(result.Description(), HasSubstr("memory"));
}

TEST_F(ProcessRunnerTest, ModestProgramsPassTheMemoryLimit) {
  auto request = Shell("sleep 0.3; echo fine");
  request.max_rss_bytes = 64 << 20;
  EXPECT_EQ(Run(request).out, "fine\n");
}

TEST_F(ProcessRunnerTest, RunsFromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> failures(4);
  for (size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([this, t, &failures] {
      for (int i = 0; i < 25; ++i) {
        auto request = Shell("cat; exit 7");
        request.stdin_text = absl::StrCat("thread ", t, " run ", i);
        const auto result = runner_->Run(request);
        if (!result.ok() || result->out != request.stdin_text || result->exit_code != 7) {
          ++failures[t];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, ElementsAre(0, 0, 0, 0));
}

TEST_F(ProcessRunnerTest, AFreshlyWrittenScriptStartsWhileOthersFork) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this, t, &failures] {
      for (int i = 0; i < 15; ++i) {
        const std::string name = absl::StrCat("script-", t, "-", i);
        dir_.Write(name, "#!/bin/sh\nexit 0\n");
        chmod(dir_.Path(name).c_str(), 0755);
        ProcessRequest request;
        request.argv = {dir_.Path(name)};
        const auto result = runner_->Run(request);
        if (!result.ok() || !result->ok()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(ProcessRunnerTest, LeavesNoDescriptorsAndNoChildrenBehind) {
  const auto count = [] {
    int open_fds = 0;
    for (int fd = 0; fd < 1024; ++fd) open_fds += fcntl(fd, F_GETFD) >= 0;
    return open_fds;
  };
  Run(Shell("true"));
  const int before = count();
  for (int i = 0; i < 20; ++i) Run(Shell("echo x; sleep 1000 &"));
  ProcessRequest missing;
  missing.argv = {"/no/such/program"};
  EXPECT_FALSE(runner_->Run(missing).ok());
  EXPECT_EQ(count(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace stile

#include "runtime/process/file_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/process/process_runner.h"
#include "runtime/sandbox/sandboxed_runner.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Kind = FileUse::Kind;

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Both ways of running a program: as it is, and in a sandbox.
class FileObserverTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    for (const char* folder : {"ws", "ws/src", "home", "tmp", "shared_tmp", "real_home"}) {
      dir_.MakeDir(folder);
    }
    dir_.Write("ws/in.txt", "in\n");
    dir_.Write("ws/src/a.c", "#include \"a.h\"\nint a(void) { return A; }\n");
    dir_.Write("ws/src/a.h", "#define A 1\n");
    SandboxPolicy policy;
    policy.writable = {dir_.Path("ws")};
    policy.replaced = {{dir_.Path("shared_tmp"), dir_.Path("tmp")},
                       {dir_.Path("real_home"), dir_.Path("home")}};
    const auto program = FindExecutable("bwrap", InheritedEnvironment());
    ASSERT_TRUE(program.ok()) << program.status();
    sandboxed_ = std::make_unique<SandboxedRunner>(*program, policy, local_.get());
  }

  // What became of `script`; its uses below ws, by names relative to it.
  std::vector<FileUse> Observe(const std::string& script) {
    ProcessRequest request;
    request.argv = {"/bin/bash", "-c", script};
    request.cwd = dir_.Path("ws");
    request.env = InheritedEnvironment();
    request.env["D"] = dir_.path();
    request.observed = {dir_.Path("ws")};
    request.observes_looks = true;
    request.timeout = absl::Minutes(1);
    ProcessRunner* const runner =
        GetParam() ? static_cast<ProcessRunner*>(sandboxed_.get()) : local_.get();
    const absl::StatusOr<ProcessResult> result = runner->Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    result_ = *result;
    EXPECT_TRUE(result->file_uses.has_value()) << "not observed";
    std::vector<FileUse> uses = result->file_uses.value_or(std::vector<FileUse>());
    for (FileUse& use : uses) {
      use.path = use.path == dir_.Path("ws") ? "." : use.path.substr(dir_.Path("ws").size() + 1);
    }
    return uses;
  }

  std::set<std::string> Paths(const std::vector<FileUse>& uses, Kind kind) {
    std::set<std::string> paths;
    for (const FileUse& use : uses) {
      if (use.kind == kind) paths.insert(use.path);
    }
    return paths;
  }

  std::set<std::string> ProgramsReading(const std::vector<FileUse>& uses, const std::string& path) {
    std::set<std::string> names;
    for (const FileUse& use : uses) {
      if (use.kind == Kind::kRead && use.path == path) names.insert(BaseName(use.program));
    }
    return names;
  }

  // With what the processes ended that ran `program` and read `path`; -1: not by themselves.
  std::multiset<int> EndsOf(const std::vector<FileUse>& uses, const std::string& program,
                            const std::string& path = "in.txt") {
    std::multiset<int> ends;
    for (const FileUse& use : uses) {
      const bool is_it = use.kind == Kind::kRead && use.path == path &&
                         absl::StartsWith(BaseName(use.program), program);
      if (!is_it) continue;
      for (const auto& run : use.runs) ends.insert(run->status.value_or(-1));
    }
    return ends;
  }

  TempDir dir_;
  std::unique_ptr<ProcessRunner> local_ = NewLocalProcessRunner();
  std::unique_ptr<SandboxedRunner> sandboxed_;
  ProcessResult result_;
};

TEST_P(FileObserverTest, TellsReadsWritesAndWhatWasNotThere) {
  const auto uses = Observe(
      "cat in.txt > out.txt; test -e absent; cat /etc/hostname >/dev/null; cat not/there "
      "2>/dev/null;"
      "echo more >> in.txt; mv out.txt moved.txt; exit 3");
  EXPECT_EQ(result_.exit_code, 3);
  EXPECT_THAT(Paths(uses, Kind::kRead), UnorderedElementsAre("in.txt"));
  EXPECT_THAT(Paths(uses, Kind::kWritten), UnorderedElementsAre("in.txt", "out.txt", "moved.txt"));
  EXPECT_THAT(Paths(uses, Kind::kMissing), UnorderedElementsAre("not/there"));
  EXPECT_THAT(Paths(uses, Kind::kSought), Contains("absent"));
  EXPECT_THAT(ProgramsReading(uses, "in.txt"), UnorderedElementsAre("cat"));
}

TEST_P(FileObserverTest, NamesTheProgramThatReallyReads) {
  const auto uses = Observe("cat src/a.c > /dev/null; cd src && gcc -c a.c -o /dev/null");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  EXPECT_THAT(ProgramsReading(uses, "src/a.c"), UnorderedElementsAre("cat", "cc1"));
  EXPECT_THAT(ProgramsReading(uses, "src/a.h"), UnorderedElementsAre("cc1"));
}

TEST_P(FileObserverTest, FollowsLinksAndOpenDescriptorsOfFolders) {
  std::filesystem::create_directory_symlink("src", dir_.Path("ws/link"));
  dir_.Write(
      "ws/at.py",
      "import os\nf = os.open('link', os.O_RDONLY)\nos.open('a.h', os.O_RDONLY, dir_fd=f)\n");
  const auto uses = Observe("cat link/a.c; python3 at.py");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  EXPECT_THAT(Paths(uses, Kind::kRead), UnorderedElementsAre("src/a.c", "src/a.h", "at.py"));
}

TEST_P(FileObserverTest, FollowsPathsThroughFoldersOfTheProcess) {
  const auto uses = Observe("cat /proc/self/cwd/in.txt /usr/..$PWD/src/a.h; cat ..absent; true");
  EXPECT_THAT(Paths(uses, Kind::kRead), UnorderedElementsAre("in.txt", "src/a.h"));
  EXPECT_THAT(Paths(uses, Kind::kMissing), UnorderedElementsAre("..absent"));
}

TEST_P(FileObserverTest, TellsWhichFoldersWereListed) {
  dir_.MakeDir("ws/other");
  const auto uses = Observe("ls . src >/dev/null; cat other 2>/dev/null; cd other; test -d ../src");
  EXPECT_THAT(Paths(uses, Kind::kListed), UnorderedElementsAre(".", "src", "other"));
}

TEST_P(FileObserverTest, TellsWhetherReadsLedToTheSameFile) {
  const auto uses =
      Observe("cat in.txt src/a.h; mv in.txt kept; echo x > in.txt; cat in.txt src/a.h");
  for (const FileUse& use : uses) {
    if (use.kind != Kind::kRead) continue;
    EXPECT_EQ(use.is_stable, use.path != "in.txt") << use.path;
  }
}

TEST_P(FileObserverTest, NamesTheScriptOfAnInterpreter) {
  dir_.Write("ws/read.py", "import sys\nopen(sys.argv[1]).read()\n");
  const auto uses = Observe("python3 -B read.py in.txt && python3 -m json.tool in.txt; true");
  std::set<std::string> scripts;
  for (const FileUse& use : uses) {
    if (use.path == "in.txt") scripts.insert(use.script);
  }
  EXPECT_THAT(scripts, UnorderedElementsAre(dir_.Path("ws/read.py"), "-m json.tool"));
}

// exec replaces a program by another one, perhaps by another script of the same interpreter.
TEST_P(FileObserverTest, NoticesThatAProcessRunsAnotherProgram) {
  dir_.Write("ws/one.py",
             "import os\nopen('in.txt')\nos.execvp('python3', ['python3', 'two.py'])\n");
  dir_.Write("ws/two.py", "open('src/a.h')\n");
  const auto uses = Observe("exec python3 -B one.py");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  for (const FileUse& use : uses) {
    const std::string reader = BaseName(use.script);
    EXPECT_TRUE(use.path != "in.txt" || reader == "one.py") << reader;
    EXPECT_TRUE(use.path != "src/a.h" || reader == "two.py") << reader;
  }
  EXPECT_THAT(Paths(uses, Kind::kRead), ::testing::IsSupersetOf({"in.txt", "src/a.h"}));
}

TEST_P(FileObserverTest, TellsWithWhatEachProcessEnded) {
  const auto uses = Observe(
      "cat in.txt; cat in.txt absent 2>/dev/null; dash -c 'read x < in.txt; exit 3';"
      "dash -c 'read x < in.txt; exit 256'; dash -c 'read x < in.txt; kill -9 $$'; true");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  EXPECT_THAT(EndsOf(uses, "cat"), UnorderedElementsAre(0, 1));
  EXPECT_THAT(EndsOf(uses, "dash"), UnorderedElementsAre(3, 0, -1));
}

// The end of the program that took its place says nothing of the first one.
TEST_P(FileObserverTest, AProcessThatRunsAnotherProgramDidNotEnd) {
  const auto uses = Observe(
      "dash -c 'read x < in.txt; exec cat src/a.h' >/dev/null;"
      "dash -c 'read x < in.txt; exec dash -c \"exit 0\"'; true");
  EXPECT_THAT(EndsOf(uses, "dash"), UnorderedElementsAre(-1, -1));
  EXPECT_THAT(EndsOf(uses, "cat", "src/a.h"), UnorderedElementsAre(0));
}

TEST_P(FileObserverTest, AChildEndsForItself) {
  const auto uses = Observe(
      "python3 -c 'import os\nopen(\"in.txt\")\n"
      "if os.fork() == 0:\n  open(\"in.txt\")\n  os._exit(4)\n"
      "if os.fork() == 0:\n  os._exit(5)\nos.wait()\nos.wait()'");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  EXPECT_THAT(EndsOf(uses, "python"), UnorderedElementsAre(0, 4));
}

TEST_P(FileObserverTest, TellsTheArgumentsWithThoseOfResponseFiles) {
  dir_.Write("ws/more.rsp", "-w @src/rest.rsp\n-DB\n");
  dir_.Write("ws/src/rest.rsp", "-DC='1 2'");
  const auto uses =
      Observe("gcc -DA= @more.rsp -S src/a.c -o a.s; cat @absent in.txt '' 2>/dev/null");
  std::vector<std::string> compiler;
  for (const FileUse& use : uses) {
    if (use.kind != Kind::kRead || use.runs.empty()) continue;
    if (use.path == "src/a.c") compiler = use.runs.front()->arguments;
    if (use.path != "in.txt") continue;
    EXPECT_THAT(use.runs.front()->arguments, ElementsAre("cat", "@absent", "in.txt", ""));
  }
  const auto at = std::find(compiler.begin(), compiler.end(), "src/a.c");
  EXPECT_NE(at, compiler.end());
  EXPECT_THAT(compiler, ::testing::IsSupersetOf({"A=", "B", "-w"}));
}

TEST_P(FileObserverTest, AThreadEndsTheProcessOnlyByExitGroup) {
  const std::string start =
      "import os, signal, threading\ndef work():\n  open(\"in.txt\").read()\n  END\n"
      "t = threading.Thread(target=work)\nt.start()\nt.join()\nos.kill(os.getpid(), "
      "signal.SIGKILL)";
  for (const char* end : {"pass", "os._exit(7)"}) {
    const std::string script = absl::StrReplaceAll(start, {{"END", end}});
    const auto uses = Observe(absl::StrCat("python3 -c '", script, "'; true"));
    EXPECT_THAT(EndsOf(uses, "python"), UnorderedElementsAre(end[0] == 'p' ? -1 : 7)) << end;
  }
}

TEST_P(FileObserverTest, TellsTheEndsOfManyProcessesAtTheSameTime) {
  const auto uses =
      Observe("for i in $(seq 40); do dash -c 'read x < in.txt; exit '$i & done; wait; cat in.txt");
  std::multiset<int> expected;
  for (int i = 1; i <= 40; ++i) expected.insert(i);
  EXPECT_EQ(EndsOf(uses, "dash"), expected);
}

TEST_P(FileObserverTest, SeesEveryOneOfManyProcessesAndThreads) {
  const auto uses = Observe(
      "for i in $(seq 60); do echo $i > f$i; done; for i in $(seq 60); do cat f$i >/dev/null & "
      "done;"
      "wait; python3 -c 'import threading\n"
      "ts=[threading.Thread(target=lambda i=i: [open(\"f%d\" % i).read() for _ in range(20)]) "
      "for i in range(1, 41)]\n[t.start() for t in ts]\n[t.join() for t in ts]'");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  int read_by_cat = 0;
  int read_by_python = 0;
  for (const FileUse& use : uses) {
    if (use.kind != Kind::kRead) continue;
    read_by_cat += BaseName(use.program) == "cat" ? 1 : 0;
    read_by_python += absl::StartsWith(BaseName(use.program), "python") ? 1 : 0;
  }
  EXPECT_EQ(read_by_cat, 60);
  EXPECT_EQ(read_by_python, 40);
}

// The kernel refuses to follow ".." below a root while a file is renamed, wherever it lies.
TEST_P(FileObserverTest, FollowsPathsWhileOtherProcessesRenameFiles) {
  dir_.Write("elsewhere/a", "");
  std::filesystem::create_directory_symlink("../ws/src", dir_.Path("ws/link"));
  std::atomic<bool> stops{false};
  std::thread others([&] {
    while (!stops) {
      std::filesystem::rename(dir_.Path("elsewhere/a"), dir_.Path("elsewhere/b"));
      std::filesystem::rename(dir_.Path("elsewhere/b"), dir_.Path("elsewhere/a"));
    }
  });
  constexpr int kFiles = 300;
  std::set<std::string> expected;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = absl::StrCat("src/", i);
    dir_.Write("ws/" + name, "x\n");
    expected.insert(name);
  }
  const auto uses =
      Observe(absl::StrCat("for ((i = 0; i < ", kFiles, "; ++i)); do read < link/$i; done"));
  stops = true;
  others.join();
  EXPECT_EQ(Paths(uses, Kind::kRead), expected);
}

TEST_P(FileObserverTest, LetsProgramsGoThatGiveNonsense) {
  const auto uses = Observe(
      "python3 -c 'import ctypes\nlibc = ctypes.CDLL(None)\n"
      "libc.open(ctypes.c_void_p(1), 0)\nlibc.open(b\"\", 0)\nlibc.openat(999, b\"x\", 0)\n"
      "libc.open(b\"x\" * 5000, 0)\nlibc.open(b\"a/../../../in.txt\", 0)' && cat in.txt");
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  EXPECT_THAT(Paths(uses, Kind::kRead), Contains("in.txt"));
}

TEST_P(FileObserverTest, EndsWithATimeoutWhileProgramsKeepReading) {
  ProcessRequest request;
  request.argv = {"/bin/bash", "-c", "while :; do read x < in.txt; done"};
  request.cwd = dir_.Path("ws");
  request.env = InheritedEnvironment();
  request.observed = {dir_.Path("ws")};
  request.timeout = absl::Milliseconds(300);
  request.grace = absl::Milliseconds(100);
  ProcessRunner* const runner =
      GetParam() ? static_cast<ProcessRunner*>(sandboxed_.get()) : local_.get();
  const absl::StatusOr<ProcessResult> result = runner->Run(request);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, ProcessResult::End::kTimedOut);
}

// Stile below Stile: the kernel allows one observer.
TEST_P(FileObserverTest, SaysWhenItCannotObserve) {
  ProcessRequest request;
  request.argv = {"/bin/true"};
  request.cwd = "/";
  const absl::StatusOr<ProcessResult> result = local_->Run(request);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->file_uses.has_value());
}

INSTANTIATE_TEST_SUITE_P(Runners, FileObserverTest, ::testing::Bool(),
                         [](const auto& run) { return run.param ? "Sandboxed" : "Plain"; });

}  // namespace
}  // namespace stile

#include "runtime/sandbox/sandboxed_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/process/syscall_filter.h"
#include "runtime/process/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using End = ProcessResult::End;

class SandboxedRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder :
         {"ws", "ws/.git", "ws/sub", "home", "real_home", "tmp", "shared_tmp", "outside"}) {
      dir_.MakeDir(folder);
    }
    dir_.Write("ws/.git/config", "[core]\n");
    dir_.Write("real_home/secret", "hunter2\n");
    dir_.Write("outside/file", "hello\n");
    policy_.writable = {dir_.Path("ws")};
    policy_.read_only = {dir_.Path("ws/.git")};
    policy_.replaced = {{dir_.Path("shared_tmp"), dir_.Path("tmp")},
                        {dir_.Path("real_home"), dir_.Path("home")}};
    const auto program = FindExecutable("bwrap", InheritedEnvironment());
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = *program;
    const auto version = BubblewrapVersion(program_, InheritedEnvironment(), local_.get());
    ASSERT_TRUE(version.ok()) << version.status();
    EXPECT_THAT(*version, HasSubstr("bubblewrap"));
  }

  ProcessRequest Shell(const std::string& script) {
    ProcessRequest request;
    request.argv = {"/bin/bash", "-c", script};
    request.cwd = dir_.Path("ws");
    request.env = InheritedEnvironment();
    request.env["D"] = dir_.path();
    return request;
  }

  ProcessResult Run(const ProcessRequest& request) {
    SandboxedRunner runner(program_, policy_, local_.get());
    auto result = runner.Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ProcessResult();
  }

  TempDir dir_;
  SandboxPolicy policy_;
  std::string program_;
  std::unique_ptr<ProcessRunner> local_ = NewLocalProcessRunner();
};

TEST_F(SandboxedRunnerTest, ReportsWhatTheProgramInsideDid) {
  const ProcessResult result = Run(Shell("echo out; echo err >&2; cat; exit 3"));
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.leftovers, 0);

  ProcessRequest reader = Shell("cat; pwd");
  reader.stdin_text = "given\n";
  EXPECT_EQ(Run(reader).out, absl::StrCat("given\n", dir_.Path("ws"), "\n"));
}

TEST_F(SandboxedRunnerTest, OnlyWhatIsWritableCanBeWritten) {
  const ProcessResult result =
      Run(Shell("echo x > new; echo x > $D/outside/new; echo x > /usr/new; echo x > .git/new; "
                "mv .git gone; rm -rf .git; echo x > .git/config; echo x > /etc/new; echo x > "
                "/dev/new; true"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(dir_.Exists("ws/new"));
  EXPECT_FALSE(dir_.Exists("outside/new"));
  EXPECT_FALSE(dir_.Exists("ws/.git/new"));
  EXPECT_FALSE(dir_.Exists("ws/gone"));
  EXPECT_EQ(dir_.Read("ws/.git/config"), "[core]\n");
  EXPECT_THAT(result.err, HasSubstr("Read-only file system"));

  ProcessRequest request = Shell("echo x > $D/outside/new");
  request.writable = {dir_.Path("outside")};
  EXPECT_EQ(Run(request).exit_code, 0);
  EXPECT_TRUE(dir_.Exists("outside/new"));
}

TEST_F(SandboxedRunnerTest, WhatIsHiddenOrReplacedCannotBeSeen) {
  policy_.hidden = {dir_.Path("outside"), dir_.Path("ws/sub")};
  const ProcessResult result = Run(
      Shell("cat $D/real_home/secret; ls $D/outside; echo mine > $D/real_home/note; "
            "echo t > $D/shared_tmp/t; head -c 9000000 /dev/zero > $D/outside/fill || echo full"));
  EXPECT_THAT(result.out, Not(HasSubstr("hunter2")));
  EXPECT_THAT(result.out, Not(HasSubstr("file")));
  EXPECT_THAT(result.out, HasSubstr("full"));
  EXPECT_EQ(dir_.Read("home/note"), "mine\n");
  EXPECT_EQ(dir_.Read("tmp/t"), "t\n");
  EXPECT_EQ(dir_.Read("real_home/secret"), "hunter2\n");

  policy_.hidden = {dir_.Path("outside/file")};
  EXPECT_EQ(Run(Shell("cat $D/outside/file")).out, "");
}

TEST_F(SandboxedRunnerTest, TheDeeperRuleWins) {
  dir_.MakeDir("outside/open");
  dir_.Write("outside/open/keep/secret", "s");
  policy_.hidden = {dir_.Path("outside"), dir_.Path("outside/open/keep")};
  policy_.writable.push_back(dir_.Path("outside/open"));
  const ProcessResult result = Run(Shell("ls -R $D/outside; echo x > $D/outside/open/x"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("secret")));
  EXPECT_TRUE(dir_.Exists("outside/open/x"));
}

TEST_F(SandboxedRunnerTest, MountsCannotBeUndone) {
  const ProcessResult result =
      Run(Shell("umount .git; mount -o remount,rw /; unshare -Um umount .git; "
                "unshare -Um mount -o remount,rw,bind .git; echo x > .git/new; "
                "mknod null c 1 3; grep CapEff /proc/self/status"));
  EXPECT_FALSE(dir_.Exists("ws/.git/new"));
  EXPECT_FALSE(dir_.Exists("ws/null"));
  EXPECT_THAT(result.out, HasSubstr("0000000000000000"));
}

TEST_F(SandboxedRunnerTest, SettingsOfTheKernelCannotBeWritten) {
  EXPECT_EQ(Run(Shell("find /proc/sys -type f -writable 2>/dev/null | head -3; true")).out, "");
}

TEST_F(SandboxedRunnerTest, OtherProcessesCannotBeSeenOrKilled) {
  const ProcessResult result =
      Run(Shell(absl::StrCat("kill -0 ", getpid(), " && echo seen; ls /proc | grep -c '^[0-9]'")));
  EXPECT_THAT(result.out, Not(HasSubstr("seen")));
}

TEST_F(SandboxedRunnerTest, TheNetworkIsOnlyThereWhenAskedFor) {
  const std::string links = "cat /proc/net/dev | tail -n +3 | grep -vc ' *lo:'";
  EXPECT_EQ(Run(Shell(links)).out, "0\n");
  // The loopback works, for tests that serve themselves.
  EXPECT_EQ(Run(Shell("grep -c ' *lo:' /proc/net/dev")).out, "1\n");
  const std::string here = "readlink /proc/self/ns/net";
  const auto outside = local_->Run(Shell(here));
  ASSERT_TRUE(outside.ok());
  ProcessRequest request = Shell(here);
  EXPECT_NE(Run(request).out, outside->out);
  request.network = true;
  EXPECT_EQ(Run(request).out, outside->out);
}

TEST_F(SandboxedRunnerTest, SocketsOfHiddenFoldersCannotBeReached) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = dir_.Path("outside/s");
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  path.copy(address.sun_path, path.size());
  UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  policy_.hidden = {dir_.Path("outside")};
  EXPECT_THAT(Run(Shell("test -e $D/outside/s && echo there")).out, Not(HasSubstr("there")));
}

TEST_F(SandboxedRunnerTest, NothingSurvivesAndLeftoversAreCounted) {
  EXPECT_EQ(Run(Shell("true")).leftovers, 0);
  const ProcessResult result =
      Run(Shell("setsid bash -c 'trap \"\" TERM HUP; sleep 1000' >/dev/null 2>&1 & "
                "(setsid setsid nohup sleep 999 >/dev/null 2>&1 &) ; sleep 0.3; exit 0"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_GE(result.leftovers, 2);
  const auto left = local_->Run(Shell("ps ax -o args= | grep -c '^sleep 9[9]9$'"));
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left->out, "0\n");
}

TEST_F(SandboxedRunnerTest, AfterATimeoutTheProgramHasTimeToComply) {
  ProcessRequest request =
      Shell("trap 'echo bye; exit 0' TERM; touch ready; while :; do sleep 0.05; done");
  request.timeout = absl::Seconds(2);
  request.grace = absl::Seconds(20);
  const ProcessResult result = Run(request);
  EXPECT_EQ(result.end, End::kTimedOut);
  EXPECT_EQ(result.out, "bye\n");
}

TEST_F(SandboxedRunnerTest, ATimeoutEndsWhatIgnoresIt) {
  ProcessRequest request = Shell("trap '' TERM INT HUP; while :; do sleep 0.05; done");
  request.timeout = absl::Seconds(1);
  request.grace = absl::Milliseconds(200);
  EXPECT_EQ(Run(request).end, End::kTimedOut);
}

TEST_F(SandboxedRunnerTest, SignalsAreTold) {
  const ProcessResult result = Run(Shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, End::kSignalled);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(Run(Shell("exit 255")).exit_code, 255);
}

TEST_F(SandboxedRunnerTest, TooManyProcessesAreEnded) {
  policy_.max_processes = 100;
  // It would end at 2 047 of them: a test must not be able to stop the machine.
  ProcessRequest request = Shell(
      "fork() { [ $1 -gt 0 ] && { fork $(($1 - 1)) & fork $(($1 - 1)) & }; sleep 60; }; fork 10");
  request.timeout = absl::Seconds(50);
  EXPECT_EQ(Run(request).end, End::kProcessLimit);
}

TEST_F(SandboxedRunnerTest, FillingTheDiskIsEnded) {
  policy_.max_disk_bytes = size_t{64} << 20;
  policy_.disk_folders = {dir_.Path("ws")};
  ProcessRequest request = Shell("head -c 300000000 /dev/zero > fill; sleep 60");
  request.timeout = absl::Seconds(50);
  EXPECT_EQ(Run(request).end, End::kDiskLimit);
}

TEST_F(SandboxedRunnerTest, MemoryIsLimited) {
  policy_.max_rss_bytes = size_t{200} << 20;
  ProcessRequest request = Shell("x=$(head -c 400000000 /dev/zero | tr '\\0' x); sleep 60");
  request.timeout = absl::Seconds(50);
  EXPECT_EQ(Run(request).end, End::kMemoryLimit);
}

TEST_F(SandboxedRunnerTest, MemoryThatBelongsToNoProcessCounts) {
  policy_.max_rss_bytes = size_t{150} << 20;
  for (const char* script :
       {"head -c 300000000 /dev/zero > /dev/shm/fill; sleep 60",
        "exec 5<>/dev/shm/fill; rm /dev/shm/fill; head -c 300000000 /dev/zero >&5; sleep 60",
        "/usr/bin/python3 -c 'import os, time\n"
        "fd = os.memfd_create(\"x\")\n"
        "for _ in range(300): os.write(fd, bytes(1000000))\n"
        "time.sleep(60)'",
        "/usr/bin/python3 -c 'import mmap, time\n"
        "m = mmap.mmap(-1, 300000000)\n"
        "for i in range(0, 300000000, 4096): m[i] = 1\n"
        "time.sleep(60)'"}) {
    ProcessRequest request = Shell(script);
    request.timeout = absl::Seconds(30);
    EXPECT_EQ(Run(request).end, End::kMemoryLimit) << script;
  }
}

TEST_F(SandboxedRunnerTest, MemoryThatProcessesShareCountsOnce) {
  policy_.max_rss_bytes = size_t{300} << 20;
  const ProcessResult result =
      Run(Shell("/usr/bin/python3 -c 'import mmap, os, time\n"
                "m = mmap.mmap(-1, 100000000)\n"
                "for i in range(0, 100000000, 4096): m[i] = 1\n"
                "for _ in range(5):\n"
                "    if os.fork() == 0:\n"
                "        print(sum(m[i] for i in range(0, 100000000, 4096)), flush=True)\n"
                "        time.sleep(1)\n"
                "        os._exit(0)\n"
                "for _ in range(5): os.wait()'"));
  EXPECT_EQ(result.end, End::kExited);
}

TEST_F(SandboxedRunnerTest, TooManyThreadsAreEnded) {
  policy_.max_processes = 20;
  ProcessRequest request = Shell(
      "/usr/bin/python3 -c 'import threading, time\n"
      "for _ in range(400): threading.Thread(target=time.sleep, args=(60,)).start()'");
  request.timeout = absl::Seconds(50);
  EXPECT_EQ(Run(request).end, End::kProcessLimit);
  request = Shell(
      "/usr/bin/python3 -c 'import threading, time\n"
      "for _ in range(100): threading.Thread(target=time.sleep, args=(0.5,)).start()'");
  EXPECT_EQ(Run(request).end, End::kExited);
}

TEST_F(SandboxedRunnerTest, WhatCannotStartSaysSo) {
  SandboxedRunner runner(program_, policy_, local_.get());
  ProcessRequest request = Shell("true");
  request.argv = {"no-such-program-here"};
  EXPECT_EQ(runner.Run(request).status().code(), absl::StatusCode::kNotFound);
  request.argv = {"/no/such/program"};
  EXPECT_EQ(runner.Run(request).status().code(), absl::StatusCode::kNotFound);
  request.argv = {};
  EXPECT_EQ(runner.Run(request).status().code(), absl::StatusCode::kInvalidArgument);
  request.argv = {"true"};
  request.cwd = dir_.Path("nowhere");
  EXPECT_EQ(runner.Run(request).status().code(), absl::StatusCode::kInvalidArgument);

  SandboxPolicy broken = policy_;
  broken.writable.push_back(dir_.Path("nowhere"));
  SandboxedRunner none(program_, broken, local_.get());
  const auto result = none.Run(Shell("true"));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(result.status().message(), HasSubstr("nowhere"));
}

TEST_F(SandboxedRunnerTest, ProtectedFoldersThatAreGoneDoNotMatter) {
  policy_.read_only.push_back(dir_.Path("ws/vanished/.git"));
  policy_.hidden.push_back("/no/such/folder");
  EXPECT_EQ(Run(Shell("exit 4")).exit_code, 4);
}

TEST_F(SandboxedRunnerTest, ALookTellsWhetherItWorks) {
  SandboxedRunner runner(program_, policy_, local_.get());
  EXPECT_TRUE(CheckSandbox(&runner, dir_.Path("ws"), InheritedEnvironment()).ok());
  const absl::Status status = CheckSandbox(&runner, dir_.Path("outside"), InheritedEnvironment());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SandboxedRunnerTest, AnotherProgramCanStartWhatIsWrapped) {
  SandboxedRunner runner(program_, policy_, local_.get());
  ProcessRequest request = Shell("");
  request.argv = runner.Wrapper({"SECRET"});
  for (const std::string& word :
       {std::string("bash"), std::string("-c"),
        std::string("pwd; echo x$SECRET > $D/outside/new; echo $SECRET")}) {
    request.argv.push_back(word);
  }
  request.env["SECRET"] = "told";
  request.cwd = dir_.Path("ws/sub");
  const auto result = local_->Run(request);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, absl::StrCat(dir_.Path("ws/sub"), "\n\n"));
  EXPECT_FALSE(dir_.Exists("outside/new"));
}

// Counts the programs of a name that are started.
class CountingRunner : public ProcessRunner {
 public:
  CountingRunner(std::string program, ProcessRunner* base)
      : program_(std::move(program)), base_(base) {}
  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override {
    if (request.argv[0] == program_) ++count;
    return base_->Run(request);
  }
  int count = 0;

 private:
  const std::string program_;
  ProcessRunner* const base_;
};

TEST_F(SandboxedRunnerTest, IsMadeOnceForWhatSeesTheSame) {
  CountingRunner counting(program_, local_.get());
  SandboxedRunner runner(program_, policy_, &counting);
  ASSERT_TRUE(runner.Run(Shell("true")).ok());
  ASSERT_TRUE(runner.Run(Shell("cd sub; true")).ok());
  EXPECT_EQ(counting.count, 1);
  ProcessRequest request = Shell("true");
  request.writable = {dir_.Path("outside")};
  ASSERT_TRUE(runner.Run(request).ok());
  EXPECT_EQ(counting.count, 2);
  ASSERT_TRUE(runner.Run(Shell("true")).ok());
  EXPECT_EQ(counting.count, 2);
}

TEST_F(SandboxedRunnerTest, WhatIsProtectedStaysSoWhenItWasMadeAnew) {
  SandboxedRunner runner(program_, policy_, local_.get());
  ASSERT_TRUE(runner.Run(Shell("true")).ok());
  ASSERT_EQ(rename(dir_.Path("ws/.git").c_str(), dir_.Path("old").c_str()), 0);
  dir_.Write("ws/.git/config", "[core]\n");
  ASSERT_TRUE(runner.Run(Shell("echo x > .git/config; true")).ok());
  EXPECT_EQ(dir_.Read("ws/.git/config"), "[core]\n");
}

TEST_F(SandboxedRunnerTest, WhatIsProtectedInsideWhatIsWrittenInsideWhatIsProtected) {
  dir_.MakeDir("ws/-between");  // sorts before what lies in ws/
  policy_.read_only = {dir_.path(), dir_.Path("ws/.git"), dir_.Path("ws/sub/deep")};
  dir_.Write("ws/sub/deep/file", "kept");
  Run(Shell(
      "echo x > .git/config; echo x > sub/deep/file; echo x > sub/new; echo x > ../outside/f"));
  EXPECT_EQ(dir_.Read("ws/.git/config"), "[core]\n");
  EXPECT_EQ(dir_.Read("ws/sub/deep/file"), "kept");
  EXPECT_TRUE(dir_.Exists("ws/sub/new"));
  EXPECT_FALSE(dir_.Exists("outside/f"));
}

TEST_F(SandboxedRunnerTest, NothingInMemoryIsLeftForTheNextCommand) {
  policy_.hidden = {dir_.Path("outside")};
  SandboxedRunner runner(program_, policy_, local_.get());
  const auto first = runner.Run(
      Shell("echo x > /dev/shm/x; ipcmk -M 100 >/dev/null; cat /dev/shm/x; ipcs -m | grep -c 0x"));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->out, "x\n1\n");
  const auto second = runner.Run(
      Shell("ls /dev/shm; ipcs -m | grep -c 0x; echo x 2>/dev/null > $D/outside/x || echo no"));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->out, "0\nno\n");
}

TEST_F(SandboxedRunnerTest, TheFirstProcessKeepsItsSecretsAndItsLife) {
  const ProcessResult result = Run(
      Shell("cat /proc/1/environ | wc -c; cat /proc/1/maps /proc/1/mem | wc -c; "
            "cat /proc/1/fd/* 2>/dev/null | wc -c; kill -9 1; kill -TERM 1; sleep 0.1; echo on"));
  EXPECT_EQ(result.out, "0\n0\n0\non\n");
}

TEST_F(SandboxedRunnerTest, SeesItsOwnProcessesByTheirNumbers) {
  EXPECT_EQ(
      Run(Shell("readlink /proc/self | grep -q '^[0-9]*$' && test -d /proc/$$ && echo $$")).out,
      "2\n");
}

TEST_F(SandboxedRunnerTest, PlacesInAHomeAreMadeFitForWhatStandsThere) {
  dir_.Write("real_home/tool", "a file");
  dir_.MakeDir("real_home/kit");
  policy_.read_only = {dir_.Path("real_home/tool"), dir_.Path("real_home/kit")};
  dir_.MakeDir("home/tool");
  dir_.Write("home/tool/inside", "");
  dir_.Write("home/kit", "");
  EXPECT_EQ(Run(Shell("cat $D/real_home/tool; test -d $D/real_home/kit && echo kit")).out,
            "a filekit\n");
}

// Prints what system calls answer, by errno (0: done), one a line.
std::string SystemCalls(const std::string& calls) {
  return absl::StrCat(
      "/usr/bin/python3 - <<'EOF'\n"
      "import ctypes, os, mmap\n"
      "c = ctypes.CDLL(None, use_errno=True)\n"
      "def call(*arguments):\n"
      "    answer = c.syscall(*arguments)\n"
      "    print(ctypes.get_errno() if answer < 0 else 0)\n",
      calls, "EOF\n");
}

TEST_F(SandboxedRunnerTest, SystemCallsThatNoBuildNeedsAreDenied) {
#ifndef __x86_64__
  GTEST_SKIP() << "the numbers are those of x86-64";
#endif
  // With arguments that are right: each would do something, or fail otherwise.
  const ProcessResult result = Run(Shell(SystemCalls(R"(
buffer = ctypes.create_string_buffer(256)
call(248, b"user", b"stile", b"x", 1, -3)            # add_key
call(250, 1, None)                                   # keyctl: join a session keyring
call(249, b"user", b"stile", None, 0)                # request_key
call(425, 8, buffer)                                 # io_uring_setup
call(435, buffer, 64)                                # clone3
call(321, 0, buffer, 128)                            # bpf: make a map
call(298, buffer, 0, -1, -1, 0)                      # perf_event_open
call(323, 1)                                         # userfaultfd
call(310, os.getpid(), None, 0, None, 0, 0)          # process_vm_readv
call(272, 0x10000000)                                # unshare: users
call(272, 0x00020000)                                # unshare: mounts
call(56, 0x10000000 | 17, 0, 0, 0, 0)                # clone: users
call(430, b"tmpfs", 0)                               # fsopen
call(165, b"none", b"/tmp", b"tmpfs", 0, None)       # mount
call(308, os.open("/proc/self/ns/user", 0), 0)       # setns
call(246, 0, 0, None, 0)                             # kexec_load
call(175, None, 0, b"")                              # init_module
call(167, b"/x", 0)                                  # swapon
)")));
  EXPECT_EQ(result.out, "38\n38\n38\n38\n38\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n")
      << result.err;
}

TEST_F(SandboxedRunnerTest, NoProgramRunsAsAnotherUserAfterwards) {
  const ProcessResult result =
      Run(Shell("cp /bin/true t; chmod u+s t || echo no; chmod 755 t && echo ok; "
                "/usr/bin/python3 -c 'import os\n"
                "try: os.close(os.open(\"made\", os.O_CREAT | os.O_WRONLY, 0o4755))\n"
                "except PermissionError: print(\"no\")\n"
                "os.close(os.open(\"made\", os.O_CREAT | os.O_WRONLY, 0o755))\n'; ls made"));
  EXPECT_EQ(result.out, "no\nok\nno\nmade\n") << result.err;
  EXPECT_EQ(
      std::filesystem::status(dir_.Path("ws/t")).permissions() & std::filesystem::perms::set_uid,
      std::filesystem::perms::none);
}

TEST_F(SandboxedRunnerTest, WhatSanitizersAndThreadsNeedIsAllowed) {
  const ProcessResult result = Run(Shell(SystemCalls(R"(
import subprocess, threading
child = subprocess.Popen(["sleep", "100"])
call(101, 16, child.pid, None, None)                 # ptrace: attach to an own process
thread = threading.Thread(target=lambda: print("thread"))
thread.start()
thread.join()
os.memfd_create("x")
child.kill()
)")));
  EXPECT_EQ(result.out, "0\nthread\n") << result.err;
}

TEST_F(SandboxedRunnerTest, LeakSanitizerFindsLeaks) {
  if (!FindExecutable("gcc", InheritedEnvironment()).ok()) GTEST_SKIP() << "gcc is not installed";
  const ProcessResult result = Run(Shell(
      "echo 'int main(void) { void* volatile p = __builtin_malloc(9); p = 0; return 0; }' > "
      "leak.c; unset LD_PRELOAD; TMPDIR=$D/ws gcc -fsanitize=address leak.c -o leak && ./leak"));
  EXPECT_THAT(result.err, HasSubstr("9 byte(s) leaked"));
}

TEST_F(SandboxedRunnerTest, KeysOfTheSessionAreNotSeen) {
  if (access("/proc/keys", R_OK) != 0) GTEST_SKIP() << "this kernel has no keyrings";
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 ||
      syscall(SYS_add_key, "user", "stile-test-key", "x", size_t{1}, KEY_SPEC_SESSION_KEYRING) <
          0) {
    GTEST_SKIP() << "this machine permits no keys";
  }
  const auto outside = local_->Run(Shell("cat /proc/keys"));
  ASSERT_TRUE(outside.ok());
  ASSERT_THAT(outside->out, HasSubstr("stile-test-key"));
  EXPECT_THAT(Run(Shell("cat /proc/keys")).out, Not(HasSubstr("stile-test-key")));
}

TEST_F(SandboxedRunnerTest, TheFilterHoldsForWhatIsWrapped) {
  dir_.Write("filter", SyscallFilterBytes());
  ASSERT_FALSE(dir_.Read("filter").empty());
  policy_.filter_file = dir_.Path("filter");
  SandboxedRunner runner(program_, policy_, local_.get());
  ProcessRequest request = Shell("");
  request.argv = runner.Wrapper({});
  for (const char* word : {"/bin/sh", "-c", "unshare -U true || echo no; grep Seccomp: $1", "sh",
                           "/proc/self/status"}) {
    request.argv.emplace_back(word);
  }
  const auto result = local_->Run(request);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "no\nSeccomp:\t2\n");
}

// root's namespaces are simpler than those of everybody else.
TEST_F(SandboxedRunnerTest, WorksForOrdinaryUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "the other tests run as an ordinary user already";
  const std::string copy = dir_.Path("tests");
  std::filesystem::copy_file("/proc/self/exe", copy);
  for (const std::string& path : {dir_.path(), copy}) {
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }
  ProcessRequest request;
  request.argv = {"setpriv",
                  "--reuid=65534",
                  "--regid=65534",
                  "--clear-groups",
                  copy,
                  "--gtest_filter=SandboxedRunnerTest.*-*Limited:*OrdinaryUsers:*Ended:*Timeout*"};
  request.env = InheritedEnvironment();
  request.env["TMPDIR"] = dir_.path();
  request.env["HOME"] = dir_.path();
  const auto result = local_->Run(request);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->ok()) << result->out;
}

}  // namespace
}  // namespace stile

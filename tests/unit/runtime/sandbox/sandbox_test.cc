#include "runtime/sandbox/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Mode = SandboxSettings::Mode;

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_.Write("home/.ssh/id_ed25519", "private key\n");
    dir_.Write("home/.cargo/registry/index", "packages\n");
    dir_.Write("home/.cargo/credentials.toml", "token\n");
    dir_.Write("home/.nuget/NuGet/NuGet.Config", "sources\n");
    dir_.Write("home/bin/tool", "#!/bin/sh\necho tool\n");
    dir_.Write("state/runs/one/journal.jsonl", "{}\n");
    dir_.Write("state/runs/one/outputs/shell-1.txt", "whole output\n");
    dir_.Write("home/.config/stile/config.yaml", "model: x\n");
    dir_.Write("ws/main.c", "int main(void) { return 0; }\n");
    dir_.Write("ws/.git/config", "[core]\n");
    dir_.Write("ws/inner/.git/config", "[core]\n");
    dir_.MakeDir("state/workspaces/w");
    environment_ = InheritedEnvironment();
    environment_["HOME"] = dir_.Path("home");
    environment_["PATH"] = absl::StrCat(dir_.Path("home/bin"), ":", environment_["PATH"]);
    environment_["D"] = dir_.path();
    for (const char* name : {"CARGO_HOME", "XDG_CONFIG_HOME"}) environment_.erase(name);
  }

  absl::StatusOr<std::unique_ptr<RunSandbox>> TryOpen() {
    SandboxPlace place;
    place.workspace = dir_.Path("ws");
    place.state_dir = dir_.Path("state");
    place.workspace_dir = dir_.Path("state/workspaces/w");
    place.config_dir = dir_.Path("home/.config/stile");
    place.repositories = {dir_.Path("ws"), dir_.Path("ws/.git")};
    place.outputs = dir_.Path("state/runs/one/outputs");
    place.environment = environment_;
    return RunSandbox::Open(settings_, std::move(place), languages_, local_.get());
  }

  std::unique_ptr<RunSandbox> Open() {
    auto sandbox = TryOpen();
    EXPECT_TRUE(sandbox.ok()) << sandbox.status();
    (*sandbox)->Protect({dir_.Path("ws/.git"), dir_.Path("ws/inner/.git")});
    return *std::move(sandbox);
  }

  std::string Output(ProcessRunner* runner, const std::string& script) {
    ProcessRequest request;
    request.argv = {"sh", "-c", script};
    request.cwd = dir_.Path("ws");
    request.env = environment_;
    request.merge_stderr = true;
    const auto result = runner->Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->out : "";
  }

  TempDir dir_;
  Environment environment_;
  SandboxSettings settings_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  const std::unique_ptr<ProcessRunner> local_ = NewLocalProcessRunner();
};

TEST_F(SandboxTest, CommandsSeeNoSecretsAndNoStateOfStile) {
  const auto sandbox = Open();
  ASSERT_TRUE(sandbox->active()) << sandbox->description();
  EXPECT_THAT(sandbox->description(), HasSubstr("bubblewrap"));
  EXPECT_THAT(sandbox->limits(), HasSubstr("500 processes, 4000 threads"));
  EXPECT_THAT(sandbox->limits(), HasSubstr("no cgroup"));
  ProcessRunner* const commands = sandbox->commands();
  EXPECT_THAT(Output(commands,
                     "cat ~/.ssh/id_ed25519 ~/.cargo/credentials.toml "
                     "~/.config/stile/config.yaml; find $D/state -name '*.jsonl'"),
              Not(::testing::AnyOf(HasSubstr("private"), HasSubstr("token"), HasSubstr("model"),
                                   HasSubstr("journal"))));
  EXPECT_EQ(Output(commands, "cat $D/state/runs/one/outputs/*"), "whole output\n");
  EXPECT_THAT(Output(commands, "ls /run /home /root"), Not(HasSubstr(".sock")));
}

TEST_F(SandboxTest, ProgramsThatFetchPackagesReachCachesAndNoSecretsNorJudges) {
  environment_["MY_TOKEN"] = "private";
  const auto sandbox = Open();
  ProcessRunner* const packages = sandbox->packages();
  EXPECT_EQ(Output(packages, "echo new > ~/.cargo/registry/index && echo $MY_TOKEN"), "\n");
  EXPECT_EQ(dir_.Read("home/.cargo/registry/index"), "new\n");
  EXPECT_THAT(Output(packages, "echo x > new || echo no"), HasSubstr("no\n"));
  EXPECT_THAT(Output(packages, "cat ~/.ssh/id_ed25519"), Not(HasSubstr("private")));
  Output(packages, "echo x > ~/left; echo x > /tmp/left");
  EXPECT_EQ(Output(sandbox->judges(), "ls ~/left /tmp/left 2>/dev/null"), "");
}

TEST_F(SandboxTest, IsolatedCommandsHaveNoNetworkWhateverTheSettingsSay) {
  settings_.network = true;
  const auto sandbox = Open();
  constexpr char kInterfaces[] = "tail -n +3 /proc/net/dev | grep -c .";
  const std::string outside = Output(sandbox->commands(), kInterfaces);
  EXPECT_EQ(Output(sandbox->isolated(), kInterfaces), "1\n") << "the loopback";
  EXPECT_GE(outside, "1\n");
  EXPECT_NE(Output(sandbox->isolated(), "readlink /proc/self/ns/net"),
            Output(sandbox->commands(), "readlink /proc/self/ns/net"));
}

TEST_F(SandboxTest, CommandsWriteTheWorkspaceAndTheirOwnHomeOnly) {
  const auto sandbox = Open();
  ProcessRunner* const commands = sandbox->commands();
  EXPECT_EQ(Output(commands, "echo x > new && echo y > ~/note && echo z > /tmp/t && cat /tmp/t"),
            "z\n");
  EXPECT_TRUE(dir_.Exists("ws/new"));
  EXPECT_FALSE(dir_.Exists("home/note"));
  EXPECT_EQ(Output(commands, "cat ~/note /tmp/t"), "y\nz\n") << "of one run";
  for (const char* target : {".git/config", "inner/.git/config", "~/.cargo/registry/index",
                             "~/bin/tool", "/usr/bin/x", "$D/state/x/../../home/bin/x"}) {
    EXPECT_THAT(Output(commands, absl::StrCat("echo broken > ", target, " || echo no")),
                HasSubstr("no\n"))
        << target;
  }
  EXPECT_EQ(dir_.Read("ws/inner/.git/config"), "[core]\n");
  EXPECT_EQ(dir_.Read("home/.cargo/registry/index"), "packages\n");
}

TEST_F(SandboxTest, ToolchainsAndPackagesAreSeen) {
  environment_["PATH"] = absl::StrCat(dir_.Path("home/bin"), ":/usr/bin:/bin");
  const auto sandbox = Open();
  ProcessRunner* const commands = sandbox->commands();
  EXPECT_EQ(Output(commands, "cat ~/.cargo/registry/index ~/bin/tool"),
            "packages\n#!/bin/sh\necho tool\n");
}

TEST_F(SandboxTest, JudgesHavePlacesOfTheirOwn) {
  const auto sandbox = Open();
  ProcessRunner* const commands = sandbox->commands();
  ProcessRunner* const judges = sandbox->judges();
  Output(commands, "echo poison > ~/cache; echo poison > /tmp/cache");
  EXPECT_THAT(Output(judges, "cat ~/cache /tmp/cache"), Not(HasSubstr("poison")));
  EXPECT_EQ(Output(judges,
                   "echo more >> ~/.cargo/registry/index; cat ~/.nuget/NuGet/NuGet.Config; "
                   "cat ~/.cargo/credentials.toml 2>/dev/null"),
            "sources\n");
  EXPECT_EQ(dir_.Read("home/.cargo/registry/index"), "packages\nmore\n");
  // They write the workspace only where a validation says so.
  EXPECT_THAT(Output(judges, "cat main.c; echo x > main.c"), HasSubstr("Read-only file system"));
  ProcessRequest request;
  request.argv = {"sh", "-c", "echo x > made; echo x > .git/made"};
  request.cwd = dir_.Path("ws");
  request.env = environment_;
  request.writable = {dir_.Path("ws")};
  ASSERT_TRUE(judges->Run(request).ok());
  EXPECT_TRUE(dir_.Exists("ws/made"));
  EXPECT_FALSE(dir_.Exists("ws/.git/made"));
}

TEST_F(SandboxTest, WhatACommandDoesToItsHomeHurtsNoLaterOne) {
  dir_.MakeDir("elsewhere");
  const auto sandbox = Open();
  ProcessRunner* const commands = sandbox->commands();
  Output(commands, "echo here");  // the places of toolchains are made now
  for (const char* trick :
       {"rm -rf ~/.cargo 2>/dev/null; mv ~/.cargo ~/.gone; echo x > ~/.cargo",
        "mv ~/.cargo ~/.gone2; ln -s /oldroot$D/elsewhere ~/.cargo", "chmod 000 ~ ~/.cargo /tmp",
        "mv ~/bin ~/bin2; ln -s $D/elsewhere ~/bin"}) {
    Output(commands, trick);
    EXPECT_EQ(Output(commands, "cat ~/.cargo/registry/index"), "packages\n") << trick;
  }
  EXPECT_THAT(*ListDirectory(dir_.Path("elsewhere")), ::testing::IsEmpty());
  EXPECT_TRUE(Open()->active());
}

TEST_F(SandboxTest, ARepositoryInsideCannotBeMovedOutOfProtection) {
  dir_.Write("ws/deep/er/.git/config", "[core]\n");
  auto opened = TryOpen();
  ASSERT_TRUE(opened.ok());
  (*opened)->Protect({dir_.Path("ws/.git"), dir_.Path("ws/deep/er/.git")});
  ProcessRunner* const commands = (*opened)->commands();
  Output(commands, "mv deep deep2; mv deep/er deep/er2; echo ok > deep/er/file");
  Output(commands, "for f in $(find . -name config); do echo broken > $f; done");
  EXPECT_EQ(dir_.Read("ws/deep/er/.git/config"), "[core]\n");
  EXPECT_EQ(dir_.Read("ws/deep/er/file"), "ok\n");
}

TEST_F(SandboxTest, SettingsOpenMore) {
  dir_.MakeDir("shared");
  dir_.Write("home/data/file", "data\n");
  settings_.read = {"~/data"};
  settings_.write = {dir_.Path("shared")};
  const auto sandbox = Open();
  ProcessRunner* const commands = sandbox->commands();
  EXPECT_EQ(Output(commands, "cat ~/data/file; echo x > $D/shared/made"), "data\n");
  EXPECT_TRUE(dir_.Exists("shared/made"));
}

TEST_F(SandboxTest, SecretsOfTheEnvironmentAreKeptBack) {
  environment_["GITHUB_TOKEN"] = environment_["AWS_SECRET_ACCESS_KEY"] = "s3cr3t";
  environment_["SSH_AUTH_SOCK"] = "/run/agent";
  environment_["NPM_TOKEN"] = "wanted";
  settings_.environment = {"NPM_TOKEN"};
  auto sandbox = Open();
  const std::string show = "echo $GITHUB_TOKEN$AWS_SECRET_ACCESS_KEY$SSH_AUTH_SOCK$NPM_TOKEN$HOME";
  EXPECT_EQ(Output(sandbox->commands(), show), absl::StrCat("wanted", dir_.Path("home"), "\n"));
  EXPECT_FALSE(LooksSecret("KEYBOARD"));
  EXPECT_FALSE(LooksSecret("HOME"));
  EXPECT_TRUE(LooksSecret("db_password"));

  settings_.mode = Mode::kOff;
  sandbox = Open();
  EXPECT_THAT(Output(sandbox->commands(), show), HasSubstr("s3cr3t"));
}

TEST_F(SandboxTest, OffIsOffAndSaysSo) {
  settings_.mode = Mode::kOff;
  const auto sandbox = Open();
  EXPECT_FALSE(sandbox->active());
  EXPECT_EQ(sandbox->description(), "off");
  EXPECT_EQ(Output(sandbox->commands(), "cat ~/.ssh/id_ed25519"), "private key\n");
}

// A place where no sandbox can be made, whoever runs this: bubblewrap cannot show what is not
// there.
TEST_F(SandboxTest, WhereThereIsNoneAutoGoesOnAndRequiredDoesNot) {
  settings_.write = {dir_.Path("home/bin/tool")};
  dir_.Write("fake/bwrap", "#!/bin/sh\nexit 1\n");
  SandboxPlace place;
  place.workspace = dir_.Path("ws/main.c");  // no folder: nothing can run in it
  place.state_dir = dir_.Path("state");
  place.workspace_dir = dir_.Path("state/workspaces/w");
  place.environment = environment_;
  auto automatic = RunSandbox::Open(settings_, place, languages_, local_.get());
  ASSERT_TRUE(automatic.ok()) << automatic.status();
  (*automatic)->Protect({});
  EXPECT_FALSE((*automatic)->active());
  EXPECT_THAT((*automatic)->description(), HasSubstr("none: "));
  EXPECT_EQ(Output((*automatic)->commands(), "echo here"), "here\n");

  settings_.mode = Mode::kRequired;
  const auto required = RunSandbox::Open(settings_, place, languages_, local_.get());
  EXPECT_EQ(required.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(required.status().message(), HasSubstr("sandbox: required"));
}

TEST_F(SandboxTest, NoSetGroupIdIsLeftOnFiles) {
  dir_.Write("ws/old", "");
  dir_.MakeDir("ws/folder");
  {
    const auto sandbox = Open();
    Output(sandbox->commands(),
           "echo x > made; chmod 2711 made; chmod g+s folder; echo x > .plain; chmod 755 .plain");
  }
  const auto mode = [&](const char* name) {
    struct stat info {};
    EXPECT_EQ(lstat(dir_.Path(name).c_str(), &info), 0);
    return info.st_mode & 07777;
  };
  EXPECT_EQ(mode("ws/made"), 0711u);
  EXPECT_EQ(mode("ws/.plain"), 0755u);
  EXPECT_NE(mode("ws/folder") & S_ISGID, 0u) << "new files get the folder's group, no more";
}

TEST_F(SandboxTest, ProgramsOfARepositoryMakeNoHooksAndNoSettings) {
  const auto sandbox = Open();
  std::vector<std::string> words =
      sandbox->ProgramWrapper(dir_.Path("ws/.git"), dir_.Path("ws/.git"));
  ASSERT_FALSE(words.empty());
  for (const char* word :
       {"/bin/sh", "-c",
        "mkdir -p .git/hooks .git/info; echo x > .git/hooks/pre-commit; echo x > "
        ".git/info/exclude; "
        "mkdir ../evil; echo ../evil > .git/commondir; echo x > .git/config.worktree; "
        "echo x > .git/config; echo x > .git/index; grep Seccomp: /proc/self/status; exit 3"}) {
    words.emplace_back(word);
  }
  ProcessRequest request;
  request.argv = words;
  request.cwd = dir_.Path("ws");
  request.env = environment_;
  const auto result = local_->Run(request);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 3) << result->err;
  EXPECT_EQ(result->out, "Seccomp:\t2\n");
  EXPECT_TRUE(dir_.Exists("ws/.git/index"));
  for (const char* name : {"hooks/pre-commit", "info/exclude", "commondir", "config.worktree"}) {
    EXPECT_FALSE(dir_.Exists(absl::StrCat("ws/.git/", name))) << name;
  }
  EXPECT_EQ(dir_.Read("ws/.git/config"), "[core]\n");
}

TEST_F(SandboxTest, ARepositoryWithoutHooksGetsNone) {
  const auto sandbox = Open();
  EXPECT_THAT(Output(sandbox->commands(),
                     "mkdir .git/hooks inner/.git/hooks; mv .git gone; rmdir .git; true"),
              HasSubstr("Read-only file system"));
  EXPECT_FALSE(dir_.Exists("ws/.git/hooks"));
  EXPECT_FALSE(dir_.Exists("ws/inner/.git/hooks"));
}

TEST_F(SandboxTest, NothingIsLeftOfTheirTemporaryFiles) {
  {
    const auto sandbox = Open();
    Output(sandbox->commands(), "echo x > /tmp/x");
  }
  EXPECT_EQ(Output(local_.get(), "find $D/state/workspaces/w/sandbox -name 'scratch-*'"), "");
}

}  // namespace
}  // namespace stile

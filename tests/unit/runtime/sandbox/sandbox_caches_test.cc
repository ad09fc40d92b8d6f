#include "runtime/sandbox/sandbox_caches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::Contains;

class SandboxCachesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"home", "ws", "state/workspaces/w"}) dir_.MakeDir(folder);
    environment_ = InheritedEnvironment();
    environment_["HOME"] = dir_.Path("home");
    environment_["D"] = dir_.path();
    environment_["PATH"] = "/usr/bin:/bin";
  }

  std::string Output(const std::string& script, bool judge = false) {
    SandboxPlace place;
    place.workspace = dir_.Path("ws");
    place.state_dir = dir_.Path("state");
    place.workspace_dir = dir_.Path("state/workspaces/w");
    place.outputs = dir_.Path("state");
    place.environment = environment_;
    SandboxSettings settings;
    const auto sandbox = RunSandbox::Open(settings, std::move(place), languages_, local_.get());
    EXPECT_TRUE(sandbox.ok()) << sandbox.status();
    EXPECT_TRUE((*sandbox)->active()) << (*sandbox)->description();
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", script};
    request.cwd = dir_.Path("ws");
    request.env = environment_;
    request.merge_stderr = true;
    const auto result = (judge ? (*sandbox)->judges() : (*sandbox)->commands())->Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->out : "";
  }

  TempDir dir_;
  Environment environment_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  const std::unique_ptr<ProcessRunner> local_ = NewLocalProcessRunner();
};

TEST_F(SandboxCachesTest, CachesThatAreNowhereHaveAPlaceInside) {
  for (const char* name :
       {"XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "CARGO_HOME", "npm_config_cache",
        "PIP_CACHE_DIR", "MYPY_CACHE_DIR", "PYTHONPYCACHEPREFIX", "NUGET_PACKAGES",
        "GRADLE_USER_HOME", "MAVEN_USER_HOME", "CCACHE_DIR"}) {
    environment_[name] = absl::StrCat("/nowhere/", name);
    for (const bool judge : {false, true}) {
      EXPECT_EQ(Output(absl::StrCat("mkdir -p $", name, " && echo x > $", name, "/made && echo ok"),
                       judge),
                "ok\n")
          << name;
    }
    environment_.erase(name);
  }
  environment_["GOTMPDIR"] = "/nowhere";
  environment_["HOME"] = "/nowhere";
  EXPECT_EQ(Output("echo x > $GOTMPDIR/made && echo x > ~/made && echo ok", true), "ok\n");
}

TEST_F(SandboxCachesTest, GoBuildsWhateverItsCacheVariablesName) {
  if (!FindExecutable("go", InheritedEnvironment()).ok()) GTEST_SKIP() << "go is not installed";
  environment_["PATH"] = InheritedEnvironment().at("PATH");
  dir_.Write("ws/go.mod", "module m\n\ngo 1.18\n");
  dir_.Write("ws/main.go", "package main\n\nfunc main() {}\n");
  for (const char* name : {"XDG_CACHE_HOME", "GOCACHE", "HOME"}) {
    const std::string before = environment_[name];
    environment_[name] = "/nowhere";
    EXPECT_EQ(Output("go build -o /dev/null . && echo built", true), "built\n") << name;
    environment_[name] = before;
    if (before.empty()) environment_.erase(name);
  }
}

class RedirectCachesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"home", "ws", "own"}) dir_.MakeDir(folder);
    environment_["HOME"] = dir_.Path("home");
    policy_.replaced = {{dir_.Path("home"), dir_.Path("own")}};
    policy_.writable = {dir_.Path("ws")};
  }
  void Redirect() { RedirectCaches(environment_, dir_.Path("ws"), dir_.Path("caches"), &policy_); }

  TempDir dir_;
  Environment environment_;
  SandboxPolicy policy_;
};

TEST_F(RedirectCachesTest, WhatCanBeWrittenStays) {
  dir_.MakeDir("cache");
  environment_["GOCACHE"] = dir_.Path("home/.cache/go");
  environment_["CCACHE_DIR"] = dir_.Path("ws/ccache");
  environment_["XDG_CACHE_HOME"] = dir_.Path("cache");
  Redirect();
  ASSERT_EQ(policy_.redirected.size(), 1u);
  EXPECT_EQ(policy_.redirected["XDG_CACHE_HOME"].from, dir_.Path("cache"));
  EXPECT_EQ(policy_.redirected["XDG_CACHE_HOME"].to, dir_.Path("home/.cache/stile/XDG_CACHE_HOME"));
  EXPECT_THAT(policy_.environment, ::testing::IsEmpty());
}

TEST_F(RedirectCachesTest, HomesOfPackagesKeepTheirPathAndTheirPackages) {
  dir_.MakeDir("cargo/registry");
  dir_.MakeDir("mod");
  environment_["CARGO_HOME"] = dir_.Path("cargo");
  environment_["GOMODCACHE"] = dir_.Path("mod");
  policy_.writable.push_back(dir_.Path("cargo/registry"));
  Redirect();
  EXPECT_THAT(policy_.redirected, ::testing::IsEmpty());
  EXPECT_THAT(policy_.replaced, Contains(::testing::Key(dir_.Path("cargo"))));
}

TEST_F(RedirectCachesTest, NothingIsReplacedAroundTheWorkspace) {
  environment_["GOPATH"] = dir_.path();
  environment_["GRADLE_USER_HOME"] = "/usr";
  Redirect();
  EXPECT_EQ(policy_.replaced.size(), 1u);
  EXPECT_EQ(policy_.environment["GOMODCACHE"], dir_.Path("home/.cache/stile/GOMODCACHE"));
}

TEST(MavenRepositoriesTest, AreReadFromTheOptions) {
  TempDir dir;
  dir.MakeDir("m2");
  EXPECT_THAT(
      MavenRepositories({{"MAVEN_OPTS", absl::StrCat("-Xmx1g -Dmaven.repo.local=", dir.Path("m2"))},
                         {"MAVEN_ARGS", "-Dmaven.repo.local=/nowhere"}}),
      ::testing::ElementsAre(dir.Path("m2")));
}

}  // namespace
}  // namespace stile

#include "runtime/sandbox/sandbox_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "runtime/sandbox/sandbox.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// All of it lies below /tmp, which a sandbox has of its own.
class SandboxProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"home", "ws", "state/workspaces/w"}) dir_.MakeDir(folder);
    environment_ = InheritedEnvironment();
    environment_["HOME"] = dir_.Path("home");
    environment_["D"] = dir_.path();
    SetPath({});
  }

  void SetPath(const std::vector<std::string>& folders) {
    std::string path;
    for (const std::string& folder : folders) absl::StrAppend(&path, dir_.Path(folder), ":");
    environment_["PATH"] = absl::StrCat(path, "/usr/bin:/bin");
  }

  void Program(const std::string& name, const std::string& text) {
    dir_.Write(name, absl::StrCat("#!/bin/sh\n", text, "\n"));
    chmod(dir_.Path(name).c_str(), 0755);
  }

  void Link(const std::string& target, const std::string& name) {
    dir_.Write(absl::StrCat(name, ".made"), "");  // for its folder
    ASSERT_EQ(symlink(target.c_str(), dir_.Path(name).c_str()), 0);
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

TEST_F(SandboxProgramsTest, OfALinkedPackageItsCodeAndItsPackagesAreShown) {
  Program("clone/dist/cli/index.js",
          "cd $(dirname $(readlink -f $0))/../.. && cat package.json dist/parser.js "
          "node_modules/commander/index.js; cat secret src/index.ts");
  for (const char* name : {"package.json", "dist/parser.js", "node_modules/commander/index.js"}) {
    dir_.Write(absl::StrCat("clone/", name), absl::StrCat(name, " is seen\n"));
  }
  for (const char* name : {"secret", "src/index.ts"}) {
    dir_.Write(absl::StrCat("clone/", name), "not to be seen\n");
  }
  dir_.MakeDir("clone/.git");
  Link("../clone/dist/cli/index.js", "tools/air");
  SetPath({"tools"});
  for (const bool judge : {false, true}) {
    const std::string output = Output("air", judge);
    EXPECT_THAT(output, HasSubstr("package.json is seen\ndist/parser.js is seen\n"
                                  "node_modules/commander/index.js is seen\n"));
    EXPECT_THAT(output, Not(HasSubstr("not to be seen")));
  }
}

TEST_F(SandboxProgramsTest, ANodeModulesFolderIsShownWhole) {
  Program("clone/build/node_modules/typescript/bin/tsc",
          "cat $(dirname $(readlink -f $0))/../lib/version");
  dir_.Write("clone/build/node_modules/typescript/lib/version", "5.9\n");
  Link("../typescript/bin/tsc", "clone/build/node_modules/.bin/tsc");
  dir_.Write("clone/secret", "not to be seen");
  SetPath({"clone/build/node_modules/.bin"});
  for (const bool judge : {false, true}) {
    EXPECT_EQ(Output("tsc", judge), "5.9\n");
    EXPECT_THAT(Output("cat $D/clone/secret; echo x > $D/clone/build/node_modules/new", judge),
                Not(HasSubstr("not to be seen")));
  }
  EXPECT_FALSE(dir_.Exists("clone/build/node_modules/new"));
}

TEST_F(SandboxProgramsTest, AVirtualEnvironmentBringsItsRootAndItsPython) {
  Program("python/bin/python3.11", "cat $D/python/lib/python3.11/os.py $D/env/lib/site.py");
  dir_.Write("python/lib/python3.11/os.py", "os ");
  dir_.Write("env/lib/site.py", "site\n");
  dir_.Write("env/pyvenv.cfg", absl::StrCat("home = ", dir_.Path("python/bin"), "\n"));
  Link("python3", "env/bin/python");
  Link(dir_.Path("python/bin/python3.11"), "env/bin/python3");
  SetPath({"env/bin"});
  EXPECT_EQ(Output("python", /*judge=*/true), "os site\n");

  // One in the workspace, whose PATH folders commands write.
  dir_.Write("ws/.venv/pyvenv.cfg", absl::StrCat("home = ", dir_.Path("home"), "\n"));
  dir_.Write("home/note", "private\n");
  Link(dir_.Path("python/bin/python3.11"), "ws/.venv/bin/python");
  Link(dir_.Path("home/note"), "ws/.venv/bin/note");
  SetPath({"ws/.venv/bin"});
  EXPECT_EQ(Output("cat $(readlink -f .venv/bin/python) | head -1"), "#!/bin/sh\n");
  EXPECT_THAT(Output("cat .venv/bin/note ~/note"), Not(HasSubstr("private")));
}

TEST_F(SandboxProgramsTest, VersionManagersAndToolchainsBringTheirRoots) {
  Program("manager/shims/tool", "exec $D/manager/versions/1/bin/tool");
  Program("manager/versions/1/bin/tool", "echo managed");
  Program("kit/bin/kit", "cat $D/kit/lib/data");
  dir_.Write("kit/lib/data", "kit\n");
  SetPath({"manager/shims", "kit/bin"});
  EXPECT_EQ(Output("tool; kit"), "managed\nkit\n");
}

TEST_F(SandboxProgramsTest, LinksLeadToWhatTheyResolveTo) {
  Program("versions/v2/bin/tool", "echo two");
  Link("v2", "versions/current");
  Program("elsewhere/deep/other", "echo other");
  Link("../../elsewhere/deep/other", "home/bin/other");
  SetPath({"versions/current/bin", "home/bin"});
  EXPECT_EQ(Output("tool; other"), "two\nother\n");
}

TEST_F(SandboxProgramsTest, NeitherHomesNorSecretsAreShown) {
  dir_.Write("home/.ssh/id", "private key\n");
  dir_.Write("home/.aws/bin/tool", "#!/bin/sh\n");
  dir_.Write("home/notes", "private notes\n");
  dir_.Write("project/.env", "private token\n");
  dir_.Write("project/lib/code", "");
  Program("project/bin/run", "echo run");
  Program("home/bin/run-home", "echo home");
  dir_.Write("home/lib/x", "");
  dir_.Write("state/bin/private-tool", "private");
  Link("../.ssh/id", "home/bin/key");
  Link("../notes", "home/bin/notes");
  SetPath({"project/bin", "home/bin", "home/.aws/bin", "home", "state/bin", "home/.ssh"});
  EXPECT_EQ(Output("run; run-home"), "run\nhome\n");
  EXPECT_THAT(Output("cat $D/project/.env ~/.ssh/id ~/bin/key ~/.aws/bin/tool $D/state/bin/*; "
                     "cat ~/bin/notes; ls -A ~ ~/.ssh"),
              Not(::testing::AnyOf(HasSubstr("private key"), HasSubstr("private token"),
                                   HasSubstr("private notes"), HasSubstr("#!/bin/sh"),
                                   HasSubstr("private\n"))));
}

}  // namespace
}  // namespace stile

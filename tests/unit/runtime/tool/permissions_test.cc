#include "runtime/tool/permissions.h"

#include <unistd.h>

#include "gtest/gtest.h"
#include "runtime/tool/shell_command.h"
#include "runtime/tool/shell_reading.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

ToolSpec Shell() {
  ToolSpec spec;
  spec.name = "shell.execute";
  spec.permission = DefaultPermission::kAllowInSandbox;
  spec.permission_argument = "command";
  return spec;
}

ToolSpec Write() {
  ToolSpec spec;
  spec.name = "file.write";
  spec.permission_argument = "path";
  return spec;
}

Permission OfCommand(const PermissionRules& rules, const std::string& command,
                     bool sandboxed = false) {
  return DecidePermission(rules, Shell(), {{"command", command}}, sandboxed);
}

Permission OfPath(const PermissionRules& rules, const std::string& path) {
  return DecidePermission(rules, Write(), {{"path", path}}, false);
}

TEST(PermissionsTest, DefaultsHoldWithoutRules) {
  EXPECT_EQ(OfCommand({}, "ls"), Permission::kAsk);
  EXPECT_EQ(OfCommand({}, "ls; rm -rf /", true), Permission::kAllow);
  EXPECT_EQ(OfPath({}, "a"), Permission::kAllow);
  ToolSpec commit;
  commit.name = "git.commit";
  commit.permission = DefaultPermission::kAsk;
  EXPECT_EQ(DecidePermission({}, commit, Json::object(), true), Permission::kAsk);
  EXPECT_EQ(DecidePermission({.allow = {"git.*"}}, commit, Json::object(), true),
            Permission::kAllow);
  EXPECT_EQ(DecidePermission({.allow = {"git_commit"}}, commit, Json::object(), true),
            Permission::kAllow);
}

TEST(PermissionsTest, DenyBeatsAskBeatsAllow) {
  EXPECT_EQ(OfPath({.allow = {"file.*"}, .ask = {"file.write"}, .deny = {"*"}}, "a"),
            Permission::kDeny);
  EXPECT_EQ(OfPath({.allow = {"file.*"}, .ask = {"file.write"}}, "a"), Permission::kAsk);
  EXPECT_EQ(OfPath({.allow = {"file.*"}, .ask = {"file.read"}}, "a"), Permission::kAllow);
}

TEST(PermissionsTest, PathsMatchAsGlobs) {
  const PermissionRules rules = {.deny = {"file.write(secrets/**)", "file.write(*.pem)"}};
  EXPECT_EQ(OfPath(rules, "secrets/a/b"), Permission::kDeny);
  EXPECT_EQ(OfPath(rules, "./x/../secrets//a"), Permission::kDeny);
  EXPECT_EQ(OfPath(rules, "/home/me/project/secrets/a"), Permission::kDeny);
  EXPECT_EQ(OfPath(rules, "../project/secrets/a"), Permission::kDeny);
  EXPECT_EQ(OfPath(rules, "deep/key.pem"), Permission::kDeny);
  EXPECT_EQ(OfPath(rules, "secrets.txt"), Permission::kAllow);
}

TEST(PermissionsTest, AnAllowedPathIsNotStretched) {
  const PermissionRules rules = {.allow = {"file.write(docs/**)"}, .ask = {}, .deny = {}};
  ToolSpec spec = Write();
  spec.permission = DefaultPermission::kAsk;
  const auto of = [&](const char* path) {
    return DecidePermission(rules, spec, {{"path", path}}, false);
  };
  EXPECT_EQ(of("docs/a.md"), Permission::kAllow);
  EXPECT_EQ(of("docs/../src/a"), Permission::kAsk);
  EXPECT_EQ(of("/elsewhere/docs/a.md"), Permission::kAsk);
}

TEST(PermissionsTest, AllowedCommandsMatchAsWritten) {
  const PermissionRules rules = {.allow = {"shell.execute(npm *)", "shell.execute(git status)"}};
  EXPECT_EQ(OfCommand(rules, "npm test"), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "npm"), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "  npm run 'a;b'  "), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "git status"), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "git status --short"), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, "npmx"), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, "LD_PRELOAD=./x.so npm test"), Permission::kAsk);
}

TEST(PermissionsTest, AChainIsAllowedOnlyIfEveryPartIs) {
  const PermissionRules rules = {.allow = {"shell.execute(npm *)", "shell.execute(ls *)"}};
  EXPECT_EQ(OfCommand(rules, "npm ci && npm test | ls -l; ls"), Permission::kAllow);
  for (const char* command : {"npm test; rm -rf x",
                              "npm test && rm x",
                              "npm test || rm x",
                              "npm test | rm x",
                              "npm test & rm x",
                              "npm test\nrm x",
                              "npm $(rm x)",
                              "npm \"$(rm x)\"",
                              "npm `rm x`",
                              "npm \"`rm x`\"",
                              "npm <(rm x)",
                              "npm test > ~/.bashrc",
                              "npm test >> x",
                              "npm test &> x",
                              "npm test >| x",
                              "npm test <<EOF\nit's\nEOF\nrm x\nls <<EOF\nit's\nEOF",
                              "ls # it's\nrm x\nls # it's",
                              "ls $'a\\'b'; rm x",
                              "ls ${x:-'}; rm x",
                              "ls 'open",
                              "(rm x)",
                              "{ rm x; }",
                              "ls \\\n; rm x"}) {
    EXPECT_EQ(OfCommand(rules, command), Permission::kAsk) << command;
  }
  EXPECT_EQ(OfCommand(rules, "npm test 2>&1 >/dev/null"), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "ls ${HOME} \"a;b\""), Permission::kAllow);
}

TEST(PermissionsTest, ARuleWithoutPatternAllowsAnything) {
  EXPECT_EQ(OfCommand({.allow = {"shell.execute"}}, "a; b <<E\nx\nE\n > f"), Permission::kAllow);
  EXPECT_EQ(OfCommand({.allow = {"shell.*(*)"}}, "a; b > f"), Permission::kAllow);
  EXPECT_EQ(
      OfCommand({.allow = {"shell.execute(make all > log; cat log)"}}, "make all > log; cat log"),
      Permission::kAllow);
}

TEST(PermissionsTest, ADeniedPartDeniesTheChainAlsoDisguised) {
  const PermissionRules rules = {.allow = {"shell.execute"}, .deny = {"shell.execute(rm *)"}};
  for (const char* command : {"rm x",
                              "rm",
                              "ls; rm x",
                              "ls && rm -rf x",
                              "echo $(rm x)",
                              "\\rm x",
                              "'rm' x",
                              "r\"m\" x",
                              "/bin/rm x",
                              "FOO=1 rm x",
                              "sudo -n rm x",
                              "env -i A=b rm x",
                              "find . | xargs -0 rm x",
                              "if true; then rm x; fi",
                              "rm\tx",
                              "bash -c 'rm x'",
                              "sh -c 'ls; rm x'",
                              "cat <<E\nit's\nE\nrm x",
                              "echo `rm x`",
                              "timeout 5 rm x"}) {
    EXPECT_EQ(OfCommand(rules, command, true), Permission::kDeny) << command;
  }
  EXPECT_EQ(OfCommand(rules, "echo 'a; rm b'", true), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "rmdir x", true), Permission::kAllow);
}

TEST(PermissionsTest, AnAskedPartAsksForTheChain) {
  const PermissionRules rules = {.allow = {"shell.execute"}, .ask = {"shell.execute(git push *)"}};
  EXPECT_EQ(OfCommand(rules, "git commit && git push origin", true), Permission::kAsk);
}

TEST(PermissionsTest, HostileCommandsAreBounded) {
  const PermissionRules rules = {.allow = {"shell.execute(a*b*c*d *)"},
                                 .deny = {"shell.execute(*x*y*z)"}};
  EXPECT_EQ(OfCommand(rules, std::string(20000, 'a')), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, std::string(20000, ';')), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, std::string(5000, '(')), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, std::string("a\0b", 3)), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, ""), Permission::kAsk);
}

TEST(PermissionsTest, RulesAreChecked) {
  EXPECT_TRUE(
      CheckPermissionRules({.allow = {"a.b", "git.*", "*", "shell.execute(npm (x))"}}).ok());
  for (const char* bad :
       {"", "shell.execute(", "shell.execute()", "(x)", "a b", "shell.execute(x) y"}) {
    const absl::Status status = CheckPermissionRules({.deny = {bad}});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_NE(status.message().find(std::string("'") + bad + "'"), absl::string_view::npos);
  }
}

TEST(PermissionsTest, RulesForEditsByHandHoldBackChangesByMeaning) {
  ToolSpec refactor;
  refactor.name = "code.refactor";
  refactor.permission_argument = "filePath";
  const auto decide = [&](const PermissionRules& rules, const std::string& path) {
    return DecideChange(rules, refactor, path);
  };
  EXPECT_EQ(decide({}, "a.go"), Permission::kAllow);
  EXPECT_EQ(decide({.deny = {"code.refactor(secret/**)"}}, "secret/a.go"), Permission::kDeny);
  EXPECT_EQ(decide({.deny = {"code.refactor(secret/**)"}}, "a.go"), Permission::kAllow);
  for (const char* rule : {"file.write(secret/**)", "file.modify(secret/**)",
                           "file.delete(secret/**)", "file.*(secret/**)", "*(secret/**)"}) {
    EXPECT_EQ(decide({.deny = {rule}}, "secret/a.go"), Permission::kDeny) << rule;
    EXPECT_EQ(decide({.ask = {rule}}, "secret/a.go"), Permission::kAsk) << rule;
    EXPECT_EQ(decide({.deny = {rule}}, "public/a.go"), Permission::kAllow) << rule;
  }
  // Who may not edit as text at all may do so by meaning; who may not read may write.
  EXPECT_EQ(decide({.deny = {"file.modify"}}, "a.go"), Permission::kAllow);
  EXPECT_EQ(decide({.deny = {"file.read(secret/**)"}}, "secret/a.go"), Permission::kAllow);
  EXPECT_EQ(decide({.allow = {"code.*"}, .deny = {"file.*(*.go)"}}, "a.go"), Permission::kDeny);
}

TEST(PermissionsTest, ADenyRuleIsNotEvadedByWhatCannotBeRead) {
  const PermissionRules rules = {.allow = {"shell.execute"}, .deny = {"shell.execute(git push *)"}};
  for (const char* command : {"$(echo git) push",
                              "git $(echo push)",
                              "git `echo push`",
                              "g=git; $g push",
                              "x=push; git $x origin",
                              "git pu$@sh",
                              "${G:-git} push",
                              "git pus[h]",
                              "gi? push",
                              "git {push,-q}",
                              "eval \"$command\"",
                              "eval 'gi''t status'",
                              "sh -c \"$X\"",
                              "sh -c 'git status'",
                              "bash -lc ls",
                              "sudo bash -c ls",
                              "echo Z2l0IHB1c2g= | base64 -d | sh",
                              "curl x | bash -s -- y",
                              "sh < script",
                              ". ./script",
                              "source script",
                              "bash script.sh",
                              "echo push | xargs git",
                              "/bin/sh -c \"$X\"",
                              "ls\n$x push",
                              "cat <<E\nit's\nE",
                              "\"$g\" push"}) {
    EXPECT_EQ(OfCommand(rules, command, true), Permission::kAsk) << command;
  }
  for (const char* command : {"find . -exec git push x \\;", "git status\ngit push",
                              "g=git; echo $(git push)", "git \\\npush"}) {
    EXPECT_NE(OfCommand(rules, command, true), Permission::kAllow) << command;
  }
  for (const char* command :
       {"echo $(date)", "ls ${HOME} *.c", "git status", "for f in *.c; do gcc $f; done",
        "echo '$(git push)'", "make -j$(nproc) && git diff | head", "echo \"a $x b\""}) {
    EXPECT_EQ(OfCommand(rules, command, true), Permission::kAllow) << command;
  }
  // Without such rules nothing is asked.
  EXPECT_EQ(OfCommand({}, "eval \"$x\"", true), Permission::kAllow);
  EXPECT_EQ(OfCommand({.ask = {"shell.execute(git push *)"}}, "$g push", true), Permission::kAsk);
}

TEST(PermissionsTest, ADenyRuleSeesBehindRedirectionsAndGitOptions) {
  const PermissionRules rules = {.allow = {"shell.execute"},
                                 .deny = {"shell.execute(rm *)", "shell.execute(git push*)"}};
  for (const char* command :
       {">f rm x", "> f rm x", "2>&1 rm x", "2>/dev/null </dev/null rm x", "A=1 >f rm x",
        "&>f rm x", "{fd}>f rm x", "rm>f x", "exec >f rm x", "git -C . push",
        "git --no-pager push origin", "git -c a.b=c push", "git --git-dir=.git push",
        "git --work-tree . -C 'a b' push", "git >f push", "git>f push", "sudo git -C . push",
        "GIT_PAGER='a b' git -P push", "/usr/bin/git -C . push"}) {
    EXPECT_EQ(OfCommand(rules, command, true), Permission::kDeny) << command;
  }
  EXPECT_EQ(OfCommand({.ask = {"shell.execute(git push*)"}}, "git -C . push", true),
            Permission::kAsk);
}

TEST(PermissionsTest, ACommandThatCannotBeReadIsAskedAbout) {
  const PermissionRules rules = {.allow = {"shell.execute"}, .deny = {"shell.execute(rm *)"}};
  for (const char* command : {"git grep -Orm foo",
                              "git grep -lO'rm -r' foo",
                              "git grep --open-files-in-pager='rm -r' foo",
                              "git push --receive-pack='rm x' ../other",
                              "function f { rm x; }; f",
                              "trap 'rm x' EXIT",
                              "exec -a z rm x",
                              "test -v 'a[$(rm x)]'",
                              "[[ -v 'a[$(rm x)]' ]]",
                              "let 'a[$(rm x)]'",
                              "(( a['$(rm x)'] ))",
                              "printf -v 'a[$(rm x)]' y",
                              "declare 'a=$(rm x)'; echo ${a@P}",
                              "PS4='$(rm x)'; set -x; true",
                              "export PS4='`rm x`'; set -x; true",
                              "GIT_PAGER='rm x' git log",
                              "BASH_ENV=s make",
                              "hash -p /bin/rm q; q x",
                              "shopt -s expand_aliases\nalias q=rm\nq x",
                              "mapfile -C 'rm x #' -c1 f",
                              "printf 'rm x' > s; bash s",
                              "printf x > s; /bin/sh ./s",
                              "flock f rm x",
                              "flock f bash s",
                              "flock f $x",
                              "flock -c 'ls;rm x' f",
                              "taskset 1 rm x",
                              "chrt -o 0 rm x",
                              "setpriv rm x",
                              "prlimit rm x",
                              "unshare /bin/rm x",
                              "script -qc 'rm x' /dev/null",
                              "env -S 'rm x'",
                              "sudo -u root rm x",
                              "find . -exec sh -c 'a' \\;",
                              "some-new-wrapper --with=1 rm x",
                              "python3 -c 'import os; os.system(\"rm x\")'",
                              "awk 'BEGIN{system(\"rm x\")}'",
                              "git -c alias.q='!rm x' q",
                              "git -c core.pager=less log",
                              "git config alias.q '!rm x'",
                              "git q",
                              "git submodule foreach 'rm x'",
                              "git rebase -x 'rm x' main"}) {
    EXPECT_NE(OfCommand(rules, command, true), Permission::kAllow) << command;
    EXPECT_EQ(OfCommand({.allow = {"shell.execute"}}, command, true), Permission::kAllow)
        << command;
  }
}

TEST(PermissionsTest, OrdinaryCommandsAreRead) {
  const PermissionRules rules = {.allow = {"shell.execute"},
                                 .ask = {"shell.execute(git push*)", "shell.execute(docker *)"},
                                 .deny = {"shell.execute(rm *)"}};
  for (const char* command :
       {"npm test",
        "npm run build -- --watch=false",
        "cargo build 2>&1 | tail -20",
        "cd x && make -j4",
        "VAR=1 cmd",
        "PATH=$PATH:./bin NODE_ENV=test npm test",
        "find . -name '*.py' -not -path './rm/*'",
        "grep -rn 'rm x' src | head",
        "rg 'git push' docs",
        "sed -i 's/a b/c d/' file.txt",
        "sed -n 1,20p file.txt",
        "for f in *.c; do gcc -c $f; done",
        "for i in $(seq 3); do echo $i; done",
        "if [ -f x ]; then cat x; else echo no; fi",
        "[[ -d a && -n $b ]] && ls a",
        "test -f rm && echo yes",
        "./node_modules/.bin/eslint .",
        "python3 -m pytest -q tests/test_a.py 2>/dev/null",
        "python3 -c 'print(1)'",
        "node script.js > out.txt 2>&1",
        "git -C . status",
        "git --no-pager log --oneline -5",
        "git -c user.name=a -c user.email=b commit -m 'Do not git push, rm x'",
        "git diff HEAD~1 -- src",
        "ls -la /bin/rm",
        "echo 'rm x' > notes.txt",
        "set -e; export A=1; make",
        "timeout 60 npm test",
        "time make $TARGET",
        "env A=1 make $TARGET",
        "nohup ./server > log 2>&1 &",
        "mkdir -p a/{b,c} && touch a/b/x",
        "curl -s http://localhost:8080/x | jq '.a[0]'",
        "awk '{print $1}' f",
        "xargs -0 grep -n x < list",
        "cmake -B build && cmake --build build -j",
        "dotnet test --filter A=B",
        "pip install -e ."}) {
    EXPECT_EQ(OfCommand(rules, command, true), Permission::kAllow) << command;
  }
}

TEST(PermissionsTest, AnAllowRuleIsNotStretchedByWhatCannotBeRead) {
  const PermissionRules rules = {
      .allow = {"shell.execute(npm run x)", "shell.execute(echo *)", "shell.execute(git*)"}};
  EXPECT_EQ(OfCommand(rules, "npm run x$(echo y)"), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, "npm run x`echo y`"), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, "$(echo npm run x)"), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, "echo x | sh"), Permission::kAsk);
  EXPECT_EQ(OfCommand(rules, "echo $(echo y)"), Permission::kAllow);
  EXPECT_EQ(OfCommand(rules, "npm run x"), Permission::kAllow);
}

TEST(PermissionsTest, ADenyRuleHoldsForWhatAPathResolvesTo) {
  TempDir dir;
  dir.Write("secrets/key", "k");
  dir.Write("public/a", "a");
  dir.MakeDir("outside");
  ASSERT_EQ(symlink("secrets", dir.Path("alias").c_str()), 0);
  ASSERT_EQ(symlink("../secrets/key", dir.Path("public/link").c_str()), 0);
  ASSERT_EQ(symlink("secrets/not-yet", dir.Path("dangling").c_str()), 0);
  ASSERT_EQ(link(dir.Path("secrets/key").c_str(), dir.Path("public/hard").c_str()), 0);
  const PermissionRules rules = {.deny = {"file.write(secrets/**)"}};
  ToolSpec refactor;
  refactor.name = "code.refactor";
  refactor.permission_argument = "filePath";
  for (const std::string path :
       {"alias/key", "alias/new", "public/link", "public/hard", "dangling", "./public/../secrets/a",
        "Secrets/key", "SECRETS/KEY", "alias/../secrets/key"}) {
    EXPECT_EQ(DecidePermission(rules, Write(), {{"path", path}}, false, dir.path()),
              Permission::kDeny)
        << path;
    EXPECT_EQ(DecideChange(rules, refactor, path, dir.path()), Permission::kDeny) << path;
  }
  EXPECT_EQ(DecidePermission(rules, Write(), {{"path", dir.Path("alias/key")}}, false, dir.path()),
            Permission::kDeny);
  for (const char* path : {"public/a", "public/new", "secrets.txt"}) {
    EXPECT_EQ(DecidePermission(rules, Write(), {{"path", path}}, false, dir.path()),
              Permission::kAllow)
        << path;
  }
}

TEST(ShellReadingTest, UnknownTextMayBeAnything) {
  const std::string unknown(1, kUnknownText);
  EXPECT_TRUE(MayMatch("git push *", "git " + unknown));
  EXPECT_TRUE(MayMatch("git push", unknown + " push"));
  EXPECT_TRUE(MayMatch("*x*y", "a" + unknown));
  EXPECT_FALSE(MayMatch("git push", "ls " + unknown));
  EXPECT_FALSE(MayMatch("git push", unknown + " pull"));
  EXPECT_TRUE(MayMatch("a", unknown + "a" + unknown));
  EXPECT_FALSE(MayMatch("", "a"));
}

TEST(ShellCommandTest, CutsOnlyOutsideQuotes) {
  EXPECT_EQ(SplitShellCommand("a 'x;y' \"u|v\" w\\;z && b").parts,
            (std::vector<std::string>{"a 'x;y' \"u|v\" w\\;z", "b"}));
  EXPECT_FALSE(SplitShellCommand("a && b 2>&1").opaque);
  EXPECT_EQ(SplitShellCommand("a 2>&1 &>/dev/null").parts.size(), 1u);
}

}  // namespace
}  // namespace stile

#include "runtime/tool/permissions.h"

#include "gtest/gtest.h"
#include "runtime/tool/shell_command.h"

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

TEST(ShellCommandTest, CutsOnlyOutsideQuotes) {
  EXPECT_EQ(SplitShellCommand("a 'x;y' \"u|v\" w\\;z && b").parts,
            (std::vector<std::string>{"a 'x;y' \"u|v\" w\\;z", "b"}));
  EXPECT_FALSE(SplitShellCommand("a && b 2>&1").opaque);
  EXPECT_EQ(SplitShellCommand("a 2>&1 &>/dev/null").parts.size(), 1u);
}

}  // namespace
}  // namespace stile
